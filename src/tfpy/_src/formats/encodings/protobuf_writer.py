"""A writer of Protocol Buffers, the counterpart of `protobuf`.

Each function returns the bytes of one field. A message is the concatenation of its fields.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable

from tfpy._src.library.protos.wire import BYTES, FIXED32, FIXED64, VARINT, varint


def integer(field: int, value: int) -> bytes:
    """Encode a field of type int32, int64, bool or an enumeration."""
    return varint(field << 3 | VARINT) + varint(int(value))


def real(field: int, value: float) -> bytes:
    """Encode a field of type float."""
    return varint(field << 3 | FIXED32) + struct.pack("<f", value)


def double(field: int, value: float) -> bytes:
    """Encode a field of type double."""
    return varint(field << 3 | FIXED64) + struct.pack("<d", value)


def fixed32(field: int, value: int) -> bytes:
    """Encode a field of type fixed32."""
    return varint(field << 3 | FIXED32) + struct.pack("<I", value)


def chunk(field: int, value: bytes | str) -> bytes:
    """Encode a field of type bytes or string, or a message."""
    data = value.encode() if isinstance(value, str) else value
    return b"".join((varint(field << 3 | BYTES), varint(len(data)), data))


def integers(field: int, values: Iterable[int]) -> bytes:
    """Encode a packed repeated field of integers."""
    return chunk(field, b"".join(map(varint, values)))


def reals(field: int, values: Iterable[float]) -> bytes:
    """Encode a packed repeated field of floats."""
    return chunk(field, b"".join(struct.pack("<f", value) for value in values))
