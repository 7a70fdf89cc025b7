"""Hashes of byte strings, as TensorFlow's hash buckets use them: all on unsigned 64-bit words."""

from __future__ import annotations

import struct
from collections.abc import Sequence

_MASK = (1 << 64) - 1
_K0, _K1, _K2 = 0xC3A5C85C97CB3127, 0xB492B66FBE98F273, 0x9AE16A3B2F90404F
_Pair = tuple[int, int]
_SIP_STEPS = ((0, 1, 13, True), (2, 3, 16, False), (0, 3, 21, False), (2, 1, 17, True))
"""Added to, added and turned, by how many bits, whether the sum is then turned by half."""


def _word(s: bytes, at: int) -> int:
    return int.from_bytes(s[at : at + 8], "little")


def _half(s: bytes, at: int) -> int:
    return int.from_bytes(s[at : at + 4], "little")


def _rotate_right(v: int, by: int) -> int:
    v &= _MASK
    return (v >> by | v << (64 - by)) & _MASK


def _mix(v: int) -> int:
    v &= _MASK
    return v ^ v >> 47


def _combine(u: int, v: int, factor: int) -> int:
    a = _mix(((u ^ v) & _MASK) * factor)
    return _mix((v ^ a) * factor) * factor & _MASK


def _up_to_16(s: bytes) -> int:
    n = len(s)
    factor = _K2 + 2 * n
    if n >= 8:
        a, b = _word(s, 0) + _K2, _word(s, n - 8)
        c = _rotate_right(b, 37) * factor + a
        return _combine(c & _MASK, (_rotate_right(a, 25) + b) * factor & _MASK, factor)
    if n >= 4:
        return _combine(n + (_half(s, 0) << 3), _half(s, n - 4), factor)
    if n:
        y, z = s[0] + (s[n >> 1] << 8), n + (s[-1] << 2)
        return _mix(y * _K2 ^ z * _K0) * _K2 & _MASK
    return _K2


def _ends(s: bytes, factor: int, first: int) -> tuple[int, int, int]:
    """Mixes the first and the last 16 bytes: two words and the multiplied first one."""
    n = len(s)
    a, b = _word(s, 0) * first & _MASK, _word(s, 8)
    c, d = _word(s, n - 8) * factor, _word(s, n - 16) * _K2
    y = _rotate_right(a + b, 43) + _rotate_right(c, 30) + d & _MASK
    return y, a + _rotate_right(b + _K2, 18) + c & _MASK, a


def _up_to_64(s: bytes) -> int:
    n = len(s)
    factor = _K2 + 2 * n & _MASK
    if n <= 32:
        y, x, _ = _ends(s, factor, _K1)
        return _combine(y, x, factor)
    y, x, a = _ends(s, factor, _K2)
    z = _combine(y, x, factor)
    e, f = _word(s, 16) * factor, _word(s, 24)
    g, h = (y + _word(s, n - 32)) * factor, (z + _word(s, n - 24)) * factor
    high = _rotate_right(e + f, 43) + _rotate_right(g, 30) + h
    return _combine(high & _MASK, e + _rotate_right(f + a, 18) + g & _MASK, factor)


def _absorb(s: bytes, at: int, a: int, b: int) -> _Pair:
    """Mixes 32 bytes into a pair of words."""
    w, x, y, z = (_word(s, at + i) for i in (0, 8, 16, 24))
    a += w
    b = _rotate_right(b + a + z, 21)
    total = a + x + y
    return total + z & _MASK, b + _rotate_right(total, 44) + a & _MASK


def farm_fingerprint64(s: bytes) -> int:
    """FarmHash's Fingerprint64 (https://github.com/google/farmhash)."""
    n = len(s)
    if n <= 16:
        return _up_to_16(s)
    if n <= 64:
        return _up_to_64(s)
    x, y = 81, 81 * _K1 + 113 & _MASK
    z = _mix(y * _K2 + 113) * _K2 & _MASK
    v: _Pair = (0, 0)
    w: _Pair = (0, 0)
    x = x * _K2 + _word(s, 0)

    def turn(at: int, factor: int, last: int) -> tuple[int, int, int, _Pair, _Pair]:
        """One block of 64 bytes; ``last`` weighs the words that the final block adds."""
        nx = _rotate_right(x + y + v[0] + _word(s, at + 8), 37) * factor & _MASK
        ny = _rotate_right(y + v[1] + _word(s, at + 48), 42) * factor & _MASK
        nx ^= w[1] * last & _MASK
        ny = ny + v[0] * last + _word(s, at + 40) & _MASK
        nz = _rotate_right(z + w[0], 33) * factor & _MASK
        nv = _absorb(s, at, v[1] * factor, nx + w[0])
        return nz, ny, nx, nv, _absorb(s, at + 32, nz + w[1], ny + _word(s, at + 16))

    for at in range(0, (n - 1) // 64 * 64, 64):
        x, y, z, v, w = turn(at, _K1, 1)
    factor = _K1 + ((z & 0xFF) << 1)
    first = w[0] + ((n - 1) & 63)
    v = (v[0] + first & _MASK, v[1])
    w = (first + v[0] & _MASK, w[1])
    x, y, z, v, w = turn(n - 64, factor, 9)
    high = _combine(v[0], w[0], factor) + _mix(y) * _K0 + z
    return _combine(high & _MASK, _combine(v[1], w[1], factor) + x & _MASK, factor)


def murmur64(s: bytes, seed: int = 0xDECAFCAFFE) -> int:
    """MurmurHash64A (https://github.com/aappleby/smhasher), of ``tf.strings.to_hash_bucket``."""
    factor = 0xC6A4A7935BD1E995
    h = seed ^ len(s) * factor & _MASK
    whole = len(s) // 8 * 8
    for at in range(0, whole, 8):
        h = (h ^ _mix(_word(s, at) * factor) * factor & _MASK) * factor & _MASK
    if whole < len(s):
        h = (h ^ int.from_bytes(s[whole:], "little")) * factor & _MASK
    return _mix(_mix(h) * factor)


def siphash(s: bytes, key: Sequence[int]) -> int:
    """SipHash-2-4 (https://eprint.iacr.org/2012/351) under a key of two words."""
    k0, k1 = (k & _MASK for k in key)
    v = [k0 ^ 0x736F6D6570736575, k1 ^ 0x646F72616E646F6D]
    v += [k0 ^ 0x6C7967656E657261, k1 ^ 0x7465646279746573]

    def rounds(count: int) -> None:
        for _ in range(count):
            for a, b, turns, swap in _SIP_STEPS:
                v[a] = v[a] + v[b] & _MASK
                v[b] = _rotate_right(v[b], 64 - turns) ^ v[a]
                if swap:
                    v[a] = _rotate_right(v[a], 32)

    tail = len(s) % 8
    padded = s + bytes(7 - tail) + bytes([len(s) & 0xFF])
    for (word,) in struct.iter_unpack("<Q", padded):
        v[3] ^= word
        rounds(2)
        v[0] ^= word
    v[2] ^= 0xFF
    rounds(4)
    return v[0] ^ v[1] ^ v[2] ^ v[3]
