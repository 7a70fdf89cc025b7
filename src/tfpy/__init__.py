"""TensorFlow-style machine learning in Python that runs in the browser.

`import tfpy as tf` provides TensorFlow's functions for tensors and automatic differentiation. They
compute with WebGPU, WebGL, WebAssembly or NumPy, and outside of browsers also with JAX.
"""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.

import typing as _typing

from tfpy import (
    audio as audio,
    autodiff as autodiff,
    autograph as autograph,
    bitwise as bitwise,
    browser as browser,
    compat as compat,
    config as config,
    data as data,
    debugging as debugging,
    distribute as distribute,
    dtypes as dtypes,
    errors as errors,
    experimental as experimental,
    fused as fused,
    image as image,
    io as io,
    linalg as linalg,
    lite as lite,
    lookup as lookup,
    losses as losses,
    math as math,
    nest as nest,
    nn as nn,
    quantization as quantization,
    ragged as ragged,
    random as random,
    sets as sets,
    signal as signal,
    sparse as sparse,
    spectral as spectral,
    strings as strings,
    sysconfig as sysconfig,
    tpu as tpu,
    types as types,
    typing as typing,
    version as version,
)
from tfpy._src.backends.custom_kernels import (
    copy_registered_kernels as copy_registered_kernels,
    get_gradient as get_gradient,
    get_kernel as get_kernel,
    get_kernels_for_backend as get_kernels_for_backend,
    register_gradient as register_gradient,
    register_kernel as register_kernel,
    unregister_gradient as unregister_gradient,
    unregister_kernel as unregister_kernel,
)
from tfpy._src.backends.event_loop import next_frame as next_frame
from tfpy._src.backends.kernel_backend import KernelBackend as KernelBackend
from tfpy._src.backends.registry import (
    backend as backend,
    find_backend as find_backend,
    find_backend_factory as find_backend_factory,
    get_backend as get_backend,
    ready as ready,
    register_backend as register_backend,
    remove_backend as remove_backend,
)
from tfpy._src.backends.timing import time as time, time_async as time_async
from tfpy._src.backends.wasm_files import (
    set_wasm_path as set_wasm_path,
    set_wasm_paths as set_wasm_paths,
)
from tfpy._src.base.dtypes import (
    DType as DType,
    as_dtype as as_dtype,
    bfloat16 as bfloat16,
    bool as bool,
    complex64 as complex64,
    complex128 as complex128,
    double as double,
    float16 as float16,
    float32 as float32,
    float64 as float64,
    half as half,
    int8 as int8,
    int16 as int16,
    int32 as int32,
    int64 as int64,
    qint8 as qint8,
    qint16 as qint16,
    qint32 as qint32,
    quint8 as quint8,
    quint16 as quint16,
    resource as resource,
    string as string,
    uint8 as uint8,
    uint16 as uint16,
    uint32 as uint32,
    uint64 as uint64,
    variant as variant,
)
from tfpy._src.base.flags.environment import env as env
from tfpy._src.base.missing_names import explain as _explain
from tfpy._src.base.tracing import (
    executing_eagerly as executing_eagerly,
    init_scope as init_scope,
    inside_function as inside_function,
)
from tfpy._src.base.version import __version__ as __version__
from tfpy._src.core.conversion import (
    constant as constant,
    convert_to_tensor as convert_to_tensor,
    get_static_value as get_static_value,
    is_tensor as is_tensor,
)
from tfpy._src.core.conversion_functions import (
    register_tensor_conversion_function as register_tensor_conversion_function,
)
from tfpy._src.core.indexed_slices import IndexedSlices as IndexedSlices
from tfpy._src.core.lifetimes import (
    dispose as dispose,
    keep as keep,
    memory as memory,
    tidy as tidy,
)
from tfpy._src.core.name_scope import (
    get_current_name_scope as get_current_name_scope,
    name_scope as name_scope,
)
from tfpy._src.core.primitives import (
    abs as abs,
    acos as acos,
    acosh as acosh,
    add as add,
    as_string as as_string,
    asin as asin,
    asinh as asinh,
    atan as atan,
    atan2 as atan2,
    atanh as atanh,
    cos as cos,
    cosh as cosh,
    equal as equal,
    exp as exp,
    floor as floor,
    floor_div as floor_div,
    greater as greater,
    greater_equal as greater_equal,
    less as less,
    less_equal as less_equal,
    logical_and as logical_and,
    logical_not as logical_not,
    logical_or as logical_or,
    maximum as maximum,
    minimum as minimum,
    multiply as multiply,
    negative as negative,
    not_equal as not_equal,
    pow as pow,
    realdiv as realdiv,
    round as round,
    sigmoid as sigmoid,
    sin as sin,
    sinh as sinh,
    sqrt as sqrt,
    square as square,
    squared_difference as squared_difference,
    subtract as subtract,
    tan as tan,
    tanh as tanh,
    truncatediv as truncatediv,
    truncatemod as truncatemod,
)
from tfpy._src.core.tape import stop_gradient as stop_gradient
from tfpy._src.core.tensor import Tensor as Tensor
from tfpy._src.core.tensor_shape import TensorShape as TensorShape
from tfpy._src.core.timestamp import timestamp as timestamp
from tfpy._src.core.type_spec import TypeSpec as TypeSpec
from tfpy._src.data.specs import OptionalSpec as OptionalSpec
from tfpy._src.display.tracebacks import hide_frames as _hide_frames
from tfpy._src.distribute.device_spec import DeviceSpec as DeviceSpec
from tfpy._src.distribute.placing import device as device
from tfpy._src.functions.control.assertion import Assert as Assert
from tfpy._src.functions.control.control_flow import (
    case as case,
    cond as cond,
    switch_case as switch_case,
    while_loop as while_loop,
)
from tfpy._src.functions.control.effects import (
    numpy_function as numpy_function,
    py_function as py_function,
)
from tfpy._src.functions.control.mapping import (
    foldl as foldl,
    foldr as foldr,
    map_fn as map_fn,
    scan as scan,
)
from tfpy._src.functions.control.ordering import (
    control_dependencies as control_dependencies,
    group as group,
    no_op as no_op,
    tuple as tuple,
)
from tfpy._src.functions.control.tensor_array import TensorArray as TensorArray
from tfpy._src.functions.control.vectorized import vectorized_map as vectorized_map
from tfpy._src.functions.tf_function.api import (
    compile_model as compile_model,
    compile_model_async as compile_model_async,
    function as function,
)
from tfpy._src.functions.tf_function.signature import TensorSpec as TensorSpec
from tfpy._src.functions.tf_function.type_specs import type_spec_from_value as type_spec_from_value
from tfpy._src.functions.tf_function.value_specs import (
    IndexedSlicesSpec as IndexedSlicesSpec,
    NoneTensorSpec as NoneTensorSpec,
    TensorArraySpec as TensorArraySpec,
)
from tfpy._src.functions.trace.symbolic import is_symbolic_tensor as is_symbolic_tensor
from tfpy._src.keras_support.keras import LAZY as _LAZY
from tfpy._src.keras_support.on_import import install as _install_keras
from tfpy._src.keras_support.tensorflow_alias.finder import as_tensorflow as as_tensorflow
from tfpy._src.library.config.backend_choice import (
    backend_report as backend_report,
    set_backend as set_backend,
    set_backend_async as set_backend_async,
)
from tfpy._src.library.config.threads import (
    get_threads_count as get_threads_count,
    set_threads_count as set_threads_count,
)
from tfpy._src.library.debugging.assertions import (
    assert_equal as assert_equal,
    assert_greater as assert_greater,
    assert_less as assert_less,
)
from tfpy._src.library.debugging.float16 import (
    Float16Check as Float16Check,
    check_float16 as check_float16,
)
from tfpy._src.library.debugging.logs import get_logger as get_logger
from tfpy._src.library.debugging.modes import (
    enable_debug_mode as enable_debug_mode,
    enable_prod_mode as enable_prod_mode,
)
from tfpy._src.library.debugging.shapes import assert_rank as assert_rank
from tfpy._src.library.sparse.conversion import sparse_to_dense as sparse_to_dense
from tfpy._src.library.strings.formatting import print as print
from tfpy._src.library.tfjs.cells import (
    basic_lstm_cell as basic_lstm_cell,
    multi_rnn_cell as multi_rnn_cell,
)
from tfpy._src.library.tfjs.creation import (
    scalar as scalar,
    tensor as tensor,
    tensor1d as tensor1d,
    tensor2d as tensor2d,
    tensor3d as tensor3d,
    tensor4d as tensor4d,
    tensor5d as tensor5d,
    tensor6d as tensor6d,
)
from tfpy._src.library.tfjs.functions import (
    dot as dot,
    euclidean_norm as euclidean_norm,
    moving_average as moving_average,
    outer_product as outer_product,
    prelu as prelu,
    random_standard_normal as random_standard_normal,
    random_uniform_int as random_uniform_int,
    step as step,
)
from tfpy._src.tensors.array.blocks import (
    batch_to_space as batch_to_space,
    batch_to_space_nd as batch_to_space_nd,
    required_space_to_batch_paddings as required_space_to_batch_paddings,
    space_to_batch as space_to_batch,
    space_to_batch_nd as space_to_batch_nd,
)
from tfpy._src.tensors.array.broadcasting import (
    broadcast_dynamic_shape as broadcast_dynamic_shape,
    broadcast_static_shape as broadcast_static_shape,
)
from tfpy._src.tensors.array.buffer import TensorBuffer as TensorBuffer, buffer as buffer
from tfpy._src.tensors.array.casting import bitcast as bitcast, saturate_cast as saturate_cast
from tfpy._src.tensors.array.complex_numbers import complex as complex
from tfpy._src.tensors.array.einsum import einsum as einsum
from tfpy._src.tensors.array.indexing import strided_slice as strided_slice
from tfpy._src.tensors.array.joining import (
    concat as concat,
    pad as pad,
    repeat as repeat,
    split as split,
    stack as stack,
    tile as tile,
    unstack as unstack,
)
from tfpy._src.tensors.array.making import (
    cast as cast,
    eye as eye,
    fill as fill,
    ones as ones,
    ones_like as ones_like,
    zeros as zeros,
    zeros_like as zeros_like,
)
from tfpy._src.tensors.array.masks import sequence_mask as sequence_mask
from tfpy._src.tensors.array.partitioning import (
    dynamic_partition as dynamic_partition,
    dynamic_stitch as dynamic_stitch,
    unravel_index as unravel_index,
)
from tfpy._src.tensors.array.ranges import linspace as linspace, range as range
from tfpy._src.tensors.array.reordering import (
    reverse as reverse,
    reverse_sequence as reverse_sequence,
    roll as roll,
)
from tfpy._src.tensors.array.reshaping import (
    broadcast_to as broadcast_to,
    ensure_shape as ensure_shape,
    expand_dims as expand_dims,
    guarantee_const as guarantee_const,
    identity as identity,
    identity_n as identity_n,
    rank as rank,
    reshape as reshape,
    shape as shape,
    shape_n as shape_n,
    size as size,
    squeeze as squeeze,
    transpose as transpose,
)
from tfpy._src.tensors.array.scans import cumsum as cumsum
from tfpy._src.tensors.array.scattering import (
    gather_nd as gather_nd,
    scatter_nd as scatter_nd,
    tensor_scatter_nd_add as tensor_scatter_nd_add,
    tensor_scatter_nd_max as tensor_scatter_nd_max,
    tensor_scatter_nd_min as tensor_scatter_nd_min,
    tensor_scatter_nd_sub as tensor_scatter_nd_sub,
    tensor_scatter_nd_update as tensor_scatter_nd_update,
)
from tfpy._src.tensors.array.sets import (
    setdiff1d as setdiff1d,
    unique as unique,
    unique_with_counts as unique_with_counts,
)
from tfpy._src.tensors.array.slicing import (
    boolean_mask as boolean_mask,
    gather as gather,
    meshgrid as meshgrid,
    newaxis as newaxis,
    one_hot as one_hot,
    slice as slice,
    where as where,
)
from tfpy._src.tensors.array.sorting import (
    argsort as argsort,
    lower_bound as lower_bound,
    searchsorted as searchsorted,
    sort as sort,
    upper_bound as upper_bound,
)
from tfpy._src.tensors.autodiff.custom import (
    custom_grad as custom_grad,
    custom_gradient as custom_gradient,
    grad_pass_through as grad_pass_through,
    recompute_grad as recompute_grad,
)
from tfpy._src.tensors.autodiff.functional import (
    grad as grad,
    grads as grads,
    value_and_grad as value_and_grad,
    value_and_grads as value_and_grads,
    variable_grads as variable_grads,
)
from tfpy._src.tensors.autodiff.gradient_tape import GradientTape as GradientTape
from tfpy._src.tensors.autodiff.graph_gradients import (
    AggregationMethod as AggregationMethod,
    gradients as gradients,
    hessians as hessians,
)
from tfpy._src.tensors.autodiff.unconnected import UnconnectedGradients as UnconnectedGradients
from tfpy._src.tensors.composite.ragged.tensor import RaggedTensor as RaggedTensor
from tfpy._src.tensors.composite.sparse_tensor import SparseTensor as SparseTensor
from tfpy._src.tensors.composite.specs import (
    RaggedTensorSpec as RaggedTensorSpec,
    SparseTensorSpec as SparseTensorSpec,
)
from tfpy._src.tensors.linalg.decompositions import eig as eig, eigvals as eigvals
from tfpy._src.tensors.linalg.matrix_functions import matrix_square_root as matrix_square_root
from tfpy._src.tensors.linalg.norms import (
    clip_by_average_norm as clip_by_average_norm,
    clip_by_global_norm as clip_by_global_norm,
    clip_by_norm as clip_by_norm,
    norm as norm,
)
from tfpy._src.tensors.linalg.products import matmul as matmul, tensordot as tensordot
from tfpy._src.tensors.math.arithmetic import (
    add_n as add_n,
    clip_by_value as clip_by_value,
    divide as divide,
    scalar_mul as scalar_mul,
    sign as sign,
    truediv as truediv,
)
from tfpy._src.tensors.math.counting import (
    histogram_fixed_width as histogram_fixed_width,
    histogram_fixed_width_bins as histogram_fixed_width_bins,
)
from tfpy._src.tensors.math.ordering import argmax as argmax, argmin as argmin
from tfpy._src.tensors.math.reductions import (
    reduce_all as reduce_all,
    reduce_any as reduce_any,
    reduce_logsumexp as reduce_logsumexp,
    reduce_max as reduce_max,
    reduce_mean as reduce_mean,
    reduce_min as reduce_min,
    reduce_prod as reduce_prod,
    reduce_sum as reduce_sum,
)
from tfpy._src.tensors.ragged.components import (
    ragged_gather as ragged_gather,
    ragged_range as ragged_range,
    ragged_tensor_to_tensor as ragged_tensor_to_tensor,
)
from tfpy._src.tensors.random.index_shuffle import random_index_shuffle as random_index_shuffle
from tfpy._src.tensors.random.stateful import multinomial as multinomial, rand as rand
from tfpy._src.tensors.variables.creators import variable_creator_scope as variable_creator_scope
from tfpy._src.tensors.variables.distribution import (
    VariableAggregation as VariableAggregation,
    VariableSynchronization as VariableSynchronization,
)
from tfpy._src.tensors.variables.module import Module as Module
from tfpy._src.tensors.variables.variable import Variable as Variable

if _typing.TYPE_CHECKING:
    from tfpy import (
        feature_column as feature_column,
        graph_util as graph_util,
        hub as hub,
        models as models,
        notebook as notebook,
        profiler as profiler,
        queue as queue,
        raw_ops as raw_ops,
        saved_model as saved_model,
        summary as summary,
        test as test,
        train as train,
        xla as xla,
    )
    from tfpy._src.formats.exported.api import export as export
    from tfpy._src.formats.graph_model import GraphModel as GraphModel
    from tfpy._src.formats.node_graphs.custom import (
        deregister_op as deregister_op,
        register_op as register_op,
    )
    from tfpy._src.formats.onnx.save import save_onnx as save_onnx
    from tfpy._src.formats.tensorflow.importing import import_graph_def as import_graph_def
    from tfpy._src.formats.tfjs.graph_model_reader import (
        load_graph_model as load_graph_model,
        load_graph_model_async as load_graph_model_async,
    )
    from tfpy._src.formats.tfjs.graph_model_writer import save_graph_model as save_graph_model
    from tfpy._src.formats.tfjs.layers.layers_model import (
        load_layers_model as load_layers_model,
        load_layers_model_async as load_layers_model_async,
        save_layers_model as save_layers_model,
    )
    from tfpy._src.functions.control.critical_section import CriticalSection as CriticalSection
    from tfpy._src.functions.graph_mode.graph import Graph as Graph
    from tfpy._src.functions.graph_mode.operation import Operation as Operation
    from tfpy._src.functions.graph_mode.overriding import (
        RegisterGradient as RegisterGradient,
        no_gradient as no_gradient,
    )
    from tfpy._src.library.compat.stacking import parallel_stack as parallel_stack
    from tfpy._src.library.config.device_info import device_info as device_info
    from tfpy._src.library.networks.patches import (
        conv as conv,
        extract_volume_patches as extract_volume_patches,
    )
    from tfpy._src.library.networks.ranking import approx_top_k as approx_top_k
    from tfpy._src.library.profiler.info import profile as profile, profile_async as profile_async
    from tfpy._src.library.protos.tensor_protos import (
        make_ndarray as make_ndarray,
        make_tensor_proto as make_tensor_proto,
    )
    from tfpy._src.library.sparse.ragged_crossing import (
        ragged_fill_empty_rows as ragged_fill_empty_rows,
        ragged_fill_empty_rows_grad as ragged_fill_empty_rows_grad,
    )
    from tfpy._src.library.strings.edit_distance import edit_distance as edit_distance
    from tfpy._src.library.strings.fingerprints import fingerprint as fingerprint
    from tfpy._src.tensors.random.initializers import (
        constant_initializer as constant_initializer,
        ones_initializer as ones_initializer,
        random_normal_initializer as random_normal_initializer,
        random_uniform_initializer as random_uniform_initializer,
        zeros_initializer as zeros_initializer,
    )

_LATER = {
    "parallel_stack": "tfpy._src.library.compat.stacking",
    "export": "tfpy._src.formats.exported.api",
    "deregister_op": "tfpy._src.formats.node_graphs.custom",
    "register_op": "tfpy._src.formats.node_graphs.custom",
    "load_graph_model": "tfpy._src.formats.tfjs.graph_model_reader",
    "load_graph_model_async": "tfpy._src.formats.tfjs.graph_model_reader",
    "GraphModel": "tfpy._src.formats.graph_model",
    "import_graph_def": "tfpy._src.formats.tensorflow.importing",
    "load_layers_model": "tfpy._src.formats.tfjs.layers.layers_model",
    "load_layers_model_async": "tfpy._src.formats.tfjs.layers.layers_model",
    "save_layers_model": "tfpy._src.formats.tfjs.layers.layers_model",
    "profile": "tfpy._src.library.profiler.info",
    "profile_async": "tfpy._src.library.profiler.info",
    "device_info": "tfpy._src.library.config.device_info",
    "save_graph_model": "tfpy._src.formats.tfjs.graph_model_writer",
    "save_onnx": "tfpy._src.formats.onnx.save",
    "make_ndarray": "tfpy._src.library.protos.tensor_protos",
    "make_tensor_proto": "tfpy._src.library.protos.tensor_protos",
    "edit_distance": "tfpy._src.library.strings.edit_distance",
    "fingerprint": "tfpy._src.library.strings.fingerprints",
    "constant_initializer": "tfpy._src.tensors.random.initializers",
    "ones_initializer": "tfpy._src.tensors.random.initializers",
    "random_normal_initializer": "tfpy._src.tensors.random.initializers",
    "random_uniform_initializer": "tfpy._src.tensors.random.initializers",
    "zeros_initializer": "tfpy._src.tensors.random.initializers",
    "CriticalSection": "tfpy._src.functions.control.critical_section",
    "Graph": "tfpy._src.functions.graph_mode.graph",
    "Operation": "tfpy._src.functions.graph_mode.operation",
    "RegisterGradient": "tfpy._src.functions.graph_mode.overriding",
    "no_gradient": "tfpy._src.functions.graph_mode.overriding",
    "approx_top_k": "tfpy._src.library.networks.ranking",
    "conv": "tfpy._src.library.networks.patches",
    "extract_volume_patches": "tfpy._src.library.networks.patches",
    "ragged_fill_empty_rows": "tfpy._src.library.sparse.ragged_crossing",
    "ragged_fill_empty_rows_grad": "tfpy._src.library.sparse.ragged_crossing",
    "graph_util": "tfpy.graph_util",
    "feature_column": "tfpy.feature_column",
    "hub": "tfpy.hub",
    "models": "tfpy.models",
    "notebook": "tfpy.notebook",
    "profiler": "tfpy.profiler",
    "queue": "tfpy.queue",
    "train": "tfpy.train",
    "raw_ops": "tfpy.raw_ops",
    "saved_model": "tfpy.saved_model",
    "summary": "tfpy.summary",
    "test": "tfpy.test",
    "xla": "tfpy.xla",
}

if _typing.TYPE_CHECKING:
    from keras._tf_keras import keras as keras
    from keras._tf_keras.keras import (
        initializers as initializers,
        metrics as metrics,
        optimizers as optimizers,
    )
_explain(__name__, _LAZY)
_hide_frames()
_install_keras()
