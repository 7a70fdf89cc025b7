"""The metadata of GGUF files: values of numbered types, by their keys.

Source: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tfpy._src.formats.gguf.cursor import LENGTH, Cursor
from tfpy._src.library.io.checked_json import ModelFileError

NUMBERS: dict[int, np.dtype[Any]] = {
    0: np.dtype("u1"),
    1: np.dtype("i1"),
    2: np.dtype("<u2"),
    3: np.dtype("<i2"),
    4: np.dtype("<u4"),
    5: np.dtype("<i4"),
    6: np.dtype("<f4"),
    7: np.dtype("?"),
    10: np.dtype("<u8"),
    11: np.dtype("<i8"),
    12: np.dtype("<f8"),
}
"""Dtypes of numbers and bools, by the numbers of their types."""
TEXT = 8
ARRAY = 9
TYPE = 4
"""Number of bytes of the number of a type."""
BOOL = np.dtype("?")
SMALLEST = LENGTH + TYPE + 1
"""Least number of bytes of a key with its value."""
LONGEST_KEY = 65535
MAX_DEPTH = 4
"""Maximum depth of arrays of arrays."""

Metadata = dict[str, Any]
"""Values by key: int, float, bool and str, NumPy arrays of numbers, and lists of strings and lists.
"""


def read_metadata(cursor: Cursor, count: int) -> Metadata:
    """Read the metadata.

    Args:
        cursor: Position of the first key.
        count: Number of keys.

    Raises:
        ModelFileError: If a value has an unknown type or does not fit into the file, or if a key
            occurs twice.
    """
    cursor.check(count, SMALLEST, "metadata values")
    found: Metadata = {}
    for _ in range(count):
        key = name_of(cursor, "a key of the metadata")
        if key in found:
            raise ModelFileError(f"the metadata contain {key!r} twice")
        what = f"the metadata value {key!r}"
        found[key] = _value(cursor, cursor.unsigned(TYPE, what), what, 0)
    return found


def name_of(cursor: Cursor, what: str) -> str:
    """Return the next string, which is a name.

    Raises:
        ModelFileError: If it is empty or too long.
    """
    name = cursor.text(what)
    if not 0 < len(name) <= LONGEST_KEY:
        raise ModelFileError(
            f"{what} has {len(name)} characters; from 1 to {LONGEST_KEY} are legal"
        )
    return name


def _value(cursor: Cursor, kind: int, what: str, depth: int) -> Any:
    if kind in NUMBERS:
        return _checked(cursor.array(NUMBERS[kind], 1, what), what)[0].item()
    if kind == TEXT:
        return cursor.text(what)
    if kind == ARRAY:
        return _array(cursor, what, depth + 1)
    raise ModelFileError(f"{what} has the unknown type {kind}")


def _array(cursor: Cursor, what: str, depth: int) -> Any:
    """Read an array: the type of its items, their number, and the items."""
    if depth > MAX_DEPTH:
        raise ModelFileError(f"{what} is nested more than {MAX_DEPTH} levels deep")
    kind = cursor.unsigned(TYPE, what)
    items = f"items of {what}"
    if kind in NUMBERS:
        count = cursor.count(NUMBERS[kind].itemsize, items)
        return _checked(cursor.array(NUMBERS[kind], count, items), what)
    if kind == TEXT:
        return cursor.texts(cursor.count(LENGTH, items), items)
    count = cursor.count(TYPE + LENGTH, items)
    return [_value(cursor, kind, what, depth) for _ in range(count)]


def _checked(values: Any, what: str) -> Any:
    """Return values, if all bools are 0 or 1.

    Raises:
        ModelFileError: If another bool is found.
    """
    if values.dtype == BOOL and values.view(np.uint8).max(initial=0) > 1:
        raise ModelFileError(f"{what} must be true (1) or false (0)")
    return values
