"""Choosing boxes: the non-maximum suppression family, computed on the host."""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from tfpy.array import static_ints
from tfpy.convert import constant, convert_to_tensor
from tfpy.errors import invalid
from tfpy.tensor import Tensor

__all__ = [
    "combined_non_max_suppression",
    "non_max_suppression",
    "non_max_suppression_async",
    "non_max_suppression_overlaps",
    "non_max_suppression_padded",
    "non_max_suppression_padded_async",
    "non_max_suppression_with_scores",
    "non_max_suppression_with_scores_async",
]

Array = np.ndarray[Any, Any]
Similarity = Callable[[int, list[int]], Array]
"""How alike a box is to each of others, 0 to 1."""


def _overlap(boxes: Array) -> Similarity:
    """Intersection over union. Corners may be in any order."""
    low = np.minimum(boxes[:, :2], boxes[:, 2:])
    high = np.maximum(boxes[:, :2], boxes[:, 2:])
    area = np.prod(high - low, axis=1)

    def similarity(box: int, others: list[int]) -> Array:
        sides = np.minimum(high[box], high[others]) - np.maximum(low[box], low[others])
        shared = np.prod(np.maximum(sides, 0), axis=1)
        union = area[box] + area[others] - shared
        real = (area[box] > 0) & (area[others] > 0)
        return np.asarray(np.divide(shared, union, out=np.zeros_like(shared), where=real))

    return similarity


def _select(
    scores: Array,
    similarity: Similarity,
    most: int,
    threshold: float,
    least_score: float,
    sigma: float = 0.0,
) -> tuple[list[int], list[float]]:
    """Boxes by falling score. One is dropped when it is like a chosen one; softly, loses score."""
    queue = [(-float(s), i, 0) for i, s in enumerate(scores) if s > least_score]
    heapq.heapify(queue)
    chosen: list[int] = []
    kept: list[float] = []
    factor = -0.5 / sigma if sigma > 0 else 0.0
    while queue and len(chosen) < most:
        negative, box, compared = heapq.heappop(queue)
        score = original = np.float32(-negative)
        dropped = False
        for alike in similarity(box, chosen[compared:])[::-1]:
            if sigma == 0 and alike > threshold:
                dropped = True
                break
            score = np.float32(score * np.float32(math.exp(factor * alike * alike)))
            if score <= least_score:
                break
        if dropped:
            continue
        if score == original:
            chosen.append(box)
            kept.append(float(score))
        elif score > least_score:
            heapq.heappush(queue, (-float(score), box, len(chosen)))
    return chosen, kept


def _inputs(
    name: str, boxes: Any, scores: Any, max_output_size: Any, iou_threshold: float
) -> tuple[Array, Array, int]:
    corners = np.asarray(convert_to_tensor(boxes).host_view())
    values = np.asarray(convert_to_tensor(scores).host_view())
    if corners.ndim != 2 or corners.shape[1] != 4 or values.shape != corners.shape[:1]:
        raise invalid(
            name,
            f"boxes must be [n, 4] and scores [n], got {list(corners.shape)} and "
            f"{list(values.shape)}",
        )
    if not 0 <= iou_threshold <= 1:
        raise invalid(name, f"iou_threshold must be in [0, 1], got {iou_threshold}")
    most = static_ints(max_output_size)[0]
    if most < 0:
        raise invalid(name, f"max_output_size must be non-negative, got {most}")
    return corners, values, most


def _indices(chosen: list[int]) -> Tensor:
    return constant(np.array(chosen, np.int32))


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
    """
    corners, values, most = _inputs(
        "non_max_suppression", boxes, scores, max_output_size, iou_threshold
    )
    chosen, _ = _select(values, _overlap(corners), most, iou_threshold, score_threshold)
    return _indices(chosen)


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
    """
    corners, values, most = _inputs(
        "non_max_suppression_with_scores", boxes, scores, max_output_size, iou_threshold
    )
    if soft_nms_sigma < 0:
        raise invalid("non_max_suppression_with_scores", "soft_nms_sigma must be non-negative")
    chosen, kept = _select(
        values, _overlap(corners), most, iou_threshold, score_threshold, soft_nms_sigma
    )
    return _indices(chosen), constant(np.array(kept, np.float32))


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
        boxes, scores: ``[..., n, 4]`` and ``[..., n]``; the indices of batches are always filled
            up.
        sorted_input, canonicalized_coordinates, tile_size: hints of TensorFlow's, not needed here.

    Raises:
        InvalidArgumentError: when shapes or thresholds do not fit.
    """
    corners = np.asarray(convert_to_tensor(boxes).host_view())
    values = np.asarray(convert_to_tensor(scores).host_view())
    lead = corners.shape[:-2]
    batched = corners.ndim > 2
    rows, counts = [], []
    for own_boxes, own_scores in zip(
        corners.reshape(-1, *corners.shape[-2:]), values.reshape(-1, values.shape[-1]), strict=True
    ):
        chosen = non_max_suppression(
            constant(own_boxes),
            constant(own_scores),
            max_output_size,
            iou_threshold,
            score_threshold,
        ).numpy()
        counts.append(len(chosen))
        if pad_to_max_output_size or batched:
            chosen = np.pad(chosen, (0, static_ints(max_output_size)[0] - len(chosen)))
        rows.append(chosen)
    indices = np.stack(rows).reshape(*lead, -1).astype(np.int32)
    return constant(indices), constant(np.array(counts, np.int32).reshape(lead))


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
    """
    alike = np.asarray(convert_to_tensor(overlaps).host_view())
    values = np.asarray(convert_to_tensor(scores).host_view())
    if alike.ndim != 2 or alike.shape != (values.size, values.size):
        raise invalid(
            "non_max_suppression_overlaps",
            f"overlaps must be [n, n] and scores [n], got {list(alike.shape)} and "
            f"{list(values.shape)}",
        )
    most = static_ints(max_output_size)[0]
    chosen, _ = _select(
        values, lambda box, others: alike[box, others], most, overlap_threshold, score_threshold
    )
    return _indices(chosen)


async def _fetched(x: Any) -> Tensor:
    """``x`` as a tensor on the host, without blocking the page."""
    return constant(await convert_to_tensor(x).data())


async def non_max_suppression_async(boxes: Any, scores: Any, *args: Any, **kwargs: Any) -> Tensor:
    """:func:`non_max_suppression` that does not block while boxes come from the device."""
    return non_max_suppression(await _fetched(boxes), await _fetched(scores), *args, **kwargs)


async def non_max_suppression_with_scores_async(
    boxes: Any, scores: Any, *args: Any, **kwargs: Any
) -> tuple[Tensor, Tensor]:
    """:func:`non_max_suppression_with_scores` that does not block."""
    return non_max_suppression_with_scores(
        await _fetched(boxes), await _fetched(scores), *args, **kwargs
    )


async def non_max_suppression_padded_async(
    boxes: Any, scores: Any, *args: Any, **kwargs: Any
) -> tuple[Tensor, Tensor]:
    """:func:`non_max_suppression_padded` that does not block."""
    return non_max_suppression_padded(
        await _fetched(boxes), await _fetched(scores), *args, **kwargs
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
        InvalidArgumentError: when the shapes do not fit.
    """
    corners = np.asarray(convert_to_tensor(boxes).host_view())
    values = np.asarray(convert_to_tensor(scores).host_view())
    classes = values.shape[-1]
    if (
        corners.ndim != 4
        or values.ndim != 3
        or corners.shape[:2] != values.shape[:2]
        or corners.shape[2] not in (1, classes)
        or corners.shape[3] != 4
    ):
        raise invalid(
            "combined_non_max_suppression",
            f"boxes {list(corners.shape)} must be [batch, n, 1 or classes, 4] and scores "
            f"{list(values.shape)} [batch, n, classes]",
        )
    most = min(max_total_size, max_output_size_per_class * classes)
    size = most if pad_per_class else max_total_size
    batch = corners.shape[0]
    found_boxes = np.zeros((batch, size, 4), np.float32)
    found_scores, found_classes = (np.zeros((batch, size), np.float32) for _ in range(2))
    counts = np.zeros(batch, np.int32)
    for image in range(batch):
        best: list[tuple[float, int, Array]] = []
        for kind in range(classes):
            own = corners[image, :, kind % corners.shape[2]]
            chosen, kept = _select(
                values[image, :, kind],
                _overlap(own),
                max_output_size_per_class,
                iou_threshold,
                score_threshold,
            )
            best += [(s, kind, own[box]) for s, box in zip(kept, chosen, strict=True)]
        best.sort(key=lambda item: -item[0])
        for place, (score, kind, box) in enumerate(best[:size]):
            found_scores[image, place], found_classes[image, place] = score, kind
            found_boxes[image, place] = np.clip(box, 0, 1) if clip_boxes else box
        counts[image] = min(len(best), size)
    return CombinedNonMaxSuppression(
        constant(found_boxes), constant(found_scores), constant(found_classes), constant(counts)
    )
