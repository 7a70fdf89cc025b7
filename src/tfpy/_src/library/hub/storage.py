"""The interface of a storage of blocks and records, and its implementation in a folder."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import shutil
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tfpy._src.base.atomic_files import replace_file
from tfpy._src.base.errors import (
    DataLossError,
    OpError,
    PermissionDeniedError,
    ResourceExhaustedError,
    UnavailableError,
)
from tfpy._src.library.hub.records import BLOCK, count

_KEY = re.compile(r"[0-9a-f]{32}(?:\.part)?")
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


@dataclass(frozen=True)
class Space:
    """The space of a storage.

    Attributes:
        used: Number of bytes in use, also by others that share the space.
        quota: Number of bytes that can be used; None if it is unknown.
        is_persistent: True if files are removed only by the program and the user.
    """

    used: int
    quota: int | None
    is_persistent: bool


class FileStorage(ABC):
    """A place for blocks of files, and for records that describe them.

    Each write is complete when the call returns, or has no effect. All methods raise
    `ResourceExhaustedError` if the storage is full, `PermissionDeniedError` if the access is
    denied, and `UnavailableError` for other failures.
    """

    kind: str
    """Name of the kind: "opfs", "cache" or "folder"."""

    @abstractmethod
    async def records(self) -> dict[str, bytes]:
        """Return all records by key."""

    @abstractmethod
    async def save(self, key: str, data: bytes) -> None:
        """Write a record."""

    @abstractmethod
    async def forget(self, key: str) -> None:
        """Remove a record, if it exists."""

    @abstractmethod
    async def write(self, content: str, number: int, data: bytes) -> None:
        """Write a block."""

    @abstractmethod
    async def read(self, content: str, number: int) -> bytes:
        """Return a block.

        Raises:
            DataLossError: If it is not stored any more.
        """

    @abstractmethod
    async def drop(self, content: str) -> None:
        """Remove all blocks of a content."""

    @abstractmethod
    async def expose(self, content: str, size: int, local: str) -> str:
        """Return a path of Python's file system at which a complete content can be read.

        Args:
            content: Name of the content.
            size: Number of bytes.
            local: Path below the storage's root.
        """

    @abstractmethod
    async def space(self) -> Space:
        """Return the space that is used and available."""

    async def persist(self) -> bool:
        """Ask the browser to keep the files when space becomes scarce. Return True if it will."""
        return (await self.space()).is_persistent

    @property
    @abstractmethod
    def root(self) -> str:
        """The folder of the exposed files in Python's file system."""


def link(target: Path, path: Path) -> None:
    """Make a file available at another path, by a link if there are links."""
    path.parent.mkdir(parents=True, exist_ok=True)
    relative = os.path.relpath(target, path.parent)
    if path.is_symlink() and os.readlink(path) == relative:
        return
    with contextlib.suppress(FileNotFoundError):
        path.unlink()
    with contextlib.suppress(OSError):
        path.symlink_to(relative)
        return
    try:
        os.link(target, path)
    except OSError:
        shutil.copyfile(target, path)


class FolderStorage(FileStorage):
    """A storage in a folder of the file system.

    Args:
        folder: The folder, which is created when something is stored.
    """

    kind = "folder"

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @property
    def root(self) -> str:
        return str(self._folder / "models")

    async def records(self) -> dict[str, bytes]:
        folder = self._folder / "records"
        with _translated(folder):
            files = [file for file in folder.glob("*.json") if _KEY.fullmatch(file.stem)]
            return {file.stem: file.read_bytes() for file in files}

    async def save(self, key: str, data: bytes) -> None:
        file = self._folder / "records" / f"{key}.json"
        with _translated(file):
            file.parent.mkdir(parents=True, exist_ok=True)
            replace_file(file, data, durable=True)

    async def forget(self, key: str) -> None:
        file = self._folder / "records" / f"{key}.json"
        with _translated(file):
            file.unlink(missing_ok=True)

    async def write(self, content: str, number: int, data: bytes) -> None:
        file = self._folder / "partial" / content
        with _translated(file):
            file.parent.mkdir(parents=True, exist_ok=True)
            with open(file, "r+b" if file.exists() else "xb") as opened:
                opened.seek(number * BLOCK)
                opened.write(data)
                opened.flush()
                os.fsync(opened.fileno())

    async def read(self, content: str, number: int) -> bytes:
        with _translated(self._folder), open(self._file(content), "rb") as opened:
            opened.seek(number * BLOCK)
            return opened.read(BLOCK)

    async def drop(self, content: str) -> None:
        with _translated(self._folder):
            for part in ("contents", "partial"):
                (self._folder / part / content).unlink(missing_ok=True)

    async def expose(self, content: str, size: int, local: str) -> str:
        file = self._folder / "contents" / content
        path = Path(self.root, local)
        with _translated(path):
            if not file.exists():
                file.parent.mkdir(parents=True, exist_ok=True)
                os.replace(self._file(content), file)
            if file.stat().st_size != size:
                raise DataLossError(
                    None, "tf.hub", f"{file} was changed: it should have {size} bytes"
                )
            if not (path.exists() and path.samefile(file)):
                link(file, path)
        return str(path)

    async def space(self) -> Space:
        with _translated(self._folder):
            existing = next(p for p in (self._folder, *self._folder.parents) if p.exists())
            used = sum(f.stat().st_size for f in self._folder.glob("*/*") if f.is_file())
            return Space(used, used + shutil.disk_usage(existing).free, True)

    def _file(self, content: str) -> Path:
        file = self._folder / "contents" / content
        return file if file.exists() else self._folder / "partial" / content


@contextlib.contextmanager
def _translated(path: Path) -> Iterator[None]:
    """A context that converts errors of the file system to TensorFlow's errors."""
    try:
        yield
    except FileNotFoundError as error:
        raise DataLossError(None, "tf.hub", f"a stored file was removed: {error}") from error
    except OSError as error:
        kind: type[OpError] = UnavailableError
        if error.errno in _FULL:
            kind = ResourceExhaustedError
        elif isinstance(error, PermissionError):
            kind = PermissionDeniedError
        raise kind(None, "tf.hub", f"cannot store files in {path}: {error}") from error


def is_complete(blocks: tuple[int, ...], size: int) -> bool:
    """Return True if the blocks are all blocks of a file."""
    return size >= 0 and len(blocks) == count(size)
