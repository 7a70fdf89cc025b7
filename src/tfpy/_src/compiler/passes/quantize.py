"""Quantization of products and convolutions with weights to int8."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import replace
from typing import Any

from tfpy._src.base.dtypes import float32
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.compiler.ir.fusion import is_elementwise
from tfpy._src.compiler.ir.graph import Eqn, Graph
from tfpy._src.compiler.ir.kernel import KernelCall
from tfpy._src.compiler.ir.op import Op
from tfpy._src.compiler.lower.calls import kernel_call
from tfpy._src.compiler.lower.target import Target
from tfpy._src.compiler.ops.contraction import matmul
from tfpy._src.compiler.ops.convolution import conv2d
from tfpy._src.compiler.ops.packed_bytes import packed_conv2d
from tfpy._src.compiler.ops.quantized import MAX_DEPTH, quantized_conv2d, quantized_matmul
from tfpy._src.compiler.passes.movement import reshaped
from tfpy._src.compiler.passes.packing import pack_quantized
from tfpy._src.compiler.passes.prelude import WeightOnly
from tfpy._src.compiler.passes.rewrite import Builder, rewrite


def quantize(graph: Graph, target: Target, weights: Collection[int], bits: int = 8) -> Graph:
    """Quantize products and convolutions with weights where the target has the kernels.

    Results differ by the quantization of both operands, see `ops/quantized.py`. Products that would
    be slower, according to the target, stay. A convolution with 1x1 filters is a product::

    %3:float32[1,8,8,96] = conv2d(%0, %1) …       %3:float32[48,96] = reshape(%1) …
    %4:float32[1,8,8,96] = add(%3, %2)       ->   %4:float32[1,8,8,96] = quantized_matmul(%0, %3) …
                                                  %5:float32[1,8,8,96] = add(%4, %2)

    If the target multiplies packed bytes, quantization consists of separate equations
    (`packing.py`), and weights are quantized once.

    Args:
        weights: Positions in `graph.inputs`; see
            :class:`~tfpy._src.compiler.passes.prelude.WeightOnly`.
        bits: Precision of weights that are multiplied with few rows, where the target has a kernel.
    """
    packed = packed_conv2d.name in target.kernels
    if not packed and not {quantized_matmul.name, quantized_conv2d.name} <= target.kernels:
        return graph
    fixed: list[WeightOnly] = []

    def rule(builder: Builder, eqn: Eqn) -> int | None:
        if not fixed:
            fixed.append(WeightOnly(builder.graph, weights))
        return _quantized(builder, eqn, target, fixed[0])

    graph = rewrite(graph, rule)
    return pack_quantized(graph, target, bits) if packed else graph


def _quantized(builder: Builder, eqn: Eqn, target: Target, fixed: WeightOnly) -> int | None:
    if eqn.op not in (matmul, conv2d):
        return None
    x, w = eqn.inputs
    if w not in fixed or x in fixed or builder.aval(w).dtype != float32:
        return None
    if eqn.op is matmul or _is_pointwise(builder, eqn):
        return _product(builder, eqn, target)
    return _convolution(builder, eqn, target)


def _is_pointwise(builder: Builder, eqn: Eqn) -> bool:
    """Return True if a convolution is the product of pixels and a matrix."""
    attrs = dict(eqn.attrs)
    filter_size = builder.aval(eqn.inputs[1]).shape[:2]
    plain = filter_size == attrs["strides"] == (1, 1)
    return plain and not any(map(any, attrs["padding"]))


def _product(builder: Builder, eqn: Eqn, target: Target) -> int | None:
    """Quantize the product of the rows of an array and one matrix."""
    x, w = eqn.inputs
    shape, attrs = builder.aval(w).shape, dict(eqn.attrs)
    transpose_b = attrs.get("transpose_b", False)
    depth = shape[-1] if transpose_b else shape[-2]
    if attrs.get("transpose_a") or math.prod(shape[:-2]) != 1 or builder.aval(x).shape[-1] != depth:
        return None
    matrix = Aval(shape[-2:], float32)
    if not _gains(builder, target, quantized_matmul, x, matrix, transpose_b=transpose_b):
        return None
    found = reshaped(builder, w, matrix.shape)
    product = builder.apply(quantized_matmul, x, found, transpose_b=transpose_b)
    return reshaped(builder, product, builder.result(eqn).shape)


def _convolution(builder: Builder, eqn: Eqn, target: Target) -> int | None:
    """Quantize a convolution without groups."""
    x, filter = eqn.inputs
    shape = builder.aval(filter)
    if builder.aval(x).shape[-1] != shape.shape[-2]:
        return None
    if not _gains(builder, target, quantized_conv2d, x, shape, **dict(eqn.attrs)):
        return None
    return builder.add(quantized_conv2d, eqn.inputs, eqn.attrs)


def _gains(builder: Builder, target: Target, op: Op, x: int, w: Aval, **attrs: Any) -> bool:
    given = builder.aval(x)
    if not 0 < given.shape[-1] <= MAX_DEPTH:
        return False
    assert op.kernel is not None
    return target.takes(replace(op.kernel(given, w, **attrs), maker=_maker_of(builder, x)))


def _maker_of(builder: Builder, value: int) -> KernelCall | None:
    """Return the kernel that computes a value for one reader.

    Elementwise equations may follow the kernel.
    """
    size = builder.aval(value).size
    while (eqn := builder.producer(value)) is not None and builder.read_once(value):
        if not is_elementwise(eqn.op):
            known = eqn.op.kernel is not None and not eqn.op.multiple
            return kernel_call(builder.graph, eqn)[0] if known else None
        whole = [v for v in eqn.inputs if builder.aval(v).size == size]
        if len(whole) != 1:
            return None
        (value,) = whole
    return None
