"""Frames and short-time spectra: functions of `tf.signal`."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from tfpy._src.base.dtypes import real_part
from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ir.sizes import either
from tfpy._src.compiler.ops import elementwise as ew
from tfpy._src.compiler.ops.families.infer import normalize_axis
from tfpy._src.core.conversion import constant, convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import IntLike, TensorLike
from tfpy._src.tensors.array.joining import concat, pad, split, tile
from tfpy._src.tensors.array.reordering import reverse
from tfpy._src.tensors.array.reshaping import reshape, transpose
from tfpy._src.tensors.array.slicing import take
from tfpy._src.tensors.array.static import sized, static_int
from tfpy._src.tensors.math.reductions import reduce_sum
from tfpy._src.tensors.signal.cosine import dct
from tfpy._src.tensors.signal.fourier import irfft, rfft
from tfpy._src.tensors.signal.windows import hann_window, vorbis_window

Window = Callable[..., Tensor]


def frame(
    signal: TensorLike,
    frame_length: IntLike,
    frame_step: IntLike,
    pad_end: bool = False,
    pad_value: TensorLike = 0,
    axis: int = -1,
    name: str | None = None,
) -> Tensor:
    """Split an axis into overlapping frames.

    Args:
        signal: Tensor of shape `[..., samples, ...]`.
        frame_length: Number of samples in a frame.
        frame_step: Number of samples between the starts of neighboring frames.
        pad_end: If True, also return frames that extend past the end, padded with `pad_value`. If
            False (default), only return complete frames.
        pad_value: Value of the padding if `pad_end` is True, a scalar of the dtype of `signal`.
            Default: 0.
        axis: Axis to split. Negative values count from the end. Default: the last axis.

    Returns:
        Tensor of shape `[..., frames, frame_length, ...]` and the dtype of `signal`.

    Raises:
        tf.errors.InvalidArgumentError: If `frame_length` is negative, if `frame_step` is 0, or if
            `frame_step` is negative while `pad_end` is True.

    Example:
        >>> import tfpy as tf
        >>> tf.signal.frame(tf.range(7), frame_length=3, frame_step=2).numpy().tolist()
        [[0, 1, 2], [2, 3, 4], [4, 5, 6]]

    See also: `tf.signal.overlap_and_add`, `tf.signal.stft`.
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
    """Return the step as an integer that is not 0."""
    step = static_int(frame_step)
    if not step:
        raise invalid(op, "frame_step must not be 0")
    return step


def overlap_and_add(signal: TensorLike, frame_step: IntLike, name: str | None = None) -> Tensor:
    """Reconstruct a signal by adding frames that overlap.

    This reverses `tf.signal.frame`, except that each sample is multiplied by the number of frames
    that contain it.

    Args:
        signal: Tensor of shape `[..., frames, frame_length]`.
        frame_step: Number of samples between the starts of neighboring frames.

    Returns:
        Tensor of shape `[..., frame_length + frame_step * (frames - 1)]` and the dtype of `signal`.

    Raises:
        ValueError: If the rank of `signal` is less than 2, or if `frame_step` is not an integer.
        tf.errors.InvalidArgumentError: If `frame_step` is not positive.

    Example:
        >>> import tfpy as tf
        >>> tf.signal.overlap_and_add([[1, 1, 1], [2, 2, 2]], frame_step=2).numpy().tolist()
        [1, 1, 3, 2, 2]

    See also: `tf.signal.frame`, `tf.signal.inverse_stft`.
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
    # Split each frame into blocks of one step, blocks first: [..., blocks, frames + blocks, step].
    outer = [[0, 0]] * len(lead)
    x = pad(x, [*outer, [0, blocks], [0, blocks * step - length]])
    x = reshape(x, [*lead, frames + blocks, blocks, step])
    order = [*range(len(lead)), *(len(lead) + i for i in (1, 0, 2))]
    x = reshape(transpose(x, order), [*lead, blocks * (frames + blocks), step])
    # Reshaped to rows that are shorter by one, row j of the blocks is shifted by j positions.
    x = x[..., : blocks * (frames + blocks - 1), :]
    total = reduce_sum(reshape(x, [*lead, blocks, frames + blocks - 1, step]), -3)
    flat = reshape(total, [*lead, (frames + blocks - 1) * step])
    return flat[..., : length + step * (frames - 1)]


def _enclosing_power_of_two(n: int) -> int:
    return 1 << (n - 1).bit_length() if n > 0 else 0


def stft(
    signals: TensorLike,
    frame_length: IntLike,
    frame_step: IntLike,
    fft_length: IntLike | None = None,
    window_fn: Window | None = hann_window,
    pad_end: bool = False,
    name: str | None = None,
) -> Tensor:
    """Compute the short-time Fourier transform of real signals.

    Args:
        signals: Float tensor of shape `[..., samples]`.
        frame_length: Number of samples in a frame.
        frame_step: Number of samples between the starts of neighboring frames.
        fft_length: Number of points of each Fourier transform. Default: the smallest power of two
            that is not less than `frame_length`.
        window_fn: Function that takes `frame_length` and the keyword argument `dtype` and returns a
            window of shape `[frame_length]`. None means no window. Default:
            `tf.signal.hann_window`.
        pad_end: If True, zero-pad the end so that every sample is part of a frame. If False
            (default), samples that do not fill a frame are dropped.

    Returns:
        Complex tensor of shape `[..., frames, fft_length // 2 + 1]`.

    Example:
        >>> import tfpy as tf
        >>> wave = tf.sin(tf.range(64.0))
        >>> tf.signal.stft(wave, frame_length=16, frame_step=8, fft_length=16).shape
        TensorShape([7, 9])

    See also: `tf.signal.inverse_stft`, `tf.signal.frame`, `tf.signal.rfft`.
    """
    x = convert_to_tensor(signals)
    length = static_int(frame_length)
    frames = frame(x, length, frame_step, pad_end=pad_end)
    if window_fn is not None:
        frames = frames * window_fn(length, dtype=frames.dtype)
    size = _enclosing_power_of_two(length) if fft_length is None else static_int(fft_length)
    return rfft(frames, [size])


def inverse_stft(
    stfts: TensorLike,
    frame_length: IntLike,
    frame_step: IntLike,
    fft_length: IntLike | None = None,
    window_fn: Window | None = hann_window,
    name: str | None = None,
) -> Tensor:
    """Compute the inverse short-time Fourier transform.

    The signal is reconstructed exactly, except near its ends, if `window_fn` is a function that
    `tf.signal.inverse_stft_window_fn` returned, as in the example.

    Args:
        stfts: Complex tensor of shape `[..., frames, fft_length // 2 + 1]`.
        frame_length: Number of samples in a frame.
        frame_step: Number of samples between the starts of neighboring frames.
        fft_length: Number of points of each Fourier transform. Default: the smallest power of two
            that is not less than `frame_length`.
        window_fn: Function that takes `frame_length` and the keyword argument `dtype` and returns a
            window of shape `[frame_length]`. None means no window. Default:
            `tf.signal.hann_window`.

    Returns:
        Float tensor of shape `[..., samples]`.

    Raises:
        ValueError: If the rank of `stfts` is less than 2.
        tf.errors.InvalidArgumentError: If `frame_length` is negative, or if `frame_step` is not
            positive.

    Example:
        >>> import tfpy as tf
        >>> wave = tf.range(64.0)
        >>> stfts = tf.signal.stft(wave, frame_length=16, frame_step=8)
        >>> window = tf.signal.inverse_stft_window_fn(8)
        >>> tf.signal.inverse_stft(stfts, 16, 8, window_fn=window).numpy()[20:24].round(2)
        array([20., 21., 22., 23.], dtype=float32)

    See also: `tf.signal.stft`, `tf.signal.inverse_stft_window_fn`.
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
    frame_step: IntLike, forward_window_fn: Window = hann_window, name: str | None = None
) -> Window:
    """Return a window function with which `tf.signal.inverse_stft` reconstructs the signal exactly.

    Args:
        frame_step: Number of samples between the starts of neighboring frames.
        forward_window_fn: Window function that was passed to `tf.signal.stft`. Default:
            `tf.signal.hann_window`.

    Returns:
        Function that takes `frame_length` and `dtype` and returns a window of shape
        `[frame_length]`. Pass it to `tf.signal.inverse_stft` as `window_fn`.

    Example:
        >>> import tfpy as tf
        >>> window = tf.signal.inverse_stft_window_fn(frame_step=2)
        >>> window(4, tf.float32).numpy().round(3)
        array([0., 1., 1., 1.], dtype=float32)

    See also: `tf.signal.inverse_stft`.
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
    signals: TensorLike,
    frame_length: IntLike,
    window_fn: Window | None = vorbis_window,
    pad_end: bool = False,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """Compute the modified discrete cosine transform (MDCT) of frames that overlap by half.

    Args:
        signals: Float tensor of shape `[..., samples]`.
        frame_length: Number of samples in a frame, a multiple of 4.
        window_fn: Function that takes `frame_length` and the keyword argument `dtype` and returns a
            window of shape `[frame_length]`. None means a constant window. Default:
            `tf.signal.vorbis_window`.
        pad_end: If True, zero-pad the end so that every sample is part of a frame. If False
            (default), samples that do not fill a frame are dropped.
        norm: None (default) for no normalization, or `"ortho"` for the orthonormal transform.

    Returns:
        Float tensor of shape `[..., frames, frame_length // 2]`.

    Raises:
        ValueError: If `frame_length` is not a multiple of 4.
        tf.errors.InvalidArgumentError: If `frame_length` is not positive.

    Example:
        >>> import tfpy as tf
        >>> tf.signal.mdct(tf.ones([32]), frame_length=8).shape
        TensorShape([7, 4])

    See also: `tf.signal.inverse_mdct`, `tf.signal.dct`.
    """
    length = static_int(frame_length)
    if length % 4:
        raise ValueError("The frame length must be a multiple of 4.")
    frames = frame(signals, length, length // 2, pad_end=pad_end)
    a, b, c, d = split(_windowed(frames, window_fn), 4, axis=-1)
    folded = concat([-reverse(c, [-1]) - d, a - reverse(b, [-1])], -1)
    return dct(folded, type=4, norm=norm)


def inverse_mdct(
    mdcts: TensorLike,
    window_fn: Window | None = vorbis_window,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """Compute the inverse modified discrete cosine transform (MDCT).

    The signal is reconstructed exactly, except for the first and the last `frame_length // 2`
    samples.

    Args:
        mdcts: Float tensor of shape `[..., frames, frame_length // 2]`.
        window_fn: Function that takes `frame_length` and the keyword argument `dtype` and returns a
            window of shape `[frame_length]`. None means a constant window. Default:
            `tf.signal.vorbis_window`.
        norm: `"ortho"` or None (default), as it was passed to `tf.signal.mdct`.

    Returns:
        Float tensor of shape `[..., samples]`.

    Raises:
        ValueError: If the rank of `mdcts` is less than 2.

    Example:
        >>> import tfpy as tf
        >>> wave = tf.range(32.0)
        >>> mdcts = tf.signal.mdct(wave, frame_length=8)
        >>> tf.signal.inverse_mdct(mdcts).numpy()[8:12].round(2)
        array([ 8.,  9., 10., 11.], dtype=float32)

    See also: `tf.signal.mdct`.
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
    """Multiply frames by a window, or by the square root of 0.5 if there is none."""
    if window_fn is None:
        return frames * math.sqrt(0.5)
    windowed: Tensor = frames * window_fn(frames.aval.shape[-1], dtype=frames.dtype)
    return windowed
