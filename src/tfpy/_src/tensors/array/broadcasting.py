"""Shapes of broadcasting, as static shapes and as tensors."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tfpy._src.compiler.ops.families.infer import broadcast_shapes
from tfpy._src.core.conversion import constant
from tfpy._src.core.dispatch import dispatchable
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.tensor_shape import TensorShape
from tfpy._src.core.typing import ShapeLike
from tfpy._src.tensors.array.static import static_ints


def broadcast_static_shape(shape_x: Sequence[int], shape_y: Sequence[int]) -> TensorShape:
    """Compute the shape that results from broadcasting tensors of two static shapes.

    Args:
        shape_x: First shape, a `tf.TensorShape` or a sequence of integers. Sizes can be unknown.
        shape_y: Second shape, in the same forms as `shape_x`.

    Returns:
        The broadcast shape, a `tf.TensorShape`.

    Raises:
        ValueError: If the shapes cannot be broadcast together.

    Example:
        >>> import tfpy as tf
        >>> tf.broadcast_static_shape(tf.TensorShape([3, 1]), tf.TensorShape([1, 4]))
        TensorShape([3, 4])

    See also: `tf.broadcast_dynamic_shape`, `tf.broadcast_to`.
    """
    shapes = TensorShape(shape_x), TensorShape(shape_y)
    if any(shape.rank is None for shape in shapes):
        return TensorShape(None)
    first, second = (shape.as_list() for shape in shapes)
    rank = max(len(first), len(second))
    padded = [[*[1] * (rank - len(sizes)), *sizes] for sizes in (first, second)]
    try:
        return TensorShape(list(map(_broadcast_size, *padded)))
    except ValueError:
        raise ValueError(
            f"Incompatible shapes for broadcasting: {tuple(first)} and {tuple(second)}; the "
            "sizes of each dimension must be equal, or one of them must be 1"
        ) from None


def _broadcast_size(x: int | None, y: int | None) -> int | None:
    """Return the size of a dimension of the result. None is an unknown size.

    Raises:
        ValueError: If the sizes do not match.
    """
    if x == y or y == 1:
        return x
    if x == 1:
        return y
    if x is None or y is None:
        known = y if x is None else x
        return known or None  # 0 or 1 if the known size is 0
    raise ValueError(f"{x} and {y}")


@dispatchable
def broadcast_dynamic_shape(shape_x: ShapeLike, shape_y: ShapeLike) -> Tensor:
    """Compute the shape that results from broadcasting tensors of two shapes, as a tensor.

    Args:
        shape_x: First shape, an integer vector or a `tf.experimental.DynamicRaggedShape`.
        shape_y: Second shape, like `shape_x`.

    Returns:
        The broadcast shape, an int32 vector.

    Raises:
        tf.errors.InvalidArgumentError: If the shapes cannot be broadcast together.

    Example:
        >>> import tfpy as tf
        >>> tf.broadcast_dynamic_shape([3, 1], [1, 4]).numpy().tolist()
        [3, 4]

    See also: `tf.broadcast_static_shape`, `tf.broadcast_to`.
    """
    shapes = static_ints(shape_x), static_ints(shape_y)
    return constant(np.array(broadcast_shapes("broadcast_dynamic_shape", *shapes), np.int32))
