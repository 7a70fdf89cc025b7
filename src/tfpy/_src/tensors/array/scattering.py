"""Reading and writing at n-dimensional indices, and splitting and merging by index.

Functions under ``tf`` itself. Indices out of range are an error on cpu and wasm, as in TensorFlow
on CPUs. On other backends reads give zeros and writes are dropped, as in TensorFlow on GPUs.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.errors import invalid, invalid_value
from tfpy._src.compiler.ir.op import Op
from tfpy._src.compiler.ir.strides import dense_strides
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
from tfpy._src.tensors.array.joining import concat, of_one_dtype
from tfpy._src.tensors.array.making import zeros
from tfpy._src.tensors.array.reshaping import broadcast_to, expand_dims, reshape
from tfpy._src.tensors.array.slicing import as_places, take
from tfpy._src.tensors.array.static import static_ints

_POLICIES = ("", "DEFAULT", "ERROR", "IGNORE")
"""What to do with indices outside of a tensor."""


@dispatchable
def gather_nd(
    params: Any,
    indices: Any,
    batch_dims: int = 0,
    name: str | None = None,
    bad_indices_policy: str = "",
) -> Tensor:
    """Slices of ``params`` at index vectors: ``params[indices[..., 0], indices[..., 1], ...]``.

    Args:
        indices: ``[..., depth]``; the result is ``[..., *params.shape[depth:]]``.
        batch_dims: leading dimensions in which both go together.
        bad_indices_policy: "IGNORE" gives zeros for what is outside of ``params``.

    Raises:
        InvalidArgumentError: when the index vectors are longer than ``params`` has dimensions, or
            for a policy that there is not.
        ValueError: when ``batch_dims`` is negative.

    Example:
        >>> import tfpy as tf
        >>> tf.gather_nd([[1, 2], [3, 4]], [[0, 1], [1, 0]]).numpy().tolist()
        [2, 3]
    """
    x, at = convert_to_tensor(params), as_places(indices)
    if batch_dims < 0:
        raise ValueError(f"gather_nd: batch_dims must not be negative, got {batch_dims}")
    if batch_dims:
        at = with_batch_index("gather_nd", x, at, int(batch_dims))
    depth = _depth("gather_nd", at, x.aval.shape)
    dims, rest = x.aval.shape[:depth], x.aval.shape[depth:]
    shape = (*at.aval.shape[:-1], *rest)
    inside = _inside("gather_nd", bad_indices_policy, at, dims)
    if inside is not None:
        if not math.prod(dims):
            return zeros(shape, x.dtype)
        at = logic.select(expand_dims(inside, -1), at, constant(0, at.dtype))
    rows = reshape(x, [math.prod(dims), *rest])
    places = primitives.ravel_index(at, dims=dims)
    whole_rows = at.ndim == 2 and depth == 1  # as in TensorFlow, its gradient is rows then
    found = indexing.gather(rows, places, axis=0, batch_dims=0, sparse_gradient=whole_rows)
    return found if inside is None else _where_rows(inside, found, zeros(shape, x.dtype))


def _inside(op: str, policy: str, indices: Tensor, dims: tuple[int, ...]) -> Tensor | None:
    """For each index vector whether it is in a tensor, where others are ignored; else None."""
    if policy not in _POLICIES:
        raise invalid(op, f"bad_indices_policy is one of {_POLICIES}, not {policy!r}")
    if policy != "IGNORE":
        return None
    ends = constant(dims, indices.dtype)
    fits = logic.logical_and(
        logic.greater_equal(indices, constant(0, indices.dtype)), logic.less(indices, ends)
    )
    return reduction.reduce_axes(reduction.reduce_all, fits, (fits.ndim - 1,), False)


def _where_rows(inside: Tensor, kept: Tensor, other: Tensor) -> Tensor:
    """Rows of one tensor or of another."""
    trailing = [1] * (kept.ndim - inside.ndim)
    return logic.select(reshape(inside, [*inside.aval.shape, *trailing]), kept, other)


def _depth(op: str, indices: Tensor, shape: tuple[int, ...]) -> int:
    if not indices.ndim:
        raise invalid(op, "indices must be at least a vector, got a scalar")
    if indices.aval.shape[-1] > len(shape):
        raise invalid(
            op,
            f"index innermost dimension length must be <= params rank; saw: {indices.shape[-1]} "
            f"vs. {len(shape)} (shape {list(shape)})",
        )
    return indices.aval.shape[-1]


def with_batch_index(op: str, x: Tensor, indices: Tensor, batch_dims: int) -> Tensor:
    """Index vectors that begin with their own batch position."""
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
    indices: Any, updates: Any, shape: Any, bad_indices_policy: str = "", name: str | None = None
) -> Tensor:
    """Zeros of ``shape`` to which ``updates`` are added at index vectors; strings are joined.

    Args:
        bad_indices_policy: "IGNORE" leaves out what is outside of ``shape``, on all backends.

    Raises:
        InvalidArgumentError: when ``updates`` do not have the shape that indices and shape ask for,
            or for a policy that there is not.

    Example:
        >>> import tfpy as tf
        >>> tf.scatter_nd([[3], [1]], [9, 8], [5]).numpy().tolist()
        [0, 8, 0, 9, 0]
    """
    sizes = static_ints(shape)
    at, values = convert_to_tensor(indices), convert_to_tensor(updates)
    ids, segments, rest = _places("scatter_nd", at, values, sizes, bad_indices_policy)
    if values.dtype == dtypes.string:
        kept = logic.select(ids < 0, segments, ids)  # the ignored ones make a segment of their own
        joined = text.segment_join(values, kept, segments=segments + 1, separator="")
        return reshape(take(joined, np.arange(segments, dtype=np.int32)), sizes)
    if not values.dtype.is_numeric:
        x = zeros([segments, *rest], values.dtype)
        return reshape(primitives.scatter_update(x, ids, values), sizes)
    return reshape(indexing.segment_sum(values, ids, segments=segments), sizes)


def _places(
    op: str, indices: Tensor, updates: Tensor, shape: tuple[int, ...], policy: str = ""
) -> tuple[Tensor, int, tuple[int, ...]]:
    """Row numbers (-1 for what is ignored), how many rows there are, and the shape of a row."""
    depth = _depth(op, indices, shape)
    dims, rest = shape[:depth], shape[depth:]
    wanted = (*indices.aval.shape[:-1], *rest)
    if updates.aval.shape != wanted:
        raise invalid(
            op,
            f"indices {list(indices.aval.shape)} and shape {list(shape)} need updates "
            f"{list(wanted)}, got {list(updates.aval.shape)}",
        )
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
    x, values = as_tensors(op, (tensor, updates))
    at = convert_to_tensor(indices)
    ids, segments, rest = _places(name, at, values, x.aval.shape, policy)
    rows = op(reshape(x, [segments, *rest]), ids, values)
    return reshape(rows, x.aval.shape)


def tensor_scatter_nd_update(
    tensor: Any, indices: Any, updates: Any, name: str | None = None
) -> Tensor:
    """``tensor`` with slices replaced; of several updates of one slice the last one stays.

    Example:
        >>> import tfpy as tf
        >>> tf.tensor_scatter_nd_update([1, 2, 3], [[1]], [9]).numpy().tolist()
        [1, 9, 3]
    """
    op = primitives.scatter_update
    return _tensor_scatter("tensor_scatter_nd_update", op, tensor, indices, updates)


def _tensor_scatter_sum(op: Op, tensor: Any, indices: Any, updates: Any, policy: str) -> Tensor:
    x, values = as_tensors(op, (tensor, updates))
    return op(x, scatter_nd(indices, values, x.aval.shape, policy))


def tensor_scatter_nd_max(
    tensor: Any,
    indices: Any,
    updates: Any,
    bad_indices_policy: str = "",
    name: str | None = None,
) -> Tensor:
    """``tensor`` with the larger of old and new at the index vectors.

    Example:
        >>> import tfpy as tf
        >>> x = [5, 5, 5]
        >>> tf.tensor_scatter_nd_max(x, indices=[[0], [2]], updates=[3, 9]).numpy().tolist()
        [5, 5, 9]
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
    tensor: Any,
    indices: Any,
    updates: Any,
    bad_indices_policy: str = "",
    name: str | None = None,
) -> Tensor:
    """``tensor`` with the smaller of old and new at the index vectors.

    Example:
        >>> import tfpy as tf
        >>> x = [5, 5, 5]
        >>> tf.tensor_scatter_nd_min(x, indices=[[0], [2]], updates=[3, 9]).numpy().tolist()
        [3, 5, 5]
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
    tensor: Any,
    indices: Any,
    updates: Any,
    bad_indices_policy: str = "",
    name: str | None = None,
) -> Tensor:
    """``tensor`` with ``updates`` added at the index vectors.

    Example:
        >>> import tfpy as tf
        >>> tf.tensor_scatter_nd_add([1, 2, 3], [[1], [1]], [10, 10]).numpy().tolist()
        [1, 22, 3]
    """
    return _tensor_scatter_sum(ew.add, tensor, indices, updates, bad_indices_policy)


def tensor_scatter_nd_sub(
    tensor: Any,
    indices: Any,
    updates: Any,
    bad_indices_policy: str = "",
    name: str | None = None,
) -> Tensor:
    """``tensor`` with ``updates`` subtracted at the index vectors.

    Example:
        >>> import tfpy as tf
        >>> x = [5, 5, 5]
        >>> tf.tensor_scatter_nd_sub(x, indices=[[0], [2]], updates=[3, 9]).numpy().tolist()
        [2, 5, -4]
    """
    return _tensor_scatter_sum(ew.subtract, tensor, indices, updates, bad_indices_policy)


def unravel_index(indices: Any, dims: Any, name: str | None = None) -> Tensor:
    """The coordinates ``[len(dims), ...]`` of row-major places in a tensor of shape ``dims``.

    Raises:
        InvalidArgumentError: If a dimension is not positive; on cpu and wasm also if a place is
            outside the tensor.

    Example:
        >>> import tfpy as tf
        >>> tf.unravel_index(indices=[0, 5, 7], dims=[2, 4]).numpy().tolist()
        [[0, 1, 1], [0, 1, 3]]
    """
    at, sizes = convert_to_tensor(indices), static_ints(dims)
    wrong = [n for n in sizes if n <= 0]
    if wrong:
        message = f"dims must be positive, got {wrong[0]} in {list(sizes)}"
        raise invalid_value("unravel_index", message)
    count = math.prod(sizes)
    places = indexing.range_(start=0, delta=1, count=count, dtype=at.dtype)
    inside = take(places, at)  # checks them
    column = [len(sizes), *[1] * at.ndim]
    strides = constant(dense_strides(sizes), at.dtype, shape=column)
    return ew.floor_mod(ew.floor_div(inside, strides), constant(sizes, at.dtype, shape=column))


@dispatchable
def dynamic_partition(
    data: Any, partitions: Any, num_partitions: int, name: str | None = None
) -> list[Tensor]:
    """The slices of ``data`` that belong to each partition. ``partitions`` is read on the host.

    Raises:
        InvalidArgumentError: for a partition outside ``[0, num_partitions)``, or shapes that do
            not go together.

    Example:
        >>> import tfpy as tf
        >>> rows = [10, 20, 30, 40]
        >>> even, odd = tf.dynamic_partition(rows, partitions=[0, 1, 1, 0], num_partitions=2)
        >>> even.numpy().tolist(), odd.numpy().tolist()
        ([10, 40], [20, 30])
    """
    x, parts = convert_to_tensor(data), convert_to_tensor(partitions).host_view()
    if x.aval.shape[: parts.ndim] != parts.shape:
        raise invalid(
            "dynamic_partition",
            f"data {list(x.shape)} must begin with the shape of partitions {list(parts.shape)}",
        )
    flat = parts.reshape(-1)
    if flat.size and (flat.min() < 0 or flat.max() >= num_partitions):
        raise invalid_value(
            "dynamic_partition",
            f"partitions run from {flat.min()} to {flat.max()}, outside [0, {num_partitions})",
        )
    rows = reshape(x, [parts.size, *x.aval.shape[parts.ndim :]])
    return [take(rows, np.flatnonzero(flat == i).astype(np.int32)) for i in range(num_partitions)]


def dynamic_stitch(indices: Any, data: Any, name: str | None = None) -> Tensor:
    """Slices of the tensors in ``data`` put at ``indices``; later ones win.

    Places that no index names are 0. ``indices`` are read on the host.

    Raises:
        InvalidArgumentError: for negative indices, or data that do not fit them.

    Example:
        >>> import tfpy as tf
        >>> indices, data = [[0, 3], [1, 2]], [[10, 40], [20, 30]]
        >>> tf.dynamic_stitch(indices, data).numpy().tolist()
        [10, 20, 30, 40]
    """
    tensors = of_one_dtype(data)
    places = [convert_to_tensor(i).host_view() for i in indices]
    if len(places) != len(tensors) or not tensors:
        raise invalid("dynamic_stitch", f"{len(places)} indices for {len(tensors)} data")
    rest = tensors[0].aval.shape[places[0].ndim :]
    for x, at in zip(tensors, places, strict=True):
        if x.aval.shape != (*at.shape, *rest):
            raise invalid(
                "dynamic_stitch",
                f"data {list(x.aval.shape)} must have the shape of its indices {list(at.shape)} "
                f"followed by {list(rest)}",
            )
    flat = np.concatenate([at.reshape(-1) for at in places])
    if flat.size and flat.min() < 0:
        raise invalid_value("dynamic_stitch", f"index {flat.min()} is negative")
    rows = concat([reshape(x, [at.size, *rest]) for x, at in zip(tensors, places, strict=True)], 0)
    count = int(flat.max()) + 1 if flat.size else 0
    ids = convert_to_tensor(flat.astype(np.int32))
    return primitives.scatter_update(zeros([count, *rest], rows.dtype), ids, rows)
