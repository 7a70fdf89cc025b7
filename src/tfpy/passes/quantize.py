"""Products with weights are computed in int8."""

from __future__ import annotations

import math
from collections.abc import Collection

from tfpy.dtypes import float32
from tfpy.ir.graph import Eqn, Graph
from tfpy.ops.contraction import matmul
from tfpy.ops.quantized import MAX_DEPTH, quantized_matmul
from tfpy.ops.window import conv2d
from tfpy.passes.movement import reshaped
from tfpy.passes.prelude import WeightOnly
from tfpy.passes.rewrite import Builder, rewrite
from tfpy.passes.target import Target

MIN_WEIGHTS = 1024
"""Elements of weights from which on their product gains, as in TensorFlow Lite."""


def quantize(graph: Graph, target: Target, weights: Collection[int]) -> Graph:
    """Quantises products with weights, and 1x1 convolutions, where the target has the kernel.

    Results differ by the quantisation of both sides, see
    :data:`~tfpy.ops.quantized.quantized_matmul`. ::

        %4:float32[1,8,8,96] = conv2d(%0, %1) …    %4:float32[48,96] = reshape(%1) …
        %5:float32[1,8,8,96] = add(%4, %2)    ->   %5:float32[1,8,8,96] = quantized_matmul(%0, %4) …
                                                   %6:float32[1,8,8,96] = add(%5, %2)

    Args:
        weights: positions in ``graph.inputs``, see :class:`~tfpy.passes.prelude.WeightOnly`.
    """
    if quantized_matmul.name not in target.kernels:
        return graph
    fixed: list[WeightOnly] = []

    def rule(builder: Builder, eqn: Eqn) -> int | None:
        if not fixed:
            fixed.append(WeightOnly(builder.graph, weights))
        return _quantized(builder, eqn, fixed[0])

    return rewrite(graph, rule)


def _quantized(builder: Builder, eqn: Eqn, fixed: WeightOnly) -> int | None:
    if eqn.op not in (matmul, conv2d):
        return None
    x, w = eqn.inputs
    shape = builder.aval(w).shape
    if w not in fixed or x in fixed or math.prod(shape) < MIN_WEIGHTS:
        return None
    if builder.aval(w).dtype != float32 or math.prod(shape[:-2]) != 1:
        return None
    attrs = dict(eqn.attrs)
    if eqn.op is matmul and attrs["transpose_a"]:
        return None
    if eqn.op is conv2d and not _is_pointwise(builder, eqn):
        return None
    transpose_b = attrs.get("transpose_b", False)
    if shape[-1 if transpose_b else -2] > MAX_DEPTH:
        return None
    matrix = reshaped(builder, w, shape[-2:])
    product = builder.apply(quantized_matmul, x, matrix, transpose_b=transpose_b)
    return reshaped(builder, product, builder.result(eqn).shape)


def _is_pointwise(builder: Builder, eqn: Eqn) -> bool:
    """Whether a convolution with a 1x1 filter is a product of pixels."""
    x, w = (builder.aval(value).shape for value in eqn.inputs)
    attrs = dict(eqn.attrs)
    padding = sum(attrs["padding"], ())
    return x[-1] == w[-2] and attrs["strides"] == (1, 1) and not any(padding)
