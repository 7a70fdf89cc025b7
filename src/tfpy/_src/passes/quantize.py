"""Products and convolutions with weights are computed in int8."""

from __future__ import annotations

import math
from collections.abc import Collection

from tfpy._src.dtypes import float32
from tfpy._src.ir.graph import Eqn, Graph
from tfpy._src.lower.target import Target
from tfpy._src.ops.contraction import matmul
from tfpy._src.ops.convolution import conv2d
from tfpy._src.ops.packed_bytes import packed_conv2d
from tfpy._src.ops.quantized import MAX_DEPTH, quantized_conv2d, quantized_matmul
from tfpy._src.passes.movement import reshaped
from tfpy._src.passes.packing import MIN_WEIGHTS, pack_quantized
from tfpy._src.passes.prelude import WeightOnly
from tfpy._src.passes.rewrite import Builder, rewrite

MIN_USES = 64
"""How often each element of the activations, which costs its quantisation, must be multiplied."""

MIN_DEPTH = 32
"""Channels from which on windows of several pixels gain: each pixel is a row of its own."""


def quantize(graph: Graph, target: Target, weights: Collection[int], bits: int = 8) -> Graph:
    """Quantises products with weights, and convolutions, where the target has the kernels.

    Results differ by the quantisation of both sides, see ``ops/quantized.py``. Small products,
    which would lose, stay. A convolution by 1x1 filters is a product of pixels. ::

    %3:float32[1,8,8,96] = conv2d(%0, %1) …       %3:float32[48,96] = reshape(%1) …
    %4:float32[1,8,8,96] = add(%3, %2)       ->   %4:float32[1,8,8,96] = quantized_matmul(%0, %3) …
                                                  %5:float32[1,8,8,96] = add(%4, %2)

    Where the target's products are of packed bytes, quantising is equations of its own
    (``packing.py``): that of weights is done once.

    Args:
        weights: positions in ``graph.inputs``, see :class:`~tfpy._src.passes.prelude.WeightOnly`.
        bits: of the weights that few rows are multiplied with, where the target has a kernel.
    """
    packed = packed_conv2d.name in target.kernels
    if not packed and not {quantized_matmul.name, quantized_conv2d.name} <= target.kernels:
        return graph
    fixed: list[WeightOnly] = []

    def rule(builder: Builder, eqn: Eqn) -> int | None:
        if not fixed:
            fixed.append(WeightOnly(builder.graph, weights))
        return _quantized(builder, eqn, fixed[0])

    graph = rewrite(graph, rule)
    return pack_quantized(graph, target, bits) if packed else graph


def _quantized(builder: Builder, eqn: Eqn, fixed: WeightOnly) -> int | None:
    if eqn.op not in (matmul, conv2d):
        return None
    x, w = eqn.inputs
    if w not in fixed or x in fixed or not _gains(builder, eqn):
        return None
    if eqn.op is matmul or _is_pointwise(builder, eqn):
        return _product(builder, eqn)
    return _convolution(builder, eqn)


def _gains(builder: Builder, eqn: Eqn) -> bool:
    x, w = (builder.aval(value) for value in eqn.inputs)
    out = builder.result(eqn)
    if w.dtype != float32 or w.size < MIN_WEIGHTS or x.shape[-1] > MAX_DEPTH:
        return False
    return out.size * (w.size // out.shape[-1]) >= x.size * MIN_USES


def _is_pointwise(builder: Builder, eqn: Eqn) -> bool:
    """Whether a convolution is the product of pixels and a matrix."""
    attrs = dict(eqn.attrs)
    filter_size = builder.aval(eqn.inputs[1]).shape[:2]
    plain = filter_size == attrs["strides"] == (1, 1)
    return plain and not any(map(any, attrs["padding"]))


def _product(builder: Builder, eqn: Eqn) -> int | None:
    """The product of the rows of an array and one matrix."""
    x, w = eqn.inputs
    shape, attrs = builder.aval(w).shape, dict(eqn.attrs)
    transpose_b = attrs.get("transpose_b", False)
    depth = shape[-1] if transpose_b else shape[-2]
    if attrs.get("transpose_a") or math.prod(shape[:-2]) != 1 or builder.aval(x).shape[-1] != depth:
        return None
    matrix = reshaped(builder, w, shape[-2:])
    product = builder.apply(quantized_matmul, x, matrix, transpose_b=transpose_b)
    return reshaped(builder, product, builder.result(eqn).shape)


def _convolution(builder: Builder, eqn: Eqn) -> int | None:
    """A convolution without groups."""
    depth = builder.aval(eqn.inputs[1]).shape[-2]
    if depth < MIN_DEPTH or builder.aval(eqn.inputs[0]).shape[-1] != depth:
        return None
    return builder.add(quantized_conv2d, eqn.inputs, eqn.attrs)
