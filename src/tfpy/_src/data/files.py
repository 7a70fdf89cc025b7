"""Files as datasets: lines, records, records of one length, and the names that match a pattern."""

from __future__ import annotations

import glob
import gzip
import io
import struct
import zlib
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import IO, Any

import numpy as np

from tfpy._src import dtypes
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.data import structure
from tfpy._src.data.crc import masked_crc
from tfpy._src.data.node import Node, Run
from tfpy._src.data.sources import Slices
from tfpy._src.data.structure import Flat
from tfpy._src.errors import DataLossError, InvalidArgumentError, NotFoundError
from tfpy._src.function.signature import TensorSpec

Reader = Callable[[IO[bytes], str], Iterator[bytes]]
"""Gives the texts of an open file of that name."""


def text(value: bytes) -> Any:
    """A scalar text as an array."""
    found = np.empty((), object)
    found[()] = value
    return found


def names_of(filenames: Any) -> Node:
    """File names, given as texts or as a dataset of them, one an element.

    Raises:
        TypeError: when a dataset has other elements.
    """
    node = structure.node_of(filenames)
    if node is None:
        names = convert_to_tensor(filenames, dtypes.string).host_view().reshape(-1)
        return Slices(convert_to_tensor(names))
    spec = node.spec
    if (
        not isinstance(spec, TensorSpec)
        or spec.dtype != dtypes.string
        or spec.shape.rank not in (0, 1)
    ):
        raise TypeError(
            "The `filenames` argument must contain `tf.string` elements. Got a dataset of "
            f"{spec} elements."
        )
    return node


class Files(Node):
    """The texts of files, one file after the other.

    Raises:
        NotFoundError: when a file is not there, while iterating.
        ValueError: for another compression than "ZLIB", "GZIP" and none.
    """

    def __init__(self, name: str, filenames: Any, compression: Any, read: Reader) -> None:
        super().__init__(names_of(filenames))
        self.name = name
        self._read = read
        self._open = opener(compression)

    @cached_property
    def spec(self) -> Any:
        return TensorSpec([], dtypes.string)

    def elements(self, run: Run) -> Iterator[Flat]:
        for (names,) in self.inputs[0].elements(run):
            for name in np.reshape(names, -1).tolist():
                with self._open(name.decode()) as file:
                    for found in self._read(file, name.decode()):
                        yield (text(found),)


def opener(compression: Any) -> Callable[[str], IO[bytes]]:
    """What opens files.

    Raises:
        ValueError: for a compression that there is not.
    """
    kind = compression
    if kind is not None and not isinstance(kind, str):
        kind = convert_to_tensor(kind).host_view().item().decode()
    if kind not in (None, "", "ZLIB", "GZIP"):
        raise ValueError(f"Unsupported compression type {kind!r}: use 'ZLIB', 'GZIP' or ''")
    return lambda name: _opened(name, kind or "")


def _opened(name: str, kind: str) -> Any:
    try:
        if kind == "GZIP":
            return gzip.open(name, "rb")
        if kind == "ZLIB":
            with open(name, "rb") as file:
                return io.BytesIO(zlib.decompress(file.read()))
        return open(name, "rb")
    except FileNotFoundError:
        raise NotFoundError(None, "open", f"{name}; No such file or directory") from None


def lines(file: IO[bytes], name: str) -> Iterator[bytes]:
    """The lines, without their ends."""
    for line in file:
        yield line.removesuffix(b"\n").removesuffix(b"\r")


def records(file: IO[bytes], name: str) -> Iterator[bytes]:
    """The records of a TFRecord file.

    Raises:
        DataLossError: where a checksum is wrong, or the file ends within a record.
    """
    at = 0
    while len(head := file.read(12)) == 12:
        if masked_crc(head[:8]) != struct.unpack("<I", head[8:])[0]:
            hint = " (Is this even a TFRecord file?)" if not at else ""
            raise DataLossError(None, "TFRecordDataset", f"corrupted record at {at}{hint}")
        (length,) = struct.unpack("<Q", head[:8])
        body = file.read(length + 4)
        if len(body) < length + 4:
            raise DataLossError(None, "TFRecordDataset", f"truncated record at {at}")
        data = body[:-4]
        if masked_crc(data) != struct.unpack("<I", body[-4:])[0]:
            raise DataLossError(None, "TFRecordDataset", f"corrupted record at {at}")
        at += length + 16
        yield data


def fixed(length: int, header: int, footer: int) -> Reader:
    """What reads records of one length, between a header and a footer."""

    def read(file: IO[bytes], name: str) -> Iterator[bytes]:
        data = file.read()
        size = len(data) - header - footer
        if size < 0 or size % length:
            raise InvalidArgumentError(
                None,
                "FixedLengthRecordDataset",
                f"Excluding the header ({header} bytes) and footer ({footer} bytes), input file "
                f'"{name}" has body length {size} bytes, which is not an exact multiple of the '
                f"record length ({length} bytes).",
            )
        return (data[at : at + length] for at in range(header, header + size, length))

    return read


def matching(patterns: Any) -> Sequence[bytes]:
    """The names of the files that match patterns, sorted.

    Raises:
        InvalidArgumentError: when there are none.
    """
    given = np.atleast_1d(convert_to_tensor(patterns, dtypes.string).host_view()).tolist()
    found = sorted({name for pattern in given for name in glob.glob(pattern.decode())})
    if not found:
        joined = ", ".join(pattern.decode() for pattern in given)
        raise InvalidArgumentError(None, "list_files", f"No files matched pattern: {joined}")
    return [name.encode() for name in found]
