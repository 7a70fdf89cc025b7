"""Weights in safetensors files: the length of a header, its JSON, and the bytes of the arrays."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping

import numpy as np

from tfpy._src.compiler.ir.aval import Array

_NAMES = {
    "float64": "F64", "float32": "F32", "float16": "F16", "int64": "I64", "int32": "I32",
    "int16": "I16", "int8": "I8", "uint8": "U8", "uint16": "U16", "uint32": "U32", "bool": "BOOL",
}  # fmt: skip


def safetensors_bytes(arrays: Mapping[str, Array]) -> bytes:
    """The bytes of a file with arrays by name.

    Raises:
        ValueError: for a dtype that there is not.
    """
    header, parts, at = {}, [], 0
    for name, array in arrays.items():
        if array.dtype.name not in _NAMES:
            raise ValueError(f"safetensors has no {array.dtype.name}, the dtype of {name!r}")
        data = np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<")).tobytes()
        place = [at, at + len(data)]
        shape = list(array.shape)
        header[name] = {"dtype": _NAMES[array.dtype.name], "shape": shape, "data_offsets": place}
        parts.append(data)
        at = place[1]
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + b"".join(parts)
