"""Crops, flips, rotations and patches of images."""

from __future__ import annotations

from typing import Any

from tfpy._src.base.errors import OutOfRangeError, invalid
from tfpy._src.compiler.ops.patches import padded_windows
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.library.image.batches import as_batch, at_least, from_batch
from tfpy._src.tensors.array import reshaping
from tfpy._src.tensors.array.joining import pad
from tfpy._src.tensors.array.reordering import reverse
from tfpy._src.tensors.array.reshaping import reshape
from tfpy._src.tensors.array.static import attribute_ints, static_int, static_number
from tfpy._src.tensors.nn.data_format import DataFormat

__all__ = [
    "central_crop",
    "crop_to_bounding_box",
    "extract_patches",
    "flip_left_right",
    "flip_up_down",
    "pad_to_bounding_box",
    "rot90",
    "transpose",
]


def crop_to_bounding_box(
    image: Any, offset_height: Any, offset_width: Any, target_height: Any, target_width: Any
) -> Tensor:
    """The part of the image from an offset on.

    Raises:
        ValueError: when the part is empty or lies outside the image.

    Example:
        >>> import tfpy as tf
        >>> image = tf.reshape(tf.range(9), [3, 3, 1])
        >>> tf.image.crop_to_bounding_box(image, 0, 1, 2, 2).numpy()[:, :, 0].tolist()
        [[1, 2], [4, 5]]
    """
    x, single = as_batch("crop_to_bounding_box", image)
    top, left, height, width = (
        static_int(v) for v in (offset_height, offset_width, target_height, target_width)
    )
    if min(top, left) < 0 or min(height, width) <= 0:
        raise ValueError(
            f"crop_to_bounding_box: offsets {top}, {left} must be >= 0 and targets {height}, "
            f"{width} > 0"
        )
    if top + height > x.aval.shape[1] or left + width > x.aval.shape[2]:
        raise ValueError(
            f"crop_to_bounding_box: rows {top}..{top + height} and columns {left}..{left + width} "
            f"lie outside the image {x.shape}"
        )
    part: Tensor = x[:, top : top + height, left : left + width]
    return from_batch(_of_size(part, height, width), single)


def _of_size(image: Tensor, height: int, width: int) -> Tensor:
    """The images, whose height and width are known."""
    if not image.aval.is_open:
        return image
    batch, _, _, channels = image.aval.shape
    return reshape(image, [batch, height, width, channels])


def pad_to_bounding_box(
    image: Any, offset_height: Any, offset_width: Any, target_height: Any, target_width: Any
) -> Tensor:
    """The image at an offset between zeros.

    Raises:
        ValueError: when the image does not fit.

    Example:
        >>> import tfpy as tf
        >>> tf.image.pad_to_bounding_box([[[7]]], 1, 0, 2, 3).numpy()[:, :, 0].tolist()
        [[0, 0, 0], [7, 0, 0]]
    """
    x, single = as_batch("pad_to_bounding_box", image)
    before = static_int(offset_height), static_int(offset_width)
    target = static_int(target_height), static_int(target_width)
    sides = list(zip(target, before, x.aval.shape[1:3], strict=True))
    after = [t - b - n for t, b, n in sides]
    if min(before) < 0 or any(n > t - b for t, b, n in sides):
        raise ValueError(
            f"pad_to_bounding_box: image {x.shape} at {list(before)} does not fit "
            f"{target_height} x {target_width}"
        )
    y = pad(x, [[0, 0], [before[0], after[0]], [before[1], after[1]], [0, 0]])
    return from_batch(_of_size(y, *target), single)


def central_crop(image: Any, central_fraction: Any) -> Tensor:
    """The middle of the image: a fraction of each side.

    Raises:
        ValueError: when the fraction is not in (0, 1].

    Example:
        >>> import tfpy as tf
        >>> image = tf.reshape(tf.range(16), [4, 4, 1])
        >>> tf.image.central_crop(image, central_fraction=0.5).numpy()[:, :, 0].tolist()
        [[5, 6], [9, 10]]
    """
    fraction = static_number(central_fraction)
    if not 0 < fraction <= 1:
        raise ValueError(f"central_fraction must be within (0, 1], got {fraction}")
    if fraction == 1:
        return convert_to_tensor(image)
    x, single = as_batch("central_crop", image)
    starts = [int((n - n * fraction) / 2) for n in (float(v) for v in x.aval.shape[1:3])]
    sizes = [n - 2 * s for n, s in zip(x.aval.shape[1:3], starts, strict=True)]
    return from_batch(crop_to_bounding_box(x, *starts, *sizes), single)


def flip_left_right(image: Any) -> Tensor:
    """Mirrored along the width.

    Example:
        >>> import tfpy as tf
        >>> tf.image.flip_left_right([[[1], [2]], [[3], [4]]]).numpy()[:, :, 0].tolist()
        [[2, 1], [4, 3]]
    """
    x, single = as_batch("flip_left_right", image)
    return from_batch(reverse(x, [2]), single)


def flip_up_down(image: Any) -> Tensor:
    """Mirrored along the height.

    Example:
        >>> import tfpy as tf
        >>> tf.image.flip_up_down([[[1], [2]], [[3], [4]]]).numpy()[:, :, 0].tolist()
        [[3, 4], [1, 2]]
    """
    x, single = as_batch("flip_up_down", image)
    return from_batch(reverse(x, [1]), single)


def transpose(image: Any, name: str | None = None) -> Tensor:
    """Height and width swapped.

    Example:
        >>> import tfpy as tf
        >>> tf.image.transpose([[[1], [2]], [[3], [4]]]).numpy()[:, :, 0].tolist()
        [[1, 3], [2, 4]]
    """
    x, single = as_batch("transpose", image)
    return from_batch(reshaping.transpose(x, [0, 2, 1, 3]), single)


def rot90(image: Any, k: Any = 1, name: str | None = None) -> Tensor:
    """Turned ``k`` quarters counter-clockwise.

    Raises:
        TypeError: when ``k`` is not one number.

    Example:
        >>> import tfpy as tf
        >>> tf.image.rot90([[[1], [2]], [[3], [4]]]).numpy()[:, :, 0].tolist()
        [[2, 4], [1, 3]]
    """
    x, single = as_batch("rot90", image)
    turns = static_int(k) % 4
    if turns in (1, 3):
        x = reshaping.transpose(reverse(x, [2]) if turns == 1 else reverse(x, [1]), [0, 2, 1, 3])
    elif turns == 2:
        x = reverse(x, [1, 2])
    return from_batch(x, single)


def extract_patches(
    images: Any, sizes: Any, strides: Any, rates: Any, padding: str, name: str | None = None
) -> Tensor:
    """Patches side by side in the depth: ``[batch, rows, columns, size * size * depth]``.

    Args:
        padding: "SAME" or "VALID".
        sizes, strides, rates: four numbers, the first and last of which are 1.

    Raises:
        InvalidArgumentError: when there is not one number a dimension.
        OutOfRangeError: when one is not positive.

    Example:
        >>> import tfpy as tf
        >>> image = tf.reshape(tf.range(16.0), [1, 4, 4, 1])
        >>> ones, twos = [1, 1, 1, 1], [1, 2, 2, 1]
        >>> tf.image.extract_patches(image, twos, twos, ones, "VALID").numpy()[0, 0].tolist()
        [[0.0, 1.0, 4.0, 5.0], [2.0, 3.0, 6.0, 7.0]]
    """
    for what, value in (("ksizes", sizes), ("strides", strides), ("rates", rates)):
        numbers = attribute_ints(value)
        if len(numbers) != 4:
            raise invalid("extract_patches", f"{what} must have 4 numbers, got {value}")
        if min(numbers) < 1:
            problem = f"extract_patches: {what} {list(numbers)} must be positive"
            raise OutOfRangeError(None, "extract_patches", problem)
    x = at_least("extract_patches", convert_to_tensor(images), 4)
    form = DataFormat.of("extract_patches", 2, "NHWC")
    extent, step = form.spatial("ksizes", sizes), form.spatial("strides", strides)
    spread = form.spatial("rates", rates)
    pads = form.padding(padding, (x.aval.shape[1], x.aval.shape[2]), extent, step, spread)
    windows = padded_windows(x, extent, step, spread, pads, 0)
    return reshape(windows, [*windows.aval.shape[:3], extent[0] * extent[1] * x.aval.shape[3]])
