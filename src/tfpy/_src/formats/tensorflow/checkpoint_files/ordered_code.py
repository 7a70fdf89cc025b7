"""Keys of parts of arrays in checkpoints: texts and numbers whose bytes sort as they do."""

from __future__ import annotations

from collections.abc import Sequence

_BITS = 7  # of a number in each byte


def slice_key(name: str, extents: Sequence[tuple[int, int]]) -> bytes:
    """The key of the part of an array.

    Args:
        name: the array's key.
        extents: for each axis where the part starts and how long it is.
    """
    numbers = [_signed(n) for extent in extents for n in extent]
    return b"".join([_unsigned(0), _text(name.encode()), _unsigned(len(extents)), *numbers])


def _unsigned(number: int) -> bytes:
    """How many bytes it has, and these."""
    count = -(-number.bit_length() // 8)
    return bytes([count]) + number.to_bytes(count, "big")


def _text(data: bytes) -> bytes:
    return data.replace(b"\0", b"\0\xff") + b"\0\1"


def _signed(number: int) -> bytes:
    """Its bytes behind as many ones as there are bytes, which are zeros for negative numbers."""
    size = (number if number >= 0 else ~number).bit_length()
    count = size // _BITS + 1
    total = _BITS * count + count  # bits
    ones = ((1 << count) - 1) << (total - count)
    return ((number & ((1 << total) - 1)) ^ ones).to_bytes(count, "big")
