"""Color spaces, grayscale images and thresholds."""

from __future__ import annotations

from typing import Any

from tfpy._src.base import dtypes
from tfpy._src.base.errors import FailedPreconditionError
from tfpy._src.compiler.ops import elementwise as ew, logic
from tfpy._src.core.conversion import constant
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import FloatLike, TensorLike
from tfpy._src.library.image.batches import at_least, convert_image_dtype
from tfpy._src.tensors.array import segments
from tfpy._src.tensors.array.joining import stack
from tfpy._src.tensors.array.making import as_floats, cast
from tfpy._src.tensors.array.ranges import range
from tfpy._src.tensors.array.reordering import reverse
from tfpy._src.tensors.array.reshaping import broadcast_to, reshape
from tfpy._src.tensors.array.slicing import one_hot, take
from tfpy._src.tensors.autodiff.custom import custom_gradient
from tfpy._src.tensors.linalg.products import tensordot
from tfpy._src.tensors.math import arithmetic, ordering, reductions

__all__ = [
    "grayscale_to_rgb",
    "hsv_to_rgb",
    "rgb_to_grayscale",
    "rgb_to_hsv",
    "rgb_to_yiq",
    "rgb_to_yuv",
    "threshold",
    "yiq_to_rgb",
    "yuv_to_rgb",
]

# Rows are input channels and columns are output channels, as NTSC (YIQ) and PAL (YUV) define them.
_GRAY = [0.2989, 0.5870, 0.1140]
_RGB_TO_YIQ = [
    [0.299, 0.59590059, 0.2115],
    [0.587, -0.27455667, -0.52273617],
    [0.114, -0.32134392, 0.31119955],
]
_YIQ_TO_RGB = [
    [1.0, 1.0, 1.0],
    [0.95598634, -0.27201283, -1.10674021],
    [0.6208248, -0.64720424, 1.70423049],
]
_RGB_TO_YUV = [
    [0.299, -0.14714119, 0.61497538],
    [0.587, -0.28886916, -0.51496512],
    [0.114, 0.43601035, -0.10001026],
]
_YUV_TO_RGB = [
    [1.0, 1.0, 1.0],
    [0.0, -0.394642334, 2.03206185],
    [1.13988303, -0.58062185, 0.0],
]


def _three_channels(name: str, images: TensorLike) -> Tensor:
    """Convert images to floats.

    Raises:
        FailedPreconditionError: If the last dimension is not 3.
    """
    x = at_least(name, as_floats(images), 1)
    if x.aval.shape[-1] != 3:
        raise FailedPreconditionError(
            None, name, f"{name}: input must have 3 channels, got shape {list(x.aval.shape)}"
        )
    return x


def _by_matrix(name: str, images: TensorLike, matrix: list[list[float]]) -> Tensor:
    """Multiply the channels of images by a matrix."""
    x = at_least(name, images, 1)
    return tensordot(x, constant(matrix, x.dtype), [[-1], [0]])


def rgb_to_yiq(images: TensorLike) -> Tensor:
    """Convert RGB images to YIQ, the color space of NTSC television.

    Args:
        images: Float tensor of shape `[..., 3]` with values between 0 and 1.

    Returns:
        Tensor with the shape and dtype of `images`.

    Example:
        >>> import tfpy as tf
        >>> tf.image.rgb_to_yiq([[[1.0, 0.0, 0.0]]]).numpy().round(3)
        array([[[0.299, 0.596, 0.212]]], dtype=float32)

    See also: `tf.image.yiq_to_rgb`, `tf.image.rgb_to_yuv`.
    """
    return _by_matrix("rgb_to_yiq", images, _RGB_TO_YIQ)


def yiq_to_rgb(images: TensorLike) -> Tensor:
    """Convert YIQ images to RGB.

    Args:
        images: Float tensor of shape `[..., 3]` with the color components of each pixel.

    Returns:
        Tensor with the shape and dtype of `images`.

    Example:
        >>> import tfpy as tf
        >>> image = tf.constant([[[0.25, 0.5, 0.75]]])
        >>> tf.image.yiq_to_rgb(tf.image.rgb_to_yiq(image)).numpy().round(2)
        array([[[0.25, 0.5 , 0.75]]], dtype=float32)

    See also: `tf.image.rgb_to_yiq`.
    """
    return _by_matrix("yiq_to_rgb", images, _YIQ_TO_RGB)


def rgb_to_yuv(images: TensorLike) -> Tensor:
    """Convert RGB images to YUV, the color space of PAL television.

    Args:
        images: Float tensor of shape `[..., 3]` with values between 0 and 1.

    Returns:
        Tensor with the shape and dtype of `images`.

    Example:
        >>> import tfpy as tf
        >>> tf.image.rgb_to_yuv([[[1.0, 0.0, 0.0]]]).numpy().round(3)
        array([[[ 0.299, -0.147,  0.615]]], dtype=float32)

    See also: `tf.image.yuv_to_rgb`, `tf.image.rgb_to_yiq`.
    """
    return _by_matrix("rgb_to_yuv", images, _RGB_TO_YUV)


def yuv_to_rgb(images: TensorLike) -> Tensor:
    """Convert YUV images to RGB.

    Args:
        images: Float tensor of shape `[..., 3]` with the color components of each pixel.

    Returns:
        Tensor with the shape and dtype of `images`.

    Example:
        >>> import tfpy as tf
        >>> image = tf.constant([[[0.25, 0.5, 0.75]]])
        >>> tf.image.yuv_to_rgb(tf.image.rgb_to_yuv(image)).numpy().round(2)
        array([[[0.25, 0.5 , 0.75]]], dtype=float32)

    See also: `tf.image.rgb_to_yuv`.
    """
    return _by_matrix("yuv_to_rgb", images, _YUV_TO_RGB)


def rgb_to_grayscale(images: TensorLike, name: str | None = None) -> Tensor:
    """Convert RGB images to grayscale images.

    The gray value of a pixel is `0.2989 * red + 0.587 * green + 0.114 * blue`.

    Args:
        images: Tensor of shape `[..., 3]` with a float or integer dtype.

    Returns:
        Tensor of shape `[..., 1]` with the dtype of `images`.

    Raises:
        ValueError: If the last dimension is not 3.

    Example:
        >>> import tfpy as tf
        >>> image = [[[1.0, 1.0, 1.0], [1.0, 0.0, 0.0]]]
        >>> tf.image.rgb_to_grayscale(image).numpy().round(3).ravel()
        array([1.   , 0.299], dtype=float32)

    See also: `tf.image.grayscale_to_rgb`.
    """
    x = at_least("rgb_to_grayscale", images, 1)
    if x.aval.shape[-1] != 3:
        raise ValueError(f"rgb_to_grayscale: the last dimension must be 3, got {x.shape}")
    gray = tensordot(convert_image_dtype(x, dtypes.float32), constant(_GRAY), [[-1], [0]])
    return convert_image_dtype(reshape(gray, [*gray.aval.shape, 1]), x.dtype)


def grayscale_to_rgb(images: TensorLike, name: str | None = None) -> Tensor:
    """Convert grayscale images to RGB by repeating the channel three times.

    Args:
        images: Tensor of shape `[..., 1]` with at least two dimensions.

    Returns:
        Tensor of shape `[..., 3]` with the dtype of `images`.

    Raises:
        ValueError: If the last dimension is not 1, or `images` has fewer than two dimensions.

    Example:
        >>> import tfpy as tf
        >>> tf.image.grayscale_to_rgb(tf.constant([[[0.25], [0.5]]])).numpy().tolist()
        [[[0.25, 0.25, 0.25], [0.5, 0.5, 0.5]]]

    See also: `tf.image.rgb_to_grayscale`.
    """
    x = at_least("grayscale_to_rgb", images, 2)
    if x.aval.shape[-1] != 1:
        raise ValueError(f"Last dimension of a grayscale image should be size 1, got {x.shape}")
    return broadcast_to(x, (*x.aval.shape[:-1], 3))


def rgb_to_hsv(images: TensorLike, name: str | None = None) -> Tensor:
    """Convert RGB images to hue, saturation and value (HSV).

    Args:
        images: Float tensor of shape `[..., 3]` with values between 0 and 1.

    Returns:
        Tensor with the shape and dtype of `images`, with values between 0 and 1.

    Raises:
        tf.errors.FailedPreconditionError: If the last dimension is not 3.

    Example:
        >>> import tfpy as tf
        >>> tf.image.rgb_to_hsv([[[1.0, 0.0, 0.0], [0.0, 1.0, 1.0]]]).numpy().round(3).tolist()
        [[[0.0, 1.0, 1.0], [0.5, 1.0, 1.0]]]

    See also: `tf.image.hsv_to_rgb`.
    """
    hsv: Tensor = _rgb_to_hsv(_three_channels("rgb_to_hsv", images))
    return hsv


@custom_gradient
def _rgb_to_hsv(x: Tensor) -> tuple[Tensor, Any]:
    """Convert colors with the gradient of TensorFlow."""
    hsv = _hue_saturation_value(x)
    return hsv, lambda g: _hsv_gradient(x, hsv, g)


def _hsv_gradient(x: Tensor, hsv: Tensor, g: Tensor) -> Tensor:
    """Compute the gradient of the colors.

    The gradient belongs to one of several equal channels, as in TensorFlow: the largest channel is
    red before green before blue, the smallest is blue before green before red.
    """
    value = hsv[..., 2:]
    largest = one_hot(ordering.argmax(x, -1), 3, dtype=x.dtype)
    smallest = one_hot(2 - ordering.argmin(reverse(x, [-1]), -1), 3, dtype=x.dtype)
    least = reductions.reduce_min(x, -1, keepdims=True)
    inverse = ew.divide_no_nan(cast(1.0, x.dtype), value - least)
    # hue = (next - after next) / (6 * spread) + a constant, from the largest channel on
    after, last = (take(largest, order, -1) for order in ([2, 0, 1], [1, 2, 0]))
    turn = reductions.reduce_sum(x * (after - last), -1, keepdims=True) * inverse
    to_hue = (after - last - turn * (largest - smallest)) * inverse / 6.0
    saturated = ew.divide_no_nan(least, value * value) * largest
    to_saturation = saturated - ew.divide_no_nan(smallest, value)
    to_saturation = logic.select(x > 0, to_saturation, 0.0)
    hue, saturation = g[..., :1], g[..., 1:2]
    return hue * to_hue + saturation * to_saturation + g[..., 2:] * largest


def _hue_saturation_value(x: Tensor) -> Tensor:
    """Compute hue, saturation and value of RGB colors."""
    r, g, b = (x[..., i] for i in (0, 1, 2))
    value, least = reductions.reduce_max(x, -1), reductions.reduce_min(x, -1)
    spread = value - least
    saturation = logic.select(value > 0, spread / logic.select(value > 0, value, 1.0), 0.0)
    factor = 1 / (6 * logic.select(spread > 0, spread, 1.0))
    hue = logic.select(
        logic.equal(r, value),
        factor * (g - b),
        logic.select(
            logic.equal(g, value), factor * (b - r) + 2.0 / 6.0, factor * (r - g) + 4.0 / 6.0
        ),
    )
    hue = logic.select(spread > 0, hue, 0.0)
    hue = logic.select(hue < 0, hue + 1, hue)
    return stack([hue, saturation, value], axis=-1)


def turn_hue(x: Tensor, delta: FloatLike) -> Tensor:
    """Rotate the hue of colors by a fraction of the circle, between their own extremes.

    Unlike `rgb_to_hsv`, which has no hue for negative values, this function keeps all colors.
    """
    r, g, b = (x[..., i] for i in (0, 1, 2))
    largest, least = reductions.reduce_max(x, -1), reductions.reduce_min(x, -1)
    spread = largest - least
    width = logic.select(spread > 0, spread, 1.0)
    from_green_or_blue = logic.select(
        logic.equal(g, largest), (b - r) / width + 2.0, (r - g) / width + 4.0
    )
    hue = logic.select(logic.equal(r, largest), (g - b) / width, from_green_or_blue)
    hue = ew.floor_mod(hue + cast(delta, x.dtype) * 6.0, 6.0)
    shares = (ew.abs_(hue - 3.0) - 1.0, 2.0 - ew.abs_(hue - 2.0), 2.0 - ew.abs_(hue - 4.0))
    channels = [least + ew.minimum(ew.maximum(s, 0.0), 1.0) * spread for s in shares]
    return stack(channels, axis=-1)


def hsv_to_rgb(images: TensorLike, name: str | None = None) -> Tensor:
    """Convert images of hue, saturation and value (HSV) to RGB.

    Args:
        images: Float tensor of shape `[..., 3]` with values between 0 and 1.

    Returns:
        Tensor with the shape and dtype of `images`, with values between 0 and 1.

    Raises:
        tf.errors.FailedPreconditionError: If the last dimension is not 3.

    Example:
        >>> import tfpy as tf
        >>> tf.image.hsv_to_rgb([[[0.0, 1.0, 1.0], [0.5, 1.0, 1.0]]]).numpy().round(3).tolist()
        [[[1.0, 0.0, 0.0], [0.0, 1.0, 1.0]]]

    See also: `tf.image.rgb_to_hsv`.
    """
    x = _three_channels("hsv_to_rgb", images)
    hue, saturation, value = (x[..., i] for i in (0, 1, 2))
    sector = hue * 6
    parts = (
        ew.abs_(sector - 3) - 1,
        2 - ew.abs_(sector - 2),
        2 - ew.abs_(sector - 4),
    )
    rest = 1 - saturation
    channels = [(rest + saturation * arithmetic.clip_by_value(p, 0.0, 1.0)) * value for p in parts]
    return stack(channels, axis=-1)


def threshold(
    image: TensorLike, method: str = "binary", inverted: bool = False, thre_value: float = 0.5
) -> Tensor:
    """Set pixels to 255 if their luminance is above a threshold, and to 0 otherwise.

    Equivalent to `tf.image.threshold` in TensorFlow.js. TensorFlow does not have this function.

    Args:
        image: Tensor of shape `[height, width, 1]` or `[height, width, 3]` with values between 0
            and 255.
        method: Source of the threshold. `"binary"` (default) uses `thre_value`. `"otsu"` computes
            the threshold that best separates dark and bright pixels (Otsu, 1979).
        inverted: If True, set pixels to 0 if their luminance is above the threshold, and to 255
            otherwise.
        thre_value: Threshold of the method `"binary"`, as a fraction of 255 between 0 and 1.

    Returns:
        Int32 tensor of shape `[height, width, 1]`, in which each value is 0 or 255.

    Raises:
        ValueError: If `method` is unknown, `image` does not have the required shape, or
            `thre_value` is not in [0, 1].

    Example:
        >>> import tfpy as tf
        >>> image = tf.constant([[[10], [200]]])
        >>> tf.image.threshold(image, method="binary").numpy().ravel().tolist()
        [0, 255]
    """
    x = cast(image, dtypes.float32)
    if x.ndim != 3 or x.aval.shape[2] not in (1, 3):
        raise ValueError(f"threshold: image must be [h, w, 1 or 3], got {x.shape}")
    if method not in ("otsu", "binary") or not 0 <= thre_value <= 1:
        raise ValueError(
            "threshold: method must be 'binary' or 'otsu' and thre_value in [0, 1], "
            f"got {method!r} and {thre_value}"
        )
    if x.aval.shape[2] == 3:
        x = reductions.reduce_sum(x * constant(_GRAY), 2, keepdims=True)
    limit: Any = _otsu(x) if method == "otsu" else thre_value * 255
    hit = x <= limit if inverted else x > limit
    return cast(hit, dtypes.int32) * 255


def _otsu(gray: Tensor) -> Tensor:
    """Return the last level of the first class, which maximizes the variance between classes."""
    levels = cast(ew.round_(gray), dtypes.int32)
    ones = cast(logic.equal(levels, levels), dtypes.float32)
    counts = segments.unsorted_segment_sum(reshape(ones, [-1]), reshape(levels, [-1]), 256)
    level = cast(range(256), dtypes.float32)
    below = cast(reshape(level, [256, 1]) >= level, dtypes.float32)[:-1]
    weights, sums = ((below * v) for v in (counts, counts * level))
    first, first_sum = reductions.reduce_sum(weights, 1), reductions.reduce_sum(sums, 1)
    second = reductions.reduce_sum(counts) - first
    second_sum = reductions.reduce_sum(counts * level) - first_sum
    distance = ew.divide_no_nan(first_sum, first) - ew.divide_no_nan(second_sum, second)
    between = first * second * distance * distance
    best = cast(ordering.argmax(between), dtypes.float32)
    return logic.select(reductions.reduce_max(between) > 0, best, -1.0)
