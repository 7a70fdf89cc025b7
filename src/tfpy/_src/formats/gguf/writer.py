"""The writer of GGUF files: metadata, and tensors that are computed and written one at a time.

Source: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import prod
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from tfpy._src.compiler.ops.block_formats import BlockFormat
from tfpy._src.formats.gguf.blocks import FORMATS
from tfpy._src.formats.gguf.encoders import ENCODERS
from tfpy._src.formats.gguf.metadata import ARRAY, NUMBERS, TEXT
from tfpy._src.formats.gguf.reader import DEFAULT_ALIGNMENT, MAGIC, VERSIONS

_BY_NAME = {record.name: record for record in FORMATS.values()}
_FORMAT_NUMBERS = {record.name: number for number, record in FORMATS.items()}
_KINDS = {dtype: number for number, dtype in NUMBERS.items()}


@dataclass(frozen=True)
class TensorPlan:
    """A tensor that is to be written.

    Attributes:
        shape: Sizes of the dimensions, the last one varies fastest.
        format: Name of the block format, one of `ENCODERS`.
    """

    shape: tuple[int, ...]
    format: str

    @property
    def record(self) -> BlockFormat:
        """The block format."""
        return _BY_NAME[self.format]

    @property
    def bytes(self) -> int:
        """Number of bytes of the data."""
        return prod(self.shape) // self.record.size * self.record.layout.itemsize


def fits(shape: tuple[int, ...], name: str) -> bool:
    """Return True if rows of a shape consist of whole blocks of a format."""
    return bool(shape) and shape[-1] % _BY_NAME[name].size == 0


def write_gguf(
    file: BinaryIO,
    metadata: Mapping[str, Any],
    tensors: Mapping[str, TensorPlan],
    read: Callable[[str], NDArray[Any]],
) -> None:
    """Write a GGUF file.

    Args:
        file: File to write.
        metadata: Values by keys: bool, int, float and str, arrays of numbers, and lists of strings.
        tensors: Shapes and formats of the tensors by their names.
        read: Function that returns a tensor of float32 by its name.
    """
    parts = [MAGIC, struct.pack("<IQQ", VERSIONS[-1], len(tensors), len(metadata))]
    for key, value in metadata.items():
        parts += [_text(key), _value(value)]
    offset = 0
    for name, plan in tensors.items():
        parts += [_text(name), struct.pack("<I", len(plan.shape))]
        parts.append(struct.pack(f"<{len(plan.shape)}Q", *reversed(plan.shape)))
        parts.append(struct.pack("<IQ", _FORMAT_NUMBERS[plan.format], offset))
        offset += _aligned(plan.bytes)
    header = b"".join(parts)
    file.write(header.ljust(_aligned(len(header)), b"\0"))
    for name, plan in tensors.items():
        file.write(ENCODERS[plan.format](np.asarray(read(name), np.float32)).data)
        file.write(bytes(_aligned(plan.bytes) - plan.bytes))


def _aligned(size: int) -> int:
    return -(-size // DEFAULT_ALIGNMENT) * DEFAULT_ALIGNMENT


def _text(value: str) -> bytes:
    data = value.encode()
    return struct.pack("<Q", len(data)) + data


def _value(value: Any) -> bytes:
    """Encode a value with the number of its type. Integers have 32 bits without a sign."""
    if isinstance(value, str):
        return struct.pack("<I", TEXT) + _text(value)
    if isinstance(value, list):
        items = b"".join(map(_text, value))
        return struct.pack("<IIQ", ARRAY, TEXT, len(value)) + items
    array = _numbers(value)
    kind, data = _KINDS[array.dtype], array.tobytes()
    if array.ndim == 0:
        return struct.pack("<I", kind) + data
    return struct.pack("<IIQ", ARRAY, kind, len(array)) + data


def _numbers(value: Any) -> NDArray[Any]:
    if isinstance(value, bool):
        return np.array(value)
    if isinstance(value, int):
        return np.array(value, "<u4")
    if isinstance(value, float):
        return np.array(value, "<f4")
    return np.asarray(value)
