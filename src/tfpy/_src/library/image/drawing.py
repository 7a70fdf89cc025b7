"""Boxes drawn into images, and glimpses, which are windows that may extend beyond an image."""

from __future__ import annotations

from builtins import range as range_
from typing import Any

from tfpy._src.base import dtypes
from tfpy._src.base.errors import invalid_value
from tfpy._src.compiler.ops import elementwise as ew, indexing, logic
from tfpy._src.core.conversion import constant, convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import ShapeLike, TensorLike
from tfpy._src.tensors.array.joining import concat
from tfpy._src.tensors.array.making import cast, zeros
from tfpy._src.tensors.array.ranges import range
from tfpy._src.tensors.array.reshaping import expand_dims, reshape
from tfpy._src.tensors.array.slicing import where
from tfpy._src.tensors.array.static import static_ints
from tfpy._src.tensors.math import reductions
from tfpy._src.tensors.random import stateful

__all__ = ["draw_bounding_boxes", "extract_glimpse"]

_COLORS = (
    *((1.0, 1.0, 0.0, 1.0), (0.0, 0.0, 1.0, 1.0), (1.0, 0.0, 0.0, 1.0), (0.0, 1.0, 0.0, 1.0)),
    *((0.5, 0.0, 0.5, 1.0), (0.5, 0.5, 0.0, 1.0), (0.5, 0.0, 0.0, 1.0), (0.0, 0.0, 0.5, 1.0)),
    *((0.0, 1.0, 1.0, 1.0), (1.0, 0.0, 1.0, 1.0)),
)
"""TensorFlow's default colors of boxes."""


def draw_bounding_boxes(
    images: TensorLike, boxes: TensorLike, colors: TensorLike | None, name: str | None = None
) -> Tensor:
    """Draw the outlines of boxes into images.

    Args:
        images: Tensor of shape `[batch, height, width, channels]` and dtype float32 or float16. It
            has 1, 3 or 4 channels.
        boxes: Float tensor of shape `[batch, boxes, 4]`. A box consists of the top, left, bottom
            and right edge, as fractions of the height and width. Boxes outside of the image are
            not drawn.
        colors: Float tensor of shape `[colors, channels]`. The boxes use the colors in turn.
            Default: ten different colors, or white for images with one channel.

    Returns:
        Tensor with the shape and dtype of `images`.

    Raises:
        tf.errors.InvalidArgumentError: If a shape or the dtype is not supported.

    Example:
        >>> import tfpy as tf
        >>> image = tf.zeros([1, 4, 4, 1])
        >>> drawn = tf.image.draw_bounding_boxes(image, [[[0.0, 0.0, 0.7, 1.0]]], [[1.0]])
        >>> print(drawn.numpy()[0, :, :, 0])
        [[1. 1. 1. 1.]
         [1. 0. 0. 1.]
         [1. 1. 1. 1.]
         [0. 0. 0. 0.]]

    See also: `tf.image.non_max_suppression`, `tf.image.crop_and_resize`.
    """
    pixels = convert_to_tensor(images)
    corners = cast(boxes, dtypes.float32)
    _check_boxes(pixels, corners)
    _, height, width, channels = pixels.aval.shape
    count = corners.aval.shape[1]
    table = _colors(colors, channels, count)
    if count == 0:
        return pixels
    edges = cast(corners * constant([height - 1, width - 1] * 2, dtypes.float32), dtypes.int32)
    first_row, first_column, last_row, last_column = (
        expand_dims(edges[:, :, i], -1) for i in (0, 1, 2, 3)
    )
    in_rows, on_row = _range_and_ends(first_row, last_row, height)
    in_columns, on_column = _range_and_ends(first_column, last_column, width)
    is_drawn = logic.logical_or(
        logic.logical_and(expand_dims(on_row, 3), expand_dims(in_columns, 2)),
        logic.logical_and(expand_dims(in_rows, 3), expand_dims(on_column, 2)),
    )
    numbers = reshape(range(1, count + 1), [1, count, 1, 1])
    last = reductions.reduce_max(where(is_drawn, numbers, 0), axis=1)
    chosen = indexing.gather(cast(table, pixels.dtype), last, axis=0, batch_dims=0)
    return where(expand_dims(last > 0, -1), chosen, pixels)


def _check_boxes(pixels: Tensor, corners: Tensor) -> None:
    """Check the arguments of `draw_bounding_boxes`.

    Raises:
        InvalidArgumentError: If a shape or dtype is not supported.
    """
    op, shape, box_shape = "draw_bounding_boxes", pixels.aval.shape, corners.aval.shape
    if pixels.dtype not in (dtypes.float32, dtypes.float16):
        raise invalid_value(op, f"images must be float32 or float16, got {pixels.dtype.name}")
    if len(shape) != 4:
        raise invalid_value(op, f"The rank of the images should be 4, got shape {pixels.shape}")
    if len(box_shape) != 3 or box_shape[2] != 4:
        raise invalid_value(op, f"boxes must have shape [batch, boxes, 4], got {corners.shape}")
    if shape[0] != box_shape[0]:
        raise invalid_value(op, f"batch sizes differ: {pixels.shape} and {corners.shape}")
    if shape[3] not in (1, 3, 4):
        raise invalid_value(op, f"images must have 1, 3 or 4 channels, got {shape[3]}")


def _colors(colors: TensorLike | None, channels: int, count: int) -> Tensor:
    """Return the colors of all boxes, after a row of zeros.

    Raises:
        InvalidArgumentError: If the colors have too few channels.
    """
    default = [[1.0]] if channels == 1 else _COLORS
    table = cast(default if colors is None else colors, dtypes.float32)
    if table.aval.rank == 2 and table.aval.shape[0] == 0:
        table = constant(default)
    if len(table.aval.shape) != 2 or table.aval.shape[1] < channels:
        raise invalid_value(
            "draw_bounding_boxes",
            f"colors must have shape [colors, channels] with at least {channels} channels, got "
            f"{table.shape}",
        )
    places = [i % table.aval.shape[0] for i in range_(count)]
    chosen = indexing.gather(
        table[:, :channels], constant(places, dtypes.int32), axis=0, batch_dims=0
    )
    return concat([zeros([1, channels]), chosen], 0)


def _range_and_ends(first: Tensor, last: Tensor, size: int) -> tuple[Tensor, Tensor]:
    """Return True for the positions of an axis in a range, and for the two ends of the range.

    Nothing is True for ranges that are reversed or outside of the axis.
    """
    at = reshape(range(size), [1, 1, size])
    inside = logic.logical_and(at >= first, at <= last)
    return inside, logic.logical_and(inside, logic.logical_or(at == first, at == last))


def extract_glimpse(
    input: TensorLike,
    size: ShapeLike,
    offsets: TensorLike,
    centered: bool = True,
    normalized: bool = True,
    noise: str = "uniform",
    name: str | None = None,
) -> Tensor:
    """Extract one window from each image. A window may extend beyond the image.

    Args:
        input: Float tensor of shape `[batch, height, width, channels]`.
        size: Height and width of the windows.
        offsets: Float tensor of shape `[batch, 2]` with the vertical and horizontal position of
            each window.
        centered: If True, positions are those of the centers of the windows, relative to the
            centers of the images. If False, positions are those of the upper left corners.
        normalized: If True, an offset of 1 is half the size of the image if `centered` is True, and
            its whole size otherwise. If False, offsets are numbers of pixels, and a window begins
            at its position.
        noise: Pixels outside of the image: `"uniform"` numbers between the smallest and the largest
            pixel, `"gaussian"` numbers with the mean and deviation of the pixels, or `"zero"`.

    Returns:
        Tensor of shape `[batch, size[0], size[1], channels]` with the dtype of `input`.

    Raises:
        tf.errors.InvalidArgumentError: If a shape or `noise` is not supported.

    Example:
        >>> import tfpy as tf
        >>> x = tf.reshape(tf.range(1.0, 10.0), [1, 3, 3, 1])
        >>> window = tf.image.extract_glimpse(x, [2, 2], [[1.0, 1.0]], False, False)
        >>> window.numpy()[0, :, :, 0].tolist()
        [[5.0, 6.0], [8.0, 9.0]]

    See also: `tf.image.crop_and_resize`, `tf.image.crop_to_bounding_box`.
    """
    images, places = convert_to_tensor(input, dtypes.float32), cast(offsets, dtypes.float32)
    wanted = static_ints(size)
    _check_glimpse(images, wanted, places, noise)
    batch, height, width, channels = images.aval.shape
    rows, is_row = _window(places[:, 0], height, wanted[0], centered, normalized)
    columns, is_column = _window(places[:, 1], width, wanted[1], centered, normalized)
    flat = reshape(images, [batch, height * width, channels])
    index = reshape(expand_dims(rows, 2) * width + expand_dims(columns, 1), [batch, -1])
    found = indexing.gather(flat, index, axis=1, batch_dims=1)
    found = reshape(found, [batch, *wanted, channels])
    inside = logic.logical_and(expand_dims(is_row, 2), expand_dims(is_column, 1))
    return where(expand_dims(inside, -1), found, _noise(images, found, noise))


def _check_glimpse(images: Tensor, size: Any, places: Tensor, noise: str) -> None:
    """Check the arguments of `extract_glimpse`.

    Raises:
        InvalidArgumentError: If a shape or `noise` is not supported.
    """
    op = "extract_glimpse"
    if len(images.aval.shape) != 4:
        raise invalid_value(
            op, f"input must be 4-dimensional (batch_size, height, width, depth), {images.shape}"
        )
    if len(size) != 2:
        raise invalid_value(op, f"size must consist of a height and a width, got {list(size)}")
    if places.aval.shape != (images.aval.shape[0], 2):
        raise invalid_value(
            op, f"offsets must have shape [{images.aval.shape[0]}, 2], got {places.shape}"
        )
    if noise not in ("uniform", "gaussian", "zero"):
        raise invalid_value(op, f"The noise could only be uniform, gaussian, or zero, got {noise}")


def _window(
    offsets: Tensor, size: int, window: int, centered: bool, normalized: bool
) -> tuple[Tensor, Tensor]:
    """Return the positions of each window along an axis, clipped, and True for those inside."""
    start = offsets * float(size) if normalized else offsets
    if centered:
        start = start / 2.0 + (size - window) / 2.0 if normalized else start + size / 2.0
    at = expand_dims(cast(start, dtypes.int32), 1) + reshape(range(window), [1, window])
    inside = logic.logical_and(at >= 0, at < size)
    return ew.maximum(ew.minimum(at, size - 1), 0), inside


def _noise(images: Tensor, like: Tensor, kind: str) -> Tensor:
    if kind == "zero":
        return like * 0.0
    axes = [1, 2, 3]
    mean = reductions.reduce_mean(images, axes, keepdims=True)
    if kind == "gaussian":
        deviation = ew.sqrt(reductions.reduce_mean((images - mean) ** 2, axes, keepdims=True))
        return mean + deviation * stateful.normal(like.aval.shape)
    low = reductions.reduce_min(images, axes, keepdims=True)
    high = reductions.reduce_max(images, axes, keepdims=True)
    return low + (high - low) * stateful.uniform(like.aval.shape)
