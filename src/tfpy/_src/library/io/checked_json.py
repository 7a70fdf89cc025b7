"""JSON of model files (`model.json`), checked before it is used."""

from __future__ import annotations

import contextlib
import gc
import json
import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from tfpy._src.backends.javascript.bridge import converted_model


class ModelFileError(ValueError):
    """An error for a model file that is damaged or not allowed."""


MAX_DEPTH = 128
"""Maximum depth of nested lists and objects."""
MAX_BYTES = 1 << 28

_MARKS = b'"[]{}'
_NO_MARKS = bytes(set(range(256)) - set(_MARKS))
_STEPS = bytes.maketrans(_MARKS, np.array([0, 1, -1, 1, -1], np.int8).tobytes())
_NUMBERS = (int, float)  # a union would be created again for each number
_ESCAPED = re.compile(rb"\\.", re.S)


@contextlib.contextmanager
def uncollected() -> Iterator[None]:
    """Disable the garbage collector in a context.

    Parsed files have tens of thousands of objects and no cycles. The collector would run after
    every few thousand allocations and traverse all objects of the program, which takes as long as
    parsing.
    """
    is_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if is_on:
            gc.enable()


def parse(data: bytes, where: str = "model.json") -> dict[str, Any]:
    """Parse a JSON object.

    In a page, nodes of a graph and entries of a manifest may be tuples of columns
    (`csrc/model_json/marshal.h`) if they have the expected form.

    Args:
        data: Bytes of the file.
        where: Name of the file in errors.

    Raises:
        ModelFileError: If the data is not a JSON object, is too large or is nested too deeply.
    """
    if len(data) > MAX_BYTES:
        raise ModelFileError(f"{where} has {len(data)} bytes; the limit is {MAX_BYTES} bytes")
    found = converted_model(data)
    return an_object(loaded(data, where) if found is None else found, where)


def loaded(data: bytes, where: str) -> Any:
    """Parse JSON data.

    Raises:
        ModelFileError: If the data is not JSON, or is nested too deeply.
    """
    if _depth(data) > MAX_DEPTH:
        raise ModelFileError(f"{where} is nested more than {MAX_DEPTH} levels deep")
    try:
        return json.loads(data)
    except ValueError as error:
        page = ". It looks like HTML; check the model's URL" if data.lstrip()[:1] == b"<" else ""
        raise ModelFileError(f"{where} is not valid JSON: {error}{page}") from None


def _depth(data: bytes) -> int:
    """Return the largest depth of brackets outside of strings."""
    plain = _ESCAPED.sub(b"", data) if b"\\" in data else data
    marks = plain.translate(None, _NO_MARKS).replace(b'""', b"")  # strings without brackets
    steps = np.frombuffer(marks.translate(_STEPS), np.int8)
    if b'"' in marks:
        within = np.logical_xor.accumulate(steps == 0)  # True inside of strings
        steps = np.where(within, 0, steps)
    return int(np.cumsum(steps, dtype=np.int32).max(initial=0))


def an_object(value: Any, what: str) -> dict[str, Any]:
    """Return a value that must be an object.

    Raises:
        ModelFileError: If it is not.
    """
    if not isinstance(value, dict):
        raise ModelFileError(f"{what} must be an object, got {_shown(value)}")
    return value


def a_list(value: Any, what: str) -> list[Any]:
    """Return a value that must be a list.

    Raises:
        ModelFileError: If it is not.
    """
    if not isinstance(value, list):
        raise ModelFileError(f"{what} must be a list, got {_shown(value)}")
    return value


def a_string(value: Any, what: str) -> str:
    """Return a value that must be a nonempty string.

    Raises:
        ModelFileError: If it is not.
    """
    if not isinstance(value, str) or not value:
        raise ModelFileError(f"{what} must be a string, got {_shown(value)}")
    return value


def a_size(value: Any, what: str) -> int:
    """Return a value that must be an integer from 0 to 2**31 - 1.

    Raises:
        ModelFileError: If it is not.
    """
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 1 << 31:
        raise ModelFileError(f"{what} must be an integer from 0 to 2**31-1, got {_shown(value)}")
    return value


def a_number(value: Any, what: str) -> float:
    """Return a value that must be a finite number.

    Raises:
        ModelFileError: If it is not.
    """
    number = isinstance(value, _NUMBERS) and not isinstance(value, bool)
    if not number or not abs(value) < float("inf"):
        raise ModelFileError(f"{what} must be a finite number, got {_shown(value)}")
    return float(value)


def _shown(value: Any) -> str:
    """Return the repr of a value, shortened to 80 characters."""
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
