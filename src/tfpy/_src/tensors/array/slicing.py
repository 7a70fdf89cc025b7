"""Choosing elements of tensors: functions under ``tf`` itself, and ``tensor[key]``."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.dtypes import as_dtype
from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ir.aval import Shape
from tfpy._src.compiler.ops import indexing, logic, movement
from tfpy._src.compiler.ops.failing import failing
from tfpy._src.compiler.ops.families import infer
from tfpy._src.compiler.ops.families.infer import normalize_axis
from tfpy._src.core.conversion import constant, convert_to_tensor, is_operand
from tfpy._src.core.dispatch import dispatchable
from tfpy._src.core.tensor import Tensor
from tfpy._src.tensors.array.making import as_integers, cast
from tfpy._src.tensors.array.reshaping import broadcast_to, expand_dims, reshape
from tfpy._src.tensors.array.static import static_int, static_ints


@dispatchable
def gather(
    params: Any,
    indices: Any,
    validate_indices: Any = None,
    axis: int | None = None,
    batch_dims: int = 0,
    name: str | None = None,
) -> Tensor:
    """Slices of ``params`` along an axis, at ``indices``.

    Indices out of range are an error on cpu and wasm, as in TensorFlow on CPUs. On other backends
    they give zeros, as in TensorFlow on GPUs. Along the first axis the gradient of ``params`` is a
    ``tf.IndexedSlices``.

    Args:
        axis: which one, counted from the end when negative; the first after the batch dimensions by
            default.
        batch_dims: how many leading dimensions of both are a batch, gathered from entry by entry.

    Example:
        >>> import tfpy as tf
        >>> tf.gather([[1, 2], [3, 4], [5, 6]], [2, 0]).numpy().tolist()
        [[5, 6], [1, 2]]
    """
    at = as_places(indices)
    axis = None if axis is None else static_int(axis)
    if not batch_dims and axis in (None, 0):
        x = _table(params)
        return indexing.gather(x, at, axis=0, batch_dims=0, sparse_gradient=True)
    return take(params, at, axis, batch_dims)


def take(params: Any, indices: Any, axis: int | None = None, batch_dims: int = 0) -> Tensor:
    """:func:`gather` whose gradient is a tensor."""
    x, at = _table(params), as_places(indices)
    batch_dims += at.ndim if batch_dims < 0 else 0
    batch = normalize_axis("gather", batch_dims, at.ndim + 1) if batch_dims else 0
    along = batch if axis is None else normalize_axis("gather", static_int(axis), x.ndim)
    return indexing.gather(x, at, axis=along, batch_dims=batch)


def as_places(indices: Any) -> Tensor:
    """Indices as int32; TensorFlow takes int16 too."""
    at = convert_to_tensor(indices)
    return cast(at, dtypes.int32) if at.dtype == dtypes.int16 else at


def _table(params: Any) -> Tensor:
    """What rows are read of.

    Raises:
        InvalidArgumentError: for a scalar.
    """
    x = convert_to_tensor(params)
    if not x.ndim:
        raise invalid("gather", "params must be at least 1-dimensional, got a scalar")
    return x


def slice(input_: Any, begin: Any, size: Any, name: str | None = None) -> Tensor:
    """``size`` elements from ``begin`` along each axis; -1 takes the rest.

    Raises:
        InvalidArgumentError: when the slice does not lie in ``input_``.

    Example:
        >>> import tfpy as tf
        >>> tf.slice([[1, 2, 3], [4, 5, 6]], [0, 1], [2, -1]).numpy().tolist()
        [[2, 3], [5, 6]]
    """
    x = convert_to_tensor(input_)
    starts, extent = static_ints(begin), static_ints(size)
    if len(starts) != x.ndim or len(extent) != x.ndim:
        raise invalid(
            "slice",
            f"begin {list(starts)} and size {list(extent)} must have one entry per dimension of "
            f"shape {list(x.aval.shape)}",
        )
    sizes = tuple(
        n - b if s == -1 else s for n, b, s in zip(x.aval.shape, starts, extent, strict=True)
    )
    for axis, (n, b, s) in enumerate(zip(x.aval.shape, starts, sizes, strict=True)):
        if b < 0 or s < 0 or b + s > n:
            message = (
                f"Expected begin[{axis}] in [0, {n}] and size[{axis}] in [0, {n - max(b, 0)}], "
                f"got {b} and {s} for shape {list(x.aval.shape)}"
            )
            if min(sizes) < 0:
                raise invalid("slice", message)
            return failing("slice", message, (x,), sizes, x.dtype)
    return movement.strided_slice(x, begin=starts, size=sizes, strides=(1,) * x.ndim)


@dispatchable
def one_hot(
    indices: Any,
    depth: Any,
    on_value: Any = None,
    off_value: Any = None,
    axis: int | None = None,
    dtype: Any = None,
    name: str | None = None,
) -> Tensor:
    """A new axis of size ``depth``: ``on_value`` at the index, ``off_value`` elsewhere.

    Raises:
        TypeError: when the two values and ``dtype`` do not agree.

    Example:
        >>> import tfpy as tf
        >>> tf.one_hot([0, 2], depth=3).numpy().tolist()
        [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    """
    at = as_integers(indices)
    infer.check_dtype("one_hot", at.aval, infer.INTEGER, "indices")
    kind = (
        as_dtype(dtype)
        if dtype is not None
        else next(
            (convert_to_tensor(v).dtype for v in (on_value, off_value) if v is not None),
            dtypes.float32,
        )
    )
    for argument, value in (("on_value", on_value), ("off_value", off_value)):
        if is_operand(value) and value.dtype != kind:
            raise TypeError(
                f"one_hot: dtype {value.dtype.name} of {argument} does not match dtype "
                f"{kind.name}; use tf.cast"
            )
    where_ = normalize_axis("one_hot", -1 if axis is None else axis, at.ndim + 1)
    count = static_int(depth)
    rows = indexing.range_(start=0, delta=1, count=count, dtype=dtypes.int32)
    rows = reshape(rows, [count if i == where_ else 1 for i in range(at.ndim + 1)])
    hit = logic.equal(cast(expand_dims(at, where_), dtypes.int32), rows)
    if on_value is None and off_value is None:
        return cast(hit, kind)
    on = convert_to_tensor(1 if on_value is None else on_value, kind)
    return logic.select(hit, on, convert_to_tensor(0 if off_value is None else off_value, kind))


@dispatchable
def where(condition: Any, x: Any = None, y: Any = None, name: str | None = None) -> Tensor:
    """``x`` where the condition holds, else ``y``; without both, where True elements are.

    Raises:
        ValueError: when only one of ``x`` and ``y`` is given.

    Example:
        >>> import tfpy as tf
        >>> tf.where([True, False], [1, 2], [3, 4]).numpy().tolist()
        [1, 4]
    """
    if (x is None) != (y is None):
        raise ValueError("where: x and y must both be given, or neither")
    if x is None:
        infer.check_dtype("where", convert_to_tensor(condition).aval, infer.ANY - {dtypes.string})
        return constant(np.argwhere(convert_to_tensor(condition).host_view()), dtypes.int64)
    return logic.select(condition, x, y)


def check_mask(shape: Shape, mask: Shape) -> None:
    """Raise a ValueError unless a mask covers the leading dimensions of a shape."""
    if not mask or tuple(shape[: len(mask)]) != tuple(mask):
        raise ValueError(
            f"Shapes {tuple(shape)} and {tuple(mask)} are incompatible: the mask must cover the "
            "leading dimensions"
        )


def boolean_mask(
    tensor: Any, mask: Any, axis: int | None = None, name: str = "boolean_mask"
) -> Tensor:
    """The elements (or slices) at which the mask is True. The mask is read on the host.

    Raises:
        ValueError: when the mask's shape is not that of the dimensions from ``axis`` on.

    Example:
        >>> import tfpy as tf
        >>> tf.boolean_mask([1, 2, 3], [True, False, True]).numpy().tolist()
        [1, 3]
    """
    x, m = convert_to_tensor(tensor), convert_to_tensor(mask).host_view()
    at = 0 if axis is None else normalize_axis("boolean_mask", static_int(axis), x.ndim)
    check_mask(x.aval.shape[at:], m.shape)
    flat = reshape(x, [*x.aval.shape[:at], m.size, *x.aval.shape[at + m.ndim :]])
    return take(flat, np.flatnonzero(m).astype(np.int32), axis=at)


def meshgrid(*args: Any, indexing: str = "xy", name: str | None = None) -> list[Tensor]:
    """Coordinate tensors of vectors; "xy" swaps the first two axes as NumPy does.

    Raises:
        ValueError: for another ``indexing`` than "xy" and "ij".
        InvalidArgumentError: If the vectors have several dtypes, or are strings.

    Example:
        >>> import tfpy as tf
        >>> x, y = tf.meshgrid([1, 2, 3], [10, 20])
        >>> x.numpy().tolist(), y.numpy().tolist()
        ([[1, 2, 3], [1, 2, 3]], [[10, 10, 10], [20, 20, 20]])
    """
    vectors = [reshape(convert_to_tensor(a), [-1]) for a in args]
    if vectors:
        infer.check_same_dtype("meshgrid", [v.aval for v in vectors])
        infer.check_dtype("meshgrid", vectors[0].aval, infer.ANY - {dtypes.string}, "args[0]")
    order = list(range(len(vectors)))
    if indexing == "xy" and len(vectors) > 1:
        order[0], order[1] = 1, 0
    elif indexing not in ("xy", "ij"):
        raise ValueError(f"meshgrid: indexing must be 'xy' or 'ij', got {indexing!r}")
    sizes = [0] * len(vectors)
    for i, v in enumerate(vectors):
        sizes[order[i]] = v.size
    return [
        broadcast_to(reshape(v, [-1 if d == order[i] else 1 for d in range(len(sizes))]), sizes)
        for i, v in enumerate(vectors)
    ]


newaxis = None
"""``tensor[tf.newaxis]`` puts in a dimension of size 1."""
