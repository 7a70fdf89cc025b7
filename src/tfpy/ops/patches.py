"""Sliding windows of an image, laid side by side, and their sum back into the image."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tfpy import dtypes
from tfpy.ir.graph import Aval, Shape
from tfpy.lower.broadcast import dense_strides
from tfpy.ops import infer
from tfpy.ops.elementwise import equal, select
from tfpy.ops.indexing import range_
from tfpy.ops.movement import pad, reshape, strided_call, strided_slice
from tfpy.ops.op import KernelCall, Op, register
from tfpy.ops.reduction import argmax, reduce_sum
from tfpy.ops.samples import Sample, array
from tfpy.ops.window import Pair, Window

_UNPADDED = ((0, 0), (0, 0))


def _out_shape(x: Shape, ksize: Pair, strides: Pair, dilations: Pair) -> Shape:
    window = Window(strides, dilations, _UNPADDED)
    return (x[0], *window.out_size("sliding_windows", (x[1], x[2]), ksize), *ksize, x[3])


def padded_windows(
    x: Any, ksize: Any, strides: Any, dilations: Any, padding: Any, value: float
) -> Any:
    """``[batch, out_h, out_w, k_h * k_w, c]``: windows of an image between pads of ``value``."""
    if any(v for pair in padding for v in pair):
        around = ((0, 0), *padding, (0, 0))
        x = pad(x, padding=around, interior=(0, 0, 0, 0), value=value)
    y = sliding_windows(x, ksize=ksize, strides=strides, dilations=dilations)
    batch, height, width, k_h, k_w, depth = y.shape
    return reshape(y, shape=(batch, height, width, k_h * k_w, depth))


def at_first_maximum(values: Any, scores: Any) -> Any:
    """Of windows ``[batch, h, w, taps, c]`` the value where the first of the largest scores is."""
    taps = scores.shape[3]
    first = argmax(scores, axis=3)
    first = reshape(first, shape=(*scores.shape[:3], 1, scores.shape[4]))
    tap = range_(start=0, delta=1, count=taps, dtype=dtypes.int32)
    hit = equal(reshape(tap, shape=(taps, 1)), first)
    return reduce_sum(select(hit, values, 0), axes=(3, 4))


def _infer(x: Aval, ksize: Pair, strides: Pair, dilations: Pair) -> Aval:
    infer.check_rank("sliding_windows", x, 4, "input")
    return Aval(_out_shape(x.shape, ksize, strides, dilations), x.dtype)


def _kernel(x: Aval, ksize: Pair, strides: Pair, dilations: Pair) -> KernelCall:
    batch, row, column, channel = dense_strides(x.shape)
    steps = (row * strides[0], column * strides[1], row * dilations[0], column * dilations[1])
    out = _out_shape(x.shape, ksize, strides, dilations)
    return strided_call(out, (batch, *steps, channel), 0)


def _ref(x: Any, ksize: Pair, strides: Pair, dilations: Pair) -> Any:
    _, h, w, *_ = _out_shape(x.shape, ksize, strides, dilations)
    rows, columns = (
        np.arange(n)[:, None] * s + np.arange(k) * d
        for n, k, s, d in zip((h, w), ksize, strides, dilations, strict=True)
    )
    return x[:, rows[:, None, :, None], columns[None, :, None, :]]


def overlap_add(g: Any, shape: Shape, strides: Pair, dilations: Pair) -> Any:
    """Adds windows ``[batch, h, w, k_h, k_w, c]`` up where they lie in an image of ``shape``."""
    batch, out_h, out_w, k_h, k_w, depth = g.shape
    if 0 in g.shape:
        zeros = pad(
            reshape(g, shape=(0,)), padding=((0, math.prod(shape)),), interior=(0,), value=0
        )
        return reshape(zeros, shape=shape)
    total = None
    for tap in np.ndindex(k_h, k_w):
        part = strided_slice(
            g,
            begin=(0, 0, 0, *tap, 0),
            size=(batch, out_h, out_w, 1, 1, depth),
            strides=(1,) * 6,
        )
        low = [i * d for i, d in zip(tap, dilations, strict=True)]
        ends = [at + (n - 1) * s + 1 for at, n, s in zip(low, (out_h, out_w), strides, strict=True)]
        placed = pad(
            reshape(part, shape=(batch, out_h, out_w, depth)),
            padding=((0, 0), (low[0], shape[1] - ends[0]), (low[1], shape[2] - ends[1]), (0, 0)),
            interior=(0, strides[0] - 1, strides[1] - 1, 0),
            value=0,
        )
        total = placed if total is None else total + placed
    return total


def _vjp(g: Any, y: Any, x: Any, ksize: Pair, strides: Pair, dilations: Pair) -> tuple[Any]:
    return (lambda: overlap_add(g, tuple(x.shape), strides, dilations),)


_CASES: list[tuple[Shape, dict[str, Pair]]] = [
    ((2, 5, 6, 3), {"ksize": (3, 2), "strides": (1, 1), "dilations": (1, 1)}),
    ((1, 8, 9, 4), {"ksize": (2, 3), "strides": (2, 3), "dilations": (2, 1)}),
    ((2, 4, 4, 1), {"ksize": (2, 2), "strides": (2, 2), "dilations": (1, 1)}),
]


def _samples(rng: np.random.Generator) -> list[Sample]:
    kinds = (dtypes.float32, dtypes.int32, dtypes.bool)
    return [((array(rng, shape, d),), dict(attrs)) for d in kinds for shape, attrs in _CASES]


sliding_windows: Op = register(
    Op(
        "sliding_windows",
        "window",
        _infer,
        _ref,
        _vjp,
        kernel=_kernel,
        params=("input",),
        doc="[batch, h, w, c] to its windows, [batch, out_h, out_w, k_h, k_w, c].",
        samples=_samples,
    )
)
