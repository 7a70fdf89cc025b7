"""Convolutions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ir.aval import Array
from tfpy._src.core.tensor import Tensor
from tfpy._src.formats.onnx.reader.ops.activations import swish
from tfpy._src.formats.onnx.reader.ops.sampling import sampled
from tfpy._src.formats.onnx.reader.ops.windows import Windows, windows
from tfpy._src.formats.onnx.reader.record import Ints, operation
from tfpy._src.formats.onnx.reader.values import bounded, tensor
from tfpy._src.tensors.array.joining import concat, pad, split
from tfpy._src.tensors.array.making import cast
from tfpy._src.tensors.array.reshaping import reshape, transpose
from tfpy._src.tensors.array.scattering import tensor_scatter_nd_add
from tfpy._src.tensors.linalg.products import matmul
from tfpy._src.tensors.nn.convolution import depthwise_conv2d
from tfpy._src.tensors.nn.convolution_ranks import convolve, convolve_back


def channels_last(x: Tensor) -> Tensor:
    """Transpose [N, C, ...] to [N, ..., C]."""
    rank = x.ndim
    return transpose(x, [0, *range(2, rank), 1])


def channels_first(x: Tensor) -> Tensor:
    """Transpose [N, ..., C] to [N, C, ...]."""
    rank = x.ndim
    return transpose(x, [0, rank - 1, *range(1, rank - 1)])


def _with_bias(y: Tensor, b: Tensor | None) -> Tensor:
    return y if b is None else y + reshape(b, [1, -1] + [1] * (y.ndim - 2))


def convolved(x: Tensor, w: Tensor, group: int, at: Windows) -> Tensor:
    """Convolve [N, C, ...] with filters [M, C/group, ...]."""
    channels, filters, depth = x.aval.shape[1], *w.aval.shape[:2]
    if x.ndim not in (3, 4, 5) or w.ndim != x.ndim:
        raise invalid(
            "Conv", f"the input has {x.ndim} axes and the filters {w.ndim}, expected 3 to 5"
        )
    if group < 1 or depth * group != channels or filters % group:
        raise invalid(
            "Conv",
            f"{channels} channels and {filters} filters of depth {depth} do not match group "
            f"{group}",
        )
    dtype = x.dtype
    last = channels_last(cast(x, "float32"))
    f = transpose(cast(w, "float32"), [*range(2, w.ndim), 1, 0])
    if group == channels and x.ndim == 4 and group > 1:
        f = reshape(f, [*at.kernel, channels, filters // channels])
        y = depthwise_conv2d(
            last, f, [1, *at.strides, 1], [(0, 0), *at.pads, (0, 0)], dilations=at.dilations
        )
    else:
        y = convolve(last, f, at.strides, at.dilations, at.pads)
    return cast(channels_first(y), dtype)


@operation("Conv")
def conv(
    x: Tensor, w: Tensor, b: Tensor | None = None, *, auto_pad: str = "NOTSET",
    dilations: Ints | None = None, group: int = 1, kernel_shape: Ints | None = None,
    pads: Ints | None = None, strides: Ints | None = None,
) -> Any:  # fmt: skip
    spatial = x.aval.shape[2:]
    at = windows("Conv", spatial, w.aval.shape[2:], strides, dilations, pads, auto_pad)
    return _with_bias(convolved(x, w, group, at), b)


def _transposed(x: Tensor, w: Tensor, group: int, at: Windows, out: Ints) -> Tensor:
    """Compute the input gradient of a convolution: the transposed convolution of [N, M, ...]."""
    f = transpose(w, [*range(2, w.ndim), 1, 0])
    last, depth = channels_last(x), w.aval.shape[1]
    if group == 1 or x.ndim < 5:
        shape = (x.aval.shape[0], *out, depth * group)
        return channels_first(convolve_back(last, f, shape, at.strides, at.dilations, at.pads))
    shape = (x.aval.shape[0], *out, depth)
    parts = zip(split(last, group, -1), split(f, group, -1), strict=True)
    made = [convolve_back(a, b, shape, at.strides, at.dilations, at.pads) for a, b in parts]
    return channels_first(concat(made, -1))


@operation("ConvTranspose")
def conv_transpose(
    x: Tensor, w: Tensor, b: Tensor | None = None, *, auto_pad: str = "NOTSET",
    dilations: Ints | None = None, group: int = 1, kernel_shape: Ints | None = None,
    output_padding: Ints | None = None, output_shape: Ints | None = None,
    pads: Ints | None = None, strides: Ints | None = None,
) -> Any:  # fmt: skip
    spatial, rank = x.aval.shape[2:], x.ndim - 2
    if rank not in (1, 2, 3) or w.ndim != x.ndim or group < 1 or x.aval.shape[1] % group:
        raise invalid(
            "ConvTranspose",
            f"input {list(x.aval.shape)} does not match filters {list(w.aval.shape)}",
        )
    at = windows("ConvTranspose", spatial, w.aval.shape[2:], strides, dilations, None, "NOTSET")
    more = output_padding or (0,) * rank
    full = [
        s * (n - 1) + m + e for s, n, m, e in zip(at.strides, spatial, more, at.extent, strict=True)
    ]
    low, high = _cut(full, spatial, at, auto_pad, output_shape, pads)
    bounded("ConvTranspose", [n - a - c for n, a, c in zip(full, low, high, strict=True)])
    bounded("ConvTranspose", full)
    # Compute without pads and crop afterwards, so that every window is inside for all pads.
    y = _transposed(x, w, group, at, tuple(full))
    if min(*low, *high) < 0:
        more_pads = [(max(0, -a), max(0, -c)) for a, c in zip(low, high, strict=True)]
        y = pad(y, [(0, 0), (0, 0), *more_pads])
    if max(*low, *high) > 0:
        ends = (n - max(0, c) for n, c in zip(y.aval.shape[2:], high, strict=True))
        kept = (slice(max(0, a), n) for a, n in zip(low, ends, strict=True))
        y = y[(slice(None), slice(None), *kept)]
    return _with_bias(y, b)


def _cut(
    full: list[int], spatial: Ints, at: Windows, auto_pad: str, output_shape: Ints | None,
    pads: Ints | None,
) -> tuple[Ints, Ints]:  # fmt: skip
    """Return the amounts to crop on both sides of each axis; negative amounts are padding."""
    rank = len(spatial)
    if output_shape is None and not auto_pad.startswith("SAME"):
        pads = pads or (0,) * 2 * rank
        low, high = tuple(pads[:rank]), tuple(pads[rank:])
    else:
        wanted = output_shape or tuple(n * s for n, s in zip(spatial, at.strides, strict=True))
        total = [n - w for n, w in zip(full, wanted[-rank:], strict=True)]
        less = tuple(max(0, n) // 2 for n in total)
        more = tuple(n - part for n, part in zip(total, less, strict=True))
        if auto_pad == "SAME_UPPER" or min(total) < 0:
            low, high = less, more
        else:
            low, high = more, less
    if any(a + b >= n for a, b, n in zip(low, high, full, strict=True)):
        raise invalid("ConvTranspose", f"pads {low}, {high} exceed the result {full}")
    return low, high


@operation("CausalConvWithState")
def causal_conv_with_state(
    x: Tensor, w: Tensor, bias: Tensor | None = None, past: Tensor | None = None, *,
    activation: str = "none",
) -> Any:  # fmt: skip
    """Convolve each channel with its past inputs; also return the last inputs for the next call."""
    kept = w.aval.shape[-1] - 1
    _, channels, size = x.aval.shape
    whole = pad(x, [(0, 0), (0, 0), (kept, 0)]) if past is None else concat([past, x], -1)
    at = windows("CausalConvWithState", (size + kept,), w.aval.shape[2:], None, None, None, "VALID")
    y = _with_bias(convolved(whole, w, channels, at), bias)
    if activation in ("silu", "swish"):
        y = swish(y)
    elif activation != "none":
        raise invalid("CausalConvWithState", f"unknown activation {activation!r}")
    return y, whole[:, :, size:]


@operation("Col2Im")
def col2im(
    x: Tensor, image_shape: Array, block_shape: Array, *, dilations: Ints | None = None,
    pads: Ints | None = None, strides: Ints | None = None,
) -> Any:  # fmt: skip
    """Assemble images from blocks, summing where they overlap."""
    image, block = bounded("Col2Im", image_shape), bounded("Col2Im", block_shape)
    at = windows("Col2Im", image, block, strides, dilations, pads, "NOTSET")
    batch, rows, count = x.aval.shape
    channels = rows // max(math.prod(block), 1)
    padded = [n + a + b for n, (a, b) in zip(image, at.pads, strict=True)]
    steps = [
        np.arange((n - e) // s + 1) * s
        for n, e, s in zip(padded, at.extent, at.strides, strict=True)
    ]
    if channels * math.prod(block) != rows or math.prod(map(len, steps)) != count:
        raise invalid(
            "Col2Im", f"columns {list(x.aval.shape)} do not match image {image} and block {block}"
        )
    taps = [np.arange(k) * d for k, d in zip(block, at.dilations, strict=True)]
    places = np.stack(np.meshgrid(*taps, indexing="ij"), -1).reshape(-1, 1, len(image))
    places = places + np.stack(np.meshgrid(*steps, indexing="ij"), -1).reshape(1, -1, len(image))
    flat = np.ravel_multi_index(tuple(np.moveaxis(places, -1, 0)), padded).reshape(-1, 1)
    columns = transpose(reshape(x, [batch * channels, math.prod(block) * count]), [1, 0])
    zeros = tensor(np.zeros([math.prod(padded), batch * channels], np.float32))
    y = transpose(tensor_scatter_nd_add(zeros, tensor(flat), columns), [1, 0])
    y = reshape(y, [batch, channels, *padded])
    inner = (slice(a, a + n) for n, (a, _) in zip(image, at.pads, strict=True))
    return y[(slice(None), slice(None), *inner)]


@operation("DeformConv")
def deform_conv(
    x: Tensor, w: Tensor, offset: Tensor, b: Tensor | None = None, mask: Tensor | None = None, *,
    dilations: Ints | None = None, group: int = 1, kernel_shape: Ints | None = None,
    offset_group: int = 1, pads: Ints | None = None, strides: Ints | None = None,
) -> Any:  # fmt: skip
    """Compute a 2-D convolution with offsets at its sampling positions."""
    n, channels, height, width = x.aval.shape
    at = windows(
        "DeformConv", (height, width), w.aval.shape[2:], strides, dilations, pads, "NOTSET"
    )
    rows, columns = offset.aval.shape[2:]
    kh, kw = at.kernel
    taps = np.stack(np.meshgrid(np.arange(kh), np.arange(kw), indexing="ij"), -1).reshape(-1, 2)
    base = [
        (
            taps[:, axis, None, None] * at.dilations[axis]
            + np.indices((rows, columns))[axis][None] * at.strides[axis]
            - at.pads[axis][0]
        ).astype(np.float32)
        for axis in (0, 1)
    ]
    moved = reshape(offset, [n, offset_group, kh * kw, 2, rows, columns])
    y, across = (moved[:, :, :, axis] + base[axis] for axis in (0, 1))
    images = reshape(x, [n * offset_group, channels // offset_group, height, width])
    flat = [reshape(c, [n * offset_group, -1]) for c in (y, across)]
    found = sampled(images, flat, "linear", "zeros")
    found = reshape(found, [n, offset_group, channels // offset_group, kh * kw, rows * columns])
    if mask is not None:
        found = found * reshape(mask, [n, offset_group, 1, kh * kw, rows * columns])
    found = reshape(found, [n, group, channels // group * kh * kw, rows * columns])
    filters = reshape(w, [1, group, w.aval.shape[0] // group, -1])
    return _with_bias(reshape(matmul(filters, found), [n, w.aval.shape[0], rows, columns]), b)
