"""Random primitives: numbers that are a function of a key, a counter and the element's position.

Inputs are six int32 scalars, the *state*: two words of the key and four of the counter, low words
first. Output element `i` is word `i % 4` of the block at `counter + i // 4`
(`ops/reference/philox.py`). So a kernel computes every element independently, and every backend
returns TensorFlow's bits. Distributions that use a varying number of words per element are computed
on the host.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.dtypes import DType
from tfpy._src.compiler.ir import drawing, expr as ex
from tfpy._src.compiler.ir.aval import Aval, Shape
from tfpy._src.compiler.ir.expr import Expr
from tfpy._src.compiler.ir.op import Op, Sample, register
from tfpy._src.compiler.ops.reference import philox, random as host

STATE = ("key_0", "key_1", "counter_0", "counter_1", "counter_2", "counter_3")
REJECTION = "draws can be rejected, so each element needs a different number of draws"
SEQUENTIAL = "each exchange of a shuffle depends on the previous exchanges"

# Expressions


def _counter(low: list[Expr], shift: int) -> list[Expr]:
    """Return the element's 128-bit counter: the state's counter plus the number of the block."""
    words, carry = [], ex.bitcast(ex.index() >> shift, ex.U)
    for word in low:
        total = word + carry
        carry = ex.cast(total < carry, ex.U)
        words.append(total)
    return words


def _words(*state: Expr, shift: int = 2) -> list[Expr]:
    """Return the four words of the element's block, which `2 ** shift` elements share."""
    k0, k1, *low = (ex.bitcast(word, ex.U) for word in state)
    return _rounds(_counter(low, shift), k0, k1)


def _rounds(c: list[Expr], k0: Expr, k1: Expr) -> list[Expr]:
    """Apply Philox to a counter and a key."""
    m0, m1 = (ex.const(m, ex.U) for m in drawing.MULTIPLIERS)
    for _ in range(drawing.ROUNDS):
        high = [Expr("mulhi", ex.U, (c[0], m0)), Expr("mulhi", ex.U, (c[2], m1))]
        c = [high[1] ^ c[1] ^ k0, c[2] * m1, high[0] ^ c[3] ^ k1, c[0] * m0]
        k0, k1 = k0 + drawing.WEYL[0], k1 + drawing.WEYL[1]
    return c


def _lane(words: list[Expr]) -> Expr:
    """Return the word that belongs to the element."""
    i = ex.index() & 3
    low = ex.select(ex.eq(i, 0), words[0], words[1])
    return ex.select(i < 2, low, ex.select(ex.eq(i, 2), words[2], words[3]))


def _scrambled(*seed: Expr) -> Expr:
    """Return a word of the state of a stateless op.

    The seed is used as a counter. The words of its block are the key and the upper half of the new
    counter.
    """
    zero, ones = ex.const(0, ex.U), ex.const(0xFFFFFFFF, ex.U)
    counter: list[Expr] = []
    for number in seed:
        counter += [ex.bitcast(number, ex.U), ex.select(number < 0, ones, zero)]
    words = _rounds(counter, *(ex.const(k, ex.U) for k in philox.SCRAMBLE))
    i = ex.index()
    key = ex.select(ex.eq(i, 0), words[0], words[1])
    upper = ex.select(ex.eq(i, 4), words[2], words[3])
    return ex.bitcast(ex.select(i < 2, key, ex.select(i < 4, zero, upper)), ex.I)


def _advanced(*state: Expr, blocks: int) -> Expr:
    """Return a word of a generator's state (counter, key), advanced by a number of blocks."""
    counter, key = [ex.bitcast(word, ex.U) for word in state[:4]], state[4:]
    added = [ex.const(word, ex.U) for word in philox.split(blocks, 4)]
    carry, words = ex.const(0, ex.U), list[Expr]()
    for word, more in zip(counter, added, strict=True):
        partial = word + more
        total = partial + carry
        carry = ex.cast(partial < more, ex.U) + ex.cast(total < carry, ex.U)
        words.append(ex.bitcast(total, ex.I))
    found = key[1]
    for i, word in reversed(list(enumerate([*words, key[0]]))):
        found = ex.select(ex.eq(ex.index(), i), word, found)
    return found


def _unit(word: Expr) -> Expr:
    """Return a float in [0, 1) from 23 bits."""
    return ex.bitcast((word & 0x7FFFFF) | 0x3F800000, ex.F) - 1.0


def _fine_unit(*state: Expr, shape: Shape) -> Expr:
    """Return the upper 24 bits of TensorFlow's double.

    These are 20 bits of a pair's first word and 4 of its second word.
    """
    w, even = _words(*state, shift=1), ex.eq(ex.index() & 1, 0)
    high, low = ex.select(even, w[0], w[2]), ex.select(even, w[1], w[3])
    bits = (high & 0xFFFFF) * 16 + (low >> 28)
    return ex.cast(ex.bitcast(bits, ex.I), ex.F) * 2.0**-24


def _double(high: Expr, low: Expr) -> Expr:
    """Return a float64 in [0, 1) from 52 bits of a pair of words."""
    first, second = (ex.cast(word, dtypes.float64) for word in (high & 0xFFFFF, low))
    return (first * 2.0**32 + second) * 2.0**-52


def _uniform(*state: Expr, shape: Shape, dtype: DType = dtypes.float32) -> Expr:
    if dtype == dtypes.float32:
        return _unit(_lane(_words(*state)))
    w, even = _words(*state, shift=1), ex.eq(ex.index() & 1, 0)
    return _double(ex.select(even, w[0], w[2]), ex.select(even, w[1], w[3]))


def _normal(*state: Expr, shape: Shape, dtype: DType = dtypes.float32) -> Expr:
    """Compute normal numbers by Box-Muller: two uniform numbers yield a sine and a cosine."""
    if dtype == dtypes.float32:
        w, i = _words(*state), ex.index() & 3
        words = ex.select(i < 2, w[0], w[2]), ex.select(i < 2, w[1], w[3])
        first, second = map(_unit, words)
    else:
        w = _words(*state, shift=1)
        first, second = _double(w[0], w[1]), _double(w[2], w[3])
    radius = ex.unary("sqrt", ex.unary("log", ex.maximum(first, drawing.SMALLEST)) * -2.0)
    angle, even = second * (2 * np.pi), ex.eq(ex.index() & 1, 0)
    return radius * ex.select(even, ex.unary("sin", angle), ex.unary("cos", angle))


def _between(*inputs: Expr, shape: Shape) -> Expr:
    """Return `low` plus the word modulo the range, in unsigned arithmetic.

    Below 2**31 the remainder is computed from the word's upper 31 bits, because `irem` is signed.
    Above, the range fits into the word at most once.
    """
    *state, low, high = inputs
    word = _lane(_words(*state))
    span = ex.bitcast(high, ex.U) - ex.bitcast(low, ex.U)
    half = ex.binary("irem", ex.bitcast(word >> 1, ex.I), ex.bitcast(span, ex.I))
    small = ex.bitcast(half, ex.U) * 2 + (word & 1)
    reduced = ex.select(ex.bitcast(span, ex.I) < 0, word, small)
    return low + ex.bitcast(ex.select(reduced < span, reduced, reduced - span), ex.I)


# NumPy


def _stream(state: tuple[Any, ...], shape: Shape) -> Any:
    return philox.stream(state, int(np.prod(shape))).reshape(shape)


def _fine_unit_ref(*state: Any, shape: Shape) -> Any:
    units = philox.unit_doubles(philox.stream(state, 2 * int(np.prod(shape))))
    return (np.floor(units * 2**24) / 2**24).astype(np.float32).reshape(shape)


def _uniform_ref(*state: Any, shape: Shape, dtype: DType = dtypes.float32) -> Any:
    if dtype == dtypes.float32:
        return philox.unit_floats(_stream(state, shape))
    return philox.unit_doubles(philox.stream(state, 2 * int(np.prod(shape)))).reshape(shape)


def _normal_ref(*state: Any, shape: Shape, dtype: DType = dtypes.float32) -> Any:
    count, is_double = int(np.prod(shape)), dtype != dtypes.float32
    words = philox.stream(state, -(-(count << is_double) // 4) * 4)
    units = philox.unit_doubles(words) if is_double else philox.unit_floats(words)
    return philox.box_muller(units)[:count].reshape(shape)


def _truncated_ref(*state: Any, shape: Shape, dtype: DType = dtypes.float32) -> Any:
    number = dtype.as_numpy_dtype
    return host.truncated_normal(state, int(np.prod(shape)), number).reshape(shape)


def _between_ref(*inputs: Any, shape: Shape) -> Any:
    *state, low, high = inputs
    span = np.uint32((int(high) - int(low)) % 2**32)
    return (_stream(tuple(state), shape) % span).view(np.int32) + np.int32(low)


def _scrambled_ref(*seed: Any) -> Any:
    return _words_of(philox.scramble((int(seed[0]), int(seed[1]))))


def _advanced_ref(*state: Any, blocks: int) -> Any:
    counter = philox.join(state[:4]) + blocks
    return _words_of((*philox.split(counter, 4), *state[4:]))


def _words_of(words: Sequence[Any]) -> Any:
    return np.array([int(w) & 0xFFFFFFFF for w in words], np.uint32).view(np.int32)


# Records


def drawn_state(rng: np.random.Generator) -> tuple[Any, ...]:
    """Draw a state with a counter that carries into its second and third word."""
    words = [*rng.integers(-(2**31), 2**31, 6).astype(np.int32)]
    words[2:4] = np.int32(-3), np.int32(-1)
    return tuple(np.asarray(w) for w in words)


def _samples(rng: np.random.Generator) -> list[Sample]:
    return [(drawn_state(rng), {"shape": s}) for s in ((), (7,), (3, 5), (40, 50), (0, 2))]


def _between_samples(rng: np.random.Generator) -> list[Sample]:
    ranges = ((0, 10), (-5, 1), (0, 1), (-(2**31), 2**31 - 1), (-7, 2**31 - 1), (0, 2**31 - 1))
    bounds = [tuple(np.asarray(b, np.int32) for b in pair) for pair in ranges]
    return [((*drawn_state(rng), *pair), {"shape": (9, 5)}) for pair in bounds]


def _random(name: str, number: DType, ref: Any, expr: Any, doc: str, **more: Any) -> Op:
    """Register an op that returns numbers of a dtype, unless an attribute sets another one."""
    facts: dict[str, Any] = {"params": STATE, "samples": _samples} | more
    return register(
        Op(
            name,
            "random",
            lambda *inputs, shape, dtype=number: Aval(tuple(shape), dtype),
            ref,
            expr=expr,
            doc=doc,
            **facts,
        )
    )


random_uniform = _random(
    "random_uniform",
    dtypes.float32,
    _uniform_ref,
    _uniform,
    "Uniform floats in [0, 1).",
)
random_fine_uniform = _random(
    "random_fine_uniform",
    dtypes.float32,
    _fine_unit_ref,
    _fine_unit,
    "Uniform floats in [0, 1): TensorFlow's doubles, truncated to float precision.",
)
random_bits = _random(
    "random_bits",
    dtypes.int32,
    lambda *state, shape: _stream(state, shape).view(np.int32),
    lambda *state, shape: ex.bitcast(_lane(_words(*state)), ex.I),
    "Uniform 32-bit integers.",
)
random_normal = _random(
    "random_normal", dtypes.float32, _normal_ref, _normal, "Standard normal floats."
)
random_int = _random(
    "random_int",
    dtypes.int32,
    _between_ref,
    _between,
    "Integers in [minval, maxval): a word modulo the range, as in TensorFlow.",
    params=(*STATE, "minval", "maxval"),
    samples=_between_samples,
)
random_truncated_normal = _random(
    "random_truncated_normal",
    dtypes.float32,
    _truncated_ref,
    None,
    "Standard normal floats, less than two standard deviations from 0.",
    host_only=REJECTION,
)


def _seed_samples(rng: np.random.Generator) -> list[Sample]:
    seeds = ((1, 2), (0, 0), (-7, 3), (2**31 - 1, -(2**31)))
    return [(tuple(np.asarray(s, np.int32) for s in pair), {}) for pair in seeds]


def _advance_samples(rng: np.random.Generator) -> list[Sample]:
    states = [drawn_state(rng) for _ in range(3)]
    return [
        ((*state[2:], *state[:2]), {"blocks": blocks})
        for state, blocks in zip(states, (256, 2**31, 2**40), strict=True)
    ]


random_state_of_seed = register(
    Op(
        "random_state_of_seed",
        "random",
        lambda *seed: Aval((len(STATE),), dtypes.int32),
        _scrambled_ref,
        expr=_scrambled,
        params=("seed_0", "seed_1"),
        doc="The initial state of a stateless op, as a tensor.",
        samples=_seed_samples,
    )
)
random_state_advanced = register(
    Op(
        "random_state_advanced",
        "random",
        lambda *state, blocks: Aval((len(STATE),), dtypes.int32),
        _advanced_ref,
        expr=_advanced,
        params=(*STATE[2:], *STATE[:2]),
        doc="A generator's state, counter first, after a number of blocks.",
        samples=_advance_samples,
    )
)
