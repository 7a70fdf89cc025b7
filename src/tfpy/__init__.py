"""tfpy: TensorFlow-style machine learning in Python that runs in the browser.

``import tfpy as tf`` gives TensorFlow's names for tensors, ops and automatic differentiation, on
WebGL, WebAssembly or NumPy. See ``docs/architecture.md`` for how a call reaches the device.
"""

from tfpy import (
    autodiff,
    autograph,
    bitwise,
    browser,
    config,
    dtypes,
    errors,
    fused,
    image,
    linalg,
    losses,
    math,
    nn,
    public,
    ragged,
    random,
    signal,
    sparse,
    spectral,
    strings,
)
from tfpy.array.blocks import batch_to_space, batch_to_space_nd, space_to_batch, space_to_batch_nd
from tfpy.array.buffer import TensorBuffer, buffer
from tfpy.array.complex_numbers import complex
from tfpy.array.einsum import einsum
from tfpy.array.joining import (
    concat,
    pad,
    repeat,
    reverse,
    reverse_sequence,
    roll,
    split,
    stack,
    tile,
    unstack,
)
from tfpy.array.making import (
    broadcast_dynamic_shape,
    broadcast_static_shape,
    broadcast_to,
    cast,
    ensure_shape,
    expand_dims,
    eye,
    fill,
    identity,
    linspace,
    ones,
    ones_like,
    range,
    rank,
    reshape,
    shape,
    size,
    squeeze,
    transpose,
    zeros,
    zeros_like,
)
from tfpy.array.scans import cumsum
from tfpy.array.scattering import (
    dynamic_partition,
    dynamic_stitch,
    gather_nd,
    scatter_nd,
    tensor_scatter_nd_add,
    tensor_scatter_nd_max,
    tensor_scatter_nd_min,
    tensor_scatter_nd_sub,
    tensor_scatter_nd_update,
    unravel_index,
)
from tfpy.array.slicing import (
    boolean_mask,
    gather,
    meshgrid,
    newaxis,
    one_hot,
    slice,
    strided_slice,
    where,
)
from tfpy.array.sorting import (
    argsort,
    lower_bound,
    searchsorted,
    setdiff1d,
    sort,
    unique,
    unique_with_counts,
    upper_bound,
)
from tfpy.autodiff import (
    GradientTape,
    UnconnectedGradients,
    custom_grad,
    custom_gradient,
    grad,
    grad_pass_through,
    gradients,
    grads,
    hessians,
    recompute_grad,
    value_and_grad,
    value_and_grads,
    variable_grads,
)
from tfpy.composite.indexed_slices import IndexedSlices
from tfpy.composite.ragged_tensor import RaggedTensor
from tfpy.composite.sparse_tensor import SparseTensor
from tfpy.core import eager as _eager  # noqa: F401 - says what calling an op does
from tfpy.core import nest
from tfpy.core.conversion import constant, convert_to_tensor, is_tensor
from tfpy.core.lifetimes import dispose, keep, memory, tidy
from tfpy.core.name_scope import name_scope
from tfpy.core.tape import stop_gradient
from tfpy.core.tensor import Tensor
from tfpy.core.tensor_shape import TensorShape
from tfpy.debugging import Assert
from tfpy.dtypes import (
    DType,
    as_dtype,
    bool,
    complex64,
    complex128,
    double,
    float16,
    float32,
    float64,
    half,
    int8,
    int32,
    int64,
    string,
    uint8,
    uint32,
)
from tfpy.function import TensorSpec, compile_model, function
from tfpy.function.control_flow import case, cond, switch_case, while_loop
from tfpy.function.effects import numpy_function, py_function
from tfpy.function.loops import foldl, foldr, map_fn, scan, vectorized_map
from tfpy.function.tensor_array import TensorArray
from tfpy.linalg import eig, eigvals, matmul, norm, tensordot
from tfpy.linalg.vectors import clip_by_average_norm, clip_by_global_norm, clip_by_norm
from tfpy.math import (
    add_n,
    argmax,
    argmin,
    clip_by_value,
    divide,
    reduce_all,
    reduce_any,
    reduce_logsumexp,
    reduce_max,
    reduce_mean,
    reduce_min,
    reduce_prod,
    reduce_sum,
    sign,
    truediv,
)
from tfpy.math.counting import histogram_fixed_width, histogram_fixed_width_bins
from tfpy.public import dispatch, operators
from tfpy.ragged import ragged_gather, ragged_range, ragged_tensor_to_tensor
from tfpy.random.stateful import multinomial, rand
from tfpy.runtime.env import env
from tfpy.runtime.registry import (
    backend_report,
    get_backend,
    ready,
    register_backend,
    remove_backend,
    set_backend,
    set_backend_async,
)
from tfpy.sparse import sparse_to_dense
from tfpy.strings.formatting import print
from tfpy.tfjs import (
    basic_lstm_cell,
    dot,
    euclidean_norm,
    moving_average,
    multi_rnn_cell,
    outer_product,
    prelu,
    random_standard_normal,
    random_uniform_int,
    scalar,
    step,
    tensor,
    tensor1d,
    tensor2d,
    tensor3d,
    tensor4d,
    tensor5d,
    tensor6d,
)
from tfpy.tracing import executing_eagerly, init_scope, inside_function
from tfpy.variables.kinds import VariableAggregation, VariableSynchronization
from tfpy.variables.module import Module
from tfpy.variables.variable import Variable

__version__ = "0.1.0"

operators.install()

__all__ = [
    "Assert", "DType", "GradientTape", "IndexedSlices", "Module", "RaggedTensor", "SparseTensor",
    "Tensor", "TensorArray", "TensorBuffer", "TensorShape", "TensorSpec", "UnconnectedGradients",
    "Variable", "VariableAggregation", "VariableSynchronization", "add_n", "argmax", "argmin",
    "argsort", "as_dtype", "autodiff", "autograph", "backend_report", "basic_lstm_cell",
    "batch_to_space", "batch_to_space_nd", "bitwise", "bool", "boolean_mask",
    "broadcast_dynamic_shape", "broadcast_static_shape", "broadcast_to", "browser", "buffer",
    "case", "cast", "clip_by_average_norm", "clip_by_global_norm", "clip_by_norm", "clip_by_value",
    "compile_model", "complex", "complex64", "complex128", "concat", "cond", "config", "constant",
    "convert_to_tensor", "cumsum", "custom_grad", "custom_gradient", "debugging", "dispose",
    "divide", "dot", "double", "dtypes", "dynamic_partition", "dynamic_stitch", "eig", "eigvals",
    "einsum", "ensure_shape", "env", "errors", "euclidean_norm", "executing_eagerly", "expand_dims",
    "eye", "fill", "float16", "float32", "float64", "foldl", "foldr", "function", "fused", "gather",
    "gather_nd", "get_backend", "grad", "grad_pass_through", "gradients", "grads", "half",
    "hessians", "histogram_fixed_width", "histogram_fixed_width_bins", "identity", "image",
    "init_scope", "inside_function", "int8", "int32", "int64", "is_tensor", "keep", "linalg",
    "linspace", "losses", "lower_bound", "map_fn", "math", "matmul", "memory", "meshgrid",
    "moving_average", "multi_rnn_cell", "multinomial", "name_scope", "nest", "newaxis", "nn",
    "norm", "numpy_function", "one_hot", "ones", "ones_like", "outer_product", "pad", "prelu",
    "print", "py_function", "ragged", "ragged_gather", "ragged_range", "ragged_tensor_to_tensor",
    "rand", "random", "random_standard_normal", "random_uniform_int", "range", "rank", "ready",
    "recompute_grad", "reduce_all", "reduce_any", "reduce_logsumexp", "reduce_max", "reduce_mean",
    "reduce_min", "reduce_prod", "reduce_sum", "register_backend", "remove_backend", "repeat",
    "reshape", "reverse", "reverse_sequence", "roll", "scalar", "scan", "scatter_nd",
    "searchsorted", "set_backend", "set_backend_async", "setdiff1d", "shape", "sign", "signal",
    "size", "slice", "sort", "space_to_batch", "space_to_batch_nd", "sparse", "sparse_to_dense",
    "spectral", "split", "squeeze", "stack", "step", "stop_gradient", "strided_slice", "string",
    "strings", "switch_case", "tensor", "tensor1d", "tensor2d", "tensor3d", "tensor4d", "tensor5d",
    "tensor6d", "tensor_scatter_nd_add", "tensor_scatter_nd_max", "tensor_scatter_nd_min",
    "tensor_scatter_nd_sub", "tensor_scatter_nd_update", "tensordot", "tidy", "tile", "transpose",
    "truediv", "uint8", "uint32", "unique", "unique_with_counts", "unravel_index", "unstack",
    "upper_bound", "value_and_grad", "value_and_grads", "variable_grads", "vectorized_map", "where",
    "while_loop", "zeros", "zeros_like",
]  # fmt: skip
__all__ += public.install()  # the op table's

dispatch.install()
