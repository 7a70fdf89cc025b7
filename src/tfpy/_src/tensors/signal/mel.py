"""The mel scale and cepstral coefficients: functions of `tf.signal`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.dtypes import as_dtype
from tfpy._src.base.errors import invalid
from tfpy._src.core.conversion import constant, convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import DTypeLike, FloatLike, IntLike, TensorLike
from tfpy._src.tensors.array.static import static_int, static_number
from tfpy._src.tensors.signal.cosine import dct


def _mel(hertz: Any) -> Any:
    """Convert frequencies to the mel scale."""
    return 1127.0 * np.log1p(np.asarray(hertz, np.float64) / 700.0)


def linear_to_mel_weight_matrix(
    num_mel_bins: int = 20,
    num_spectrogram_bins: IntLike = 129,
    sample_rate: FloatLike = 8000,
    lower_edge_hertz: float = 125.0,
    upper_edge_hertz: float = 3800.0,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
) -> Tensor:
    """Return a matrix that converts linear spectra to the mel scale.

    Each column contains the weights of a triangular frequency band. To convert a spectrogram of
    shape `[..., num_spectrogram_bins]`, multiply it by this matrix.

    Args:
        num_mel_bins: Number of bands. Default: 20.
        num_spectrogram_bins: Number of bins of the spectrogram, which is `fft_length // 2 + 1` for
            `tf.signal.stft`. Default: 129.
        sample_rate: Samples per second of the signal. Default: 8000.
        lower_edge_hertz: Lower edge of the lowest band. Default: 125.
        upper_edge_hertz: Upper edge of the highest band. Default: 3800.
        dtype: Dtype of the result. Default: float32.

    Returns:
        Float tensor of shape `[num_spectrogram_bins, num_mel_bins]`.

    Raises:
        ValueError: If `lower_edge_hertz` is negative or not less than `upper_edge_hertz`, if
            `upper_edge_hertz` is above half of `sample_rate`, if `num_mel_bins` or `sample_rate`
            is not positive, or if `dtype` is not a float dtype.
        tf.errors.InvalidArgumentError: If `num_spectrogram_bins` is negative.

    Example:
        >>> import tfpy as tf
        >>> weights = tf.signal.linear_to_mel_weight_matrix(4, num_spectrogram_bins=33)
        >>> mel = tf.matmul(tf.ones([10, 33]), weights)
        >>> weights.shape, mel.shape
        (TensorShape([33, 4]), TensorShape([10, 4]))

    See also: `tf.signal.stft`, `tf.signal.mfccs_from_log_mel_spectrograms`.
    """
    kind, rate = as_dtype(dtype), float(static_number(sample_rate))
    if num_mel_bins <= 0:
        raise ValueError(f"num_mel_bins must be positive. Got: {num_mel_bins}")
    if lower_edge_hertz < 0:
        raise ValueError(f"lower_edge_hertz must be non-negative. Got: {lower_edge_hertz}")
    if lower_edge_hertz >= upper_edge_hertz:
        raise ValueError(
            f"lower_edge_hertz {lower_edge_hertz:.1f} >= upper_edge_hertz {upper_edge_hertz:.1f}"
        )
    if rate <= 0:
        raise ValueError(f"sample_rate must be positive. Got: {rate}")
    if upper_edge_hertz > rate / 2:
        raise ValueError(
            "upper_edge_hertz must not be larger than the Nyquist frequency (sample_rate / 2). "
            f"Got {upper_edge_hertz} for sample_rate: {rate}"
        )
    if not kind.is_floating:
        raise ValueError(f"dtype must be a floating point type. Got: {kind}")
    count = static_int(num_spectrogram_bins)
    if count < 0:
        raise invalid(
            "linear_to_mel_weight_matrix", f"num_spectrogram_bins must not be negative, got {count}"
        )
    bins = _mel(np.linspace(0, rate / 2, max(count, 1)))[:, None]  # at least the constant part
    edges = np.linspace(_mel(lower_edge_hertz), _mel(upper_edge_hertz), num_mel_bins + 2)
    lower, center, upper = edges[:-2], edges[1:-1], edges[2:]
    rising, falling = (bins - lower) / (center - lower), (upper - bins) / (upper - center)
    weights = np.maximum(0, np.minimum(rising, falling))
    weights[:1] = 0  # no band includes the constant part
    return constant(weights.astype(kind.as_numpy_dtype))


def mfccs_from_log_mel_spectrograms(
    log_mel_spectrograms: TensorLike, name: str | None = None
) -> Tensor:
    """Compute mel-frequency cepstral coefficients (MFCCs).

    They have the same scale as in HTK, the Hidden Markov Model Toolkit. Often only the first ones
    are used, as in the example.

    Args:
        log_mel_spectrograms: Logarithms of mel spectra, a float tensor of shape `[...,
            num_mel_bins]`.

    Returns:
        Float tensor of the shape and dtype of `log_mel_spectrograms`.

    Raises:
        ValueError: If `num_mel_bins` is 0.
        tf.errors.InvalidArgumentError: If the input is a scalar.

    Example:
        >>> import tfpy as tf
        >>> log_mel = tf.math.log(tf.ones([10, 40]) + 1e-6)
        >>> tf.signal.mfccs_from_log_mel_spectrograms(log_mel)[..., :13].shape
        TensorShape([10, 13])

    See also: `tf.signal.linear_to_mel_weight_matrix`, `tf.signal.dct`.
    """
    x = convert_to_tensor(log_mel_spectrograms)
    if not x.ndim:
        raise invalid("mfccs_from_log_mel_spectrograms", "the spectrograms must not be a scalar")
    if not x.aval.shape[-1]:
        raise ValueError(f"num_mel_bins must be positive. Got: {x!r}")
    return dct(x, type=2) * math.sqrt(0.5 / x.aval.shape[-1])
