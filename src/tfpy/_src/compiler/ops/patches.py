"""Sliding windows of an image as an array, and their sum at their positions in the image."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ir.aval import Aval, Shape
from tfpy._src.compiler.ir.kernel import KernelCall
from tfpy._src.compiler.ir.op import Op, Sample, register
from tfpy._src.compiler.ir.strides import dense_strides
from tfpy._src.compiler.ops.concatenation import without_elements
from tfpy._src.compiler.ops.families import infer
from tfpy._src.compiler.ops.families.infer import FLOAT
from tfpy._src.compiler.ops.families.samples import array
from tfpy._src.compiler.ops.indexing import range_
from tfpy._src.compiler.ops.logic import equal, select
from tfpy._src.compiler.ops.movement import pad, reshape, strided_call
from tfpy._src.compiler.ops.reduction import argmax, reduce_sum
from tfpy._src.compiler.ops.window import Sizes, Window, window_params

_UNPADDED = ((0, 0), (0, 0))


def _out_shape(x: Shape, ksize: Sizes, strides: Sizes, dilations: Sizes) -> Shape:
    window = Window(strides, dilations, _UNPADDED)
    return (x[0], *window.out_size("sliding_windows", (x[1], x[2]), ksize), *ksize, x[3])


def padded_windows(
    x: Any, ksize: Any, strides: Any, dilations: Any, padding: Any, value: float
) -> Any:
    """Return windows of an image padded with `value`: `[batch, out_h, out_w, k_h * k_w, c]`."""
    out = Window(strides, dilations, padding).out_size("windows", x.aval.shape[1:3], ksize)
    if 0 in out:
        batch, _, _, depth = x.aval.shape
        return without_elements((batch, *out, ksize[0] * ksize[1], depth), x)
    if any(v for pair in padding for v in pair):
        around = ((0, 0), *padding, (0, 0))
        x = pad(x, padding=around, interior=(0, 0, 0, 0), value=value)
    y = sliding_windows(x, ksize=ksize, strides=strides, dilations=dilations)
    batch, height, width, k_h, k_w, depth = y.aval.shape
    return reshape(y, shape=(batch, height, width, k_h * k_w, depth))


def at_first_maximum(values: Any, scores: Any) -> Any:
    """Return each window's value at the first of its largest scores.

    Windows are `[batch, h, w, taps, c]`.
    """
    taps = scores.aval.shape[3]
    first = argmax(scores, axis=3)
    first = reshape(first, shape=(*scores.aval.shape[:3], 1, scores.aval.shape[4]))
    tap = range_(start=0, delta=1, count=taps, dtype=dtypes.int32)
    hit = equal(reshape(tap, shape=(taps, 1)), first)
    return reduce_sum(select(hit, values, 0), axes=(3, 4))


def _infer(x: Aval, ksize: Sizes, strides: Sizes, dilations: Sizes) -> Aval:
    infer.check_rank("sliding_windows", x, 4, "input")
    return Aval(_out_shape(x.shape, ksize, strides, dilations), x.dtype)


def _kernel(x: Aval, ksize: Sizes, strides: Sizes, dilations: Sizes) -> KernelCall:
    batch, row, column, channel = dense_strides(x.shape)
    steps = (row * strides[0], column * strides[1], row * dilations[0], column * dilations[1])
    out = _out_shape(x.shape, ksize, strides, dilations)
    return strided_call(out, (batch, *steps, channel), 0)


def _ref(x: Any, ksize: Sizes, strides: Sizes, dilations: Sizes) -> Any:
    _, h, w, *_ = _out_shape(x.shape, ksize, strides, dilations)
    rows, columns = (
        np.arange(n)[:, None] * s + np.arange(k) * d
        for n, k, s, d in zip((h, w), ksize, strides, dilations, strict=True)
    )
    return x[:, rows[:, None, :, None], columns[None, :, None, :]]


def _vjp(g: Any, y: Any, x: Any, ksize: Sizes, strides: Sizes, dilations: Sizes) -> tuple[Any]:
    return (
        lambda: overlap_add(
            g, input_shape=tuple(x.aval.shape), strides=strides, dilations=dilations
        ),
    )


_CASES: list[tuple[Shape, dict[str, Sizes]]] = [
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
        doc="The windows [batch, out_h, out_w, k_h, k_w, c] of an image [batch, h, w, c].",
        samples=_samples,
    )
)


# overlap_add: the adjoint of sliding_windows.


def _add_infer(x: Aval, input_shape: Shape, strides: Sizes, dilations: Sizes) -> Aval:
    infer.check_dtype("overlap_add", x, FLOAT, "windows")
    infer.check_rank("overlap_add", x, 6, "windows")
    ksize = x.shape[3], x.shape[4]
    if _out_shape(input_shape, ksize, strides, dilations) != x.shape:
        raise invalid(
            "overlap_add",
            f"windows {list(x.shape)} are not the windows of an input {list(input_shape)}",
        )
    return Aval(input_shape, x.dtype)


def _add_ref(x: Any, input_shape: Shape, strides: Sizes, dilations: Sizes) -> Any:
    out = np.zeros(input_shape, x.dtype)
    _, h, w, *ksize = x.shape[:5]
    for tap in np.ndindex(*ksize):
        rows, columns = (
            np.arange(n) * s + t * d
            for n, s, t, d in zip((h, w), strides, tap, dilations, strict=True)
        )
        out[:, rows[:, None], columns] += x[:, :, :, tap[0], tap[1]]
    return out


def _add_kernel(x: Aval, input_shape: Shape, strides: Sizes, dilations: Sizes) -> KernelCall:
    window = Window(strides, dilations, _UNPADDED)
    params = window_params(window, input_shape, x.shape, x.shape[3:5], channels=x.shape[5])
    return KernelCall("overlap_add", ("x",), params)


def _add_vjp(
    g: Any, y: Any, x: Any, input_shape: Shape, strides: Sizes, dilations: Sizes
) -> tuple[Any]:
    ksize = tuple(x.aval.shape[3:5])
    return (lambda: sliding_windows(g, ksize=ksize, strides=strides, dilations=dilations),)


def _add_samples(rng: np.random.Generator) -> list[Sample]:
    samples: list[Sample] = []
    for shape, attrs in _CASES:
        x = array(rng, _out_shape(shape, **attrs))
        steps = {"strides": attrs["strides"], "dilations": attrs["dilations"]}
        samples.append(((x,), {"input_shape": shape, **steps}))
    return samples


overlap_add: Op = register(
    Op(
        "overlap_add",
        "window",
        _add_infer,
        _add_ref,
        _add_vjp,
        kernel=_add_kernel,
        params=("windows",),
        doc="The sum of windows at their positions in the image; gradient of sliding_windows.",
        samples=_add_samples,
    )
)
