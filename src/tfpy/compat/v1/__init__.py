"""`tf.compat.v1`: functions and classes of TensorFlow 1."""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.

import typing as _typing

from tfpy._src.base.missing_names import explain as _explain
from tfpy._src.core.dimension import Dimension as Dimension
from tfpy._src.core.tensor_shape import TensorShape as TensorShape
from tfpy._src.data.graph_file_readers import (
    FixedLengthRecordReader as FixedLengthRecordReader,
    IdentityReader as IdentityReader,
    TextLineReader as TextLineReader,
    TFRecordReader as TFRecordReader,
    WholeFileReader as WholeFileReader,
)
from tfpy._src.data.graph_readers import ReaderBase as ReaderBase
from tfpy._src.distribute.former_placing import device as device
from tfpy._src.functions.control.mapping import (
    foldl as foldl,
    foldr as foldr,
    map_fn as map_fn,
    scan as scan,
)
from tfpy._src.functions.graph_mode.collections import GraphKeys as GraphKeys
from tfpy._src.functions.graph_mode.defaults import (
    disable_eager_execution as disable_eager_execution,
    disable_v2_behavior as disable_v2_behavior,
    enable_eager_execution as enable_eager_execution,
    enable_v2_behavior as enable_v2_behavior,
    executing_eagerly_outside_functions as executing_eagerly_outside_functions,
    get_default_graph as get_default_graph,
    reset_default_graph as reset_default_graph,
)
from tfpy._src.functions.graph_mode.graph import Graph as Graph
from tfpy._src.functions.graph_mode.operation import Operation as Operation
from tfpy._src.functions.graph_mode.placeholders import (
    placeholder as placeholder,
    placeholder_with_default as placeholder_with_default,
    sparse_placeholder as sparse_placeholder,
)
from tfpy._src.functions.graph_mode.session import (
    InteractiveSession as InteractiveSession,
    Session as Session,
    get_default_session as get_default_session,
)
from tfpy._src.library.compat.casts import (
    batch_gather as batch_gather,
    dimension_value as dimension_value,
    div as div,
    to_bfloat16 as to_bfloat16,
    to_complex64 as to_complex64,
    to_complex128 as to_complex128,
    to_double as to_double,
    to_float as to_float,
    to_int32 as to_int32,
    to_int64 as to_int64,
)
from tfpy._src.library.compat.changed import (
    batch_to_space as batch_to_space,
    multinomial as multinomial,
    space_to_batch as space_to_batch,
    sparse_to_dense as sparse_to_dense,
    string_split as string_split,
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
from tfpy._src.library.compat.graphs.extras import (
    Print as Print,
    add_check_numerics_ops as add_check_numerics_ops,
    batch_scatter_update as batch_scatter_update,
    colocate_with as colocate_with,
    container as container,
    convert_to_tensor_or_indexed_slices as convert_to_tensor_or_indexed_slices,
    count_up_to as count_up_to,
    get_seed as get_seed,
    op_scope as op_scope,
    variable_op_scope as variable_op_scope,
)
from tfpy._src.library.compat.graphs.partitioned import (
    create_partitioned_variables as create_partitioned_variables,
)
from tfpy._src.library.compat.graphs.partitioners import (
    fixed_size_partitioner as fixed_size_partitioner,
    min_max_variable_partitioner as min_max_variable_partitioner,
    no_regularizer as no_regularizer,
    variable_axis_size_partitioner as variable_axis_size_partitioner,
)
from tfpy._src.library.compat.graphs.reports import (
    assert_variables_initialized as assert_variables_initialized,
    get_local_variable as get_local_variable,
    report_uninitialized_variables as report_uninitialized_variables,
)
from tfpy._src.library.compat.graphs.scoped_variables import get_variable as get_variable
from tfpy._src.library.compat.graphs.scopes import (
    AUTO_REUSE as AUTO_REUSE,
    VariableScope as VariableScope,
    get_variable_scope as get_variable_scope,
    name_scope as name_scope,
    variable_scope as variable_scope,
)
from tfpy._src.library.compat.graphs.templates import make_template as make_template
from tfpy._src.library.compat.graphs.variables import (
    Variable as Variable,
    add_to_collection as add_to_collection,
    add_to_collections as add_to_collections,
    all_variables as all_variables,
    executing_eagerly as executing_eagerly,
    get_collection as get_collection,
    get_collection_ref as get_collection_ref,
    global_variables as global_variables,
    global_variables_initializer as global_variables_initializer,
    initialize_all_tables as initialize_all_tables,
    initialize_all_variables as initialize_all_variables,
    initialize_local_variables as initialize_local_variables,
    initialize_variables as initialize_variables,
    is_variable_initialized as is_variable_initialized,
    local_variables as local_variables,
    local_variables_initializer as local_variables_initializer,
    model_variables as model_variables,
    moving_average_variables as moving_average_variables,
    set_random_seed as set_random_seed,
    tables_initializer as tables_initializer,
    trainable_variables as trainable_variables,
    variables_initializer as variables_initializer,
)
from tfpy._src.library.compat.graphs.wrapped_functions import wrap_function as wrap_function
from tfpy._src.library.compat.initializers import (
    constant_initializer as constant_initializer,
    ones_initializer as ones_initializer,
    random_normal_initializer as random_normal_initializer,
    random_uniform_initializer as random_uniform_initializer,
    truncated_normal_initializer as truncated_normal_initializer,
    zeros_initializer as zeros_initializer,
)
from tfpy._src.library.compat.matrix_initializers import (
    orthogonal_initializer as orthogonal_initializer,
)
from tfpy._src.library.compat.names import LAZY as _LAZY
from tfpy._src.library.compat.scaled_initializers import (
    glorot_normal_initializer as glorot_normal_initializer,
    glorot_uniform_initializer as glorot_uniform_initializer,
    uniform_unit_scaling_initializer as uniform_unit_scaling_initializer,
    variance_scaling_initializer as variance_scaling_initializer,
)
from tfpy._src.library.compat.scattering import (
    scatter_add as scatter_add,
    scatter_div as scatter_div,
    scatter_max as scatter_max,
    scatter_min as scatter_min,
    scatter_mul as scatter_mul,
    scatter_nd_add as scatter_nd_add,
    scatter_nd_sub as scatter_nd_sub,
    scatter_nd_update as scatter_nd_update,
    scatter_sub as scatter_sub,
    scatter_update as scatter_update,
)
from tfpy._src.library.compat.sparse_features import (
    sparse_merge as sparse_merge,
    sparse_reduce_max_sparse as sparse_reduce_max_sparse,
    sparse_reduce_sum_sparse as sparse_reduce_sum_sparse,
)
from tfpy._src.library.compat.switches import (
    control_flow_v2_enabled as control_flow_v2_enabled,
    disable_control_flow_v2 as disable_control_flow_v2,
    disable_resource_variables as disable_resource_variables,
    enable_control_flow_v2 as enable_control_flow_v2,
    enable_resource_variables as enable_resource_variables,
    enable_tensor_equality as enable_tensor_equality,
    enable_v2_tensorshape as enable_v2_tensorshape,
    resource_variables_enabled as resource_variables_enabled,
)
from tfpy._src.library.debugging.logs import get_logger as get_logger
from tfpy._src.library.io.decoding import decode_compressed as decode_compressed
from tfpy._src.library.io.files import (
    decode_base64 as decode_base64,
    encode_base64 as encode_base64,
    read_file as read_file,
    write_file as write_file,
)
from tfpy._src.library.protos.configuration import (
    ConfigProto as ConfigProto,
    GPUOptions as GPUOptions,
    GraphOptions as GraphOptions,
    OptimizerOptions as OptimizerOptions,
    RunMetadata as RunMetadata,
    RunOptions as RunOptions,
)
from tfpy._src.library.protos.features import (
    FixedLenFeature as FixedLenFeature,
    FixedLenSequenceFeature as FixedLenSequenceFeature,
    SparseFeature as SparseFeature,
    VarLenFeature as VarLenFeature,
)
from tfpy._src.library.protos.graphs import (
    AttrValue as AttrValue,
    GraphDef as GraphDef,
    NameAttrList as NameAttrList,
    NodeDef as NodeDef,
)
from tfpy._src.library.protos.meta_graphs import (
    MetaGraphDef as MetaGraphDef,
    TensorInfo as TensorInfo,
)
from tfpy._src.library.protos.sequence_parsing import (
    parse_single_sequence_example as parse_single_sequence_example,
)
from tfpy._src.library.protos.sparse_protos import (
    deserialize_many_sparse as deserialize_many_sparse,
)
from tfpy._src.library.protos.summaries import (
    Event as Event,
    HistogramProto as HistogramProto,
    LogMessage as LogMessage,
    SessionLog as SessionLog,
    Summary as Summary,
    SummaryMetadata as SummaryMetadata,
)
from tfpy._src.library.protos.tensor_protos import (
    make_ndarray as make_ndarray,
    make_tensor_proto as make_tensor_proto,
    parse_tensor as parse_tensor,
)
from tfpy._src.tensors.composite.host_values import SparseTensorValue as SparseTensorValue
from tfpy.compat.v1 import (
    app as app,
    compat as compat,
    data as data,
    debugging as debugging,
    dtypes as dtypes,
    errors as errors,
    gfile as gfile,
    graph_util as graph_util,
    image as image,
    initializers as initializers,
    io as io,
    linalg as linalg,
    logging as logging,
    losses as losses,
    manip as manip,
    math as math,
    mixed_precision as mixed_precision,
    nn as nn,
    python_io as python_io,
    ragged as ragged,
    random as random,
    saved_model as saved_model,
    sets as sets,
    sparse as sparse,
    spectral as spectral,
    strings as strings,
    summary as summary,
    train as train,
)

if _typing.TYPE_CHECKING:
    from tfpy.compat.v1 import (
        distributions as distributions,
        feature_column as feature_column,
        metrics as metrics,
        test as test,
    )

_LATER = {
    "distributions": "tfpy.compat.v1.distributions",
    "metrics": "tfpy.compat.v1.metrics",
    "feature_column": "tfpy.compat.v1.feature_column",
    "test": "tfpy.compat.v1.test",
}
_explain(__name__, _LAZY)
