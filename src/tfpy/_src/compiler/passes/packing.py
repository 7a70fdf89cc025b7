"""Products of packed bytes, which replace quantized products."""

from __future__ import annotations

import math

from tfpy._src.compiler.ir.aval import Shape
from tfpy._src.compiler.ir.graph import Attrs, Eqn, Graph
from tfpy._src.compiler.lower.target import Target
from tfpy._src.compiler.ops.movement import transpose
from tfpy._src.compiler.ops.packed_bytes import (
    AFFINE,
    POINT,
    SYMMETRIC,
    pack_bytes,
    pack_nibbles,
    packed_conv2d,
    packed_rows,
)
from tfpy._src.compiler.ops.quantized import quantized_conv2d, quantized_matmul
from tfpy._src.compiler.passes.common_subexpressions import merge_common_subexpressions
from tfpy._src.compiler.passes.movement import reshaped
from tfpy._src.compiler.passes.rewrite import Builder, rewrite


def pack_quantized(graph: Graph, target: Target, bits: int = 8) -> Graph:
    """Quantize operands by separate equations, one for all products of an array. ::

                                        %2:int32[8,1,12] = pack_bytes(%0 …) kind=affine
    %2 = quantized_matmul(%0, %1)   ->  %3:int32[64,1,12] = pack_bytes(%1 …) kind=symmetric
                                        %4 = packed_conv2d(%2, %3) …

    A kernel for few rows quantizes them itself.

    Args:
        bits: Precision of weights that are multiplied with few rows, 8 or 4.
    """

    def rule(builder: Builder, eqn: Eqn) -> int | None:
        if eqn.op is quantized_matmul:
            found = _few_rows(builder, eqn, target, bits)
            return _product(builder, eqn) if found is None else found
        return _convolution(builder, eqn) if eqn.op is quantized_conv2d else None

    graph = rewrite(graph, rule, (quantized_matmul, quantized_conv2d))
    return merge_common_subexpressions(graph)


def _few_rows(builder: Builder, eqn: Eqn, target: Target, bits: int) -> int | None:
    x, channels, (m, n, k) = _operands(builder, eqn)
    if bits == 8:
        channels = reshaped(builder, channels, (n, 1, k))
        packed = builder.apply(pack_bytes, channels, kind=SYMMETRIC)
    else:
        packed = builder.apply(pack_nibbles, channels)
    rows = reshaped(builder, x, (m, k))
    assert packed_rows.kernel is not None
    if not target.takes(packed_rows.kernel(builder.aval(rows), builder.aval(packed), bits=bits)):
        return None
    product = builder.apply(packed_rows, rows, packed, bits=bits)
    return reshaped(builder, product, builder.result(eqn).shape)


def _operands(builder: Builder, eqn: Eqn) -> tuple[int, int, tuple[int, int, int]]:
    """Return activations, weights [n, k], and the sizes m, n, k."""
    x, w = eqn.inputs
    channels = w if dict(eqn.attrs)["transpose_b"] else builder.apply(transpose, w, perm=(1, 0))
    n, k = builder.aval(channels).shape
    return x, channels, (math.prod(builder.aval(x).shape[:-1]), n, k)


def _product(builder: Builder, eqn: Eqn) -> int:
    x, channels, (m, n, k) = _operands(builder, eqn)
    columns = builder.apply(pack_bytes, reshaped(builder, channels, (n, 1, k)), kind=SYMMETRIC)
    attrs = _attrs((1, 1, m, k), (1, 1, k, n), tuple(POINT.items()))
    found = builder.add(packed_conv2d, (_rows_of(builder, x), columns), attrs)
    return reshaped(builder, found, builder.result(eqn).shape)


def _convolution(builder: Builder, eqn: Eqn) -> int:
    x, w = eqn.inputs
    shape = builder.aval(w).shape
    channels = builder.apply(transpose, w, perm=(3, 0, 1, 2))
    taps = (shape[3], shape[0] * shape[1], shape[2])
    columns = builder.apply(pack_bytes, reshaped(builder, channels, taps), kind=SYMMETRIC)
    attrs = _attrs(builder.aval(x).shape, shape, eqn.attrs)
    return builder.add(packed_conv2d, (_rows_of(builder, x), columns), attrs)


def _rows_of(builder: Builder, x: int) -> int:
    """Return an array [..., k] as packed rows."""
    *rows, k = builder.aval(x).shape
    return builder.apply(pack_bytes, reshaped(builder, x, (math.prod(rows), 1, k)), kind=AFFINE)


def _attrs(in_shape: Shape, filter_shape: Shape, window: Attrs) -> Attrs:
    shapes = (("in_shape", in_shape), ("filter_shape", filter_shape))
    return (*shapes, *window, ("whole", False))
