"""Choosing boxes: the non-maximum suppression family, over one op."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from tfpy._src.backends.awaitable import awaitable
from tfpy._src.base import dtypes
from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ops import boxes as primitives, elementwise as ew, logic
from tfpy._src.compiler.ops.families import infer
from tfpy._src.core.conversion import constant, convert_to_tensor, host_values
from tfpy._src.core.tensor import Tensor
from tfpy._src.tensors.array.joining import pad
from tfpy._src.tensors.array.making import as_floats, cast
from tfpy._src.tensors.array.reshaping import broadcast_to, reshape, transpose
from tfpy._src.tensors.array.slicing import take
from tfpy._src.tensors.array.sorting import top_k
from tfpy._src.tensors.array.static import static_ints, static_number
from tfpy._src.tensors.math import arithmetic, reductions

__all__ = [
    "combined_non_max_suppression",
    "non_max_suppression",
    "non_max_suppression_async",
    "non_max_suppression_overlaps",
    "non_max_suppression_with_scores",
    "non_max_suppression_with_scores_async",
]


def suppressed(
    boxes: Any,
    scores: Any,
    max_output_size: Any,
    iou_threshold: Any,
    score_threshold: Any,
    soft_nms_sigma: Any = 0.0,
) -> Tensor:
    """Pairs of a place (float, -1 after the last chosen box) and a score."""
    corners, values = as_floats(boxes), as_floats(scores)
    (most,) = static_ints(max_output_size)
    if corners.has_values and corners.storage.processor == "GPU":
        # NumPy chooses, and mostly among the same boxes again, with the scores of another class.
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
    """Places and scores of the chosen boxes alone.

    Raises:
        NotTraceableError: while a function is traced: how many there are depends on values.
    """
    count = int((host_values(pairs)[:, 0] >= 0).sum())
    return cast(pairs[:count, 0], dtypes.int32), pairs[:count, 1]


def non_max_suppression(
    boxes: Any,
    scores: Any,
    max_output_size: Any,
    iou_threshold: float = 0.5,
    score_threshold: float = -math.inf,
    name: str | None = None,
) -> Tensor:
    """Indices of boxes by falling score, without those that overlap a chosen one too much.

    Args:
        boxes: ``[n, 4]``: two opposite corners, y before x.

    Raises:
        InvalidArgumentError: when shapes or thresholds do not fit.

    Example:
        >>> import tfpy as tf
        >>> boxes = [[0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 0.9, 1.0], [0.0, 2.0, 1.0, 3.0]]
        >>> scores = [0.9, 0.75, 0.5]
        >>> tf.image.non_max_suppression(boxes, scores, max_output_size=3).numpy().tolist()
        [0, 2]
    """
    corners, values = as_floats(boxes), as_floats(scores)
    if corners.dtype == values.dtype == dtypes.float16:  # of this function alone, as in TensorFlow
        corners, values = cast(corners, dtypes.float32), cast(values, dtypes.float32)
    return non_max_suppression_with_scores(
        corners, values, max_output_size, iou_threshold, score_threshold
    )[0]


def non_max_suppression_with_scores(
    boxes: Any,
    scores: Any,
    max_output_size: Any,
    iou_threshold: float = 0.5,
    score_threshold: float = -math.inf,
    soft_nms_sigma: float = 0.0,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """Indices and scores; with ``soft_nms_sigma`` above 0 overlap lowers scores instead.

    Raises:
        InvalidArgumentError: when shapes or thresholds do not fit.

    Example:
        >>> import tfpy as tf
        >>> boxes = [[0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 0.9, 1.0], [0.0, 2.0, 1.0, 3.0]]
        >>> indices, scores = tf.image.non_max_suppression_with_scores(boxes, [0.875, 0.75, 0.5], 3)
        >>> indices.numpy().tolist(), scores.numpy().tolist()
        ([0, 2], [0.875, 0.5])
    """
    corners, values = as_floats(boxes), as_floats(scores)
    if values.ndim != 1:
        raise invalid("non_max_suppression", f"scores must be [n], got {list(values.aval.shape)}")
    return chosen(
        suppressed(corners, values, max_output_size, iou_threshold, score_threshold, soft_nms_sigma)
    )


def padded(pairs: Tensor, size: int) -> tuple[Tensor, Tensor]:
    """Return the places of the chosen boxes, filled up with 0, and their number."""
    places = pairs[..., 0]
    counts = reductions.reduce_sum(cast(places >= 0.0, dtypes.int32), -1)
    return filled(cast(ew.maximum(places, 0.0), dtypes.int32), size, 1), counts


def below(threshold: Any) -> float:
    """Return the threshold that drops a box also where its overlap is equal to ``threshold``."""
    less = np.nextafter(np.float32(static_number(threshold)), np.float32(-1))
    return min(max(float(less), 0.0), 1.0)


def filled(x: Tensor, size: int, axis: int) -> Tensor:
    """Zeros after the items of the axis before the ``axis`` - 1 last ones, up to ``size``."""
    room = [[0, 0]] * x.ndim
    room[x.ndim - axis] = [0, size - x.aval.shape[x.ndim - axis]]
    return pad(x, room)


def non_max_suppression_overlaps(
    overlaps: Any,
    scores: Any,
    max_output_size: Any,
    overlap_threshold: float = 0.5,
    score_threshold: float = -math.inf,
    name: str | None = None,
) -> Tensor:
    """Indices by falling score, where ``overlaps [n, n]`` says how alike boxes are.

    Raises:
        InvalidArgumentError: when the shapes do not fit.

    Example:
        >>> import tfpy as tf
        >>> alike = [[1.0, 0.9, 0.0], [0.9, 1.0, 0.0], [0.0, 0.0, 1.0]]
        >>> tf.image.non_max_suppression_overlaps(alike, [0.9, 0.75, 0.5], 3).numpy().tolist()
        [0, 2]
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


async def fetched(x: Any) -> Tensor:
    """``x`` as a tensor on the host, without blocking the page."""
    return constant(await convert_to_tensor(x).data())


@awaitable("tf.image.non_max_suppression_async(boxes, scores, ...)")
async def non_max_suppression_async(boxes: Any, scores: Any, *args: Any, **kwargs: Any) -> Tensor:
    """:func:`non_max_suppression` that does not block while boxes come from the device.

    Example:
        >>> import asyncio
        >>> import tfpy as tf
        >>> boxes = [[0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 0.9, 1.0], [0.0, 2.0, 1.0, 3.0]]
        >>> found = tf.image.non_max_suppression_async(boxes, [0.9, 0.75, 0.5], 3)
        >>> asyncio.run(found).numpy().tolist()
        [0, 2]
    """
    return non_max_suppression(await fetched(boxes), await fetched(scores), *args, **kwargs)


@awaitable("tf.image.non_max_suppression_with_scores_async(boxes, scores, ...)")
async def non_max_suppression_with_scores_async(
    boxes: Any, scores: Any, *args: Any, **kwargs: Any
) -> tuple[Tensor, Tensor]:
    """:func:`non_max_suppression_with_scores` that does not block.

    Example:
        >>> import asyncio
        >>> import tfpy as tf
        >>> boxes = [[0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 0.9, 1.0], [0.0, 2.0, 1.0, 3.0]]
        >>> found = tf.image.non_max_suppression_with_scores_async(boxes, [0.875, 0.75, 0.5], 3)
        >>> indices, scores = asyncio.run(found)
        >>> scores.numpy().tolist()
        [0.875, 0.5]
    """
    return non_max_suppression_with_scores(
        await fetched(boxes), await fetched(scores), *args, **kwargs
    )


class CombinedNonMaxSuppression(NamedTuple):
    """What :func:`combined_non_max_suppression` gives, filled up with zeros."""

    nmsed_boxes: Tensor
    nmsed_scores: Tensor
    nmsed_classes: Tensor
    valid_detections: Tensor


def combined_non_max_suppression(
    boxes: Any,
    scores: Any,
    max_output_size_per_class: int,
    max_total_size: int,
    iou_threshold: float = 0.5,
    score_threshold: float = -math.inf,
    pad_per_class: bool = False,
    clip_boxes: bool = True,
    name: str | None = None,
) -> CombinedNonMaxSuppression:
    """Each class by itself, then the best of all classes, for each image.

    Args:
        boxes: ``[batch, n, 1 or classes, 4]``.
        scores: ``[batch, n, classes]``.
        pad_per_class: gives at most ``max_output_size_per_class * classes`` boxes.
        clip_boxes: limits corners to 0..1.

    Raises:
        InvalidArgumentError: when the shapes do not fit, or sizes are not positive.

    Example:
        >>> import tfpy as tf
        >>> boxes = [[0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 0.5, 1.0], [0.0, 0.5, 0.5, 1.0]]
        >>> boxes = tf.reshape(boxes, [1, 3, 1, 4])  # batch, boxes, classes, corners
        >>> scores = tf.constant([[[0.875], [0.75], [0.5]]])
        >>> found = tf.image.combined_non_max_suppression(boxes, scores, 3, 3, iou_threshold=0.4)
        >>> found.valid_detections.numpy().tolist(), found.nmsed_scores.numpy().tolist()
        ([2], [[0.875, 0.5, 0.0]])
    """
    corners, values = as_floats(boxes), as_floats(scores)
    _check_classes(corners, values)
    if min(max_output_size_per_class, max_total_size) < 1:
        raise invalid(
            "combined_non_max_suppression",
            f"max_output_size_per_class {max_output_size_per_class} and max_total_size "
            f"{max_total_size} must be positive",
        )
    batch, n, classes = values.aval.shape
    corners = broadcast_to(transpose(corners, [0, 2, 1, 3]), [batch, classes, n, 4])
    pairs = suppressed(
        corners,
        transpose(values, [0, 2, 1]),
        max_output_size_per_class,
        iou_threshold,
        score_threshold,
    )
    each = pairs.aval.shape[-2]
    places = reshape(pairs[..., 0], [batch, classes * each])
    kept = logic.select(places >= 0.0, reshape(pairs[..., 1], places.aval.shape), -math.inf)
    most = min(max_total_size, max_output_size_per_class * classes)
    size = most if pad_per_class else max_total_size
    best, at = top_k(kept, min(size, classes * each))
    valid = best > -math.inf
    kinds = ew.floor_div(at, max(each, 1))
    rows = kinds * n + cast(take(places, at, batch_dims=1), dtypes.int32)
    chosen = take(
        reshape(corners, [batch, classes * n, 4]), logic.select(valid, rows, 0), batch_dims=1
    )
    if clip_boxes:
        chosen = arithmetic.clip_by_value(chosen, 0.0, 1.0)
    return CombinedNonMaxSuppression(
        filled(logic.select(valid[..., None], chosen, 0.0), size, 2),
        filled(logic.select(valid, best, 0.0), size, 1),
        filled(cast(logic.select(valid, kinds, 0), dtypes.float32), size, 1),
        reductions.reduce_sum(cast(valid, dtypes.int32), -1),
    )


def _check_classes(boxes: Tensor, scores: Tensor) -> None:
    fits = (
        boxes.ndim == 4
        and scores.ndim == 3
        and boxes.aval.shape[:2] == scores.aval.shape[:2]
        and boxes.aval.shape[2] in (1, scores.aval.shape[2])
        and boxes.aval.shape[3] == 4
    )
    if not fits:
        raise invalid(
            "combined_non_max_suppression",
            f"boxes {list(boxes.aval.shape)} must be [batch, n, 1 or classes, 4] and scores "
            f"{list(scores.aval.shape)} [batch, n, classes]",
        )
