"""`tf.compat.v1.io`: reading and writing with the arguments of TensorFlow 1."""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.

from tfpy._src.checkpoints.graph_checkpoints import write_graph as write_graph
from tfpy._src.data.example_batches import tf_record_iterator as tf_record_iterator
from tfpy._src.library.compat.examples import (
    decode_csv as decode_csv,
    decode_raw as decode_raw,
    parse_example as parse_example,
    parse_single_example as parse_single_example,
    serialize_many_sparse as serialize_many_sparse,
    serialize_sparse as serialize_sparse,
)
from tfpy._src.library.io.decoding import decode_compressed as decode_compressed
from tfpy._src.library.io.files import (
    decode_base64 as decode_base64,
    encode_base64 as encode_base64,
    read_file as read_file,
    write_file as write_file,
)
from tfpy._src.library.io.images import (
    decode_bmp as decode_bmp,
    decode_gif as decode_gif,
    decode_image as decode_image,
    decode_jpeg as decode_jpeg,
    decode_png as decode_png,
    encode_jpeg as encode_jpeg,
    encode_png as encode_png,
    is_jpeg as is_jpeg,
)
from tfpy._src.library.io.records import (
    TFRecordCompressionType as TFRecordCompressionType,
    TFRecordOptions as TFRecordOptions,
    TFRecordWriter as TFRecordWriter,
)
from tfpy._src.library.protos.features import (
    FixedLenFeature as FixedLenFeature,
    FixedLenSequenceFeature as FixedLenSequenceFeature,
    RaggedFeature as RaggedFeature,
    SparseFeature as SparseFeature,
    VarLenFeature as VarLenFeature,
)
from tfpy._src.library.protos.sequence_parsing import (
    parse_sequence_example as parse_sequence_example,
    parse_single_sequence_example as parse_single_sequence_example,
)
from tfpy._src.library.protos.sparse_protos import (
    deserialize_many_sparse as deserialize_many_sparse,
)
from tfpy._src.library.protos.tensor_protos import (
    parse_tensor as parse_tensor,
    serialize_tensor as serialize_tensor,
)
