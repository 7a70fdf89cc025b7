"""Resizing of any axes."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ir.aval import Array
from tfpy._src.core import primitives as p
from tfpy._src.core.tensor import Tensor
from tfpy._src.formats.onnx.reader.record import Floats, Ints, operation
from tfpy._src.formats.onnx.reader.values import all_positive, bounded, like, tensor
from tfpy._src.tensors.array.making import cast
from tfpy._src.tensors.array.reshaping import transpose
from tfpy._src.tensors.array.slicing import gather, where
from tfpy._src.tensors.linalg.products import matmul

_MAX_TAPS = 4  # more taps become a matrix product


@dataclass(frozen=True)
class _How:
    mode: str
    coordinates: str
    nearest: str
    cubic: float
    exclude: bool
    antialias: bool


@dataclass(frozen=True)
class _Axis:
    """The resizing of one axis."""

    size: int
    out: int
    scale: float
    roi: tuple[float, float]

    def positions(self, coordinates: str) -> Array:
        """Return the position in the input of each output element."""
        x = np.arange(self.out, dtype=np.float64)
        if coordinates == "asymmetric":
            return x / self.scale
        if coordinates == "align_corners":
            wide = self.scale * self.size - 1
            return x * 0 if wide == 0 else x * (self.size - 1) / wide
        if coordinates == "pytorch_half_pixel":
            return x * 0 if self.scale * self.size <= 1 else (x + 0.5) / self.scale - 0.5
        if coordinates == "tf_half_pixel_for_nn":
            return (x + 0.5) / self.scale
        if coordinates == "half_pixel_symmetric":
            exact = self.scale * self.size
            middle = self.size / 2 * (1 - self.out / exact)
            return middle + (x + 0.5) / self.scale - 0.5
        if coordinates == "tf_crop_and_resize":
            first, last = self.roi
            if self.out == 1:
                return x * 0 + 0.5 * (first + last) * (self.size - 1)
            return first * (self.size - 1) + x * (last - first) * (self.size - 1) / (self.out - 1)
        if coordinates == "half_pixel":
            return (x + 0.5) / self.scale - 0.5
        raise invalid("Resize", f"unknown coordinate_transformation_mode {coordinates!r}")


def _nearest(x: Array, mode: str) -> Array:
    modes: dict[str, Callable[[Array], Array]] = {
        "round_prefer_floor": lambda v: np.ceil(v - 0.5),
        "round_prefer_ceil": lambda v: np.floor(v + 0.5),
        "floor": np.floor,
        "ceil": np.ceil,
    }
    if mode not in modes:
        raise invalid("Resize", f"unknown nearest_mode {mode!r}")
    return modes[mode](x)


def _cubic(d: Array, a: float) -> Array:
    d = np.abs(d)
    near = ((a + 2) * d - (a + 3)) * d * d + 1
    far = ((a * d - 5 * a) * d + 8 * a) * d - 4 * a
    return np.where(d <= 1, near, np.where(d < 2, far, 0))


def _taps(axis: _Axis, how: _How) -> tuple[Array, Array]:
    """Return the input indices [out, taps] of each output element, and their weights."""
    x = axis.positions(how.coordinates)
    if how.mode == "nearest":
        at = _nearest(x, how.nearest)[:, None]
        return at.clip(0, axis.size - 1).astype(np.int64), np.ones_like(at)
    reach = 1 if how.mode == "linear" else 2
    shrunk = min(1.0, axis.scale) if how.antialias else 1.0
    width = math.ceil(reach / shrunk)
    at = np.floor(x)[:, None] + np.arange(1 - width, width + 1)
    distance = (x[:, None] - at) * shrunk
    if how.mode == "linear":
        shares = np.maximum(0, 1 - np.abs(distance))
    else:
        shares = _cubic(distance, how.cubic)
    if how.exclude:
        shares = np.where((at < 0) | (at >= axis.size), 0, shares)
    if how.exclude or how.antialias:
        shares = shares / shares.sum(-1, keepdims=True)
    return at.clip(0, axis.size - 1).astype(np.int64), shares


def _along(x: Tensor, i: int, axis: _Axis, how: _How) -> Tensor:
    """Resize one axis of x."""
    at, shares = _taps(axis, how)
    if at.shape[1] == 1:
        return gather(x, at[:, 0].astype(np.int32), axis=i)
    if at.shape[1] > _MAX_TAPS:
        matrix = np.zeros([axis.out, axis.size])
        np.add.at(matrix, (np.arange(axis.out)[:, None], at), shares)
        order = [*(j for j in range(x.ndim) if j != i), i]
        rows = matmul(transpose(x, order), like(matrix.T.astype(np.float32), x))
        return transpose(rows, [order.index(j) for j in range(x.ndim)])
    shape = [axis.out if j == i else 1 for j in range(x.ndim)]
    total: Any = None
    for k in range(at.shape[1]):
        share = tensor(shares[:, k].astype(np.float32).reshape(shape))
        part = gather(x, at[:, k].astype(np.int32), axis=i) * share
        total = part if total is None else total + part
    return total


def _resized(x: Tensor, axes: Sequence[_Axis], how: _How, extrapolated: float | None) -> Tensor:
    dtype = x.dtype
    y = x if how.mode == "nearest" else cast(x, "float32")
    for i, axis in enumerate(axes):
        if axis.out != axis.size or axis.scale != 1 or how.coordinates == "tf_crop_and_resize":
            y = _along(y, i, axis, how)
    if extrapolated is not None:
        outside = np.zeros(y.aval.shape, bool)
        for i, axis in enumerate(axes):
            at = axis.positions(how.coordinates)
            shape = [axis.out if j == i else 1 for j in range(len(axes))]
            outside |= ((at < 0) | (at > axis.size - 1)).reshape(shape)
        y = where(outside, like(extrapolated, y), y)
    if dtype.is_integer and how.mode != "nearest":
        y = p.rint(y)
    return cast(y, dtype)


@operation("Resize", since=11)
def resize(
    x: Tensor, roi: Array | None = None, scales: Array | None = None, sizes: Array | None = None,
    *, antialias: int = 0, axes: Ints | None = None,
    coordinate_transformation_mode: str = "half_pixel", cubic_coeff_a: float = -0.75,
    exclude_outside: int = 0, extrapolation_value: float = 0.0,
    keep_aspect_ratio_policy: str = "stretch", mode: str = "nearest",
    nearest_mode: str = "round_prefer_floor",
) -> Any:  # fmt: skip
    rank = x.ndim
    chosen = all_positive(range(rank) if axes is None else axes, rank, "Resize")
    factors, out = [1.0] * rank, list(x.aval.shape)
    given = scales if scales is not None and scales.size else sizes
    if given is None or given.size != len(chosen):
        raise invalid("Resize", "either scales or sizes is required, with one number per axis")
    if given is scales:
        for axis, factor in zip(chosen, scales.astype(np.float32).tolist(), strict=True):
            if not 0 < factor < 1 << 24:
                raise invalid("Resize", f"a scale of {factor} is out of range")
            factors[axis] = factor
            out[axis] = math.floor(out[axis] * factor)
    else:
        _sized(chosen, given, keep_aspect_ratio_policy, factors, out)
    bounded("Resize", out)
    crop = coordinate_transformation_mode == "tf_crop_and_resize"
    parts = _regions(roi, chosen, rank) if crop else [(0.0, 1.0)] * rank
    lines = [
        _Axis(size, n, factor, part)
        for size, n, factor, part in zip(x.aval.shape, out, factors, parts, strict=True)
    ]
    how = _How(
        mode, coordinate_transformation_mode, nearest_mode, cubic_coeff_a, bool(exclude_outside),
        bool(antialias),
    )  # fmt: skip
    if mode not in ("nearest", "linear", "cubic") or not x.size:
        raise invalid(
            "Resize",
            f"mode {mode!r} is unknown, or the input of shape {list(x.aval.shape)} is empty",
        )
    return _resized(x, lines, how, extrapolation_value if crop else None)


def _sized(chosen: Ints, sizes: Array, policy: str, factors: list[float], out: list[int]) -> None:
    """Set the scales and sizes of the axes with given sizes."""
    wanted = [n / max(out[axis], 1) for axis, n in zip(chosen, sizes.tolist(), strict=True)]
    if policy == "stretch":
        for axis, n, factor in zip(chosen, sizes.tolist(), wanted, strict=True):
            factors[axis], out[axis] = factor, int(n)
        return
    if policy not in ("not_larger", "not_smaller"):
        raise invalid("Resize", f"unknown keep_aspect_ratio_policy {policy!r}")
    factor = (min if policy == "not_larger" else max)(wanted)
    for axis in chosen:
        factors[axis], out[axis] = factor, math.floor(out[axis] * factor + 0.5)


def _regions(roi: Array | None, chosen: Ints, rank: int) -> list[tuple[float, float]]:
    found = [(0.0, 1.0)] * rank
    if roi is None or roi.size != 2 * len(chosen):
        raise invalid("Resize", "tf_crop_and_resize requires roi with two numbers per axis")
    values = roi.astype(np.float64).tolist()
    for i, axis in enumerate(chosen):
        found[axis] = values[i], values[i + len(chosen)]
    return found


@operation("Resize")
def resize_10(x: Tensor, scales: Array, *, mode: str = "nearest") -> Any:
    return resize(
        x, None, scales, coordinate_transformation_mode="asymmetric", mode=mode,
        nearest_mode="floor",
    )  # fmt: skip


@operation("Upsample", since=9)
def upsample(x: Tensor, scales: Array, *, mode: str = "nearest") -> Any:
    return resize_10(x, scales, mode=mode.replace("bilinear", "linear"))


@operation("Upsample", since=7)
def upsample_7(x: Tensor, *, scales: Floats, mode: str = "nearest") -> Any:
    return upsample(x, np.array(scales, np.float32), mode=mode)
