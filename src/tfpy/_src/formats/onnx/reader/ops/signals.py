"""Fourier transforms, windows and mel filters."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ir.aval import Array
from tfpy._src.core.tensor import Tensor
from tfpy._src.formats.onnx.reader.record import operation
from tfpy._src.formats.onnx.reader.values import bounded, dtype_of, ints, positive, tensor
from tfpy._src.tensors.array.complex_numbers import complex as complex_of, imag, real
from tfpy._src.tensors.array.joining import pad, stack
from tfpy._src.tensors.array.making import cast
from tfpy._src.tensors.array.reshaping import expand_dims, reshape, transpose
from tfpy._src.tensors.array.slicing import gather
from tfpy._src.tensors.signal.fourier import fft, ifft


def _parts(x: Tensor) -> Tensor:
    return stack([real(x), imag(x)], -1)


def _transformed(x: Tensor, length: int | None, axis: int, inverse: bool, onesided: bool) -> Tensor:
    """Transform along an axis of [..., 1 or 2], real or complex numbers."""
    axis = positive(axis, x.ndim, "DFT")
    if axis == x.ndim - 1 or x.aval.shape[-1] not in (1, 2):
        raise invalid("DFT", f"axis {axis} is invalid for the shape {list(x.aval.shape)}")
    order = [*(i for i in range(x.ndim - 1) if i != axis), axis]
    back = [order.index(i) for i in range(x.ndim - 1)]
    wide = cast(x, "float32")
    second = wide[..., 1] if x.aval.shape[-1] == 2 else wide[..., 0] * 0
    rows = transpose(complex_of(wide[..., 0], second), order)
    size = rows.aval.shape[-1]
    if length is None:
        length = 2 * (size - 1) if inverse and onesided else size
    bounded("DFT", [length])
    if inverse and onesided:
        y = _inverse_of_half(rows, length)
        return cast(expand_dims(transpose(y, back), -1), x.dtype)
    rows = _fitted(rows, length)
    y = ifft(rows) if inverse else fft(rows)
    if onesided:
        y = y[..., : length // 2 + 1]
    return cast(_parts(transpose(y, back)), x.dtype)


def _fitted(rows: Tensor, length: int) -> Tensor:
    """Truncate or zero-pad the last axis."""
    size = rows.aval.shape[-1]
    if size >= length:
        return rows[..., :length]
    return pad(rows, [(0, 0)] * (rows.ndim - 1) + [(0, length - size)])


def _inverse_of_half(rows: Tensor, length: int) -> Tensor:
    """Return the real signal of the first half of its transform."""
    half = _fitted(rows, length // 2 + 1)
    re, im = real(half), imag(half)
    at = np.arange(length)
    mirrored = at > length // 2
    index = np.where(mirrored, length - at, at).astype(np.int32)
    sign = np.where(mirrored, -1, 1).astype(np.float32)
    sign[0] = 0
    if length % 2 == 0:
        sign[length // 2] = 0
    full = complex_of(gather(re, index, axis=-1), gather(im, index, axis=-1) * sign)
    return real(ifft(full))


@operation("DFT", since=20)
def dft(
    x: Tensor, dft_length: Array | None = None, axis: Array | None = None, *, inverse: int = 0,
    onesided: int = 0,
) -> Any:  # fmt: skip
    length = None if dft_length is None else ints(dft_length)[0]
    at = -2 if axis is None else ints(axis)[0]
    return _transformed(x, length, at, bool(inverse), bool(onesided))


@operation("DFT", since=17)
def dft_17(
    x: Tensor, dft_length: Array | None = None, *, axis: int = 1, inverse: int = 0,
    onesided: int = 0,
) -> Any:  # fmt: skip
    length = None if dft_length is None else ints(dft_length)[0]
    return _transformed(x, length, axis, bool(inverse), bool(onesided))


@operation("STFT")
def stft(
    signal: Tensor, frame_step: Array, window: Tensor | None = None,
    frame_length: Array | None = None, *, onesided: int = 1,
) -> Any:  # fmt: skip
    step = ints(frame_step)[0]
    if frame_length is not None:
        length = ints(frame_length)[0]
    elif window is not None:
        length = window.aval.shape[0]
    else:
        raise invalid("STFT", "a window or frame_length is required")
    if signal.ndim == 2:
        signal = expand_dims(signal, -1)  # ONNX Runtime accepts real signals without a last axis
    size = signal.aval.shape[1]
    if step < 1 or not 0 < length <= size:
        raise invalid(
            "STFT", f"frame_length {length} or frame_step {step} is invalid for {size} samples"
        )
    count = 1 + (size - length) // step
    bounded("STFT", [count, length])
    at = np.arange(count)[:, None] * step + np.arange(length)
    frames = gather(signal, at.astype(np.int32), axis=1)
    if window is not None:
        frames = frames * reshape(window, [1, 1, -1, 1])
    return _transformed(frames, length, 2, False, bool(onesided))


def _window(size: Array, number: int, periodic: int, shares: tuple[float, ...]) -> Any:
    """Return a weighted sum of cosines."""
    (n,) = bounded("Window", size.reshape(-1)[:1])
    angle = 2 * np.pi * np.arange(n) / max(n if periodic else n - 1, 1)
    values = sum(share * np.cos(k * angle) for k, share in enumerate(shares))
    return cast(tensor(np.asarray(values, np.float32)), dtype_of(number, "Window"))


@operation("HannWindow")
def hann_window(size: Array, *, output_datatype: int = 1, periodic: int = 1) -> Any:
    return _window(size, output_datatype, periodic, (0.5, -0.5))


@operation("HammingWindow")
def hamming_window(size: Array, *, output_datatype: int = 1, periodic: int = 1) -> Any:
    return _window(size, output_datatype, periodic, (25 / 46, -21 / 46))


@operation("BlackmanWindow")
def blackman_window(size: Array, *, output_datatype: int = 1, periodic: int = 1) -> Any:
    return _window(size, output_datatype, periodic, (0.42, -0.5, 0.08))


@operation("MelWeightMatrix")
def mel_weight_matrix(
    num_mel_bins: Array, dft_length: Array, sample_rate: Array, lower_edge_hertz: Array,
    upper_edge_hertz: Array, *, output_datatype: int = 1,
) -> Any:  # fmt: skip
    """Return triangular filters, equally spaced in mel, over the bins of a transform."""
    bins, length, rate = (int(v.reshape(-1)[0]) for v in (num_mel_bins, dft_length, sample_rate))
    low, high = (float(v.reshape(-1)[0]) for v in (lower_edge_hertz, upper_edge_hertz))
    rows = length // 2 + 1
    bounded("MelWeightMatrix", [rows, bins])
    if rate <= 0 or min(low, high) < 0:
        raise invalid(
            "MelWeightMatrix",
            f"the range from {low} to {high} Hz is invalid at {rate} samples per second",
        )
    mels = [2595 * math.log10(1 + f / 700) for f in (low, high)]
    edges = mels[0] + np.arange(bins + 2) * (mels[1] - mels[0]) / (bins + 2)
    hertz = 700 * (10 ** (edges / 2595) - 1)
    at = (length + 1) * hertz // rate
    made = np.zeros([rows, bins])
    for i in range(bins):
        first, middle, last = (int(v) for v in at[i : i + 3])
        rising = np.arange(first, middle + 1)
        if middle == first:
            made[middle : middle + 1, i] = 1
        else:
            inside = rising[rising < rows]
            made[inside, i] = (inside - first) / (middle - first)
        falling = np.arange(middle, min(last, rows))
        if last > middle:
            made[falling, i] = (last - falling) / (last - middle)
    return cast(tensor(made.astype(np.float32)), dtype_of(output_datatype, "MelWeightMatrix"))
