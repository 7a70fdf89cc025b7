"""Window functions of `tf.signal`. A window is a constant that NumPy computes."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.dtypes import as_dtype
from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ir.aval import Array
from tfpy._src.core.conversion import constant
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import DTypeLike, FloatLike, IntLike
from tfpy._src.tensors.array.static import static_int, static_number


def _length(window_length: Any) -> int:
    """Return the number of points.

    Raises:
        InvalidArgumentError: If it is negative.
    """
    length = static_int(window_length)
    if length < 0:
        raise invalid("window", f"window_length must not be negative, got {length}")
    return length


def _window(values: Array, dtype: Any) -> Tensor:
    """Convert values to a float tensor."""
    kind = as_dtype(dtype)
    if not kind.is_floating:
        raise ValueError(f"dtype must be a floating point type. Found {kind}")
    return constant(values.astype(kind.as_numpy_dtype))


def _raised_cosine(length: int, periodic: bool, offset: float, dtype: Any) -> Tensor:
    """Return a raised cosine. A periodic, even window omits the last point of its period."""
    if length == 1:
        return _window(np.ones(1), dtype)
    period = length - 1 + (length % 2 == 0 and bool(periodic))
    angles = 2 * np.pi * np.arange(length) / period
    return _window(offset - (1 - offset) * np.cos(angles), dtype)


def hann_window(
    window_length: IntLike,
    periodic: bool = True,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
) -> Tensor:
    """Return a Hann window, which is `0.5 - 0.5 * cos(x)` for x from 0 to 2 * pi.

    Args:
        window_length: Number of points, an integer or scalar integer tensor.
        periodic: If True (default), a window of even length is periodic, as Fourier transforms
            require. If False, or if the length is odd, the window is symmetric.
        dtype: Dtype of the result. Default: float32.

    Returns:
        Float tensor of shape `[window_length]`.

    Raises:
        ValueError: If `dtype` is not a float dtype.
        tf.errors.InvalidArgumentError: If `window_length` is negative.

    Example:
        >>> import tfpy as tf
        >>> tf.signal.hann_window(4).numpy().round(3)
        array([0. , 0.5, 1. , 0.5], dtype=float32)

    See also: `tf.signal.hamming_window`, `tf.signal.stft`.
    """
    return _raised_cosine(_length(window_length), periodic, 0.5, dtype)


def hamming_window(
    window_length: IntLike,
    periodic: bool = True,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
) -> Tensor:
    """Return a Hamming window, which is `0.54 - 0.46 * cos(x)` for x from 0 to 2 * pi.

    Args:
        window_length: Number of points, an integer or scalar integer tensor.
        periodic: If True (default), a window of even length is periodic, as Fourier transforms
            require. If False, or if the length is odd, the window is symmetric.
        dtype: Dtype of the result. Default: float32.

    Returns:
        Float tensor of shape `[window_length]`.

    Raises:
        ValueError: If `dtype` is not a float dtype.
        tf.errors.InvalidArgumentError: If `window_length` is negative.

    Example:
        >>> import tfpy as tf
        >>> tf.signal.hamming_window(4).numpy().round(3)
        array([0.08, 0.54, 1.  , 0.54], dtype=float32)

    See also: `tf.signal.hann_window`, `tf.signal.stft`.
    """
    return _raised_cosine(_length(window_length), periodic, 0.54, dtype)


def _kaiser(length: int, beta: float) -> Array:
    """Return a ratio of Bessel functions; negative values of `beta` have TensorFlow's results."""
    if length == 1:
        return np.ones(1)
    at = np.linspace(-1, 1, length)
    heights = beta * np.sqrt(np.maximum(1 - at * at, 0))
    scaled: Array = _scaled_bessel(heights) / _scaled_bessel(np.asarray(beta))
    return np.exp(heights - beta) * scaled


def _scaled_bessel(x: Array) -> Array:
    """Return `exp(-|x|) * I0(x)`; from 500 on the first terms of the series for large x."""
    x = np.abs(x)
    large = np.maximum(x, 500)
    series = (1 + 1 / (8 * large) + 9 / (128 * large**2)) / np.sqrt(2 * np.pi * large)
    small = np.minimum(x, 500)
    return np.where(x < 500, np.i0(small) * np.exp(-small), series)


def kaiser_window(
    window_length: IntLike,
    beta: FloatLike = 12.0,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
) -> Tensor:
    """Return a Kaiser window.

    The window is `I0(beta * sqrt(1 - t ** 2)) / I0(beta)` for t from -1 to 1, where `I0` is
    `tf.math.bessel_i0`.

    Args:
        window_length: Number of points, an integer or scalar integer tensor.
        beta: Shape parameter of the window. Larger values suppress the side lobes of the spectrum
            more strongly, but widen its main lobe. Default: 12.
        dtype: Dtype of the result. Default: float32.

    Returns:
        Float tensor of shape `[window_length]`.

    Raises:
        ValueError: If `dtype` is not a float dtype.
        tf.errors.InvalidArgumentError: If `window_length` is negative.

    Example:
        >>> import tfpy as tf
        >>> tf.signal.kaiser_window(5, beta=2.0).numpy().round(3)
        array([0.439, 0.835, 1.   , 0.835, 0.439], dtype=float32)

    See also: `tf.signal.kaiser_bessel_derived_window`.
    """
    return _window(_kaiser(_length(window_length), float(static_number(beta))), dtype)


def kaiser_bessel_derived_window(
    window_length: IntLike,
    beta: FloatLike = 12.0,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
) -> Tensor:
    """Return a Kaiser-Bessel derived window, for `tf.signal.mdct`.

    The squares of two windows that overlap by half add up to 1.

    Args:
        window_length: Number of points, an even integer or scalar integer tensor.
        beta: Shape parameter of the window. Larger values suppress the side lobes of the spectrum
            more strongly, but widen its main lobe. Default: 12.
        dtype: Dtype of the result. Default: float32.

    Returns:
        Float tensor of shape `[window_length]`.

    Raises:
        ValueError: If `dtype` is not a float dtype.
        tf.errors.InvalidArgumentError: If `window_length` is negative.

    Example:
        >>> import tfpy as tf
        >>> tf.signal.kaiser_bessel_derived_window(4, beta=2.0).numpy().round(3)
        array([0.483, 0.875, 0.875, 0.483], dtype=float32)

    See also: `tf.signal.kaiser_window`, `tf.signal.mdct`.
    """
    sums = np.cumsum(_kaiser(_length(window_length) // 2 + 1, float(static_number(beta))))
    half = np.sqrt(sums[:-1] / sums[-1])
    return _window(np.concatenate([half, half[::-1]]), dtype)


def vorbis_window(
    window_length: IntLike, dtype: DTypeLike = dtypes.float32, name: str | None = None
) -> Tensor:
    """Return the window of the Vorbis audio codec, for `tf.signal.mdct`.

    The squares of two windows that overlap by half add up to 1.

    Args:
        window_length: Number of points, an integer or scalar integer tensor.
        dtype: Dtype of the result. Default: float32.

    Returns:
        Float tensor of shape `[window_length]`.

    Raises:
        ValueError: If `dtype` is not a float dtype.
        tf.errors.InvalidArgumentError: If `window_length` is negative.

    Example:
        >>> import tfpy as tf
        >>> tf.signal.vorbis_window(4).numpy().round(3)
        array([0.228, 0.974, 0.974, 0.228], dtype=float32)

    See also: `tf.signal.mdct`.
    """
    length = _length(window_length)
    sines = np.sin(np.pi / max(length, 1) * (np.arange(length) + 0.5))
    return _window(np.sin(np.pi / 2 * sines**2), dtype)
