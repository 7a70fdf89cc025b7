"""Keys of parts of arrays. Their bytes sort like the strings and numbers that they encode."""

from __future__ import annotations

from collections.abc import Sequence

_BITS = 7  # bits of a number in each byte


def slice_key(name: str, extents: Sequence[tuple[int, int]]) -> bytes:
    """Return the key of a part of an array.

    Args:
        name: Key of the array.
        extents: Start and length of the part on each axis.
    """
    numbers = [_signed(n) for extent in extents for n in extent]
    return b"".join([_unsigned(0), _text(name.encode()), _unsigned(len(extents)), *numbers])


def _unsigned(number: int) -> bytes:
    """Encode an unsigned number: the count of its bytes, and the bytes."""
    count = -(-number.bit_length() // 8)
    return bytes([count]) + number.to_bytes(count, "big")


def _text(data: bytes) -> bytes:
    return data.replace(b"\0", b"\0\xff") + b"\0\1"


def _signed(number: int) -> bytes:
    """Encode a signed number. Its first bits, ones or zeros by the sign, count its bytes."""
    size = (number if number >= 0 else ~number).bit_length()
    count = size // _BITS + 1
    total = _BITS * count + count  # bits
    ones = ((1 << count) - 1) << (total - count)
    return ((number & ((1 << total) - 1)) ^ ones).to_bytes(count, "big")
