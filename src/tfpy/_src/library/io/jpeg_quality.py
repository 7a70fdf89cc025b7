"""Images with the artifacts of a JPEG file."""

from __future__ import annotations

from tfpy._src.base import dtypes
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import IntLike, TensorLike
from tfpy._src.library.image.batches import convert_image_dtype
from tfpy._src.library.image.randomized import Draw, _stateful
from tfpy._src.library.image.stateless_randomized import _stateless
from tfpy._src.library.io.images import decode_jpeg, encode_jpeg

__all__ = ["adjust_jpeg_quality", "random_jpeg_quality", "stateless_random_jpeg_quality"]


def adjust_jpeg_quality(
    image: TensorLike, jpeg_quality: IntLike, dct_method: str = "", name: str | None = None
) -> Tensor:
    """Encode an image as a JPEG file and decode it, which requires the package Pillow.

    Args:
        image: Tensor of shape `[height, width, channels]` with 1 or 3 channels, of dtype uint8, or
            of a float dtype with values between 0 and 1.
        jpeg_quality: Quality of the file, an integer between 0 and 100.
        dct_method: Has no effect.

    Returns:
        Tensor with the shape and dtype of `image`.

    Raises:
        tf.errors.InvalidArgumentError: If the quality or the shape is not supported.
        tf.errors.UnimplementedError: If Pillow is not installed.

    Example::

        worse = tf.image.adjust_jpeg_quality(image, 40)

    See also: `tf.image.random_jpeg_quality`, `tf.io.encode_jpeg`.
    """
    pixels = convert_to_tensor(image)
    coarse = convert_image_dtype(pixels, dtypes.uint8, saturate=True)
    quality = int(convert_to_tensor(jpeg_quality))
    found = decode_jpeg(encode_jpeg(coarse, quality=quality), channels=pixels.aval.shape[-1])
    return convert_image_dtype(found, pixels.dtype, saturate=True)


def _random(image: TensorLike, low: int, high: int, draw: Draw) -> Tensor:
    """Change the quality by a random amount.

    Raises:
        ValueError: If a bound is not valid.
    """
    if low < 0 or high < 0 or low > 100 or high > 100:
        raise ValueError("jpeg encoding range must be between 0 and 100.")
    if low >= high:
        raise ValueError("`min_jpeg_quality` must be less than `max_jpeg_quality`.")
    return adjust_jpeg_quality(image, draw([], low, high, dtypes.int32))


def random_jpeg_quality(
    image: TensorLike, min_jpeg_quality: int, max_jpeg_quality: int, seed: int | None = None
) -> Tensor:
    """Encode an image as a JPEG file of a random quality and decode it.

    Args:
        image: Tensor of shape `[height, width, channels]` with 1 or 3 channels, of dtype uint8, or
            of a float dtype with values between 0 and 1.
        min_jpeg_quality: Lowest quality, between 0 and 100.
        max_jpeg_quality: Bound of the quality (exclusive), between 0 and 100.
        seed: Integer that makes the random numbers reproducible.

    Returns:
        Tensor with the shape and dtype of `image`.

    Raises:
        ValueError: If a bound is not valid.
        tf.errors.UnimplementedError: If Pillow is not installed.

    Example::

        worse = tf.image.random_jpeg_quality(image, 40, 90)

    See also: `tf.image.adjust_jpeg_quality`, `tf.image.stateless_random_jpeg_quality`.
    """
    return _random(image, min_jpeg_quality, max_jpeg_quality, _stateful(seed))


def stateless_random_jpeg_quality(
    image: TensorLike, min_jpeg_quality: int, max_jpeg_quality: int, seed: TensorLike
) -> Tensor:
    """Encode an image as a JPEG file of a quality that `seed` determines, and decode it.

    Args:
        image: Tensor of shape `[height, width, channels]` with 1 or 3 channels, of dtype uint8, or
            of a float dtype with values between 0 and 1.
        min_jpeg_quality: Lowest quality, between 0 and 100.
        max_jpeg_quality: Bound of the quality (exclusive), between 0 and 100.
        seed: Two integers, as a tensor of shape `[2]`.

    Returns:
        Tensor with the shape and dtype of `image`.

    Raises:
        ValueError: If a bound is not valid.
        tf.errors.UnimplementedError: If Pillow is not installed.

    Example::

        worse = tf.image.stateless_random_jpeg_quality(image, 40, 90, seed=[1, 2])

    See also: `tf.image.random_jpeg_quality`.
    """
    return _random(image, min_jpeg_quality, max_jpeg_quality, _stateless(seed))
