"""Joining, selecting and reshaping ragged tensors."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from tfpy._src.base.errors import invalid_value
from tfpy._src.core.conversion import convert_to_tensor, host_values, is_operand
from tfpy._src.core.operand import Operand, with_composites
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import TensorLike
from tfpy._src.tensors.array import joining, reshaping
from tfpy._src.tensors.array.slicing import check_mask
from tfpy._src.tensors.array.static import static_ints
from tfpy._src.tensors.composite.ragged import row_partition as partition
from tfpy._src.tensors.composite.ragged.axes import positive_axis
from tfpy._src.tensors.composite.ragged.rows import row_count, take_rows
from tfpy._src.tensors.composite.ragged.tensor import RaggedTensor
from tfpy._src.tensors.ragged import making


def as_ragged_or_tensor(value: Any, kind: Any = None) -> Any:
    """Convert a value to a tensor, or to a ragged tensor if nested lists have different lengths."""
    value = with_composites(value)
    if isinstance(value, Operand):
        return value if isinstance(value, RaggedTensor) else convert_to_tensor(value)
    try:
        return convert_to_tensor(value, kind)
    except ValueError:
        return making.constant(value, kind)


def outer(x: Any) -> RaggedTensor:
    """Convert a tensor to a ragged tensor with one partitioned axis."""
    if isinstance(x, RaggedTensor):
        return x
    shape = list(x.aval.shape)
    merged = reshaping.reshape(x, [shape[0] * shape[1], *shape[2:]])
    return RaggedTensor.from_uniform_row_length(merged, shape[1], shape[0])


def picked(values: Any, rows: Any) -> Any:
    """Return the rows at positions; as in TensorFlow, no axis of the result is uniform."""
    return of_any_lengths(take_rows(values, rows))


def of_any_lengths(x: Any) -> Any:
    """Return `x` without the information that axes are uniform."""
    return RaggedTensor(of_any_lengths(x.values), x.splits) if isinstance(x, RaggedTensor) else x


def _of_one_kind(values: Sequence[Any]) -> list[Any]:
    """Convert values to tensors or ragged tensors of one dtype, and check their ranks."""
    values = list(map(with_composites, values))
    kind = next((v.dtype for v in values if is_operand(v)), None)
    tensors = [v if isinstance(v, RaggedTensor) else convert_to_tensor(v, kind) for v in values]
    ranks = {t.ndim for t in tensors}
    if len(ranks) > 1:
        raise ValueError(
            f"Shapes {[str(t.shape) for t in tensors]} must have the same rank to be joined"
        )
    return tensors


def concat(values: Any, axis: Any, name: str = "concat") -> Any:
    """Concatenate ragged tensors; along inner axes, concatenate their rows."""
    tensors = _of_one_kind(values if isinstance(values, list | tuple) else [values])
    if not tensors:
        raise ValueError("concat: rt_inputs may not be empty. Pass at least one tensor.")
    return _concat(tensors, positive_axis("concat", axis, tensors[0].ndim))


def _concat(tensors: list[Any], axis: int) -> Any:
    if len(tensors) == 1:
        return tensors[0]
    if not any(isinstance(t, RaggedTensor) for t in tensors):
        first = tensors[0].aval.shape
        same = [
            n for t in tensors for i, n in enumerate(t.aval.shape) if i != axis and n != first[i]
        ]
        if not same or axis != 0 or tensors[0].ndim < 2:
            return joining.concat(tensors, axis)
    parts = [outer(t) for t in tensors]
    if axis == 0:
        inner = _concat([p.values for p in parts], 0)
        lengths = np.concatenate([np.diff(p.splits) for p in parts])
        return RaggedTensor(inner, partition.from_lengths(lengths))
    n = row_count(parts[0])
    if any(row_count(p) != n for p in parts):
        raise invalid_value(
            "concat", f"Input tensors must have the same number of rows, {n}, but some differ"
        )
    if axis == 1:
        stacked = _concat(parts, 0)  # the rows of all parts, reordered by row index below
        order = np.arange(n * len(parts), dtype=np.int32).reshape(len(parts), n).T.reshape(-1)
        rows = take_rows(stacked, order)
        return RaggedTensor(rows.values, rows.splits[:: len(parts)].copy())
    first = parts[0]
    if any(not np.array_equal(p.splits, first.splits) for p in parts[1:]):
        raise invalid_value("concat", "Inputs must have identical ragged splits before the axis")
    return first.with_values(_concat([p.values for p in parts], axis - 1))


def stack(
    values: Sequence[TensorLike] | RaggedTensor, axis: int = 0, name: str | None = "stack"
) -> RaggedTensor | Tensor:
    """Stack tensors of different shapes along a new axis, which results in a ragged tensor.

    Args:
        values: List of tensors, ragged tensors or rectangular lists with the same number of
            dimensions and the same dtype. A single tensor is stacked alone.
        axis: Position of the new axis. Negative values count from the end. Default: 0.

    Returns:
        A `tf.RaggedTensor`, or a tensor if `values` contains scalars.

    Raises:
        ValueError: If `values` is empty, the numbers of dimensions differ, or the rows of a list
            have different lengths.

    Example:
        >>> import tfpy as tf
        >>> tf.ragged.stack([[1, 2], [3]]).to_list()
        [[1, 2], [3]]

    See also: `tf.stack`, `tf.concat`.
    """
    tensors = _of_one_kind(values if isinstance(values, list | tuple) else [values])
    if not tensors:
        raise ValueError("stack: rt_inputs may not be empty. Pass at least one tensor.")
    rank = tensors[0].ndim
    at = positive_axis("stack", axis, rank + 1)
    if rank == 0:
        return RaggedTensor.from_row_lengths(joining.stack(tensors), [len(tensors)]).values
    if at == 0:
        tensors = [outer(t) if t.ndim > 1 else t for t in tensors]
        lengths = np.array([row_count(t) for t in tensors], np.int32)
        return RaggedTensor(_concat(tensors, 0), partition.from_lengths(lengths))
    return _concat([outer(expand_dims(t, at)) for t in tensors], at)


def expand_dims(input: Any, axis: Any, name: str | None = None) -> Any:
    """Insert an axis of size 1."""
    if not isinstance(input, RaggedTensor):
        return reshaping.expand_dims(input, axis)
    at = positive_axis("expand_dims", axis, input.ndim + 1)
    if at == 0:
        return RaggedTensor.from_uniform_row_length(input, row_count(input), 1)
    if at == 1:
        return RaggedTensor.from_uniform_row_length(input, 1, row_count(input))
    return input.with_values(expand_dims(input.values, at - 1))


def squeeze(input: Any, axis: Any = None, name: str | None = None) -> Any:
    """Remove axes of size 1.

    Raises:
        ValueError: If `axis` is None, because ragged axes have no size.
    """
    if axis is None:
        raise ValueError("Ragged.squeeze must have an axis argument.")
    at = sorted({positive_axis("squeeze", a, input.ndim) for a in static_ints(axis)}, reverse=True)
    for a in at:
        input = _squeeze(input, a)
    return input


def _squeeze(x: Any, axis: int) -> Any:
    if not isinstance(x, RaggedTensor):
        return reshaping.squeeze(x, [axis])
    if axis == 0:
        if row_count(x) != 1:
            raise invalid_value(
                "squeeze", f"Can not squeeze dim[0], expected 1, got {row_count(x)}"
            )
        return x.values
    if axis == 1:
        if (np.diff(x.splits) != 1).any():
            raise invalid_value("squeeze", "Can not squeeze dim[1]: not every row has one value")
        return x.values
    return x.with_values(_squeeze(x.values, axis - 1))


def tile(input: Any, multiples: Any, name: str | None = None) -> Any:
    """Repeat the tensor `multiples[i]` times along axis `i`."""
    times = static_ints(multiples)
    if len(times) != input.ndim:
        raise invalid_value("tile", f"Expected {input.ndim} multiples, got {len(times)}")
    return _tile(input, list(times))


def _tile(x: Any, times: list[int]) -> Any:
    if not isinstance(x, RaggedTensor):
        return joining.tile(x, times)
    inner = x.values
    if any(t != 1 for t in times[2:]):
        inner = _tile(inner, [1, *times[2:]])
    rows = x.with_values(inner)
    if times[1] != 1:
        n = row_count(rows)
        repeated = take_rows(rows, np.repeat(np.arange(n, dtype=np.int32), times[1]))
        lengths = np.diff(rows.splits) * times[1]
        width = rows.uniform_row_length
        rows = RaggedTensor(
            repeated.values,
            partition.from_lengths(lengths),
            None if width is None else width * times[1],
        )
    return picked(rows, np.tile(np.arange(row_count(rows), dtype=np.int32), times[0]))


def reverse(tensor: Any, axis: Any, name: str | None = None) -> Any:
    """Reverse the order of elements along the axes."""
    if axis is None or isinstance(axis, str):
        raise TypeError(
            "`axis` must be a list of int or a constant tensor when reversing axes in a ragged "
            f"tensor, got {axis!r}"
        )
    axes = {positive_axis("reverse", a, tensor.ndim) for a in static_ints(axis)}
    flip = [slice(None, None, -1 if i in axes else None) for i in range(max(axes, default=-1) + 1)]
    return tensor[tuple(flip)] if flip else tensor


def split(
    value: Any, num_or_size_splits: Any, axis: int = 0, num: Any = None, name: str = ""
) -> Any:
    """Split an axis whose size is the same in all rows."""
    if not -value.ndim <= axis < value.ndim:
        raise ValueError(f"axis={axis} out of bounds: expected -{value.ndim}<=axis<{value.ndim}")
    axis %= value.ndim
    sizes = _split_sizes(num_or_size_splits, num)
    size = row_count(value) if axis == 0 else value.shape[axis]
    if size is None:
        raise ValueError(
            f"Cannot split a ragged dimension. Got `value` with shape {value.shape} and `axis` "
            f"{axis}"
        )
    positions = joining.split(np.arange(size, dtype=np.int32), sizes)
    if axis == 0:
        return [take_rows(value, p.host_view()) for p in positions]
    ends = np.cumsum([p.aval.shape[0] for p in positions]).tolist()
    before = (slice(None),) * axis
    return [value[(*before, slice(a, b))] for a, b in pairwise([0, *ends])]


def _split_sizes(sizes: Any, num: Any) -> Any:
    """Return the argument `num_or_size_splits`, after the checks of its type."""
    host = host_values(sizes) if is_operand(sizes) else np.asarray(sizes)
    if host.dtype.kind not in "iu" or host.ndim > 1:
        raise TypeError(
            "`num_or_size_splits` must be an `int` or 1-D list or `Tensor` of integers. Received "
            f"{sizes!r}"
        )
    if host.ndim == 0 and host < 1:
        raise ValueError(f"`num_or_size_splits` must be >=1 if it is an `int`. Received {host}.")
    if host.ndim and num is not None and num != host.size:
        raise ValueError(
            "`num` does not match the size of `num_or_size_split`. Received `num`: "
            f"{num} and size of `num_or_size_split`: {host.size}."
        )
    return host.tolist()


def boolean_mask(
    data: TensorLike, mask: TensorLike, name: str | None = None
) -> RaggedTensor | Tensor:
    """Select the values at which a mask is True, and keep them in their rows.

    Unlike `tf.boolean_mask`, the function does not merge the axes of the mask into one. The mask is
    read back to Python, so the call waits for pending computations, and a `tf.function` that
    contains the call runs eagerly, without compilation.

    Args:
        data: Tensor, `tf.RaggedTensor` or nested list.
        mask: Boolean tensor, `tf.RaggedTensor` or nested list, whose shape must be equal to
            `data.shape[:mask.ndim]`.

    Returns:
        A `tf.RaggedTensor` with as many dimensions as `data`. If `mask` is a vector and `data` a
        tensor, the result is a tensor.

    Raises:
        ValueError: If `mask` is a scalar or does not match the shape of `data`.
        TypeError: If the dtype of `mask` is not bool.
        tf.errors.InvalidArgumentError: If the rows of `data` and `mask` have different lengths.

    Example:
        >>> import tfpy as tf
        >>> tf.ragged.boolean_mask([[1, 2], [3, 4]], [[True, False], [True, True]]).to_list()
        [[1], [3, 4]]

    See also: `tf.boolean_mask`.
    """
    x, m = as_ragged_or_tensor(data), as_ragged_or_tensor(mask)
    if m.ndim == 0:
        raise ValueError("mask cannot be scalar.")
    if m.dtype.name != "bool" and isinstance(m, RaggedTensor):
        raise ValueError(
            f"Tensor conversion requested dtype bool for RaggedTensor with dtype {m.dtype.name}: "
            f"{m!r}"
        )
    if m.dtype.name != "bool":
        raise TypeError(f"Expected mask to have dtype bool, got {m.dtype.name}")
    if not isinstance(x, RaggedTensor) and not isinstance(m, RaggedTensor):
        check_mask(x.aval.shape, m.aval.shape)
    if isinstance(m, RaggedTensor) or m.ndim > 1:
        if x.ndim < m.ndim:
            raise ValueError(
                f"boolean_mask: mask of shape {m.shape} has a higher rank than data of shape "
                f"{x.shape}"
            )
        rows, marks = outer(x), outer(m)
        if not np.array_equal(rows.splits, marks.splits):
            raise invalid_value("boolean_mask", "data and mask must have the same rows")
        if marks.values.ndim > 1:
            inner = boolean_mask(rows.values, marks.values)
            return RaggedTensor(inner, rows.splits, rows.uniform_row_length)
        kept = marks.values.host_view()
        counts = np.bincount(partition.rowids(marks.splits)[kept], minlength=row_count(marks))
        positions = np.flatnonzero(kept).astype(np.int32)
        return RaggedTensor(
            take_rows(rows.values, positions), partition.from_lengths(counts.astype(np.int32))
        )
    kept = m.host_view()
    if kept.size != row_count(x):
        raise invalid_value(
            "boolean_mask", f"mask has {kept.size} elements, but data has {row_count(x)} rows"
        )
    return picked(x, np.flatnonzero(kept).astype(np.int32))
