"""A fast reader of serialized examples, which decodes only the features that are needed."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.dtypes import DType
from tfpy._src.compiler.ir.aval import Array
from tfpy._src.library.io.checked_json import ModelFileError
from tfpy._src.library.protos.tensor_values import strings
from tfpy._src.library.protos.wire import (
    BYTES,
    FIXED32,
    VARINT,
    packed_numbers,
    read_value,
    read_varint,
)

KINDS = {dtypes.string: 1, dtypes.float32: 2, dtypes.int64: 3}
"""Number of the field of a `tf.train.Feature` for each dtype."""
NAMES = {1: "string", 2: "float", 3: "int64"}
"""TensorFlow's names of the dtypes of these fields."""
_WIRES = {1: BYTES, 2: FIXED32, 3: VARINT}
_FORMS = {2: "<f4", 3: "<i8"}


def name_of(dtype: DType) -> str:
    """Return TensorFlow's name of a dtype of features."""
    return NAMES[KINDS[dtype]]


def _chunks(data: memoryview, numbers: tuple[int, ...]) -> Iterator[tuple[int, memoryview]]:
    """Yield the fields of a message. They must contain bytes and have one of these numbers.

    TensorFlow's reader of examples rejects other fields as well, except in the outermost message.

    Raises:
        ModelFileError: If the message is malformed or contains other fields.
    """
    at, end = 0, len(data)
    while at < end:
        tag, at = read_varint(data, at)
        if tag & 7 != BYTES or tag >> 3 not in numbers:
            raise ModelFileError(f"an example contains an unexpected field {tag >> 3}")
        value, at = read_value(data, at, tag)
        assert not isinstance(value, int)
        yield tag >> 3, value


def parts_of(data: memoryview) -> dict[int, memoryview]:
    """Return the fields 1 and 2 of an example. Parts of a field that occurs again are joined.

    Raises:
        ModelFileError: If the message is malformed.
    """
    found: dict[int, memoryview] = {}
    at, end = 0, len(data)
    while at < end:
        tag, at = read_varint(data, at)
        value, at = read_value(data, at, 8 | tag & 7)  # as in TensorFlow, the number may be 0
        if tag in (1 << 3 | BYTES, 2 << 3 | BYTES):
            assert not isinstance(value, int)
            before = found.get(tag >> 3)
            both = value if before is None else memoryview(bytes(before) + bytes(value))
            found[tag >> 3] = both
    return found


def entries_of(data: memoryview | None) -> dict[bytes, memoryview]:
    """Return the values of a map whose entries are the field 1 of a message, by key.

    The last value of a key is used.

    Raises:
        ModelFileError: If the message is malformed.
    """
    found = {}
    for _, entry in _chunks(data if data is not None else memoryview(b""), (1,)):
        pair = list(_chunks(entry, (1, 2)))
        if len(pair) != 2:
            raise ModelFileError(f"an entry of a map has {len(pair)} fields")
        (_, key), (_, value) = sorted(pair, key=lambda part: part[0])
        found[bytes(key)] = value
    return found


def steps_of(data: memoryview) -> list[memoryview]:
    """Return the features of a feature list."""
    return [value for _, value in _chunks(data, (1,))]


def values_of(data: memoryview) -> tuple[int, Array]:
    """Return the values of a feature with the number of its kind, which is 0 if it is not set.

    Raises:
        ModelFileError: If the feature is malformed.
    """
    kind = 0
    lists: list[memoryview] = []
    for number, value in _chunks(data, (1, 2, 3)):
        if number != kind:
            kind, lists = number, []
        lists.append(value)
    if kind == 1:
        return kind, strings([bytes(item) for part in lists for _, item in _chunks(part, (1,))])
    if not kind:
        return kind, np.zeros(0)
    parts = [_numbers(part, kind) for part in lists]
    return kind, parts[0] if len(parts) == 1 else np.concatenate(parts)


def _numbers(data: memoryview, kind: int) -> Array:
    """Return the numbers of a list, which may be packed or not."""
    parts, wire, form = [], _WIRES[kind], _FORMS[kind]
    at, end = 0, len(data)
    while at < end:
        tag, start = read_varint(data, at)
        if tag >> 3 == 1 and tag & 7 in (BYTES, wire):
            value, at = read_value(data, start, tag)
            packed = data[start:at] if isinstance(value, int) else value
            parts.append(packed_numbers(packed, wire, form, "a list"))
        else:
            raise ModelFileError(f"a list of numbers contains an unexpected field {tag >> 3}")
    if len(parts) == 1:
        return parts[0]
    return np.concatenate(parts) if parts else np.zeros(0, form)
