"""Functions of `tf` that create tensors and convert their dtype."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfpy._src.base import dtypes, tracing
from tfpy._src.base.dtypes import as_dtype
from tfpy._src.base.errors import UnimplementedError, invalid
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.compiler.ops import casting, indexing, logic, movement
from tfpy._src.compiler.ops.families import infer
from tfpy._src.core.conversion import constant, convert_to_tensor, is_operand
from tfpy._src.core.dispatch import dispatchable, per_value
from tfpy._src.core.scalar_cache import filled, filled_like, scalar
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import DTypeLike, IntLike, ShapeLike, TensorLike
from tfpy._src.tensors.array.reshaping import broadcast_to, reshape
from tfpy._src.tensors.array.static import static_int, static_ints


@dispatchable
def fill(dims: ShapeLike, value: TensorLike, name: str | None = None) -> Tensor:
    """Create a tensor filled with a scalar value.

    Args:
        dims: Shape of the result.
        value: Scalar of any dtype.

    Returns:
        Tensor of shape `dims`, with the dtype of `value`.

    Raises:
        tf.errors.InvalidArgumentError: If `value` is not a scalar.

    Example:
        >>> import tfpy as tf
        >>> tf.fill([2, 2], 7).numpy().tolist()
        [[7, 7], [7, 7]]

    See also: `tf.zeros`, `tf.ones`, `tf.broadcast_to`.
    """
    x = convert_to_tensor(value)
    if x.aval.shape != ():
        raise invalid("fill", f"value must be a scalar, got shape {x.shape}")
    return broadcast_to(x, dims)


def _filled(value: int, shape: Any, dtype: Any) -> Tensor:
    """Return a tensor that is filled with 0 or 1 (False or True, or empty strings)."""
    kind = as_dtype(dtype)
    sizes = static_ints(shape)
    number = bool(value) if kind.is_bool else value
    if kind in dtypes.DEVICE_DTYPES:
        return filled(number, Aval(sizes, kind))
    if kind == dtypes.string:
        if value:
            raise TypeError(f"Cannot convert {value} to EagerTensor of dtype string")
        return constant(np.full(sizes, b"", object))
    return constant(np.full(sizes, number, kind.as_numpy_dtype))


@dispatchable
def zeros(shape: ShapeLike, dtype: DTypeLike = dtypes.float32, name: str | None = None) -> Tensor:
    """Create a tensor of zeros.

    The elements are False if `dtype` is bool, and empty strings if it is string.

    Args:
        shape: Shape of the result.
        dtype: Dtype of the result. Default: float32. Unless the environment variable
            `TFPY_ENABLE_X64` is set, `tf.int64` and `tf.float64` are aliases of `tf.int32` and
            `tf.float32`.

    Returns:
        Tensor of the given shape and dtype.

    Example:
        >>> import tfpy as tf
        >>> tf.zeros([2, 3]).numpy().tolist()
        [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]

    See also: `tf.zeros_like`, `tf.ones`, `tf.fill`.
    """
    return _filled(0, shape, dtype)


@dispatchable
def ones(shape: ShapeLike, dtype: DTypeLike = dtypes.float32, name: str | None = None) -> Tensor:
    """Create a tensor of ones.

    The elements are True if `dtype` is bool.

    Args:
        shape: Shape of the result.
        dtype: Dtype of the result. Default: float32. Unless the environment variable
            `TFPY_ENABLE_X64` is set, `tf.int64` and `tf.float64` are aliases of `tf.int32` and
            `tf.float32`.

    Returns:
        Tensor of the given shape and dtype.

    Raises:
        TypeError: If `dtype` is string.

    Example:
        >>> import tfpy as tf
        >>> tf.ones([3], tf.int32).numpy().tolist()
        [1, 1, 1]

    See also: `tf.ones_like`, `tf.zeros`, `tf.fill`.
    """
    return _filled(1, shape, dtype)


@per_value
def zeros_like(
    input: TensorLike, dtype: DTypeLike | None = None, name: str | None = None
) -> Tensor:
    """Create a tensor of zeros with the shape of a given tensor.

    Args:
        input: Tensor of any dtype.
        dtype: Dtype of the result. Default: the dtype of `input`.

    Returns:
        Tensor of zeros with the shape of `input` and the dtype `dtype`.

    Example:
        >>> import tfpy as tf
        >>> tf.zeros_like([1, 2]).numpy().tolist()
        [0, 0]

    See also: `tf.zeros`, `tf.ones_like`.
    """
    return _filled_like(0, convert_to_tensor(input), dtype)


@per_value
def ones_like(input: TensorLike, dtype: DTypeLike | None = None, name: str | None = None) -> Tensor:
    """Create a tensor of ones with the shape of a given tensor.

    Args:
        input: Tensor, numeric or boolean unless `dtype` is passed.
        dtype: Dtype of the result. Default: the dtype of `input`.

    Returns:
        Tensor of ones with the shape of `input` and the dtype `dtype`.

    Raises:
        tf.errors.InvalidArgumentError: If `input` is a string tensor and `dtype` is None.

    Example:
        >>> import tfpy as tf
        >>> tf.ones_like([1.5, 2.5]).numpy().tolist()
        [1.0, 1.0]

    See also: `tf.ones`, `tf.zeros_like`.
    """
    tensor = convert_to_tensor(input)
    if dtype is None:
        infer.check_dtype("ones_like", tensor.aval, infer.ANY - {dtypes.string}, "input")
    return _filled_like(1, tensor, dtype)


def _filled_like(value: int, tensor: Tensor, dtype: Any) -> Tensor:
    """Return a filled tensor with the shape of another tensor.

    For a traced tensor the result is an equation, which passes may remove.
    """
    kind = as_dtype(dtype or tensor.dtype)
    if kind not in dtypes.DEVICE_DTYPES:
        return _filled(value, tensor.aval.shape, kind)
    chosen = bool(value) if kind.is_bool else value
    if tensor.has_values:
        return filled_like(chosen, Aval(tensor.aval.shape, kind), tensor)
    number = scalar(chosen, kind)
    shape = {"shape": tensor.aval.shape}
    found: Tensor = tracing.local.active[-1].apply(movement.broadcast_to, [number], shape)
    return found


def eye(
    num_rows: IntLike,
    num_columns: IntLike | None = None,
    batch_shape: ShapeLike | None = None,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
) -> Tensor:
    """Create an identity matrix or a batch of identity matrices.

    Args:
        num_rows: Number of rows.
        num_columns: Number of columns. Default: the number of rows.
        batch_shape: Leading dimensions of the result. Default: a single matrix.
        dtype: Dtype of the result. Default: float32. Unless the environment variable
            `TFPY_ENABLE_X64` is set, `tf.int64` and `tf.float64` are aliases of `tf.int32` and
            `tf.float32`.

    Returns:
        Tensor of shape `[*batch_shape, num_rows, num_columns]`.

    Raises:
        tf.errors.InvalidArgumentError: If the number of rows or columns is negative.

    Example:
        >>> import tfpy as tf
        >>> tf.eye(2).numpy().tolist()
        [[1.0, 0.0], [0.0, 1.0]]

    See also: `tf.linalg.diag`, `tf.zeros`.
    """
    rows = static_int(num_rows)
    columns = rows if num_columns is None else static_int(num_columns)
    if min(rows, columns) < 0:
        raise invalid("eye", f"sizes must be at least 0, got [{rows}, {columns}]")
    rows_i = indexing.range_(start=0, delta=1, count=rows, dtype=dtypes.int32)
    columns_i = indexing.range_(start=0, delta=1, count=columns, dtype=dtypes.int32)
    hit = logic.equal(reshape(rows_i, [rows, 1]), columns_i)
    matrix = cast(hit, dtype)
    lead = () if batch_shape is None else static_ints(batch_shape)
    return broadcast_to(matrix, (*lead, rows, columns)) if lead else matrix


_TO_STRINGS = "Use tf.strings.as_string."
_FROM_STRINGS = (
    "Use tf.strings.to_number if the strings are numbers, or the layer keras.layers.StringLookup "
    "if they are categories."
)


@per_value
def cast(x: TensorLike, dtype: DTypeLike, name: str | None = None) -> Tensor:
    """Cast a tensor to a different dtype.

    A cast from float to integer truncates toward zero. A cast from complex to a real dtype or to
    bool discards the imaginary parts.

    Args:
        x: Numeric or boolean tensor.
        dtype: Dtype of the result. Unless the environment variable `TFPY_ENABLE_X64` is set,
            `tf.int64` and `tf.float64` are aliases of `tf.int32` and `tf.float32`.

    Returns:
        Tensor with the shape of `x` and the dtype `dtype`, or `x` itself if it has that dtype.

    Raises:
        tf.errors.UnimplementedError: If numbers or booleans are cast to string, or strings to a
            different dtype.

    Example:
        >>> import tfpy as tf
        >>> tf.cast([1.7, -1.7], tf.int32).numpy().tolist()
        [1, -1]

    See also: `tf.saturate_cast`, `tf.bitcast`, `tf.strings.to_number`, `tf.strings.as_string`.
    """
    kind, tensor = as_dtype(dtype), x if type(x) is Tensor else convert_to_tensor(x)
    if tensor.dtype != kind and dtypes.string in (tensor.dtype, kind):
        instead = _TO_STRINGS if kind == dtypes.string else _FROM_STRINGS
        raise UnimplementedError(
            None, "cast", f"Cast {tensor.dtype.name} to {kind.name} is not supported. {instead}"
        )
    if tensor.dtype == kind:
        return tensor
    if tensor.dtype.is_quantized:
        return cast(casting.bitcast(tensor, dtype=dtypes.unquantized(tensor.dtype)), kind)
    if kind.is_quantized:
        bits: Tensor = casting.bitcast(cast(tensor, dtypes.unquantized(kind)), dtype=kind)
        return bits
    return casting.cast(tensor, dtype=kind)


def as_floats(value: Any) -> Tensor:
    """Return an operand whose dtype is float32 unless it is a tensor of another dtype.

    Integers of Python and NumPy become float32, as in TensorFlow. Tensors keep their dtype.
    """
    x = convert_to_tensor(value)
    return cast(x, dtypes.float32) if x.dtype.is_integer and not is_operand(value) else x


def as_integers(value: Any) -> Tensor:
    """Return an integer operand, whose dtype is int32 unless it has an integer dtype.

    Empty sequences and empty arrays of floats become int32, as in TensorFlow.
    """
    x = convert_to_tensor(value)
    is_empty = not x.size and x.dtype.is_floating and not is_operand(value)
    return cast(x, dtypes.int32) if is_empty else x
