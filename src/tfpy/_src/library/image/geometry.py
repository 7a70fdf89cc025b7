"""Crops, flips, rotations and patches of images."""

from __future__ import annotations

from collections.abc import Sequence

from tfpy._src.base.errors import OutOfRangeError, invalid
from tfpy._src.compiler.ops.patches import padded_windows
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import FloatLike, IntLike, TensorLike
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
    image: TensorLike,
    offset_height: IntLike,
    offset_width: IntLike,
    target_height: IntLike,
    target_width: IntLike,
) -> Tensor:
    """Crop an image to a box.

    Args:
        image: Tensor of shape `[height, width, channels]` or `[batch, height, width, channels]`.
        offset_height: First row of the box.
        offset_width: First column of the box.
        target_height: Height of the box.
        target_width: Width of the box.

    Returns:
        Tensor of shape `[..., target_height, target_width, channels]` with the dtype of `image`.

    Raises:
        ValueError: If the box is empty or extends beyond the image, or if the image is empty or
            does not have 3 or 4 dimensions.

    Example:
        >>> import tfpy as tf
        >>> image = tf.reshape(tf.range(9), [3, 3, 1])
        >>> tf.image.crop_to_bounding_box(image, 0, 1, 2, 2).numpy()[:, :, 0].tolist()
        [[1, 2], [4, 5]]

    See also: `tf.image.pad_to_bounding_box`, `tf.image.central_crop`.
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
    """Declare the height and width of images, which are known."""
    if not image.aval.is_open:
        return image
    batch, _, _, channels = image.aval.shape
    return reshape(image, [batch, height, width, channels])


def pad_to_bounding_box(
    image: TensorLike,
    offset_height: IntLike,
    offset_width: IntLike,
    target_height: IntLike,
    target_width: IntLike,
) -> Tensor:
    """Place an image at an offset in a larger image of zeros.

    Args:
        image: Tensor of shape `[height, width, channels]` or `[batch, height, width, channels]`.
        offset_height: Number of rows of zeros above the image.
        offset_width: Number of columns of zeros to the left of the image.
        target_height: Height of the result.
        target_width: Width of the result.

    Returns:
        Tensor of shape `[..., target_height, target_width, channels]` with the dtype of `image`.

    Raises:
        ValueError: If an offset is negative, if the image at this offset extends beyond the target
            size, or if the image is empty or does not have 3 or 4 dimensions.

    Example:
        >>> import tfpy as tf
        >>> tf.image.pad_to_bounding_box([[[7]]], 1, 0, 2, 3).numpy()[:, :, 0].tolist()
        [[0, 0, 0], [7, 0, 0]]

    See also: `tf.image.crop_to_bounding_box`, `tf.image.resize_with_crop_or_pad`.
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


def central_crop(image: TensorLike, central_fraction: FloatLike) -> Tensor:
    """Crop the central part of an image.

    Args:
        image: Tensor of shape `[height, width, channels]` or `[batch, height, width, channels]`.
        central_fraction: Fraction of the height and of the width to keep, above 0 and at most 1.

    Returns:
        Tensor of shape `[..., new_height, new_width, channels]` with the dtype of `image`.

    Raises:
        ValueError: If `central_fraction` is not in (0, 1], or if the image is empty or does not
            have 3 or 4 dimensions.

    Example:
        >>> import tfpy as tf
        >>> image = tf.reshape(tf.range(16), [4, 4, 1])
        >>> tf.image.central_crop(image, central_fraction=0.5).numpy()[:, :, 0].tolist()
        [[5, 6], [9, 10]]

    See also: `tf.image.crop_to_bounding_box`.
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


def flip_left_right(image: TensorLike) -> Tensor:
    """Flip an image horizontally, so that left and right are swapped.

    Args:
        image: Tensor of shape `[height, width, channels]` or `[batch, height, width, channels]`.

    Returns:
        Tensor with the shape and dtype of `image`.

    Raises:
        ValueError: If the image is empty, or does not have 3 or 4 dimensions.

    Example:
        >>> import tfpy as tf
        >>> tf.image.flip_left_right([[[1], [2]], [[3], [4]]]).numpy()[:, :, 0].tolist()
        [[2, 1], [4, 3]]

    See also: `tf.image.flip_up_down`, `tf.image.random_flip_left_right`.
    """
    x, single = as_batch("flip_left_right", image)
    return from_batch(reverse(x, [2]), single)


def flip_up_down(image: TensorLike) -> Tensor:
    """Flip an image vertically, so that top and bottom are swapped.

    Args:
        image: Tensor of shape `[height, width, channels]` or `[batch, height, width, channels]`.

    Returns:
        Tensor with the shape and dtype of `image`.

    Raises:
        ValueError: If the image is empty, or does not have 3 or 4 dimensions.

    Example:
        >>> import tfpy as tf
        >>> tf.image.flip_up_down([[[1], [2]], [[3], [4]]]).numpy()[:, :, 0].tolist()
        [[3, 4], [1, 2]]

    See also: `tf.image.flip_left_right`, `tf.image.random_flip_up_down`.
    """
    x, single = as_batch("flip_up_down", image)
    return from_batch(reverse(x, [1]), single)


def transpose(image: TensorLike, name: str | None = None) -> Tensor:
    """Swap the height and the width of an image.

    Args:
        image: Tensor of shape `[height, width, channels]` or `[batch, height, width, channels]`.

    Returns:
        Tensor of shape `[..., width, height, channels]` with the dtype of `image`.

    Raises:
        ValueError: If the image is empty, or does not have 3 or 4 dimensions.

    Example:
        >>> import tfpy as tf
        >>> tf.image.transpose([[[1], [2]], [[3], [4]]]).numpy()[:, :, 0].tolist()
        [[1, 3], [2, 4]]

    See also: `tf.image.rot90`.
    """
    x, single = as_batch("transpose", image)
    return from_batch(reshaping.transpose(x, [0, 2, 1, 3]), single)


def rot90(image: TensorLike, k: IntLike = 1, name: str | None = None) -> Tensor:
    """Rotate an image counter-clockwise by multiples of 90 degrees.

    Args:
        image: Tensor of shape `[height, width, channels]` or `[batch, height, width, channels]`.
        k: Number of rotations by 90 degrees, an integer or scalar integer tensor. Default: 1.

    Returns:
        Tensor with the dtype of `image`. If `k` is odd, the height and the width are swapped.

    Raises:
        TypeError: If `k` is not a scalar.
        ValueError: If the image is empty, or does not have 3 or 4 dimensions.

    Example:
        >>> import tfpy as tf
        >>> tf.image.rot90([[[1], [2]], [[3], [4]]]).numpy()[:, :, 0].tolist()
        [[2, 4], [1, 3]]

    See also: `tf.image.transpose`, `tf.image.rotate_with_offset`.
    """
    x, single = as_batch("rot90", image)
    turns = static_int(k) % 4
    if turns in (1, 3):
        x = reshaping.transpose(reverse(x, [2]) if turns == 1 else reverse(x, [1]), [0, 2, 1, 3])
    elif turns == 2:
        x = reverse(x, [1, 2])
    return from_batch(x, single)


def extract_patches(
    images: TensorLike,
    sizes: Sequence[int],
    strides: Sequence[int],
    rates: Sequence[int],
    padding: str,
    name: str | None = None,
) -> Tensor:
    """Extract patches from images and flatten each patch into the last axis.

    Args:
        images: Tensor of shape `[batch, height, width, channels]`.
        sizes: Height and width of the patches, as `[1, size_rows, size_columns, 1]`.
        strides: Distance between the starts of neighboring patches, as `[1, rows, columns, 1]`.
        rates: Distance between neighboring pixels of a patch, as `[1, rows, columns, 1]`. `[1, 1,
            1, 1]` takes adjacent pixels.
        padding: `"VALID"` to extract only patches that lie inside the image, or `"SAME"` to pad the
            image with zeros.

    Returns:
        Tensor of shape `[batch, patch_rows, patch_columns, size_rows * size_columns * channels]`
        with the dtype of `images`.

    Raises:
        tf.errors.InvalidArgumentError: If `sizes`, `strides` or `rates` does not have 4 elements.
        tf.errors.OutOfRangeError: If an element of `sizes`, `strides` or `rates` is not positive.

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
