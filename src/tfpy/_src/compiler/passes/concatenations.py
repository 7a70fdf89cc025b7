"""Replacement of concatenations of parts of one array, which fuse with their readers afterwards."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from tfpy._src.base.dtypes import bool as bool_
from tfpy._src.compiler.ir.graph import Eqn, Graph
from tfpy._src.compiler.ops.concatenation import concat
from tfpy._src.compiler.ops.elementwise import negative
from tfpy._src.compiler.ops.logic import select
from tfpy._src.compiler.ops.movement import broadcast_to, reshape, strided_slice
from tfpy._src.compiler.passes.movement import reshaped
from tfpy._src.compiler.passes.rewrite import Builder, rewrite


def replace_concatenations(graph: Graph) -> Graph:
    """Express copies of an array, and an array with exchanged halves, without a concatenation.

    A concatenation is a separate kernel. Slices and broadcasts are parts of the kernels that read
    them, as in rotary position embeddings. One half, or both, may be negated. ::

        %1:float32[8,32] = strided_slice(%0) begin=(0, 32) …
        %2:float32[8,32] = strided_slice(%0) begin=(0, 0) …
        %3:float32[8,32] = negative(%1)
        %4:float32[8,64] = concat(%3, %2) axis=1
    ->
        %1:float32[8,32] = strided_slice(%0) begin=(0, 32) …
        %2:float32[8,32] = strided_slice(%0) begin=(0, 0) …
        %3:float32[8,2,32] = select([[True], [False]], reshape(%1) …, reshape(%2) …)
        %4:float32[8,2,32] = select([[True], [False]], negative(%3), %3)
        %5:float32[8,64] = reshape(%4) …
    """
    return rewrite(graph, _replaced, around=(concat,))


def _replaced(builder: Builder, eqn: Eqn) -> int | None:
    if eqn.op is not concat or not builder.result(eqn).size:
        return None
    if len(set(eqn.inputs)) == 1:
        return _copies(builder, eqn)
    return _exchanged(builder, eqn) if len(eqn.inputs) == 2 else None


def _copies(builder: Builder, eqn: Eqn) -> int:
    """Broadcast the array of which all operands are copies."""
    x, axis = eqn.inputs[0], dict(eqn.attrs)["axis"]
    shape = builder.aval(x).shape
    outer, inner = math.prod(shape[:axis]), math.prod(shape[axis:])
    single = reshaped(builder, x, (outer, 1, inner))
    copies = builder.apply(broadcast_to, single, shape=(outer, len(eqn.inputs), inner))
    return reshaped(builder, copies, builder.result(eqn).shape)


class _Half(NamedTuple):
    """A half of an array along an axis."""

    value: int
    x: int
    axis: int
    is_second: bool
    is_negative: bool


def _exchanged(builder: Builder, eqn: Eqn) -> int | None:
    """Read the halves of an array in the opposite order."""
    first, second = (_half(builder, value) for value in eqn.inputs)
    if first is None or second is None or not first.is_second or second.is_second:
        return None
    if (first.x, first.axis) != (second.x, second.axis):
        return None
    shape = builder.result(eqn).shape
    axis = dict(eqn.attrs)["axis"]
    outer, inner = math.prod(shape[:axis]), math.prod(shape[axis:]) // 2
    if math.prod(builder.aval(first.x).shape[: first.axis]) != outer:
        return None
    is_first = builder.add_constant(np.array([[True], [False]]), bool_)
    parts = [reshaped(builder, half.value, (outer, 1, inner)) for half in (first, second)]
    found = builder.apply(select, is_first, *parts)
    if first.is_negative or second.is_negative:
        negated = builder.apply(negative, found)
        signed = [negated if half.is_negative else found for half in (first, second)]
        found = builder.apply(select, is_first, *signed)
    return reshaped(builder, found, shape)


def _half(builder: Builder, value: int) -> _Half | None:
    """Return the half of an array from which values are computed by reshapes and negation."""
    is_negative = False
    while (eqn := builder.producer(value, reshape, negative)) is not None:
        is_negative ^= eqn.op is negative
        (value,) = eqn.inputs
    cut = builder.producer(value, strided_slice)
    if cut is None:
        return None
    attrs, shape = dict(cut.attrs), builder.aval(cut.inputs[0]).shape
    size, begin = attrs["size"], attrs["begin"]
    axes = [axis for axis, n in enumerate(shape) if size[axis] != n]
    if len(axes) != 1 or set(attrs["strides"]) != {1}:
        return None
    (axis,) = axes
    half = size[axis]
    if shape[axis] != 2 * half or begin[axis] not in (0, half):
        return None
    return _Half(value, cut.inputs[0], axis, begin[axis] == half, is_negative)
