"""Convolutions, pooling and images as nodes of TensorFlow graphs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.formats.graph_writing.emitter import FLOAT, INT, NodeValue, unsupported
from tfpy._src.formats.graph_writing.numbers import lowest, resampling, same_padding
from tfpy._src.formats.graph_writing.open_sizes import Edge
from tfpy._src.formats.tensorflow.writer.arrays import padded, sliced
from tfpy._src.formats.tensorflow.writer.nodes import Nodes, record, refuse

refuse(
    "it is the gradient of another operation, which TensorFlow.js does not have in graph-models",
    "conv2d_backprop_filter conv3d_backprop_input conv3d_backprop_filter overlap_add "
    "depthwise_conv2d_backprop_input depthwise_conv2d_backprop_filter max_pool_grad "
    "max_pool_grad_grad avg_pool_grad",
)
Sizes = Sequence[int]


def _framed(sizes: Sizes) -> list[int]:
    """Add ones for the batch and channel axes to strides, window sizes or dilations."""
    return [1, *map(int, sizes), 1]


def _window(
    w: Nodes,
    x: NodeValue,
    ksize: Sizes,
    strides: Sizes,
    dilations: Sizes,
    padding: Any,
    border: Any,
) -> tuple[NodeValue, str]:
    """Return the input, padded if necessary, and the padding that remains for the operation."""
    if not any(n for pair in padding for n in pair):
        return x, "VALID"
    sizes = x.shape[1:-1]
    same = [
        same_padding(n, k, s, d)
        for n, k, s, d in zip(sizes, ksize, strides, dilations, strict=True)
    ]
    if [tuple(map(int, pair)) for pair in padding] == same:
        return x, "SAME"
    return padded(w, x, ((0, 0), *padding, (0, 0)), border), "VALID"


def _convolution(op: str) -> Any:
    def write(
        w: Nodes, x: NodeValue, f: NodeValue, *, strides: Sizes, dilations: Sizes, padding: Any
    ) -> NodeValue:
        rank = len(strides)
        if max(strides) > 1 and max(dilations) > 1:
            raise unsupported(
                op, "TensorFlow.js supports strides or dilations above 1, but not both together"
            )
        groups = 1 if op == "DepthwiseConv2dNative" else x.shape[-1] // f.shape[-2]
        x, said = _window(w, x, f.shape[:rank], strides, dilations, padding, 0)
        parts = [
            w.op(
                op, *pair, strides=_framed(strides), dilations=_framed(dilations), padding=said,
                data_format="NHWC" if rank == 2 else "NDHWC",
            )
            for pair in zip(_split(w, x, groups), _split(w, f, groups), strict=True)
        ]  # fmt: skip
        if groups == 1:
            return parts[0]
        return w.op("ConcatV2", *parts, np.int32(rank + 1), N=groups)

    return write


def _split(w: Nodes, x: NodeValue, groups: int) -> list[NodeValue]:
    """Split the last axis, because TensorFlow.js does not have grouped convolutions."""
    if groups == 1:
        return [x]
    axis = w.number(len(w.result[0].shape) - 1, INT)
    return w.several("Split", [axis, x], [x.dtype] * groups, T=x.dtype, num_split=int(groups))


record("conv2d")(_convolution("Conv2D"))
record("conv3d")(_convolution("Conv3D"))
record("depthwise_conv2d")(_convolution("DepthwiseConv2dNative"))


@record("conv2d_backprop_input")
def _conv2d_backprop_input(
    w: Nodes, dy: NodeValue, f: NodeValue, *, input_shape: Sizes, strides: Sizes, dilations: Sizes,
    padding: Any,
) -> NodeValue:  # fmt: skip
    if input_shape[-1] != f.shape[2] or any(n != 1 for n in dilations):
        raise unsupported("conv2d_transpose", "TensorFlow.js does not support groups or dilations")
    # For other padding than "VALID", compute the image with its border, and slice it.
    batch, height, width, depth = input_shape
    (top, bottom), (left, right) = padding
    whole = (batch, height + top + bottom, width + left + right, depth)
    found = w.op(
        "Conv2DBackpropInput", w.sizes(whole), f, dy, dtype=dy.dtype, strides=_framed(strides),
        dilations=_framed(dilations), padding="VALID", data_format="NHWC",
    )  # fmt: skip
    if tuple(whole) == tuple(input_shape):
        return found
    inside: list[Edge] = [(0, None), (top, top + height), (left, left + width), (0, None)]
    return sliced(w, found, inside, [1] * 4)


_POOLS = {
    ("max", 2): "MaxPool",
    ("max", 3): "MaxPool3D",
    ("avg", 2): "AvgPool",
    ("avg", 3): "AvgPool3D",
}


def _pooled(
    w: Nodes, kind: str, x: NodeValue, ksize: Sizes, strides: Sizes, padding: str
) -> NodeValue:
    op = _POOLS[kind, len(ksize)]
    form = "NHWC" if len(ksize) == 2 else "NDHWC"
    return w.op(op, x, ksize=_framed(ksize), strides=_framed(strides), padding=padding,
                data_format=form)  # fmt: skip


def _pool(kind: str) -> Any:
    def write(
        w: Nodes, x: NodeValue, *, ksize: Sizes, strides: Sizes, dilations: Sizes, padding: Any
    ) -> NodeValue:
        if any(n != 1 for n in dilations):
            raise unsupported(f"{kind}_pool", "TensorFlow.js does not support dilated pooling")
        if len(ksize) == 1:  # one spatial axis: add an axis of size 1
            flat = w.reshape(x, (x.shape[0], 1, *x.shape[1:]))
            image = NodeValue(flat.name, x.dtype, Aval((x.shape[0], 1, *x.shape[1:]), x.dtype))
            pooled = write(w, image, ksize=(1, *ksize), strides=(1, *strides), dilations=(1, 1),
                           padding=((0, 0), *padding))  # fmt: skip
            return w.reshape(pooled, w.result[0].shape)
        border = lowest(x.dtype) if kind == "max" else 0
        inner, said = _window(w, x, ksize, strides, dilations, padding, border)
        found = _pooled(w, kind, inner, ksize, strides, said)
        if kind == "max" or inner is x:
            return found
        # Borders do not count in the average, so divide by the part of the window inside the input.
        ones = np.ones((1, *map(int, x.shape[1:-1]), 1), np.float32)
        inside = np.pad(ones, ((0, 0), *padding, (0, 0)))
        return w.op("RealDiv", found, _pooled(w, kind, w.constant(inside), ksize, strides, "VALID"))

    return write


record("max_pool")(_pool("max"))
record("avg_pool")(_pool("avg"))


@record("resample")
def _resample(w: Nodes, x: NodeValue, entries: NodeValue, *, axis: int, spec: Any) -> NodeValue:
    # A weighted sum along an axis is a product with the matrix of the weights.
    matrix = resampling(x.shape[axis], spec)
    rank, out = x.rank, matrix.shape[1]
    perm = [i for i in range(rank) if i != axis] + [axis]
    turned = x if axis == rank - 1 else w.op("Transpose", x, w.integers(perm))
    flat = w.op("Reshape", turned, w.integers([-1, matrix.shape[0]]))
    product = w.op("MatMul", flat, w.constant(matrix), transpose_a=False, transpose_b=False)
    shape = [x.shape[i] for i in perm[:-1]] + [out]
    found = w.reshape(product, shape)
    if axis == rank - 1:
        return found
    return w.op("Transpose", found, w.integers([perm.index(i) for i in range(rank)]))


@record("sliding_windows")
def _sliding_windows(
    w: Nodes, x: NodeValue, *, ksize: Sizes, strides: Sizes, dilations: Sizes
) -> NodeValue:
    # The result has the shape [b, out_h, out_w, k_h, k_w, c]: gather rows, then columns.
    _, high, wide, k_h, k_w, _ = w.result[0].shape
    rows, columns = (
        (np.arange(n)[:, None] * s + np.arange(k) * d).astype(np.int32)
        for n, k, s, d in zip((high, wide), (k_h, k_w), strides, dilations, strict=True)
    )
    found = w.op("GatherV2", x, w.constant(rows), np.int32(1), batch_dims=0)
    found = w.op("GatherV2", found, w.constant(columns), np.int32(3), batch_dims=0)
    return w.op("Transpose", found, w.integers([0, 1, 3, 2, 4, 5]))


@record("non_max_suppression")
def _non_max_suppression(
    w: Nodes, boxes: NodeValue, scores: NodeValue, *, most: int, threshold: float, least: float,
    sigma: float,
) -> NodeValue:  # fmt: skip
    if boxes.rank != 2:
        raise unsupported("non_max_suppression", "TensorFlow.js supports only one image per call")
    # tfpy's result has the shape [most, 2], places and scores, padded with the place -1. The
    # operation of the file returns only the boxes that it selects.
    limits = [w.number(v, FLOAT) for v in (threshold, max(least, -3.4e38), sigma)]
    indices, found, _ = w.several(
        "NonMaxSuppressionV5",
        [boxes, scores, w.number(int(most), INT), *limits],
        [INT, FLOAT, INT],
        T=dtypes.float32,
        pad_to_max_output_size=False,
    )
    size = w.op("Shape", indices, dtype=INT, out_type=INT)
    rest = w.op("Sub", w.integers([most]), size)
    tail = w.op("ConcatV2", w.integers([0]), rest, np.int32(0), N=2)
    pads = w.op("Reshape", tail, w.integers([1, 2]))
    places = w.op("PadV2", w.cast(indices, FLOAT), pads, w.number(-1, FLOAT))
    values = w.op("PadV2", found, pads, w.number(0, FLOAT))
    return w.op("Pack", places, values, N=2, axis=1)
