"""Making and shaping tensors: functions under ``tf`` itself."""

from __future__ import annotations

import builtins
import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from tfpy._src import dtypes, tracing
from tfpy._src.core.conversion import (
    constant,
    convert_to_tensor,
    host_values,
    is_array_like,
    is_operand,
    is_tensor,
    offers_tensor,
)
from tfpy._src.core.dispatch import dispatchable, per_value
from tfpy._src.core.scalars import filled, scalar
from tfpy._src.core.sizes import Sizes, as_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.tensor_shape import TensorShape
from tfpy._src.dtypes import as_dtype
from tfpy._src.errors import UnimplementedError, invalid
from tfpy._src.ir.aval import Aval
from tfpy._src.ir.sizes import UnrankedSize, is_open, size_of
from tfpy._src.ops import casting, complex as complex_ops, indexing, logic, movement
from tfpy._src.ops.families import infer
from tfpy._src.ops.families.infer import broadcast_shapes, normalize_axis


def static_ints(value: Any) -> tuple[int, ...]:
    """A shape, axis list or the like as ints; tensors are read. Open sizes stay open."""
    if type(value) in (list, tuple) and all(type(n) is int for n in value):
        return tuple(value)  # nearly always
    if isinstance(value, int | np.integer):
        return (size_of(value),)
    if isinstance(value, Sizes):
        return value.sizes
    if is_operand(value) or is_array_like(value) or offers_tensor(value):
        value = host_values(value)
    if isinstance(value, np.ndarray):
        return tuple(size_of(v) for v in value.reshape(-1).tolist())
    if not isinstance(value, Iterable) or isinstance(value, str):
        return (size_of(value),)  # raises
    return tuple(_packed_size(v) for v in value)


def _packed_size(value: Any) -> int:
    """A size out of a sequence: TensorFlow casts tensors there, and refuses a tensor of floats."""
    if is_tensor(value) and value.dtype.is_floating:
        return int(static_number(value))
    return static_int(value)


def static_int(value: Any) -> int:
    """A size, axis or count as an int; a tensor is read. An open size stays open.

    Raises:
        TypeError: when it is none, or more than one number.
        NotTraceableError: for a tensor that is being traced.
    """
    if isinstance(value, Sizes):
        return value.sizes[0]
    return size_of(static_number(value))


def static_number(value: Any) -> Any:
    """A number; a tensor is read.

    Raises:
        TypeError: when it is more than one.
        NotTraceableError: for a tensor that is being traced.
    """
    if not is_operand(value) and not is_array_like(value) and not offers_tensor(value):
        return value
    found = host_values(value)
    if found.size != 1:
        raise TypeError(f"expected a single number, got {value!r}")
    return found.item()


def sized(values: np.ndarray[Any, Any], shape: tuple[int, ...]) -> Any:
    """Values that were made for sizes, as a tensor where a size is open: so is its shape then."""
    return movement.broadcast_to(values, shape=shape) if is_open(shape) else values


def fill(dims: Any, value: Any, name: str | None = None) -> Tensor:
    """A tensor of shape ``dims`` with one value everywhere.

    Raises:
        InvalidArgumentError: when ``value`` is not a scalar.

    Example:
        >>> import tfpy as tf
        >>> tf.fill([2, 2], 7).numpy().tolist()
        [[7, 7], [7, 7]]
    """
    x = convert_to_tensor(value)
    if x.aval.shape != ():
        raise invalid("fill", f"value must be a scalar, got shape {x.shape}")
    return broadcast_to(x, dims)


def _filled(value: int, shape: Any, dtype: Any) -> Tensor:
    kind = as_dtype(dtype)
    sizes = static_ints(shape)
    number = bool(value) if kind.is_bool else value
    if kind in dtypes.DEVICE_DTYPES:
        return filled(number, Aval(sizes, kind))
    if kind == dtypes.string:
        return constant(np.full(sizes, b"", object))
    return constant(np.full(sizes, number, kind.as_numpy_dtype))


def zeros(shape: Any, dtype: Any = dtypes.float32, name: str | None = None) -> Tensor:
    """A tensor of zeros (False, empty strings).

    Args:
        shape: sizes, or an int32 tensor of them.
        dtype: of the result; int64 and float64 have 32 bits without ``TFPY_ENABLE_X64``.

    Example:
        >>> import tfpy as tf
        >>> tf.zeros([2, 3]).numpy().tolist()
        [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
    """
    return _filled(0, shape, dtype)


def ones(shape: Any, dtype: Any = dtypes.float32, name: str | None = None) -> Tensor:
    """A tensor of ones (True).

    Args:
        shape: sizes, or an int32 tensor of them.
        dtype: of the result; int64 and float64 have 32 bits without ``TFPY_ENABLE_X64``.

    Example:
        >>> import tfpy as tf
        >>> tf.ones([3], tf.int32).numpy().tolist()
        [1, 1, 1]
    """
    return _filled(1, shape, dtype)


@per_value
def zeros_like(input: Any, dtype: Any = None, name: str | None = None) -> Tensor:
    """Zeros in the shape and, unless given, dtype of ``input``.

    Example:
        >>> import tfpy as tf
        >>> tf.zeros_like([1, 2]).numpy().tolist()
        [0, 0]
    """
    return _filled_like(0, convert_to_tensor(input), dtype)


@per_value
def ones_like(input: Any, dtype: Any = None, name: str | None = None) -> Tensor:
    """Ones in the shape and, unless given, dtype of ``input``.

    Example:
        >>> import tfpy as tf
        >>> tf.ones_like([1.5, 2.5]).numpy().tolist()
        [1.0, 1.0]
    """
    tensor = convert_to_tensor(input)
    infer.check_dtype("ones_like", tensor.aval, infer.ANY - {dtypes.string}, "input")
    return _filled_like(1, tensor, dtype)


def _filled_like(value: int, tensor: Tensor, dtype: Any) -> Tensor:
    """Like a tensor of a trace it is an equation, which passes may leave out."""
    kind = as_dtype(dtype or tensor.dtype)
    if tensor.has_values or kind not in dtypes.DEVICE_DTYPES:
        return _filled(value, tensor.aval.shape, kind)
    number = scalar(bool(value) if kind.is_bool else value, kind)
    shape = {"shape": tensor.aval.shape}
    found: Tensor = tracing.local.active[-1].apply(movement.broadcast_to, [number], shape)
    return found


def eye(
    num_rows: Any,
    num_columns: Any = None,
    batch_shape: Any = None,
    dtype: Any = dtypes.float32,
    name: str | None = None,
) -> Tensor:
    """The identity matrix, or a batch of them.

    Args:
        dtype: of the result; int64 and float64 have 32 bits without ``TFPY_ENABLE_X64``.

    Raises:
        InvalidArgumentError: for a negative size.

    Example:
        >>> import tfpy as tf
        >>> tf.eye(2).numpy().tolist()
        [[1.0, 0.0], [0.0, 1.0]]
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


# Shape


@dispatchable
def shape(input: Any, out_type: Any = dtypes.int32, name: str | None = None) -> Tensor:
    """The shape as a tensor.

    Example:
        >>> import tfpy as tf
        >>> tf.shape(tf.zeros([2, 3])).numpy().tolist()
        [2, 3]
    """
    return as_tensor(convert_to_tensor(input).aval.shape, as_dtype(out_type))


@dispatchable
def rank(input: Any, name: str | None = None) -> Tensor:
    """The number of dimensions as an int32 scalar.

    Example:
        >>> import tfpy as tf
        >>> tf.rank(tf.zeros([2, 3, 4])).numpy().tolist()
        3
    """
    return constant(convert_to_tensor(input).ndim)


@dispatchable
def size(input: Any, out_type: Any = dtypes.int32, name: str | None = None) -> Tensor:
    """The number of elements as a scalar.

    Example:
        >>> import tfpy as tf
        >>> tf.size(tf.zeros([2, 3])).numpy().tolist()
        6
    """
    return as_tensor(convert_to_tensor(input).aval.size, as_dtype(out_type))


@dispatchable
def reshape(tensor: Any, shape: Any, name: str | None = None) -> Tensor:
    """The same elements in another shape; one size may be -1.

    Raises:
        InvalidArgumentError: when the numbers of elements differ.

    Example:
        >>> import tfpy as tf
        >>> tf.reshape([1, 2, 3, 4, 5, 6], [2, -1]).numpy().tolist()
        [[1, 2, 3], [4, 5, 6]]
    """
    x = convert_to_tensor(tensor)
    sizes = list(static_ints(shape))
    if sizes.count(-1) > 1:
        raise invalid("reshape", f"Only one input size may be -1, got {sizes}")
    if -1 in sizes:
        at = sizes.index(-1)
        # With a size of 0 the open one is what is left of the sizes that are not 0.
        empty = 0 in sizes and 0 in x.aval.shape
        whole, known = (math.prod(n for n in s if n > 0) for s in (x.aval.shape, sizes))
        if not empty:
            whole, known = x.size, -math.prod(sizes)
        if known == 0 or (whole % known and not empty):
            raise invalid(
                "reshape",
                f"Input to reshape is a tensor with {x.size} values of shape {list(x.aval.shape)}, "
                f"but the requested shape {sizes} requires a multiple of {known}",
            )
        sizes[at] = whole // known
    if any(n < 0 for n in sizes):
        raise invalid("reshape", f"Size must be non-negative, got {sizes}")
    return movement.reshape(x, shape=tuple(sizes))


@dispatchable
def squeeze(input: Any, axis: Any = None, name: str | None = None) -> Tensor:
    """Without the dimensions of size 1 (all of them, or those of ``axis``).

    Raises:
        InvalidArgumentError: when a named dimension has another size.

    Example:
        >>> import tfpy as tf
        >>> tf.squeeze([[[1], [2]]]).numpy().tolist()
        [1, 2]
    """
    x = convert_to_tensor(input)
    if axis is None or not (named := static_ints(axis)):
        drop = {i for i, n in enumerate(x.aval.shape) if n == 1}
        if x.aval.is_open:  # of an open size nobody knows whether it is 1
            return reshape(
                x, [UnrankedSize(n) for i, n in enumerate(x.aval.shape) if i not in drop]
            )
    else:
        drop = {normalize_axis("squeeze", a, x.ndim) for a in named}
    for i in drop:
        if x.aval.shape[i] != 1:
            raise invalid(
                "squeeze",
                f"Can not squeeze dim[{i}], expected a dimension of 1, got {x.aval.shape[i]} "
                f"in shape {list(x.aval.shape)}",
            )
    return reshape(x, [n for i, n in enumerate(x.aval.shape) if i not in drop])


@dispatchable
def expand_dims(input: Any, axis: Any, name: str | None = None) -> Tensor:
    """With a dimension of size 1 put in at ``axis``.

    Args:
        axis: the place of the new dimension in the result, counted from the end when negative.

    Example:
        >>> import tfpy as tf
        >>> tf.expand_dims([1, 2], axis=-1).numpy().tolist()
        [[1], [2]]
    """
    x = convert_to_tensor(input)
    axes = static_ints(axis)
    if len(axes) != 1:
        raise invalid("expand_dims", f"axis must be one number, got {list(axes)}")
    at = normalize_axis("expand_dims", axes[0], x.ndim + 1)
    return reshape(x, [*x.aval.shape[:at], 1, *x.aval.shape[at:]])


def ensure_shape(x: Any, shape: Any, name: str | None = None) -> Tensor:
    """A tensor of the same values, whose shape must match (None matches any size, or any shape).

    Raises:
        InvalidArgumentError: when it does not.

    Example:
        >>> import tfpy as tf
        >>> tf.ensure_shape(tf.zeros([2, 3]), [None, 3]).shape
        TensorShape([2, 3])
    """
    tensor = convert_to_tensor(x)
    if shape is None:
        return identity(tensor)
    wanted = tuple(shape)
    fits = len(wanted) == tensor.ndim and all(
        w is None or w == n for w, n in zip(wanted, tensor.aval.shape, strict=True)
    )
    if not fits:
        raise invalid(
            "ensure_shape",
            f"Shape of tensor x {list(tensor.aval.shape)} is not compatible with expected shape "
            f"{list(wanted)}",
        )
    sizes = (n if w is None else w for w, n in zip(wanted, tensor.aval.shape, strict=True))
    return movement.reshape(tensor, shape=tuple(sizes))


def broadcast_to(input: Any, shape: Any, name: str | None = None) -> Tensor:
    """``input`` repeated to ``shape`` by NumPy's broadcasting.

    Example:
        >>> import tfpy as tf
        >>> tf.broadcast_to([1, 2], [2, 2]).numpy().tolist()
        [[1, 2], [1, 2]]
    """
    return movement.broadcast_to(input, shape=static_ints(shape))


def broadcast_static_shape(shape_x: Any, shape_y: Any) -> TensorShape:
    """The shape that arrays of two shapes broadcast to.

    Raises:
        ValueError: when they do not.

    Example:
        >>> import tfpy as tf
        >>> tf.broadcast_static_shape(tf.TensorShape([3, 1]), tf.TensorShape([1, 4]))
        TensorShape([3, 4])
    """
    try:
        return TensorShape(np.broadcast_shapes(tuple(shape_x), tuple(shape_y)))
    except ValueError:
        raise ValueError(
            f"Incompatible shapes for broadcasting: {tuple(shape_x)} and {tuple(shape_y)}; each "
            "dimension pair must be equal or one of them 1"
        ) from None


def broadcast_dynamic_shape(shape_x: Any, shape_y: Any) -> Tensor:
    """:func:`broadcast_static_shape` of shapes that are int32 vectors, as one.

    Raises:
        InvalidArgumentError: when they do not broadcast.

    Example:
        >>> import tfpy as tf
        >>> tf.broadcast_dynamic_shape([3, 1], [1, 4]).numpy().tolist()
        [3, 4]
    """
    shapes = static_ints(shape_x), static_ints(shape_y)
    return constant(np.array(broadcast_shapes("broadcast_dynamic_shape", *shapes), np.int32))


def transpose(a: Any, perm: Any = None, conjugate: bool = False, name: str = "transpose") -> Tensor:
    """Dimensions in the order ``perm``; reversed by default.

    Args:
        perm: which dimension of ``a`` comes at each place.
        conjugate: whether complex numbers are conjugated, too.

    Example:
        >>> import tfpy as tf
        >>> tf.transpose([[1, 2, 3], [4, 5, 6]]).numpy().tolist()
        [[1, 4], [2, 5], [3, 6]]
    """
    x = convert_to_tensor(a)
    order = (
        tuple(reversed(tuple(builtins.range(x.ndim))))
        if perm is None
        else tuple(p % x.ndim if -x.ndim <= p < 0 else p for p in static_ints(perm))
    )
    moved = movement.transpose(x, perm=order)
    if conjugate and x.dtype.is_complex:
        return complex_ops.conj(moved)
    return moved


@per_value
def identity(input: Any, name: str | None = None) -> Tensor:
    """A tensor of the same values.

    Example:
        >>> import tfpy as tf
        >>> tf.identity([1, 2]).numpy().tolist()
        [1, 2]
    """
    x = convert_to_tensor(input)
    return movement.reshape(x, shape=tuple(x.aval.shape))


def identity_n(input: Any, name: str | None = None) -> list[Tensor]:
    """A list of tensors of the same values.

    Raises:
        InvalidArgumentError: for an empty list.

    Example:
        >>> import tfpy as tf
        >>> a, b = tf.identity_n([tf.constant(1), tf.constant([2.0, 3.0])])
        >>> b.numpy().tolist()
        [2.0, 3.0]
    """
    if not input:
        raise invalid("identity_n", "input must have at least one tensor")
    return [identity(x) for x in input]


def shape_n(input: Any, out_type: Any = dtypes.int32, name: str | None = None) -> list[Tensor]:
    """The shapes of several tensors, as :func:`shape` gives them.

    Example:
        >>> import tfpy as tf
        >>> [s.numpy().tolist() for s in tf.shape_n([tf.zeros([2, 3]), tf.zeros([4])])]
        [[2, 3], [4]]
    """
    return [shape(x, out_type) for x in input]


@per_value
def cast(x: Any, dtype: Any, name: str | None = None) -> Tensor:
    """``x`` in another dtype; float to integer truncates towards zero.

    Raises:
        UnimplementedError: for texts.

    Example:
        >>> import tfpy as tf
        >>> tf.cast([1.7, -1.7], tf.int32).numpy().tolist()
        [1, -1]
    """
    kind, tensor = as_dtype(dtype), convert_to_tensor(x)
    if tensor.dtype != kind and dtypes.string in (tensor.dtype, kind):
        raise UnimplementedError(
            None,
            "cast",
            f"Cast {tensor.dtype.name} to {kind.name} is not supported; "
            "use tf.strings.to_number or tf.strings.as_string",
        )
    return tensor if tensor.dtype == kind else casting.cast(tensor, dtype=kind)
