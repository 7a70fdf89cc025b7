"""Random changes of images with an explicit seed."""

from __future__ import annotations

from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import ShapeLike, TensorLike
from tfpy._src.library.image import geometry
from tfpy._src.library.image.randomized import (
    Draw,
    _brightness,
    _contrast,
    _crop,
    _flip,
    _hue,
    _saturation,
)
from tfpy._src.tensors.random import stateless

__all__ = [
    "stateless_random_brightness",
    "stateless_random_contrast",
    "stateless_random_crop",
    "stateless_random_flip_left_right",
    "stateless_random_flip_up_down",
    "stateless_random_hue",
    "stateless_random_saturation",
]


def _stateless(seed: TensorLike) -> Draw:
    """Return a function that draws with an explicit seed."""
    return lambda shape, low, high, dtype: stateless.stateless_uniform(
        shape, seed, low, high, dtype
    )


def stateless_random_brightness(image: TensorLike, max_delta: float, seed: TensorLike) -> Tensor:
    """Adjust the brightness of an image by a random amount that is determined by `seed`.

    Args:
        image: Tensor of any shape with a float or integer dtype.
        max_delta: Non-negative bound of the amount, which is between `-max_delta` and `max_delta`.
            The same amount is added to all values. For an integer image, 1 is the largest value of
            the dtype.
        seed: Two integers, as a tensor of shape `[2]`. The same seed always produces the same
            result.

    Returns:
        Tensor with the shape and dtype of `image`.

    Raises:
        ValueError: If `max_delta` is negative.

    Example:
        >>> import tfpy as tf
        >>> image = tf.fill([2, 2, 3], 0.5)
        >>> tf.image.stateless_random_brightness(image, 0.2, seed=[1, 2]).numpy()[0, 0].round(3)
        array([0.638, 0.638, 0.638], dtype=float32)

    See also: `tf.image.random_brightness`.
    """
    return _brightness(image, max_delta, _stateless(seed))


def stateless_random_contrast(
    image: TensorLike, lower: float, upper: float, seed: TensorLike
) -> Tensor:
    """Adjust the contrast of images by a random factor that is determined by `seed`.

    Args:
        image: Tensor of shape `[..., height, width, channels]` with a float or integer dtype. All
            images of a batch get the same factor.
        lower: Smallest factor, at least 0.
        upper: Largest factor, greater than `lower`.
        seed: Two integers, as a tensor of shape `[2]`. The same seed always produces the same
            result.

    Returns:
        Tensor with the shape and dtype of `image`.

    Raises:
        ValueError: If `lower` is negative, `upper` is not greater than `lower`, or the image has
            fewer than three dimensions.

    Example:
        >>> import tfpy as tf
        >>> image = tf.constant([[[1.0], [3.0]]])
        >>> tf.image.stateless_random_contrast(image, 0.5, 2.0, seed=[1, 2]).numpy().round(2)
        array([[[0.23],
                [3.77]]], dtype=float32)

    See also: `tf.image.random_contrast`.
    """
    return _contrast(image, lower, upper, _stateless(seed))


def stateless_random_saturation(
    image: TensorLike, lower: float, upper: float, seed: TensorLike
) -> Tensor:
    """Multiply the saturation of an RGB image by a random factor that is determined by `seed`.

    Args:
        image: RGB tensor of shape `[..., height, width, 3]` with a float or integer dtype.
        lower: Smallest factor, at least 0.
        upper: Largest factor, greater than `lower`.
        seed: Two integers, as a tensor of shape `[2]`. The same seed always produces the same
            result.

    Returns:
        Tensor with the shape and dtype of `image`.

    Raises:
        ValueError: If `lower` is negative, `upper` is not greater than `lower`, or the image has
            fewer than three dimensions.
        tf.errors.InvalidArgumentError: If the image does not have three channels.

    Example:
        >>> import tfpy as tf
        >>> image = [[[1.0, 0.5, 0.5]]]
        >>> tf.image.stateless_random_saturation(image, 0.5, 1.0, seed=[1, 2]).numpy().round(2)
        array([[[1.  , 0.54, 0.54]]], dtype=float32)

    See also: `tf.image.random_saturation`.
    """
    return _saturation(image, lower, upper, _stateless(seed))


def stateless_random_hue(image: TensorLike, max_delta: float, seed: TensorLike) -> Tensor:
    """Rotate the hue of an RGB image by a random amount that is determined by `seed`.

    Args:
        image: RGB tensor of shape `[..., height, width, 3]` with a float or integer dtype.
        max_delta: Bound of the rotation, between 0 and 0.5, where 1 is a full rotation. The
            rotation is between `-max_delta` and `max_delta`.
        seed: Two integers, as a tensor of shape `[2]`. The same seed always produces the same
            result.

    Returns:
        Tensor with the shape and dtype of `image`.

    Raises:
        ValueError: If `max_delta` is not in [0, 0.5].
        tf.errors.InvalidArgumentError: If the image does not have three channels.

    Example:
        >>> import tfpy as tf
        >>> red = [[[1.0, 0.0, 0.0]]]
        >>> tf.image.stateless_random_hue(red, max_delta=0.3, seed=[1, 2]).numpy().round(2)
        array([[[0.76, 1.  , 0.  ]]], dtype=float32)

    See also: `tf.image.random_hue`.
    """
    return _hue(image, max_delta, _stateless(seed))


def stateless_random_flip_left_right(image: TensorLike, seed: TensorLike) -> Tensor:
    """Flip each image horizontally with probability 0.5, as determined by `seed`.

    Args:
        image: Tensor of shape `[height, width, channels]` or `[batch, height, width, channels]`.
        seed: Two integers, as a tensor of shape `[2]`. The same seed always produces the same
            result.

    Returns:
        Tensor with the shape and dtype of `image`.

    Raises:
        ValueError: If the image is empty, or does not have 3 or 4 dimensions.

    Example:
        >>> import tfpy as tf
        >>> image = tf.constant([[[1], [2]]])
        >>> tf.image.stateless_random_flip_left_right(image, seed=[1, 1]).numpy().ravel().tolist()
        [2, 1]

    See also: `tf.image.random_flip_left_right`.
    """
    return _flip(image, geometry.flip_left_right, _stateless(seed))


def stateless_random_flip_up_down(image: TensorLike, seed: TensorLike) -> Tensor:
    """Flip each image vertically with probability 0.5, as determined by `seed`.

    Args:
        image: Tensor of shape `[height, width, channels]` or `[batch, height, width, channels]`.
        seed: Two integers, as a tensor of shape `[2]`. The same seed always produces the same
            result.

    Returns:
        Tensor with the shape and dtype of `image`.

    Raises:
        ValueError: If the image is empty, or does not have 3 or 4 dimensions.

    Example:
        >>> import tfpy as tf
        >>> image = tf.constant([[[1]], [[2]]])
        >>> tf.image.stateless_random_flip_up_down(image, seed=[1, 1]).numpy().ravel().tolist()
        [2, 1]

    See also: `tf.image.random_flip_up_down`.
    """
    return _flip(image, geometry.flip_up_down, _stateless(seed))


def stateless_random_crop(
    value: TensorLike, size: ShapeLike, seed: TensorLike, name: str | None = None
) -> Tensor:
    """Crop a tensor to a given size, at a random offset that is determined by `seed`.

    Args:
        value: Tensor of any shape and dtype.
        size: Shape of the result, with one dimension for each axis of `value`.
        seed: Two integers, as a tensor of shape `[2]`. The same seed always produces the same
            result.

    Returns:
        Tensor of shape `size` with the dtype of `value`.

    Raises:
        ValueError: If a dimension of `size` is larger than the corresponding dimension of `value`,
            or the number of dimensions differs.

    Example:
        >>> import tfpy as tf
        >>> image = tf.reshape(tf.range(16), [4, 4, 1])
        >>> tf.image.stateless_random_crop(image, [2, 2, 1], seed=[1, 2]).numpy()[:, :, 0].tolist()
        [[6, 7], [10, 11]]

    See also: `tf.image.random_crop`.
    """
    return _crop(value, size, _stateless(seed))
