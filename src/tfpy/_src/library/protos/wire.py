"""The encoding of Protocol Buffers: numbers, fields, and packed arrays of numbers.

A message is a sequence of fields. Each field begins with a tag, a number that contains the field
number and the wire type, which specifies how the field's value is encoded.
"""

from __future__ import annotations

import numpy as np

from tfpy._src.compiler.ir.aval import Array
from tfpy._src.library.io.checked_json import ModelFileError

VARINT, FIXED64, BYTES, START_GROUP, END_GROUP, FIXED32 = range(6)
"""The wire types."""
FIXED_SIZES = {FIXED64: 8, FIXED32: 4}
"""Number of bytes of a value, by wire type."""
MAX_DEPTH = 100
"""Maximum depth of nested messages."""

_LONGEST = 10  # largest number of bytes of a varint
_MASK = (1 << 64) - 1


def varint(number: int) -> bytes:
    """Encode a number. Negative numbers become 64-bit two's complement."""
    number &= _MASK
    if number < 0x80:
        return bytes((number,))
    found = bytearray()
    while number > 0x7F:
        found.append(number & 0x7F | 0x80)
        number >>= 7
    found.append(number)
    return bytes(found)


def signed(number: int) -> int:
    """Return the signed number with the same 64 bits."""
    return number - (1 << 64) if number >> 63 else number


def read_varint(data: memoryview, at: int) -> tuple[int, int]:
    """Read an unsigned number of up to 64 bits. Also return the position after it.

    Raises:
        ModelFileError: If the data ends within the number, or the number is too long.
    """
    number = shift = 0
    for byte in data[at : at + _LONGEST]:
        number |= (byte & 0x7F) << shift
        at += 1
        if byte < 0x80:
            return number & _MASK, at
        shift += 7
    raise ModelFileError("the file ends within a number, or a number has more than ten bytes")


def read_value(data: memoryview, at: int, tag: int) -> tuple[int | memoryview, int]:
    """Read a field's number or bytes. Also return the position of the next field.

    Raises:
        ModelFileError: If the field is malformed, is a group, or is longer than the data.
    """
    wire = tag & 7
    if not 0 < tag >> 3 < 1 << 29:
        raise ModelFileError(f"{tag >> 3} is not a field number")
    if wire == VARINT:
        return read_varint(data, at)
    if wire == BYTES:
        size, at = read_varint(data, at)
    elif wire in FIXED_SIZES:
        size = FIXED_SIZES[wire]
    else:
        raise ModelFileError(f"a field has the wire type {wire}, which is not allowed")
    if size > len(data) - at:
        raise ModelFileError(f"a field has {size} bytes, but only {len(data) - at} are left")
    return data[at : at + size], at + size


def skip_value(data: memoryview, at: int, tag: int, depth: int = 0) -> int:
    """Return the position after the value of an unknown field, which may be a group.

    Raises:
        ModelFileError: If the field is malformed.
    """
    if tag & 7 != START_GROUP:
        return read_value(data, at, tag)[1]
    if depth >= MAX_DEPTH:
        raise ModelFileError(f"messages are nested more than {MAX_DEPTH} levels deep")
    while True:
        inner, at = read_varint(data, at)
        if inner & 7 == END_GROUP:
            if inner >> 3 != tag >> 3:
                raise ModelFileError(f"the group {tag >> 3} ends as group {inner >> 3}")
            return at
        at = skip_value(data, at, inner, depth + 1)


def packed_numbers(data: memoryview, wire: int, dtype: str, what: str) -> Array:
    """Read the numbers of a packed field.

    Raises:
        ModelFileError: If the data ends within a number. The error names the field (`what`).
    """
    if wire != VARINT:
        size = FIXED_SIZES[wire]
        if len(data) % size:
            raise ModelFileError(f"{what} has {len(data)} bytes, which is not a multiple of {size}")
        return np.frombuffer(data, dtype)
    raw = np.frombuffer(data, np.uint8)
    ends = np.flatnonzero(raw < 0x80)
    if raw.size and (not ends.size or ends[-1] != raw.size - 1):
        raise ModelFileError(f"{what} ends within a number")
    if not raw.size:
        return np.zeros(0, dtype)
    starts = np.concatenate([[0], ends[:-1] + 1])
    sizes = ends - starts + 1
    if sizes.max() > _LONGEST:
        raise ModelFileError(f"{what} has a number of more than ten bytes")
    if raw.size == ends.size:
        return raw.astype(dtype)
    places = np.arange(raw.size) - np.repeat(starts, np.asarray(sizes, np.intp))
    parts = (raw & 0x7F).astype(np.uint64) << (7 * places).astype(np.uint64)
    return np.add.reduceat(parts, starts).astype(dtype)
