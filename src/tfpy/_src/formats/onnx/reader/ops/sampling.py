"""Sampling of images at fractional positions."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from tfpy._src.base.errors import invalid
from tfpy._src.core import primitives as p
from tfpy._src.core.tensor import Tensor
from tfpy._src.formats.onnx.reader.values import like
from tfpy._src.tensors.array.making import cast
from tfpy._src.tensors.array.reshaping import expand_dims, reshape, transpose
from tfpy._src.tensors.array.slicing import gather
from tfpy._src.tensors.linalg.products import matmul

MODES = {
    "linear": "linear",
    "bilinear": "linear",
    "nearest": "nearest",
    "cubic": "cubic",
    "bicubic": "cubic",
}
"""Modes, including the names of opset 16."""
_CUBIC = -0.75


def sampled(
    images: Tensor, at: Sequence[Tensor], mode: str, outside: str, corners: bool = False
) -> Tensor:
    """Return the pixels [N, C, P] of images [N, C, ...] at positions.

    Args:
        images: Tensor [N, C, ...].
        at: Positions [N, P] in pixels, for each spatial axis.
        mode: `"linear"`, `"nearest"` or `"cubic"`.
        outside: `"zeros"`, `"border"` or `"reflection"`.
        corners: If True, reflect about the centers of the outermost pixels instead of their edges.
    """
    if mode not in MODES or outside not in ("zeros", "border", "reflection"):
        raise invalid("GridSample", f"unknown mode {mode!r} or padding_mode {outside!r}")
    mode, sizes = MODES[mode], images.aval.shape[2:]
    if mode != "cubic" and outside != "zeros":
        at = [_inside(x, n, outside, corners) for x, n in zip(at, sizes, strict=True)]
    taps = [_taps(x, mode) for x in at]
    flat = transpose(reshape(images, [*images.aval.shape[:2], math.prod(sizes)]), [0, 2, 1])
    total: Any = None
    for chosen in itertools.product(*taps):
        index: Any = None
        weight: Any = None
        for (place, share), n in zip(chosen, sizes, strict=True):
            if outside == "zeros":
                inside = p.logical_and(place >= 0, place <= n - 1)
                kept = cast(inside, images.dtype)
                share = kept if share is None else share * kept
            elif mode == "cubic":
                place = _inside(place, n, outside, corners)
            place = cast(p.minimum(p.maximum(place, like(0, place)), like(n - 1, place)), "int32")
            index = place if index is None else index * n + place
            weight = share if weight is None else weight if share is None else weight * share
        found = gather(flat, index, axis=1, batch_dims=1)
        found = found if weight is None else found * expand_dims(weight, -1)
        total = found if total is None else total + found
    return transpose(total, [0, 2, 1])


def _taps(x: Tensor, mode: str) -> list[tuple[Tensor, Tensor | None]]:
    """Return the integer positions around a position, with their weights."""
    if mode == "nearest":
        return [(p.rint(x), None)]
    low = p.floor(x)
    t = x - low
    if mode == "linear":
        return [(low, 1 - t), (low + 1, t)]
    return [(low + i, share) for i, share in zip((-1, 0, 1, 2), _cubic(t), strict=True)]


def _cubic(t: Tensor) -> list[Tensor]:
    a = _CUBIC

    def near(d: Any) -> Any:
        return ((a + 2) * d - (a + 3)) * d * d + 1

    def far(d: Any) -> Any:
        return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a

    return [far(t + 1), near(t), near(1 - t), far(2 - t)]


def _inside(x: Tensor, size: int, outside: str, corners: bool) -> Tensor:
    """Map a position outside of the image to one inside."""
    if outside == "reflection":
        low, high = (0.0, size - 1.0) if corners else (-0.5, size - 0.5)
        span = high - low
        if span <= 0:
            return x * 0
        away = p.floormod(x - low, like(2 * span, x))
        x = p.minimum(away, 2 * span - away) + low
    return p.minimum(p.maximum(x, like(0, x)), like(size - 1, x))


def grid_positions(grid: Tensor, sizes: Sequence[int], corners: bool) -> list[Tensor]:
    """Convert a grid [N, ..., D] in the range -1 to 1 (last axis first) to positions in pixels."""
    count, rank = grid.aval.shape[0], len(sizes)
    flat = reshape(grid, [count, -1, rank])
    found = []
    for i, n in enumerate(sizes):
        x = flat[:, :, rank - 1 - i]
        found.append((x + 1) * ((n - 1) / 2) if corners else ((x + 1) * n - 1) / 2)
    return found


def affine_grid(theta: Tensor, sizes: Sequence[int], corners: bool) -> Tensor:
    """Return the grid of affine maps [N, 2, 3] or [N, 3, 4] over an image."""

    axes = []
    for n in sizes:
        line = np.linspace(-1, 1, n) if corners else (np.arange(n) * 2 + 1) / n - 1
        axes.append(line if n > 1 or not corners else np.zeros(1))
    grids = np.meshgrid(*axes, indexing="ij")[::-1]
    points = np.stack([*grids, np.ones(sizes)], -1).reshape(-1, len(sizes) + 1)
    made = matmul(like(points.astype(np.float32), theta), theta, transpose_b=True)
    return reshape(made, [theta.aval.shape[0], *sizes, len(sizes)])
