"""CRC-32C, the checksum of TFRecord files, and how they mask it."""

from __future__ import annotations

import numpy as np

_POLYNOMIAL = 0x82F63B78  # reflected
_MASK = 0xA282EAD8
_LOW = 0xFFFFFFFF
_LONG = 2048  # bytes from which rows of them are computed side by side
_BITS = np.uint32(1) << np.arange(32, dtype=np.uint32)


def _steps() -> np.ndarray[tuple[int], np.dtype[np.uint32]]:
    """What each byte does to a checksum."""
    found = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        found = (found >> np.uint32(1)) ^ (found & np.uint32(1)) * np.uint32(_POLYNOMIAL)
    return found


_TABLE = _steps()
_STEPS = _TABLE.tolist()


def crc32c(data: bytes) -> int:
    """The checksum of bytes."""
    state, at = _LOW, 0
    if len(data) >= _LONG:
        state, at = _of_rows(data)
    for byte in data[at:]:
        state = _STEPS[(state ^ byte) & 255] ^ (state >> 8)
    return state ^ _LOW


def _of_rows(data: bytes) -> tuple[int, int]:
    """The state after most of the bytes, and how many these are.

    The checksum is linear: each of many rows of bytes is computed from 0 by itself, and so is what
    as many zeros do to each bit of the state. These join the rows.
    """
    rows = int(len(data) ** 0.5) // 2
    width = len(data) // rows
    columns = np.zeros((width, rows + 32), np.uint32)
    columns[:, :rows] = np.frombuffer(data, np.uint8, rows * width).reshape(rows, width).T
    states = np.zeros(rows + 32, np.uint32)
    states[0] = _LOW
    states[rows:] = _BITS
    for column in columns:
        states = _TABLE[(states ^ column) & np.uint32(255)] ^ (states >> np.uint32(8))
    after_zeros = states[rows:]
    joined = states[0]
    for state in states[1:rows]:
        joined = state ^ np.bitwise_xor.reduce(after_zeros[(_BITS & joined) != 0])
    return int(joined), rows * width


def masked_crc(data: bytes) -> int:
    """The checksum as TFRecord files have it."""
    found = crc32c(data)
    return ((found >> 15 | found << 17) + _MASK) & _LOW
