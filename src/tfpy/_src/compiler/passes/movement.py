"""Simplification of redundant movement: reshapes, transposes, slices, pads and concats."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from tfpy._src.compiler.ir.aval import Shape
from tfpy._src.compiler.ir.graph import Eqn, Graph
from tfpy._src.compiler.ir.op import Op
from tfpy._src.compiler.ops.concatenation import concat
from tfpy._src.compiler.ops.dynamic_slices import dynamic_update_slice
from tfpy._src.compiler.ops.movement import broadcast_to, pad, reshape, strided_slice, transpose
from tfpy._src.compiler.passes.reductions import REDUCTIONS
from tfpy._src.compiler.passes.rewrite import Builder, Rule, rewrite


def simplify_movement(graph: Graph) -> Graph:
    """Remove movement without effect, join chains, and prefer reshapes, which are free.

    ::

        graph(%0:float32[4,1,3])                      graph(%0:float32[4,1,3])
          %1:float32[1,4,3] = transpose(%0) …           %1:float32[12] = reshape(%0) …
          %2:float32[12] = reshape(%1) …        ->      return %1
          %3:float32[12] = strided_slice(%2) …
          return %3
    """
    return rewrite(graph, _simplify, around=_RULES)


def _simplify(builder: Builder, eqn: Eqn) -> int | None:
    rule = _RULES.get(eqn.op)
    return None if rule is None else rule(builder, eqn)


def reshaped(builder: Builder, value: int, shape: Shape) -> int:
    """Return `value` with another shape, by at most one reshape."""
    made = builder.producer(value, reshape)
    source = value if made is None else made.inputs[0]
    return (
        source
        if builder.aval(source).shape == shape
        else builder.apply(reshape, source, shape=shape)
    )


def _reshape(builder: Builder, eqn: Eqn) -> int | None:
    (x,) = eqn.inputs
    shape = builder.result(eqn).shape
    if builder.aval(x).shape == shape or builder.producer(x, reshape) is not None:
        return reshaped(builder, x, shape)
    made = builder.producer(x, broadcast_to)
    if made is not None and builder.aval(made.inputs[0]).size == 1:
        return builder.apply(broadcast_to, reshaped(builder, made.inputs[0], ()), shape=shape)
    return None


def _transpose(builder: Builder, eqn: Eqn) -> int | None:
    (x,) = eqn.inputs
    perm: tuple[int, ...] = dict(eqn.attrs)["perm"]
    inner = builder.producer(x, transpose)
    if inner is not None:
        (x,) = inner.inputs
        first = dict(inner.attrs)["perm"]
        perm = tuple(first[p] for p in perm)
    if keeps_order(builder.aval(x).shape, perm):
        return reshaped(builder, x, builder.result(eqn).shape)
    return None if inner is None else builder.apply(transpose, x, perm=perm)


def keeps_order(shape: Shape, perm: Sequence[int]) -> bool:
    """Return True if a transpose keeps the order of elements: moves only dimensions of size 1."""
    moved = [p for p in perm if shape[p] != 1]
    return moved == sorted(moved) or math.prod(shape) == 0


def _broadcast(builder: Builder, eqn: Eqn) -> int | None:
    (x,) = eqn.inputs
    out = builder.result(eqn)
    if builder.aval(x).size == out.size:
        return reshaped(builder, x, out.shape)
    inner = builder.producer(x, broadcast_to)
    return None if inner is None else builder.apply(broadcast_to, inner.inputs[0], shape=out.shape)


def _slice(builder: Builder, eqn: Eqn) -> int | None:
    (x,) = eqn.inputs
    attrs = dict(eqn.attrs)
    begin, size, strides = attrs["begin"], attrs["size"], attrs["strides"]
    shape = builder.aval(x).shape
    whole = all(n == m and (s == 1 or m == 1) for n, m, s in zip(size, shape, strides, strict=True))
    if whole:
        return x
    inner = builder.producer(x, strided_slice, concat, pad, reshape)
    if inner is None or 0 in size:
        return None
    if inner.op is concat:
        return _slice_of_concat(builder, inner, begin, size, strides)
    if inner.op is pad:
        return _slice_of_pad(builder, inner, begin, size, strides)
    if inner.op is reshape:
        return _slice_of_reshape(builder, inner, begin, size, strides)
    first = dict(inner.attrs)
    steps = zip(first["begin"], first["strides"], begin, strides, strict=True)
    starts, strides = zip(*((b + s * c, s * t) for b, s, c, t in steps), strict=True)
    return builder.apply(strided_slice, inner.inputs[0], begin=starts, size=size, strides=strides)


def _slice_of_concat(
    builder: Builder, joined: Eqn, begin: Shape, size: Shape, strides: Shape
) -> int | None:
    """Rewrite a slice within one of the joined pieces as a slice of that piece."""
    axis: int = dict(joined.attrs)["axis"]
    last = begin[axis] + (size[axis] - 1) * strides[axis]
    start = 0
    for piece in joined.inputs:
        stop = start + builder.aval(piece).shape[axis]
        if start <= min(begin[axis], last) and max(begin[axis], last) < stop:
            moved = tuple(b - start if i == axis else b for i, b in enumerate(begin))
            return _whole_or_slice(builder, piece, moved, size, strides)
        start = stop
    return None


def _slice_of_pad(
    builder: Builder, padded: Eqn, begin: Shape, size: Shape, strides: Shape
) -> int | None:
    """Pad a slice instead, if whole padded dimensions are taken and if the slice needs no copy."""
    (x,) = padded.inputs
    attrs = dict(padded.attrs)
    shape, whole = builder.aval(x).shape, builder.result(padded).shape
    if not _is_joined(builder, x) or any(attrs["interior"]):
        return None
    taken = [*zip(begin, size, strides, strict=True)]
    for axis, sides in enumerate(attrs["padding"]):
        if sides != (0, 0):
            if taken[axis] != (0, whole[axis], 1):
                return None
            taken[axis] = (0, shape[axis], 1)
    starts, sizes, steps = zip(*taken, strict=True)
    inner = builder.apply(strided_slice, x, begin=starts, size=sizes, strides=steps)
    return builder.apply(pad, inner, **attrs)


def _slice_of_reshape(
    builder: Builder, made: Eqn, begin: Shape, size: Shape, strides: Shape
) -> int | None:
    """Reshape a slice instead, if the reshape adds and removes only dimensions of size 1."""
    (x,) = made.inputs
    shape, result = builder.aval(x).shape, builder.result(made).shape
    if not _is_joined(builder, x) or _longer(shape) != _longer(result):
        return None
    taken = zip(begin, size, strides, result, strict=True)
    long = iter([part for *part, length in taken if length != 1])
    parts = [(0, 1, 1) if length == 1 else next(long) for length in shape]
    starts, sizes, steps = zip(*parts, strict=True)
    inner = builder.apply(strided_slice, x, begin=starts, size=sizes, strides=steps)
    return reshaped(builder, inner, size)


def _longer(shape: Shape) -> list[int]:
    return [length for length in shape if length != 1]


def _is_joined(builder: Builder, value: int) -> bool:
    """Return True for a concatenation, also if it is padded or reshaped afterwards."""
    while (made := builder.producer(value, concat, pad, reshape)) is not None:
        if made.op is concat:
            return True
        (value,) = made.inputs
    return False


def _whole_or_slice(builder: Builder, x: int, begin: Shape, size: Shape, strides: Shape) -> int:
    if size == builder.aval(x).shape and all(s == 1 for s in strides):
        return x
    return builder.apply(strided_slice, x, begin=begin, size=size, strides=strides)


def _pad(builder: Builder, eqn: Eqn) -> int | None:
    (x,) = eqn.inputs
    attrs = dict(eqn.attrs)
    shape = builder.aval(x).shape
    spread = any(i and n > 1 for i, n in zip(attrs["interior"], shape, strict=True))
    if spread:
        return None
    if not any(low or high for low, high in attrs["padding"]):
        return x
    inner = builder.producer(x, pad)
    if inner is None or 0 in shape:
        return None
    first = dict(inner.attrs)
    if repr(first["value"]) != repr(attrs["value"]) or not _only_adds(first, attrs):
        return None
    both = zip(first["padding"], attrs["padding"], strict=True)
    padding = tuple((a + c, b + d) for (a, b), (c, d) in both)
    return builder.apply(
        pad,
        inner.inputs[0],
        padding=padding,
        interior=first["interior"],
        value=first["value"],
    )


def _only_adds(*pads: dict[str, Any]) -> bool:
    return all(low >= 0 and high >= 0 for attrs in pads for low, high in attrs["padding"])


def _concat(builder: Builder, eqn: Eqn) -> int | None:
    """Remove empty pieces. A single piece replaces the concatenation."""
    axis: int = dict(eqn.attrs)["axis"]
    pieces = [x for x in eqn.inputs if builder.aval(x).shape[axis]] or [eqn.inputs[0]]
    if len(pieces) == 1:
        return pieces[0]
    if len(pieces) == len(eqn.inputs):
        return None
    return builder.apply(concat, *pieces, axis=axis)


def _update(builder: Builder, eqn: Eqn) -> int | None:
    """Replace the result by an update of the whole tensor."""
    x, update, _ = eqn.inputs
    return update if builder.aval(update).shape == builder.aval(x).shape else None


def _reduce(builder: Builder, eqn: Eqn) -> int | None:
    """Replace a reduction over axes of size 1 by a reshape."""
    (x,) = eqn.inputs
    begin, end = dict(eqn.attrs)["axes"]
    if math.prod(builder.aval(x).shape[begin:end]) != 1:
        return None
    return reshaped(builder, x, builder.result(eqn).shape)


_RULES: dict[Op, Rule] = {
    broadcast_to: _broadcast,
    concat: _concat,
    dynamic_update_slice: _update,
    pad: _pad,
    reshape: _reshape,
    strided_slice: _slice,
    transpose: _transpose,
    **dict.fromkeys(REDUCTIONS, _reduce),
}
