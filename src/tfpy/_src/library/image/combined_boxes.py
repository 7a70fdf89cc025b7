"""Non-maximum suppression for each class of boxes."""

from __future__ import annotations

import math
from typing import NamedTuple

from tfpy._src.base import dtypes
from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ops import elementwise as ew, logic
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import FloatLike, TensorLike
from tfpy._src.library.image.boxes import filled, suppressed
from tfpy._src.tensors.array.making import as_floats, cast
from tfpy._src.tensors.array.reshaping import broadcast_to, reshape, transpose
from tfpy._src.tensors.array.slicing import take
from tfpy._src.tensors.array.sorting import top_k
from tfpy._src.tensors.math import arithmetic, reductions

__all__ = ["combined_non_max_suppression"]


class CombinedNonMaxSuppression(NamedTuple):
    """The results of `tf.image.combined_non_max_suppression`, padded with zeros.

    Attributes:
        nmsed_boxes: Float tensor of shape `[batch, size, 4]`.
        nmsed_scores: Float tensor of shape `[batch, size]`.
        nmsed_classes: Float tensor of shape `[batch, size]`.
        valid_detections: Int32 tensor of shape `[batch]`, the number of boxes before the padding.
    """

    nmsed_boxes: Tensor
    nmsed_scores: Tensor
    nmsed_classes: Tensor
    valid_detections: Tensor


def combined_non_max_suppression(
    boxes: TensorLike,
    scores: TensorLike,
    max_output_size_per_class: int,
    max_total_size: int,
    iou_threshold: FloatLike = 0.5,
    score_threshold: FloatLike = -math.inf,
    pad_per_class: bool = False,
    clip_boxes: bool = True,
    name: str | None = None,
) -> CombinedNonMaxSuppression:
    """Apply non-maximum suppression to each class, and select the best boxes of each image.

    Args:
        boxes: Float tensor of shape `[batch, n, q, 4]`. If `q` is 1, all classes have the same
            boxes. Otherwise, `q` is the number of classes, and each class has different boxes.
        scores: Float tensor of shape `[batch, n, classes]` with the score of each box for each
            class.
        max_output_size_per_class: Maximum number of boxes to select for each class.
        max_total_size: Maximum number of boxes to select for each image.
        iou_threshold: Number between 0 and 1. A box is dropped if its intersection over union with
            a selected box exceeds this number.
        score_threshold: Boxes with a score of at most this value are dropped. Default: no
            threshold.
        pad_per_class: If True, the results have `min(max_total_size, max_output_size_per_class *
            classes)` boxes for each image. Otherwise, they have `max_total_size` boxes.
        clip_boxes: If True, clip the coordinates of the selected boxes to [0, 1].

    Returns:
        A named tuple. `nmsed_boxes` is a float tensor of shape `[batch, size, 4]`. `nmsed_scores`
        and `nmsed_classes` are float tensors of shape `[batch, size]` with the score and the class
        of each box. `valid_detections` is an int32 tensor of shape `[batch]` with the number of
        selected boxes of each image. The remaining boxes, scores and classes are 0.

    Raises:
        tf.errors.InvalidArgumentError: If the shapes are not compatible, or
            `max_output_size_per_class` or `max_total_size` is not positive.

    Example:
        >>> import tfpy as tf
        >>> boxes = [[0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 0.5, 1.0], [0.0, 0.5, 0.5, 1.0]]
        >>> boxes = tf.reshape(boxes, [1, 3, 1, 4])  # batch, boxes, classes, corners
        >>> scores = tf.constant([[[0.875], [0.75], [0.5]]])
        >>> found = tf.image.combined_non_max_suppression(boxes, scores, 3, 3, iou_threshold=0.4)
        >>> found.valid_detections.numpy().tolist(), found.nmsed_scores.numpy().tolist()
        ([2], [[0.875, 0.5, 0.0]])

    See also: `tf.image.non_max_suppression_padded`.
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
    """Raise InvalidArgumentError if the shapes of boxes and scores are not compatible."""
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
