"""The reader of graphs in TensorFlow.js's JSON, which returns the dictionaries of binary messages.

The JSON form of Protocol Buffers has names in camelCase, bytes in base64, 64-bit integers as
strings, and enumerations by name or number.
"""

from __future__ import annotations

import base64
import binascii
import functools
import itertools
import marshal
import re
from collections.abc import Callable, Mapping
from typing import Any

from tfpy._src.formats.encodings.protobuf import (
    BOOL,
    BYTES,
    DOUBLE,
    FLOAT,
    INT,
    STRING,
    FieldKind,
    Many,
    Mapped,
    Message,
)
from tfpy._src.formats.tensorflow.reader.graph import NodeMessages
from tfpy._src.formats.tensorflow.reader.messages import ATTR, ATTRS, GRAPH, SHAPE
from tfpy._src.formats.tensorflow.reader.values import attribute
from tfpy._src.library.io.checked_json import ModelFileError, a_list, an_object

_UNDERSCORE = re.compile(r"_([a-z])")
_DIGITS = 21
"""Maximum number of characters of a 64-bit integer, with its sign."""

_MAX_KNOWN, _MAX_KEY = 512, 1024
"""Maximum number of cached attributes, and of bytes of their keys."""
_MARSHAL = 2  # the last version that writes equal values as equal bytes

_OBJECTS, _LISTS, _TEXTS = {dict}, {list}, {str}

Reader = Callable[[Any], Any]


def graph_from_json(value: Any) -> dict[str, Any]:
    """Read a GraphDef (`modelTopology`). The attributes of nodes are left for `attributes`.

    Raises:
        ModelFileError: If the JSON value is invalid.
    """
    if isinstance(value, dict) and (nodes := _plain(value.get("node"))) is not None:
        return _read(value | {"node": []}, GRAPH, "modelTopology") | {"node": nodes}
    return _read(value, GRAPH, "modelTopology")


def _plain(nodes: Any) -> NodeMessages | None:
    """Return the columns of nodes that need no conversion, as in most files, otherwise None.

    One check for all nodes is faster, because a file has thousands.
    """
    if type(nodes) is tuple:
        return NodeMessages(*nodes)
    if type(nodes) is not list or not _OBJECTS.issuperset(map(type, nodes)):
        return None
    found = NodeMessages.of(nodes)
    if (
        _TEXTS.issuperset(map(type, itertools.chain(found.names, found.ops)))
        and _LISTS.issuperset(map(type, found.inputs))
        and _TEXTS.issuperset(map(type, itertools.chain.from_iterable(found.inputs)))
        and _OBJECTS.issuperset(map(type, found.attrs))
    ):
        return found
    return None


def attributes(value: Any, name: str) -> Mapping[str, Any]:
    """Read the attributes of a node of `graph_from_json`.

    The result must not be changed, because nodes of all graphs share equal attributes.

    Args:
        value: The JSON object, or its bytes in the format of `marshal`.
        name: Name of the node for error messages.

    Raises:
        ModelFileError: If the attributes are invalid.
    """
    is_packed = type(value) is bytes
    key = value if is_packed else marshal.dumps(value, _MARSHAL)
    found = _known_maps.get(key)
    if found is None:
        said = marshal.loads(value) if is_packed else value
        found = {k: _value(v, f"{name}.{k}") for k, v in said.items() if k[:1] != "_"}
        _keep(_known_maps, key, found)
    return found


def _value(value: Any, what: str) -> Any:
    """Read the value of an attribute."""
    key = marshal.dumps(value, _MARSHAL)
    if key in _known_values:
        return _known_values[key]
    found = attribute(_read(value, ATTR, what), what)
    _keep(_known_values, key, found)
    return found


def _keep(known: dict[bytes, Any], key: bytes, value: Any) -> None:
    if len(key) <= _MAX_KEY:
        if len(known) >= _MAX_KNOWN:
            known.clear()
        known[key] = value


_known_maps: dict[bytes, Mapping[str, Any]] = {}
_known_values: dict[bytes, Any] = {}
"""Caches of the results by the JSON that they were read from. Most attributes are equal to others,
in a graph and between graphs."""


def shape_from_json(value: Any, what: str) -> dict[str, Any]:
    """Read a TensorShapeProto.

    Raises:
        ModelFileError: If the JSON value is invalid.
    """
    return _read(value, SHAPE, what)


def _read(value: Any, message: Message, what: str) -> dict[str, Any]:
    try:
        found: dict[str, Any] = _reader(message)(value)
    except ModelFileError as error:
        raise ModelFileError(f"{what}.{error}") from None
    return found


@functools.cache
def _reader(kind: FieldKind | Message | Many | Mapped) -> Reader:
    """Return a function that reads values of a type. It is cached: a file has thousands."""
    if isinstance(kind, Message):
        return _message_reader(kind)
    if isinstance(kind, Many):
        return _list_reader(kind.kind)
    if isinstance(kind, Mapped):
        if kind is ATTRS:
            return lambda value: an_object(value, "it")  # attributes() reads it later
        inner = _later(kind.pair.fields[2][1])
        return lambda value: {k: inner(v) for k, v in an_object(value, "it").items()}
    read: Reader = _KINDS.get(kind, _integer)
    plain = _PLAIN.get(kind)

    def single(value: Any) -> Any:
        if type(value) is plain:
            return value
        try:
            return read(value)
        except (OverflowError, TypeError, ValueError, binascii.Error):
            text = f"it must be a {kind.name}, got {str(value)[:80]!r}"
            raise ModelFileError(text) from None

    return single


def _list_reader(kind: FieldKind | Message) -> Reader:
    one = _later(kind)
    plain = {_PLAIN[kind]} if isinstance(kind, FieldKind) and kind in _PLAIN else set()

    def read(value: Any) -> Any:
        items = a_list(value, "it")
        return items if plain.issuperset(map(type, items)) else [one(item) for item in items]

    return read


def _later(kind: FieldKind | Message | Many | Mapped) -> Reader:
    """Return a reader that is created when it is called, because messages contain themselves."""
    if isinstance(kind, FieldKind):
        return _reader(kind)

    def read(value: Any) -> Any:
        return _reader(kind)(value)

    return read


def _message_reader(message: Message) -> Reader:
    fields: dict[str, tuple[str, type | None, Reader]] = {}
    repeated: list[tuple[str, type]] = []
    for name, kind in message.fields.values():
        in_json = _UNDERSCORE.sub(lambda m: m[1].upper(), name)
        plain = _PLAIN.get(kind) if isinstance(kind, FieldKind) else dict if kind is ATTRS else None
        fields[name] = fields[in_json] = name, plain, _later(kind)
        if isinstance(kind, Many | Mapped):
            repeated.append((name, list if isinstance(kind, Many) else dict))

    def read(value: Any) -> dict[str, Any]:
        found: dict[str, Any] = {}
        name = ""
        try:
            for key, given in an_object(value, message.name).items():
                if given is not None and (field := fields.get(key)) is not None:
                    name, plain, one = field
                    found[name] = given if type(given) is plain else one(given)
        except ModelFileError as error:
            raise ModelFileError(f"{name}.{error}" if name else str(error)) from None
        for name, empty in repeated:
            if name not in found:
                found[name] = empty()
        return found

    return read


def _integer(value: Any) -> int:
    """Read a number, a number as a string, or the name of a dtype."""
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
    """Read a number, or the name of a number that JSON does not support ("Infinity", "NaN")."""
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
    """Read base64, or a list of character codes."""
    if isinstance(value, list):
        return bytes(value)
    return base64.b64decode(_text(value).replace("-", "+").replace("_", "/"), validate=True)


_KINDS: dict[FieldKind, Reader] = {
    STRING: _text,
    BYTES: _bytes,
    BOOL: _truth,
    FLOAT: _number,
    DOUBLE: _number,
}

_PLAIN: dict[FieldKind, type] = {STRING: str, BOOL: bool, FLOAT: float, DOUBLE: float, INT: int}
"""Python types of values that need no conversion."""

_NAMES = (
    "INVALID FLOAT DOUBLE INT32 UINT8 INT16 INT8 STRING COMPLEX64 INT64 BOOL QINT8 QUINT8 QINT32 "
    "BFLOAT16 QINT16 QUINT16 UINT16 COMPLEX128 HALF RESOURCE VARIANT UINT32 UINT64"
)
NUMBERS = {f"DT_{name}": number for number, name in enumerate(_NAMES.split(" "))}
"""Numbers of TensorFlow's dtypes, by their names in messages."""
