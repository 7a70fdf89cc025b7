"""Frames, short-time spectra and mel scales: functions of ``tf.signal``."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.dtypes import as_dtype, real_part
from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ir.sizes import either
from tfpy._src.compiler.ops import elementwise as ew
from tfpy._src.compiler.ops.families.infer import normalize_axis
from tfpy._src.core.conversion import constant, convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.tensors.array.joining import concat, pad, split, tile
from tfpy._src.tensors.array.reordering import reverse
from tfpy._src.tensors.array.reshaping import reshape, transpose
from tfpy._src.tensors.array.slicing import take
from tfpy._src.tensors.array.static import sized, static_int, static_number
from tfpy._src.tensors.math.reductions import reduce_sum
from tfpy._src.tensors.signal.fourier import dct, irfft, rfft
from tfpy._src.tensors.signal.windows import hann_window, vorbis_window

Window = Callable[..., Any]


def frame(
    signal: Any,
    frame_length: Any,
    frame_step: Any,
    pad_end: bool = False,
    pad_value: Any = 0,
    axis: int = -1,
    name: str | None = None,
) -> Tensor:
    """Overlapping pieces of an axis, as two axes: [..., frames, frame_length, ...].

    Args:
        frame_step: distance of the starts of neighbouring frames.
        pad_end: also gives the frames that reach past the end, filled with ``pad_value``.

    Raises:
        InvalidArgumentError: when the length is below 0 or the step 0 (below 0: gives no frame, or
            raises with ``pad_end``).

    Example:
        >>> import tfpy as tf
        >>> tf.signal.frame(tf.range(7), frame_length=3, frame_step=2).numpy().tolist()
        [[0, 1, 2], [2, 3, 4], [4, 5, 6]]
    """
    x = convert_to_tensor(signal)
    length, step = static_int(frame_length), _step("frame", frame_step)
    if length < 0:
        raise invalid("frame", f"frame_length must not be negative, got {length}")
    at = normalize_axis("frame", static_int(axis), x.ndim)
    samples = x.aval.shape[at]
    if pad_end:
        frames = -(-samples // step)
        if frames < 0:
            raise invalid("frame", f"frame_step must be positive with pad_end, got {step}")
        missing = max(0, length + step * (frames - 1) - samples)
        room = [[0, missing if i == at else 0] for i in range(x.ndim)]
        x = pad(x, room, constant_values=constant(pad_value, x.dtype))
    else:
        frames = either(max(0, 1 + (samples - length) // step), samples)
    picks = np.arange(frames)[:, None] * step + np.arange(length)
    return take(x, sized(picks.astype(np.int32), (frames, length)), axis=at)


def _step(op: str, frame_step: Any) -> int:
    """The step as an int other than 0."""
    step = static_int(frame_step)
    if not step:
        raise invalid(op, "frame_step must not be 0")
    return step


def overlap_and_add(signal: Any, frame_step: Any, name: str | None = None) -> Tensor:
    """The sum of frames [..., frames, frame_length] laid ``frame_step`` apart.

    Raises:
        ValueError: when the signal has no frames, or the step is not an integer.
        InvalidArgumentError: when the step is not positive.

    Example:
        >>> import tfpy as tf
        >>> tf.signal.overlap_and_add([[1, 1, 1], [2, 2, 2]], frame_step=2).numpy().tolist()
        [1, 1, 3, 2, 2]
    """
    x = convert_to_tensor(signal)
    if x.ndim < 2:
        raise ValueError(f"overlap_and_add: Shape {x.shape} must have rank at least 2")
    hop = convert_to_tensor(frame_step)
    if not hop.dtype.is_integer:
        raise ValueError(f"frame_step must be an integer. Got {hop.dtype}")
    *lead, frames, length = x.aval.shape
    if static_int(hop) == length:
        return reshape(x, [*lead, frames * length])
    step = _step("overlap_and_add", hop)
    if step < 0:
        raise invalid("overlap_and_add", f"frame_step must be positive, got {step}")
    blocks = -(-length // step)
    # Each frame as blocks of a step, blocks first: [..., blocks, frames + blocks, step].
    outer = [[0, 0]] * len(lead)
    x = pad(x, [*outer, [0, blocks], [0, blocks * step - length]])
    x = reshape(x, [*lead, frames + blocks, blocks, step])
    order = [*range(len(lead)), *(len(lead) + i for i in (1, 0, 2))]
    x = reshape(transpose(x, order), [*lead, blocks * (frames + blocks), step])
    # Read in rows that are one shorter, block row j begins j places later.
    x = x[..., : blocks * (frames + blocks - 1), :]
    total = reduce_sum(reshape(x, [*lead, blocks, frames + blocks - 1, step]), -3)
    flat = reshape(total, [*lead, (frames + blocks - 1) * step])
    return flat[..., : length + step * (frames - 1)]


def _enclosing_power_of_two(n: int) -> int:
    return 1 << (n - 1).bit_length() if n > 0 else 0


def stft(
    signals: Any,
    frame_length: Any,
    frame_step: Any,
    fft_length: Any = None,
    window_fn: Window | None = hann_window,
    pad_end: bool = False,
    name: str | None = None,
) -> Tensor:
    """Spectra of windowed frames: [..., frames, fft_length // 2 + 1] complex64.

    Args:
        fft_length: by default the smallest power of two that holds a frame.
        window_fn: called with ``(frame_length, dtype=...)``; None for no window.

    Example:
        >>> import tfpy as tf
        >>> wave = tf.sin(tf.range(64.0))
        >>> tf.signal.stft(wave, frame_length=16, frame_step=8, fft_length=16).shape
        TensorShape([7, 9])
    """
    x = convert_to_tensor(signals)
    length = static_int(frame_length)
    frames = frame(x, length, frame_step, pad_end=pad_end)
    if window_fn is not None:
        frames = frames * window_fn(length, dtype=frames.dtype)
    size = _enclosing_power_of_two(length) if fft_length is None else static_int(fft_length)
    return rfft(frames, [size])


def inverse_stft(
    stfts: Any,
    frame_length: Any,
    frame_step: Any,
    fft_length: Any = None,
    window_fn: Window | None = hann_window,
    name: str | None = None,
) -> Tensor:
    """Signals from spectra; exact with the window of :func:`inverse_stft_window_fn`.

    Raises:
        ValueError: when the spectra are not [..., frames, bins].
        InvalidArgumentError: when ``frame_length`` is negative or ``frame_step`` not positive.

    Example:
        >>> import tfpy as tf
        >>> wave = tf.range(64.0)
        >>> stfts = tf.signal.stft(wave, frame_length=16, frame_step=8)
        >>> window = tf.signal.inverse_stft_window_fn(8)
        >>> tf.signal.inverse_stft(stfts, 16, 8, window_fn=window).numpy()[20:24].round(2)
        array([20., 21., 22., 23.], dtype=float32)
    """
    x = convert_to_tensor(stfts)
    length = static_int(frame_length)
    if length < 0:
        raise invalid("inverse_stft", f"frame_length must not be negative, got {length}")
    if x.ndim < 2:
        raise ValueError(f"inverse_stft: Shape {x.shape} must have rank at least 2")
    size = _enclosing_power_of_two(length) if fft_length is None else static_int(fft_length)
    frames = irfft(x, [size])[..., :length]
    if size < length:
        frames = pad(frames, [*[[0, 0]] * (x.ndim - 1), [0, length - size]])
    if window_fn is not None:
        frames = frames * window_fn(length, dtype=real_part(x.dtype))
    return overlap_and_add(frames, frame_step)


def inverse_stft_window_fn(
    frame_step: Any, forward_window_fn: Window = hann_window, name: str | None = None
) -> Window:
    """A window function for :func:`inverse_stft` that undoes ``forward_window_fn``.

    Example:
        >>> import tfpy as tf
        >>> window = tf.signal.inverse_stft_window_fn(frame_step=2)
        >>> window(4, tf.float32).numpy().round(3)
        array([0., 1., 1., 1.], dtype=float32)
    """
    step = _step("inverse_stft_window_fn", frame_step)

    def window(frame_length: Any, dtype: Any) -> Tensor:
        length = static_int(frame_length)
        forward = convert_to_tensor(forward_window_fn(length, dtype=dtype))
        overlaps = -(-length // step)
        squares = pad(ew.square(forward), [[0, overlaps * step - length]])
        weight = reduce_sum(reshape(squares, [overlaps, step]), 0)
        return ew.divide_no_nan(forward, tile(weight, [overlaps])[:length])

    return window


def mdct(
    signals: Any,
    frame_length: Any,
    window_fn: Window | None = vorbis_window,
    pad_end: bool = False,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """Modified cosine transform of half-overlapping frames: [..., frames, frame_length / 2].

    Raises:
        ValueError: when ``frame_length`` is not a multiple of 4.
        InvalidArgumentError: when it is not positive.

    Example:
        >>> import tfpy as tf
        >>> tf.signal.mdct(tf.ones([32]), frame_length=8).shape
        TensorShape([7, 4])
    """
    length = static_int(frame_length)
    if length % 4:
        raise ValueError("The frame length must be a multiple of 4.")
    frames = frame(signals, length, length // 2, pad_end=pad_end)
    a, b, c, d = split(_windowed(frames, window_fn), 4, axis=-1)
    folded = concat([-reverse(c, [-1]) - d, a - reverse(b, [-1])], -1)
    return dct(folded, type=4, norm=norm)


def inverse_mdct(
    mdcts: Any,
    window_fn: Window | None = vorbis_window,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """Signals from :func:`mdct`; exact but for the first and last half frame.

    Raises:
        ValueError: when the spectra are not [..., frames, bins].

    Example:
        >>> import tfpy as tf
        >>> wave = tf.range(32.0)
        >>> mdcts = tf.signal.mdct(wave, frame_length=8)
        >>> tf.signal.inverse_mdct(mdcts).numpy()[8:12].round(2)
        array([ 8.,  9., 10., 11.], dtype=float32)
    """
    x = convert_to_tensor(mdcts)
    if x.ndim < 2:
        raise ValueError(f"inverse_mdct: Shape {x.shape} must have rank at least 2")
    half = x.aval.shape[-1]
    back = dct(x, type=4, norm=norm)
    if norm is None:
        back = back * (0.5 / max(half, 1))
    first, second = split(back, 2, axis=-1)
    frames = concat([second, -reverse(second, [-1]), -reverse(first, [-1]), -first], -1)
    return overlap_and_add(_windowed(frames, window_fn), half)


def _windowed(frames: Tensor, window_fn: Window | None) -> Tensor:
    if window_fn is None:
        return frames * math.sqrt(0.5)
    windowed: Tensor = frames * window_fn(frames.aval.shape[-1], dtype=frames.dtype)
    return windowed


def _mel(hertz: Any) -> Any:
    return 1127.0 * np.log1p(np.asarray(hertz, np.float64) / 700.0)


def linear_to_mel_weight_matrix(
    num_mel_bins: int = 20,
    num_spectrogram_bins: int = 129,
    sample_rate: Any = 8000,
    lower_edge_hertz: float = 125.0,
    upper_edge_hertz: float = 3800.0,
    dtype: Any = dtypes.float32,
    name: str | None = None,
) -> Tensor:
    """Triangles on the mel scale: [num_spectrogram_bins, num_mel_bins] to multiply spectra with.

    Args:
        dtype: of the result; int64 and float64 have 32 bits without ``TFPY_ENABLE_X64``.

    Raises:
        ValueError: when the edges do not lie in order between 0 and half the sample rate.
        InvalidArgumentError: when ``num_spectrogram_bins`` is negative.

    Example:
        >>> import tfpy as tf
        >>> weights = tf.signal.linear_to_mel_weight_matrix(4, num_spectrogram_bins=33)
        >>> mel = tf.matmul(tf.ones([10, 33]), weights)
        >>> weights.shape, mel.shape
        (TensorShape([33, 4]), TensorShape([10, 4]))
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
    bins = _mel(np.linspace(0, rate / 2, max(count, 1)))[:, None]  # the constant part stays
    edges = np.linspace(_mel(lower_edge_hertz), _mel(upper_edge_hertz), num_mel_bins + 2)
    lower, center, upper = edges[:-2], edges[1:-1], edges[2:]
    rising, falling = (bins - lower) / (center - lower), (upper - bins) / (upper - center)
    weights = np.maximum(0, np.minimum(rising, falling))
    weights[:1] = 0  # no band takes the constant part
    return constant(weights.astype(kind.as_numpy_dtype))


def mfccs_from_log_mel_spectrograms(log_mel_spectrograms: Any, name: str | None = None) -> Tensor:
    """Mel-frequency cepstral coefficients, scaled as HTK does.

    Raises:
        ValueError: when there are no mel bins.
        InvalidArgumentError: for a scalar.

    Example:
        >>> import tfpy as tf
        >>> log_mel = tf.math.log(tf.ones([10, 40]) + 1e-6)
        >>> tf.signal.mfccs_from_log_mel_spectrograms(log_mel)[..., :13].shape
        TensorShape([10, 13])
    """
    x = convert_to_tensor(log_mel_spectrograms)
    if not x.ndim:
        raise invalid("mfccs_from_log_mel_spectrograms", "the spectrograms must not be a scalar")
    if not x.aval.shape[-1]:
        raise ValueError(f"num_mel_bins must be positive. Got: {x!r}")
    return dct(x, type=2) * math.sqrt(0.5 / x.aval.shape[-1])
