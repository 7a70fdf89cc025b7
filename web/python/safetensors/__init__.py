"""The part of safetensors for NumPy, in plain Python: files of named arrays.

A file consists of the length of a header (8 bytes), the header, which is JSON, and the data.

Source: https://github.com/huggingface/safetensors#format
"""

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from math import prod
from types import TracebackType
from typing import Any, BinaryIO

import numpy as np

__all__ = ["SafetensorError", "safe_open"]
__version__ = "0.8.0"

METADATA = "__metadata__"
LENGTH = 8
"""Number of bytes of the length of the header."""
LARGEST_HEADER = 100_000_000
NAMES = {
    "BOOL": "bool",
    "U8": "uint8",
    "I8": "int8",
    "F8_E5M2": "float8_e5m2",
    "F8_E4M3": "float8_e4m3fn",
    "I16": "int16",
    "U16": "uint16",
    "F16": "float16",
    "BF16": "bfloat16",
    "I32": "int32",
    "U32": "uint32",
    "F32": "float32",
    "C64": "complex64",
    "F64": "float64",
    "I64": "int64",
    "U64": "uint64",
}
"""Dtypes by their names in files, in the order of the format."""
OF_ML_DTYPES = ("bfloat16", "float8_e5m2", "float8_e4m3fn")


class SafetensorError(Exception):
    """An error in a file."""


@dataclass(frozen=True)
class Entry:
    """An array in a file: its dtype, its shape, and the place of its data after the header."""

    dtype: str
    shape: tuple[int, ...]
    begin: int
    end: int


def dtype_of(name: str) -> Any:
    """Return the NumPy dtype for a name in a file."""
    found = NAMES[name]
    if found in OF_ML_DTYPES:
        import ml_dtypes  # rarely needed

        return np.dtype(getattr(ml_dtypes, found))
    return np.dtype(found).newbyteorder("<")


def header_of(file: BinaryIO) -> tuple[int, dict[str, Entry], dict[str, str] | None]:
    """Read the header of a file.

    Returns:
        The place of the data, the entries by name, and the metadata.

    Raises:
        SafetensorError: If the header does not describe the file.
    """
    start = file.read(LENGTH)
    size = int.from_bytes(start, "little")
    if len(start) < LENGTH or size > LARGEST_HEADER:
        raise SafetensorError("Error while deserializing header: the length is missing or too big")
    text = file.read(size)
    if len(text) < size:
        raise SafetensorError("Error while deserializing header: the file ends in the header")
    total = file.seek(0, os.SEEK_END) - LENGTH - size
    try:
        header = json.loads(text)
        metadata = header.pop(METADATA, None)
        entries = {name: _entry(about, total) for name, about in header.items()}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise SafetensorError(f"Error while deserializing header: {error}") from error
    return LENGTH + size, entries, metadata


def _entry(about: dict[str, Any], total: int) -> Entry:
    begin, end = about["data_offsets"]
    shape = tuple(about["shape"])
    if not all(type(n) is int and n >= 0 for n in (begin, end, *shape)):
        raise ValueError(f"sizes and places are no integers or negative: {about}")
    needed = prod(shape) * dtype_of(about["dtype"]).itemsize
    if not 0 <= begin <= end <= total or end - begin != needed:
        raise ValueError(f"{shape} values of {about['dtype']} are not the bytes {begin} to {end}")
    return Entry(about["dtype"], shape, begin, end)


class Slice:
    """An array in a file, which is read when it is indexed."""

    def __init__(self, opened: "safe_open", name: str) -> None:
        self._opened, self._name = opened, name

    def get_shape(self) -> list[int]:
        """Return the shape of the array."""
        return list(self._opened._entry(self._name).shape)

    def get_dtype(self) -> str:
        """Return the name of the dtype in the file."""
        return self._opened._entry(self._name).dtype

    def __getitem__(self, key: Any) -> Any:
        return self._opened.get_tensor(self._name)[key]


class safe_open:  # noqa: N801 as in the package
    """A file of named arrays, which are read one by one.

    Args:
        filename: Path of the file.
        framework: `"np"` or `"numpy"`.
        device: Has no effect.
    """

    def __init__(self, filename: Any, framework: str, device: Any = "cpu") -> None:
        if framework not in ("np", "numpy"):
            raise SafetensorError(f"framework {framework!r} is not supported: use 'np'")
        self._file: BinaryIO = open(filename, "rb")  # noqa: SIM115 as it is closed by __exit__
        try:
            self._data, self._entries, self._metadata = header_of(self._file)
        except SafetensorError:
            self._file.close()
            raise

    def __enter__(self) -> "safe_open":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._file.close()

    def __del__(self) -> None:
        if "_file" in vars(self):
            self._file.close()

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys())

    def keys(self) -> list[str]:
        """Return the names of the arrays, sorted."""
        return sorted(self._entries)

    def offset_keys(self) -> list[str]:
        """Return the names of the arrays in the order of their data."""
        return sorted(self._entries, key=lambda name: self._entries[name].begin)

    def metadata(self) -> dict[str, str] | None:
        """Return the strings that were stored with the arrays."""
        return self._metadata

    def get_tensor(self, name: str) -> Any:
        """Return an array.

        Raises:
            SafetensorError: If there is no array with this name.
        """
        entry = self._entry(name)
        found = np.empty(entry.shape, dtype_of(entry.dtype))
        self._file.seek(self._data + entry.begin)
        self._file.readinto(found.reshape(-1).view(np.uint8))  # type: ignore[attr-defined]
        return found

    def get_slice(self, name: str) -> Slice:
        """Return an array that is read when it is indexed."""
        self._entry(name)
        return Slice(self, name)

    def _entry(self, name: str) -> Entry:
        if name not in self._entries:
            raise SafetensorError(f"File does not contain tensor {name}")
        return self._entries[name]
