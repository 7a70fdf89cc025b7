"""Pooling."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ir.aval import Array
from tfpy._src.compiler.ops import pooling as primitives
from tfpy._src.core import primitives as p
from tfpy._src.core.tensor import Tensor
from tfpy._src.formats.node_graphs.node import Node
from tfpy._src.formats.onnx.reader.ops.convolution import channels_first, channels_last
from tfpy._src.formats.onnx.reader.ops.windows import Windows, windows
from tfpy._src.formats.onnx.reader.record import Ints, operation
from tfpy._src.formats.onnx.reader.values import bounded, like, tensor
from tfpy._src.tensors.array.joining import pad
from tfpy._src.tensors.array.making import cast
from tfpy._src.tensors.array.reshaping import reshape
from tfpy._src.tensors.array.scattering import scatter_nd
from tfpy._src.tensors.array.slicing import gather, where
from tfpy._src.tensors.math.ordering import argmax
from tfpy._src.tensors.math.reductions import reduce_max, reduce_mean, reduce_sum


def _pooled(op: Any, x: Tensor, at: Windows) -> Tensor:
    """Pool [N, C, ...] in float32 or int32."""
    if x.ndim not in (3, 4, 5):
        raise invalid("Pool", f"the input has {x.ndim} axes, expected 3 to 5")
    kind = "int32" if x.dtype.is_integer else "float32"
    how = {"strides": at.strides, "dilations": at.dilations, "padding": at.pads}
    y = op(channels_last(cast(x, kind)), ksize=at.kernel, **how)
    return cast(channels_first(y), x.dtype)


@operation("MaxPool")
def max_pool(
    x: Tensor, *, auto_pad: str = "NOTSET", ceil_mode: int = 0, dilations: Ints | None = None,
    kernel_shape: Ints, pads: Ints | None = None, storage_order: int = 0,
    strides: Ints | None = None, node: Node,
) -> Any:  # fmt: skip
    spatial = x.aval.shape[2:]
    at = windows(
        "MaxPool", spatial, kernel_shape, strides, dilations, pads, auto_pad, bool(ceil_mode)
    )
    if len(node.outputs) == 1:
        return _pooled(primitives.max_pool, x, at)
    return _with_indices(x, at, bool(storage_order))


def _with_indices(x: Tensor, at: Windows, columns_first: bool) -> tuple[Tensor, Tensor]:
    """Return the maxima and their flat indices in the whole tensor."""
    n, c, *spatial = x.aval.shape
    lines, out = [], []
    for size, k, d, s, e, (low, high) in zip(
        spatial, at.kernel, at.dilations, at.strides, at.extent, at.pads, strict=True
    ):
        count = (size + low + high - e) // s + 1
        lines.append(np.arange(count)[:, None] * s + np.arange(k) * d - low)
        out.append(count)
    rank = len(spatial)
    places = []
    for i, line in enumerate(lines):
        shape = [1] * (2 * rank)
        shape[i], shape[rank + i] = line.shape
        places.append(np.broadcast_to(line.reshape(shape), (*out, *at.kernel)))
    grid = np.stack(places).reshape(rank, math.prod(out), -1)
    sizes = np.array(spatial).reshape(rank, 1, 1)
    valid = np.logical_and.reduce((grid >= 0) & (grid < sizes))
    grid = grid.clip(0, sizes - 1)
    flat = np.ravel_multi_index(tuple(grid), spatial).astype(np.int32)
    shown = flat
    if columns_first:
        shown = np.ravel_multi_index(tuple(grid), spatial, order="F").astype(np.int32)
    kind = "int32" if x.dtype.is_integer else "float32"
    taps = gather(reshape(cast(x, kind), [n * c, -1]), flat, axis=1)
    lowest = np.array(-np.inf if kind == "float32" else -(2**31), kind)
    taps = where(valid[np.newaxis], taps, tensor(lowest))
    best = argmax(taps, -1)
    first = np.arange(math.prod(out), dtype=np.int32) * flat.shape[1]
    index = gather(tensor(shown.reshape(-1)), best + first, axis=0)
    index = index + np.arange(n * c, dtype=np.int32)[:, None] * math.prod(spatial)
    shape = [n, c, *out]
    return cast(reshape(reduce_max(taps, -1), shape), x.dtype), reshape(index, shape)


@operation("MaxUnpool")
def max_unpool(
    x: Tensor, indices: Tensor, output_shape: Array | None = None, *, kernel_shape: Ints,
    pads: Ints | None = None, strides: Ints | None = None,
) -> Any:  # fmt: skip
    """Place the values at their indices and fill the rest with zeros."""
    n, c, *spatial = x.aval.shape
    at = windows("MaxUnpool", tuple(spatial), kernel_shape, strides, None, pads, "NOTSET")
    sizes = [
        (size - 1) * s - low - high + k
        for size, s, k, (low, high) in zip(spatial, at.strides, at.kernel, at.pads, strict=True)
    ]
    own = bounded("MaxUnpool", [n, c, *sizes])
    flat = scatter_nd(reshape(indices, [-1, 1]), reshape(x, [-1]), [math.prod(own)])
    y = reshape(flat, own)
    if output_shape is None:
        return y
    wanted = bounded("MaxUnpool", output_shape)
    if len(wanted) != len(own) or any(a > b for a, b in zip(own, wanted, strict=True)):
        raise invalid("MaxUnpool", f"the result {list(own)} does not fit into {list(wanted)}")
    return pad(y, [(0, b - a) for a, b in zip(own, wanted, strict=True)])


@operation("AveragePool")
def average_pool(
    x: Tensor, *, auto_pad: str = "NOTSET", ceil_mode: int = 0, count_include_pad: int = 0,
    dilations: Ints | None = None, kernel_shape: Ints, pads: Ints | None = None,
    strides: Ints | None = None,
) -> Any:  # fmt: skip
    spatial = x.aval.shape[2:]
    plain = windows("AveragePool", spatial, kernel_shape, strides, dilations, pads, auto_pad)
    at = windows(
        "AveragePool", spatial, kernel_shape, strides, dilations, pads, auto_pad, bool(ceil_mode)
    )
    if count_include_pad and any(map(any, plain.pads)):
        x = pad(x, [(0, 0), (0, 0), *plain.pads])
        left = [(0, b - a) for (_, a), (_, b) in zip(plain.pads, at.pads, strict=True)]
        at = Windows(at.kernel, at.strides, at.dilations, tuple(left))
    return _pooled(primitives.avg_pool, x, at)


@operation("LpPool")
def lp_pool(
    x: Tensor, *, auto_pad: str = "NOTSET", ceil_mode: int = 0, dilations: Ints | None = None,
    kernel_shape: Ints, p: int = 2, pads: Ints | None = None, strides: Ints | None = None,
) -> Any:  # fmt: skip
    spatial = x.aval.shape[2:]
    at = windows(
        "LpPool", spatial, kernel_shape, strides, dilations, pads, auto_pad, bool(ceil_mode)
    )
    powers = pad(_power(x, p), [(0, 0), (0, 0), *at.pads])
    bare = Windows(at.kernel, at.strides, at.dilations, ((0, 0),) * len(spatial))
    sums = _pooled(primitives.avg_pool, powers, bare) * like(math.prod(at.kernel), x)
    return _root(sums, p)


def _power(x: Tensor, p_: int) -> Tensor:
    return p.square(x) if p_ == 2 else p.pow(p.abs(x), like(p_, x))


def _root(x: Tensor, p_: int) -> Tensor:
    return p.sqrt(x) if p_ == 2 else p.pow(x, like(1 / p_, x))


@operation("GlobalAveragePool")
def global_average_pool(x: Tensor) -> Any:
    return reduce_mean(x, tuple(range(2, x.ndim)), True)


@operation("GlobalMaxPool")
def global_max_pool(x: Tensor) -> Any:
    return reduce_max(x, tuple(range(2, x.ndim)), True)


@operation("GlobalLpPool")
def global_lp_pool(x: Tensor, *, p: int = 2) -> Any:
    return _root(reduce_sum(_power(x, p), tuple(range(2, x.ndim)), True), p)


@operation("LpNormalization")
def lp_normalization(x: Tensor, *, axis: int = -1, p: int = 2) -> Any:
    """Divide x by its norm; the result is 0 where the norm is 0."""
    norm = _root(reduce_sum(_power(x, p), axis, True), p)
    zero = like(0, x)
    return where(p_equal(norm, zero), zero, x / where(p_equal(norm, zero), like(1, x), norm))


def p_equal(a: Tensor, b: Tensor) -> Tensor:
    return p.equal(a, b)
