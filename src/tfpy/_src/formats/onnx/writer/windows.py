"""Writers of convolutions, pooling and image operations; ONNX has channels before positions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tfpy._src.formats.graph_writing.emitter import FLOAT, NodeValue, unsupported
from tfpy._src.formats.graph_writing.numbers import resampling
from tfpy._src.formats.onnx.writer.arrays import turned
from tfpy._src.formats.onnx.writer.nodes import Nodes, record, refuse

refuse(
    "it is the gradient of another operation",
    "conv2d_backprop_filter conv3d_backprop_filter overlap_add depthwise_conv2d_backprop_input "
    "depthwise_conv2d_backprop_filter max_pool_grad max_pool_grad_grad avg_pool_grad",
)
Sizes = Sequence[int]


def _first(w: Nodes, x: NodeValue) -> NodeValue:
    """Move channels before positions."""
    return turned(w, x, [0, x.rank - 1, *range(1, x.rank - 1)])


def _last(w: Nodes, x: NodeValue, rank: int) -> NodeValue:
    """Move channels after positions."""
    return turned(w, x, [0, *range(2, rank), 1])


def _pads(padding: Any) -> list[int]:
    return [*(int(low) for low, _ in padding), *(int(high) for _, high in padding)]


def _ints(sizes: Sizes) -> list[int]:
    return list(map(int, sizes))


def _filters(w: Nodes, f: NodeValue) -> NodeValue:
    """Transpose filters [..., in, out] to [out, in, ...]."""
    return turned(w, f, [f.rank - 1, f.rank - 2, *range(f.rank - 2)])


@record("conv2d", "conv3d")
def _convolution(
    w: Nodes, x: NodeValue, f: NodeValue, *, strides: Sizes, dilations: Sizes, padding: Any
) -> NodeValue:
    found = w.op(
        "Conv", _first(w, x), _filters(w, f), strides=_ints(strides), dilations=_ints(dilations),
        pads=_pads(padding), group=int(x.shape[-1] // f.shape[-2]),
    )  # fmt: skip
    return _last(w, found, x.rank)


@record("depthwise_conv2d")
def _depthwise(
    w: Nodes, x: NodeValue, f: NodeValue, *, strides: Sizes, dilations: Sizes, padding: Any
) -> NodeValue:
    high, wide, depth, each = f.shape
    flat = w.reshape(f, (high, wide, 1, depth * each))
    found = w.op(
        "Conv", _first(w, x), turned(w, flat, [3, 2, 0, 1]), strides=_ints(strides),
        dilations=_ints(dilations), pads=_pads(padding), group=int(depth),
    )  # fmt: skip
    return _last(w, found, 4)


@record("conv2d_backprop_input", "conv3d_backprop_input")
def _transposed(
    w: Nodes, dy: NodeValue, f: NodeValue, *, input_shape: Sizes, strides: Sizes, dilations: Sizes,
    padding: Any,
) -> NodeValue:  # fmt: skip
    # output_padding adds the end of the image that the strides skipped.
    rest = [
        n - ((m - 1) * s + (k - 1) * d + 1 - low - high)
        for n, m, k, s, d, (low, high) in zip(
            input_shape[1:-1], dy.shape[1:-1], f.shape, strides, dilations, padding, strict=False
        )
    ]
    found = w.op(
        "ConvTranspose", _first(w, dy), _filters(w, f), strides=_ints(strides),
        dilations=_ints(dilations), pads=_pads(padding), output_padding=_ints(rest),
        group=int(input_shape[-1] // f.shape[-2]),
    )  # fmt: skip
    return _last(w, found, dy.rank)


def _pool(op: str, **more: int) -> Any:
    def write(
        w: Nodes, x: NodeValue, *, ksize: Sizes, strides: Sizes, dilations: Sizes, padding: Any
    ) -> NodeValue:
        attrs: dict[str, Any] = dict(more)
        if op == "MaxPool":
            attrs["dilations"] = _ints(dilations)
        elif any(n != 1 for n in dilations):
            raise unsupported("avg_pool", "ONNX does not support dilations in average pooling")
        numbers = w.cast(_first(w, x), FLOAT)
        found = w.op(
            op, numbers, kernel_shape=_ints(ksize), strides=_ints(strides), pads=_pads(padding),
            **attrs,
        )  # fmt: skip
        return w.cast(_last(w, found, x.rank), x.dtype)

    return write


record("max_pool")(_pool("MaxPool"))
record("avg_pool")(_pool("AveragePool", count_include_pad=0))


@record("resample")
def _resample(w: Nodes, x: NodeValue, entries: NodeValue, *, axis: int, spec: Any) -> NodeValue:
    # Weighted sums along an axis are a product with the weight matrix.
    matrix = resampling(x.shape[axis], spec)
    perm = [i for i in range(x.rank) if i != axis] + [axis]
    found = w.op("MatMul", turned(w, x, perm), w.constant(matrix))
    return turned(w, found, [perm.index(i) for i in range(x.rank)])


@record("sliding_windows")
def _sliding_windows(
    w: Nodes, x: NodeValue, *, ksize: Sizes, strides: Sizes, dilations: Sizes
) -> NodeValue:
    # [b, out_h, out_w, k_h, k_w, c]: rows and columns of the image at the window positions.
    _, high, wide, k_h, k_w, _ = w.result[0].shape
    rows, columns = (
        (np.arange(n)[:, None] * s + np.arange(k) * d).astype(np.int64)
        for n, k, s, d in zip((high, wide), (k_h, k_w), strides, dilations, strict=True)
    )
    found = w.op("Gather", x, w.constant(rows), axis=1)
    found = w.op("Gather", found, w.constant(columns), axis=3)
    return turned(w, found, [0, 1, 3, 2, 4, 5])
