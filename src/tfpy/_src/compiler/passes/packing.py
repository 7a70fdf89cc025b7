"""Products of packed bytes, which replace quantized products and products of int8."""

from __future__ import annotations

import math
from collections.abc import Collection

from tfpy._src.base.dtypes import int8, int32
from tfpy._src.compiler.ir.aval import Shape
from tfpy._src.compiler.ir.graph import Attrs, Eqn, Graph
from tfpy._src.compiler.lower.target import Target
from tfpy._src.compiler.ops.casting import cast
from tfpy._src.compiler.ops.contraction import matmul
from tfpy._src.compiler.ops.movement import reshape, transpose
from tfpy._src.compiler.ops.packed_bytes import (
    AFFINE,
    POINT,
    SYMMETRIC,
    WHOLE,
    pack_bytes,
    pack_nibbles,
    packed_conv2d,
    packed_rows,
)
from tfpy._src.compiler.ops.quantized import quantized_conv2d, quantized_matmul
from tfpy._src.compiler.passes.common_subexpressions import merge_common_subexpressions
from tfpy._src.compiler.passes.movement import reshaped
from tfpy._src.compiler.passes.prelude import WeightOnly
from tfpy._src.compiler.passes.rewrite import Builder, rewrite

MIN_WEIGHTS = 4096
"""Smallest number of weights for which packing pays."""


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


def pack_products_of_bytes(graph: Graph, target: Target, weights: Collection[int]) -> Graph:
    """Rewrite int32 products of activations and weights cast from int8, as in Keras's int8 layers.

    The sums are the same. The host packs the weights, so that they are never stored as int32. ::

        %2:int32[8,64] = cast(%0:int8[8,64])      %4:int32[8,1,20] = pack_bytes(%2 …) kind=whole
        %3:int32[64,64] = cast(%1:int8[64,64]) -> %5:int32[64,1,20] = pack_bytes(%1 …) kind=whole
        %4:int32[8,64] = matmul(%2, %3)           %6:int32[1,1,8,64] = packed_conv2d(%4, %5) …

    Args:
        weights: Positions in `graph.inputs`; see
            :class:`~tfpy._src.compiler.passes.prelude.WeightOnly`.
    """
    if packed_conv2d.name not in target.kernels:
        return graph

    def rule(builder: Builder, eqn: Eqn) -> int | None:
        if eqn.op is not matmul:
            return None
        x, w = eqn.inputs
        attrs = dict(eqn.attrs)
        shape = builder.aval(w).shape
        if attrs["transpose_a"] or len(shape) != 2 or math.prod(shape) < MIN_WEIGHTS:
            return None
        if not (was_int8(builder, x) and was_int8(builder, w)):
            return None
        if w not in WeightOnly(builder.graph, weights):
            return None
        eqn = eqn._replace(inputs=(x, _before_cast(builder, w)))
        found = _few_rows(builder, eqn, target, 8, WHOLE)
        return _product(builder, eqn, WHOLE, WHOLE) if found is None else found

    return rewrite(graph, rule, (matmul,))


def was_int8(builder: Builder, value: int) -> bool:
    """Return True if int32 values are cast from int8."""
    eqn = builder.producer(value, reshape, transpose, cast)
    while eqn is not None and eqn.op is not cast:
        eqn = builder.producer(eqn.inputs[0], reshape, transpose, cast)
    if eqn is None or builder.result(eqn).dtype != int32:
        return False
    return builder.aval(eqn.inputs[0]).dtype == int8


def _before_cast(builder: Builder, value: int) -> int:
    """Return the int8 values from which int32 values are cast, moved in the same way."""
    eqn = builder.producer(value)
    assert eqn is not None, "was_int8() has checked it"
    (source,) = eqn.inputs
    if eqn.op is not cast:
        return builder.add(eqn.op, (_before_cast(builder, source),), eqn.attrs)
    return source if builder.aval(source).dtype == int8 else _before_cast(builder, source)


def _few_rows(
    builder: Builder, eqn: Eqn, target: Target, bits: int, kind: str = AFFINE
) -> int | None:
    x, channels, (m, n, k) = _operands(builder, eqn)
    if bits == 8:
        of_weights = SYMMETRIC if kind == AFFINE else kind
        channels = reshaped(builder, channels, (n, 1, k))
        packed = builder.apply(pack_bytes, channels, kind=of_weights)
    else:
        packed = builder.apply(pack_nibbles, channels)
    rows = reshaped(builder, x, (m, k))
    attrs = {"kind": kind, "bits": bits}
    assert packed_rows.kernel is not None
    if not target.takes(packed_rows.kernel(builder.aval(rows), builder.aval(packed), **attrs)):
        return None
    product = builder.apply(packed_rows, rows, packed, **attrs)
    return reshaped(builder, product, builder.result(eqn).shape)


def _operands(builder: Builder, eqn: Eqn) -> tuple[int, int, tuple[int, int, int]]:
    """Return activations, weights [n, k], and the sizes m, n, k."""
    x, w = eqn.inputs
    channels = w if dict(eqn.attrs)["transpose_b"] else builder.apply(transpose, w, perm=(1, 0))
    n, k = builder.aval(channels).shape
    return x, channels, (math.prod(builder.aval(x).shape[:-1]), n, k)


def _product(builder: Builder, eqn: Eqn, of_rows: str = AFFINE, of_weights: str = SYMMETRIC) -> int:
    x, channels, (m, n, k) = _operands(builder, eqn)
    columns = builder.apply(pack_bytes, reshaped(builder, channels, (n, 1, k)), kind=of_weights)
    attrs = _attrs((1, 1, m, k), (1, 1, k, n), tuple(POINT.items()), of_rows == WHOLE)
    found = builder.add(packed_conv2d, (_rows_of(builder, x, of_rows), columns), attrs)
    return reshaped(builder, found, builder.result(eqn).shape)


def _convolution(builder: Builder, eqn: Eqn) -> int:
    x, w = eqn.inputs
    shape = builder.aval(w).shape
    channels = builder.apply(transpose, w, perm=(3, 0, 1, 2))
    taps = (shape[3], shape[0] * shape[1], shape[2])
    columns = builder.apply(pack_bytes, reshaped(builder, channels, taps), kind=SYMMETRIC)
    attrs = _attrs(builder.aval(x).shape, shape, eqn.attrs, False)
    return builder.add(packed_conv2d, (_rows_of(builder, x, AFFINE), columns), attrs)


def _rows_of(builder: Builder, x: int, kind: str) -> int:
    """Return an array [..., k] as packed rows."""
    *rows, k = builder.aval(x).shape
    return builder.apply(pack_bytes, reshaped(builder, x, (math.prod(rows), 1, k)), kind=kind)


def _attrs(in_shape: Shape, filter_shape: Shape, window: Attrs, whole: bool) -> Attrs:
    shapes = (("in_shape", in_shape), ("filter_shape", filter_shape))
    return (*shapes, *window, ("whole", whole))
