"""Convolution, pooling and other windows; channels are last. See `ops/window.py` for windows."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np
from jax import lax, numpy as jnp

from tfpy._src.compiler.lower.jax.table import lowers

Sizes = tuple[int, ...]
Padding = tuple[tuple[int, int], ...]

_LAST = 2**31 - 1


def _conv(x: Any, filter: Any, strides: Sizes, dilations: Sizes, padding: Padding) -> Any:
    """Convolve with filters [*spatial, depth of a group, out]."""
    names = "DHW"[-len(strides) :]
    return lax.conv_general_dilated(
        x,
        filter,
        strides,
        padding,
        rhs_dilation=dilations,
        dimension_numbers=(f"N{names}C", f"{names}IO", f"N{names}C"),
        feature_group_count=x.shape[-1] // filter.shape[-2],
    )


def _depthwise(x: Any, filter: Any, **window: Any) -> Any:
    """Convolve with filters [h, w, channels, multiplier]."""
    *spatial, channels, multiplier = filter.shape
    return _conv(x, lax.reshape(filter, (*spatial, 1, channels * multiplier)), **window)


def _enter(
    name: str,
    forward: Callable[..., Any],
    for_input: Callable[..., Any],
    for_filter: Callable[..., Any],
) -> None:
    """Register a convolution and its two transposes, derived from equivalent functions."""

    @lowers(name, narrow=True)
    def convolve(x: Any, filter: Any, **window: Any) -> Any:
        return forward(x, filter, **window)

    @lowers(f"{name}_backprop_input", narrow=True)
    def by_input(dy: Any, filter: Any, input_shape: Sizes, **window: Any) -> Any:
        return _transposed(lambda x: for_input(x, filter, **window), input_shape, dy)

    @lowers(f"{name}_backprop_filter", narrow=True)
    def by_filter(x: Any, dy: Any, filter_shape: Sizes, **window: Any) -> Any:
        return _transposed(lambda f: for_filter(x, f, **window), filter_shape, dy)


def _transposed(linear: Callable[[Any], Any], shape: Sizes, dy: Any) -> Any:
    """Return the transpose of a linear function of an array of this shape, applied to `dy`."""
    (found,) = jax.linear_transpose(linear, jax.ShapeDtypeStruct(shape, dy.dtype))(dy)
    return found


# Convolutions with filters of one pixel are products of matrices. On a CPU, XLA computes them as
# convolutions, which is slow for few pixels and for gradients. The table lists the minimal time in
# milliseconds on one core, as a convolution and as a product, in ResNet-50 (a batch of 2) and
# MobileNetV2 (a batch of 4) with JAX 0.10:
#
#     pixels  channels     forward      by the input  by the filter
#         18  2048 -> 512  1.43  0.70   2.21  0.54    0.20  0.66
#         72  1024 -> 256  0.65  0.44   0.81  0.32    0.77  0.46
#        288  128 -> 512   0.32  0.29   0.25  0.29    0.80  0.40
#       1152  64 -> 256    0.06  0.30   0.35  0.29    0.95  0.48
#       9216  16 -> 96     0.14  0.33   0.55  0.32    2.30  0.36


def _or_product(is_faster: Callable[[int], bool]) -> Callable[..., Any]:
    """Return a convolution, which is a product on a CPU if `is_faster(pixels)`."""

    def convolve(x: Any, filter: Any, **window: Any) -> Any:
        def plain(x: Any, filter: Any) -> Any:
            return _conv(x, filter, **window)

        *pixels, channels = x.shape
        *size, depth, _ = filter.shape
        is_product = {*size, *window["strides"]} == {1} and not np.any(window["padding"])
        if is_product and depth == channels and is_faster(math.prod(pixels)):
            return lax.platform_dependent(x, filter, cpu=_product, default=plain)
        return plain(x, filter)

    return convolve


def _product(x: Any, filter: Any) -> Any:
    *pixels, channels = x.shape
    rows = lax.reshape(x, (math.prod(pixels), channels))
    found = lax.dot(rows, lax.reshape(filter, filter.shape[-2:]))
    return lax.reshape(found, (*pixels, filter.shape[-1]))


_BEST = (
    _or_product(lambda pixels: pixels <= 128),
    _or_product(lambda pixels: True),
    _or_product(lambda pixels: pixels > 256),
)
"""The forward function, and the functions with transposes that are the gradients by input and
filter."""

_enter("conv2d", *_BEST)
_enter("conv3d", *_BEST)
_enter("depthwise_conv2d", _depthwise, _depthwise, _depthwise)


# Pooling


def _around(ksize: Sizes, strides: Sizes, dilations: Sizes, padding: Padding) -> dict[str, Any]:
    """Return the arguments of `lax.reduce_window` for a window over all dimensions."""
    return {
        "window_dimensions": (1, *ksize, 1),
        "window_strides": (1, *strides, 1),
        "padding": ((0, 0), *padding, (0, 0)),
        "window_dilation": (1, *dilations, 1),
    }


def _lowest(dtype: Any) -> Any:
    return dtype.type(-np.inf) if dtype.kind == "f" else np.iinfo(dtype).min


@lowers("max_pool")
def max_pool(x: Any, **window: Any) -> Any:
    return lax.reduce_window(x, _lowest(x.dtype), lax.max, **_around(**window))


def _sums(x: Any, **window: Any) -> Any:
    return lax.reduce_window(x, x.dtype.type(0), lax.add, **_around(**window))


def _counts(shape: Sizes, ksize: Sizes, strides: Sizes, dilations: Sizes, padding: Padding) -> Any:
    """Return the number of image pixels in each window, [*out, 1]."""
    counts = np.ones((), np.float32)
    for n, k, s, d, (low, high) in zip(
        shape[1:-1], ksize, strides, dilations, padding, strict=True
    ):
        begins = np.arange(max((n + low + high - (k - 1) * d - 1) // s + 1, 0)) * s - low
        places = begins[:, None] + np.arange(k) * d
        counts = counts[..., None] * ((places >= 0) & (places < n)).sum(1, dtype=np.float32)
    return counts[..., None]


@lowers("avg_pool")
def avg_pool(x: Any, **window: Any) -> Any:
    return _sums(x, **window) / _counts(x.shape, **window)


@lowers("avg_pool_grad")
def avg_pool_grad(dy: Any, input_shape: Sizes, **window: Any) -> Any:
    share = dy / _counts(input_shape, **window)
    return _transposed(lambda x: _sums(x, **window), input_shape, share)


def _first_maxima(x: Any, **window: Any) -> Any:
    """Return the position of each window's first maximum in its image and channel."""
    places = lax.iota(np.int32, math.prod(x.shape[1:-1])).reshape(1, *x.shape[1:-1], 1)

    def larger(a: Any, b: Any) -> Any:
        first = (a[0] > b[0]) | ((a[0] == b[0]) & (a[1] < b[1]))
        return tuple(lax.select(first, mine, other) for mine, other in zip(a, b, strict=True))

    operands = (x, jnp.broadcast_to(places, x.shape))
    start = (_lowest(x.dtype), np.int32(_LAST))
    return lax.reduce_window(operands, start, larger, **_around(**window))[1]


def _by_image(x: Any) -> Any:
    """Reshape to [batch, pixels, channels]."""
    return lax.reshape(x, (x.shape[0], math.prod(x.shape[1:-1]), x.shape[-1]))


@lowers("max_pool_grad")
def max_pool_grad(x: Any, dy: Any, **window: Any) -> Any:
    if len(window["ksize"]) == 3:
        return _to_every_maximum(x, dy, **window)
    places = _by_image(_first_maxima(x, **window))
    batch, channel = jnp.arange(x.shape[0])[:, None, None], jnp.arange(x.shape[-1])
    found = jnp.zeros_like(_by_image(x), dy.dtype)
    found = found.at[batch, places, channel].add(_by_image(dy), mode="drop")
    return lax.reshape(found, x.shape)


@lowers("max_pool_grad_grad")
def max_pool_grad_grad(x: Any, g: Any, **window: Any) -> Any:
    places = _first_maxima(x, **window)
    found = jnp.take_along_axis(_by_image(g), _by_image(places), axis=1, mode="clip")
    inside = places != _LAST
    return jnp.where(inside, lax.reshape(found, places.shape), jnp.zeros((), g.dtype))


def _to_every_maximum(
    x: Any, dy: Any, ksize: Sizes, strides: Sizes, dilations: Sizes, padding: Padding
) -> Any:
    """Sum the gradients of all maxima of each window, tap by tap."""
    y = max_pool(x, ksize=ksize, strides=strides, dilations=dilations, padding=padding)
    around = ((0, 0, 0), *((low, high, 0) for low, high in padding), (0, 0, 0))
    padded = lax.pad(x, _lowest(x.dtype), around)
    found = jnp.zeros(padded.shape, dy.dtype)
    for tap in itertools.product(*map(range, ksize)):
        view = (slice(None), *(
            slice(t * d, t * d + (n - 1) * s + 1, s)
            for t, n, s, d in zip(tap, y.shape[1:-1], strides, dilations, strict=True)
        ))  # fmt: skip
        found = found.at[view].add(jnp.where(padded[view] == y, dy, jnp.zeros((), dy.dtype)))
    return lax.pad(found, dy.dtype.type(0), [(-low, -high, 0) for low, high, _ in around])


# Sliding windows, and resizing


def _rows(n: int, k: int, stride: int, dilation: int) -> Any:
    """Return the positions of windows along an axis, [windows, k]."""
    count = max((n - (k - 1) * dilation - 1) // stride + 1, 0)
    return np.arange(count)[:, None] * stride + np.arange(k) * dilation


@lowers("sliding_windows")
def sliding_windows(x: Any, ksize: Sizes, strides: Sizes, dilations: Sizes) -> Any:
    rows, columns = map(_rows, x.shape[1:3], ksize, strides, dilations)
    return x[:, rows[:, None, :, None], columns[None, :, None, :]]


@lowers("overlap_add")
def overlap_add(x: Any, input_shape: Sizes, strides: Sizes, dilations: Sizes) -> Any:
    def windows(image: Any) -> Any:
        return sliding_windows(image, x.shape[3:5], strides, dilations)

    return _transposed(windows, input_shape, x)


@lowers("resample")
def resample(x: Any, entries: Any, axis: int, spec: Any) -> Any:
    """Resize an axis. A pixel with weight 0 does not count, even if it is not finite."""
    weights = lax.bitcast_convert_type(entries[:, 1:], np.float32)
    places = jnp.clip(entries[:, :1] + jnp.arange(weights.shape[1]), 0, x.shape[axis] - 1)
    taken = jnp.take(x, places, axis=axis)
    weights = lax.expand_dims(weights, _other_axes(taken.ndim, axis))
    products = jnp.where(weights == 0, jnp.zeros((), x.dtype), taken * weights)
    return jnp.sum(products, axis=axis + 1)


def _other_axes(rank: int, axis: int) -> Sequence[int]:
    """Return all axes but two adjacent ones."""
    return [i for i in range(rank) if i not in (axis, axis + 1)]
