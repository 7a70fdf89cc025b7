"""NumPy meanings of convolution and pooling. See ``ops/window.py`` for shapes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from tfpy.ops.host_gemm import gemm

Array = np.ndarray[Any, Any]
Pair = tuple[int, int]


def _padded(x: Array, padding: Any, value: float = 0) -> Array:
    return np.pad(x, ((0, 0), *padding, (0, 0)), constant_values=value)


def _taps(
    x: Array, ksize: Pair, out: Pair, strides: Pair, dilations: Pair
) -> Iterator[tuple[int, int, Array]]:
    """For each filter position, the view of padded ``x`` that it meets: [batch, *out, c]."""
    for i in range(ksize[0]):
        for j in range(ksize[1]):
            top, left = i * dilations[0], j * dilations[1]
            rows = slice(top, top + (out[0] - 1) * strides[0] + 1, strides[0])
            columns = slice(left, left + (out[1] - 1) * strides[1] + 1, strides[1])
            yield i, j, x[:, rows, columns]


def _out_size(x: Array, ksize: Pair, strides: Pair, dilations: Pair) -> Pair:
    """Spatial size of the output for padded ``x``."""
    h, w = (
        (n - (k - 1) * d - 1) // s + 1
        for n, k, s, d in zip(x.shape[1:3], ksize, strides, dilations, strict=True)
    )
    return h, w


def _cropped(padded: Array, padding: Any, shape: tuple[int, ...]) -> Array:
    (top, _), (left, _) = padding
    return np.ascontiguousarray(padded[:, top : top + shape[1], left : left + shape[2]])


def _zeros_padded(shape: tuple[int, ...], padding: Any, dtype: Any) -> Array:
    (top, bottom), (left, right) = padding
    return np.zeros((shape[0], shape[1] + top + bottom, shape[2] + left + right, shape[3]), dtype)


def _columns(x: Array, ksize: Pair, out: Pair, strides: Pair, dilations: Pair) -> Array:
    """im2col of padded ``x``: [batch * out_h * out_w, k_h * k_w * c]."""
    taps = [view for _, _, view in _taps(x, ksize, out, strides, dilations)]
    rows, columns = x.shape[0] * out[0] * out[1], ksize[0] * ksize[1] * x.shape[3]
    return np.stack(taps, axis=3).reshape(rows, columns)


class Convolution(NamedTuple):
    """The three bilinear maps of one kind of convolution."""

    forward: Callable[..., Array]
    backprop_input: Callable[..., Array]
    backprop_filter: Callable[..., Array]


def _conv(x: Array, f: Array, strides: Pair, dilations: Pair, padding: Any) -> Array:
    xp, ksize, groups = _padded(x, padding), f.shape[:2], x.shape[3] // f.shape[2]
    out = _out_size(xp, ksize, strides, dilations)
    parts = [
        gemm(_columns(xg, ksize, out, strides, dilations), fg.reshape(-1, fg.shape[3]))
        for xg, fg in zip(np.split(xp, groups, 3), np.split(f, groups, 3), strict=True)
    ]
    return np.concatenate(parts, axis=1).reshape(x.shape[0], *out, f.shape[3])


def _conv_input(
    dy: Array, f: Array, input_shape: Any, strides: Pair, dilations: Pair, padding: Any
) -> Array:
    groups, out = input_shape[3] // f.shape[2], dy.shape[1:3]
    dx = _zeros_padded(input_shape, padding, dy.dtype)
    for dxg, dyg, fg in zip(
        np.split(dx, groups, 3), np.split(dy, groups, 3), np.split(f, groups, 3), strict=True
    ):
        columns = gemm(dyg.reshape(-1, dyg.shape[3]), fg.reshape(-1, fg.shape[3]).T)
        columns = columns.reshape(*dy.shape[:3], *f.shape[:3])
        for i, j, view in _taps(dxg, f.shape[:2], out, strides, dilations):
            view += columns[:, :, :, i, j]
    return _cropped(dx, padding, input_shape)


def _conv_filter(
    x: Array, dy: Array, filter_shape: Any, strides: Pair, dilations: Pair, padding: Any
) -> Array:
    groups, out, ksize = x.shape[3] // filter_shape[2], dy.shape[1:3], filter_shape[:2]
    xp = _padded(x, padding)
    parts = [
        gemm(_columns(xg, ksize, out, strides, dilations).T, dyg.reshape(-1, dyg.shape[3]))
        for xg, dyg in zip(np.split(xp, groups, 3), np.split(dy, groups, 3), strict=True)
    ]
    return np.concatenate(parts, axis=1).reshape(filter_shape)


CONV = Convolution(_conv, _conv_input, _conv_filter)


def _depthwise(x: Array, f: Array, strides: Pair, dilations: Pair, padding: Any) -> Array:
    xp = _padded(x, padding)
    out = _out_size(xp, f.shape[:2], strides, dilations)
    y = np.zeros((x.shape[0], *out, *f.shape[2:]), x.dtype)
    for i, j, view in _taps(xp, f.shape[:2], out, strides, dilations):
        y += view[..., None] * f[i, j]
    return y.reshape(x.shape[0], *out, -1)


def _depthwise_input(
    dy: Array, f: Array, input_shape: Any, strides: Pair, dilations: Pair, padding: Any
) -> Array:
    dx = _zeros_padded(input_shape, padding, dy.dtype)
    dyc = dy.reshape(*dy.shape[:3], *f.shape[2:])
    for i, j, view in _taps(dx, f.shape[:2], dy.shape[1:3], strides, dilations):
        view += (dyc * f[i, j]).sum(axis=-1)
    return _cropped(dx, padding, input_shape)


def _depthwise_filter(
    x: Array, dy: Array, filter_shape: Any, strides: Pair, dilations: Pair, padding: Any
) -> Array:
    df = np.zeros(filter_shape, x.dtype)
    dyc = dy.reshape(*dy.shape[:3], *filter_shape[2:])
    taps = _taps(_padded(x, padding), filter_shape[:2], dy.shape[1:3], strides, dilations)
    for i, j, view in taps:
        df[i, j] = (view[..., None] * dyc).sum(axis=(0, 1, 2))
    return df


DEPTHWISE = Convolution(_depthwise, _depthwise_input, _depthwise_filter)


def max_pool(x: Array, ksize: Pair, strides: Pair, dilations: Pair, padding: Any) -> Array:
    xp = _padded(x, padding, -np.inf)
    out = _out_size(xp, ksize, strides, dilations)
    y = np.full((x.shape[0], *out, x.shape[3]), -np.inf, x.dtype)
    for _, _, view in _taps(xp, ksize, out, strides, dilations):
        np.maximum(y, view, out=y)
    return y


def max_pool_grad(
    x: Array, dy: Array, ksize: Pair, strides: Pair, dilations: Pair, padding: Any
) -> Array:
    xp, out = _padded(x, padding, -np.inf), dy.shape[1:3]
    y = max_pool(x, ksize, strides, dilations, padding)
    dx = _zeros_padded(x.shape, padding, dy.dtype)
    given = np.zeros(dy.shape, np.bool_)
    for (_, _, view), (_, _, grad) in zip(
        _taps(xp, ksize, out, strides, dilations),
        _taps(dx, ksize, out, strides, dilations),
        strict=True,
    ):
        first = (view == y) & ~given
        grad += np.where(first, dy, 0)
        given |= first
    return _cropped(dx, padding, x.shape)


def _counts(shape: Any, ksize: Pair, strides: Pair, dilations: Pair, padding: Any) -> Array:
    """How many pixels of the image each window meets: [1, out_h, out_w, 1]."""
    ones = _padded(np.ones((1, *shape[1:3], 1), np.float32), padding)
    out = _out_size(ones, ksize, strides, dilations)
    views = [v for _, _, v in _taps(ones, ksize, out, strides, dilations)]
    return np.asarray(np.sum(views, axis=0))


def avg_pool(x: Array, ksize: Pair, strides: Pair, dilations: Pair, padding: Any) -> Array:
    xp = _padded(x, padding)
    out = _out_size(xp, ksize, strides, dilations)
    y = np.zeros((x.shape[0], *out, x.shape[3]), x.dtype)
    for _, _, view in _taps(xp, ksize, out, strides, dilations):
        y += view
    return y / _counts(x.shape, ksize, strides, dilations, padding)


def avg_pool_grad(
    dy: Array, input_shape: Any, ksize: Pair, strides: Pair, dilations: Pair, padding: Any
) -> Array:
    dx = _zeros_padded(input_shape, padding, dy.dtype)
    share = dy / _counts(input_shape, ksize, strides, dilations, padding)
    for _, _, view in _taps(dx, ksize, dy.shape[1:3], strides, dilations):
        view += share
    return _cropped(dx, padding, input_shape)
