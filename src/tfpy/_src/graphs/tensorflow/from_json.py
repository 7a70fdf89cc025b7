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
from tfpy._src.graphs.tensorflow.messages import ATTR, GRAPH, SHAPE
from tfpy._src.graphs.wire import BOOL, BYTES, DOUBLE, FLOAT, STRING, Kind, Many, Mapped, Message

_UNDERSCORE = re.compile(r"_([a-z])")
_DIGITS = 21
"""Of a 64-bit integer, with its sign."""

_MAX_KNOWN, _MAX_KEY = 1024, 256
"""How many attributes are kept, and of how many bytes."""
_MARSHAL = 2  # the last version that writes equal values as equal bytes

Reader = Callable[[Any], Any]


def graph_from_json(value: Any, given: Container[str] = ()) -> dict[str, Any]:
    """A GraphDef (``modelTopology``).

    Args:
        given: constants whose values lie outside; half of a file is what it says of them once more.

    Raises:
        ModelFileError: for what is none.
    """
    if isinstance(value, dict) and isinstance(value.get("node"), list):
        value = value | {"node": [_named_only(node, given) for node in value["node"]]}
    return _read(value, GRAPH, "modelTopology")


def _named_only(node: Any, given: Container[str]) -> Any:
    """A node without its attributes if it is a constant that is given."""
    if isinstance(node, dict) and node.get("op") == "Const":
        name = node.get("name")
        if isinstance(name, str) and name in given:
            return {key: node[key] for key in ("name", "op", "input") if key in node}
    return node


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
        read_message = _message_reader(kind)
        return _remembering(read_message) if kind is ATTR else read_message
    if isinstance(kind, Many):
        one = _later(kind.kind)
        return lambda value: [one(item) for item in a_list(value, "it")]
    if isinstance(kind, Mapped):
        inner = _later(kind.pair.fields[2][1])
        return lambda value: {k: inner(v) for k, v in an_object(value, "it").items()}
    read: Reader = _KINDS.get(kind, _integer)

    def single(value: Any) -> Any:
        try:
            return read(value)
        except (TypeError, ValueError, binascii.Error):
            text = f"it must be a {kind.name}, got {str(value)[:80]!r}"
            raise ModelFileError(text) from None

    return single


def _remembering(read: Reader) -> Reader:
    """A reader of attributes, of which a file has few that differ; what it gives is not changed."""
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
    lists: list[str] = []
    maps: list[str] = []
    for name, kind in message.fields.values():
        in_json = _UNDERSCORE.sub(lambda m: m[1].upper(), name)
        fields[name] = fields[in_json] = name, _later(kind)
        if isinstance(kind, Many | Mapped):
            (lists if isinstance(kind, Many) else maps).append(name)

    def read(value: Any) -> dict[str, Any]:
        found: dict[str, Any] = {name: [] for name in lists}
        for name in maps:
            found[name] = {}
        name = ""
        try:
            for key, given in an_object(value, message.name).items():
                if key in fields and given is not None:
                    name, one = fields[key]
                    found[name] = one(given)
        except ModelFileError as error:
            raise ModelFileError(f"{name}.{error}" if name else str(error)) from None
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

_NAMES = (
    "INVALID FLOAT DOUBLE INT32 UINT8 INT16 INT8 STRING COMPLEX64 INT64 BOOL QINT8 QUINT8 QINT32 "
    "BFLOAT16 QINT16 QUINT16 UINT16 COMPLEX128 HALF RESOURCE VARIANT UINT32 UINT64"
)
NUMBERS = {f"DT_{name}": number for number, name in enumerate(_NAMES.split(" "))}
"""TensorFlow's dtypes by the names that its messages have."""
