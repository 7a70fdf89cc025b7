"""Philox4x32-10, the counter-based generator of TensorFlow's random ops, in NumPy.

Philox (Salmon et al., 2011, "Parallel random numbers: as easy as 1, 2, 3",
https://doi.org/10.1145/2063384.2063405) maps a key of two words and a counter of four to four words
of 32 bits. The words of successive counters are a stream.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tfpy._src.compiler.ir.drawing import MULTIPLIERS, RESERVED, ROUNDS, SMALLEST, WEYL

Words = np.ndarray[Any, Any]

SCRAMBLE = (0x3EC8F720, 0x02461E29)
_LOW = 0xFFFFFFFF
_AT_ONCE = 1 << 14  # counters per step, so that words and products stay in the processor's cache


def blocks(counter: Sequence[Words], key: Sequence[Any]) -> list[Words]:
    """Return four uint32 words for each counter, which is given as four vectors of words."""
    low, half = np.uint64(_LOW), np.uint64(32)
    m0, m1 = map(np.uint64, MULTIPLIERS)
    c0, c1, c2, c3 = (c.astype(np.uint64) & low for c in counter)
    p0, p1 = np.empty_like(c0), np.empty_like(c2)
    k0, k1 = key
    for _ in range(ROUNDS):  # in place, because allocating arrays takes longer than the arithmetic
        np.multiply(c0, m0, out=p0)
        np.multiply(c2, m1, out=p1)
        np.right_shift(p1, half, out=c0)
        c0 ^= c1
        c0 ^= np.uint64(k0)
        np.bitwise_and(p1, low, out=c1)
        np.right_shift(p0, half, out=c2)
        c2 ^= c3
        c2 ^= np.uint64(k1)
        np.bitwise_and(p0, low, out=c3)
        k0, k1 = (k0 + WEYL[0]) & _LOW, (k1 + WEYL[1]) & _LOW
    return [c.astype(np.uint32) for c in (c0, c1, c2, c3)]


def scramble(seed: tuple[int, int]) -> tuple[int, ...]:
    """Return TensorFlow's key (two words) and counter (four words) of a stateless op's seed."""
    words = [np.array([w]) for s in seed for w in split(s, 2)]
    key0, key1, high0, high1 = (w.item() for w in blocks(words, SCRAMBLE))
    return key0, key1, 0, 0, high0, high1


def split(number: int, words: int) -> tuple[int, ...]:
    """Return the 32-bit words of a number, low words first."""
    return tuple((number >> (32 * i)) & _LOW for i in range(words))


def join(words: Sequence[Any]) -> int:
    """Return the unsigned number of 32-bit words."""
    return sum((int(w) & _LOW) << (32 * i) for i, w in enumerate(words))


def words_at(state: Sequence[Any], offsets: Words) -> Words:
    """Return the four words (last axis) at offsets from the state's counter.

    Args:
        state: Six int32 words: key and counter.
        offsets: uint64 vector.
    """
    found = np.empty((len(offsets), 4), np.uint32)
    for begin in range(0, len(offsets), _AT_ONCE):
        part = slice(begin, begin + _AT_ONCE)
        for i, words in enumerate(_blocks_at(state, offsets[part])):
            found[part, i] = words
    return found


def _blocks_at(state: Sequence[Any], offsets: Words) -> list[Words]:
    """Return the words of :func:`words_at` as four vectors."""
    key = [int(w) & _LOW for w in state[:2]]
    start = join(state[2:])
    low, high = np.uint64(start & (2**64 - 1)), start >> 64
    with np.errstate(over="ignore"):
        lower = low + offsets
    carried = [np.uint64((high + carry) % 2**64) for carry in (0, 1)]
    upper = np.where(lower < low, carried[1], carried[0])
    counter = [half >> np.uint64(by) for half in (lower, upper) for by in (0, 32)]
    return blocks(counter, key)


def stream(state: Sequence[Any], count: int) -> Words:
    """Return the first `count` words of a state's stream."""
    return words_at(state, np.arange(-(-count // 4), dtype=np.uint64)).reshape(-1)[:count]


def unit_floats(words: Words) -> Words:
    """Return a float32 in [0, 1) from 23 bits of each word."""
    return ((words & np.uint32(0x7FFFFF)) | np.uint32(0x3F800000)).view(np.float32) - np.float32(1)


def unit_doubles(words: Words) -> Words:
    """Return a float64 in [0, 1) from 52 bits of each pair of words (last axis)."""
    pairs = words.astype(np.uint64).reshape(*words.shape[:-1], -1, 2)
    bits = (pairs[..., 0] & np.uint64(0xFFFFF)) << np.uint64(32) | pairs[..., 1]
    return (bits | np.uint64(1023 << 52)).view(np.float64) - 1.0


def box_muller(units: Words) -> Words:
    """Return two normal numbers for each pair of uniform numbers (last axis), in their dtype."""
    number = units.dtype.type
    pairs = units.reshape(*units.shape[:-1], -1, 2)
    radius = np.sqrt(number(-2) * np.log(np.maximum(pairs[..., 0], number(SMALLEST))))
    angle = number(2 * np.pi) * pairs[..., 1]
    return np.stack([np.sin(angle) * radius, np.cos(angle) * radius], -1).reshape(units.shape)


class Streams:
    """One stream per output. The counters of the streams are `apart` counters apart."""

    def __init__(self, state: Sequence[Any], count: int, apart: int | Words = RESERVED) -> None:
        self._state = state
        self._next = np.arange(count, dtype=np.uint64) * np.asarray(apart, np.uint64)

    def take(self, outputs: Words) -> Words:
        """Return the next four words of each of these outputs."""
        found = words_at(self._state, self._next[outputs])
        self._next[outputs] += np.uint64(1)
        return found


class Draws:
    """Pairs of float64 from the blocks of `streams`. The second number of a pair is used first."""

    def __init__(self, streams: Streams, count: int, convert: Callable[[Words], Words]) -> None:
        self._streams, self._convert = streams, convert
        self._left = np.zeros(count, np.int64)
        self._pairs = np.empty((count, 2))

    def take(self, outputs: Words) -> Words:
        """Return the next number of each of these outputs."""
        empty = outputs[self._left[outputs] == 0]
        if empty.size:
            self._pairs[empty] = self._convert(self._streams.take(empty))
            self._left[empty] = 2
        self._left[outputs] -= 1
        return self._pairs[outputs, self._left[outputs]]
