"""Safetensors files, single ones and those with an index: arrays that are read one at a time.

A file consists of the length of a header (8 bytes), the header, which is JSON, and the data.
Pages also have a package `safetensors`, in web/python. It has the names and errors of the package
that KerasHub imports, and does not depend on tfpy. This reader returns the errors of model files.

Source: https://github.com/huggingface/safetensors#format
"""

from __future__ import annotations

import importlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from math import prod
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from tfpy._src.formats.weight_file import WeightFile, check_overlaps, read_bytes, size_of
from tfpy._src.library.io.checked_json import (
    ModelFileError,
    a_list,
    a_size,
    a_string,
    an_object,
    loaded,
)

LENGTH = 8
"""Number of bytes of the length of the header."""
LARGEST_HEADER = 100_000_000
METADATA = "__metadata__"
INDEX = ".safetensors.index.json"
"""End of the name of the index of a model in several files."""
DTYPES = {
    "BOOL": ("bool", 1),
    "U8": ("uint8", 1),
    "I8": ("int8", 1),
    "F8_E5M2": ("float8_e5m2", 1),
    "F8_E4M3": ("float8_e4m3fn", 1),
    "F8_E8M0": ("float8_e8m0fnu", 1),
    "F8_E4M3FNUZ": ("float8_e4m3fnuz", 1),
    "F8_E5M2FNUZ": ("float8_e5m2fnuz", 1),
    "I16": ("int16", 2),
    "U16": ("uint16", 2),
    "F16": ("float16", 2),
    "BF16": ("bfloat16", 2),
    "I32": ("int32", 4),
    "U32": ("uint32", 4),
    "F32": ("float32", 4),
    "C64": ("complex64", 8),
    "F64": ("float64", 8),
    "I64": ("int64", 8),
    "U64": ("uint64", 8),
}
"""Dtypes of NumPy or ml_dtypes and the bytes of an element, by their names in files."""
HALVES = ("F16", "BF16")
"""Floats of two bytes."""


@dataclass(frozen=True)
class _Entry:
    """An array in a file: its dtype, its shape, and the position of its data in the file."""

    dtype: str
    shape: tuple[int, ...]
    begin: int
    end: int


class SafetensorsFile(WeightFile):
    """A safetensors file.

    Args:
        file: The file, which must stay open.

    Raises:
        ModelFileError: If the header does not describe the file.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        size = size_of(file)
        length = int.from_bytes(file.read(LENGTH), "little")
        start = LENGTH + length
        if length > LARGEST_HEADER or start > size:
            raise ModelFileError(
                f"the header of the safetensors file should have {length} bytes; the file has "
                f"{size} bytes"
            )
        header = an_object(loaded(file.read(length), _HEADER), _HEADER)
        self.metadata = _metadata(header.pop(METADATA, {}))
        self._entries = {name: _entry(about, name, start) for name, about in header.items()}
        check_overlaps({name: (e.begin, e.end) for name, e in self._entries.items()}, size)

    @property
    def names(self) -> Collection[str]:
        return self._entries.keys()

    @property
    def size(self) -> int:
        return sum(prod(entry.shape) for entry in self._entries.values())

    def shape(self, name: str) -> tuple[int, ...]:
        return self._entries[name].shape

    def read(self, name: str) -> NDArray[Any]:
        entry = self._entries[name]
        data = read_bytes(self._file, entry.begin, entry.end - entry.begin, name)
        return data.view(_numpy_dtype(DTYPES[entry.dtype][0])).reshape(entry.shape)

    def half(self, name: str) -> str | None:
        dtype = self._entries[name].dtype
        return dtype if dtype in HALVES else None


_HEADER = "the header of the safetensors file"


def _metadata(value: Any) -> dict[str, str]:
    what = f"{METADATA} of the safetensors file"
    found = an_object(value, what)
    if not all(isinstance(text, str) for text in found.values()):
        raise ModelFileError(f"{what} must contain only strings")
    return found


def _entry(about: Any, name: str, start: int) -> _Entry:
    """Check the description of an array.

    Raises:
        ModelFileError: If the number of bytes does not fit the shape and the dtype.
    """
    what = f"the tensor {name!r}"
    about = an_object(about, what)
    dtype = a_string(about.get("dtype"), f"the dtype of {what}")
    if dtype not in DTYPES:
        raise ModelFileError(f"{what} has the dtype {dtype!r}; tfpy reads {', '.join(DTYPES)}")
    shape = tuple(a_size(n, f"a size of {what}") for n in a_list(about.get("shape"), what))
    offsets = a_list(about.get("data_offsets"), f"data_offsets of {what}")
    if len(offsets) != 2 or not all(type(n) is int and n >= 0 for n in offsets):
        raise ModelFileError(f"data_offsets of {what} must be two integers that are not negative")
    begin, end = offsets
    needed = prod(shape) * DTYPES[dtype][1]
    if end - begin != needed:
        raise ModelFileError(
            f"{what} of shape {shape} and dtype {dtype} needs {needed} bytes, but its data are "
            f"those from {begin} to {end}"
        )
    return _Entry(dtype, shape, start + begin, start + end)


def _numpy_dtype(name: str) -> Any:
    if name.startswith(("bfloat", "float8")):
        return np.dtype(getattr(importlib.import_module("ml_dtypes"), name))
    return np.dtype(name)


class ShardedFiles(WeightFile):
    """The arrays of several safetensors files.

    Args:
        places: Names of the files by the names of their arrays.
        files: The files by their names.

    Raises:
        ModelFileError: If a file does not contain an array that the index assigns to it.
    """

    def __init__(self, places: Mapping[str, str], files: Mapping[str, SafetensorsFile]) -> None:
        for name, place in places.items():
            if name not in files[place].names:
                raise ModelFileError(f"{place} does not contain {name!r}, as the index specifies")
        self._places, self._files = places, files

    @property
    def names(self) -> Collection[str]:
        return self._places.keys()

    @property
    def size(self) -> int:
        return sum(file.size for file in self._files.values())

    def shape(self, name: str) -> tuple[int, ...]:
        return self._files[self._places[name]].shape(name)

    def read(self, name: str) -> NDArray[Any]:
        return self._files[self._places[name]].read(name)

    def half(self, name: str) -> str | None:
        return self._files[self._places[name]].half(name)


def places_of(index: bytes, where: str) -> dict[str, str]:
    """Return the names of files by the names of their arrays, from an index.

    Args:
        index: Bytes of the index.
        where: Name of the index in errors.

    Raises:
        ModelFileError: If the index is damaged.
    """
    found = an_object(loaded(index, where), where).get("weight_map")
    places = an_object(found, f"weight_map in {where}")
    return {name: a_string(place, f"the file of {name!r}") for name, place in places.items()}
