"""Functions of `tf` that select elements of tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.dtypes import as_dtype
from tfpy._src.base.errors import NotTraceableError, invalid
from tfpy._src.compiler.ir.aval import Shape
from tfpy._src.compiler.ops import indexing, logic, movement
from tfpy._src.compiler.ops.failing import failing
from tfpy._src.compiler.ops.families import infer
from tfpy._src.compiler.ops.families.infer import normalize_axis
from tfpy._src.core.conversion import constant, convert_to_tensor, is_operand
from tfpy._src.core.dispatch import dispatchable
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import DTypeLike, IntLike, ShapeLike, TensorLike
from tfpy._src.tensors.array.making import as_integers, cast
from tfpy._src.tensors.array.reshaping import broadcast_to, expand_dims, reshape
from tfpy._src.tensors.array.static import static_int, static_ints


@dispatchable
def gather(
    params: TensorLike,
    indices: TensorLike,
    validate_indices: bool | None = None,
    axis: IntLike | None = None,
    batch_dims: int = 0,
    name: str | None = None,
) -> Tensor:
    """Gather slices of a tensor along an axis.

    Out-of-range indices raise an error on the cpu and wasm backends, as in TensorFlow on CPUs. On
    the other backends, they produce zeros, as in TensorFlow on GPUs.

    If no ops other than `tf.gather` along axis 0 and `tf.nn.embedding_lookup` use `params`, the
    gradient with respect to `params` is a `tf.IndexedSlices`.

    Args:
        params: Tensor of rank 1 or more.
        indices: Integer tensor of any shape with the positions of the slices along `axis`.
        validate_indices: Has no effect.
        axis: Axis to gather along. Negative values count from the end. Default: `batch_dims`, the
            first axis after the batch.
        batch_dims: Number of leading dimensions of `params` and `indices` that form a batch. In
            each element of the batch, slices are gathered separately.

    Returns:
        Tensor with the dtype of `params`. Its shape is the shape of `params` with dimension `axis`
        replaced by `indices.shape[batch_dims:]`.

    Raises:
        tf.errors.InvalidArgumentError: If `params` is a scalar, the axis is out of range, the batch
            dimensions differ, or an index is out of range (on the cpu and wasm backends).

    Example:
        >>> import tfpy as tf
        >>> tf.gather([[1, 2], [3, 4], [5, 6]], [2, 0]).numpy().tolist()
        [[5, 6], [1, 2]]

    See also: `tf.gather_nd`, `tf.boolean_mask`, `tf.slice`, `tf.nn.embedding_lookup`.
    """
    at = as_places(indices)
    axis = None if axis is None else static_int(axis)
    if not batch_dims and axis in (None, 0):
        x = _table(params)
        return indexing.gather(x, at, axis=0, batch_dims=0, sparse_gradient=True)
    return take(params, at, axis, batch_dims)


def take(
    params: TensorLike, indices: TensorLike, axis: IntLike | None = None, batch_dims: int = 0
) -> Tensor:
    """Gather slices as `tf.gather` does, with a dense gradient."""
    x, at = _table(params), as_places(indices)
    batch_dims += at.ndim if batch_dims < 0 else 0
    batch = normalize_axis("gather", batch_dims, at.ndim + 1) if batch_dims else 0
    along = batch if axis is None else normalize_axis("gather", static_int(axis), x.ndim)
    return indexing.gather(x, at, axis=along, batch_dims=batch)


def as_places(indices: TensorLike) -> Tensor:
    """Return indices as a tensor; int16 becomes int32 because TensorFlow also accepts int16."""
    at = convert_to_tensor(indices)
    return cast(at, dtypes.int32) if at.dtype == dtypes.int16 else at


def _table(params: TensorLike) -> Tensor:
    """Return the tensor from which slices are gathered.

    Raises:
        InvalidArgumentError: If it is a scalar.
    """
    x = convert_to_tensor(params)
    if not x.ndim:
        raise invalid("gather", "params must be at least 1-dimensional, got a scalar")
    return x


@dispatchable
def slice(input_: TensorLike, begin: ShapeLike, size: ShapeLike, name: str | None = None) -> Tensor:
    """Extract a slice of a given size from a tensor.

    Args:
        input_: Tensor of any dtype.
        begin: Vector with the first index along each axis. While `tf.function` traces, the indices
            may be tensors without values.
        size: Vector with the number of elements along each axis. -1 stands for all remaining
            elements.

    Returns:
        Tensor of shape `size` (with -1 replaced), with the dtype of `input_`.

    Raises:
        tf.errors.InvalidArgumentError: If the slice is not inside `input_`, or `begin` and `size`
            do not have one entry for each axis.

    Example:
        >>> import tfpy as tf
        >>> tf.slice([[1, 2, 3], [4, 5, 6]], [0, 1], [2, -1]).numpy().tolist()
        [[2, 3], [5, 6]]

    See also: `tf.strided_slice`, `tf.gather`, `tf.pad`.
    """
    x = convert_to_tensor(input_)
    try:
        starts = static_ints(begin)
    except NotTraceableError:
        return _slice_at(x, begin, static_ints(size))
    extent = static_ints(size)
    _check_entries(x, starts, extent)
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


def _check_entries(x: Tensor, begin: Sequence[Any], size: Sequence[int]) -> None:
    if len(begin) != x.ndim or len(size) != x.ndim:
        raise invalid(
            "slice",
            f"begin {list(begin)} and size {list(size)} must have one entry per dimension of "
            f"shape {list(x.aval.shape)}",
        )


def _slice_at(x: Tensor, begin: Any, sizes: Shape) -> Tensor:
    """Return a slice that begins at traced indices. The axes with known indices come first."""
    packed = begin if isinstance(begin, list | tuple) else _elements(convert_to_tensor(begin))
    _check_entries(x, packed, sizes)
    known: list[int] = []
    traced: list[tuple[int, Any]] = []
    for axis, (start, size) in enumerate(zip(packed, sizes, strict=True)):
        try:
            known.append(static_int(start))
        except NotTraceableError:
            if size == -1:
                raise
            known.append(0)
            traced.append((axis, start))
    axes = [axis for axis, _ in traced]
    part = slice(x, known, [-1 if axis in axes else n for axis, n in enumerate(sizes)])
    for axis, start in traced:
        if sizes[axis] != x.aval.shape[axis]:
            offsets = indexing.range_(start=0, delta=1, count=sizes[axis], dtype=dtypes.int32)
            part = take(part, cast(start, dtypes.int32) + offsets, axis=axis)
    return part


def _elements(vector: Tensor) -> list[Tensor]:
    """Return the elements of a traced vector."""
    return [
        reshape(movement.strided_slice(vector, begin=(i,), size=(1,), strides=(1,)), [])
        for i in range(vector.aval.shape[0])
    ]


@dispatchable
def one_hot(
    indices: TensorLike,
    depth: IntLike,
    on_value: TensorLike | None = None,
    off_value: TensorLike | None = None,
    axis: int | None = None,
    dtype: DTypeLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Encode indices as one-hot vectors along a new axis.

    Args:
        indices: Integer tensor of any shape with the position of `on_value` in each vector. If an
            index is out of range, its vector contains only `off_value`.
        depth: Length of the vectors, which is the size of the new axis.
        on_value: Scalar at the position of the index. Default: 1.
        off_value: Scalar at the other positions. Default: 0.
        axis: Position of the new axis in the result. Negative values count from the end. Default:
            the last axis.
        dtype: Dtype of the result. Default: the dtype of `on_value` or `off_value` if one is
            passed, and otherwise float32.

    Returns:
        Tensor with the shape of `indices` and an additional axis of size `depth`.

    Raises:
        TypeError: If `on_value` or `off_value` is a tensor and has a different dtype than the
            result.

    Example:
        >>> import tfpy as tf
        >>> tf.one_hot([0, 2], depth=3).numpy().tolist()
        [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]

    See also: `tf.sequence_mask`, `tf.gather`.
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
    value: Any
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
def where(
    condition: TensorLike,
    x: TensorLike | None = None,
    y: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Select elements by a condition, or return the indices of the elements that are True.

    Without `x` and `y`, the size of the result depends on the values of `condition`. These values
    are read back to Python, so the call waits for pending computations. A `tf.function` that calls
    `tf.where` in this form, with a condition that is computed from its inputs, runs eagerly,
    without compilation.

    Args:
        condition: Boolean tensor. Without `x` and `y`, a numeric tensor is also possible. Its
            elements count as True if they are not 0.
        x: Tensor of the elements to select where `condition` is True. `condition`, `x` and `y` are
            broadcast to one shape.
        y: Tensor of the elements to select where `condition` is False, with the dtype of `x`.

    Returns:
        With `x` and `y`, a tensor of the broadcast shape and the dtype of `x`. Otherwise, a tensor
        of shape `[n, rank]` with the indices of the n elements that are True. Its dtype is int32,
        or int64 if the environment variable `TFPY_ENABLE_X64` is set.

    Raises:
        ValueError: If only one of `x` and `y` is passed.

    Example:
        >>> import tfpy as tf
        >>> tf.where([True, False], [1, 2], [3, 4]).numpy().tolist()
        [1, 4]
        >>> tf.where([False, True, True]).numpy().tolist()
        [[1], [2]]

    See also: `tf.boolean_mask`, `tf.gather`, `tf.cond`.
    """
    if (x is None) != (y is None):
        raise ValueError("where: x and y must both be given, or neither")
    if x is None:
        infer.check_dtype("where", convert_to_tensor(condition).aval, infer.ANY - {dtypes.string})
        return constant(np.argwhere(convert_to_tensor(condition).host_view()), dtypes.int64)
    return logic.select(condition, x, y)


def check_mask(shape: Shape, mask: Shape) -> None:
    """Raise a ValueError unless a mask covers the leading dimensions of a shape."""
    if not mask:
        raise ValueError("boolean_mask: the mask cannot be a scalar")
    if tuple(shape[: len(mask)]) != tuple(mask):
        raise ValueError(
            f"Shapes {tuple(shape)} and {tuple(mask)} are incompatible: the mask must cover the "
            "leading dimensions"
        )


def boolean_mask(
    tensor: TensorLike, mask: TensorLike, axis: IntLike | None = None, name: str = "boolean_mask"
) -> Tensor:
    """Return the elements, or slices, of a tensor for which a mask is True.

    The size of the result depends on the values of `mask`. They are read back to Python, so the
    call waits for pending computations. A `tf.function` in which `mask` is not constant runs
    eagerly, without compilation.

    Args:
        tensor: Tensor of rank 1 or more.
        mask: Boolean tensor of rank 1 or more. Its shape must equal `tensor.shape[axis:axis + n]`,
            where n is the rank of the mask.
        axis: First axis that the mask covers. Negative values count from the end. Default: 0.

    Returns:
        Tensor with the dtype of `tensor`. The dimensions that the mask covers are replaced by one
        dimension, the number of True elements.

    Raises:
        ValueError: If the shapes of the mask and the tensor do not match.

    Example:
        >>> import tfpy as tf
        >>> tf.boolean_mask([1, 2, 3], [True, False, True]).numpy().tolist()
        [1, 3]

    See also: `tf.where`, `tf.gather`.
    """
    x, given = convert_to_tensor(tensor), convert_to_tensor(mask)
    if given.shape.rank is None:
        raise ValueError(
            "Number of mask dimensions must be specified, even if some dimensions are None. E.g. "
            "shape=[None] is ok, but shape=None is not."
        )
    m = given.host_view()
    at = 0 if axis is None else normalize_axis("boolean_mask", static_int(axis), x.ndim)
    check_mask(x.aval.shape[at:], m.shape)
    flat = reshape(x, [*x.aval.shape[:at], m.size, *x.aval.shape[at + m.ndim :]])
    return take(flat, np.flatnonzero(m).astype(np.int32), axis=at)


def meshgrid(*args: TensorLike, indexing: str = "xy", name: str | None = None) -> list[Tensor]:
    """Create the coordinate tensors of a grid from one coordinate vector for each axis.

    Args:
        args: Vectors of the same numeric or boolean dtype.
        indexing: `"xy"` (default), for which the first two axes of the grid are swapped as in
            NumPy, or `"ij"`.

    Returns:
        List of tensors with the shape of the grid, one for each vector.

    Raises:
        ValueError: If `indexing` is neither `"xy"` nor `"ij"`.
        tf.errors.InvalidArgumentError: If the vectors have different dtypes or contain strings.

    Example:
        >>> import tfpy as tf
        >>> x, y = tf.meshgrid([1, 2, 3], [10, 20])
        >>> x.numpy().tolist(), y.numpy().tolist()
        ([[1, 2, 3], [1, 2, 3]], [[10, 10, 10], [20, 20, 20]])

    See also: `tf.range`, `tf.linspace`.
    """
    vectors = [reshape(convert_to_tensor(a), [-1]) for a in args]
    if vectors:
        if vectors[0].dtype.is_bool:  # as in TensorFlow, which multiplies by True
            vectors = [cast(v, dtypes.bool) for v in vectors]
        infer.check_same_dtype("meshgrid", [v.aval for v in vectors if not v.dtype.is_bool])
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
"""Index that inserts a dimension of size 1: `tensor[tf.newaxis]`."""
