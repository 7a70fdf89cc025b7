"""`tf.io`: reading, writing, encoding and decoding of files and strings."""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.

import typing as _typing

from tfpy._src.library.io.files import (
    decode_base64 as decode_base64,
    decode_raw as decode_raw,
    encode_base64 as encode_base64,
    read_file as read_file,
    write_file as write_file,
)
from tfpy._src.library.io.folders import to_folder as to_folder, to_folder_async as to_folder_async
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
    TFRecordOptions as TFRecordOptions,
    TFRecordWriter as TFRecordWriter,
)
from tfpy._src.library.io.stored_models import (
    list_models_async as list_models_async,
    remove_model_async as remove_model_async,
)
from tfpy.io import gfile as gfile

if _typing.TYPE_CHECKING:
    from tfpy._src.checkpoints.graph_checkpoints import write_graph as write_graph
    from tfpy._src.library.io.decoding import (
        decode_compressed as decode_compressed,
        decode_csv as decode_csv,
    )
    from tfpy._src.library.io.image_parts import (
        decode_and_crop_jpeg as decode_and_crop_jpeg,
        decode_webp as decode_webp,
        extract_jpeg_shape as extract_jpeg_shape,
    )
    from tfpy._src.library.io.matching import (
        match_filenames_once as match_filenames_once,
        matching_files as matching_files,
    )
    from tfpy._src.library.protos.features import (
        FixedLenFeature as FixedLenFeature,
        FixedLenSequenceFeature as FixedLenSequenceFeature,
        RaggedFeature as RaggedFeature,
        SparseFeature as SparseFeature,
        VarLenFeature as VarLenFeature,
    )
    from tfpy._src.library.protos.json_examples import decode_json_example as decode_json_example
    from tfpy._src.library.protos.parsing import (
        parse_example as parse_example,
        parse_single_example as parse_single_example,
    )
    from tfpy._src.library.protos.sequence_parsing import (
        parse_sequence_example as parse_sequence_example,
        parse_single_sequence_example as parse_single_sequence_example,
    )
    from tfpy._src.library.protos.sparse_protos import (
        deserialize_many_sparse as deserialize_many_sparse,
        serialize_many_sparse as serialize_many_sparse,
        serialize_sparse as serialize_sparse,
    )
    from tfpy._src.library.protos.tensor_protos import (
        parse_tensor as parse_tensor,
        serialize_tensor as serialize_tensor,
    )

_LATER = {
    "write_graph": "tfpy._src.checkpoints.graph_checkpoints",
    "decode_compressed": "tfpy._src.library.io.decoding",
    "decode_csv": "tfpy._src.library.io.decoding",
    "decode_and_crop_jpeg": "tfpy._src.library.io.image_parts",
    "decode_webp": "tfpy._src.library.io.image_parts",
    "extract_jpeg_shape": "tfpy._src.library.io.image_parts",
    "match_filenames_once": "tfpy._src.library.io.matching",
    "matching_files": "tfpy._src.library.io.matching",
    "FixedLenFeature": "tfpy._src.library.protos.features",
    "FixedLenSequenceFeature": "tfpy._src.library.protos.features",
    "RaggedFeature": "tfpy._src.library.protos.features",
    "SparseFeature": "tfpy._src.library.protos.features",
    "VarLenFeature": "tfpy._src.library.protos.features",
    "decode_json_example": "tfpy._src.library.protos.json_examples",
    "parse_example": "tfpy._src.library.protos.parsing",
    "parse_single_example": "tfpy._src.library.protos.parsing",
    "parse_sequence_example": "tfpy._src.library.protos.sequence_parsing",
    "parse_single_sequence_example": "tfpy._src.library.protos.sequence_parsing",
    "deserialize_many_sparse": "tfpy._src.library.protos.sparse_protos",
    "serialize_many_sparse": "tfpy._src.library.protos.sparse_protos",
    "serialize_sparse": "tfpy._src.library.protos.sparse_protos",
    "parse_tensor": "tfpy._src.library.protos.tensor_protos",
    "serialize_tensor": "tfpy._src.library.protos.tensor_protos",
}
