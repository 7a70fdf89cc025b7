"""Adjustments of brightness, contrast and color."""

from __future__ import annotations

from collections.abc import Callable

from tfpy._src.base import dtypes
from tfpy._src.base.errors import invalid
from tfpy._src.base.tracing import executing_eagerly
from tfpy._src.compiler.ops import elementwise as ew
from tfpy._src.compiler.ops.failing import failing
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import FloatLike, TensorLike
from tfpy._src.library.image.batches import as_float, at_least, check_pixels, convert_image_dtype
from tfpy._src.library.image.colors import hsv_to_rgb, rgb_to_hsv, turn_hue
from tfpy._src.tensors.array.joining import stack
from tfpy._src.tensors.array.making import cast
from tfpy._src.tensors.math import arithmetic, reductions, statistics

__all__ = [
    "adjust_brightness",
    "adjust_contrast",
    "adjust_gamma",
    "adjust_hue",
    "adjust_saturation",
    "per_image_standardization",
]


def _check_scalar(name: str, amount: TensorLike) -> None:
    """Raise InvalidArgumentError if the amount is not a scalar."""
    shape = convert_to_tensor(amount).aval.shape
    if shape:
        raise invalid(name, f"the amount must be a scalar, got shape {list(shape)}")


def _adjusted(image: TensorLike, change: Callable[[Tensor], Tensor]) -> Tensor:
    """Apply `change` to the image as floats and convert the result to the image's dtype."""
    x = convert_to_tensor(image)
    return convert_image_dtype(change(as_float(x)), x.dtype, saturate=True)


def _with_colors(
    name: str, images: TensorLike, amount: TensorLike, change: Callable[[Tensor], Tensor]
) -> Tensor:
    """Change the colors of images by a scalar amount.

    Raises:
        InvalidArgumentError: If the amount is not a scalar, or the images do not have three
            channels.
    """
    x = at_least(name, images, 3)
    _check_scalar(name, amount)
    if x.aval.shape[-1] != 3:
        message = f"input must have 3 channels, got shape {list(x.aval.shape)}"
        return failing(name, message, (x,), x.aval.shape, x.dtype)
    return _adjusted(x, change)


def adjust_brightness(image: TensorLike, delta: FloatLike) -> Tensor:
    """Adjust the brightness of an image by adding a number to all its values.

    An integer image is first scaled to floats between 0 and 1. The result is scaled back, and
    values outside of the range of the dtype are clipped.

    Args:
        image: Tensor of any shape with a float or integer dtype.
        delta: Scalar to add. For an integer image, 1 is the largest value of the dtype.

    Returns:
        Tensor with the shape and dtype of `image`.

    Example:
        >>> import tfpy as tf
        >>> tf.image.adjust_brightness([[[0.25, 0.5, 0.75]]], delta=0.25).numpy().tolist()
        [[[0.5, 0.75, 1.0]]]

    See also: `tf.image.adjust_contrast`, `tf.image.random_brightness`.
    """
    return _adjusted(image, lambda x: x + cast(delta, x.dtype))


def adjust_contrast(images: TensorLike, contrast_factor: FloatLike) -> Tensor:
    """Adjust the contrast of images by scaling the distance of each pixel from the mean.

    Compute `(x - mean) * contrast_factor + mean`, where `mean` is the mean of a channel over all
    pixels of an image.

    An integer image is first scaled to floats between 0 and 1. The result is scaled back, and
    values outside of the range of the dtype are clipped.

    Args:
        images: Tensor of shape `[..., height, width, channels]` with a float or integer dtype.
        contrast_factor: Scalar factor. Values above 1 increase the contrast, and values between 0
            and 1 reduce it.

    Returns:
        Tensor with the shape and dtype of `images`.

    Raises:
        ValueError: If `images` has fewer than three dimensions.
        tf.errors.InvalidArgumentError: If `contrast_factor` is not a scalar.

    Example:
        >>> import tfpy as tf
        >>> tf.image.adjust_contrast([[[1.0], [3.0]]], 2.0).numpy().round(3).tolist()
        [[[0.0], [4.0]]]

    See also: `tf.image.adjust_brightness`, `tf.image.random_contrast`.
    """
    _check_scalar("adjust_contrast", contrast_factor)

    def change(x: Tensor) -> Tensor:
        mean = reductions.reduce_mean(x, [-3, -2], keepdims=True)
        return ew.add((x - mean) * contrast_factor, mean)

    return _adjusted(at_least("adjust_contrast", images, 3), change)


def adjust_gamma(image: TensorLike, gamma: FloatLike = 1, gain: FloatLike = 1) -> Tensor:
    """Apply gamma correction to an image by computing `gain * image ** gamma`.

    An integer image is first scaled to floats between 0 and 1. The result is scaled back, and
    values outside of the range of the dtype are clipped.

    Args:
        image: Tensor of any shape with a float or integer dtype.
        gamma: Non-negative scalar exponent. Values above 1 make the image darker, and values below
            1 make it brighter.
        gain: Scalar by which the result is multiplied.

    Returns:
        Tensor with the shape and dtype of `image`.

    Raises:
        ValueError: If `gamma` is a negative Python number.

    Example:
        >>> import tfpy as tf
        >>> tf.image.adjust_gamma([[[0.5, 1.0, 0.25]]], gamma=2.0).numpy().round(4).tolist()
        [[[0.25, 1.0, 0.0625]]]

    See also: `tf.image.adjust_brightness`, `tf.image.adjust_contrast`.
    """
    if isinstance(gamma, int | float) and gamma < 0:
        raise ValueError("Gamma should be a non-negative real number.")
    return _adjusted(image, lambda x: ew.multiply(gain, ew.power(x, gamma)))


def adjust_hue(image: TensorLike, delta: FloatLike, name: str | None = None) -> Tensor:
    """Rotate the hue of each pixel of an RGB image on the color circle.

    Args:
        image: RGB tensor of shape `[..., height, width, 3]` with a float or integer dtype.
        delta: Scalar between -1 and 1, where 1 is a full rotation.

    Returns:
        Tensor with the shape and dtype of `image`.

    Raises:
        ValueError: If the image has fewer than three dimensions, or `delta` is a Python number
            outside of [-1, 1]. Inside a `tf.function`, the range of `delta` is not checked.
        tf.errors.InvalidArgumentError: If `delta` is not a scalar, or the image does not have three
            channels.

    Example:
        >>> import tfpy as tf
        >>> red = [[[1.0, 0.0, 0.0]]]
        >>> tf.image.adjust_hue(red, delta=0.5).numpy().round(3).tolist()  # cyan
        [[[0.0, 1.0, 1.0]]]

    See also: `tf.image.random_hue`, `tf.image.adjust_saturation`.
    """
    if isinstance(delta, int | float) and executing_eagerly() and not -1 <= delta <= 1:
        raise ValueError("delta must be in the interval [-1, 1]")
    return _with_colors("adjust_hue", image, delta, lambda x: turn_hue(x, delta))


def adjust_saturation(
    image: TensorLike, saturation_factor: FloatLike, name: str | None = None
) -> Tensor:
    """Multiply the saturation of an RGB image by a factor.

    The new saturation of each pixel is clipped to [0, 1].

    Args:
        image: RGB tensor of shape `[..., height, width, 3]` with a float or integer dtype.
        saturation_factor: Scalar factor. 0 makes the image gray, and values above 1 make the colors
            more intense.

    Returns:
        Tensor with the shape and dtype of `image`.

    Raises:
        ValueError: If the image has fewer than three dimensions.
        tf.errors.InvalidArgumentError: If `saturation_factor` is not a scalar, or the image does
            not have three channels.

    Example:
        >>> import tfpy as tf
        >>> tf.image.adjust_saturation([[[1.0, 0.5, 0.5]]], 2.0).numpy().round(3).tolist()
        [[[1.0, 0.0, 0.0]]]

    See also: `tf.image.random_saturation`, `tf.image.adjust_hue`.
    """

    def change(x: Tensor) -> Tensor:
        hsv = rgb_to_hsv(x)
        saturation = arithmetic.clip_by_value(hsv[..., 1] * saturation_factor, 0.0, 1.0)
        return hsv_to_rgb(stack([hsv[..., 0], saturation, hsv[..., 2]], axis=-1))

    return _with_colors("adjust_saturation", image, saturation_factor, change)


def per_image_standardization(image: TensorLike) -> Tensor:
    """Scale each image linearly to mean 0 and variance 1.

    Compute `(x - mean) / max(stddev, 1 / sqrt(N))`, where `N` is the number of values of an image.
    The lower bound of the divisor prevents a division by zero, so a uniform image becomes 0.

    Args:
        image: Tensor of shape `[..., height, width, channels]` with a real dtype.

    Returns:
        Float32 tensor with the shape of `image`.

    Raises:
        ValueError: If the image is empty or has fewer than three dimensions.

    Example:
        >>> import tfpy as tf
        >>> tf.image.per_image_standardization([[[1.0], [3.0]]]).numpy().round(3).tolist()
        [[[-1.0], [1.0]]]
    """
    x = cast(at_least("per_image_standardization", image, 3), dtypes.float32)
    check_pixels("per_image_standardization", x)
    pixels = x.aval.shape[-1] * x.aval.shape[-2] * x.aval.shape[-3]
    axes = [-3, -2, -1]
    mean = reductions.reduce_mean(x, axes, keepdims=True)
    deviation = statistics.reduce_std(x, axes, keepdims=True)
    return ew.real_div(x - mean, ew.maximum(deviation, float(pixels) ** -0.5))
