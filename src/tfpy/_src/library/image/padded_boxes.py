"""Non-maximum suppression in batches, as TensorFlow computes it in tiles of boxes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tfpy._src.backends.awaitable import awaitable
from tfpy._src.base import dtypes
from tfpy._src.compiler.ops import elementwise as ew, logic
from tfpy._src.core.conversion import constant, convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.library.image.boxes import below, chosen, fetched, padded, suppressed
from tfpy._src.tensors.array.joining import concat
from tfpy._src.tensors.array.making import cast
from tfpy._src.tensors.array.reshaping import reshape
from tfpy._src.tensors.array.static import static_ints, static_number
from tfpy._src.tensors.math import reductions


def non_max_suppression_padded(
    boxes: Any,
    scores: Any,
    max_output_size: Any,
    iou_threshold: float = 0.5,
    score_threshold: float = -math.inf,
    pad_to_max_output_size: bool = False,
    name: str | None = None,
    sorted_input: bool = False,
    canonicalized_coordinates: bool = False,
    tile_size: int = 512,
) -> tuple[Tensor, Tensor]:
    """Indices, filled up with 0 if asked for, and how many are valid.

    Args:
        boxes, scores: ``[..., n, 4]`` and ``[..., n]``; the indices of batches are to be filled up.
            A box without a positive coordinate, such as one of padding, is not chosen.
        iou_threshold: Overlap from which a box is dropped. With 0 or less, the best ``tile_size``
            boxes are kept, and all others are dropped.
        sorted_input: the boxes are taken in the order in which they stand.
        canonicalized_coordinates: True if the first corner of each box is the lower one. Otherwise
            it is the one that is lower in the first box, along each axis. Boxes with another order
            overlap with none.

    Raises:
        TypeError: If the scores are no floats.
        ValueError: for batches that are not to be filled up.
        InvalidArgumentError: when shapes or thresholds do not fit.

    Example:
        >>> import tfpy as tf
        >>> boxes = [[0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 0.9, 1.0], [0.0, 2.0, 1.0, 3.0]]
        >>> indices, valid = tf.image.non_max_suppression_padded(
        ...     boxes, [0.9, 0.75, 0.5], max_output_size=4, pad_to_max_output_size=True
        ... )
        >>> indices.numpy().tolist(), valid.numpy().tolist()
        ([0, 2, 0, 0], 2)
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
        problem = f"scores must be floats, got {values.dtype.name}; convert them with tf.cast"
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
    """Return boxes and scores as TensorFlow's tiles of boxes take them.

    The order of the first box's corners is that of all boxes; others become boxes without an area.
    Boxes without a positive coordinate get the score -inf, and no other box has this score.
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
    """Scores that fall from box to box, those above ``least`` above 0."""
    count = scores.aval.shape[-1]
    falling = constant(np.arange(count, 0, -1, dtype=np.float32))
    return logic.select(scores > least, falling, -1.0)


@awaitable("tf.image.non_max_suppression_padded_async(boxes, scores, ...)")
async def non_max_suppression_padded_async(
    boxes: Any, scores: Any, *args: Any, **kwargs: Any
) -> tuple[Tensor, Tensor]:
    """:func:`non_max_suppression_padded` that does not block.

    Example:
        >>> import asyncio
        >>> import tfpy as tf
        >>> boxes = [[0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 0.9, 1.0], [0.0, 2.0, 1.0, 3.0]]
        >>> found = tf.image.non_max_suppression_padded_async(boxes, [0.9, 0.75, 0.5], 3)
        >>> indices, valid = asyncio.run(found)
        >>> valid.numpy().tolist()
        2
    """
    return non_max_suppression_padded(await fetched(boxes), await fetched(scores), *args, **kwargs)
