"""CRC-32C, the checksum of TFRecord files and checkpoints, and its mask."""

from __future__ import annotations

import functools

import numpy as np

_Words = np.ndarray[tuple[int, ...], np.dtype[np.uint32]]

_POLYNOMIAL = 0x82F63B78  # reflected
_MASK = 0xA282EAD8
_LOW = 0xFFFFFFFF
_LANES = ((1 << 21, 1 << 14), (1 << 17, 1 << 11), (1 << 13, 1 << 8), (1 << 9, 1 << 5))
"""Number of words that are processed in parallel, for messages of at least a number of bytes."""
_U16 = np.uint32(16)
_LOW16, _LOW8 = np.uint32(0xFFFF), np.uint32(0xFF)


def _after(states: _Words, bits: int) -> _Words:
    """Return the states after a number of zero bits."""
    for _ in range(bits):
        states = (states >> np.uint32(1)) ^ (states & np.uint32(1)) * np.uint32(_POLYNOMIAL)
    return states


_STEPS: list[int] = _after(np.arange(256, dtype=np.uint32), 8).tolist()
"""Change of a checksum for each byte."""


def crc32c(data: bytes | memoryview, before: int = 0) -> int:
    """Compute the CRC-32C checksum of bytes.

    Args:
        data: Bytes.
        before: Checksum of the bytes before these.
    """
    view = memoryview(data).cast("B")
    state = before ^ _LOW
    for least, lanes in _LANES:
        if len(view) >= least:
            state, size = _of_rows(view, state, lanes)
            view = view[size:]
    for byte in view:
        state = _STEPS[(state ^ byte) & 255] ^ (state >> 8)
    return state ^ _LOW


def _of_rows(data: memoryview, state: int, lanes: int) -> tuple[int, int]:
    """Return the state after the first bytes, and the number of these bytes.

    The checksum is linear: each column of the rows of words is a separate message with zeros in
    place of the other columns. At the end, the states of the columns are the words of one more row.
    """
    count = len(data) // (4 * lanes)
    rows = np.frombuffer(data, "<u4", count * lanes).reshape(count, lanes)
    low, high = _row_of_zeros(lanes)
    states = rows[0].astype(np.uint32)
    states[0] ^= np.uint32(state)
    for row in rows[1:]:
        states = low.take(states & _LOW16) ^ high.take(states >> _U16) ^ row
    reach = 4
    states = _moved(states, reach)
    while len(states) > 1:
        states = _moved(states[0::2], reach) ^ states[1::2]
        reach *= 2
    return int(states[0]), rows.nbytes


@functools.cache
def _row_of_zeros(lanes: int) -> tuple[_Words, _Words]:
    """Return the effect of zero words on each low half and each high half of a state."""
    halves = np.arange(1 << 16, dtype=np.uint32)
    return _moved(halves, 4 * lanes), _moved(halves << _U16, 4 * lanes)


def _moved(states: _Words, zeros: int) -> _Words:
    """Return the states after a number of zero bytes."""
    found = np.zeros_like(states)
    for i, table in enumerate(_zeros(zeros)):
        found ^= table[(states >> np.uint32(8 * i)) & _LOW8]
    return found


@functools.lru_cache(64)
def _zeros(count: int) -> tuple[_Words, ...]:
    """Return the effect of a number of zero bytes on each byte of a state."""
    bytes_ = np.arange(256, dtype=np.uint32)
    parts = tuple(bytes_ << np.uint32(8 * i) for i in range(4))
    if count == 1:
        return tuple(_after(part, 8) for part in parts)
    half = tuple(_moved(part, count // 2) for part in parts)
    twice = tuple(_moved(part, count // 2) for part in half)
    return tuple(_after(part, 8) for part in twice) if count % 2 else twice


def masked_crc(data: bytes | memoryview) -> int:
    """Return the masked checksum of bytes, as TFRecord files and checkpoints store it."""
    return masked(crc32c(data))


def masked(checksum: int) -> int:
    """Mask a checksum, so that it can be stored in data that has a checksum itself."""
    return ((checksum >> 15 | checksum << 17) + _MASK) & _LOW
