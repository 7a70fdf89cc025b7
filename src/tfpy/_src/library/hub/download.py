"""Downloads of files in blocks. An interrupted download continues where it was."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from uuid import uuid4

from tfpy._src.base.errors import DataLossError, OpError, OutOfRangeError, UnavailableError
from tfpy._src.library.hub import transport
from tfpy._src.library.hub.places import FilePlace
from tfpy._src.library.hub.records import BLOCK, MAX_BLOCKS, FileRecord, count

RETRIES = 4
"""Number of attempts without a new block after which a download fails."""
_RESTARTS = 3
_WAIT = 0.5
"""Seconds before the second attempt. The time doubles with each further attempt."""
_MAX_SIZE = BLOCK * MAX_BLOCKS
_POINTER = re.compile(
    rb"version https://git-lfs\.github\.com/spec/v1\n(?:.*\n)*oid sha256:([0-9a-f]{64})\n(?:.*\n)*"
)
MAX_POINTER = 1024


class _Changed(Exception):
    """The server's file is not the file of which blocks are stored."""


@dataclass(frozen=True)
class RemoteFile:
    """A file to download.

    Attributes:
        place: Place of the file.
        url: URL of its bytes.
        size: Number of bytes that a hub specifies; None if it is unknown.
        digest: SHA-256 that the caller or a hub specifies, or an empty string.
    """

    place: FilePlace
    url: str
    size: int | None = None
    digest: str = ""


@dataclass(frozen=True)
class Sink:
    """The functions that a download calls.

    Attributes:
        keep: Writes a block, and then the record with the block. It returns the record.
        restart: Removes the blocks of a record.
        heard: Receives the number of bytes of each received part, negative if they are discarded.
        expect: Receives the number of bytes of the file as soon as it is known.
    """

    keep: Callable[[FileRecord, int, bytes], Awaitable[FileRecord]]
    restart: Callable[[FileRecord], Awaitable[None]]
    heard: Callable[[int], object]
    expect: Callable[[int], Awaitable[None]]


def fresh(place: FilePlace) -> FileRecord:
    """Return the record of a file without blocks."""
    return FileRecord(place.folder, place.path, place.query, uuid4().hex)


class Download:
    """A download of one file, or of some of its blocks.

    Args:
        source: The file.
        record: Record of the blocks that are stored.
        sink: Functions that store blocks.
    """

    def __init__(self, source: RemoteFile, record: FileRecord, sink: Sink) -> None:
        self._source, self.record, self._sink = source, record, sink
        self._restarts = 0

    async def run(self, begin: int = 0, end: int | None = None) -> FileRecord:
        """Download the missing blocks.

        Args:
            begin: First byte that is needed.
            end: Position after the last byte that is needed. Default: the end of the file.

        Returns:
            The record with the blocks.

        Raises:
            DataLossError: If the server's responses contradict each other or the hub.
            OutOfRangeError: If the file has fewer than `end` bytes.
            OpError: If the file cannot be downloaded or stored.
        """
        await self._check_resumable()
        failures = 0
        while (missing := self._missing(begin, end)) is not None:
            before = len(self.record.blocks)
            try:
                await self._request(*missing)
            except _Changed:
                await self._restart()
            except UnavailableError as error:
                failures = 1 if len(self.record.blocks) > before else failures + 1
                if failures == RETRIES:
                    raise self._interrupted(error) from error
                await self._check_resumable()
                await asyncio.sleep(_WAIT * 2 ** (failures - 1))
        return self.record

    def _missing(self, begin: int, end: int | None) -> tuple[int, int | None] | None:
        """Return the first run of missing blocks, with None for the end of the file."""
        size = self.record.size
        if size >= 0 and (begin > size or (end or 0) > size):
            where = self._source.place.address
            raise OutOfRangeError(None, "tf.hub", f"{where} has only {size} bytes")
        last = None if end is None else max(begin // BLOCK + 1, -(-end // BLOCK))
        if size >= 0:
            last = min(count(size), count(size) if last is None else last)
        stored = set(self.record.blocks)
        number = begin // BLOCK
        while number in stored:
            number += 1
        if last is not None and number >= last:
            return None
        following = [stop for stop in stored if stop > number]
        if following and (last is None or min(following) < last):
            last = min(following)
        if size >= 0 and last == count(size):
            last = None
        return number, last

    async def _request(self, first: int, last: int | None) -> None:
        """Request blocks and store them."""
        reply = await transport.request(
            self._source.url, first * BLOCK, None if last is None else last * BLOCK
        )
        try:
            size = self._checked(reply, first, last)
            if size >= 0 and self.record.size < 0:
                self.record = replace(self.record, size=size)
                await self._sink.expect(size)
            await self._receive(reply, first if reply.is_partial else 0, last)
        finally:
            reply.close()

    def _checked(self, reply: transport.Reply, first: int, last: int | None) -> int:
        """Return the size of the file, or -1, after a comparison with what is known about it."""
        record, where = self.record, self._source.place.address
        listed = self._source.size
        size = reply.size
        if size < 0 and listed is not None and not reply.is_partial:
            size = listed
        if reply.hides_range and not first and last is None:
            size = reply.length
        elif reply.hides_range:
            if record.size < 0:
                raise DataLossError(
                    None, "tf.hub", f"{where}: the server does not let the page read Content-Range"
                )
            stop = record.size if last is None else min(record.size, last * BLOCK)
            if reply.length not in (-1, stop - first * BLOCK):
                raise _Changed
        elif reply.begin == -1 or (reply.is_partial and reply.begin != first * BLOCK):
            if record.size < 0 and reply.begin == -1:
                raise OutOfRangeError(None, "tf.hub", f"{where} has no byte {first * BLOCK}")
            raise _Changed
        if size > _MAX_SIZE:
            raise DataLossError(None, "tf.hub", f"{where} has {size} bytes, which is too much")
        if listed is not None and size >= 0 and size != listed:
            raise DataLossError(
                None, "tf.hub", f"{where}: the server sends {size} bytes, the hub lists {listed}"
            )
        is_resized = size >= 0 and record.size >= 0 and size != record.size
        if record.blocks and (reply.validator != record.validator or is_resized):
            raise _Changed
        self.record = replace(record, validator=reply.validator[:1000])
        return size

    async def _receive(self, reply: transport.Reply, number: int, last: int | None) -> None:
        """Store the blocks of a response, from a number on."""
        place = self._source.place.address
        waiting = bytearray()
        position = number * BLOCK
        try:
            while part := await reply.read():
                waiting += part
                position += len(part)
                self._sink.heard(len(part))
                if -1 < self.record.size < position or position > _MAX_SIZE:
                    text = f"{place}: the server sends more bytes than it has declared"
                    raise DataLossError(None, "tf.hub", text)
                while len(waiting) >= BLOCK:
                    await self._keep(number, bytes(waiting[:BLOCK]))
                    del waiting[:BLOCK]
                    number += 1
            if self.record.size < 0:
                self.record = replace(self.record, size=position)
                await self._sink.expect(position)
            stop = self.record.size
            if reply.is_partial and last is not None:
                stop = min(stop, last * BLOCK)
            if position < stop:
                why = f"{place}: the bytes ended at {position} of {stop}"
                raise UnavailableError(None, "tf.hub", why)
            if waiting or not stop:
                await self._keep(number, bytes(waiting))
        except OpError:
            self._sink.heard(-len(waiting))
            raise

    async def _keep(self, number: int, data: bytes) -> None:
        if number in self.record.blocks:
            self._sink.heard(-len(data))  # the server has ignored the range
        else:
            self.record = await self._sink.keep(self.record, number, data)

    async def _check_resumable(self) -> None:
        """Discard the blocks if nothing can prove that the server still has the same file."""
        is_proven = self.record.validator or self._source.digest
        if self.record.blocks and not is_proven:
            await self._discard()

    async def _restart(self) -> None:
        self._restarts += 1
        if self._restarts > _RESTARTS:
            where = self._source.place.address
            raise DataLossError(None, "tf.hub", f"{where} changes while it is downloaded")
        await self._discard()

    async def _discard(self) -> None:
        self._sink.heard(-self.record.stored)
        await self._sink.restart(self.record)
        self.record = fresh(self._source.place)

    def _interrupted(self, error: OpError) -> UnavailableError:
        size = self.record.size
        of = f" of {size}" if size >= 0 else ""
        return UnavailableError(
            None,
            "tf.hub",
            f"{error.message}. {self.record.stored}{of} bytes are stored; call again to continue",
        )


def pointed(data: bytes) -> str:
    """Return the SHA-256 of the file that a pointer of Git LFS stands for; else an empty string."""
    found = _POINTER.match(data)
    return found[1].decode() if found else ""


def slices(begin: int, end: int) -> Sequence[tuple[int, slice]]:
    """Return the numbers of the blocks that contain a range, with the slice of each block."""
    numbers = range(begin // BLOCK, -(-end // BLOCK))
    return [(n, slice(max(0, begin - n * BLOCK), min(BLOCK, end - n * BLOCK))) for n in numbers]
