"""Hashes of byte strings for TensorFlow's hash buckets, of many strings at once.

All hashes are defined on unsigned 64-bit words, for which NumPy's arithmetic wraps around.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np

from tfpy._src.compiler.ir.aval import Array

_MASK = (1 << 64) - 1
_K0, _K1, _K2 = map(np.uint64, (0xC3A5C85C97CB3127, 0xB492B66FBE98F273, 0x9AE16A3B2F90404F))
_MURMUR = np.uint64(0xC6A4A7935BD1E995)
_Words = Any
"""A 64-bit word for each string."""
_Pair = tuple[_Words, _Words]
_SIP_STEPS = ((0, 1, 13, True), (2, 3, 16, False), (0, 3, 21, False), (2, 1, 17, True))
"""Index added to, index added and rotated, number of bits, and whether the sum is then rotated by
half."""


class Strings:
    """Byte strings in one contiguous buffer."""

    def __init__(self, strings: Sequence[bytes]) -> None:
        self.sizes = np.fromiter(map(len, strings), np.int64, len(strings))
        self._starts = np.cumsum(self.sizes) - self.sizes
        self._buffer = np.frombuffer(b"".join(strings) + bytes(8), np.uint8)

    def chosen(self, which: Array) -> Self:
        """Return some of the strings."""
        some = object.__new__(type(self))
        some.sizes, some._starts = self.sizes[which], self._starts[which]
        some._buffer = self._buffer
        return some

    @property
    def count(self) -> _Words:
        """Number of bytes, as a word."""
        return self.sizes.astype(np.uint64)

    def word(self, at: Any, kind: str = "<u8") -> _Words:
        """Return the little-endian number that begins at a byte of each string."""
        length = self._buffer.size - np.dtype(kind).itemsize + 1
        everywhere = np.ndarray((length,), kind, self._buffer, strides=(1,))
        return everywhere[self._starts + at].astype(np.uint64)

    def last(self, back: int, kind: str = "<u8") -> _Words:
        """Return the number that begins `back` bytes before the end."""
        return self.word(self.sizes - back, kind)

    def tail(self, begin: Any) -> _Words:
        """Return the bytes from a position to the end, which are fewer than 8."""
        unused = (8 * (8 - (self.sizes - begin))).astype(np.uint64)
        some = unused < 64
        return np.where(some, self.word(begin) << (unused * some) >> (unused * some), 0)


def _rotate_right(v: _Words, by: int) -> _Words:
    return v >> np.uint64(by) | v << np.uint64(64 - by)


def _mix(v: _Words) -> _Words:
    return v ^ v >> np.uint64(47)


def _combine(u: _Words, v: _Words, factor: _Words) -> _Words:
    a = _mix((u ^ v) * factor)
    return _mix((v ^ a) * factor) * factor


def _empty(s: Strings) -> _Words:
    return np.full(s.sizes.shape, _K2)


def _up_to_3(s: Strings) -> _Words:
    y = s.word(0, "u1") + (s.word(s.sizes >> 1, "u1") << np.uint64(8))
    z = s.count + (s.last(1, "u1") << np.uint64(2))
    return _mix(y * _K2 ^ z * _K0) * _K2


def _factor(s: Strings) -> _Words:
    return _K2 + s.count * np.uint64(2)


def _up_to_7(s: Strings) -> _Words:
    first = s.count + (s.word(0, "<u4") << np.uint64(3))
    return _combine(first, s.last(4, "<u4"), _factor(s))


def _up_to_16(s: Strings) -> _Words:
    factor = _factor(s)
    a, b = s.word(0) + _K2, s.last(8)
    c = _rotate_right(b, 37) * factor + a
    return _combine(c, (_rotate_right(a, 25) + b) * factor, factor)


def _ends(s: Strings, factor: _Words, first: Any) -> tuple[_Words, _Words, _Words]:
    """Mix the first and the last 16 bytes: return two words and the multiplied first word."""
    a, b = s.word(0) * first, s.word(8)
    c, d = s.last(8) * factor, s.last(16) * _K2
    y = _rotate_right(a + b, 43) + _rotate_right(c, 30) + d
    return y, a + _rotate_right(b + _K2, 18) + c, a


def _up_to_32(s: Strings) -> _Words:
    factor = _factor(s)
    y, x, _ = _ends(s, factor, _K1)
    return _combine(y, x, factor)


def _up_to_64(s: Strings) -> _Words:
    factor = _factor(s)
    y, x, a = _ends(s, factor, _K2)
    z = _combine(y, x, factor)
    e, f = s.word(16) * factor, s.word(24)
    g, h = (y + s.last(32)) * factor, (z + s.last(24)) * factor
    high = _rotate_right(e + f, 43) + _rotate_right(g, 30) + h
    return _combine(high, e + _rotate_right(f + a, 18) + g, factor)


def _absorb(s: Strings, at: Any, a: _Words, b: _Words) -> _Pair:
    """Mix 32 bytes into a pair of words."""
    w, x, y, z = (s.word(at + i) for i in (0, 8, 16, 24))
    a = a + w
    b = _rotate_right(b + a + z, 21)
    total = a + x + y
    return total + z, b + _rotate_right(total, 44) + a


def _turn(s: Strings, at: Any, state: Any, factor: Any, last: int) -> list[_Words]:
    """Mix one block of 64 bytes. `last` is the weight of the words that the final block adds."""
    x, y, z, v0, v1, w0, w1 = state
    weight = np.uint64(last)
    nx = _rotate_right(x + y + v0 + s.word(at + 8), 37) * factor ^ w1 * weight
    ny = _rotate_right(y + v1 + s.word(at + 48), 42) * factor + v0 * weight + s.word(at + 40)
    nz = _rotate_right(z + w0, 33) * factor
    v = _absorb(s, at, v1 * factor, nx + w0)
    return [nz, ny, nx, *v, *_absorb(s, at + 32, nz + w1, ny + s.word(at + 16))]


def _above_64(s: Strings) -> _Words:
    y = np.uint64((81 * int(_K1) + 113) & _MASK)
    z = np.uint64(int(_K2) * int(_mix(np.uint64((int(y) * int(_K2) + 113) & _MASK))) & _MASK)
    x = s.word(0) + np.uint64(81 * int(_K2) & _MASK)
    zero = np.zeros_like(x)
    state = np.stack([x, zero + y, zero + z, zero, zero, zero, zero])
    blocks = (s.sizes - 1) // 64
    for block in range(int(blocks.max())):
        live = np.flatnonzero(blocks > block)
        state[:, live] = _turn(s.chosen(live), 64 * block, state[:, live], _K1, 1)
    x, y, z, v0, v1, w0, w1 = state
    factor = _K1 + ((z & np.uint64(0xFF)) << np.uint64(1))
    w0 = w0 + ((s.count - np.uint64(1)) & np.uint64(63))
    v0 = v0 + w0
    w0 = w0 + v0
    x, y, z, v0, v1, w0, w1 = _turn(s, s.sizes - 64, (x, y, z, v0, v1, w0, w1), factor, 9)
    high = _combine(v0, w0, factor) + _mix(y) * _K0 + z
    return _combine(high, _combine(v1, w1, factor) + x, factor)


_FARM: tuple[tuple[int, Callable[[Strings], _Words]], ...] = (
    (0, _empty),
    (3, _up_to_3),
    (7, _up_to_7),
    (16, _up_to_16),
    (32, _up_to_32),
    (64, _up_to_64),
    (2**62, _above_64),
)
"""Function for strings of at most this many bytes."""


def farm_fingerprint64(s: Strings) -> _Words:
    """Compute FarmHash's Fingerprint64 (https://github.com/google/farmhash)."""
    out = np.empty(s.sizes.shape, np.uint64)
    ways = np.searchsorted([most for most, _ in _FARM], s.sizes)
    for i, (_, way) in enumerate(_FARM):
        which = np.flatnonzero(ways == i)
        if which.size:
            out[which] = way(s.chosen(which))
    return out


HASH_KEY = 0xDECAFCAFFE
"""Key of TensorFlow's hashes where the user specifies none."""


def murmur64(s: Strings, seed: int = HASH_KEY) -> _Words:
    """Compute MurmurHash64A (https://github.com/aappleby/smhasher).

    `tf.strings.to_hash_bucket` uses it.
    """
    h = np.uint64(seed) ^ s.count * _MURMUR
    whole = s.sizes // 8
    for i in range(int(whole.max(initial=0))):
        live = np.flatnonzero(whole > i)
        word = _mix(s.chosen(live).word(8 * i) * _MURMUR) * _MURMUR
        h[live] = (h[live] ^ word) * _MURMUR
    h = np.where(s.sizes % 8 > 0, (h ^ s.tail(whole * 8)) * _MURMUR, h)
    return _mix(_mix(h) * _MURMUR)


def concatenated(first: _Words, second: _Words) -> _Words:
    """Return the fingerprint of a pair, given the fingerprints of its elements."""
    mixed = (first ^ _MURMUR ^ _mix(second * _MURMUR) * _MURMUR) * _MURMUR
    return _mix(_mix(mixed) * _MURMUR)


def siphash(s: Strings, key: Sequence[int]) -> _Words:
    """Compute SipHash-2-4 (https://eprint.iacr.org/2012/351) with a key of two words."""
    k0, k1 = (k & _MASK for k in key)
    start = (k0 ^ 0x736F6D6570736575, k1 ^ 0x646F72616E646F6D,
             k0 ^ 0x6C7967656E657261, k1 ^ 0x7465646279746573)  # fmt: skip
    v = np.repeat(np.array(start, np.uint64)[:, None], s.sizes.size, axis=1)
    whole = s.sizes // 8
    for i in range(int(whole.max(initial=0))):
        live = np.flatnonzero(whole > i)
        v[:, live] = _absorbed(v[:, live], s.chosen(live).word(8 * i))
    v = _absorbed(v, s.tail(whole * 8) | s.count << np.uint64(56))
    v[2] ^= np.uint64(0xFF)
    _sip_rounds(v, 4)
    return v[0] ^ v[1] ^ v[2] ^ v[3]


def _absorbed(v: Array, word: _Words) -> Array:
    v[3] ^= word
    _sip_rounds(v, 2)
    v[0] ^= word
    return v


def _sip_rounds(v: Array, count: int) -> None:
    for _ in range(count):
        for a, b, turns, swap in _SIP_STEPS:
            v[a] += v[b]
            v[b] = _rotate_right(v[b], 64 - turns) ^ v[a]
            if swap:
                v[a] = _rotate_right(v[a], 32)
