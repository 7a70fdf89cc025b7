"""Reading and writing at n-dimensional indices.

Out-of-range indices raise an error on the cpu and wasm backends, as in TensorFlow on CPUs. On the
other backends, reads produce zeros and writes are dropped, as in TensorFlow on GPUs.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ir.op import Op
from tfpy._src.compiler.ops import (
    elementwise as ew,
    indexing,
    logic,
    reduction,
    scatter as primitives,
    text,
)
from tfpy._src.core.conversion import as_tensors, constant, convert_to_tensor
from tfpy._src.core.dispatch import dispatchable
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import ShapeLike, TensorLike
from tfpy._src.tensors.array.index_vectors import check_updates, index_depth
from tfpy._src.tensors.array.joining import concat
from tfpy._src.tensors.array.making import zeros
from tfpy._src.tensors.array.reshaping import broadcast_to, expand_dims, reshape
from tfpy._src.tensors.array.slicing import as_places, take
from tfpy._src.tensors.array.static import static_ints

_POLICIES = ("", "DEFAULT", "ERROR", "IGNORE")


@dispatchable
def gather_nd(
    params: TensorLike,
    indices: TensorLike,
    batch_dims: int = 0,
    name: str | None = None,
    bad_indices_policy: str = "",
) -> Tensor:
    """Gather slices of a tensor at the given indices.

    For example, `tf.gather_nd(params, [[1, 2]])` is `[params[1, 2]]`.

    Args:
        params: Tensor of rank 1 or more.
        indices: Integer tensor of shape `[..., depth]`. Each row is the index of a slice.
        batch_dims: Number of leading dimensions of `params` and `indices` that form a batch. In
            each element of the batch, slices are gathered separately.
        bad_indices_policy: How to handle out-of-range indices. `""` (default), `"DEFAULT"` and
            `"ERROR"` raise an error on cpu and wasm, and produce zeros on the other backends.
            `"IGNORE"` does the latter on all backends.

    Returns:
        Tensor with the dtype of `params`. Its shape consists of the dimensions of `indices` without
        the last one, followed by `params.shape[batch_dims + depth:]`.

    Raises:
        tf.errors.InvalidArgumentError: If `depth` exceeds the rank of `params`, the policy is
            unknown, or an index is out of range (on cpu and wasm).
        ValueError: If `batch_dims` is negative.

    Example:
        >>> import tfpy as tf
        >>> tf.gather_nd([[1, 2], [3, 4]], [[0, 1], [1, 0]]).numpy().tolist()
        [2, 3]

    See also: `tf.gather`, `tf.scatter_nd`.
    """
    x, at = convert_to_tensor(params), as_places(indices)
    if batch_dims < 0:
        raise ValueError(f"gather_nd: batch_dims must not be negative, got {batch_dims}")
    if batch_dims:
        at = with_batch_index("gather_nd", x, at, int(batch_dims))
    depth = index_depth("gather_nd", at, x.aval.shape)
    dims, rest = x.aval.shape[:depth], x.aval.shape[depth:]
    shape = (*at.aval.shape[:-1], *rest)
    inside = _inside("gather_nd", bad_indices_policy, at, dims)
    if inside is not None:
        if not math.prod(dims):
            return zeros(shape, x.dtype)
        at = logic.select(expand_dims(inside, -1), at, constant(0, at.dtype))
    rows = reshape(x, [math.prod(dims), *rest])
    places = primitives.ravel_index(at, dims=dims)
    whole_rows = at.ndim == 2 and depth == 1  # the gradient is IndexedSlices, as in TensorFlow
    found = indexing.gather(rows, places, axis=0, batch_dims=0, sparse_gradient=whole_rows)
    return found if inside is None else _where_rows(inside, found, zeros(shape, x.dtype))


def _inside(op: str, policy: str, indices: Tensor, dims: tuple[int, ...]) -> Tensor | None:
    """Return True for each index vector in range if the others are ignored, and otherwise None."""
    if policy not in _POLICIES:
        raise invalid(op, f"bad_indices_policy must be one of {_POLICIES}, got {policy!r}")
    if policy != "IGNORE":
        return None
    ends = constant(dims, indices.dtype)
    fits = logic.logical_and(
        logic.greater_equal(indices, constant(0, indices.dtype)), logic.less(indices, ends)
    )
    return reduction.reduce_axes(reduction.reduce_all, fits, (fits.ndim - 1,), False)


def _where_rows(inside: Tensor, kept: Tensor, other: Tensor) -> Tensor:
    """Select rows of `kept` where `inside` is True, and rows of `other` elsewhere."""
    trailing = [1] * (kept.ndim - inside.ndim)
    return logic.select(reshape(inside, [*inside.aval.shape, *trailing]), kept, other)


def with_batch_index(op: str, x: Tensor, indices: Tensor, batch_dims: int) -> Tensor:
    """Prepend the batch position to each index vector."""
    lead = indices.aval.shape[:batch_dims]
    if x.aval.shape[:batch_dims] != lead or indices.ndim <= batch_dims:
        raise invalid(
            op,
            f"the first {batch_dims} dimensions of params {list(x.aval.shape)} and indices "
            f"{list(indices.aval.shape)} must be equal",
        )
    columns = []
    for axis, n in enumerate(lead):
        place = indexing.range_(start=0, delta=1, count=n, dtype=indices.dtype)
        shape = [n if i == axis else 1 for i in range(indices.ndim)]
        columns.append(broadcast_to(reshape(place, shape), [*indices.aval.shape[:-1], 1]))
    return concat([*columns, indices], -1)


def scatter_nd(
    indices: TensorLike,
    updates: TensorLike,
    shape: ShapeLike,
    bad_indices_policy: str = "",
    name: str | None = None,
) -> Tensor:
    """Create a tensor of zeros and add updates at the given indices.

    If an index occurs more than once, its updates are added. For strings, they are concatenated,
    and for booleans, the last one is used. Other elements are 0, empty strings or False.

    Args:
        indices: Integer tensor of shape `[..., depth]`. Each row is the index of a slice.
        updates: Tensor of shape `[..., *shape[depth:]]`.
        shape: Shape of the result.
        bad_indices_policy: How to handle out-of-range indices. `""` (default), `"DEFAULT"` and
            `"ERROR"` raise an error on cpu and wasm, and drop the updates on the other backends.
            `"IGNORE"` does the latter on all backends.

    Returns:
        Tensor of shape `shape`, with the dtype of `updates`.

    Raises:
        tf.errors.InvalidArgumentError: If the shape of `updates` does not match, the policy is
            unknown, or an index is out of range (on cpu and wasm).

    Example:
        >>> import tfpy as tf
        >>> tf.scatter_nd([[3], [1]], [9, 8], [5]).numpy().tolist()
        [0, 8, 0, 9, 0]

    See also: `tf.tensor_scatter_nd_add`, `tf.gather_nd`.
    """
    sizes = static_ints(shape)
    at, values = convert_to_tensor(indices), convert_to_tensor(updates)
    ids, segments, rest = _places("scatter_nd", at, values, sizes, bad_indices_policy)
    if values.dtype == dtypes.string:
        kept = logic.select(ids < 0, segments, ids)  # ignored updates go to an additional segment
        joined = text.segment_join(values, kept, segments=segments + 1, separator="")
        return reshape(take(joined, np.arange(segments, dtype=np.int32)), sizes)
    if not values.dtype.is_numeric:
        x = zeros([segments, *rest], values.dtype)
        return reshape(primitives.scatter_update(x, ids, values), sizes)
    return reshape(indexing.segment_sum(values, ids, segments=segments), sizes)


def _places(
    op: str, indices: Tensor, updates: Tensor, shape: tuple[int, ...], policy: str = ""
) -> tuple[Tensor, int, tuple[int, ...]]:
    """Return the row of each update (-1 if ignored), the number of rows, and the shape of a row."""
    depth = index_depth(op, indices, shape)
    dims, rest = shape[:depth], shape[depth:]
    check_updates(op, indices.aval.shape, updates.aval.shape, shape)
    count, inside = math.prod(dims), _inside(op, policy, indices, dims)
    if inside is None:
        return primitives.ravel_index(indices, dims=dims), count, rest
    if not count:
        return constant(-1, indices.dtype, shape=indices.aval.shape[:-1]), count, rest
    kept = logic.select(expand_dims(inside, -1), indices, constant(0, indices.dtype))
    ids = primitives.ravel_index(kept, dims=dims)
    return logic.select(inside, ids, constant(-1, ids.dtype)), count, rest


def _tensor_scatter(
    name: str, op: Op, tensor: Any, indices: Any, updates: Any, policy: str = ""
) -> Tensor:
    """Apply a scatter op to the rows of a tensor."""
    x, values = as_tensors(op, (tensor, updates))
    at = convert_to_tensor(indices)
    ids, segments, rest = _places(name, at, values, x.aval.shape, policy)
    rows = op(reshape(x, [segments, *rest]), ids, values)
    return reshape(rows, x.aval.shape)


def tensor_scatter_nd_update(
    tensor: TensorLike, indices: TensorLike, updates: TensorLike, name: str | None = None
) -> Tensor:
    """Return a copy of a tensor in which slices at the given indices are replaced.

    Updates of out-of-range indices raise an error on cpu and wasm; other backends drop them.

    Args:
        tensor: Tensor of rank 1 or more.
        indices: Integer tensor of shape `[..., depth]`. Each row is the index of a slice.
        updates: Tensor of shape `[..., *tensor.shape[depth:]]`. The last update of a slice is used.

    Returns:
        Tensor with the shape and dtype of `tensor`.

    Raises:
        tf.errors.InvalidArgumentError: If the shape of `updates` does not match, or an index is out
            of range (on the cpu and wasm backends).

    Example:
        >>> import tfpy as tf
        >>> tf.tensor_scatter_nd_update([1, 2, 3], [[1]], [9]).numpy().tolist()
        [1, 9, 3]

    See also: `tf.tensor_scatter_nd_add`, `tf.scatter_nd`.
    """
    op = primitives.scatter_update
    return _tensor_scatter("tensor_scatter_nd_update", op, tensor, indices, updates)


def _tensor_scatter_sum(op: Op, tensor: Any, indices: Any, updates: Any, policy: str) -> Tensor:
    x, values = as_tensors(op, (tensor, updates))
    return op(x, scatter_nd(indices, values, x.aval.shape, policy))


def tensor_scatter_nd_max(
    tensor: TensorLike,
    indices: TensorLike,
    updates: TensorLike,
    bad_indices_policy: str = "",
    name: str | None = None,
) -> Tensor:
    """Return a copy of a tensor in which slices are replaced by their maximum with the updates.

    Args:
        tensor: Numeric tensor of rank 1 or more.
        indices: Integer tensor of shape `[..., depth]`. Each row is the index of a slice.
        updates: Tensor of shape `[..., *tensor.shape[depth:]]`.
        bad_indices_policy: How to handle out-of-range indices, as in `tf.scatter_nd`.

    Returns:
        Tensor with the shape and dtype of `tensor`.

    Raises:
        tf.errors.InvalidArgumentError: If the shape of `updates` does not match, the policy is
            unknown, or an index is out of range (on cpu and wasm).

    Example:
        >>> import tfpy as tf
        >>> tf.tensor_scatter_nd_max([5, 5, 5], [[0], [2]], [3, 9]).numpy().tolist()
        [5, 5, 9]

    See also: `tf.tensor_scatter_nd_min`, `tf.tensor_scatter_nd_update`.
    """
    return _tensor_scatter(
        "tensor_scatter_nd_max",
        primitives.scatter_max,
        tensor,
        indices,
        updates,
        bad_indices_policy,
    )


def tensor_scatter_nd_min(
    tensor: TensorLike,
    indices: TensorLike,
    updates: TensorLike,
    bad_indices_policy: str = "",
    name: str | None = None,
) -> Tensor:
    """Return a copy of a tensor in which slices are replaced by their minimum with the updates.

    Args:
        tensor: Numeric tensor of rank 1 or more.
        indices: Integer tensor of shape `[..., depth]`. Each row is the index of a slice.
        updates: Tensor of shape `[..., *tensor.shape[depth:]]`.
        bad_indices_policy: How to handle out-of-range indices, as in `tf.scatter_nd`.

    Returns:
        Tensor with the shape and dtype of `tensor`.

    Raises:
        tf.errors.InvalidArgumentError: If the shape of `updates` does not match, the policy is
            unknown, or an index is out of range (on cpu and wasm).

    Example:
        >>> import tfpy as tf
        >>> tf.tensor_scatter_nd_min([5, 5, 5], [[0], [2]], [3, 9]).numpy().tolist()
        [3, 5, 5]

    See also: `tf.tensor_scatter_nd_max`, `tf.tensor_scatter_nd_update`.
    """
    return _tensor_scatter(
        "tensor_scatter_nd_min",
        primitives.scatter_min,
        tensor,
        indices,
        updates,
        bad_indices_policy,
    )


def tensor_scatter_nd_add(
    tensor: TensorLike,
    indices: TensorLike,
    updates: TensorLike,
    bad_indices_policy: str = "",
    name: str | None = None,
) -> Tensor:
    """Return a copy of a tensor in which updates are added to slices at the given indices.

    Args:
        tensor: Numeric tensor of rank 1 or more.
        indices: Integer tensor of shape `[..., depth]`. Each row is the index of a slice.
        updates: Tensor of shape `[..., *tensor.shape[depth:]]`. Updates of a slice are added.
        bad_indices_policy: How to handle out-of-range indices, as in `tf.scatter_nd`.

    Returns:
        Tensor with the shape and dtype of `tensor`.

    Raises:
        tf.errors.InvalidArgumentError: If the shape of `updates` does not match, the policy is
            unknown, or an index is out of range (on cpu and wasm).

    Example:
        >>> import tfpy as tf
        >>> tf.tensor_scatter_nd_add([1, 2, 3], [[1], [1]], [10, 10]).numpy().tolist()
        [1, 22, 3]

    See also: `tf.tensor_scatter_nd_sub`, `tf.scatter_nd`.
    """
    return _tensor_scatter_sum(ew.add, tensor, indices, updates, bad_indices_policy)


def tensor_scatter_nd_sub(
    tensor: TensorLike,
    indices: TensorLike,
    updates: TensorLike,
    bad_indices_policy: str = "",
    name: str | None = None,
) -> Tensor:
    """Return a copy of a tensor in which updates are subtracted at the given indices.

    Args:
        tensor: Numeric tensor of rank 1 or more.
        indices: Integer tensor of shape `[..., depth]`. Each row is the index of a slice.
        updates: Tensor of shape `[..., *tensor.shape[depth:]]`. All updates of a slice are
            subtracted.
        bad_indices_policy: How to handle out-of-range indices, as in `tf.scatter_nd`.

    Returns:
        Tensor with the shape and dtype of `tensor`.

    Raises:
        tf.errors.InvalidArgumentError: If the shape of `updates` does not match, the policy is
            unknown, or an index is out of range (on cpu and wasm).

    Example:
        >>> import tfpy as tf
        >>> tf.tensor_scatter_nd_sub([5, 5, 5], [[0], [2]], [3, 9]).numpy().tolist()
        [2, 5, -4]

    See also: `tf.tensor_scatter_nd_add`.
    """
    return _tensor_scatter_sum(ew.subtract, tensor, indices, updates, bad_indices_policy)
