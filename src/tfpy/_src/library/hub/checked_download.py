"""A download whose blocks are stored and hashed as they arrive."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from tfpy._src.library.hub.download import Download, RemoteFile, Sink
from tfpy._src.library.hub.records import FileRecord, count
from tfpy._src.library.hub.storage import FileStorage


@dataclass(frozen=True)
class Watch:
    """The functions that receive the progress of a download.

    Attributes:
        heard: Receives the number of bytes of each part, negative if they are received again.
        expect: Receives the number of bytes of the file.
    """

    heard: Callable[[int], object] = lambda count: None
    expect: Callable[[int], object] = lambda size: None


class Shelf(Protocol):
    """The part of a store that stores the blocks of a download."""

    storage: FileStorage

    async def keep(self, record: FileRecord, number: int, data: bytes) -> FileRecord:
        """Store a block and return the record with the block."""

    async def restart(self, record: FileRecord) -> None:
        """Remove the blocks of a record."""

    async def make_room(self, need: int, record: FileRecord) -> None:
        """Remove other files until there is enough space."""


class CheckedDownload:
    """A download that computes the digest of the file.

    Args:
        shelf: Store of the blocks.
        source: The file.
        record: Record of the blocks that are stored.
        watch: Receives the progress.
    """

    def __init__(self, shelf: Shelf, source: RemoteFile, record: FileRecord, watch: Watch) -> None:
        self._shelf, self._watch = shelf, watch
        self._hash, self._next = hashlib.sha256(), 0
        self._need: int | None = None
        sink = Sink(self._keep, self._restart, watch.heard, self._expect)
        self._download = Download(source, record, sink)

    async def run(self, begin: int, end: int | None) -> FileRecord:
        """Download and store the missing blocks; see `Download.run`."""
        record = self._download.record
        if record.blocks:
            self._watch.expect(record.size)
            self._watch.heard(record.stored)
        self._need = None if end is None else end - begin
        return await self._download.run(begin, end)

    async def digest(self) -> str:
        """Return the SHA-256 of the file. Blocks of earlier programs are read again.

        Raises:
            DataLossError: If the storage has lost a block.
        """
        record = self._download.record
        for number in range(self._next, count(record.size)):
            self._hash.update(await self._shelf.storage.read(record.content, number))
        return self._hash.hexdigest()

    async def _keep(self, record: FileRecord, number: int, data: bytes) -> FileRecord:
        found = await self._shelf.keep(record, number, data)
        if number == self._next:
            self._hash.update(data)
            self._next += 1
        return found

    async def _restart(self, record: FileRecord) -> None:
        self._hash, self._next = hashlib.sha256(), 0
        await self._shelf.restart(record)

    async def _expect(self, size: int) -> None:
        self._watch.expect(size)
        record = self._download.record
        need = size - record.stored if self._need is None else self._need
        await self._shelf.make_room(need, record)
