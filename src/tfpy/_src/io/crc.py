"""CRC-32C, the checksum of TFRecord files and checkpoints, and how they mask it."""

from __future__ import annotations

import functools

import numpy as np

_Words = np.ndarray[tuple[int, ...], np.dtype[np.uint32]]

_POLYNOMIAL = 0x82F63B78  # reflected
_MASK = 0xA282EAD8
_LOW = 0xFFFFFFFF
_LONG = 2048  # bytes from which rows of them are computed side by side
_ROWS = 4096  # at most
_WIDTH = 1024  # bytes of a row where there are so many
_U16 = np.uint32(16)
_LOW16, _LOW8 = np.uint32(0xFFFF), np.uint32(0xFF)


def _after(states: _Words, bits: int) -> _Words:
    """The states after so many bits that are 0."""
    for _ in range(bits):
        states = (states >> np.uint32(1)) ^ (states & np.uint32(1)) * np.uint32(_POLYNOMIAL)
    return states


_STEPS: list[int] = _after(np.arange(256, dtype=np.uint32), 8).tolist()
"""What each byte does to a checksum."""


@functools.cache
def _pairs() -> _Words:
    """What each two bytes do to a checksum."""
    return _after(np.arange(1 << 16, dtype=np.uint32), 16)


def crc32c(data: bytes | memoryview, before: int = 0) -> int:
    """The checksum of bytes.

    Args:
        before: that of the bytes that go before these.
    """
    view = memoryview(data).cast("B")
    state, at = before ^ _LOW, 0
    while len(view) - at >= _LONG:
        state, size = _of_rows(view[at:], state)
        at += size
    for byte in view[at:]:
        state = _STEPS[(state ^ byte) & 255] ^ (state >> 8)
    return state ^ _LOW


def _of_rows(data: memoryview, state: int) -> tuple[int, int]:
    """The state after the first bytes, and how many these are.

    The checksum is linear: each of many rows of bytes is computed from 0 by itself. What as many
    zeros as a row has do to the state of the row before it joins two of them.
    """
    rows = min(_ROWS, 1 << (len(data).bit_length() // 2))
    width = min(_WIDTH, len(data) // rows) & ~1
    pairs = np.frombuffer(data, "<u2", rows * width // 2).reshape(rows, -1)
    states = np.zeros(rows, np.uint32)
    states[0] = state
    table = _pairs()
    for column in np.ascontiguousarray(pairs.T):
        states = table.take((states ^ column) & _LOW16) ^ (states >> _U16)
    reach = width
    while len(states) > 1:
        states = _moved(states[0::2], reach) ^ states[1::2]
        reach *= 2
    return int(states[0]), rows * width


def _moved(states: _Words, zeros: int) -> _Words:
    """The states after so many bytes that are 0."""
    found = np.zeros_like(states)
    for i, table in enumerate(_zeros(zeros)):
        found ^= table[(states >> np.uint32(8 * i)) & _LOW8]
    return found


@functools.lru_cache(64)
def _zeros(count: int) -> tuple[_Words, ...]:
    """What so many bytes that are 0 make of each byte of a state."""
    bytes_ = np.arange(256, dtype=np.uint32)
    parts = tuple(bytes_ << np.uint32(8 * i) for i in range(4))
    if count == 1:
        return tuple(_after(part, 8) for part in parts)
    half = tuple(_moved(part, count // 2) for part in parts)
    twice = tuple(_moved(part, count // 2) for part in half)
    return tuple(_after(part, 8) for part in twice) if count % 2 else twice


def masked_crc(data: bytes | memoryview) -> int:
    """The checksum as TFRecord files and checkpoints have it."""
    return masked(crc32c(data))


def masked(checksum: int) -> int:
    """A checksum that may stand among bytes of which there is a checksum."""
    return ((checksum >> 15 | checksum << 17) + _MASK) & _LOW
