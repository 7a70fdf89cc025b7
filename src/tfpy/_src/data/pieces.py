"""The bytes of files, piece by piece: read here or awaited, unpacked, and taken by number."""

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
"""How many bytes are read or unpacked at a time."""


def compression_of(value: Any) -> str:
    """The name of a compression, given as a text or a tensor.

    Raises:
        ValueError: for one that there is not.
    """
    kind = value
    if kind is not None and not isinstance(kind, str):
        kind = convert_to_tensor(kind).host_view().item().decode()
    if kind not in (None, "", *WINDOWS):
        raise ValueError(f"Unsupported compression type {kind!r}: use 'ZLIB', 'GZIP' or ''")
    return kind or ""


def pieces_of(run: DatasetRun, file: str | DataSource, compression: str) -> Iterator[bytes]:
    """The bytes of a file, with NOT_YET among them where they are awaited.

    Args:
        file: its name; one with a scheme, such as "https:", is an address.

    Raises:
        NotFoundError: when it is not there.
        DataLossError: when it cannot be unpacked.
    """
    if isinstance(file, str) and is_remote(file):
        file = URLDataSource(file)
    found = _read(file) if isinstance(file, str) else run.arriving(file.pieces())
    return _unpacked(found, compression) if compression else found


def most_held(compression: str) -> int | None:
    """Return how many bytes one element of a file may take; None for files that are not compressed.

    Files are read piece by piece, so that only elements take memory. Those of a file that is not
    compressed are not larger than the file.
    """
    return Room().limit if compression else None


def check_held(size: int, most: int | None, what: str) -> None:
    """Refuse an element that is too large.

    Raises:
        ResourceExhaustedError: If `size` is more than `most`.
    """
    if most is not None and size > most:
        raise ResourceExhaustedError(
            None,
            "dataset",
            f"{what} of a compressed file has {size} bytes or more; {most} are allowed. If you "
            f'trust the file, raise the limit: tf.env().set("{FLAG}", bytes)',
        )


def _read(name: str) -> Iterator[bytes]:
    try:
        file = open(name, "rb")  # noqa: SIM115 - the loop below is within it
    except FileNotFoundError:
        raise NotFoundError(None, "open", f"{name}; No such file or directory") from None
    with file:
        yield from iter(partial(file.read, _SIZE), b"")


def _unpacked(pieces: Iterator[bytes], compression: str) -> Iterator[bytes]:
    """The bytes that some stand for; of GZIP files that follow each other, all."""
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
                message = f"the file is no {compression} file, or damaged: {error}"
                raise DataLossError(None, "open", message) from None
            left = unpacking.unused_data if unpacking.eof else unpacking.unconsumed_tail
    if unpacking is not None and not unpacking.eof:
        raise DataLossError(None, "open", f"the {compression} file ends too early")


class Taking:
    """Takes so many bytes at a time of pieces.

    Args:
        most: How many bytes may be taken at a time; see `most_held`.
    """

    def __init__(self, pieces: Iterator[bytes], most: int | None = None) -> None:
        self._pieces, self._most = pieces, most
        self._data, self._at = b"", 0

    def take(self, size: int | None) -> Generator[Any, None, bytes]:
        """The next bytes, fewer at the end; all of them for None.

        No more memory is used than bytes have come, whatever the size.

        Raises:
            ResourceExhaustedError: If more bytes come than may be taken at a time.
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
