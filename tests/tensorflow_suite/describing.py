"""Descriptions of values that two libraries computed, and their comparison."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from unittest.mock import NonCallableMock

import numpy as np

TOLERANCE = 1e-4
LIMIT = 200
"""Number of items of a container that are compared."""
SHORTENED = re.compile(
    r"0x[0-9a-f]+|\b(tfpy|tensorflow)(\.\w+)*\.|'\w+:0'|\b\d+(\.\d+)? ?(m?s|us)\b"
)
SIZES = re.compile(r"(?<=int)\d+|(?<=float)\d+|(?<=complex)\d+")
NUMBER = re.compile(r"[-+]?\d+\.?\d*(?:[eE][-+]?\d+)?")

Description = tuple[Any, ...]


def describe(value: Any, depth: int = 4) -> Description:
    """Return what can be compared of a value: its kind, and the numbers in it."""
    if isinstance(value, np.ndarray | np.generic):
        return _array(np.asarray(value))
    if value is None or isinstance(value, (bool, int, float, complex, str, bytes)):
        return ("plain", value)
    if isinstance(value, NonCallableMock):  # it has every attribute
        return ("kind", "mock")
    if type(value).__name__ == "TensorShape":
        return ("plain", str(value))
    if depth and isinstance(value, Mapping):
        items = sorted(((str(k), v) for k, v in value.items()), key=lambda item: item[0])
        return ("items", [(k, describe(v, depth - 1)) for k, v in items[:LIMIT]])
    if depth and isinstance(value, list | tuple):
        return ("items", [(str(i), describe(v, depth - 1)) for i, v in enumerate(value[:LIMIT])])
    if callable(getattr(value, "to_list", None)) and hasattr(value, "ragged_rank"):
        return ("items", [("", describe(value.to_list(), 8)), ("", ("plain", value.dtype.name))])
    if hasattr(value, "dense_shape") and hasattr(value, "values"):
        return ("items", [(n, describe(getattr(value, n))) for n in ("indices", "values")])
    if callable(getattr(value, "numpy", None)) and hasattr(value, "dtype"):
        return _array(np.asarray(value.numpy()))
    return ("kind", type(value).__name__)


def _array(array: np.ndarray[Any, Any]) -> Description:
    if array.dtype.kind in "OSU":
        return ("items", [(str(array.shape), describe(array.tolist(), 6))])
    if array.dtype.kind == "V" or (array.dtype.itemsize == 1 and array.dtype.kind == "f"):
        array = array.astype(np.float32)
    return ("array", array)


def difference(expected: Description, actual: Description) -> str:
    """Return how two descriptions differ: an empty text, "text", "dtype" or "value"."""
    if expected[0] != actual[0]:
        return _plain_and_array(expected, actual)
    if expected[0] == "kind":
        return ""
    if expected[0] == "plain":
        return _of_plain(expected[1], actual[1])
    if expected[0] == "array":
        return _of_arrays(expected[1], actual[1])
    if len(expected[1]) != len(actual[1]):
        return "value"
    pairs = zip(expected[1], actual[1], strict=True)
    found = {difference(a, b) or ("value" if k != j else "") for (k, a), (j, b) in pairs}
    return next((kind for kind in ("value", "dtype", "text") if kind in found), "")


def _plain_and_array(expected: Description, actual: Description) -> str:
    kinds = {expected[0], actual[0]}
    if kinds == {"plain", "array"} and not isinstance(expected[1], str | bytes | None):
        return _of_arrays(np.asarray(expected[1]), np.asarray(actual[1])) and "value"
    return "value"


def _of_plain(expected: Any, actual: Any) -> str:
    if isinstance(expected, str) and isinstance(actual, str):
        return text_difference(expected, actual)
    if isinstance(expected, float | complex) and isinstance(actual, float | complex):
        return "" if np.allclose(expected, actual, TOLERANCE, TOLERANCE, True) else "value"
    return "" if expected == actual else "value"


def _of_arrays(expected: np.ndarray[Any, Any], actual: np.ndarray[Any, Any]) -> str:
    if expected.shape != actual.shape:
        return "value"
    if expected.size:
        scale = max(1.0, float(np.nanmax(np.abs(expected[np.isfinite(expected)]), initial=0.0)))
        if not np.allclose(expected, actual, TOLERANCE, TOLERANCE * scale, equal_nan=True):
            return "value"
    return "" if expected.dtype == actual.dtype else "dtype"


def text_difference(expected: str, actual: str) -> str:
    """Return how two texts differ, where addresses, times and names of modules do not count."""
    one, two = (_normalized(SHORTENED.sub("", t)) for t in (expected, actual))
    if one == two:
        return ""
    if SIZES.sub("", one) == SIZES.sub("", two):
        return "dtype"
    if NUMBER.sub("#", one) != NUMBER.sub("#", two):
        return "text"
    numbers = [[float(n) for n in NUMBER.findall(t)] for t in (one, two)]
    scale = max((abs(n) for n in numbers[0]), default=1.0)
    close = np.allclose(*numbers, rtol=1e-3, atol=TOLERANCE * max(scale, 1.0))
    return "" if close else "value"


def _normalized(text: str) -> str:
    """Return a text with one space between words, and none in front of the end of an array."""
    return re.sub(r"\s+", " ", re.sub(r"\s+(?=\])", "", text)).strip()
