"""Random changes of images with the global generator."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfpy._src.base import dtypes
from tfpy._src.compiler.ops import elementwise as ew, logic
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import ShapeLike, TensorLike
from tfpy._src.library.image import adjusting, geometry
from tfpy._src.tensors.array.ranges import range
from tfpy._src.tensors.array.reshaping import reshape
from tfpy._src.tensors.array.slicing import take
from tfpy._src.tensors.array.static import static_ints
from tfpy._src.tensors.random import stateful

__all__ = [
    "random_brightness",
    "random_contrast",
    "random_crop",
    "random_flip_left_right",
    "random_flip_up_down",
    "random_hue",
    "random_saturation",
]

Draw = Callable[..., Tensor]
"""A function `draw(shape, minval, maxval, dtype)` that returns uniform random numbers."""


def _stateful(seed: int | None) -> Draw:
    """Return a function that draws from the global generator."""
    return lambda shape, low, high, dtype: stateful.uniform(shape, low, high, dtype, seed)


def _between(draw: Draw, low: float, high: float) -> Tensor:
    """Draw one float between two bounds."""
    return draw([], low, high, dtypes.float32)


def _non_negative(name: str, delta: float) -> float:
    """Return `delta`, or raise ValueError if it is negative."""
    if delta < 0:
        raise ValueError(f"{name}: max_delta must be non-negative.")
    return delta


def _brightness(image: TensorLike, max_delta: float, draw: Draw) -> Tensor:
    """Change the brightness by a random amount."""
    delta = _non_negative("random_brightness", max_delta)
    return adjusting.adjust_brightness(image, _between(draw, -delta, delta))


def random_brightness(image: TensorLike, max_delta: float, seed: int | None = None) -> Tensor:
    """Adjust the brightness of an image by a random amount.

    Args:
        image: Tensor of any shape with a float or integer dtype.
        max_delta: Non-negative bound of the amount, which is between `-max_delta` and `max_delta`.
            The same amount is added to all values. For an integer image, 1 is the largest value of
            the dtype.
        seed: Integer that makes a run of the program reproducible, even without
            `tf.random.set_seed`: successive calls with a seed return different numbers, but the
            same ones in each run. Default: the numbers differ between runs unless
            `tf.random.set_seed` was called.

    Returns:
        Tensor with the shape and dtype of `image`.

    Raises:
        ValueError: If `max_delta` is negative.

    Example:
        >>> import tfpy as tf
        >>> tf.random.set_seed(1)
        >>> tf.image.random_brightness([[[0.5]]], max_delta=0.2).numpy().round(2)
        array([[[0.37]]], dtype=float32)

    See also: `tf.image.adjust_brightness`, `tf.image.stateless_random_brightness`.
    """
    return _brightness(image, max_delta, _stateful(seed))


def _bounds(name: str, lower: float, upper: float) -> tuple[float, float]:
    """Return the bounds, or raise ValueError if they are not valid."""
    if upper <= lower or lower < 0:
        raise ValueError(f"{name}: upper must be > lower and lower non-negative.")
    return lower, upper


def _contrast(image: TensorLike, lower: float, upper: float, draw: Draw) -> Tensor:
    """Change the contrast by a random factor."""
    return adjusting.adjust_contrast(
        image, _between(draw, *_bounds("random_contrast", lower, upper))
    )


def random_contrast(
    image: TensorLike, lower: float, upper: float, seed: int | None = None
) -> Tensor:
    """Adjust the contrast of images by a random factor.

    Args:
        image: Tensor of shape `[..., height, width, channels]` with a float or integer dtype. All
            images of a batch get the same factor.
        lower: Smallest factor, at least 0.
        upper: Largest factor, greater than `lower`.
        seed: Integer that makes a run of the program reproducible, even without
            `tf.random.set_seed`: successive calls with a seed return different numbers, but the
            same ones in each run. Default: the numbers differ between runs unless
            `tf.random.set_seed` was called.

    Returns:
        Tensor with the shape and dtype of `image`.

    Raises:
        ValueError: If `lower` is negative, `upper` is not greater than `lower`, or the image has
            fewer than three dimensions.

    Example:
        >>> import tfpy as tf
        >>> tf.random.set_seed(1)
        >>> tf.image.random_contrast([[[1.0], [3.0]]], lower=0.5, upper=2.0).numpy()[0].round(2)
        array([[1.25],
               [2.75]], dtype=float32)

    See also: `tf.image.adjust_contrast`, `tf.image.stateless_random_contrast`.
    """
    return _contrast(image, lower, upper, _stateful(seed))


def _saturation(image: TensorLike, lower: float, upper: float, draw: Draw) -> Tensor:
    """Change the saturation by a random factor."""
    factor = _between(draw, *_bounds("random_saturation", lower, upper))
    return adjusting.adjust_saturation(image, factor)


def random_saturation(
    image: TensorLike, lower: float, upper: float, seed: int | None = None
) -> Tensor:
    """Multiply the saturation of an RGB image by a random factor.

    Args:
        image: RGB tensor of shape `[..., height, width, 3]` with a float or integer dtype.
        lower: Smallest factor, at least 0.
        upper: Largest factor, greater than `lower`.
        seed: Integer that makes a run of the program reproducible, even without
            `tf.random.set_seed`: successive calls with a seed return different numbers, but the
            same ones in each run. Default: the numbers differ between runs unless
            `tf.random.set_seed` was called.

    Returns:
        Tensor with the shape and dtype of `image`.

    Raises:
        ValueError: If `lower` is negative, `upper` is not greater than `lower`, or the image has
            fewer than three dimensions.
        tf.errors.InvalidArgumentError: If the image does not have three channels.

    Example:
        >>> import tfpy as tf
        >>> tf.random.set_seed(1)
        >>> tf.image.random_saturation([[[1.0, 0.5, 0.5]]], lower=0.5, upper=1.0).numpy().round(2)
        array([[[1.  , 0.71, 0.71]]], dtype=float32)

    See also: `tf.image.adjust_saturation`, `tf.image.stateless_random_saturation`.
    """
    return _saturation(image, lower, upper, _stateful(seed))


def _hue(image: TensorLike, max_delta: float, draw: Draw) -> Tensor:
    """Rotate the hue by a random amount."""
    if not 0 <= max_delta <= 0.5:
        raise ValueError(f"random_hue: max_delta must be in [0, 0.5], got {max_delta}")
    return adjusting.adjust_hue(image, _between(draw, -max_delta, max_delta))


def random_hue(image: TensorLike, max_delta: float, seed: int | None = None) -> Tensor:
    """Rotate the hue of an RGB image by a random amount.

    Args:
        image: RGB tensor of shape `[..., height, width, 3]` with a float or integer dtype.
        max_delta: Bound of the rotation, between 0 and 0.5, where 1 is a full rotation. The
            rotation is between `-max_delta` and `max_delta`.
        seed: Integer that makes a run of the program reproducible, even without
            `tf.random.set_seed`: successive calls with a seed return different numbers, but the
            same ones in each run. Default: the numbers differ between runs unless
            `tf.random.set_seed` was called.

    Returns:
        Tensor with the shape and dtype of `image`.

    Raises:
        ValueError: If `max_delta` is not in [0, 0.5].
        tf.errors.InvalidArgumentError: If the image does not have three channels.

    Example:
        >>> import tfpy as tf
        >>> tf.random.set_seed(1)
        >>> tf.image.random_hue([[[1.0, 0.0, 0.0]]], max_delta=0.3).numpy().round(2)
        array([[[0.79, 0.  , 1.  ]]], dtype=float32)

    See also: `tf.image.adjust_hue`, `tf.image.stateless_random_hue`.
    """
    return _hue(image, max_delta, _stateful(seed))


def _flip(image: TensorLike, flip: Callable[[Any], Tensor], draw: Draw) -> Tensor:
    """Flip each image with probability 0.5."""
    x = convert_to_tensor(image)
    flipped = flip(x)
    toss = draw([] if x.ndim == 3 else [x.aval.shape[0]], 0, 1.0, dtypes.float32)
    if x.ndim == 4:
        toss = reshape(ew.round_(toss), [-1, 1, 1, 1])
        return logic.select(toss > 0, flipped, x)
    return logic.select(toss < 0.5, flipped, x)


def random_flip_left_right(image: TensorLike, seed: int | None = None) -> Tensor:
    """Flip each image horizontally with probability 0.5.

    Args:
        image: Tensor of shape `[height, width, channels]` or `[batch, height, width, channels]`.
        seed: Integer that makes a run of the program reproducible, even without
            `tf.random.set_seed`: successive calls with a seed return different numbers, but the
            same ones in each run. Default: the numbers differ between runs unless
            `tf.random.set_seed` was called.

    Returns:
        Tensor with the shape and dtype of `image`.

    Raises:
        ValueError: If the image is empty, or does not have 3 or 4 dimensions.

    Example:
        >>> import tfpy as tf
        >>> tf.random.set_seed(1)
        >>> tf.image.random_flip_left_right([[[1], [2]]]).numpy().tolist()
        [[[2], [1]]]

    See also: `tf.image.flip_left_right`, `tf.image.stateless_random_flip_left_right`.
    """
    return _flip(image, geometry.flip_left_right, _stateful(seed))


def random_flip_up_down(image: TensorLike, seed: int | None = None) -> Tensor:
    """Flip each image vertically with probability 0.5.

    Args:
        image: Tensor of shape `[height, width, channels]` or `[batch, height, width, channels]`.
        seed: Integer that makes a run of the program reproducible, even without
            `tf.random.set_seed`: successive calls with a seed return different numbers, but the
            same ones in each run. Default: the numbers differ between runs unless
            `tf.random.set_seed` was called.

    Returns:
        Tensor with the shape and dtype of `image`.

    Raises:
        ValueError: If the image is empty, or does not have 3 or 4 dimensions.

    Example:
        >>> import tfpy as tf
        >>> tf.random.set_seed(1)
        >>> tf.image.random_flip_up_down([[[1]], [[2]]]).numpy().tolist()
        [[[2]], [[1]]]

    See also: `tf.image.flip_up_down`, `tf.image.stateless_random_flip_up_down`.
    """
    return _flip(image, geometry.flip_up_down, _stateful(seed))


def _crop(value: TensorLike, size: ShapeLike, draw: Draw) -> Tensor:
    """Crop a tensor at a random offset."""
    x, sizes = convert_to_tensor(value), static_ints(size)
    if len(sizes) != x.ndim or any(n < s for n, s in zip(x.aval.shape, sizes, strict=True)):
        raise ValueError(f"random_crop: need value.shape >= size, got {x.shape} vs {sizes}")
    numbers = draw([x.ndim], 0, 2**31 - 1, dtypes.int32)
    for axis, (n, s) in enumerate(zip(x.aval.shape, sizes, strict=True)):
        if s < n:
            x = take(x, range(s) + numbers[axis] % (n - s + 1), axis)
    return x


def random_crop(
    value: TensorLike, size: ShapeLike, seed: int | None = None, name: str | None = None
) -> Tensor:
    """Crop a tensor to a given size, at a random offset.

    Args:
        value: Tensor of any shape and dtype.
        size: Shape of the result, with one dimension for each axis of `value`.
        seed: Integer that makes a run of the program reproducible, even without
            `tf.random.set_seed`: successive calls with a seed return different numbers, but the
            same ones in each run. Default: the numbers differ between runs unless
            `tf.random.set_seed` was called.

    Returns:
        Tensor of shape `size` with the dtype of `value`.

    Raises:
        ValueError: If a dimension of `size` is larger than the corresponding dimension of `value`,
            or the number of dimensions differs.

    Example:
        >>> import tfpy as tf
        >>> tf.random.set_seed(1)
        >>> image = tf.reshape(tf.range(16), [4, 4, 1])
        >>> tf.image.random_crop(image, size=[2, 2, 1]).numpy()[:, :, 0].tolist()
        [[2, 3], [6, 7]]

    See also: `tf.image.stateless_random_crop`, `tf.image.crop_to_bounding_box`.
    """
    return _crop(value, size, _stateful(seed))
