"""Boxes, regions of interest, and sampling at grids."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ir.aval import Array
from tfpy._src.core import primitives as p
from tfpy._src.core.tensor import Tensor
from tfpy._src.formats.onnx.reader.ops.sampling import affine_grid, grid_positions, sampled
from tfpy._src.formats.onnx.reader.record import Ints, operation
from tfpy._src.formats.onnx.reader.values import bounded, host, ints, tensor
from tfpy._src.tensors.array.joining import concat, stack
from tfpy._src.tensors.array.making import cast
from tfpy._src.tensors.array.reshaping import reshape, transpose
from tfpy._src.tensors.array.slicing import gather
from tfpy._src.tensors.math.reductions import reduce_max, reduce_mean

_MAX_CELLS = 1 << 10


@operation("GridSample")
def grid_sample(
    x: Tensor, grid: Tensor, *, align_corners: int = 0, mode: str = "linear",
    padding_mode: str = "zeros",
) -> Any:  # fmt: skip
    n, c, *sizes = x.aval.shape
    if grid.ndim != x.ndim or grid.aval.shape[-1] != len(sizes):
        raise invalid(
            "GridSample",
            f"the grid {list(grid.aval.shape)} does not match the input {list(x.aval.shape)}",
        )
    at = grid_positions(grid, sizes, bool(align_corners))
    y = sampled(x, at, mode, padding_mode, bool(align_corners))
    return reshape(y, [n, c, *grid.aval.shape[1:-1]])


@operation("AffineGrid")
def affine_grid_(theta: Tensor, size: Array, *, align_corners: int = 0) -> Any:
    _, _, *sizes = bounded("AffineGrid", size)
    return affine_grid(theta, sizes, bool(align_corners))


def _regions_at(
    rois: Tensor, shape: tuple[int, int], out: tuple[int, int], ratio: int, offset: float,
) -> tuple[Tensor, Tensor, tuple[int, int]]:  # fmt: skip
    """Return the y and x positions [R, P] of each region's samples, and their number per cell."""
    x1, y1, x2, y2 = (rois[:, i] - offset for i in range(4))
    width, height = x2 - x1, y2 - y1
    if not offset:
        width, height = p.maximum(width, tensor(1.0)), p.maximum(height, tensor(1.0))
    counts = [ratio, ratio]
    if ratio <= 0:
        spans = host(height), host(width)
        counts = [
            max(1, math.ceil(span.max(initial=0) / n)) for span, n in zip(spans, out, strict=True)
        ]
    rows = _samples(y1, height, out[0], counts[0])
    columns = _samples(x1, width, out[1], counts[1])
    total = rows.aval.shape[1], columns.aval.shape[1]
    ones = np.ones([1, *total], np.float32)
    ys = reshape(reshape(rows, [-1, total[0], 1]) * ones, [-1, total[0] * total[1]])
    xs = reshape(reshape(columns, [-1, 1, total[1]]) * ones, [-1, total[0] * total[1]])
    return ys, xs, (counts[0], counts[1])


def _samples(first: Tensor, span: Tensor, cells: int, count: int) -> Tensor:
    """Return the sample positions of all cells of each region."""
    steps = (np.arange(cells * count, dtype=np.float32) + 0.5) / (cells * count)
    return reshape(first, [-1, 1]) + reshape(span, [-1, 1]) * steps


@operation("RoiAlign")
def roi_align(
    x: Tensor, rois: Tensor, batch_indices: Tensor, *,
    coordinate_transformation_mode: str = "half_pixel", mode: str = "avg", output_height: int = 1,
    output_width: int = 1, sampling_ratio: int = 0, spatial_scale: float = 1.0,
) -> Any:  # fmt: skip
    half = coordinate_transformation_mode == "half_pixel"
    if sampling_ratio <= 0 and rois.aval.shape[0] > 1:
        parts = [
            roi_align(
                x, rois[i : i + 1], batch_indices[i : i + 1],
                coordinate_transformation_mode=coordinate_transformation_mode, mode=mode,
                output_height=output_height, output_width=output_width,
                sampling_ratio=0, spatial_scale=spatial_scale,
            )
            for i in range(rois.aval.shape[0])
        ]  # fmt: skip
        return concat(parts, 0)
    h, w = x.aval.shape[2:]
    out = bounded("RoiAlign", (output_height, output_width))
    ys, xs, (a, b) = _regions_at(
        rois * spatial_scale, (h, w), (out[0], out[1]), sampling_ratio, 0.5 if half else 0.0
    )
    if max(out) > _MAX_CELLS or max(a, b) > _MAX_CELLS:
        raise invalid("RoiAlign", f"{out} cells with {a} × {b} samples each exceed the limit")
    images = gather(x, cast(batch_indices, "int32"), axis=0)
    return _pooled(images, ys, xs, (h, w), (out[0], a, out[1], b), mode)


def _pooled(
    images: Tensor, ys: Tensor, xs: Tensor, sizes: tuple[int, int], cells: Ints, mode: str
) -> Tensor:
    """Pool the samples of each cell by mean or maximum; positions far outside count as 0."""
    count, c = images.aval.shape[:2]
    inside: Any = None
    for at, n in ((ys, sizes[0]), (xs, sizes[1])):
        here = p.logical_and(at >= -1.0, at <= float(n))
        inside = here if inside is None else p.logical_and(inside, here)
    kept = reshape(cast(inside, images.dtype), [count, 1, -1])
    if mode == "avg":
        values = sampled(images, [ys, xs], "linear", "border") * kept
        return reduce_mean(reshape(values, [count, c, *cells]), [3, 5])
    if mode != "max":
        raise invalid("RoiAlign", f"mode must be 'avg' or 'max', got {mode!r}")
    values = _largest_share(images, ys, xs, sizes) * kept
    return reduce_max(reshape(values, [count, c, *cells]), [3, 5])


def _largest_share(images: Tensor, ys: Tensor, xs: Tensor, sizes: tuple[int, int]) -> Tensor:
    """Return the largest weighted value of the four pixels around each position."""
    count, c, h, w = images.aval.shape
    flat = transpose(reshape(images, [count, c, h * w]), [0, 2, 1])
    lines = []
    for at, n in ((ys, sizes[0]), (xs, sizes[1])):
        at = p.minimum(p.maximum(at, tensor(0.0)), tensor(float(n - 1)))
        low = p.floor(at)
        above = p.minimum(low + 1, tensor(float(n - 1)))
        lines.append([(low, 1 - (at - low)), (above, at - low)])
    best: Any = None
    for row, a in lines[0]:
        for column, b in lines[1]:
            index = cast(row * float(w) + column, "int32")
            share = gather(flat, index, axis=1, batch_dims=1) * reshape(a * b, [count, -1, 1])
            best = share if best is None else p.maximum(best, share)
    return transpose(best, [0, 2, 1])


@operation("MaxRoiPool")
def max_roi_pool(x: Tensor, rois: Array, *, pooled_shape: Ints, spatial_scale: float = 1.0) -> Any:
    _, c, h, w = x.aval.shape
    made = []
    for index, *corners in rois.tolist():
        left, top, right, bottom = (math.floor(v * spatial_scale + 0.5) for v in corners)
        rows = _cells(top, max(bottom - top + 1, 1), pooled_shape[0], h)
        columns = _cells(left, max(right - left + 1, 1), pooled_shape[1], w)
        image = x[int(index)]
        made.append(
            stack(
                [
                    stack(
                        [
                            reduce_max(image[:, a:b, d:e], [1, 2])
                            if b > a and e > d
                            else tensor(np.zeros(c, np.float32))
                            for d, e in columns
                        ],
                        -1,
                    )
                    for a, b in rows
                ],
                1,
            )
        )
    return stack(made, 0)


def _cells(first: int, span: int, count: int, size: int) -> list[tuple[int, int]]:
    return [
        (
            min(max(first + math.floor(i * span / count), 0), size),
            min(max(first + math.ceil((i + 1) * span / count), 0), size),
        )
        for i in range(count)
    ]


@operation("NonMaxSuppression")
def non_max_suppression(
    boxes: Array, scores: Array, most: Array | None = None, iou: Array | None = None,
    least: Array | None = None, *, center_point_box: int = 0,
) -> Any:  # fmt: skip
    """Select boxes with little overlap, per class and image: rows of image, class and box."""
    count = ints(most)[0] if most is not None else 0
    limit = float(iou.reshape(-1)[0]) if iou is not None else 0.0
    floor = float(least.reshape(-1)[0]) if least is not None else -np.inf
    found = []
    for image, of_image in enumerate(scores):
        corners = _corners(boxes[image], bool(center_point_box))
        for kind, of_class in enumerate(of_image):
            order = np.argsort(-of_class, kind="stable")
            order = order[of_class[order] > floor]
            kept = _kept(corners, order, count, limit)
            found += [(image, kind, box) for box in kept]
    return np.array(found, np.int64).reshape(-1, 3)


def _corners(boxes: Array, centers: bool) -> Array:
    """Return the corners of boxes as [y1, x1, y2, x2], sorted."""
    if centers:
        x, y, w, h = np.moveaxis(boxes, -1, 0)
        return np.stack([y - h / 2, x - w / 2, y + h / 2, x + w / 2], -1)
    y1, x1, y2, x2 = np.moveaxis(boxes, -1, 0)
    return np.stack(
        [np.minimum(y1, y2), np.minimum(x1, x2), np.maximum(y1, y2), np.maximum(x1, x2)], -1
    )


def _kept(boxes: Array, order: Array, count: int, limit: float) -> list[int]:
    """Return boxes in order, without boxes that overlap an earlier one."""
    kept: list[int] = []
    areas = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
    while order.size and len(kept) < count:
        best, order = order[0], order[1:]
        kept.append(int(best))
        low = np.maximum(boxes[best, :2], boxes[order, :2])
        high = np.minimum(boxes[best, 2:], boxes[order, 2:])
        common = np.prod(np.maximum(high - low, 0), -1)
        union = areas[best] + areas[order] - common
        share = np.divide(common, union, out=np.zeros_like(common), where=union > 0)
        order = order[share <= limit]
    return kept
