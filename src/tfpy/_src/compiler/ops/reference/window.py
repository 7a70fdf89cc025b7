"""NumPy references of convolution and pooling. See `ops/window.py` for shapes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from tfpy._src.compiler.ir.aval import Array
from tfpy._src.compiler.ops.reference.gemm import gemm

Sizes = tuple[int, ...]

_BLOCK = 1 << 20  # bytes of an im2col matrix, which then fits in the cache


def _padded(x: Array, padding: Any, value: float = 0) -> Array:
    return np.pad(x, ((0, 0), *padding, (0, 0)), constant_values=value)


def _taps(
    x: Array, ksize: Sizes, out: Sizes, strides: Sizes, dilations: Sizes
) -> Iterator[tuple[Sizes, Array]]:
    """Yield the view of padded `x` for each filter position: [batch, *out, c]."""
    for tap in np.ndindex(*ksize):
        spatial = (
            slice(t * d, t * d + (n - 1) * s + 1, s)
            for t, n, s, d in zip(tap, out, strides, dilations, strict=True)
        )
        yield tap, x[:, *spatial]


def _out_size(x: Array, ksize: Sizes, strides: Sizes, dilations: Sizes) -> Sizes:
    """Return the spatial size of the output for padded `x`."""
    return tuple(
        (n - (k - 1) * d - 1) // s + 1
        for n, k, s, d in zip(x.shape[1:-1], ksize, strides, dilations, strict=True)
    )


def _cropped(padded: Array, padding: Any, shape: Sizes) -> Array:
    inside = (slice(low, low + n) for (low, _), n in zip(padding, shape[1:-1], strict=True))
    return np.ascontiguousarray(padded[:, *inside])


def _zeros_padded(shape: Sizes, padding: Any, dtype: Any) -> Array:
    spatial = (n + sum(pads) for n, pads in zip(shape[1:-1], padding, strict=True))
    return np.zeros((shape[0], *spatial, shape[-1]), dtype)


def _columns(x: Array, ksize: Sizes, out: Sizes, strides: Sizes, dilations: Sizes) -> Array:
    """Return the im2col matrix of padded `x`: [batch * pixels, taps * c]."""
    taps = [view for _, view in _taps(x, ksize, out, strides, dilations)]
    rows, columns = x.shape[0] * math.prod(out), math.prod(ksize) * x.shape[-1]
    return np.stack(taps, axis=-2).reshape(rows, columns)


class Convolution(NamedTuple):
    """The three bilinear maps of one kind of convolution."""

    forward: Callable[..., Array]
    backprop_input: Callable[..., Array]
    backprop_filter: Callable[..., Array]


def _blocks(
    x: Array, ksize: Sizes, out: Sizes, strides: Sizes, dilations: Sizes
) -> Iterator[tuple[tuple[slice, slice], Array]]:
    """Yield im2col matrices that fit in the processor's cache, with their images and rows.

    Args:
        x: Padded input.
    """
    per_row = math.prod(out[1:]) * math.prod(ksize) * x.shape[-1] * x.itemsize
    rows = max(1, min(out[0], _BLOCK // max(per_row, 1)))
    images = max(1, _BLOCK // max(per_row * out[0], 1))
    span, stride = (ksize[0] - 1) * dilations[0] + 1, strides[0]
    for image in range(0, x.shape[0], images):
        for first in range(0, out[0], rows):
            count = min(rows, out[0] - first)
            begin, end = first * stride, (first + count - 1) * stride + span
            part = x[image : image + images, begin:end]
            place = (slice(image, image + images), slice(first, first + count))
            yield place, _columns(part, ksize, (count, *out[1:]), strides, dilations)


def _conv(x: Array, f: Array, strides: Sizes, dilations: Sizes, padding: Any) -> Array:
    xp, ksize, groups = _padded(x, padding), f.shape[:-2], x.shape[-1] // f.shape[-2]
    out = _out_size(xp, ksize, strides, dilations)
    y = np.empty((x.shape[0], *out, f.shape[-1]), x.dtype)
    for xg, fg, yg in zip(
        np.split(xp, groups, -1), np.split(f, groups, -1), np.split(y, groups, -1), strict=True
    ):
        matrix = fg.reshape(-1, fg.shape[-1])
        for place, columns in _blocks(xg, ksize, out, strides, dilations):
            yg[place] = gemm(columns, matrix).reshape(yg[place].shape)
    return y


def _conv_input(
    dy: Array, f: Array, input_shape: Any, strides: Sizes, dilations: Sizes, padding: Any
) -> Array:
    groups, out, ksize = input_shape[-1] // f.shape[-2], dy.shape[1:-1], f.shape[:-2]
    dx = _zeros_padded(input_shape, padding, dy.dtype)
    for dxg, dyg, fg in zip(
        np.split(dx, groups, -1), np.split(dy, groups, -1), np.split(f, groups, -1), strict=True
    ):
        columns = gemm(dyg.reshape(-1, dyg.shape[-1]), fg.reshape(-1, fg.shape[-1]).T)
        columns = columns.reshape(*dy.shape[:-1], *f.shape[:-1])
        for tap, view in _taps(dxg, ksize, out, strides, dilations):
            place: Any = (..., *tap, slice(None))
            view += columns[place]
    return _cropped(dx, padding, input_shape)


def _conv_filter(
    x: Array, dy: Array, filter_shape: Any, strides: Sizes, dilations: Sizes, padding: Any
) -> Array:
    groups, out, ksize = x.shape[-1] // filter_shape[-2], dy.shape[1:-1], filter_shape[:-2]
    df = np.zeros((math.prod(filter_shape[:-1]), filter_shape[-1]), x.dtype)
    for xg, dyg, dfg in zip(
        np.split(_padded(x, padding), groups, -1),
        np.split(dy, groups, -1),
        np.split(df, groups, -1),
        strict=True,
    ):
        for place, columns in _blocks(xg, ksize, out, strides, dilations):
            dfg += gemm(columns.T, dyg[place].reshape(-1, dyg.shape[-1]))
    return df.reshape(filter_shape)


CONV = Convolution(_conv, _conv_input, _conv_filter)


def _depthwise(x: Array, f: Array, strides: Sizes, dilations: Sizes, padding: Any) -> Array:
    xp = _padded(x, padding)
    out = _out_size(xp, f.shape[:2], strides, dilations)
    y = np.zeros((x.shape[0], *out, *f.shape[2:]), x.dtype)
    for tap, view in _taps(xp, f.shape[:2], out, strides, dilations):
        y += view[..., None] * f[tap]
    return y.reshape(x.shape[0], *out, f.shape[2] * f.shape[3])


def _depthwise_input(
    dy: Array, f: Array, input_shape: Any, strides: Sizes, dilations: Sizes, padding: Any
) -> Array:
    dx = _zeros_padded(input_shape, padding, dy.dtype)
    dyc = dy.reshape(*dy.shape[:3], *f.shape[2:])
    for tap, view in _taps(dx, f.shape[:2], dy.shape[1:3], strides, dilations):
        view += (dyc * f[tap]).sum(axis=-1)
    return _cropped(dx, padding, input_shape)


def _depthwise_filter(
    x: Array, dy: Array, filter_shape: Any, strides: Sizes, dilations: Sizes, padding: Any
) -> Array:
    df = np.zeros(filter_shape, x.dtype)
    dyc = dy.reshape(*dy.shape[:3], *filter_shape[2:])
    taps = _taps(_padded(x, padding), filter_shape[:2], dy.shape[1:3], strides, dilations)
    for tap, view in taps:
        df[tap] = (view[..., None] * dyc).sum(axis=(0, 1, 2))
    return df


DEPTHWISE = Convolution(_depthwise, _depthwise_input, _depthwise_filter)


def _lowest(dtype: Any) -> Any:
    return -np.inf if dtype.kind == "f" else np.iinfo(dtype).min


def max_pool(x: Array, ksize: Sizes, strides: Sizes, dilations: Sizes, padding: Any) -> Array:
    xp = _padded(x, padding, _lowest(x.dtype))
    out = _out_size(xp, ksize, strides, dilations)
    y = np.full((x.shape[0], *out, x.shape[-1]), _lowest(x.dtype), x.dtype)
    for _, view in _taps(xp, ksize, out, strides, dilations):
        np.maximum(y, view, out=y)
    return y


def _maxima(
    x: Array, out: Sizes, ksize: Sizes, strides: Sizes, dilations: Sizes, padding: Any, every: bool
) -> Iterator[Array]:
    """Yield for each tap where it is a window's maximum: the first one, or each with `every`."""
    y = max_pool(x, ksize, strides, dilations, padding)
    given = np.zeros(y.shape, np.bool_)
    for _, view in _taps(_padded(x, padding, -np.inf), ksize, out, strides, dilations):
        hit = (view == y) & ~given
        yield hit
        if not every:
            given |= hit


def max_pool_grad(
    x: Array, dy: Array, ksize: Sizes, strides: Sizes, dilations: Sizes, padding: Any
) -> Array:
    out, every = dy.shape[1:-1], len(ksize) == 3
    dx = _zeros_padded(x.shape, padding, dy.dtype)
    for hit, (_, grad) in zip(
        _maxima(x, out, ksize, strides, dilations, padding, every),
        _taps(dx, ksize, out, strides, dilations),
        strict=True,
    ):
        grad += np.where(hit, dy, 0)
    return _cropped(dx, padding, x.shape)


def max_pool_grad_grad(
    x: Array, g: Array, ksize: Sizes, strides: Sizes, dilations: Sizes, padding: Any
) -> Array:
    gp = _padded(g, padding)
    out = _out_size(gp, ksize, strides, dilations)
    y = np.zeros((x.shape[0], *out, x.shape[-1]), g.dtype)
    for hit, (_, view) in zip(
        _maxima(x, out, ksize, strides, dilations, padding, every=False),
        _taps(gp, ksize, out, strides, dilations),
        strict=True,
    ):
        y += np.where(hit, view, 0)
    return y


def _counts(shape: Any, ksize: Sizes, strides: Sizes, dilations: Sizes, padding: Any) -> Array:
    """Return the number of image pixels in each window: [1, *out, 1]."""
    ones = _padded(np.ones((1, *shape[1:-1], 1), np.float32), padding)
    out = _out_size(ones, ksize, strides, dilations)
    views = [v for _, v in _taps(ones, ksize, out, strides, dilations)]
    return np.asarray(np.sum(views, axis=0))


def avg_pool(x: Array, ksize: Sizes, strides: Sizes, dilations: Sizes, padding: Any) -> Array:
    xp = _padded(x, padding)
    out = _out_size(xp, ksize, strides, dilations)
    y = np.zeros((x.shape[0], *out, x.shape[-1]), x.dtype)
    for _, view in _taps(xp, ksize, out, strides, dilations):
        y += view
    return y / _counts(x.shape, ksize, strides, dilations, padding)


def avg_pool_grad(
    dy: Array, input_shape: Any, ksize: Sizes, strides: Sizes, dilations: Sizes, padding: Any
) -> Array:
    dx = _zeros_padded(input_shape, padding, dy.dtype)
    share = dy / _counts(input_shape, ksize, strides, dilations, padding)
    for _, view in _taps(dx, ksize, dy.shape[1:-1], strides, dilations):
        view += share
    return _cropped(dx, padding, input_shape)
