"""TensorFlow's random numbers with a varying number of words per output, and permutations.

They correspond to `ops/reference/random.py`, but are written for one output. `jax.vmap` turns the
loops into loops for all outputs, which end when the last output is done. Parameters and
intermediate values are float64, whatever JAX is configured to.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax
import numpy as np
from jax import lax, numpy as jnp

from tfpy._src.base.dtypes import DType, float32
from tfpy._src.compiler.ir import drawing
from tfpy._src.compiler.ir.aval import Shape
from tfpy._src.compiler.lower.jax.expression import cast, mulhi
from tfpy._src.compiler.lower.jax.table import Rule, lowers, wide

_WORDS = 6  # words of a state: two of the key and four of the counter
_Number = Any  # a scalar of JAX

# Words


def _block(state: Sequence[_Number], offset: _Number) -> list[_Number]:
    """Return the four words at a uint64 offset from the state's counter."""
    k0, k1, *start = (lax.bitcast_convert_type(word, np.uint32) for word in state)
    c, carry = [], jnp.uint64(0)
    for i, word in enumerate(start):
        total = word.astype(np.uint64) + carry
        if i < 2:
            total += (offset >> np.uint64(32 * i)) & np.uint64(2**32 - 1)
        c.append(total.astype(np.uint32))
        carry = total >> np.uint64(32)
    m0, m1 = map(np.uint32, drawing.MULTIPLIERS)

    def mix(_: _Number, words: list[_Number]) -> list[_Number]:
        a, b, c, d, k0, k1 = words
        mixed = [mulhi(c, m1) ^ b ^ k0, c * m1, mulhi(a, m0) ^ d ^ k1, a * m0]
        return [*mixed, k0 + np.uint32(drawing.WEYL[0]), k1 + np.uint32(drawing.WEYL[1])]

    return lax.fori_loop(0, drawing.ROUNDS, mix, [*c, k0, k1])[:4]


def _unit_floats(words: Sequence[_Number]) -> list[_Number]:
    return [(w & np.uint32(0x7FFFFF)).astype(np.float32) * np.float32(2**-23) for w in words]


def _unit_doubles(words: Sequence[_Number]) -> list[_Number]:
    """Return float64 numbers from 52 bits of each pair of words."""
    high, low = words[::2], words[1::2]
    return [
        ((h & np.uint32(0xFFFFF)).astype(np.float64) * 2.0**32 + w.astype(np.float64)) * 2.0**-52
        for h, w in zip(high, low, strict=True)
    ]


def _box_muller(units: Sequence[_Number]) -> list[_Number]:
    found = []
    for first, second in zip(units[::2], units[1::2], strict=True):
        radius = jnp.sqrt(-2 * jnp.log(jnp.maximum(first, first.dtype.type(drawing.SMALLEST))))
        angle = second.dtype.type(2 * np.pi) * second
        found += [jnp.sin(angle) * radius, jnp.cos(angle) * radius]
    return found


class _Pair(NamedTuple):
    """Numbers that are made in pairs. The second number of a pair is used first."""

    numbers: tuple[_Number, _Number]
    left: _Number

    @classmethod
    def none(cls) -> _Pair:
        return cls((jnp.float64(0), jnp.float64(0)), jnp.int32(0))


class _Source(NamedTuple):
    """The source of an output's numbers: a position in its stream, and the rest of two pairs."""

    offset: _Number
    uniforms: _Pair
    normals: _Pair

    @classmethod
    def at(cls, offset: _Number) -> _Source:
        return cls(offset, _Pair.none(), _Pair.none())


def _taken(
    state: Sequence[_Number], offset: _Number, pair: _Pair, convert: Callable[..., Any]
) -> tuple[_Number, _Number, _Pair]:
    """Return the next number, from a new pair if the old one is used up."""
    is_empty = pair.left == 0
    fresh = convert(_unit_doubles(_block(state, offset)))
    first, second = (
        jnp.where(is_empty, new, old) for new, old in zip(fresh, pair.numbers, strict=True)
    )
    left = jnp.where(is_empty, 2, pair.left) - 1
    number = jnp.where(left == 1, second, first)
    return number, offset + is_empty.astype(np.uint64), _Pair((first, second), left)


class _Stream:
    """The draws of one state."""

    def __init__(self, state: Sequence[_Number]) -> None:
        self._state = state

    def uniform(self, source: _Source) -> tuple[_Number, _Source]:
        """Return a float64 in [0, 1)."""
        number, offset, pair = _taken(self._state, source.offset, source.uniforms, lambda u: u)
        return number, source._replace(offset=offset, uniforms=pair)

    def normal(self, source: _Source) -> tuple[_Number, _Source]:
        number, offset, pair = _taken(self._state, source.offset, source.normals, _box_muller)
        return number, source._replace(offset=offset, normals=pair)


def _chosen(flag: _Number, yes: Any, no: Any) -> Any:
    return jax.tree.map(lambda a, b: jnp.where(flag, a, b), yes, no)


def _until_done(step: Callable[[Any], tuple[_Number, Any]], first: Any, wanted: _Number) -> Any:
    """Repeat `step`, which returns whether it is done and its next argument.

    No step runs unless `wanted`.
    """

    def again(carried: tuple[_Number, Any]) -> tuple[_Number, Any]:
        return step(carried[1])

    return lax.while_loop(lambda carried: ~carried[0], again, (~wanted, first))[1]


# Distributions


@lowers("random_truncated_normal")
@wide
def truncated_normal(*state: Any, shape: Shape, dtype: DType = float32) -> Any:
    """Draw truncated normal numbers. Four outputs share a stream, or two outputs of float64."""
    count = math.prod(shape)
    units, each = (_unit_floats, 4) if dtype == float32 else (_unit_doubles, 2)
    apart = np.uint64(drawing.RESERVED * each // 4)

    def step(carried: Any) -> Any:
        offset, out, filled = carried
        for value in _box_muller(units(_block(state, offset))):
            keep = jnp.abs(value) < 2
            out = [jnp.where(keep & (filled == i), value, old) for i, old in enumerate(out)]
            filled += keep.astype(np.int32)
        return filled >= each, (offset + np.uint64(1), out, filled)

    def together(group: Any) -> Any:
        first = (group * apart, [jnp.zeros((), dtype.as_numpy_dtype)] * each, jnp.int32(0))
        return jnp.stack(_until_done(step, first, jnp.bool_(True))[1])

    groups = lax.iota(np.uint64, -(-count // each))
    return lax.reshape(jax.vmap(together)(groups), (len(groups) * each,))[:count].reshape(shape)


def _sampled(draw: Callable[..., Any]) -> Rule:
    """Return the rule of a distribution.

    `draw` receives state, dtype, output number and parameters.
    """

    @wide
    def rule(*inputs: Any, samples: int, dtype: DType = float32) -> Any:
        state, values = inputs[:_WORDS], inputs[_WORDS:]
        flat = [jnp.repeat(v.astype(np.float64).reshape(-1), samples) for v in values]
        one = functools.partial(draw, state, dtype)
        numbers = lax.iota(np.uint64, flat[0].size)
        drawn = cast(jax.vmap(one)(numbers, *flat), float32, dtype)
        return drawn.reshape(-1, samples).T.reshape(samples, *values[0].shape)

    return rule


def _gamma(state: Any, dtype: DType, number: Any, alpha: Any) -> Any:
    stream, source = _Stream(state), _Source.at(number * np.uint64(drawing.RESERVED))
    is_small, is_exponential = alpha < 1, alpha == 1
    d = alpha + jnp.where(is_small, 2 / 3, -1 / 3)
    c = 1 / 3 / jnp.sqrt(d)

    def step(carried: Any) -> Any:
        x, source = stream.normal(carried[1])
        root = 1 + c * x
        possible = ~(root <= 0)
        u, after = stream.uniform(source)
        v = root**3
        good = u < 1 - 0.0331 * x**4
        good |= jnp.log(u) < 0.5 * x * x + d * (1 - v + jnp.log(v))
        return possible & good, (d * v, _chosen(possible, after, source))

    found, source = _until_done(step, (jnp.float64(0), source), ~is_exponential)
    u, _ = stream.uniform(source)
    found = jnp.where(is_small, found * u ** (1 / alpha), found)
    return jnp.where(is_exponential, -jnp.log1p(-u), found)


def _poisson(state: Any, dtype: DType, number: Any, rate: Any) -> Any:
    stream, source = _Stream(state), _Source.at(number * np.uint64(drawing.RESERVED))
    is_rare, is_frequent = (
        rate < drawing.HORMANN_FROM,
        (rate >= drawing.HORMANN_FROM) & (rate <= float(dtype.max)),
    )
    bound = jnp.exp(-rate)

    def multiply(carried: Any) -> Any:
        product, count, source = carried
        u, source = stream.uniform(source)
        product *= u
        return product <= bound, (product, count + 1, source)

    few = _until_done(multiply, (jnp.float64(1), jnp.float64(-1), source), is_rare)[1]
    b = 0.931 + 2.53 * jnp.sqrt(rate)
    a = -0.059 + 0.02483 * b
    inverse_alpha = 1.1239 + 1.1328 / (b - 3.4)

    def reject(carried: Any) -> Any:
        u, source = stream.uniform(carried[1])
        v, source = stream.uniform(source)
        u -= 0.5
        distance = 0.5 - jnp.abs(u)
        k = jnp.floor((2 * a / distance + b) * u + rate + 0.43)
        inside = (distance >= 0.07) & (v <= 0.9277 - 3.6224 / (b - 2))
        possible = (k >= 0) & ~((distance < 0.013) & (v > distance))
        left = jnp.log(v * inverse_alpha / (a / (distance * distance) + b))
        right = -rate + k * jnp.log(rate) - lax.lgamma(jnp.maximum(k, 0) + 1)
        good = (k <= float(dtype.max)) & (inside | (possible & (left <= right)))
        return good, (k, source)

    endless = 0 if dtype.is_integer else rate
    beyond = jnp.where(jnp.isfinite(rate), jnp.minimum(rate, float(dtype.max)), endless)
    many = _until_done(reject, (beyond, source), is_frequent)[0]
    return jnp.where(is_rare, few, many)


def _binomial(state: Any, dtype: DType, number: Any, counts: Any, probs: Any) -> Any:
    p = jnp.where(probs > 0.5, 1 - probs, probs)
    missing = jnp.isnan(counts) | jnp.isnan(probs)
    drawn = (counts > 0) & (p > 0) & ~missing
    is_rare = counts * p < drawing.BTRS_FROM
    apart = jnp.where(is_rare, np.uint64(drawing.RESERVED_RARE), np.uint64(drawing.RESERVED))
    stream, source = _Stream(state), _Source.at(number * apart)

    def add(carried: Any) -> Any:
        total, found, source = carried
        u, source = stream.uniform(source)
        total += jnp.ceil(jnp.log(u) / jnp.log1p(-p))
        ends = ~(total <= counts)
        return ends, (total, found + jnp.where(ends, 0, 1), source)

    few = _until_done(add, (jnp.float64(0), jnp.float64(0), source), drawn & is_rare)[1]
    many = _btrs(stream, source, counts, p, drawn & ~is_rare)
    found = jnp.where(drawn, jnp.where(is_rare, few, many), 0)
    return jnp.where(missing, jnp.nan, jnp.where(probs > 0.5, counts - found, found))


def _btrs(stream: _Stream, source: _Source, n: Any, p: Any, wanted: Any) -> Any:
    deviation = jnp.sqrt(n * p * (1 - p))
    b = 1.15 + 2.53 * deviation
    a = -0.0873 + 0.0248 * b + 0.01 * p
    alpha = (2.83 + 5.1 / b) * deviation
    odds, mode = p / (1 - p), jnp.floor((n + 1) * p)

    def reject(carried: Any) -> Any:
        u, source = stream.uniform(carried[1])
        v, source = stream.uniform(source)
        u -= 0.5
        distance = 0.5 - jnp.abs(u)
        k = jnp.floor((2 * a / distance + b) * u + n * p + 0.5)
        inside = (distance >= 0.07) & (v <= 0.92 - 4.2 / b)
        possible = (k >= 0) & (k <= n)
        k = jnp.clip(k, 0, n)
        left = jnp.log(v * alpha / (a / (distance * distance) + b))
        right = (
            (mode + 0.5) * jnp.log((mode + 1) / (odds * (n - mode + 1)))
            + (n + 1) * jnp.log((n - mode + 1) / (n - k + 1))
            + (k + 0.5) * jnp.log(odds * (n - k + 1) / (k + 1))
            + _stirling_tail(mode)
            + _stirling_tail(n - mode)
            - _stirling_tail(k)
            - _stirling_tail(n - k)
        )
        return inside | (possible & (left <= right)), (k, source)

    return _until_done(reject, (n, source), wanted)[0]


def _stirling_tail(k: Any) -> Any:
    square = (k + 1) ** 2
    series = (1 / 12 - (1 / 360 - 1 / 1260 / square) / square) / (k + 1)
    return jnp.where(
        k <= 9, jnp.asarray(drawing.STIRLING_TAIL)[jnp.clip(k, 0, 9).astype(np.int32)], series
    )


for _name, _draw in (("gamma", _gamma), ("poisson", _poisson), ("binomial", _binomial)):
    lowers(f"random_{_name}")(_sampled(_draw))


# Permutations


@lowers("random_permutation")
@wide
def permutation(*state: Any, count: int) -> Any:
    """Return a Fisher-Yates permutation, from one word for each element but the last."""
    if count < 2:
        return lax.iota(np.int32, count)
    steps = count - 1
    blocks = jax.vmap(lambda i: jnp.stack(_block(state, i)))(lax.iota(np.uint64, -(-steps // 4)))
    words = blocks.reshape(-1)[:steps]
    own = lax.iota(np.int32, count)
    drawn = words % (np.uint32(count) - own[:-1].astype(np.uint32))
    return _swapped(jnp.append(own[:-1] + drawn.astype(np.int32), np.int32(steps)), own)


def _swapped(others: Any, own: Any) -> Any:
    """Return the numbers after swaps, as the reference does, where the algorithm is explained."""
    sorted_others, by_other = lax.sort((others, own), num_keys=1, is_stable=True)
    repeats = jnp.append(sorted_others[1:] == sorted_others[:-1], False)
    earlier = jnp.where(jnp.append(False, repeats[:-1]), jnp.roll(by_other, 1), -1)
    before = jnp.zeros_like(own).at[by_other].set(earlier)
    swap = jnp.where(by_other == sorted_others, earlier, by_other)
    place = jnp.where(~repeats & (swap >= 0), sorted_others, len(own))
    source = own.at[place].set(swap, mode="drop")

    def follow(carried: Any) -> Any:
        further = carried[1][carried[1]]
        return jnp.array_equal(further, carried[1]), further

    source = lax.while_loop(lambda c: ~c[0], follow, (jnp.bool_(False), source))[1]
    moved = jnp.where(others == own, source, others)
    return jnp.where(before >= 0, source[before], moved)
