"""Non-maximum suppression of boxes, composed of one primitive."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tfpy._src.backends.awaitable import awaitable
from tfpy._src.base import dtypes
from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ops import boxes as primitives, elementwise as ew
from tfpy._src.compiler.ops.families import infer
from tfpy._src.core.conversion import constant, convert_to_tensor, host_values
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import FloatLike, IntLike, TensorLike
from tfpy._src.tensors.array.joining import pad
from tfpy._src.tensors.array.making import as_floats, cast
from tfpy._src.tensors.array.static import static_ints, static_number
from tfpy._src.tensors.math import reductions

__all__ = [
    "non_max_suppression",
    "non_max_suppression_async",
    "non_max_suppression_overlaps",
    "non_max_suppression_with_scores",
    "non_max_suppression_with_scores_async",
]


def suppressed(
    boxes: TensorLike,
    scores: TensorLike,
    max_output_size: IntLike,
    iou_threshold: FloatLike,
    score_threshold: FloatLike,
    soft_nms_sigma: FloatLike = 0.0,
) -> Tensor:
    """Select boxes.

    Returns:
        Float tensor of shape `[..., size, 2]`: the index and the score of each selected box. The
        index is -1 after the last one.
    """
    corners, values = as_floats(boxes), as_floats(scores)
    (most,) = static_ints(max_output_size)
    if corners.has_values and corners.storage.processor == "GPU":
        # NumPy selects the boxes. Most callers pass the same boxes again with the scores of another
        # class, so the copy on the host is kept.
        corners.storage.remember(corners.storage.to_host())
    return primitives.non_max_suppression(
        corners,
        values,
        most=min(most, values.aval.shape[-1]) if values.ndim else most,
        threshold=float(static_number(iou_threshold)),
        least=float(static_number(score_threshold)),
        sigma=float(static_number(soft_nms_sigma)),
    )


def chosen(pairs: Tensor) -> tuple[Tensor, Tensor]:
    """Return the indices and the scores of the selected boxes, without padding.

    Raises:
        NotTraceableError: If a function is traced, because the number of boxes depends on values.
    """
    count = int((host_values(pairs)[:, 0] >= 0).sum())
    return cast(pairs[:count, 0], dtypes.int32), pairs[:count, 1]


def non_max_suppression(
    boxes: TensorLike,
    scores: TensorLike,
    max_output_size: IntLike,
    iou_threshold: FloatLike = 0.5,
    score_threshold: FloatLike = -math.inf,
    name: str | None = None,
) -> Tensor:
    """Select boxes by non-maximum suppression.

    Boxes are selected in descending order of score. A box that overlaps an already selected box too
    much is dropped.

    The number of selected boxes depends on the values, so a `tf.function` that calls this function
    runs eagerly, without compilation. To avoid this, use `tf.image.non_max_suppression_padded` with
    `pad_to_max_output_size=True`.

    Args:
        boxes: Float tensor of shape `[n, 4]` with two opposite corners of each box, as `y1, x1, y2,
            x2`.
        scores: Float tensor of shape `[n]` with the score of each box.
        max_output_size: Maximum number of boxes to select.
        iou_threshold: Number between 0 and 1. A box is dropped if its intersection over union with
            a selected box exceeds this number.
        score_threshold: Boxes with a score of at most this value are dropped. Default: no
            threshold.

    Returns:
        Int32 tensor of shape `[m]` with the indices of the selected boxes.

    Raises:
        tf.errors.InvalidArgumentError: If `boxes` or `scores` does not have the required shape,
            `iou_threshold` is not in [0, 1], or `max_output_size` is negative.

    Example:
        >>> import tfpy as tf
        >>> boxes = [[0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 0.9, 1.0], [0.0, 2.0, 1.0, 3.0]]
        >>> scores = [0.9, 0.75, 0.5]
        >>> tf.image.non_max_suppression(boxes, scores, max_output_size=3).numpy().tolist()
        [0, 2]

    See also: `tf.image.non_max_suppression_with_scores`, `tf.image.non_max_suppression_async`.
    """
    corners, values = as_floats(boxes), as_floats(scores)
    # As in TensorFlow, only this function accepts float16.
    if corners.dtype == values.dtype == dtypes.float16:
        corners, values = cast(corners, dtypes.float32), cast(values, dtypes.float32)
    return non_max_suppression_with_scores(
        corners, values, max_output_size, iou_threshold, score_threshold
    )[0]


def non_max_suppression_with_scores(
    boxes: TensorLike,
    scores: TensorLike,
    max_output_size: IntLike,
    iou_threshold: FloatLike = 0.5,
    score_threshold: FloatLike = -math.inf,
    soft_nms_sigma: FloatLike = 0.0,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """Select boxes by non-maximum suppression and return their indices and scores.

    If `soft_nms_sigma` is above 0, boxes that overlap a selected box are not dropped. Instead,
    their scores are reduced by a Gaussian function of the overlap (Soft-NMS), and `iou_threshold`
    has no effect.

    The number of selected boxes depends on the values, so a `tf.function` that calls this function
    runs eagerly, without compilation.

    Args:
        boxes: Float tensor of shape `[n, 4]` with two opposite corners of each box, as `y1, x1, y2,
            x2`.
        scores: Float tensor of shape `[n]` with the score of each box.
        max_output_size: Maximum number of boxes to select.
        iou_threshold: Number between 0 and 1. A box is dropped if its intersection over union with
            a selected box exceeds this number.
        score_threshold: Boxes with a score of at most this value are dropped. Default: no
            threshold.
        soft_nms_sigma: Width of the Gaussian function. Default: 0, which disables Soft-NMS.

    Returns:
        A tuple of an int32 tensor of shape `[m]` with the indices of the selected boxes, and a
        float tensor of shape `[m]` with their scores.

    Raises:
        tf.errors.InvalidArgumentError: If `boxes` or `scores` does not have the required shape,
            `iou_threshold` is not in [0, 1], or `max_output_size` or `soft_nms_sigma` is negative.

    Example:
        >>> import tfpy as tf
        >>> boxes = [[0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 0.9, 1.0], [0.0, 2.0, 1.0, 3.0]]
        >>> indices, scores = tf.image.non_max_suppression_with_scores(boxes, [0.875, 0.75, 0.5], 3)
        >>> indices.numpy().tolist(), scores.numpy().tolist()
        ([0, 2], [0.875, 0.5])

    See also: `tf.image.non_max_suppression`, `tf.image.non_max_suppression_padded`.
    """
    corners, values = as_floats(boxes), as_floats(scores)
    if values.ndim != 1:
        raise invalid("non_max_suppression", f"scores must be [n], got {list(values.aval.shape)}")
    return chosen(
        suppressed(corners, values, max_output_size, iou_threshold, score_threshold, soft_nms_sigma)
    )


def padded(pairs: Tensor, size: int) -> tuple[Tensor, Tensor]:
    """Return the indices of the selected boxes, padded with 0, and the number of selected boxes."""
    places = pairs[..., 0]
    counts = reductions.reduce_sum(cast(places >= 0.0, dtypes.int32), -1)
    return filled(cast(ew.maximum(places, 0.0), dtypes.int32), size, 1), counts


def below(threshold: FloatLike) -> float:
    """Return the threshold that also drops boxes with an overlap equal to `threshold`."""
    less = np.nextafter(np.float32(static_number(threshold)), np.float32(-1))
    return min(max(float(less), 0.0), 1.0)


def filled(x: Tensor, size: int, axis: int) -> Tensor:
    """Pad the axis `x.ndim - axis` with zeros after its items, up to `size`."""
    room = [[0, 0]] * x.ndim
    room[x.ndim - axis] = [0, size - x.aval.shape[x.ndim - axis]]
    return pad(x, room)


def non_max_suppression_overlaps(
    overlaps: TensorLike,
    scores: TensorLike,
    max_output_size: IntLike,
    overlap_threshold: float = 0.5,
    score_threshold: float = -math.inf,
    name: str | None = None,
) -> Tensor:
    """Select boxes by non-maximum suppression, given the overlap of each pair of boxes.

    Because the overlaps are an argument, any measure of similarity can be used. The number of
    selected boxes depends on the values, so a `tf.function` that calls this function runs eagerly,
    without compilation.

    Args:
        overlaps: Float32 tensor of shape `[n, n]` with the overlap of each pair of boxes.
        scores: Float32 tensor of shape `[n]` with the score of each box.
        max_output_size: Maximum number of boxes to select.
        overlap_threshold: A box is dropped if its overlap with a selected box exceeds this number.
        score_threshold: Boxes with a score of at most this value are dropped. Default: no
            threshold.

    Returns:
        Int32 tensor of shape `[m]` with the indices of the selected boxes.

    Raises:
        tf.errors.InvalidArgumentError: If the shapes are not compatible.

    Example:
        >>> import tfpy as tf
        >>> alike = [[1.0, 0.9, 0.0], [0.9, 1.0, 0.0], [0.0, 0.0, 1.0]]
        >>> tf.image.non_max_suppression_overlaps(alike, [0.9, 0.75, 0.5], 3).numpy().tolist()
        [0, 2]

    See also: `tf.image.non_max_suppression`.
    """
    given = as_floats(overlaps), as_floats(scores)
    for name, x in zip(("overlaps", "scores"), given, strict=True):
        infer.check_dtype("non_max_suppression_overlaps", x.aval, {dtypes.float32}, name)
    alike, values = (np.asarray(x.host_view()) for x in given)
    if alike.ndim != 2 or alike.shape != (values.size, values.size):
        raise invalid(
            "non_max_suppression_overlaps",
            f"overlaps must be [n, n] and scores [n], got {list(alike.shape)} and "
            f"{list(values.shape)}",
        )
    most = static_ints(max_output_size)[0]
    chosen, _ = primitives.choose(
        values,
        lambda some, others: alike[some[:, None], others],
        most,
        overlap_threshold,
        score_threshold,
    )
    return constant(np.array(chosen, np.int32))


async def fetched(x: TensorLike) -> Tensor:
    """Read `x` without blocking the page, and return a constant with its values."""
    return constant(await convert_to_tensor(x).data())


@awaitable("tf.image.non_max_suppression_async(boxes, scores, ...)")
async def non_max_suppression_async(
    boxes: TensorLike, scores: TensorLike, *args: Any, **kwargs: Any
) -> Tensor:
    """Select boxes by non-maximum suppression, asynchronously.

    Unlike `tf.image.non_max_suppression`, this function does not block the page while the boxes and
    scores are computed. Equivalent to `tf.image.nonMaxSuppressionAsync` in TensorFlow.js.
    TensorFlow does not have this function.

    Args:
        boxes: Float tensor of shape `[n, 4]` with two opposite corners of each box, as `y1, x1, y2,
            x2`.
        scores: Float tensor of shape `[n]` with the score of each box.
        *args: `max_output_size` and the arguments that follow it in `tf.image.non_max_suppression`.
        **kwargs: The same arguments, passed by name.

    Returns:
        An awaitable that resolves to an int32 tensor of shape `[m]` with the indices of the
        selected boxes.

    Raises:
        tf.errors.InvalidArgumentError: If `boxes` or `scores` does not have the required shape,
            `iou_threshold` is not in [0, 1], or `max_output_size` is negative.

    Example:
        >>> import tfpy as tf
        >>> import asyncio
        >>> boxes = [[0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 0.9, 1.0], [0.0, 2.0, 1.0, 3.0]]
        >>> found = tf.image.non_max_suppression_async(boxes, [0.9, 0.75, 0.5], 3)
        >>> asyncio.run(found).numpy().tolist()
        [0, 2]

    See also: `tf.image.non_max_suppression`.
    """
    return non_max_suppression(await fetched(boxes), await fetched(scores), *args, **kwargs)


@awaitable("tf.image.non_max_suppression_with_scores_async(boxes, scores, ...)")
async def non_max_suppression_with_scores_async(
    boxes: TensorLike, scores: TensorLike, *args: Any, **kwargs: Any
) -> tuple[Tensor, Tensor]:
    """Select boxes by non-maximum suppression and return their indices and scores, asynchronously.

    Unlike `tf.image.non_max_suppression_with_scores`, this function does not block the page while
    the boxes and scores are computed. Equivalent to `tf.image.nonMaxSuppressionWithScoreAsync` in
    TensorFlow.js. TensorFlow does not have this function.

    Args:
        boxes: Float tensor of shape `[n, 4]` with two opposite corners of each box, as `y1, x1, y2,
            x2`.
        scores: Float tensor of shape `[n]` with the score of each box.
        *args: `max_output_size` and the arguments that follow it in
            `tf.image.non_max_suppression_with_scores`.
        **kwargs: The same arguments, passed by name.

    Returns:
        An awaitable that resolves to a tuple of an int32 tensor of shape `[m]` with the indices of
        the selected boxes, and a float tensor of shape `[m]` with their scores.

    Raises:
        tf.errors.InvalidArgumentError: If `boxes` or `scores` does not have the required shape,
            `iou_threshold` is not in [0, 1], or `max_output_size` is negative.

    Example:
        >>> import tfpy as tf
        >>> import asyncio
        >>> boxes = [[0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 0.9, 1.0], [0.0, 2.0, 1.0, 3.0]]
        >>> found = tf.image.non_max_suppression_with_scores_async(boxes, [0.875, 0.75, 0.5], 3)
        >>> indices, scores = asyncio.run(found)
        >>> scores.numpy().tolist()
        [0.875, 0.5]

    See also: `tf.image.non_max_suppression_with_scores`.
    """
    return non_max_suppression_with_scores(
        await fetched(boxes), await fetched(scores), *args, **kwargs
    )
