"""Implementations of functions of `tf` for ragged tensors; `tf.nn` registers its own.

Elementwise ops need no entry, because eager execution calls `RaggedTensor.apply_op` for them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfpy._src.compiler.ops import elementwise, logic
from tfpy._src.core.conversion import constant
from tfpy._src.core.dispatch import implements
from tfpy._src.core.tape import stop_gradient
from tfpy._src.core.tensor import Tensor
from tfpy._src.tensors.array import joining, reordering, reshaping, scans, slicing
from tfpy._src.tensors.composite.ragged.broadcast import map_flat_values, same_rows
from tfpy._src.tensors.composite.ragged.tensor import RaggedTensor
from tfpy._src.tensors.math import arithmetic, reductions, statistics
from tfpy._src.tensors.ragged import gathering, reduction, shaping
from tfpy._src.tensors.ragged.shape import DynamicRaggedShape

_OWN: dict[Callable[..., Any], Callable[..., Any]] = {
    **reduction.REDUCTIONS,
    reductions.reduce_mean: reduction.reduce_mean,
    statistics.reduce_variance: reduction.reduce_variance,
    statistics.reduce_std: reduction.reduce_std,
    joining.concat: shaping.concat,
    joining.stack: shaping.stack,
    joining.tile: shaping.tile,
    reordering.reverse: shaping.reverse,
    joining.split: shaping.split,
    reshaping.expand_dims: shaping.expand_dims,
    reshaping.squeeze: shaping.squeeze,
    slicing.gather: gathering.gather,
}
for _function, _own in _OWN.items():
    implements(_function, RaggedTensor)(_own)


@implements(slicing.where, RaggedTensor)
def where(condition: Any, x: Any = None, y: Any = None, name: str | None = None) -> Any:
    """Select values, or return the indices of true values."""
    if (x is None) != (y is None):
        raise ValueError("x and y must be either both None or both non-None")
    if x is not None:
        return logic.select(condition, x, y)
    sparse = condition.to_sparse()
    return slicing.boolean_mask(sparse.indices, sparse.values)


@implements(reshaping.size, RaggedTensor)
def size(input: Any, out_type: Any = None, name: str | None = None) -> Tensor:
    """Return the number of values."""
    return constant(input.flat_values.size)


@implements(reshaping.rank, RaggedTensor)
def rank(input: Any, name: str | None = None) -> Tensor:
    """Return the rank, including ragged axes."""
    return constant(input.ndim)


@implements(reshaping.shape, RaggedTensor)
def shape(input: Any, out_type: Any = None, name: str | None = None) -> DynamicRaggedShape:
    """Return the shape with the lengths of the rows."""
    return DynamicRaggedShape.from_tensor(input)


@implements(reductions.reduce_logsumexp, RaggedTensor)
def reduce_logsumexp(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Any:
    """Compute `log(sum(exp(x)))` over the axes, without overflow."""
    x = input_tensor
    peaks = [stop_gradient(reductions.reduce_max(x, axis, keep)) for keep in (True, keepdims)]
    whole, peak = (slicing.where(logic.is_finite(p), p, 0.0) for p in peaks)
    if axis is None:
        whole = reshaping.reshape(whole, [])
    return elementwise.log(reductions.reduce_sum(elementwise.exp(x - whole), axis, keepdims)) + peak


@implements(reshaping.reshape, RaggedTensor)
def reshape(tensor: Any, shape: Any, name: str | None = None) -> Any:
    """Reshape the flat values."""
    return reshaping.reshape(tensor.flat_values, shape)


@implements(slicing.one_hot, RaggedTensor)
def one_hot(
    indices: Any,
    depth: Any,
    on_value: Any = None,
    off_value: Any = None,
    axis: int | None = None,
    dtype: Any = None,
    name: str | None = None,
) -> Any:
    """Convert each value to a one-hot vector, along an axis of the values.

    Raises:
        ValueError: If the axis is ragged.
    """
    if axis is not None and axis < -1:
        raise ValueError(f"one_hot: axis must be >= -1, got {axis}")
    if axis is not None and axis >= 0:
        if axis <= indices.ragged_rank:
            raise ValueError(
                f"one_hot: axis ({axis}) must be greater than indices.ragged_rank "
                f"({indices.ragged_rank})"
            )
        axis -= indices.ragged_rank
    return map_flat_values(slicing.one_hot, indices, depth, on_value, off_value, axis, dtype)


@implements(scans.cumsum, RaggedTensor)
def cumsum(
    x: Any, axis: int = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None
) -> Any:
    """Compute cumulative sums, by way of a dense tensor."""
    dense = scans.cumsum(x.to_tensor(), axis, exclusive, reverse)
    lengths = x.nested_row_lengths()
    back = RaggedTensor.from_tensor(dense, lengths=lengths if len(lengths) > 1 else lengths[0])
    assert same_rows(back, x)
    return back


@implements(arithmetic.add_n, RaggedTensor)
def add_n(inputs: Any, name: str | None = None) -> Any:
    """Add ragged tensors with matching rows."""
    first, *rest = inputs
    for x in rest:
        first = first + x
    return first
