"""Tables of the input elements and weights of each output element when an axis is resized.

Positions and weights are computed in float32 where TensorFlow does, so that the same neighbors are
selected.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from tfpy._src.compiler.ir.aval import Array

f32 = np.float32


class Resampling(NamedTuple):
    """A linear map along one axis: `matrix [size_out, size_in]`, or its transpose."""

    method: str
    size_in: int
    size_out: int
    antialias: bool = False
    grid: str = "half_pixel"
    """Alignment of output and input positions: "half_pixel", "legacy" or "align_corners"."""
    transposed: bool = False

    @property
    def sizes(self) -> tuple[int, int]:
        """Sizes of the axis before and after."""
        sizes = self.size_in, self.size_out
        return sizes[::-1] if self.transposed else sizes

    def transpose(self) -> Resampling:
        """Return the map of gradients."""
        return self._replace(transposed=not self.transposed)


@lru_cache(maxsize=128)
def table(spec: Resampling) -> Array:
    """Return int32 `[outputs, 1 + taps]`: first input positions, and bits of float32 weights."""
    matrix = dense(spec)
    used = matrix != 0
    first = np.where(used.any(1), used.argmax(1), 0)
    last = np.where(used.any(1), matrix.shape[1] - 1 - used[:, ::-1].argmax(1), -1)
    taps = max(int((last - first).max(initial=-1)) + 1, 1)
    places = first[:, None] + np.arange(taps)
    inside = places < matrix.shape[1]
    rows = np.arange(matrix.shape[0])[:, None]
    weights = np.where(inside, matrix[rows, np.where(inside, places, 0)], f32(0))
    bits = weights.astype(np.float32).view(np.int32)
    return np.concatenate([first[:, None].astype(np.int32), bits], axis=1)


def dense(spec: Resampling) -> Array:
    """Return the map as a float32 matrix `[outputs, inputs]`."""
    n, m = spec.size_in, spec.size_out
    places, weights = _SCHEMES.get(spec.method, _scale_and_translate)(spec)
    matrix = np.zeros((m, n), np.float32)
    inside = (places >= 0) & (places < n)
    rows = np.broadcast_to(np.arange(m)[:, None], places.shape)
    np.add.at(matrix, (rows[inside], places[inside]), weights[inside].astype(np.float32))
    return np.asarray(matrix.T if spec.transposed else matrix)


def _scale(spec: Resampling) -> Any:
    if spec.grid == "align_corners" and spec.size_out > 1:
        return f32(spec.size_in - 1) / f32(spec.size_out - 1)
    return f32(spec.size_in) / f32(spec.size_out)


def _positions(spec: Resampling) -> Array:
    """Return the input position of each output element, in float32."""
    out: Array = np.arange(spec.size_out, dtype=np.float32)
    half = f32(0.5 if spec.grid == "half_pixel" else 0)
    return np.asarray((out + half) * _scale(spec) - half)


def _bilinear(spec: Resampling) -> tuple[Array, Array]:
    at = _positions(spec)
    low = np.floor(at)
    lerp = at - low
    ends = np.stack([np.maximum(low, 0), np.minimum(np.ceil(at), spec.size_in - 1)], axis=1)
    return ends.astype(np.int64), np.stack([1 - lerp, lerp], axis=1)


def _nearest(spec: Resampling) -> tuple[Array, Array]:
    out = np.arange(spec.size_out, dtype=np.float32)
    if spec.grid == "half_pixel":
        at = np.floor((out + f32(0.5)) * _scale(spec))
    elif spec.grid == "align_corners":
        at = np.floor(out * _scale(spec) + f32(0.5))
    else:
        at = np.floor(out * _scale(spec))
    places = np.clip(at, 0, spec.size_in - 1).astype(np.int64)[:, None]
    return places, np.ones(places.shape, np.float32)


def _bicubic(spec: Resampling) -> tuple[Array, Array]:
    """Return a cubic with positions rounded to 1/1024, as in TensorFlow's table.

    With half-pixel centers it is Keys's cubic, and inputs outside have no weight. On the other
    grids it is the cubic with slope -0.75 at 1, and inputs outside equal the edge.
    """
    steps = 1024
    at = _positions(spec)
    low = np.floor(at)
    delta = np.rint((at - low) * f32(steps)) / steps
    places = low.astype(np.int64)[:, None] + np.arange(-1, 3)
    distance = np.stack([1 + delta, delta, 1 - delta, 2 - delta], axis=1)
    if spec.grid == "half_pixel":
        return places, _normalized(places, _cubic(distance, -0.5), spec.size_in)
    return np.clip(places, 0, spec.size_in - 1), _cubic(distance, -0.75)


def _normalized(places: Array, weights: Array, n: int) -> Array:
    """Return weights with sum 1, which are 0 outside."""
    weights = np.where((places >= 0) & (places < n), weights, 0)
    total = weights.sum(1, keepdims=True)
    usable = np.abs(total) >= 1000 * np.finfo(np.float32).tiny
    return np.asarray(np.divide(weights, total, out=np.zeros_like(weights), where=usable))


def _area(spec: Resampling) -> tuple[Array, Array]:
    """Return the input elements that an output element covers, and their shares."""
    scale = _scale(spec) or f32(1) / f32(spec.size_out)  # 0 for one input on aligned corners
    out = np.arange(spec.size_out, dtype=np.float32)
    begin, end = out * scale, (out + f32(1)) * scale
    taps = int(np.ceil(scale)) + 2
    places = np.floor(begin).astype(np.int64)[:, None] + np.arange(taps)
    overlap = np.minimum(places + 1, end[:, None]) - np.maximum(places, begin[:, None])
    weights = np.maximum(overlap, 0) / scale
    return np.clip(places, 0, spec.size_in - 1), weights


def _triangle(x: Array) -> Array:
    return np.asarray(np.maximum(1 - x, 0))


def _cubic(x: Array, slope: float) -> Array:
    """Compute the cubic convolution kernel (https://doi.org/10.1109/TASSP.1981.1163711).

    `slope` is its slope at 1.
    """
    near = ((slope + 2) * x - (slope + 3)) * x * x + 1
    far = ((slope * x - 5 * slope) * x + 8 * slope) * x - 4 * slope
    return np.where(x < 1, near, np.where(x < 2, far, 0))


def _keys_cubic(x: Array) -> Array:
    return _cubic(x, -0.5)


def _mitchell_cubic(x: Array) -> Array:
    near = (7 / 6 * x - 2) * x * x + 8 / 9
    far = ((-7 / 18 * x + 2) * x - 10 / 3) * x + 16 / 9
    return np.where(x < 1, near, np.where(x < 2, far, 0))


def _gaussian(x: Array) -> Array:
    return np.where(x < 1.5, np.exp(-2 * x * x), 0)


def _lanczos(radius: int) -> Callable[[Array], Array]:
    return lambda x: np.where(x <= radius, np.sinc(x) * np.sinc(x / radius), 0)


_KERNELS: dict[str, tuple[float, Callable[[Array], Array]]] = {
    "bilinear": (1, _triangle),
    "bicubic": (2, _keys_cubic),
    "lanczos3": (3, _lanczos(3)),
    "lanczos5": (5, _lanczos(5)),
    "gaussian": (1.5, _gaussian),
    "mitchellcubic": (2, _mitchell_cubic),
}


def _scale_and_translate(spec: Resampling) -> tuple[Array, Array]:
    """Return a kernel centered on each output element.

    Antialiasing widens the kernel for smaller outputs.
    """
    radius, kernel = _KERNELS[spec.method]
    inverse = f32(1) / (f32(spec.size_out) / f32(spec.size_in))
    width = max(inverse, f32(1)) if spec.antialias else f32(1)
    sample = (np.arange(spec.size_out, dtype=np.float32) + f32(0.5)) * inverse
    begin = np.ceil(sample - f32(radius) * width - f32(0.5)).astype(np.int64)
    end = np.floor(sample + f32(radius) * width - f32(0.5)).astype(np.int64)
    places = begin[:, None] + np.arange(int((end - begin).max(initial=0)) + 1)
    distance = np.abs((places + f32(0.5) - sample[:, None]) / width)
    weights = np.where(places <= end[:, None], kernel(distance), 0)
    return places, _normalized(places, weights, spec.size_in)


def _by_antialias(plain: Any) -> Any:
    return lambda spec: _scale_and_translate(spec) if spec.antialias else plain(spec)


_SCHEMES: dict[str, Callable[[Resampling], tuple[Array, Array]]] = {
    "nearest": _nearest,
    "area": _area,
    "bilinear": _by_antialias(_bilinear),
    "bicubic": _by_antialias(_bicubic),
}

METHODS = (*_KERNELS, "nearest", "area")
