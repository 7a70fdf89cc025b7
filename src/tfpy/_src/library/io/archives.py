"""Members of zip archives, read within the limit on unpacked bytes."""

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
    OSError,  # of bz2
    RuntimeError,  # encrypted; NotImplementedError: of another version or compression
    ValueError,
    struct.error,
)
"""Errors that Python's zipfile and the compressions raise for damaged archives."""


class ArchiveError(Exception):
    """An archive is damaged, or unpacks to too much."""


class Archive:
    """A zip archive, whose members count against one limit.

    Args:
        file: Path, or a file that is open.

    Raises:
        ArchiveError: If it is no archive, or damaged.
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
            name: The member.
            limit: How many bytes it may have; one more is returned of a larger one.

        Raises:
            KeyError: If there is no such member.
            ArchiveError: If it is damaged, or too large for the archive.
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
    try:
        yield
    except FileNotFoundError:
        raise
    except DAMAGED as error:
        raise ArchiveError(f"{what} is damaged, or no zip archive that is read: {error}") from None
