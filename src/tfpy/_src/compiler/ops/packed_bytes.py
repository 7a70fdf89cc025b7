"""Products of packed bytes, four per int32, for devices that store no smaller dtypes.

A packed array is int32 [rows, parts, words + 4]. A part of a row consists of its bytes, padded with
zeros to a multiple of 16, and four numbers: the row's scale (its bits), the row's zero point, the
sum of the part's bytes, and 0. A row of an image is a pixel. A row of filters is an output channel,
and its parts are taps.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tfpy._src.base.dtypes import float32, int32
from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ir.aval import Array, Aval, Shape
from tfpy._src.compiler.ir.kernel import KernelCall
from tfpy._src.compiler.ir.op import COMPILER, Op, register
from tfpy._src.compiler.ops.convolution import conv2d
from tfpy._src.compiler.ops.quantized import quantize_channels, quantize_pixels, quantize_rows
from tfpy._src.compiler.ops.window import Window, window_params

HEADER = 4
"""Number of words after the bytes of a part."""

POINT: dict[str, Any] = {
    "strides": (1, 1),
    "dilations": (1, 1),
    "padding": ((0, 0), (0, 0)),
}
"""Window of a convolution that is a product of pixels and a matrix."""

AFFINE, SYMMETRIC, WHOLE = "affine", "symmetric", "whole"
"""Encodings of numbers as bytes: as activations, as weights (see `quantized.py`), or int32 numbers
that are already bytes."""


def words_of(k: int) -> int:
    """Return the number of words of a part of `k` bytes."""
    return -(-k // 16) * 4


def _pack_infer(x: Aval, kind: str) -> Aval:
    if len(x.shape) != 3 or x.dtype != (int32 if kind == WHOLE else float32):
        raise invalid("pack_bytes", f"expected [rows, parts, k] for kind={kind}, got {x}")
    return Aval((*x.shape[:2], words_of(x.shape[2]) + HEADER), int32)


def _pack_ref(x: Any, kind: str) -> Any:
    rows, parts, k = x.shape
    flat = x.reshape(rows, -1)
    header = np.zeros((rows, parts, HEADER), np.int32)
    if kind == WHOLE:
        values, scales = flat, np.ones((rows, 1), np.float32)
    elif kind == SYMMETRIC:
        values, scales = quantize_channels(flat)
        header[..., 2] = values.reshape(x.shape).sum(-1)
    else:
        values, points, scales = quantize_pixels(flat)
        header[..., 1] = points
    header[..., 0] = np.asarray(scales, np.float32).view(np.int32)
    data = np.zeros((rows, parts, 4 * words_of(k)), np.int8)
    data[..., :k] = values.reshape(x.shape)
    return np.concatenate([data.view(np.int32), header], -1)


def _pack_kernel(x: Aval, kind: str) -> KernelCall:
    rows, parts, k = x.shape
    params: dict[str, Any] = {"rows": rows, "parts": parts, "k": k, "kind": kind}
    return KernelCall("pack_bytes", ("numbers",), params)


pack_bytes = register(
    Op(
        "pack_bytes",
        COMPILER,
        _pack_infer,
        _pack_ref,
        kernel=_pack_kernel,
        doc="pack_bytes(x, kind): `x` [rows, parts, k], quantized with one scale per row.",
    )
)


def _infer(x: Aval, filter: Aval, in_shape: Shape, filter_shape: Shape, **window: Any) -> Aval:
    whole = dict(window).pop("whole")
    pixels, channels = math.prod(in_shape[:-1]), filter_shape[-1]
    record = words_of(in_shape[-1]) + HEADER
    taps = math.prod(filter_shape[:2])
    if x.shape != (pixels, 1, record) or filter.shape != (channels, taps, record):
        raise invalid(
            "packed_conv2d",
            f"operands {x} and {filter} do not match the shapes {in_shape} and {filter_shape}",
        )
    size = _window(window).out_size("packed_conv2d", in_shape[1:-1], filter_shape[:2])
    return Aval((in_shape[0], *size, channels), int32 if whole else float32)


def _window(attrs: dict[str, Any]) -> Window:
    return Window(attrs["strides"], attrs["dilations"], attrs["padding"])


def _numbers(packed: Array, k: int) -> tuple[Array, Array]:
    """Return the numbers without their zero point [rows, parts, k], and the scales of the rows."""
    data = np.ascontiguousarray(packed[..., :-HEADER]).view(np.int8)[..., :k]
    header = np.ascontiguousarray(packed[:, 0, -HEADER:])
    points = header[:, 1].reshape(-1, 1, 1)
    return data.astype(np.float64) - points, header[:, 0].view(np.float32)


def _ref(x: Any, filter: Any, in_shape: Shape, filter_shape: Shape, **window: Any) -> Any:
    whole = window.pop("whole")
    k, channels = in_shape[-1], filter_shape[-1]
    pixels, scales = _numbers(x, k)
    taps, channel_scales = _numbers(filter, k)
    if is_product(in_shape, filter_shape, **window):
        sums = pixels[:, 0] @ taps[:, 0].T
        product = sums.astype(np.int32 if whole else np.float32)
        if not whole:
            product = product * scales[:, None] * channel_scales
        return product.reshape(*in_shape[:-1], channels)
    filters = taps.transpose(1, 2, 0).reshape(filter_shape)
    if whole:
        return conv2d.ref(pixels.reshape(in_shape), filters, **window).astype(np.int32)
    image = pixels[:, 0].astype(np.float32) * scales[:, None]
    found = conv2d.ref(image.reshape(in_shape), filters.astype(np.float32), **window)
    return found * channel_scales


def is_product(in_shape: Shape, filter_shape: Shape, **window: Any) -> bool:
    """Return True if a convolution is the product of pixels and a matrix."""
    plain = filter_shape[:2] == window["strides"] == (1, 1)
    return plain and not any(map(any, window["padding"]))


def _kernel(
    x: Aval, filter: Aval, in_shape: Shape, filter_shape: Shape, **window: Any
) -> KernelCall:
    out = _infer(x, filter, in_shape, filter_shape, **window).shape
    params = window_params(
        _window(window), in_shape, out, filter_shape, in_c=in_shape[-1], out_c=out[-1], groups=1
    )
    return KernelCall("packed_conv2d", ("x", "filter"), params)


packed_conv2d = register(
    Op(
        "packed_conv2d",
        COMPILER,
        _infer,
        _ref,
        kernel=_kernel,
        doc="""packed_conv2d(x, filter, in_shape, filter_shape, strides, dilations, padding, whole).

        `x` has a row for each pixel, `filter` a row for each output channel. The result is float32,
        or with `whole` the int32 sums. A product of m rows is a convolution of the image [1, 1, m,
        k] with 1x1 filters.
        """,
    )
)


# Few rows, and weights of four bits.

GROUP = 128
"""Weights of a channel that share one scale, if they are packed as nibbles."""


def _nibble_texels(k: int) -> tuple[int, int]:
    """Return the number of texels of a channel: of its weights, and in total."""
    data, groups = -(-k // 32), -(-k // GROUP)
    return data, data + -(-groups // 4) + 1


def _nibbles_infer(x: Aval) -> Aval:
    if len(x.shape) != 2 or x.dtype != float32:
        raise invalid("pack_nibbles", f"expected float32 [channels, k], got {x}")
    return Aval((x.shape[0], 4 * _nibble_texels(x.shape[1])[1]), int32)


def _nibbles_ref(x: Any) -> Any:
    n, k = x.shape
    data, texels = _nibble_texels(k)
    groups = np.zeros((n, -(-k // GROUP) * GROUP), np.float32)
    groups[:, :k] = x
    values, scales = quantize_channels(groups.reshape(-1, GROUP), most=7)
    numbers = values.reshape(n, -1)[:, : 32 * data].astype(np.int8)
    numbers = np.pad(numbers, ((0, 0), (0, 32 * data - numbers.shape[1])))
    low, high = np.moveaxis(numbers.reshape(n, data, 2, 16), 2, 0)
    sums = values.sum(-1).reshape(n, -1)
    scales = scales.reshape(n, -1)
    packed = np.zeros((n, 4 * texels), np.int32)
    packed[:, : 4 * data] = ((low & 15) | (high << 4)).reshape(n, -1).view(np.int32)
    packed[:, 4 * data :][:, : scales.shape[1]] = (scales / np.float32(16)).view(np.int32)
    packed[:, -4] = (sums * scales).sum(-1, dtype=np.float32).view(np.int32)
    return packed


def _nibbles_kernel(x: Aval) -> KernelCall:
    data, texels = _nibble_texels(x.shape[1])
    return KernelCall("pack_nibbles", ("x",), {"k": x.shape[1], "data": data, "texels": texels})


pack_nibbles = register(
    Op(
        "pack_nibbles",
        COMPILER,
        _nibbles_infer,
        _nibbles_ref,
        kernel=_nibbles_kernel,
        doc="""pack_nibbles(x): float32 `x` [channels, k] as int32 [channels, words].

        Groups of 128 weights are integers in -7..7 with one scale each. `pack_nibbles.wgsl` defines
        the order.
        """,
    )
)


def _rows_infer(x: Aval, filter: Aval, bits: int) -> Aval:
    k = x.shape[1]
    words = words_of(k) + HEADER if bits == 8 else 4 * _nibble_texels(k)[1]
    if x.dtype != float32 or filter.shape[-1] != words:
        raise invalid("packed_rows", f"packed_rows cannot multiply {x} and {filter}")
    return Aval((x.shape[0], filter.shape[0]), float32)


def _rows_ref(x: Any, filter: Any, bits: int) -> Any:
    m, k = x.shape
    if bits == 8:
        shapes = {"in_shape": (1, 1, m, k), "filter_shape": (1, 1, k, len(filter))}
        rows = _pack_ref(x[:, None], AFFINE)
        return _ref(rows, filter, **shapes, **POINT, whole=False)[0, 0]
    values, scales = quantize_rows(x)
    data, _ = _nibble_texels(k)
    both = filter[:, : 4 * data].copy().view(np.int8).reshape(-1, data, 1, 16)
    numbers = np.concatenate([(both << 4) >> 4, both >> 4], 2).reshape(len(filter), -1)[:, :k]
    sixteenths = filter[:, 4 * data : -4].copy().view(np.float32)
    weights = numbers * np.repeat(sixteenths * 16, GROUP, 1)[:, :k]
    return (values.astype(np.float32) @ weights.T) * scales


def _rows_kernel(x: Aval, filter: Aval, bits: int) -> KernelCall:
    m, k = x.shape
    texels = _nibble_texels(k)[0] if bits == 4 else words_of(k) // 4
    sizes = {
        "m": m,
        "n": filter.shape[0],
        "k": k,
        "texels": texels,
        "record": filter.shape[-1] // 4,
    }
    return KernelCall("packed_rows", ("x", "filter"), {**sizes, "bits": bits})


packed_rows = register(
    Op(
        "packed_rows",
        COMPILER,
        _rows_infer,
        _rows_ref,
        kernel=_rows_kernel,
        doc="""packed_rows(x, filter, bits): the product of `x` [m, k] and the channels of `filter`.

        `x` is quantized with one scale per row. The filter is a result of `pack_bytes` or, with 4
        `bits`, of `pack_nibbles`.
        """,
    )
)
