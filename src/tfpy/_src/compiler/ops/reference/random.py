"""Distributions that use a varying number of random words per output, as TensorFlow's CPU kernels.

Each output has its own stream (`philox.Streams`), so all outputs are drawn in lockstep: `pending`
holds the numbers of the outputs that were rejected so far. `state` is six words: key and counter.
Parameters are flat float64 arrays with one entry per output.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from tfpy._src.base.dtypes import DType
from tfpy._src.compiler.ir.aval import Array
from tfpy._src.compiler.ir.drawing import (
    BTRS_FROM,
    HORMANN_FROM,
    RESERVED,
    RESERVED_RARE,
    STIRLING_TAIL,
)
from tfpy._src.compiler.ops.reference.ordering import stable_order
from tfpy._src.compiler.ops.reference.philox import (
    Draws,
    Streams,
    box_muller,
    stream,
    unit_doubles,
    unit_floats,
)

State = Sequence[Any]

_log_gamma = np.frompyfunc(math.lgamma, 1, 1)


def truncated_normal(state: State, count: int, number: Any) -> Array:
    """Return normal numbers, float32 or float64. Numbers beyond two deviations are drawn again."""
    unit, each = (unit_doubles, 2) if number == np.float64 else (unit_floats, 4)
    groups = -(-count // each)
    streams = Streams(state, groups, RESERVED * each // 4)
    out, filled = np.empty((groups, each), number), np.zeros(groups, np.int64)
    pending = np.arange(groups)
    while pending.size:
        drawn = box_muller(unit(streams.take(pending)))
        for values in drawn.T:
            keep = (np.abs(values) < 2) & (filled[pending] < each)
            rows = pending[keep]
            out[rows, filled[rows]] = values[keep]
            filled[rows] += 1
        pending = pending[filled[pending] < each]
    return out.reshape(-1)[:count]


def gamma(state: State, alpha: Array) -> Array:
    """Draw gamma numbers of scale 1 by Marsaglia and Tsang's transformation with rejection (2000).

    https://doi.org/10.1145/358407.358414
    """
    streams = Streams(state, alpha.size)
    uniforms = Draws(streams, alpha.size, unit_doubles)
    normals = Draws(streams, alpha.size, lambda words: box_muller(unit_doubles(words)))
    out = np.empty(alpha.size)
    exponential = np.flatnonzero(alpha == 1)
    out[exponential] = -np.log1p(-uniforms.take(exponential))
    d = alpha + np.where(alpha < 1, 2 / 3, -1 / 3)
    c = 1 / 3 / np.sqrt(d)
    left = alpha != 1
    pending = np.flatnonzero(left)
    while pending.size:
        x = normals.take(pending)
        root = 1 + c[pending] * x
        possible = ~(root <= 0)  # also False for NaN from an invalid alpha, which ends the loop
        tried, x, v = pending[possible], x[possible], root[possible] ** 3
        u, scale = uniforms.take(tried), d[tried]
        good = u < 1 - 0.0331 * x**4
        good |= np.log(u) < 0.5 * x * x + scale * (1 - v + np.log(v))
        accepted = tried[good]
        out[accepted] = (scale * v)[good]
        small = accepted[alpha[accepted] < 1]
        out[small] *= uniforms.take(small) ** (1 / alpha[small])
        left[accepted] = False
        pending = pending[left[pending]]
    return out


def poisson(state: State, rate: Array, kind: DType) -> Array:
    """Draw Poisson numbers.

    Below rate 10, the method is Knuth's product of uniforms; above, Hörmann's transformed
    rejection. For rates above the dtype's highest number, the result is that number. For a rate
    that is not finite, the result is the rate itself, or 0 in integers.
    https://doi.org/10.1016/0167-6687(93)90997-4
    """
    uniforms = Draws(Streams(state, rate.size), rate.size, unit_doubles)
    highest = float(kind.max)
    endless = np.zeros_like(rate) if kind.is_integer else rate
    out = np.where(np.isfinite(rate), np.minimum(rate, highest), endless)
    _poisson_products(uniforms, rate, np.flatnonzero(rate < HORMANN_FROM), out)
    pending = np.flatnonzero((rate >= HORMANN_FROM) & (rate <= highest))
    while pending.size:
        mean = rate[pending]
        b = 0.931 + 2.53 * np.sqrt(mean)
        a = -0.059 + 0.02483 * b
        u = uniforms.take(pending) - 0.5
        v = uniforms.take(pending)
        distance = 0.5 - np.abs(u)
        k = np.floor((2 * a / distance + b) * u + mean + 0.43)
        inside = (distance >= 0.07) & (v <= 0.9277 - 3.6224 / (b - 2))
        possible = (k >= 0) & ~((distance < 0.013) & (v > distance))
        inverse_alpha = 1.1239 + 1.1328 / (b - 3.4)
        left = np.log(v * inverse_alpha / (a / (distance * distance) + b))
        right = -mean + k * np.log(mean) - _log_gamma(np.maximum(k, 0) + 1).astype(np.float64)
        good = (k <= highest) & (inside | (possible & (left <= right)))
        out[pending[good]] = k[good]
        pending = pending[~good]
    return out


def _poisson_products(uniforms: Draws, rate: Array, pending: Array, out: Array) -> None:
    product, count = np.ones(rate.size), np.zeros(rate.size)
    bound = np.exp(-rate)
    while pending.size:
        product[pending] *= uniforms.take(pending)
        good = product[pending] <= bound[pending]
        out[pending[good]] = count[pending[good]]
        pending = pending[~good]
        count[pending] += 1


def binomial(state: State, counts: Array, probs: Array) -> Array:
    """Draw geometric sums where the expected count is below 10, otherwise by Hörmann's BTRS."""
    out = np.zeros(counts.size)
    missing = np.isnan(counts) | np.isnan(probs)
    p = np.where(probs > 0.5, 1 - probs, probs)
    drawn = (counts > 0) & (p > 0) & ~missing
    rare = counts * p < BTRS_FROM
    streams = Streams(state, counts.size, np.where(rare, RESERVED_RARE, RESERVED))
    uniforms = Draws(streams, counts.size, unit_doubles)
    _geometric_sums(uniforms, counts, p, np.flatnonzero(drawn & rare), out)
    _btrs(uniforms, counts, p, np.flatnonzero(drawn & ~rare), out)
    out = np.where(probs > 0.5, counts - out, out)
    out[missing] = np.nan
    return out


def _geometric_sums(u: Draws, counts: Array, p: Array, pending: Array, out: Array) -> None:
    total = np.zeros(counts.size)
    while pending.size:
        total[pending] += np.ceil(np.log(u.take(pending)) / np.log1p(-p[pending]))
        pending = pending[total[pending] <= counts[pending]]
        out[pending] += 1


def _stirling_tail(k: Array) -> Array:
    """Return log k! minus Stirling's approximation of it."""
    square = (k + 1) ** 2
    series = (1 / 12 - (1 / 360 - 1 / 1260 / square) / square) / (k + 1)
    return np.where(k <= 9, STIRLING_TAIL[np.clip(k, 0, 9).astype(np.int64)], series)


def _btrs(uniforms: Draws, counts: Array, probs: Array, pending: Array, out: Array) -> None:
    while pending.size:
        n, p = counts[pending], probs[pending]
        deviation = np.sqrt(n * p * (1 - p))
        b = 1.15 + 2.53 * deviation
        a = -0.0873 + 0.0248 * b + 0.01 * p
        alpha = (2.83 + 5.1 / b) * deviation
        odds, mode = p / (1 - p), np.floor((n + 1) * p)
        u = uniforms.take(pending) - 0.5
        v = uniforms.take(pending)
        distance = 0.5 - np.abs(u)
        k = np.floor((2 * a / distance + b) * u + n * p + 0.5)
        inside = (distance >= 0.07) & (v <= 0.92 - 4.2 / b)
        possible = (k >= 0) & (k <= n)
        k = np.clip(k, 0, n) if not inside.any() else np.where(possible, k, np.clip(k, 0, n))
        left = np.log(v * alpha / (a / (distance * distance) + b))
        right = (
            (mode + 0.5) * np.log((mode + 1) / (odds * (n - mode + 1)))
            + (n + 1) * np.log((n - mode + 1) / (n - k + 1))
            + (k + 0.5) * np.log(odds * (n - k + 1) / (k + 1))
            + _stirling_tail(mode)
            + _stirling_tail(n - mode)
            - _stirling_tail(k)
            - _stirling_tail(n - k)
        )
        good = inside | (possible & (left <= right))
        out[pending[good]] = k[good]
        pending = pending[~good]


def permutation(state: State, count: int) -> Array:
    """Return a Fisher-Yates permutation, from one word for each element but the last."""
    steps = np.arange(max(count - 1, 0))
    return swapped(steps + stream(state, len(steps)) % (count - steps), count)


def swapped(others: Array, count: int) -> Array:
    """Return the numbers below `count` after each position in turn was swapped with another one.

    A swap takes from its position the number that the previous swap with that position stored
    there, and so on. Such chains are short, and are followed for all positions at once.

    Args:
        others: For each position but the last, a position that is not before it.
    """
    if count < 2:
        return np.arange(count, dtype=np.int32)
    own = np.arange(count)
    others = np.append(others, count - 1)
    by_other = stable_order(others, count)
    sorted_others = others.take(by_other)
    repeats = sorted_others[1:] == sorted_others[:-1]
    before = np.full(count, -1)  # the previous swap with the same other position
    before[by_other[1:][repeats]] = by_other[:-1][repeats]
    lasts = np.append(~repeats, True)
    place, swap = sorted_others[lasts], by_other[lasts]
    swap = np.where(swap == place, before.take(swap), swap)
    stored = swap >= 0
    source = own.copy()  # for each position, the last swap that stored a number there
    source[place[stored]] = swap[stored]
    pending = np.flatnonzero(source != own)
    while pending.size:
        now = source.take(pending)
        further = source.take(now)
        moves = further != now
        pending = pending[moves]
        source[pending] = further[moves]
    moved = np.where(others == own, source, others)
    return np.where(before >= 0, source.take(before), moved).astype(np.int32)
