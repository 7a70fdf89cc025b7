"""A strict reader of FlexBuffers, the format of the options of TFLite's custom operations.

A value has a position, a width of 1, 2, 4 or 8 bytes, and a type. The last bytes of the data
describe the outermost value.
"""

from __future__ import annotations

import struct
from typing import Any

from tfpy._src.library.io.checked_json import ModelFileError

MAX_DEPTH = 16
"""Maximum depth of nested values."""

_NULL, _INT, _UINT, _FLOAT, _KEY, _STRING = range(6)
_INDIRECT = {6: _INT, 7: _UINT, 8: _FLOAT}
_MAP, _VECTOR, _BLOB, _BOOL = 9, 10, 25, 26
_TYPED = {11: _INT, 12: _UINT, 13: _FLOAT, 14: _KEY, 15: _STRING, 36: _BOOL}
_FIXED = {16 + 3 * n + kind - 1: (kind, n + 2) for n in range(3) for kind in (_INT, _UINT, _FLOAT)}
_FORMATS = {
    _INT: {1: "<b", 2: "<h", 4: "<i", 8: "<q"},
    _UINT: {1: "<B", 2: "<H", 4: "<I", 8: "<Q"},
    _FLOAT: {2: "<e", 4: "<f", 8: "<d"},
}


def read(data: bytes) -> Any:
    """Read a value: a dictionary, list, string, bytes, number or None.

    Raises:
        ModelFileError: If the data is invalid.
    """
    if len(data) < 3:
        raise ModelFileError("the options are empty")
    width = data[-1]
    reader = _Reader(data)
    return reader.value(len(data) - 2 - width, width, data[-2], 0)


class _Reader:
    """A reader of values at checked positions."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._left = len(data)

    def value(self, at: int, parent: int, packed: int, depth: int) -> Any:
        """Read the value at a position. Numbers in place have the width of the parent."""
        self._left -= 1
        if depth > MAX_DEPTH or self._left < 0:
            raise ModelFileError("options are nested too deeply, or have too many values")
        kind, width = packed >> 2, 1 << (packed & 3)
        if kind == _NULL:
            return None
        if kind == _BOOL:
            return bool(self._number(_UINT, at, parent))
        if kind in _FORMATS:
            return self._number(kind, at, parent)
        place = at - int(self._number(_UINT, at, parent))
        if kind in _INDIRECT:
            return self._number(_INDIRECT[kind], place, width)
        if kind == _KEY:
            return self._key(place)
        if kind in _FIXED:
            kind, count = _FIXED[kind]
            return [self._number(kind, place + i * width, width) for i in range(count)]
        count = int(self._number(_UINT, place - width, width))
        self._left -= count
        if count > len(self._data) or self._left < 0:
            raise ModelFileError("options describe more values than their bytes can contain")
        if kind in (_STRING, _BLOB):
            raw = self._bytes(place, count)
            return raw.decode("utf-8", "surrogateescape") if kind == _STRING else raw
        if kind in _TYPED:
            one = _TYPED[kind] << 2
            return [self.value(place + i * width, width, one, depth + 1) for i in range(count)]
        if kind not in (_MAP, _VECTOR):
            raise ModelFileError(f"options have a value of type {kind}, which is not supported")
        types = self._bytes(place + count * width, count)
        values = [self.value(place + i * width, width, types[i], depth + 1) for i in range(count)]
        return (
            dict(zip(self._keys(place, width, count), values, strict=True))
            if kind == _MAP
            else values
        )

    def _keys(self, place: int, width: int, count: int) -> list[str]:
        at = place - 3 * width
        keys = at - int(self._number(_UINT, at, width))
        step = int(self._number(_UINT, place - 2 * width, width))
        places = (keys + i * step for i in range(count))
        return [self._key(p - int(self._number(_UINT, p, step))) for p in places]

    def _key(self, place: int) -> str:
        end = self._data.find(b"\0", max(place, 0))
        return self._bytes(place, end - place).decode("utf-8", "replace")

    def _number(self, kind: int, at: int, width: int) -> Any:
        form = _FORMATS[kind].get(width)
        if form is None:
            raise ModelFileError(f"options have a number of {width} bytes, which is not supported")
        return struct.unpack(form, self._bytes(at, width))[0]

    def _bytes(self, at: int, size: int) -> bytes:
        if at < 0 or size < 0 or at + size > len(self._data):
            raise ModelFileError("options refer to bytes outside of their data")
        return self._data[at : at + size]
