"""Functions of `tf` that create a ragged tensor with a `DynamicRaggedShape`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.errors import invalid
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.dispatch import implements
from tfpy._src.tensors.array import broadcasting, making, reshaping
from tfpy._src.tensors.composite.ragged.broadcast import match
from tfpy._src.tensors.composite.ragged.row_partition import Ints
from tfpy._src.tensors.composite.ragged.rows import RaggedRows
from tfpy._src.tensors.composite.ragged.tensor import RaggedTensor
from tfpy._src.tensors.ragged.shape import DynamicRaggedShape


@implements(making.zeros, DynamicRaggedShape)
def zeros(shape: Any, dtype: Any = dtypes.float32, name: str | None = None) -> Any:
    """Create zeros in the rows of a shape."""
    return shape.partitioned(making.zeros(shape.inner_shape, dtype))


@implements(making.ones, DynamicRaggedShape)
def ones(shape: Any, dtype: Any = dtypes.float32, name: str | None = None) -> Any:
    """Create ones in the rows of a shape."""
    return shape.partitioned(making.ones(shape.inner_shape, dtype))


@implements(making.fill, DynamicRaggedShape)
def fill(dims: Any, value: Any, name: str | None = None) -> Any:
    """Create a ragged tensor of one value in the rows of a shape."""
    return dims.partitioned(making.fill(dims.inner_shape, value))


@implements(reshaping.reshape, DynamicRaggedShape)
def reshape(tensor: Any, shape: Any, name: str | None = None) -> Any:
    """Partition the elements of a tensor into the rows of a shape."""
    return shape.partitioned(reshaping.reshape(tensor, shape.inner_shape))


@implements(reshaping.broadcast_to, RaggedTensor)
@implements(reshaping.broadcast_to, DynamicRaggedShape)
def broadcast_to(input: Any, shape: Any, name: str | None = None) -> Any:
    """Broadcast a tensor or ragged tensor to the rows of a shape.

    Raises:
        ValueError: If a ragged tensor is given with a shape that is not a `DynamicRaggedShape`.
        InvalidArgumentError: If the tensor does not broadcast to the shape.
    """
    if not isinstance(shape, DynamicRaggedShape):
        raise ValueError(
            f"broadcast_to: a RaggedTensor broadcasts to a DynamicRaggedShape, got {shape!r}. "
            "Use tf.shape() of a ragged tensor, or convert the input with to_tensor()."
        )
    x = input if isinstance(input, RaggedTensor) else convert_to_tensor(input)
    rows: Any = shape
    target = making.zeros(rows, dtypes.int32)
    if not isinstance(target, RaggedTensor):
        return reshaping.broadcast_to(x, shape.inner_shape)
    if x.ndim > target.ndim:
        raise _misfit(x, shape)
    (flat, _), rows = match([x, target])
    if not _has_splits(rows, target.nested_splits):
        raise _misfit(x, shape)
    return target.with_flat_values(reshaping.broadcast_to(flat, shape.inner_shape))


@implements(broadcasting.broadcast_dynamic_shape, DynamicRaggedShape)
def broadcast_dynamic_shape(shape_x: Any, shape_y: Any) -> DynamicRaggedShape:
    """Compute the shape that results from broadcasting values of two shapes."""
    x, y = (making.zeros(shape, dtypes.int32) for shape in (shape_x, shape_y))
    return DynamicRaggedShape.from_tensor(x + y)


def _has_splits(rows: RaggedRows, splits: Sequence[Ints]) -> bool:
    own = rows.nested_splits
    return len(own) == len(splits) and all(map(np.array_equal, own, splits))


def _misfit(x: Any, shape: DynamicRaggedShape) -> Exception:
    return invalid("broadcast_to", f"A tensor of shape {x.shape} does not broadcast to {shape!r}")
