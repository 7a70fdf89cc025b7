"""Messages of Protocol Buffers, written: the counterpart of ``wire``.

A message is what the functions here give, joined: each gives the bytes of one field.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable

_VARINT, _BYTES, _FIXED32 = 0, 2, 5
_MASK = (1 << 64) - 1


def varint(number: int) -> bytes:
    """A number, below zero as 64 bits in two's complement."""
    number &= _MASK
    found = bytearray()
    while number > 0x7F:
        found.append(number & 0x7F | 0x80)
        number >>= 7
    found.append(number)
    return bytes(found)


def integer(field: int, value: int) -> bytes:
    """A field that holds an int32, int64, bool or an enumeration."""
    return varint(field << 3 | _VARINT) + varint(int(value))


def real(field: int, value: float) -> bytes:
    """A field that holds a float."""
    return varint(field << 3 | _FIXED32) + struct.pack("<f", value)


def fixed32(field: int, value: int) -> bytes:
    """A field that holds a number of four bytes."""
    return varint(field << 3 | _FIXED32) + struct.pack("<I", value)


def chunk(field: int, value: bytes | str) -> bytes:
    """A field that holds bytes, a string or a message."""
    data = value.encode() if isinstance(value, str) else value
    return b"".join((varint(field << 3 | _BYTES), varint(len(data)), data))


def integers(field: int, values: Iterable[int]) -> bytes:
    """A repeated field of integers, packed."""
    return chunk(field, b"".join(map(varint, values)))


def reals(field: int, values: Iterable[float]) -> bytes:
    """A repeated field of floats, packed."""
    return chunk(field, b"".join(struct.pack("<f", value) for value in values))
