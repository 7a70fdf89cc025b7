"""Algebraic simplification of elementwise equations. Only what gives the same bits, NaN, infinity
and -0.0 included, is rewritten: ``x + 0.0`` stays, since it turns -0.0 into 0.0.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from tfpy._src.compiler.ir.aval import Array, Aval
from tfpy._src.compiler.ir.graph import Eqn, Graph
from tfpy._src.compiler.ir.op import Op
from tfpy._src.compiler.ops.bitwise import bitwise_and
from tfpy._src.compiler.ops.casting import cast
from tfpy._src.compiler.ops.complex import complex_, imag, real
from tfpy._src.compiler.ops.elementwise import (
    abs_,
    add,
    floor_div,
    floor_mod,
    multiply,
    negative,
    power,
    real_div,
    reciprocal,
    square,
    subtract,
)
from tfpy._src.compiler.ops.logic import equal, logical_not, not_equal, select
from tfpy._src.compiler.ops.movement import broadcast_to
from tfpy._src.compiler.passes.rewrite import Builder, Rule, rewrite


def simplify_algebra(graph: Graph) -> Graph:
    """Leaves out elementwise equations that change nothing, and replaces some by cheaper ones. ::

    graph(%0:float32[4])                    graph(%0:float32[4])
      %1:float32[] = constant                 %1:float32[] = constant
      %2:float32[4] = real_div(%0, %1) ->     %2:float32[4] = multiply(%0, %1)
      %3:float32[4] = negative(%2)            return %2
      %4:float32[4] = negative(%3)
      return %4
    """
    return rewrite(graph, _simplify)


def _simplify(builder: Builder, eqn: Eqn) -> int | None:
    if eqn.op.expr is None:
        return None
    if (found := _before_broadcasts(builder, eqn)) is not None:
        return found
    smaller = _absorb_broadcasts(builder, eqn)
    for rule in (_neutral_operand, _absorbing_operand, _of_itself, _RULES.get(eqn.op)):
        found = None if rule is None else rule(builder, smaller)
        if found is not None:
            return found
    return None if smaller is eqn else builder.add(eqn.op, smaller.inputs, eqn.attrs)


def uniform(builder: Builder, value: int) -> Any:
    """The Python number that every element of a constant is, broadcast or not; None for other
    values."""
    made = builder.producer(value, broadcast_to)
    array = builder.constant(value if made is None else made.inputs[0])
    if array is None or not array.size or array.dtype.kind not in "fib":
        return None
    first = array.reshape(-1)[:1]
    if array.size > 1 and not np.array_equal(array.view(_bits(array)), _filled(array, first)):
        return None
    return first[0].item()


def _bits(array: Array) -> Any:
    return np.dtype(f"u{array.dtype.itemsize}")


def _filled(array: Array, first: Array) -> Any:
    return np.broadcast_to(first.view(_bits(array)), array.shape)


def is_number(found: Any, number: float) -> bool:
    """Whether a result of :func:`uniform` is this number; 0.0 is not -0.0."""
    return (
        found is not None
        and found == number
        and (number != 0 or math.copysign(1.0, found) == math.copysign(1.0, number))
    )


def _shaped(builder: Builder, value: int, aval: Aval) -> int:
    """``value``, broadcast to the aval's shape."""
    if builder.aval(value).shape == aval.shape:
        return value
    return builder.apply(broadcast_to, value, shape=aval.shape)


def _scalar(builder: Builder, number: Any, aval: Aval) -> int:
    """A constant of no dimensions."""
    return builder.add_constant(np.array(number, aval.dtype.as_numpy_dtype), aval.dtype)


def _before_broadcasts(builder: Builder, eqn: Eqn) -> int | None:
    """Where all operands are broadcast, fewer elements are computed before that."""
    broadcasts = [builder.producer(value, broadcast_to) for value in eqn.inputs]
    if not any(broadcasts):
        return None
    pairs = zip(eqn.inputs, broadcasts, strict=True)
    sources = [value if made is None else made.inputs[0] for value, made in pairs]
    kept = [v for v, source in zip(eqn.inputs, sources, strict=True) if v == source]
    if any(builder.aval(v).size > 1 for v in kept):
        return None
    out = builder.result(eqn)
    avals = [builder.aval(source) for source in sources]
    smaller = eqn.op.infer(*avals, **dict(eqn.attrs))
    if smaller.size == out.size:
        return None
    return _shaped(builder, builder.add(eqn.op, sources, eqn.attrs), out)


def _absorb_broadcasts(builder: Builder, eqn: Eqn) -> Eqn:
    """An elementwise op broadcasts by itself, and a constant of equal elements is a scalar."""
    if len(eqn.inputs) < 2:
        return eqn
    out = builder.result(eqn)
    found = eqn
    for at, value in enumerate(eqn.inputs):
        smaller = _before_broadcast(builder, value)
        if smaller is not None:
            inputs = (*found.inputs[:at], smaller, *found.inputs[at + 1 :])
            shape = eqn.op.infer(*(builder.aval(v) for v in inputs), **dict(eqn.attrs)).shape
            found = eqn._replace(inputs=inputs) if shape == out.shape else found
    return found


def _before_broadcast(builder: Builder, value: int) -> int | None:
    """A smaller value that broadcasts to ``value``."""
    broadcast = builder.producer(value, broadcast_to)
    if broadcast is not None:
        return broadcast.inputs[0]
    number = uniform(builder, value) if builder.aval(value).rank else None
    return None if number is None else _scalar(builder, number, builder.aval(value))


def _neutral_operand(builder: Builder, eqn: Eqn) -> int | None:
    """x + -0.0 is x."""
    laws = eqn.op.laws
    if laws.neutral is None or builder.aval(eqn.inputs[0]).dtype.is_complex:
        return None
    for at in (0, 1) if laws.commutative else (1,):
        found = uniform(builder, eqn.inputs[at])
        if is_number(found, laws.neutral) or (isinstance(found, int) and found == laws.neutral):
            return _shaped(builder, eqn.inputs[1 - at], builder.result(eqn))
    return None


def _absorbing_operand(builder: Builder, eqn: Eqn) -> int | None:
    """x and False is False; x * 0 is 0 for integers."""
    number = eqn.op.laws.absorbing
    if number is None:
        return None
    dtype = builder.aval(eqn.inputs[0]).dtype
    if dtype.is_floating or dtype.is_complex:
        return None
    for value in eqn.inputs:
        if uniform(builder, value) == number:
            return _shaped(builder, value, builder.result(eqn))
    return None


def _of_itself(builder: Builder, eqn: Eqn) -> int | None:
    """f(f(x)) is x for negation, f(x) for roundings; max(x, x) is x."""
    laws = eqn.op.laws
    if not (laws.idempotent or laws.involution):
        return None
    first = eqn.inputs[0]
    if len(eqn.inputs) > 1:
        return first if eqn.inputs[1] == first else None
    inner = builder.producer(first, eqn.op)
    if inner is None:
        return None
    return inner.inputs[0] if laws.involution else first


def _operand_of(builder: Builder, value: int, op: Op) -> int | None:
    """x, where ``value`` is op(x)."""
    eqn = builder.producer(value, op)
    return None if eqn is None else eqn.inputs[0]


def _add(builder: Builder, eqn: Eqn) -> int | None:
    """x + -y is x - y."""
    x, y = eqn.inputs
    if (positive := _operand_of(builder, y, negative)) is not None:
        return builder.apply(subtract, x, positive)
    if (positive := _operand_of(builder, x, negative)) is not None:
        return builder.apply(subtract, y, positive)
    return None


def _subtract(builder: Builder, eqn: Eqn) -> int | None:
    """x - -y is x + y; -0.0 - x, and 0 - x for integers, is -x."""
    x, y = eqn.inputs
    if (positive := _operand_of(builder, y, negative)) is not None:
        return builder.apply(add, x, positive)
    number, out = uniform(builder, x), builder.result(eqn)
    zero = is_number(number, -0.0) or (out.dtype.is_integer and number == 0)
    if zero and builder.aval(y).shape == out.shape:
        return builder.apply(negative, y)
    return None


def _multiply(builder: Builder, eqn: Eqn) -> int | None:
    """x * -1 is -x, and -x * -y is x * y."""
    positive = [_operand_of(builder, value, negative) for value in eqn.inputs]
    if positive[0] is not None and positive[1] is not None:
        return builder.apply(multiply, positive[0], positive[1])
    out = builder.result(eqn)
    for x, c in (eqn.inputs, eqn.inputs[::-1]):
        if is_number(uniform(builder, c), -1) and builder.aval(x).shape == out.shape:
            return builder.apply(negative, x)
    return None


def _divide(builder: Builder, eqn: Eqn) -> int | None:
    """Division by powers of two is multiplication, without another rounding."""
    x, y = eqn.inputs
    divisor = builder.constant(y)
    if divisor is None or divisor.dtype != np.float32 or not divisor.size:
        return None
    mantissa, exponent = np.frexp(divisor)
    if not (np.all(np.abs(mantissa) == 0.5) and np.all(np.abs(exponent) <= 120)):
        return None
    return builder.apply(multiply, x, builder.add_constant(1 / divisor, builder.aval(y).dtype))


def _floor_div(builder: Builder, eqn: Eqn) -> int | None:
    """x // 1 is x for integers."""
    x, y = eqn.inputs
    if builder.aval(x).dtype.is_floating or uniform(builder, y) != 1:
        return None
    return _shaped(builder, x, builder.result(eqn))


def _power(builder: Builder, eqn: Eqn) -> int | None:
    """x ** 2 and x ** -1, which are then rounded once."""
    x, y = eqn.inputs
    exponent = uniform(builder, y)
    if builder.aval(x) != builder.result(eqn) or builder.aval(x).dtype.is_complex:
        return None
    if exponent == 2:
        return builder.apply(square, x)
    if exponent == -1 and builder.aval(x).dtype.is_floating:
        return builder.apply(reciprocal, x)
    return None


def _floor_mod(builder: Builder, eqn: Eqn) -> int | None:
    """The remainder of an integer by a power of two is its low bits."""
    x, y = eqn.inputs
    number = uniform(builder, y)
    aval = builder.aval(y)
    if not aval.dtype.is_integer or number is None or number <= 0 or number & (number - 1):
        return None
    if builder.aval(x) != builder.result(eqn):
        return None
    return builder.apply(bitwise_and, x, _scalar(builder, number - 1, aval))


def _not(builder: Builder, eqn: Eqn) -> int | None:
    """not (x == y) is x != y."""
    for op, opposite in ((equal, not_equal), (not_equal, equal)):
        compared = builder.producer(eqn.inputs[0], op)
        if compared is not None:
            return builder.apply(opposite, *compared.inputs)
    return None


def _select(builder: Builder, eqn: Eqn) -> int | None:
    """A condition that is known or does not matter; a negated one exchanges the sides."""
    condition, x, y = eqn.inputs
    known = uniform(builder, condition)
    if known is not None or x == y:
        return _shaped(builder, x if known or x == y else y, builder.result(eqn))
    if (positive := _operand_of(builder, condition, logical_not)) is not None:
        return builder.apply(select, positive, y, x)
    return None


def _without_sign(builder: Builder, eqn: Eqn) -> int | None:
    """|-x| is |x|; (-x)**2 and |x|**2 are x**2."""
    if builder.aval(eqn.inputs[0]).dtype.is_complex:
        return None
    for op in (negative, abs_) if eqn.op is square else (negative,):
        x = _operand_of(builder, eqn.inputs[0], op)
        if x is not None and not builder.aval(x).dtype.is_complex:
            return builder.apply(eqn.op, x)
    return None


# Exact ways from one dtype to another: each value of the first is a value of the second.
_EXACT_CASTS = frozenset(
    (small, large)
    for small, wider in (
        ("bool", ("int8", "uint8", "int32", "float32")),
        ("int8", ("int32", "float32")),
        ("uint8", ("int32", "float32")),
        ("float16", ("float32",)),
        ("bfloat16", ("float32",)),
    )
    for large in wider
)


def _cast(builder: Builder, eqn: Eqn) -> int | None:
    """To the same dtype; or after a cast that loses nothing."""
    (x,) = eqn.inputs
    wanted = builder.result(eqn).dtype
    if builder.aval(x).dtype == wanted:
        return x
    source = _operand_of(builder, x, cast)
    if source is None:
        return None
    first = builder.aval(source).dtype
    if (first.name, builder.aval(x).dtype.name) not in _EXACT_CASTS:
        return None
    return source if first == wanted else builder.apply(cast, source, dtype=wanted)


def _component(at: int) -> Callable[[Builder, Eqn], int | None]:
    def rule(builder: Builder, eqn: Eqn) -> int | None:
        """The real or imaginary component of a number that was put together."""
        made = builder.producer(eqn.inputs[0], complex_)
        return None if made is None else _shaped(builder, made.inputs[at], builder.result(eqn))

    return rule


_RULES: dict[Op, Rule] = {
    abs_: _without_sign,
    add: _add,
    cast: _cast,
    floor_div: _floor_div,
    floor_mod: _floor_mod,
    imag: _component(1),
    logical_not: _not,
    multiply: _multiply,
    power: _power,
    real: _component(0),
    real_div: _divide,
    select: _select,
    square: _without_sign,
    subtract: _subtract,
}
