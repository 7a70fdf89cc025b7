"""Graphs in TensorFlow.js's JSON: the same dictionaries as those of the binary messages.

Protocol Buffers' JSON writes names in camelCase, bytes in base64, 64-bit integers as text, and
enumerations by name or number.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable
from typing import Any

from tfpy._src.graphs.checked import a_list, an_object
from tfpy._src.graphs.errors import ModelFileError
from tfpy._src.graphs.tensorflow.messages import GRAPH, SHAPE
from tfpy._src.graphs.wire import BOOL, BYTES, DOUBLE, FLOAT, STRING, Kind, Many, Mapped, Message

_UPPER = re.compile(r"(?<=[a-z0-9])([A-Z])")
_INTEGER = re.compile(r"-?\d{1,20}")


def graph_from_json(value: Any) -> dict[str, Any]:
    """A GraphDef (``modelTopology``).

    Raises:
        ModelFileError: for what is none.
    """
    return _message(value, GRAPH, "modelTopology")


def shape_from_json(value: Any, what: str) -> dict[str, Any]:
    """A TensorShapeProto.

    Raises:
        ModelFileError: for what is none.
    """
    return _message(value, SHAPE, what)


def _message(value: Any, message: Message, what: str) -> dict[str, Any]:
    given = {_snake(k): v for k, v in an_object(value, what).items() if v is not None}
    found: dict[str, Any] = {}
    for name, kind in message.fields.values():
        if name in given:
            found[name] = _value(given[name], kind, f"{what}.{name}")
        elif isinstance(kind, Many):
            found[name] = []
        elif isinstance(kind, Mapped):
            found[name] = {}
    return found


def _value(value: Any, kind: Kind | Message | Many | Mapped, what: str) -> Any:
    if isinstance(kind, Many):
        return [_value(one, kind.kind, what) for one in a_list(value, what)]
    if isinstance(kind, Mapped):
        inner = kind.pair.fields[2][1]
        return {k: _value(v, inner, f"{what}[{k!r}]") for k, v in an_object(value, what).items()}
    if isinstance(kind, Message):
        return _message(value, kind, what)
    try:
        return _KINDS[kind](value) if kind in _KINDS else _integer(value)
    except (TypeError, ValueError, binascii.Error):
        raise ModelFileError(f"{what} must be a {kind.name}, got {str(value)[:80]!r}") from None


def _snake(name: str) -> str:
    return _UPPER.sub(r"_\1", name).lower()


def _integer(value: Any) -> int:
    """A number, one as text, or a dtype's name."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, float) and value.is_integer() and abs(value) < 1 << 63:
        return int(value)
    if isinstance(value, str) and value in NUMBERS:
        return NUMBERS[value]
    if isinstance(value, str) and _INTEGER.fullmatch(value):
        return int(value)
    raise ValueError


def _number(value: Any) -> float:
    """A number, or the name of one that JSON has not ("Infinity", "NaN")."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise TypeError
    return float(value)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _truth(value: Any) -> bool:
    if not isinstance(value, bool):
        raise TypeError
    return value


def _bytes(value: Any) -> bytes:
    """Base64, or a list of characters' codes."""
    if isinstance(value, list):
        return bytes(value)
    return base64.b64decode(_text(value).replace("-", "+").replace("_", "/"), validate=True)


_KINDS: dict[Kind, Callable[[Any], Any]] = {
    STRING: _text,
    BYTES: _bytes,
    BOOL: _truth,
    FLOAT: _number,
    DOUBLE: _number,
}

_NAMES = (
    "INVALID FLOAT DOUBLE INT32 UINT8 INT16 INT8 STRING COMPLEX64 INT64 BOOL QINT8 QUINT8 QINT32 "
    "BFLOAT16 QINT16 QUINT16 UINT16 COMPLEX128 HALF RESOURCE VARIANT UINT32 UINT64"
)
NUMBERS = {f"DT_{name}": number for number, name in enumerate(_NAMES.split(" "))}
"""TensorFlow's dtypes by the names that its messages have."""
