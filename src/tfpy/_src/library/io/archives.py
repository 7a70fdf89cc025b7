"""Members of ZIP archives, read within a limit on unpacked bytes."""

from __future__ import annotations

import os
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from tfpy._src.base.unpack_limit import Room

_LZMA = getattr(zipfile, "lzma", None)  # Python can be built without it
DAMAGED: tuple[type[Exception], ...] = (
    zipfile.BadZipFile,
    zlib.error,
    *((_LZMA.LZMAError,) if _LZMA is not None else ()),
    EOFError,
    OSError,  # raised by bz2
    RuntimeError,  # encrypted archives; NotImplementedError: unknown versions or compressions
    ValueError,
    struct.error,
)
"""Errors that zipfile and the compression modules raise for damaged archives."""


class ArchiveError(Exception):
    """An error for an archive that is damaged or unpacks to too many bytes."""


class Archive:
    """A ZIP archive with one limit for the bytes of all members.

    Args:
        file: Path, or an open file.

    Raises:
        ArchiveError: If the file is not a ZIP archive, or is damaged.
    """

    def __init__(self, file: Path | IO[bytes]) -> None:
        with _understood("the archive"):
            self._zip = zipfile.ZipFile(file)
        if isinstance(file, Path):
            self._room = Room(file.stat().st_size)
        else:
            self._room = Room(file.seek(0, os.SEEK_END))

    @property
    def names(self) -> list[str]:
        """Names of all members."""
        return self._zip.namelist()

    def read(self, name: str, limit: int) -> bytes:
        """Unpack a member.

        Args:
            name: Name of the member.
            limit: Largest number of bytes to return. One more byte is returned for a larger member.

        Raises:
            KeyError: If the member does not exist.
            ArchiveError: If the member is damaged, or too large for the archive.
        """
        member = self._zip.getinfo(name)
        size = min(member.file_size, limit + 1)
        too_large = self._room.refusal(f"{name!r} in the archive", size)
        if too_large is not None:
            raise ArchiveError(too_large)
        with _understood(f"{name!r} in the archive"), self._zip.open(member) as file:
            return file.read(size)


@contextmanager
def _understood(what: str) -> Iterator[None]:
    """Convert the errors of damaged archives to ArchiveError."""
    try:
        yield
    except FileNotFoundError:
        raise
    except DAMAGED as error:
        raise ArchiveError(f"{what} is damaged or not a supported ZIP archive: {error}") from None
