"""Files as datasets: lines, records, whole files, and the names that match a pattern."""

from __future__ import annotations

import glob
import struct
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from tfpy._src.backends.javascript.bridge import IN_BROWSER
from tfpy._src.backends.javascript.interop import is_js
from tfpy._src.base import dtypes
from tfpy._src.base.errors import DataLossError, InvalidArgumentError
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.data import structure
from tfpy._src.data.node import DatasetNode
from tfpy._src.data.pieces import Taking, check_held, compression_of, most_held, pieces_of
from tfpy._src.data.run import NOT_YET, DatasetRun
from tfpy._src.data.sources import Slices
from tfpy._src.data.structure import Flat
from tfpy._src.functions.tf_function.signature import TensorSpec
from tfpy._src.library.io.crc import masked_crc
from tfpy._src.library.io.streams import DataSource, FileDataSource

Reader = Callable[[Iterator[bytes], str, int | None], Iterator[bytes]]
"""Gives the texts of a file of that name by its bytes. Both have NOT_YET where they are awaited.

The last argument is how many bytes a text may have (`most_held`)."""


def text(value: bytes) -> Any:
    """A scalar text as an array."""
    found = np.empty((), object)
    found[()] = value
    return found


def names_of(filenames: Any) -> DatasetNode:
    """File names, given as texts or as a dataset of them, one an element; or data sources.

    Raises:
        TypeError: when a dataset has other elements.
    """
    given = filenames if isinstance(filenames, list | tuple) else [filenames]
    if any(map(_is_source, given)):
        return FileArguments(given)
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


def _is_source(value: Any) -> bool:
    return isinstance(value, DataSource) or (IN_BROWSER and is_js(value))


class FileArguments(DatasetNode):
    """Data sources, files of the browser and names, as a program lists them."""

    def __init__(self, given: Sequence[Any]) -> None:
        super().__init__()
        self._given = [FileDataSource(x) if IN_BROWSER and is_js(x) else x for x in given]

    @cached_property
    def spec(self) -> Any:
        return TensorSpec([], dtypes.string)

    def elements(self, run: DatasetRun) -> Iterator[Flat]:
        return ((x,) for x in self._given)


def named(node: DatasetNode, run: DatasetRun) -> Iterator[str | DataSource]:
    """The files that the elements of a node name."""
    for element in node.elements(run):
        if element is NOT_YET:
            yield element
        elif isinstance(element[0], np.ndarray):
            yield from (name.decode() for name in element[0].reshape(-1).tolist())
        else:
            yield element[0]


def name_of(file: str | DataSource) -> str:
    """How errors call a file."""
    return file if isinstance(file, str) else file.name


class FileContents(DatasetNode):
    """The texts of files, one file after the other.

    Raises:
        NotFoundError: when a file is not there, while iterating.
        ValueError: for another compression than "ZLIB", "GZIP" and none.
    """

    def __init__(self, name: str, filenames: Any, compression: Any, read: Reader) -> None:
        super().__init__(names_of(filenames))
        self.name = name
        self._read = read
        self._compression = compression_of(compression)

    @cached_property
    def spec(self) -> Any:
        return TensorSpec([], dtypes.string)

    def elements(self, run: DatasetRun) -> Iterator[Flat]:
        return run.map(lambda found: (text(found),), self._texts(run))

    def _texts(self, run: DatasetRun) -> Iterator[bytes]:
        for file in named(self.inputs[0], run):
            if file is NOT_YET:
                yield file
            else:
                pieces = pieces_of(run, file, self._compression)
                yield from self._read(pieces, name_of(file), most_held(self._compression))


def lines(pieces: Iterator[bytes], name: str, most: int | None = None) -> Iterator[bytes]:
    """The lines, without their ends.

    Raises:
        ResourceExhaustedError: If a line of a compressed file is too long.
    """
    begun: list[bytes] = []
    size = 0
    for piece in pieces:
        if piece is NOT_YET:
            yield piece
            continue
        first, *others = piece.split(b"\n")
        begun.append(first)
        size += len(first)
        check_held(size, most, "a line")
        if others:
            *whole, last = others
            for line in (b"".join(begun), *whole):
                yield line.removesuffix(b"\r")
            begun, size = [last], len(last)
    if last := b"".join(begun):
        yield last.removesuffix(b"\r")


def records(pieces: Iterator[bytes], name: str, most: int | None = None) -> Iterator[bytes]:
    """The records of a TFRecord file.

    Raises:
        DataLossError: where a checksum is wrong, or the file ends within a record.
        ResourceExhaustedError: If a record of a compressed file is too large.
    """
    at, taking = 0, Taking(pieces)
    while len(head := (yield from taking.take(12))) == 12:
        if masked_crc(head[:8]) != struct.unpack("<I", head[8:])[0]:
            hint = " (Is this even a TFRecord file?)" if not at else ""
            raise DataLossError(None, "TFRecordDataset", f"corrupted record at {at}{hint}")
        (length,) = struct.unpack("<Q", head[:8])
        check_held(length, most, "a record")
        body = yield from taking.take(length + 4)
        if len(body) < length + 4:
            raise DataLossError(None, "TFRecordDataset", f"truncated record at {at}")
        data = body[:-4]
        if masked_crc(data) != struct.unpack("<I", body[-4:])[0]:
            raise DataLossError(None, "TFRecordDataset", f"corrupted record at {at}")
        at += length + 16
        yield data


def fixed(length: int, header: int, footer: int) -> Reader:
    """What reads records of one length, between a header and a footer."""

    def read(pieces: Iterator[bytes], name: str, most: int | None = None) -> Iterator[bytes]:
        data = yield from Taking(pieces, most).take(None)
        size = len(data) - header - footer
        if size < 0 or size % length:
            raise InvalidArgumentError(
                None,
                "FixedLengthRecordDataset",
                f"Excluding the header ({header} bytes) and footer ({footer} bytes), input file "
                f'"{name}" has body length {size} bytes, which is not an exact multiple of the '
                f"record length ({length} bytes).",
            )
        yield from (data[at : at + length] for at in range(header, header + size, length))

    return read


def whole(pieces: Iterator[bytes], name: str, most: int | None = None) -> Iterator[bytes]:
    """All bytes of a file as one."""
    yield (yield from Taking(pieces, most).take(None))


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
