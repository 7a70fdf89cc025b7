"""Datasets of files: lines, records, whole files, and file names that match a pattern."""

from __future__ import annotations

import glob
import struct
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from pathlib import PurePath
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
"""Function that yields the elements of a file from its bytes and its name.

Both iterators may contain NOT_YET. The last argument is the largest number of bytes of an element
(`most_held`).
"""


def text(value: bytes) -> Any:
    """Return a string as a scalar array."""
    found = np.empty((), object)
    found[()] = value
    return found


def names_of(filenames: Any) -> DatasetNode:
    """Return a node of file names, from strings, a dataset of strings or data sources.

    Raises:
        TypeError: If a dataset has other elements.
    """
    given = filenames if isinstance(filenames, list | tuple) else [filenames]
    if any(map(_is_source, given)):
        return FileArguments(given)
    node = structure.node_of(filenames)
    if node is None:
        paths = [str(name) if isinstance(name, PurePath) else name for name in given]
        names = convert_to_tensor(paths if given is filenames else paths[0])
        if 0 in names.aval.shape:
            names = convert_to_tensor([], dtypes.string)
        if names.dtype != dtypes.string:
            raise TypeError(
                "The `filenames` argument must contain `tf.string` elements. Got "
                f"`tf.{names.dtype.name}` elements."
            )
        return Slices(convert_to_tensor(names.host_view().reshape(-1)))
    spec = node.spec
    if not isinstance(spec, TensorSpec) or spec.dtype != dtypes.string:
        kind = f"`tf.{spec.dtype.name}`" if isinstance(spec, TensorSpec) else spec
        raise TypeError(
            "The `filenames` argument must contain `tf.string` elements. Got a dataset of "
            f"{kind} elements."
        )
    if spec.shape.rank not in (0, 1):
        raise TypeError(
            "The `filenames` argument must contain `tf.string` elements of shape [] (i.e. "
            f"scalars). Got a dataset of element shape {spec.shape}."
        )
    return node


def _is_source(value: Any) -> bool:
    return isinstance(value, DataSource) or (IN_BROWSER and is_js(value))


class FileArguments(DatasetNode):
    """Data sources, files of the browser and names, as the program lists them."""

    def __init__(self, given: Sequence[Any]) -> None:
        super().__init__()
        self._given = [FileDataSource(x) if IN_BROWSER and is_js(x) else x for x in given]

    @cached_property
    def spec(self) -> Any:
        return TensorSpec([], dtypes.string)

    def elements(self, run: DatasetRun) -> Iterator[Flat]:
        return ((x,) for x in self._given)


def named(node: DatasetNode, run: DatasetRun) -> Iterator[str | DataSource]:
    """Yield the files that the elements of a node name."""
    for element in node.elements(run):
        if element is NOT_YET:
            yield element
        elif isinstance(element[0], np.ndarray):
            yield from (name.decode() for name in element[0].reshape(-1).tolist())
        else:
            yield element[0]


def name_of(file: str | DataSource) -> str:
    """Return the name of a file for errors."""
    return file if isinstance(file, str) else file.name


class FileContents(DatasetNode):
    """The elements of files, one file after the other.

    Raises:
        NotFoundError: If a file does not exist; raised while iterating.
        ValueError: If the compression is not "ZLIB", "GZIP" or "".
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
    """Yield the lines of a file, without line ends.

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
    """Yield the records of a TFRecord file.

    Raises:
        DataLossError: If a checksum is wrong, or the file ends within a record.
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
    """Return a Reader for records of one length, between a header and a footer."""

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
    """Yield all bytes of a file as one element."""
    yield (yield from Taking(pieces, most).take(None))


def matching(patterns: Any) -> Sequence[bytes]:
    """Return the sorted names of the files that match patterns.

    Raises:
        InvalidArgumentError: If no file matches.
    """
    given = np.atleast_1d(convert_to_tensor(patterns, dtypes.string).host_view()).tolist()
    found = sorted({name for pattern in given for name in glob.glob(pattern.decode())})
    if not found:
        joined = ", ".join(pattern.decode() for pattern in given)
        raise InvalidArgumentError(None, "list_files", f"No files matched pattern: {joined}")
    return [name.encode() for name in found]
