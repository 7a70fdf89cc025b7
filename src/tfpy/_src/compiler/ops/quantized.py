"""Matrix products and convolutions in int8, which the quantizing pass creates.

Numbers are quantized for XNNPACK's qd8-f32-qc8w kernels (TensorFlow Lite's dynamic range
quantization). Each row of activations, or pixel, is int8 with its scale and zero point, which
depend on the row's smallest and largest element. Each output channel of the weights is in -127..127
with one scale. The sums of products of a row, or pixel, are exact.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from tfpy._src.base.dtypes import float32
from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ir.aval import Array, Aval
from tfpy._src.compiler.ir.kernel import KernelCall
from tfpy._src.compiler.ir.op import COMPILER, Op, register
from tfpy._src.compiler.ops.convolution import conv2d

MAX_DEPTH = 1 << 16
"""Number of products of int8 that fit into an int32 sum."""

_MIN_RANGE = 1e-36
"""Ranges below this count as 0, because the inverse would overflow."""


class Quantized(NamedTuple):
    """`values` without their zero point, and the scale of each row. Scales may be NaN."""

    values: Array
    scales: Array


class Pixels(NamedTuple):
    """`values` in -128..127, and the zero point and scale of each row [rows, 1]."""

    values: Array
    points: Array
    scales: Array


def quantize_rows(x: Array) -> Quantized:
    """Quantize float32 [rows, k] to integers in a range of 256 numbers that contains 0."""
    values, points, scales = quantize_pixels(x)
    return Quantized(values - points, scales)


def quantize_pixels(x: Array) -> Pixels:
    """Quantize float32 [rows, k] to integers and zero points, both in -128..127."""
    low = x.min(-1, initial=0, keepdims=True)
    high = x.max(-1, initial=0, keepdims=True)
    width = high - low
    finite, zero = np.isfinite(width), width < _MIN_RANGE
    width = np.where(zero | ~finite, np.float32(255), width)
    inverse = np.float32(255) / width
    low, high = low * inverse, high * inverse
    # The end of -128..127 that is farther from the zero point is represented exactly.
    upper = (-128 + low) + (127 + high) > 0
    point = np.rint(np.clip(np.where(upper, -128 - low, 127 - high), -128, 127))
    values = np.clip(np.rint(x * inverse) + point, -128, 127)
    scales = np.where(finite, width / np.float32(255), np.float32(np.nan))
    return Pixels(np.where(finite, values, 0), np.where(finite, point, 0), scales)


def quantize_channels(w: Array, most: int = 127) -> Quantized:
    """Quantize float32 [channels, k] to integers in -most..most."""
    finite = np.isfinite(w).all(-1, keepdims=True)
    w = np.where(finite, w, np.float32(0))
    largest = np.abs(w).max(-1, initial=0, keepdims=True)
    zero = largest < _MIN_RANGE
    largest = np.where(zero, np.float32(most), largest)
    values = np.where(zero, 0, np.rint(w * (np.float32(most) / largest)))
    return Quantized(values, np.where(finite, largest / np.float32(most), np.float32(np.nan)))


def _infer(a: Aval, b: Aval, transpose_b: bool) -> Aval:
    k, n = b.shape[::-1] if transpose_b else b.shape
    if (a.dtype, b.dtype) != (float32, float32) or a.shape[-1] != k or not 0 < k <= MAX_DEPTH:
        raise invalid(
            "quantized_matmul", f"cannot multiply {a} and {b} with transpose_b={transpose_b}"
        )
    return Aval((*a.shape[:-1], n), float32)


def _ref(a: Any, b: Any, transpose_b: bool) -> Any:
    rows = quantize_rows(a.reshape(-1, a.shape[-1]))
    channels = quantize_channels(b if transpose_b else b.T)
    sums = rows.values.astype(np.float64) @ channels.values.astype(np.float64).T
    product = sums.astype(np.float32) * rows.scales * channels.scales.T
    return product.reshape(*a.shape[:-1], -1)


def _kernel(a: Aval, b: Aval, transpose_b: bool) -> KernelCall:
    k, n = b.shape[::-1] if transpose_b else b.shape
    params = {"m": math.prod(a.shape[:-1]), "n": n, "k": k}
    return KernelCall(
        "quantized_matmul",
        ("a", "b"),
        {**params, "transpose_b": "true" if transpose_b else "false"},
    )


quantized_matmul = register(
    Op(
        "quantized_matmul",
        COMPILER,
        _infer,
        _ref,
        kernel=_kernel,
        doc="""quantized_matmul(a, b, transpose_b): float32 `a` [..., k] times the weights `b`.

        The weights, [k, n] or [n, k], are float32 as well: a kernel caches the quantized weights.
        """,
    )
)


def _conv_infer(x: Aval, filter: Aval, **attrs: Any) -> Aval:
    depth = filter.shape[-2]
    if x.dtype != float32 or x.shape[-1] != depth or not 0 < depth <= MAX_DEPTH:
        raise invalid("quantized_conv2d", f"input {x} and filter {filter} do not match")
    return conv2d.infer(x, filter, **attrs)


def _conv_ref(x: Any, filter: Any, **attrs: Any) -> Any:
    pixels = quantize_rows(x.reshape(-1, x.shape[-1]))
    channels = quantize_channels(filter.reshape(-1, filter.shape[-1]).T)
    image = (pixels.values * pixels.scales).reshape(x.shape)
    integers = channels.values.T.reshape(filter.shape)
    return conv2d.ref(image, integers, **attrs) * channels.scales[:, 0]


def _conv_kernel(x: Aval, filter: Aval, **attrs: Any) -> KernelCall:
    assert conv2d.kernel is not None
    return replace(conv2d.kernel(x, filter, **attrs), name="quantized_conv2d")


quantized_conv2d = register(
    Op(
        "quantized_conv2d",
        COMPILER,
        _conv_infer,
        _conv_ref,
        kernel=_conv_kernel,
        doc="quantized_conv2d(x, filter, strides, dilations, padding): conv2d without groups.",
    )
)
