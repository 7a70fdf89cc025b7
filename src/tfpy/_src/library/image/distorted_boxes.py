"""Random boxes for crops of images, which contain a part of an object."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.errors import invalid_value
from tfpy._src.compiler.ir.aval import Array, Aval
from tfpy._src.compiler.ops.reference import philox
from tfpy._src.core.conversion import constant, convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import TensorLike
from tfpy._src.functions.control.effects import on_host
from tfpy._src.tensors.array.making import cast
from tfpy._src.tensors.random.streams import reserve

__all__ = ["sample_distorted_bounding_box", "stateless_sample_distorted_bounding_box"]

Box = tuple[int, int, int, int]
"""Left, top, right and bottom edge in pixels."""

_NO_SEED = (0, 0)


class SampleDistortedBoundingBoxV2(NamedTuple):
    """A box: arguments for `tf.slice`, and a box for `tf.image.draw_bounding_boxes`."""

    begin: Tensor
    size: Tensor
    bboxes: Tensor


class StatelessSampleDistortedBoundingBox(NamedTuple):
    """A box: arguments for `tf.slice`, and a box for `tf.image.draw_bounding_boxes`."""

    begin: Tensor
    size: Tensor
    bboxes: Tensor


class _Limits(NamedTuple):
    covered: float
    ratios: Sequence[float]
    areas: Sequence[float]
    attempts: int
    accepts_none: bool


def sample_distorted_bounding_box(
    image_size: TensorLike,
    bounding_boxes: TensorLike,
    seed: int | tuple[int, int] = 0,
    min_object_covered: float = 0.1,
    aspect_ratio_range: Sequence[float] | None = None,
    area_range: Sequence[float] | None = None,
    max_attempts: int | None = None,
    use_image_if_no_bounding_boxes: bool | None = None,
    name: str | None = None,
) -> SampleDistortedBoundingBoxV2:
    """Draw a random box that contains a part of one of the given boxes.

    Args:
        image_size: Integer tensor of shape `[3]`: height, width and number of channels.
        bounding_boxes: Float tensor of shape `[batch, boxes, 4]`. A box consists of the top, left,
            bottom and right edge, as fractions of the height and width.
        seed: Integer that makes the random numbers reproducible. 0: no seed.
        min_object_covered: Part of a given box that the result must contain.
        aspect_ratio_range: Bounds of width / height. Default: 0.75 to 1.33.
        area_range: Bounds of the area, as fractions of the image. Default: 0.05 to 1.
        max_attempts: Number of attempts, after which the whole image is returned. Default: 100.
        use_image_if_no_bounding_boxes: If True, the image is the box if there is none. If False,
            which is the default, this is an error.

    Returns:
        Named tuple of `begin` and `size`, integer tensors of shape `[3]` for `tf.slice`, and
        `bboxes`, a float32 tensor of shape `[1, 1, 4]` for `tf.image.draw_bounding_boxes`.

    Raises:
        tf.errors.InvalidArgumentError: If an argument is not valid.

    Example:
        >>> import tfpy as tf
        >>> image = tf.zeros([20, 30, 3])
        >>> begin, size, box = tf.image.sample_distorted_bounding_box(
        ...     tf.shape(image), [[[0.1, 0.2, 0.8, 0.9]]], seed=1
        ... )
        >>> tf.slice(image, begin, size).shape.rank
        3

    See also: `tf.image.stateless_sample_distorted_bounding_box`.
    """
    limits = _limits(
        min_object_covered,
        aspect_ratio_range,
        area_range,
        max_attempts,
        use_image_if_no_bounding_boxes,
    )
    kind = f"distorted_box {limits}"  # as in TensorFlow, other arguments begin another stream
    state = reserve(kind, dtypes.float32, seed or _NO_SEED, limits.attempts)
    if not isinstance(state, Tensor):
        state = constant(np.array(state, np.uint32).view(np.int32))
    found = _sampled(image_size, bounding_boxes, state, limits, tuple)
    return SampleDistortedBoundingBoxV2(*found)


def stateless_sample_distorted_bounding_box(
    image_size: TensorLike,
    bounding_boxes: TensorLike,
    seed: TensorLike,
    min_object_covered: float = 0.1,
    aspect_ratio_range: Sequence[float] | None = None,
    area_range: Sequence[float] | None = None,
    max_attempts: int | None = None,
    use_image_if_no_bounding_boxes: bool | None = None,
    name: str | None = None,
) -> StatelessSampleDistortedBoundingBox:
    """Draw a box that contains a part of one of the given boxes, and that `seed` determines.

    Args:
        image_size: Integer tensor of shape `[3]`: height, width and number of channels.
        bounding_boxes: Float tensor of shape `[batch, boxes, 4]`. A box consists of the top, left,
            bottom and right edge, as fractions of the height and width.
        seed: Integer tensor of shape `[2]`.
        min_object_covered: Part of a given box that the result must contain.
        aspect_ratio_range: Bounds of width / height. Default: 0.75 to 1.33.
        area_range: Bounds of the area, as fractions of the image. Default: 0.05 to 1.
        max_attempts: Number of attempts, after which the whole image is returned. Default: 100.
        use_image_if_no_bounding_boxes: If True, the image is the box if there is none. If False,
            which is the default, this is an error.

    Returns:
        Named tuple of `begin` and `size`, integer tensors of shape `[3]` for `tf.slice`, and
        `bboxes`, a float32 tensor of shape `[1, 1, 4]` for `tf.image.draw_bounding_boxes`.

    Raises:
        tf.errors.InvalidArgumentError: If an argument is not valid.

    Example:
        >>> import tfpy as tf
        >>> begin, size, box = tf.image.stateless_sample_distorted_bounding_box(
        ...     [20, 30, 3], [[[0.1, 0.2, 0.8, 0.9]]], seed=[1, 2]
        ... )
        >>> begin.numpy().tolist(), size.numpy().tolist()
        ([3, 12, 0], [16, 15, -1])

    See also: `tf.image.sample_distorted_bounding_box`.
    """
    limits = _limits(
        min_object_covered,
        aspect_ratio_range,
        area_range,
        max_attempts,
        use_image_if_no_bounding_boxes,
    )

    def state(words: Sequence[int]) -> tuple[int, ...]:
        return philox.scramble((words[0], words[1]))

    found = _sampled(image_size, bounding_boxes, convert_to_tensor(seed), limits, state)
    return StatelessSampleDistortedBoundingBox(*found)


def _limits(
    covered: float,
    ratios: Sequence[float] | None,
    areas: Sequence[float] | None,
    attempts: int | None,
    accepts_none: bool | None,
) -> _Limits:
    ratios = (0.75, 1.33) if ratios is None else tuple(ratios)
    areas = (0.05, 1.0) if areas is None else tuple(areas)
    found = _Limits(
        covered, ratios, areas, 100 if attempts is None else attempts, bool(accepts_none)
    )
    op = "sample_distorted_bounding_box"
    if covered < 0:
        raise invalid_value(op, f"min_object_covered must be non-negative, got {covered}")
    for name, bounds in (("aspect_ratio_range", ratios), ("area_range", areas)):
        if len(bounds) != 2 or min(bounds) <= 0 or bounds[0] > bounds[1]:
            raise invalid_value(
                op, f"{name} must consist of two increasing positive numbers, got {bounds}"
            )
    if max(areas) > 1:
        raise invalid_value(op, f"area_range must not exceed 1, got {areas}")
    if found.attempts <= 0:
        raise invalid_value(op, f"max_attempts must be positive, got {attempts}")
    return found


def _sampled(
    image_size: TensorLike,
    boxes: TensorLike,
    words: Tensor,
    limits: _Limits,
    state: Callable[[Any], tuple[int, ...]],
) -> list[Tensor]:
    """Return the parts of the result, computed at each call of a trace."""
    size, corners = convert_to_tensor(image_size), cast(boxes, dtypes.float32)
    op = "sample_distorted_bounding_box"
    if size.aval.shape != (3,) or not size.dtype.is_integer:
        raise invalid_value(
            op, f"image_size must be an integer tensor of shape [3], got {size.aval}"
        )
    if len(corners.aval.shape) != 3 or corners.aval.shape[2] != 4:
        raise invalid_value(
            op, f"bounding_boxes must have shape [batch, boxes, 4], got {corners.shape}"
        )

    def sample(size: Tensor, corners: Tensor, words: Tensor) -> list[Tensor]:
        height, width = (int(n) for n in size.numpy()[:2])
        numbers = [int(w) for w in words.numpy()]
        left, top, right, bottom = _box(
            height,
            width,
            corners.numpy().reshape(-1, 4),
            _Numbers(state(numbers), limits.attempts),
            limits,
        )
        edges = np.array([top / height, left / width, bottom / height, right / width], np.float32)
        return [
            constant([top, left, 0], size.dtype),
            constant([bottom - top, right - left, -1], size.dtype),
            constant(edges.reshape(1, 1, 4)),
        ]

    avals = [Aval((3,), size.dtype), Aval((3,), size.dtype), Aval((1, 1, 4), dtypes.float32)]
    return on_host(sample, [size, corners, words], avals)


class _Numbers:
    """The random numbers of a state, one after the other."""

    def __init__(self, state: Sequence[int], attempts: int) -> None:
        self._words = iter(philox.stream(state, 4 * attempts + 64).tolist())

    def fraction(self) -> np.float32:
        """Return a number in [0, 1) with 23 bits."""
        return np.float32((next(self._words) & 0x7FFFFF) / 2**23)

    def below(self, bound: int) -> int:
        """Return an integer in [0, bound), without a bias."""
        if bound & (bound - 1) == 0:
            return int(next(self._words)) & (bound - 1)
        least = (2**32 - 1) % bound + 1
        word = next(self._words)
        while word < least:
            word = next(self._words)
        return int(word) % bound


def _box(height: int, width: int, corners: Array, numbers: _Numbers, limits: _Limits) -> Box:
    """Return a random box, or the whole image if all attempts fail.

    Raises:
        InvalidArgumentError: If the size or the boxes are not valid.
    """
    op = "sample_distorted_bounding_box"
    if height <= 0 or width <= 0:
        raise invalid_value(op, f"Image height and width must be positive, got {height} x {width}")
    image = (0, 0, width, height)
    if not len(corners) and not limits.accepts_none:
        raise invalid_value(
            op,
            "No bounding boxes provided as input. One must enable use_image_if_no_bounding_boxes "
            "if you wish to not provide any bounding boxes.",
        )
    if (corners < 0).any() or (corners > 1).any() or (corners[:, :2] >= corners[:, 2:]).any():
        raise invalid_value(op, "All bounding box coordinates must be in [0.0, 1.0] and increasing")
    scale = np.array([height, width] * 2, np.float32)
    objects = [(c[1], c[0], c[3], c[2]) for c in (corners * scale).astype(int).tolist()] or [image]
    low, high = map(np.float32, limits.ratios)
    for _ in range(limits.attempts):
        ratio = numbers.fraction() * (high - low) + low
        found = _crop(height, width, ratio, numbers, limits.areas)
        if found is not None and any(_covers(found, one, limits.covered) for one in objects):
            return found
    return image


def _rounded(number: Any) -> int:
    return int(np.rint(np.float32(number)))


def _crop(
    height: int, width: int, ratio: Any, numbers: _Numbers, areas: Sequence[float]
) -> Box | None:
    """Return a random box with a ratio of width / height, or None if its area is out of bounds."""
    least, most = (np.float32(a) * np.float32(width) * np.float32(height) for a in areas)
    rows, top_rows = (_rounded(math.sqrt(area / ratio)) for area in (least, most))
    if _rounded(top_rows * ratio) > width:
        top_rows = int((width + 0.5 - 1e-7) / ratio)
        top_rows -= _rounded(top_rows * ratio) > width
    top_rows = min(top_rows, height)
    rows = min(rows, top_rows)
    if rows < top_rows:
        rows += numbers.below(top_rows - rows + 1)
    columns = _rounded(rows * ratio)
    if rows * columns < least:
        rows += 1
        columns = _rounded(rows * ratio)
    if rows * columns > most:
        rows -= 1
        columns = _rounded(rows * ratio)
    if not least <= rows * columns <= most or not (0 < columns <= width and 0 < rows <= height):
        return None
    top = numbers.below(height - rows) if rows < height else 0
    left = numbers.below(width - columns) if columns < width else 0
    return left, top, left + columns, top + rows


def _covers(crop: Box, one: Box, wanted: float) -> bool:
    """Return True if a box contains the wanted part of an object."""
    area = (one[2] - one[0]) * (one[3] - one[1])
    if area < 1:
        return False
    columns = min(crop[2], one[2]) - max(crop[0], one[0])
    rows = min(crop[3], one[3]) - max(crop[1], one[1])
    return max(columns, 0) * max(rows, 0) / area >= wanted
