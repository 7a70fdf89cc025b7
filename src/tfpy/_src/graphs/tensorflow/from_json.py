"""Graphs in TensorFlow.js's JSON: the same dictionaries as those of the binary messages.

Protocol Buffers' JSON writes names in camelCase, bytes in base64, 64-bit integers as text, and
enumerations by name or number.
"""

from __future__ import annotations

import base64
import binascii
import functools
import re
from collections.abc import Callable
from typing import Any

from tfpy._src.graphs.checked import a_list, an_object
from tfpy._src.graphs.errors import ModelFileError
from tfpy._src.graphs.tensorflow.messages import GRAPH, SHAPE
from tfpy._src.graphs.wire import BOOL, BYTES, DOUBLE, FLOAT, STRING, Kind, Many, Mapped, Message

_UNDERSCORE = re.compile(r"_([a-z])")
_INTEGER = re.compile(r"-?\d{1,20}")


def graph_from_json(value: Any) -> dict[str, Any]:
    """A GraphDef (``modelTopology``).

    Raises:
        ModelFileError: for what is none.
    """
    return _read(value, GRAPH, "modelTopology")


def shape_from_json(value: Any, what: str) -> dict[str, Any]:
    """A TensorShapeProto.

    Raises:
        ModelFileError: for what is none.
    """
    return _read(value, SHAPE, what)


def _read(value: Any, message: Message, what: str) -> dict[str, Any]:
    try:
        return _message(value, message)
    except ModelFileError as error:
        raise ModelFileError(f"{what}.{error}") from None


def _message(value: Any, message: Message) -> dict[str, Any]:
    fields, empty = _fields(message)
    found: dict[str, Any] = {name: kind() for name, kind in empty}
    for key, given in an_object(value, message.name).items():
        if key in fields and given is not None:
            name, kind = fields[key]
            try:
                found[name] = _value(given, kind)
            except ModelFileError as error:
                raise ModelFileError(f"{name}.{error}") from None
    return found


@functools.cache
def _fields(message: Message) -> tuple[dict[str, Any], list[tuple[str, type[Any]]]]:
    """Name and kind of fields by their names in JSON, and those that are there when empty."""
    fields: dict[str, Any] = {}
    empty: list[tuple[str, type[Any]]] = []
    for name, kind in message.fields.values():
        fields[name] = fields[_UNDERSCORE.sub(lambda m: m[1].upper(), name)] = name, kind
        if isinstance(kind, Many | Mapped):
            empty.append((name, list if isinstance(kind, Many) else dict))
    return fields, empty


def _value(value: Any, kind: Kind | Message | Many | Mapped) -> Any:
    if isinstance(kind, Many):
        return [_value(one, kind.kind) for one in a_list(value, "it")]
    if isinstance(kind, Mapped):
        inner = kind.pair.fields[2][1]
        return {k: _value(v, inner) for k, v in an_object(value, "it").items()}
    if isinstance(kind, Message):
        return _message(value, kind)
    try:
        return _KINDS[kind](value) if kind in _KINDS else _integer(value)
    except (TypeError, ValueError, binascii.Error):
        raise ModelFileError(f"it must be a {kind.name}, got {str(value)[:80]!r}") from None


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
