"""Algebraic simplification of elementwise equations.

Rewrites preserve all bits, including NaN, infinity and -0.0: `x + 0.0` stays, because it turns -0.0
into 0.0.
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
    """Remove elementwise equations without effect, and replace some by cheaper ones. ::

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
    """Return the Python number that all elements of a (broadcast) constant equal, or None."""
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
    """Return True if a result of :func:`uniform` is this number; 0.0 is not -0.0."""
    return (
        found is not None
        and found == number
        and (number != 0 or math.copysign(1.0, found) == math.copysign(1.0, number))
    )


def _shaped(builder: Builder, value: int, aval: Aval) -> int:
    """Return `value`, broadcast to the aval's shape."""
    if builder.aval(value).shape == aval.shape:
        return value
    return builder.apply(broadcast_to, value, shape=aval.shape)


def _scalar(builder: Builder, number: Any, aval: Aval) -> int:
    """Add a scalar constant."""
    return builder.add_constant(np.array(number, aval.dtype.as_numpy_dtype), aval.dtype)


def _before_broadcasts(builder: Builder, eqn: Eqn) -> int | None:
    """Compute before broadcasting if all operands are broadcast: there are fewer elements."""
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
    """Remove broadcasts of operands, because elementwise ops broadcast implicitly.

    A constant of equal elements becomes a scalar.
    """
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
    """Return a smaller value that broadcasts to `value`."""
    broadcast = builder.producer(value, broadcast_to)
    if broadcast is not None:
        return broadcast.inputs[0]
    number = uniform(builder, value) if builder.aval(value).rank else None
    return None if number is None else _scalar(builder, number, builder.aval(value))


def _neutral_operand(builder: Builder, eqn: Eqn) -> int | None:
    """Rewrite x + -0.0 as x."""
    laws = eqn.op.laws
    if laws.neutral is None or builder.aval(eqn.inputs[0]).dtype.is_complex:
        return None
    for at in (0, 1) if laws.commutative else (1,):
        found = uniform(builder, eqn.inputs[at])
        if is_number(found, laws.neutral) or (isinstance(found, int) and found == laws.neutral):
            return _shaped(builder, eqn.inputs[1 - at], builder.result(eqn))
    return None


def _absorbing_operand(builder: Builder, eqn: Eqn) -> int | None:
    """Rewrite x and False as False, and x * 0 as 0 for integers."""
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
    """Rewrite f(f(x)) as x for negation and as f(x) for rounding, and max(x, x) as x."""
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
    """Return x if `value` is op(x)."""
    eqn = builder.producer(value, op)
    return None if eqn is None else eqn.inputs[0]


def _add(builder: Builder, eqn: Eqn) -> int | None:
    """Rewrite x + -y as x - y."""
    x, y = eqn.inputs
    if (positive := _operand_of(builder, y, negative)) is not None:
        return builder.apply(subtract, x, positive)
    if (positive := _operand_of(builder, x, negative)) is not None:
        return builder.apply(subtract, y, positive)
    return None


def _subtract(builder: Builder, eqn: Eqn) -> int | None:
    """Rewrite x - -y as x + y, and -0.0 - x (for integers also 0 - x) as -x."""
    x, y = eqn.inputs
    if (positive := _operand_of(builder, y, negative)) is not None:
        return builder.apply(add, x, positive)
    number, out = uniform(builder, x), builder.result(eqn)
    zero = is_number(number, -0.0) or (out.dtype.is_integer and number == 0)
    if zero and builder.aval(y).shape == out.shape:
        return builder.apply(negative, y)
    return None


def _multiply(builder: Builder, eqn: Eqn) -> int | None:
    """Rewrite x * -1 as -x, and -x * -y as x * y."""
    positive = [_operand_of(builder, value, negative) for value in eqn.inputs]
    if positive[0] is not None and positive[1] is not None:
        return builder.apply(multiply, positive[0], positive[1])
    out = builder.result(eqn)
    for x, c in (eqn.inputs, eqn.inputs[::-1]):
        if is_number(uniform(builder, c), -1) and builder.aval(x).shape == out.shape:
            return builder.apply(negative, x)
    return None


def _divide(builder: Builder, eqn: Eqn) -> int | None:
    """Rewrite division by powers of two as multiplication, which is exact."""
    x, y = eqn.inputs
    divisor = builder.constant(y)
    if divisor is None or divisor.dtype != np.float32 or not divisor.size:
        return None
    mantissa, exponent = np.frexp(divisor)
    if not (np.all(np.abs(mantissa) == 0.5) and np.all(np.abs(exponent) <= 120)):
        return None
    return builder.apply(multiply, x, builder.add_constant(1 / divisor, builder.aval(y).dtype))


def _floor_div(builder: Builder, eqn: Eqn) -> int | None:
    """Rewrite x // 1 as x for integers."""
    x, y = eqn.inputs
    if builder.aval(x).dtype.is_floating or uniform(builder, y) != 1:
        return None
    return _shaped(builder, x, builder.result(eqn))


def _power(builder: Builder, eqn: Eqn) -> int | None:
    """Rewrite x ** 2 as square(x) and x ** -1 as reciprocal(x), which round once."""
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
    """Rewrite the remainder of an integer by a power of two as its low bits."""
    x, y = eqn.inputs
    number = uniform(builder, y)
    aval = builder.aval(y)
    if not aval.dtype.is_integer or number is None or number <= 0 or number & (number - 1):
        return None
    if builder.aval(x) != builder.result(eqn):
        return None
    return builder.apply(bitwise_and, x, _scalar(builder, number - 1, aval))


def _not(builder: Builder, eqn: Eqn) -> int | None:
    """Rewrite not (x == y) as x != y."""
    for op, opposite in ((equal, not_equal), (not_equal, equal)):
        compared = builder.producer(eqn.inputs[0], op)
        if compared is not None:
            return builder.apply(opposite, *compared.inputs)
    return None


def _select(builder: Builder, eqn: Eqn) -> int | None:
    """Simplify a selection with a constant, irrelevant or negated condition."""
    condition, x, y = eqn.inputs
    known = uniform(builder, condition)
    if known is not None or x == y:
        return _shaped(builder, x if known or x == y else y, builder.result(eqn))
    if (positive := _operand_of(builder, condition, logical_not)) is not None:
        return builder.apply(select, positive, y, x)
    return None


def _without_sign(builder: Builder, eqn: Eqn) -> int | None:
    """Rewrite |-x| as |x|, and (-x)**2 and |x|**2 as x**2."""
    if builder.aval(eqn.inputs[0]).dtype.is_complex:
        return None
    for op in (negative, abs_) if eqn.op is square else (negative,):
        x = _operand_of(builder, eqn.inputs[0], op)
        if x is not None and not builder.aval(x).dtype.is_complex:
            return builder.apply(eqn.op, x)
    return None


# Exact casts: each value of the first dtype is a value of the second dtype.
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
    """Remove a cast to the same dtype, and a previous cast that loses nothing."""
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
        """Return the component from which a complex number was made."""
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
