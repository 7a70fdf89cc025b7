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

MIN_WEIGHTS = 4096
"""Elements of weights from which on their product gains, where they have at least..."""

MIN_CHANNELS = 64
"""...so many output channels, which share the cost of quantising the activations."""


def quantize(graph: Graph, target: Target, weights: Collection[int]) -> Graph:
    """Quantises products with weights, and 1x1 convolutions, where the target has the kernel.

    Results differ by the quantisation of both sides, see ``tfpy/ops/quantized.py``. Small products,
    which would lose, stay. ::

    %3:float32[1,8,8,96] = conv2d(%0, %1) …       %3:float32[48,96] = reshape(%1) …
    %4:float32[1,8,8,96] = add(%3, %2)       ->   %4:float32[1,8,8,96] = quantized_matmul(%0, %3) …
                                                  %5:float32[1,8,8,96] = add(%4, %2)

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
    if w not in fixed or x in fixed or not _is_product(builder, eqn):
        return None
    shape = builder.aval(w).shape
    transpose_b = dict(eqn.attrs).get("transpose_b", False)
    k, n = shape[:-3:-1] if transpose_b else shape[-2:]
    if k * n < MIN_WEIGHTS or n < MIN_CHANNELS or k > MAX_DEPTH:
        return None
    matrix = reshaped(builder, w, shape[-2:])
    product = builder.apply(quantized_matmul, x, matrix, transpose_b=transpose_b)
    return reshaped(builder, product, builder.result(eqn).shape)


def _is_product(builder: Builder, eqn: Eqn) -> bool:
    """Whether it is the product of the rows of a float32 array and one matrix."""
    x, w = (builder.aval(value) for value in eqn.inputs)
    if w.dtype != float32 or math.prod(w.shape[:-2]) != 1:
        return False
    attrs = dict(eqn.attrs)
    if eqn.op is matmul:
        return not attrs["transpose_a"]
    return (
        x.shape[-1] == w.shape[-2]
        and attrs["strides"] == (1, 1)
        and not any(map(any, attrs["padding"]))
    )
