"""Random changes of images, from the package's generator or from a seed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfpy._src.base import dtypes
from tfpy._src.compiler.ops import elementwise as ew, logic
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.library.image import adjusting, geometry
from tfpy._src.tensors.array.ranges import range
from tfpy._src.tensors.array.reshaping import reshape
from tfpy._src.tensors.array.slicing import take
from tfpy._src.tensors.array.static import static_ints
from tfpy._src.tensors.random import stateful, stateless

__all__ = [
    "random_brightness",
    "random_contrast",
    "random_crop",
    "random_flip_left_right",
    "random_flip_up_down",
    "random_hue",
    "random_saturation",
    "stateless_random_brightness",
    "stateless_random_contrast",
    "stateless_random_crop",
    "stateless_random_flip_left_right",
    "stateless_random_flip_up_down",
    "stateless_random_hue",
    "stateless_random_saturation",
]

Draw = Callable[..., Tensor]
"""``draw(shape, minval, maxval, dtype)`` gives uniform numbers."""


def _stateful(seed: Any) -> Draw:
    return lambda shape, low, high, dtype: stateful.uniform(shape, low, high, dtype, seed)


def _stateless(seed: Any) -> Draw:
    return lambda shape, low, high, dtype: stateless.stateless_uniform(
        shape, seed, low, high, dtype
    )


def _between(draw: Draw, low: float, high: float) -> Tensor:
    return draw([], low, high, dtypes.float32)


def _non_negative(name: str, delta: float) -> float:
    if delta < 0:
        raise ValueError(f"{name}: max_delta must be non-negative.")
    return delta


def _brightness(image: Any, max_delta: float, draw: Draw) -> Tensor:
    delta = _non_negative("random_brightness", max_delta)
    return adjusting.adjust_brightness(image, _between(draw, -delta, delta))


def random_brightness(image: Any, max_delta: float, seed: int | None = None) -> Tensor:
    """Brightness changed by up to ``max_delta`` either way.

    Args:
        seed: with ``tf.random.set_seed``, what makes the numbers repeatable; each call goes on from
            the last one.

    Example:
        >>> import tfpy as tf
        >>> image = tf.fill([2, 2, 3], 0.5)
        >>> change = tf.image.random_brightness(image, max_delta=0.2) - image
        >>> bool(tf.reduce_all(tf.abs(change) <= 0.2001))
        True
    """
    return _brightness(image, max_delta, _stateful(seed))


def stateless_random_brightness(image: Any, max_delta: float, seed: Any) -> Tensor:
    """:func:`random_brightness` from a seed of two integers.

    Example:
        >>> import tfpy as tf
        >>> image = tf.fill([2, 2, 3], 0.5)
        >>> tf.image.stateless_random_brightness(image, 0.2, seed=[1, 2]).numpy()[0, 0].round(3)
        array([0.638, 0.638, 0.638], dtype=float32)
    """
    return _brightness(image, max_delta, _stateless(seed))


def _bounds(name: str, lower: float, upper: float) -> tuple[float, float]:
    if upper <= lower or lower < 0:
        raise ValueError(f"{name}: upper must be > lower and lower non-negative.")
    return lower, upper


def _contrast(image: Any, lower: float, upper: float, draw: Draw) -> Tensor:
    return adjusting.adjust_contrast(
        image, _between(draw, *_bounds("random_contrast", lower, upper))
    )


def random_contrast(image: Any, lower: float, upper: float, seed: int | None = None) -> Tensor:
    """Contrast multiplied by a factor from ``lower`` to ``upper``.

    Args:
        seed: with ``tf.random.set_seed``, what makes the numbers repeatable; each call goes on from
            the last one.

    Example:
        >>> import tfpy as tf
        >>> image = tf.fill([2, 2, 3], 0.5)
        >>> tf.image.random_contrast(image, lower=0.5, upper=2.0).numpy()[0, 0].round(3)
        array([0.5, 0.5, 0.5], dtype=float32)
    """
    return _contrast(image, lower, upper, _stateful(seed))


def stateless_random_contrast(image: Any, lower: float, upper: float, seed: Any) -> Tensor:
    """:func:`random_contrast` from a seed of two integers.

    Example:
        >>> import tfpy as tf
        >>> image = tf.constant([[[1.0], [3.0]]])
        >>> tf.image.stateless_random_contrast(image, 0.5, 2.0, seed=[1, 2]).numpy().round(2)
        array([[[0.23],
                [3.77]]], dtype=float32)
    """
    return _contrast(image, lower, upper, _stateless(seed))


def _saturation(image: Any, lower: float, upper: float, draw: Draw) -> Tensor:
    factor = _between(draw, *_bounds("random_saturation", lower, upper))
    return adjusting.adjust_saturation(image, factor)


def random_saturation(image: Any, lower: float, upper: float, seed: int | None = None) -> Tensor:
    """Saturation multiplied by a factor from ``lower`` to ``upper``.

    Args:
        seed: with ``tf.random.set_seed``, what makes the numbers repeatable; each call goes on from
            the last one.

    Example:
        >>> import tfpy as tf
        >>> gray = tf.fill([2, 2, 3], 0.5)
        >>> tf.image.random_saturation(gray, lower=0.5, upper=2.0).numpy()[0, 0].round(3)
        array([0.5, 0.5, 0.5], dtype=float32)
    """
    return _saturation(image, lower, upper, _stateful(seed))


def stateless_random_saturation(image: Any, lower: float, upper: float, seed: Any) -> Tensor:
    """:func:`random_saturation` from a seed of two integers.

    Example:
        >>> import tfpy as tf
        >>> image = [[[1.0, 0.5, 0.5]]]
        >>> tf.image.stateless_random_saturation(image, 0.5, 1.0, seed=[1, 2]).numpy().round(2)
        array([[[1.  , 0.54, 0.54]]], dtype=float32)
    """
    return _saturation(image, lower, upper, _stateless(seed))


def _hue(image: Any, max_delta: float, draw: Draw) -> Tensor:
    if not 0 <= max_delta <= 0.5:
        raise ValueError(f"random_hue: max_delta must be in [0, 0.5], got {max_delta}")
    return adjusting.adjust_hue(image, _between(draw, -max_delta, max_delta))


def random_hue(image: Any, max_delta: float, seed: int | None = None) -> Tensor:
    """Hue turned by up to ``max_delta`` either way.

    Args:
        seed: with ``tf.random.set_seed``, what makes the numbers repeatable; each call goes on from
            the last one.

    Example:
        >>> import tfpy as tf
        >>> gray = tf.fill([2, 2, 3], 0.5)
        >>> tf.image.random_hue(gray, max_delta=0.3).numpy()[0, 0].round(3)
        array([0.5, 0.5, 0.5], dtype=float32)
    """
    return _hue(image, max_delta, _stateful(seed))


def stateless_random_hue(image: Any, max_delta: float, seed: Any) -> Tensor:
    """:func:`random_hue` from a seed of two integers.

    Example:
        >>> import tfpy as tf
        >>> red = [[[1.0, 0.0, 0.0]]]
        >>> tf.image.stateless_random_hue(red, max_delta=0.3, seed=[1, 2]).numpy().round(2)
        array([[[0.76, 1.  , 0.  ]]], dtype=float32)
    """
    return _hue(image, max_delta, _stateless(seed))


def _flip(image: Any, flip: Callable[[Any], Tensor], draw: Draw) -> Tensor:
    """Each image flipped or not."""
    x = convert_to_tensor(image)
    flipped = flip(x)
    toss = draw([] if x.ndim == 3 else [x.aval.shape[0]], 0, 1.0, dtypes.float32)
    if x.ndim == 4:
        toss = reshape(ew.round_(toss), [-1, 1, 1, 1])
        return logic.select(toss > 0, flipped, x)
    return logic.select(toss < 0.5, flipped, x)


def random_flip_left_right(image: Any, seed: int | None = None) -> Tensor:
    """Each image mirrored along the width, or not.

    Args:
        seed: with ``tf.random.set_seed``, what makes the numbers repeatable; each call goes on from
            the last one.

    Example:
        >>> import tfpy as tf
        >>> image = tf.constant([[[1], [2]]])
        >>> tf.image.random_flip_left_right(image).numpy().ravel().tolist() in ([1, 2], [2, 1])
        True
    """
    return _flip(image, geometry.flip_left_right, _stateful(seed))


def random_flip_up_down(image: Any, seed: int | None = None) -> Tensor:
    """Each image mirrored along the height, or not.

    Args:
        seed: with ``tf.random.set_seed``, what makes the numbers repeatable; each call goes on from
            the last one.

    Example:
        >>> import tfpy as tf
        >>> image = tf.constant([[[1]], [[2]]])
        >>> tf.image.random_flip_up_down(image).numpy().ravel().tolist() in ([1, 2], [2, 1])
        True
    """
    return _flip(image, geometry.flip_up_down, _stateful(seed))


def stateless_random_flip_left_right(image: Any, seed: Any) -> Tensor:
    """:func:`random_flip_left_right` from a seed of two integers.

    Example:
        >>> import tfpy as tf
        >>> image = tf.constant([[[1], [2]]])
        >>> tf.image.stateless_random_flip_left_right(image, seed=[1, 2]).numpy().ravel().tolist()
        [1, 2]
    """
    return _flip(image, geometry.flip_left_right, _stateless(seed))


def stateless_random_flip_up_down(image: Any, seed: Any) -> Tensor:
    """:func:`random_flip_up_down` from a seed of two integers.

    Example:
        >>> import tfpy as tf
        >>> image = tf.constant([[[1]], [[2]]])
        >>> tf.image.stateless_random_flip_up_down(image, seed=[1, 2]).numpy().ravel().tolist()
        [1, 2]
    """
    return _flip(image, geometry.flip_up_down, _stateless(seed))


def _crop(value: Any, size: Any, draw: Draw) -> Tensor:
    x, sizes = convert_to_tensor(value), static_ints(size)
    if len(sizes) != x.ndim or any(n < s for n, s in zip(x.aval.shape, sizes, strict=True)):
        raise ValueError(f"random_crop: need value.shape >= size, got {x.shape} vs {sizes}")
    numbers = draw([x.ndim], 0, 2**31 - 1, dtypes.int32)
    for axis, (n, s) in enumerate(zip(x.aval.shape, sizes, strict=True)):
        if s < n:
            x = take(x, range(s) + numbers[axis] % (n - s + 1), axis)
    return x


def random_crop(value: Any, size: Any, seed: int | None = None, name: str | None = None) -> Tensor:
    """A part of that size, anywhere.

    Args:
        seed: with ``tf.random.set_seed``, what makes the numbers repeatable; each call goes on from
            the last one.

    Example:
        >>> import tfpy as tf
        >>> tf.image.random_crop(tf.zeros([8, 8, 3]), size=[4, 4, 3]).shape
        TensorShape([4, 4, 3])
    """
    return _crop(value, size, _stateful(seed))


def stateless_random_crop(value: Any, size: Any, seed: Any, name: str | None = None) -> Tensor:
    """:func:`random_crop` from a seed of two integers.

    Example:
        >>> import tfpy as tf
        >>> image = tf.reshape(tf.range(16), [4, 4, 1])
        >>> tf.image.stateless_random_crop(image, [2, 2, 1], seed=[1, 2]).numpy()[:, :, 0].tolist()
        [[6, 7], [10, 11]]
    """
    return _crop(value, size, _stateless(seed))
