"""`tf.compat.v1`: functions and classes of TensorFlow 1."""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.

from tfpy._src.core.dimension import Dimension as Dimension
from tfpy._src.core.tensor_shape import TensorShape as TensorShape
from tfpy._src.functions.control.mapping import (
    foldl as foldl,
    foldr as foldr,
    map_fn as map_fn,
    scan as scan,
)
from tfpy._src.library.compat.control import cond as cond, while_loop as while_loop
from tfpy._src.library.compat.examples import (
    decode_csv as decode_csv,
    decode_raw as decode_raw,
    parse_example as parse_example,
    parse_single_example as parse_single_example,
    serialize_many_sparse as serialize_many_sparse,
    serialize_sparse as serialize_sparse,
)
from tfpy._src.library.compat.functions import (
    assign as assign,
    assign_add as assign_add,
    assign_sub as assign_sub,
    boolean_mask as boolean_mask,
    gather as gather,
    gather_nd as gather_nd,
    pad as pad,
    sparse_concat as sparse_concat,
    where as where,
)
from tfpy._src.library.compat.initializers import (
    random_normal_initializer as random_normal_initializer,
    random_uniform_initializer as random_uniform_initializer,
)
from tfpy._src.library.io.decoding import decode_compressed as decode_compressed
from tfpy._src.library.io.files import (
    decode_base64 as decode_base64,
    encode_base64 as encode_base64,
    read_file as read_file,
    write_file as write_file,
)
from tfpy._src.library.protos.features import (
    FixedLenFeature as FixedLenFeature,
    FixedLenSequenceFeature as FixedLenSequenceFeature,
    SparseFeature as SparseFeature,
    VarLenFeature as VarLenFeature,
)
from tfpy._src.library.protos.sequence_parsing import (
    parse_single_sequence_example as parse_single_sequence_example,
)
from tfpy._src.library.protos.sparse_protos import (
    deserialize_many_sparse as deserialize_many_sparse,
)
from tfpy._src.library.protos.tensor_protos import (
    make_ndarray as make_ndarray,
    make_tensor_proto as make_tensor_proto,
    parse_tensor as parse_tensor,
)
from tfpy._src.tensors.autodiff.graph_gradients import gradients as gradients
from tfpy.compat.v1 import (
    io as io,
    losses as losses,
    math as math,
    nn as nn,
    python_io as python_io,
    train as train,
)
