"""Adjustments of brightness, contrast and colour."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfpy._src.base import dtypes
from tfpy._src.base.errors import invalid
from tfpy._src.base.tracing import executing_eagerly
from tfpy._src.compiler.ops import elementwise as ew
from tfpy._src.compiler.ops.failing import failing
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tensor import Tensor
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


def _check_scalar(name: str, amount: Any) -> None:
    shape = convert_to_tensor(amount).aval.shape
    if shape:
        raise invalid(name, f"the amount must be a scalar, got shape {list(shape)}")


def _adjusted(image: Any, change: Callable[[Tensor], Tensor]) -> Tensor:
    """``change`` of the image as floats, in the image's dtype."""
    x = convert_to_tensor(image)
    return convert_image_dtype(change(as_float(x)), x.dtype, saturate=True)


def _with_colors(name: str, images: Any, amount: Any, change: Callable[[Tensor], Tensor]) -> Tensor:
    """Return images whose colors are changed by a scalar.

    Raises:
        InvalidArgumentError: If the amount is not a scalar or there are not three channels.
    """
    x = at_least(name, images, 3)
    _check_scalar(name, amount)
    if x.aval.shape[-1] != 3:
        message = f"input must have 3 channels, got shape {list(x.aval.shape)}"
        return failing(name, message, (x,), x.aval.shape, x.dtype)
    return _adjusted(x, change)


def adjust_brightness(image: Any, delta: Any) -> Tensor:
    """Adds ``delta`` (on the scale 0..1) to every pixel.

    Example:
        >>> import tfpy as tf
        >>> tf.image.adjust_brightness([[[0.25, 0.5, 0.75]]], delta=0.25).numpy().tolist()
        [[[0.5, 0.75, 1.0]]]
    """
    return _adjusted(image, lambda x: x + cast(delta, x.dtype))


def adjust_contrast(images: Any, contrast_factor: Any) -> Tensor:
    """Scales each channel's distance from its mean over the image.

    Raises:
        InvalidArgumentError: when the factor is not a scalar.

    Example:
        >>> import tfpy as tf
        >>> tf.image.adjust_contrast([[[1.0], [3.0]]], 2.0).numpy().round(3).tolist()
        [[[0.0], [4.0]]]
    """
    _check_scalar("adjust_contrast", contrast_factor)

    def change(x: Tensor) -> Tensor:
        mean = reductions.reduce_mean(x, [-3, -2], keepdims=True)
        return ew.add((x - mean) * contrast_factor, mean)

    return _adjusted(at_least("adjust_contrast", images, 3), change)


def adjust_gamma(image: Any, gamma: Any = 1, gain: Any = 1) -> Tensor:
    """gain * image ** gamma.

    Raises:
        ValueError: when gamma is negative.

    Example:
        >>> import tfpy as tf
        >>> tf.image.adjust_gamma([[[0.5, 1.0, 0.25]]], gamma=2.0).numpy().round(4).tolist()
        [[[0.25, 1.0, 0.0625]]]
    """
    if isinstance(gamma, int | float) and gamma < 0:
        raise ValueError("Gamma should be a non-negative real number.")
    return _adjusted(image, lambda x: ew.multiply(gain, ew.power(x, gamma)))


def adjust_hue(image: Any, delta: Any, name: str | None = None) -> Tensor:
    """Turns the colour wheel by ``delta``, from -1 to 1.

    Raises:
        ValueError: when delta is outside, unless a function is being traced.
        InvalidArgumentError: when it is not a scalar, or there are not three channels.

    Example:
        >>> import tfpy as tf
        >>> red = [[[1.0, 0.0, 0.0]]]
        >>> tf.image.adjust_hue(red, delta=0.5).numpy().round(3).tolist()  # cyan
        [[[0.0, 1.0, 1.0]]]
    """
    if isinstance(delta, int | float) and executing_eagerly() and not -1 <= delta <= 1:
        raise ValueError("delta must be in the interval [-1, 1]")
    return _with_colors("adjust_hue", image, delta, lambda x: turn_hue(x, delta))


def adjust_saturation(image: Any, saturation_factor: Any, name: str | None = None) -> Tensor:
    """Multiplies the saturation, up to full.

    Raises:
        InvalidArgumentError: when the factor is not a scalar, or there are not three channels.

    Example:
        >>> import tfpy as tf
        >>> tf.image.adjust_saturation([[[1.0, 0.5, 0.5]]], 2.0).numpy().round(3).tolist()
        [[[1.0, 0.0, 0.0]]]
    """

    def change(x: Tensor) -> Tensor:
        hsv = rgb_to_hsv(x)
        saturation = arithmetic.clip_by_value(hsv[..., 1] * saturation_factor, 0.0, 1.0)
        return hsv_to_rgb(stack([hsv[..., 0], saturation, hsv[..., 2]], axis=-1))

    return _with_colors("adjust_saturation", image, saturation_factor, change)


def per_image_standardization(image: Any) -> Tensor:
    """Each image with mean 0 and variance 1; float32.

    Raises:
        ValueError: for less than three dimensions, or images without pixels.

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
