"""Recognition of numbers of four bits that share bytes, as Keras packs int4 weights."""

from __future__ import annotations

from tfpy._src.base.dtypes import int8
from tfpy._src.compiler.ir.graph import Eqn, Graph
from tfpy._src.compiler.ops.bitwise import bitwise_and, bitwise_xor, right_shift
from tfpy._src.compiler.ops.concatenation import concat
from tfpy._src.compiler.ops.elementwise import subtract
from tfpy._src.compiler.ops.movement import reshape, strided_slice, transpose
from tfpy._src.compiler.ops.stored_bytes import unpack_halves
from tfpy._src.compiler.passes.rewrite import Builder, rewrite

_MASK, _SIGN = 15, 8


def find_halves(graph: Graph) -> Graph:
    """Replace the equations that unpack numbers of four bits by `unpack_halves`.

    Both halves of each byte are made signed by `(x ^ 8) - 8`. ::

        %1:int8[48,64] = transpose(%0:int8[64,48]) …
        %2:int8[48,64] = bitwise_and(%1, 15)
        %3:int8[48,64] = right_shift(%1, 4)
        %4:int8[48,64] = bitwise_and(%3, 15)
        %5:int8[48,64] = bitwise_xor(%2, 8)         %1:int8[64,96] = unpack_halves(%0) axis=1 …
        %6:int8[48,64] = subtract(%5, 8)        ->  %2:int8[96,64] = transpose(%1) …
        …                                           %3:int8[64,96] = transpose(%2) …
        %11:int8[48,2,64] = concat(%9, %10) axis=1
        %12:int8[96,64] = reshape(%11) …
        %13:int8[64,96] = transpose(%12) …
    """
    return rewrite(graph, _found, (right_shift,))


def _found(builder: Builder, eqn: Eqn) -> int | None:
    if builder.result(eqn).dtype != int8 or len(builder.result(eqn).shape) != 2:
        return None
    rule = _RULES.get(eqn.op)
    return None if rule is None else rule(builder, eqn)


def _joined(builder: Builder, eqn: Eqn) -> int | None:
    """Replace the reshape of joined halves, or a reshape to the same shape."""
    (x,) = eqn.inputs
    shape = builder.result(eqn).shape
    if builder.aval(x).shape == shape:
        return x
    both = builder.producer(x, concat)
    if both is None or dict(both.attrs)["axis"] != 1 or len(both.inputs) != 2:
        return None
    low, high = (_half(builder, value) for value in both.inputs)
    shifted = None if high is None else builder.producer(high, right_shift)
    if low is None or shifted is None or not _is(builder, shifted.inputs[1], 4):
        return None
    (rows, columns), (packed, _) = builder.aval(low).shape, shifted.inputs
    if packed != low or builder.aval(x).shape != (rows, 2, columns):
        return None
    if shape != (2 * rows, columns):
        return None
    turned = builder.producer(packed, transpose)
    packed = packed if turned is None else turned.inputs[0]
    return _unpacked(builder, packed, 2 * rows, turned is not None)


def _half(builder: Builder, value: int) -> int | None:
    """Return the bytes with a half in the lower bits, from which signed numbers are computed."""
    piece = builder.producer(value, reshape)
    signed = None if piece is None else builder.producer(piece.inputs[0], subtract)
    flipped = None if signed is None else builder.producer(signed.inputs[0], bitwise_xor)
    masked = None if flipped is None else builder.producer(flipped.inputs[0], bitwise_and)
    if signed is None or flipped is None or masked is None:
        return None
    numbers = ((signed, _SIGN), (flipped, _SIGN), (masked, _MASK))
    if not all(_is(builder, eqn.inputs[1], number) for eqn, number in numbers):
        return None
    return masked.inputs[0] if len(builder.aval(masked.inputs[0]).shape) == 2 else None


def _is(builder: Builder, value: int, number: int) -> bool:
    array = builder.constant(value)
    return array is not None and array.size == 1 and array.item() == number


def _unpacked(builder: Builder, packed: int, length: int, is_turned: bool) -> int:
    """Return the numbers [length, columns] of bytes [rows, columns], or if turned, of [columns,
    rows]."""
    axis = 1 if is_turned else 0
    found = builder.apply(unpack_halves, packed, axis=axis, length=length)
    return builder.apply(transpose, found, perm=(1, 0)) if is_turned else found


def _shortened(builder: Builder, eqn: Eqn) -> int | None:
    """Leave out the last number, which fills a byte."""
    attrs, (x,) = dict(eqn.attrs), eqn.inputs
    before, after = builder.aval(x).shape, builder.result(eqn).shape
    one_less = before[0] - 1 == after[0] and before[1] == after[1]
    if any(attrs["begin"]) or attrs["strides"] != (1, 1) or not one_less:
        return None
    turned = builder.producer(x, transpose)
    made = builder.producer(x if turned is None else turned.inputs[0], unpack_halves)
    if made is None or dict(made.attrs)["axis"] != (0 if turned is None else 1):
        return None
    return _unpacked(builder, made.inputs[0], after[0], turned is not None)


def _turned(builder: Builder, eqn: Eqn) -> int | None:
    """Leave out a transpose of a transpose."""
    inner = builder.producer(eqn.inputs[0], transpose)
    both_turn = inner is not None and dict(inner.attrs)["perm"] == dict(eqn.attrs)["perm"] == (1, 0)
    return inner.inputs[0] if inner is not None and both_turn else None


_RULES = {reshape: _joined, strided_slice: _shortened, transpose: _turned}
