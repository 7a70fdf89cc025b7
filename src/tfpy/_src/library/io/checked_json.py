"""JSON of models' files (``model.json``): checked before anything is made of it."""

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
    """A model's files are broken, or ask for what is not allowed."""


MAX_DEPTH = 128
"""How deeply a file's lists and objects may be nested."""
MAX_BYTES = 1 << 28

_MARKS = b'"[]{}'
_NO_MARKS = bytes(set(range(256)) - set(_MARKS))
_STEPS = bytes.maketrans(_MARKS, np.array([0, 1, -1, 1, -1], np.int8).tobytes())
_NUMBERS = (int, float)  # a union would be made anew for each number
_ESCAPED = re.compile(rb"\\.", re.S)


@contextlib.contextmanager
def uncollected() -> Iterator[None]:
    """A context in which Python looks for no cycles. What is read of a file has tens of thousands
    of objects and no cycles, and the search among them, which begins anew after each few thousand
    and goes through the program's other objects, takes as long as reading.
    """
    is_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if is_on:
            gc.enable()


def parse(data: bytes, where: str = "model.json") -> dict[str, Any]:
    """The object that the file is; in a page nodes of a graph and entries of a manifest may be
    tuples of columns (``csrc/model_json/marshal.h``), where they are what they should be.

    Args:
        where: the file, for errors.

    Raises:
        ModelFileError: for what is no JSON object, or nested too deeply.
    """
    if len(data) > MAX_BYTES:
        raise ModelFileError(f"{where} has {len(data)} bytes; at most {MAX_BYTES} are read")
    found = converted_model(data)
    return an_object(loaded(data, where) if found is None else found, where)


def loaded(data: bytes, where: str) -> Any:
    """Return the value that JSON in a file stands for.

    Raises:
        ModelFileError: If it is no JSON, or nested too deeply.
    """
    if _depth(data) > MAX_DEPTH:
        raise ModelFileError(f"{where} is nested more than {MAX_DEPTH} levels deep")
    try:
        return json.loads(data)
    except ValueError as error:
        page = "; it is a page: is this the model's address?" if data.lstrip()[:1] == b"<" else ""
        raise ModelFileError(f"{where} is no JSON: {error}{page}") from None


def _depth(data: bytes) -> int:
    """How deeply brackets are nested, outside of strings."""
    plain = _ESCAPED.sub(b"", data) if b"\\" in data else data
    marks = plain.translate(None, _NO_MARKS).replace(b'""', b"")  # of strings without brackets
    steps = np.frombuffer(marks.translate(_STEPS), np.int8)
    if b'"' in marks:
        within = np.logical_xor.accumulate(steps == 0)  # of a string, from its quote on
        steps = np.where(within, 0, steps)
    return int(np.cumsum(steps, dtype=np.int32).max(initial=0))


def an_object(value: Any, what: str) -> dict[str, Any]:
    """A value that must be an object.

    Raises:
        ModelFileError: for something else.
    """
    if not isinstance(value, dict):
        raise ModelFileError(f"{what} must be an object, got {_shown(value)}")
    return value


def a_list(value: Any, what: str) -> list[Any]:
    """A value that must be a list.

    Raises:
        ModelFileError: for something else.
    """
    if not isinstance(value, list):
        raise ModelFileError(f"{what} must be a list, got {_shown(value)}")
    return value


def a_string(value: Any, what: str) -> str:
    """A value that must be a string that is not empty.

    Raises:
        ModelFileError: for something else.
    """
    if not isinstance(value, str) or not value:
        raise ModelFileError(f"{what} must be a string, got {_shown(value)}")
    return value


def a_size(value: Any, what: str) -> int:
    """A value that must be a whole number from 0 to 2**31 - 1.

    Raises:
        ModelFileError: for something else.
    """
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 1 << 31:
        raise ModelFileError(
            f"{what} must be a whole number from 0 to 2**31-1, got {_shown(value)}"
        )
    return value


def a_number(value: Any, what: str) -> float:
    """A value that must be a finite number.

    Raises:
        ModelFileError: for something else.
    """
    number = isinstance(value, _NUMBERS) and not isinstance(value, bool)
    if not number or not abs(value) < float("inf"):
        raise ModelFileError(f"{what} must be a finite number, got {_shown(value)}")
    return float(value)


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
