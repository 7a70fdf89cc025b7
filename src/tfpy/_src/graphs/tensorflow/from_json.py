"""Graphs in TensorFlow.js's JSON: the same dictionaries as those of the binary messages.

Protocol Buffers' JSON writes names in camelCase, bytes in base64, 64-bit integers as text, and
enumerations by name or number.
"""

from __future__ import annotations

import base64
import binascii
import functools
import marshal
import re
from collections.abc import Callable, Container
from typing import Any

from tfpy._src.graphs.checked import a_list, an_object
from tfpy._src.graphs.errors import ModelFileError
from tfpy._src.graphs.tensorflow.messages import ATTRS, GRAPH, SHAPE
from tfpy._src.graphs.wire import (
    BOOL,
    BYTES,
    DOUBLE,
    FLOAT,
    INT,
    STRING,
    Kind,
    Many,
    Mapped,
    Message,
)

_UNDERSCORE = re.compile(r"_([a-z])")
_DIGITS = 21
"""Of a 64-bit integer, with its sign."""

_MAX_KNOWN, _MAX_KEY = 512, 1024
"""How many nodes' attributes are kept, and of how many bytes."""
_MARSHAL = 2  # the last version that writes equal values as equal bytes

Reader = Callable[[Any], Any]


def graph_from_json(value: Any, given: Container[str] = ()) -> dict[str, Any]:
    """A GraphDef (``modelTopology``).

    Args:
        given: constants whose values lie outside; half of a file is what it says of them once more.

    Raises:
        ModelFileError: for what is none.
    """
    constants: list[dict[str, Any]] = []
    if isinstance(value, dict) and isinstance(value.get("node"), list):
        others = []
        for node in value["node"]:
            if _is_given(node, given):
                read = _INPUTS(node.get("input") or [])
                constants.append({"name": node["name"], "op": "Const", "input": read, "attr": {}})
            else:
                others.append(node)
        value = value | {"node": others}
    found = _read(value, GRAPH, "modelTopology")
    found["node"] = constants + found["node"]
    return found


def _is_given(node: Any, given: Container[str]) -> bool:
    """Whether it is a constant that is given."""
    if type(node) is not dict or node.get("op") != "Const":
        return False
    name = node.get("name")
    return type(name) is str and name in given


def shape_from_json(value: Any, what: str) -> dict[str, Any]:
    """A TensorShapeProto.

    Raises:
        ModelFileError: for what is none.
    """
    return _read(value, SHAPE, what)


def _read(value: Any, message: Message, what: str) -> dict[str, Any]:
    try:
        found: dict[str, Any] = _reader(message)(value)
    except ModelFileError as error:
        raise ModelFileError(f"{what}.{error}") from None
    return found


@functools.cache
def _reader(kind: Kind | Message | Many | Mapped) -> Reader:
    """What reads values of a kind. A file has tens of thousands, so it is made once."""
    if isinstance(kind, Message):
        return _message_reader(kind)
    if isinstance(kind, Many):
        return _list_reader(kind.kind)
    if isinstance(kind, Mapped):
        inner = _later(kind.pair.fields[2][1])

        def read_map(value: Any) -> Any:
            return {k: inner(v) for k, v in an_object(value, "it").items()}

        return _remembering(read_map) if kind is ATTRS else read_map
    read: Reader = _KINDS.get(kind, _integer)
    plain = _PLAIN.get(kind)

    def single(value: Any) -> Any:
        if type(value) is plain:
            return value
        try:
            return read(value)
        except (TypeError, ValueError, binascii.Error):
            text = f"it must be a {kind.name}, got {str(value)[:80]!r}"
            raise ModelFileError(text) from None

    return single


def _list_reader(kind: Kind | Message) -> Reader:
    one = _later(kind)
    plain = {_PLAIN[kind]} if isinstance(kind, Kind) and kind in _PLAIN else set()

    def read(value: Any) -> Any:
        items = a_list(value, "it")
        return items if plain.issuperset(map(type, items)) else [one(item) for item in items]

    return read


def _remembering(read: Reader) -> Reader:
    """A reader of nodes' attributes, of which a file has few that differ; what it gives is not
    changed."""
    known = functools.lru_cache(_MAX_KNOWN)(lambda data: read(marshal.loads(data)))

    def remembered(value: Any) -> Any:
        data = marshal.dumps(value, _MARSHAL)
        return known(data) if len(data) <= _MAX_KEY else read(value)

    return remembered


def _later(kind: Kind | Message | Many | Mapped) -> Reader:
    """The reader of a kind, which is made when it is needed: messages contain themselves."""
    if isinstance(kind, Kind):
        return _reader(kind)

    def read(value: Any) -> Any:
        return _reader(kind)(value)

    return read


def _message_reader(message: Message) -> Reader:
    fields: dict[str, tuple[str, Reader]] = {}
    repeated: list[tuple[str, type]] = []
    for name, kind in message.fields.values():
        in_json = _UNDERSCORE.sub(lambda m: m[1].upper(), name)
        fields[name] = fields[in_json] = name, _later(kind)
        if isinstance(kind, Many | Mapped):
            repeated.append((name, list if isinstance(kind, Many) else dict))

    def read(value: Any) -> dict[str, Any]:
        found: dict[str, Any] = {}
        name = ""
        try:
            for key, given in an_object(value, message.name).items():
                if given is not None and (field := fields.get(key)) is not None:
                    name, one = field
                    found[name] = one(given)
        except ModelFileError as error:
            raise ModelFileError(f"{name}.{error}" if name else str(error)) from None
        for name, empty in repeated:
            if name not in found:
                found[name] = empty()
        return found

    return read


def _integer(value: Any) -> int:
    """A number, one as text, or a dtype's name."""
    if isinstance(value, str):
        number = NUMBERS.get(value)
        if number is not None:
            return number
        if len(value) <= _DIGITS and value.removeprefix("-").isdecimal():
            return int(value)
    elif isinstance(value, int) and not isinstance(value, bool):
        return value
    elif isinstance(value, float) and value.is_integer() and abs(value) < 1 << 63:
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


_KINDS: dict[Kind, Reader] = {
    STRING: _text,
    BYTES: _bytes,
    BOOL: _truth,
    FLOAT: _number,
    DOUBLE: _number,
}

_PLAIN: dict[Kind, type] = {STRING: str, BOOL: bool, FLOAT: float, DOUBLE: float, INT: int}
"""Values of these types need no reading."""

_INPUTS = _list_reader(STRING)

_NAMES = (
    "INVALID FLOAT DOUBLE INT32 UINT8 INT16 INT8 STRING COMPLEX64 INT64 BOOL QINT8 QUINT8 QINT32 "
    "BFLOAT16 QINT16 QUINT16 UINT16 COMPLEX128 HALF RESOURCE VARIANT UINT32 UINT64"
)
NUMBERS = {f"DT_{name}": number for number, name in enumerate(_NAMES.split(" "))}
"""TensorFlow's dtypes by the names that its messages have."""
