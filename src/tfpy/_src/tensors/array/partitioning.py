"""Partitioning and merging of tensors by index."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from tfpy._src.base.errors import invalid, invalid_value
from tfpy._src.compiler.ir.strides import dense_strides
from tfpy._src.compiler.ops import (
    elementwise as ew,
    indexing,
    scatter as primitives,
)
from tfpy._src.core.conversion import constant, convert_to_tensor
from tfpy._src.core.dispatch import dispatchable
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import ShapeLike, TensorLike
from tfpy._src.tensors.array.joining import concat, of_one_dtype
from tfpy._src.tensors.array.making import zeros
from tfpy._src.tensors.array.reshaping import reshape
from tfpy._src.tensors.array.slicing import take
from tfpy._src.tensors.array.static import static_ints


def unravel_index(indices: TensorLike, dims: ShapeLike, name: str | None = None) -> Tensor:
    """Convert flat indices to coordinates in a tensor of shape `dims`.

    Args:
        indices: Integer tensor of any shape with indices into the flattened tensor (in row-major
            order).
        dims: Shape of the tensor, a vector of positive integers.

    Returns:
        Tensor of shape `[len(dims), *indices.shape]`, with the dtype of `indices`. Row i contains
        the coordinates along axis i.

    Raises:
        tf.errors.InvalidArgumentError: If a dimension is not positive, or an index is out of range
            (on the cpu and wasm backends).

    Example:
        >>> import tfpy as tf
        >>> tf.unravel_index(indices=[0, 5, 7], dims=[2, 4]).numpy().tolist()
        [[0, 1, 1], [0, 1, 3]]

    See also: `tf.gather_nd`.
    """
    at, sizes = convert_to_tensor(indices), static_ints(dims)
    wrong = [n for n in sizes if n <= 0]
    if wrong:
        what = "cannot contain a dim of zero" if wrong[0] == 0 else "must be positive"
        message = f"dims {what}, got {wrong[0]} in {list(sizes)}"
        raise invalid_value("unravel_index", message)
    count = math.prod(sizes)
    places = indexing.range_(start=0, delta=1, count=count, dtype=at.dtype)
    inside = take(places, at)  # checks the range of the indices
    column = [len(sizes), *[1] * at.ndim]
    strides = constant(dense_strides(sizes), at.dtype, shape=column)
    return ew.floor_mod(ew.floor_div(inside, strides), constant(sizes, at.dtype, shape=column))


@dispatchable
def dynamic_partition(
    data: TensorLike, partitions: TensorLike, num_partitions: int, name: str | None = None
) -> list[Tensor]:
    """Split a tensor into `num_partitions` tensors, by a partition number for each slice.

    The sizes of the results depend on the values of `partitions`. They are read back to Python, so
    the call waits for pending computations. A `tf.function` in which `partitions` is not constant
    runs eagerly, without compilation.

    Args:
        data: Tensor of shape `[*partitions.shape, ...]`.
        partitions: Integer tensor with the partition number of each slice of `data`, from 0 to
            `num_partitions - 1`.
        num_partitions: Number of partitions.

    Returns:
        List of `num_partitions` tensors with the dtype of `data`. Tensor i contains the slices with
        partition number i, in their order in `data`.

    Raises:
        tf.errors.InvalidArgumentError: If a partition number is out of range, or the shape of
            `data` does not begin with the shape of `partitions`.

    Example:
        >>> import tfpy as tf
        >>> rows = [10, 20, 30, 40]
        >>> even, odd = tf.dynamic_partition(rows, partitions=[0, 1, 1, 0], num_partitions=2)
        >>> even.numpy().tolist(), odd.numpy().tolist()
        ([10, 40], [20, 30])

    See also: `tf.dynamic_stitch`, `tf.boolean_mask`.
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
            f"partitions must be in [0, {num_partitions}), but range from {flat.min()} to "
            f"{flat.max()}",
        )
    rows = reshape(x, [parts.size, *x.aval.shape[parts.ndim :]])
    return [take(rows, np.flatnonzero(flat == i).astype(np.int32)) for i in range(num_partitions)]


def dynamic_stitch(
    indices: Sequence[TensorLike], data: Sequence[TensorLike], name: str | None = None
) -> Tensor:
    """Merge the slices of several tensors into one tensor at the given indices.

    Slices of the result without an index are filled with zeros.

    The size of the result depends on the values of `indices`. They are read back to Python, so the
    call waits for pending computations. A `tf.function` in which `indices` is not constant runs
    eagerly, without compilation.

    Args:
        indices: List of integer tensors, one for each tensor in `data`. If an index occurs more
            than once, its last slice is used.
        data: List of tensors of the same dtype. `data[i]` has the shape `[*indices[i].shape, ...]`.

    Returns:
        Tensor of shape `[m + 1, ...]`, where m is the largest index, with the dtype of `data`.

    Raises:
        tf.errors.InvalidArgumentError: If an index is negative, the numbers of tensors in `indices`
            and `data` differ, or the shapes of a tensor and its indices do not match.

    Example:
        >>> import tfpy as tf
        >>> indices, data = [[0, 3], [1, 2]], [[10, 40], [20, 30]]
        >>> tf.dynamic_stitch(indices, data).numpy().tolist()
        [10, 20, 30, 40]

    See also: `tf.dynamic_partition`, `tf.scatter_nd`.
    """
    tensors = of_one_dtype(data)
    places = [convert_to_tensor(i).host_view() for i in indices]
    if len(places) != len(tensors) or not tensors:
        raise invalid(
            "dynamic_stitch",
            f"indices and data must have the same number of tensors, at least one, got "
            f"{len(places)} and {len(tensors)}",
        )
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
