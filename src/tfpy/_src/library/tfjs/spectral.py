"""``tf.spectral``: TensorFlow.js's name for the transforms of ``tf.signal``."""

from __future__ import annotations

from typing import Any

from tfpy._src.core.tensor import Tensor
from tfpy._src.tensors.signal.fourier import fft, ifft, irfft as _irfft, rfft as _rfft


def rfft(input: Any, fft_length: int | None = None) -> Tensor:
    """Transform of float32 numbers; TensorFlow.js takes ``fft_length`` as one number.

    Example:
        >>> import tfpy as tf
        >>> tf.spectral.rfft([1.0, 2.0, 3.0, 4.0]).numpy().real.round(3).tolist()
        [10.0, -2.0, -2.0]
    """
    return _rfft(input, None if fft_length is None else [fft_length])


def irfft(input: Any) -> Tensor:
    """Inverse of :func:`rfft` for an even length.

    Example:
        >>> import tfpy as tf
        >>> frequencies = tf.constant([10, -2 + 2j, -2], tf.complex64)
        >>> tf.spectral.irfft(frequencies).numpy().round(3).tolist()
        [1.0, 2.0, 3.0, 4.0]
    """
    return _irfft(input)


__all__ = ["fft", "ifft", "irfft", "rfft"]
