"""Non-maximum suppression of batches, with the semantics of TensorFlow's computation in tiles."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tfpy._src.backends.awaitable import awaitable
from tfpy._src.base import dtypes
from tfpy._src.compiler.ops import elementwise as ew, logic
from tfpy._src.core.conversion import constant, convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import FloatLike, IntLike, TensorLike
from tfpy._src.library.image.boxes import below, chosen, fetched, padded, suppressed
from tfpy._src.tensors.array.joining import concat
from tfpy._src.tensors.array.making import cast
from tfpy._src.tensors.array.reshaping import reshape
from tfpy._src.tensors.array.static import static_ints, static_number
from tfpy._src.tensors.math import reductions


def non_max_suppression_padded(
    boxes: TensorLike,
    scores: TensorLike,
    max_output_size: IntLike,
    iou_threshold: FloatLike = 0.5,
    score_threshold: FloatLike = -math.inf,
    pad_to_max_output_size: bool = False,
    name: str | None = None,
    sorted_input: bool = False,
    canonicalized_coordinates: bool = False,
    tile_size: int = 512,
) -> tuple[Tensor, Tensor]:
    """Select boxes by non-maximum suppression, and optionally pad the indices to a fixed number.

    If `pad_to_max_output_size` is True, the shape of the result does not depend on the values, so
    this function can be compiled in a `tf.function`. A box without a positive coordinate, such as
    padding, is never selected.

    Args:
        boxes: Float tensor of shape `[..., n, 4]` with two opposite corners of each box, as `y1,
            x1, y2, x2`.
        scores: Float tensor of shape `[..., n]` with the score of each box.
        max_output_size: Maximum number of boxes to select.
        iou_threshold: A box is dropped if its intersection over union with a selected box is at
            least this number. If the number is 0 or less, no box is dropped, and at most
            `tile_size` boxes are selected.
        score_threshold: Boxes with a score of at most this value are dropped. Default: no
            threshold.
        pad_to_max_output_size: If True, pad the indices with 0 to `max_output_size`. Required if
            `boxes` has a batch dimension.
        sorted_input: If True, select boxes in the given order, and compare the scores only with
            `score_threshold`. Otherwise, select boxes in descending order of score.
        canonicalized_coordinates: If True, the first corner of each box must have the smaller
            coordinates. Otherwise, the order of the corners is taken from the first box, and a box
            with a different order is treated as if it did not overlap any box.
        tile_size: Maximum number of boxes to select if `iou_threshold` is 0 or less. Otherwise, it
            has no effect.

    Returns:
        A tuple of an int32 tensor of shape `[..., m]` with the indices of the selected boxes, and
        an int32 tensor of shape `[...]` with the number of selected boxes.

    Raises:
        TypeError: If `scores` does not have a float dtype.
        ValueError: If `boxes` has a batch dimension and `pad_to_max_output_size` is False.
        tf.errors.InvalidArgumentError: If the shapes of `boxes` and `scores` are not compatible, or
            `max_output_size` is negative.

    Example:
        >>> import tfpy as tf
        >>> boxes = [[0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 0.9, 1.0], [0.0, 2.0, 1.0, 3.0]]
        >>> indices, valid = tf.image.non_max_suppression_padded(
        ...     boxes, [0.9, 0.75, 0.5], max_output_size=4, pad_to_max_output_size=True
        ... )
        >>> indices.numpy().tolist(), valid.numpy().tolist()
        ([0, 2, 0, 0], 2)

    See also: `tf.image.non_max_suppression`, `tf.image.combined_non_max_suppression`.
    """
    corners = convert_to_tensor(boxes)
    if corners.ndim > 2 and not pad_to_max_output_size:
        raise ValueError("'pad_to_max_output_size' (value False) must be True for batched input")
    (size,) = static_ints(max_output_size)
    most, threshold = size, float(static_number(iou_threshold))
    if threshold > 0:
        threshold = below(threshold)
    else:
        most, threshold = min(most, tile_size), 1.0
    values = convert_to_tensor(scores)
    if not values.dtype.is_floating:
        problem = f"scores must have a float dtype, got {values.dtype.name}. Use tf.cast"
        raise TypeError(f"non_max_suppression_padded: {problem}")
    corners, values = cast(corners, dtypes.float32), cast(values, dtypes.float32)
    least = float(static_number(score_threshold))
    if corners.ndim > 1 and corners.aval.shape == (*values.aval.shape, 4) and corners.size:
        corners, values = _countable(corners, values, canonicalized_coordinates)
        if sorted_input:
            values, least = _in_order(values, least), 0.0
    pairs = suppressed(corners, values, most, threshold, least)
    if not pad_to_max_output_size:
        indices, _ = chosen(pairs)
        return indices, constant(indices.aval.shape[0])
    return padded(pairs, size)


def _countable(boxes: Tensor, scores: Tensor, canonical: bool) -> tuple[Tensor, Tensor]:
    """Return boxes and scores with the semantics of TensorFlow's tiles.

    The order of the corners in the first box holds for all boxes; boxes with another order become
    boxes without an area. Boxes without a positive coordinate get the score -inf, which no other
    box has.
    """
    low, high = boxes[..., :2], boxes[..., 2:]
    if not canonical:
        first = reshape(boxes, [-1, 4])[0]
        turned = first[:2] > first[2:]
        low, high = logic.select(turned, high, low), logic.select(turned, low, high)
    straight = reductions.reduce_all(low <= high, -1)
    corners = logic.select(straight[..., None], concat([low, high], -1), 0.0)
    counts = reductions.reduce_any(boxes > 0.0, -1)
    lowest = float(np.finfo(np.float32).min)
    return corners, logic.select(counts, ew.maximum(scores, lowest), -math.inf)


def _in_order(scores: Tensor, least: float) -> Tensor:
    """Return descending scores; boxes with a score above `least` get one above 0."""
    count = scores.aval.shape[-1]
    falling = constant(np.arange(count, 0, -1, dtype=np.float32))
    return logic.select(scores > least, falling, -1.0)


@awaitable("tf.image.non_max_suppression_padded_async(boxes, scores, ...)")
async def non_max_suppression_padded_async(
    boxes: TensorLike, scores: TensorLike, *args: Any, **kwargs: Any
) -> tuple[Tensor, Tensor]:
    """Select boxes by non-maximum suppression and optionally pad the indices, asynchronously.

    Unlike `tf.image.non_max_suppression_padded`, this function does not block the page while the
    boxes and scores are computed. Equivalent to `tf.image.nonMaxSuppressionPaddedAsync` in
    TensorFlow.js. TensorFlow does not have this function.

    Args:
        boxes: Float tensor of shape `[..., n, 4]` with two opposite corners of each box, as `y1,
            x1, y2, x2`.
        scores: Float tensor of shape `[..., n]` with the score of each box.
        *args: `max_output_size` and the arguments that follow it in
            `tf.image.non_max_suppression_padded`.
        **kwargs: The same arguments, passed by name.

    Returns:
        An awaitable that resolves to a tuple of an int32 tensor of shape `[..., m]` with the
        indices of the selected boxes, and an int32 tensor of shape `[...]` with the number of
        selected boxes.

    Raises:
        tf.errors.InvalidArgumentError: If the shapes of `boxes` and `scores` are not compatible, or
            `max_output_size` is negative.

    Example:
        >>> import tfpy as tf
        >>> import asyncio
        >>> boxes = [[0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 0.9, 1.0], [0.0, 2.0, 1.0, 3.0]]
        >>> found = tf.image.non_max_suppression_padded_async(boxes, [0.9, 0.75, 0.5], 3)
        >>> indices, valid = asyncio.run(found)
        >>> valid.numpy().tolist()
        2

    See also: `tf.image.non_max_suppression_padded`.
    """
    return non_max_suppression_padded(await fetched(boxes), await fetched(scores), *args, **kwargs)
