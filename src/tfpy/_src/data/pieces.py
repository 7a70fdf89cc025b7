"""The bytes of files in pieces: read or awaited, decompressed, and consumed by size."""

from __future__ import annotations

import zlib
from collections.abc import Generator, Iterator
from functools import partial
from typing import Any

from tfpy._src.base.errors import DataLossError, NotFoundError, ResourceExhaustedError
from tfpy._src.base.unpack_limit import FLAG, Room
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.data.run import NOT_YET, DatasetRun
from tfpy._src.library.io.records import WINDOWS
from tfpy._src.library.io.streams import DataSource, URLDataSource, is_remote

_SIZE = 1 << 16
"""Number of bytes that are read or decompressed together."""


def compression_of(value: Any) -> str:
    """Return the name of a compression from a string or tensor.

    Raises:
        ValueError: If the compression is not supported.
    """
    kind = value
    if kind is not None and not isinstance(kind, str):
        kind = convert_to_tensor(kind).host_view().item().decode()
    if kind not in (None, "", *WINDOWS):
        raise ValueError(f"Unsupported compression type {kind!r}. Use 'ZLIB', 'GZIP' or ''.")
    return kind or ""


def pieces_of(run: DatasetRun, file: str | DataSource, compression: str) -> Iterator[bytes]:
    """Return an iterator over the bytes of a file. It yields NOT_YET for bytes that are awaited.

    Args:
        file: File name, URL (a name with a scheme, e.g. "https:") or data source.

    Raises:
        NotFoundError: If the file does not exist.
        DataLossError: If the file cannot be decompressed.
    """
    if isinstance(file, str) and is_remote(file):
        file = URLDataSource(file)
    found = _read(file) if isinstance(file, str) else run.arriving(file.pieces())
    return _unpacked(found, compression) if compression else found


def most_held(compression: str) -> int | None:
    """Return the largest number of bytes of an element; None for files without compression.

    Files are read in pieces, so only elements use memory. The elements of an uncompressed file are
    not larger than the file.
    """
    return Room().limit if compression else None


def check_held(size: int, most: int | None, what: str) -> None:
    """Raise an error if an element is too large.

    Raises:
        ResourceExhaustedError: If `size` is more than `most`.
    """
    if most is not None and size > most:
        raise ResourceExhaustedError(
            None,
            "dataset",
            f"{what} of a compressed file has at least {size} bytes; {most} are allowed. If you "
            f'trust the file, raise the limit with tf.env().set("{FLAG}", bytes).',
        )


def _read(name: str) -> Iterator[bytes]:
    try:
        file = open(name, "rb")  # noqa: SIM115 - the with statement below closes it
    except FileNotFoundError:
        raise NotFoundError(None, "open", f"{name}; No such file or directory") from None
    with file:
        yield from iter(partial(file.read, _SIZE), b"")


def _unpacked(pieces: Iterator[bytes], compression: str) -> Iterator[bytes]:
    """Yield the decompressed bytes. Concatenated GZIP files are decompressed completely."""
    unpacking: Any = None
    for piece in pieces:
        if piece is NOT_YET:
            yield piece
            continue
        left = piece
        while left:
            if unpacking is None or unpacking.eof:
                unpacking = zlib.decompressobj(WINDOWS[compression])
            try:
                yield unpacking.decompress(left, _SIZE)
            except zlib.error as error:
                message = f"the file is not a valid {compression} file: {error}"
                raise DataLossError(None, "open", message) from None
            left = unpacking.unused_data if unpacking.eof else unpacking.unconsumed_tail
    if unpacking is not None and not unpacking.eof:
        raise DataLossError(None, "open", f"the {compression} file is truncated")


class Taking:
    """A reader that takes bytes from pieces.

    Args:
        most: Largest number of bytes that may be taken at once; see `most_held`.
    """

    def __init__(self, pieces: Iterator[bytes], most: int | None = None) -> None:
        self._pieces, self._most = pieces, most
        self._data, self._at = b"", 0

    def take(self, size: int | None) -> Generator[Any, None, bytes]:
        """Return the next bytes, fewer at the end; all of them for None.

        Memory grows with the received bytes, not with the requested size.

        Raises:
            ResourceExhaustedError: If more bytes arrive than may be taken at once.
        """
        end = self._at + size if size is not None else None
        if end is not None and end <= len(self._data):
            found = self._data[self._at : end]
            self._at = end
            return found
        parts = [self._data[self._at :]]
        count = len(parts[0])
        while size is None or count < size:
            piece = next(self._pieces, None)
            if piece is NOT_YET:
                yield piece
            elif piece is None:
                break
            else:
                parts.append(piece)
                count += len(piece)
                check_held(count, self._most, "a record")
        self._data = b"".join(parts)
        self._at = len(self._data) if size is None else min(size, len(self._data))
        return self._data[: self._at]
