"""The store of files: which files are stored, and which are removed if space is needed."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import time
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from tfpy._src.base.errors import (
    DataLossError,
    NotFoundError,
    OutOfRangeError,
    ResourceExhaustedError,
)
from tfpy._src.base.suggestions import did_you_mean
from tfpy._src.library.hub import hubs, records
from tfpy._src.library.hub.checked_download import CheckedDownload, Watch
from tfpy._src.library.hub.download import MAX_POINTER, RemoteFile, fresh, pointed, slices
from tfpy._src.library.hub.places import (
    FilePlace,
    checked_address,
    checked_digest,
    place_of_url,
    url_of,
)
from tfpy._src.library.hub.records import BLOCK, FileRecord, count
from tfpy._src.library.hub.storage import FileStorage
from tfpy._src.library.hub.transport import whole

MAX_LISTING = 1 << 26
_SMALL = 1 << 20
"""Number of bytes below which removing a file is not worthwhile while there are larger ones."""
_BY_DIGEST = "sha256://"
"""Folder of files that do not have the digest that their address should have."""


_ROOM = "Remove files with tf.hub.remove, or free space on this device"
_FULL = "{} bytes of {} stay stored; free space, and call again to continue"
_POINTER = (
    "{} is a pointer of Git LFS instead of the file that it stands for, which has the SHA-256 {}. "
    "Use an address that returns the file itself"
)


class Store:
    """Files that are downloaded once.

    Args:
        storage: Storage of the files.
        endpoints: Servers of the hubs.
        limit: Largest number of bytes of all files; None for the space that is available.
    """

    def __init__(
        self, storage: FileStorage, endpoints: Mapping[str, str], limit: int | None
    ) -> None:
        self.storage = storage
        self._endpoints, self._limit = endpoints, limit
        self._records: dict[str, FileRecord] = {}
        self._listings: dict[str, hubs.Listing] = {}
        self._paths: dict[str, str] = {}
        self._used: set[str] = set()
        self._locks: dict[str, list[Any]] = {}

    # Files

    async def fetch(self, source: RemoteFile, watch: Watch) -> str:
        """Return the path of a file, after downloading it if it is not stored.

        Raises:
            OpError: If it cannot be downloaded or stored, or has another digest.
        """
        async with self._alone(source.place.key):
            record = await self._found(source)
            if record is not None:
                watch.expect(record.size)
                with contextlib.suppress(DataLossError):  # the browser has removed it
                    path = await self._exposed(record)
                    watch.heard(record.size)
                    return path
                await self._remove([record])
            return await self._exposed(await self._downloaded(source, watch))

    async def read(self, source: RemoteFile, begin: int, end: int) -> bytes:
        """Return a range of a file, after downloading the blocks that contain it.

        Raises:
            OpError: If they cannot be downloaded or stored.
        """
        async with self._alone(source.place.key):
            record = await self._found(source)
            if record is None:
                record = await self._partly(source, begin, end, Watch())
            elif end > record.size:
                text = f"{source.place.address} has only {record.size} bytes"
                raise OutOfRangeError(None, "tf.hub", text)
            parts = slices(begin, end)
            return b"".join(
                [(await self.storage.read(record.content, n))[part] for n, part in parts]
            )

    def path(self, place: FilePlace) -> str | None:
        """Return the path of a file that this program has fetched, or None."""
        return self._paths.get(place.address)

    async def listing(self, folder: str) -> hubs.Listing:
        """Return the files in a folder of a hub, from the store if they were requested before.

        Raises:
            OpError: If the hub does not answer.
        """
        if folder not in self._listings:
            self._listings[folder] = await self._stored_listing(FilePlace(folder))
        return self._listings[folder]

    def known_listing(self, folder: str) -> hubs.Listing | None:
        """Return the files in a folder of a hub if this program has requested them, or None."""
        return self._listings.get(folder)

    async def source(self, place: FilePlace, digest: str) -> RemoteFile:
        """Return where a file can be downloaded.

        Raises:
            NotFoundError: If the hub does not list the file.
            DataLossError: If the hub lists another digest.
        """
        if not hubs.is_handle(place.folder):
            return RemoteFile(place, url_of(place), digest=digest)
        files = await self.listing(place.folder)
        if place.path not in files:
            hint = did_you_mean(place.path, files)
            raise NotFoundError(
                None, "tf.hub", f"{place.folder} does not contain {place.path!r}.{hint}"
            )
        found = files[place.path]
        if digest and found.digest and found.digest != digest:
            raise DataLossError(
                None, "tf.hub", unequal(place.address, "the hub lists", found.digest, digest)
            )
        return RemoteFile(place, found.url, found.size, digest or found.digest)

    # Management

    async def records(self) -> list[FileRecord]:
        """Return the records of all files, also of partial ones, without those of listings."""
        await self._load()
        found = sorted(self._records.values(), key=lambda record: record.place.address)
        return [record for record in found if record.path]

    async def remove(self, place: FilePlace) -> None:
        """Remove a file, or all files of a folder.

        Raises:
            NotFoundError: If there is no such file.
        """
        await self._load()
        found = [record for record in self._records.values() if _is_in(record, place)]
        if not found:
            raise NotFoundError(None, "tf.hub", f"{place.address} is not stored")
        await self._remove(found)

    # Details

    @contextlib.asynccontextmanager
    async def _alone(self, key: str) -> AsyncIterator[None]:
        """A context in which no other task of this program downloads the same file."""
        entry = self._locks.setdefault(key, [asyncio.Lock(), 0])
        entry[1] += 1
        try:
            async with entry[0]:
                yield
        finally:
            entry[1] -= 1
            if not entry[1]:
                del self._locks[key]

    async def _load(self) -> None:
        found = (records.unpacked(data) for data in (await self.storage.records()).values())
        self._records = {record.key: record for record in found if record is not None}

    async def _save(self, record: FileRecord) -> FileRecord:
        await self.storage.save(record.key, record.packed())
        self._records[record.key] = record
        return record

    async def _found(self, source: RemoteFile) -> FileRecord | None:
        """Return the record of a complete file with the wanted digest, or None."""
        key, digest = source.place.key, source.digest
        if key not in self._records:
            await self._load()  # another page may have stored it
        record = self._records.get(key)
        if record is None or digest not in ("", record.digest):
            same = (r for r in self._records.values() if digest and r.digest == digest)
            record = next(same, None)
        if record is None:
            return None
        place = source.place
        return replace(record, folder=place.folder, path=place.path, query=place.query)

    async def _exposed(self, record: FileRecord) -> str:
        path = await self.storage.expose(record.content, record.size, record.place.local)
        before = self._records.get(record.key)
        with contextlib.suppress(ResourceExhaustedError):  # a full disk can still be read
            await self._save(replace(record, used=time.time()))
        if before is not None and before.content != record.content:
            await self._drop([before.content])
        self._used.add(record.content)
        self._paths[record.place.address] = path
        return path

    async def _partly(
        self, source: RemoteFile, begin: int, end: int | None, watch: Watch
    ) -> FileRecord:
        """Return the record of a file with the blocks of a range, after downloading them."""
        record = self._records.get(f"{source.place.key}.part") or fresh(source.place)
        return await CheckedDownload(self, source, record, watch).run(begin, end)

    async def _downloaded(self, source: RemoteFile, watch: Watch) -> FileRecord:
        """Return the record of a file after downloading and checking it."""
        before = self._records.get(f"{source.place.key}.part") or fresh(source.place)
        downloading = CheckedDownload(self, source, before, watch)
        record = await downloading.run(0, None)
        place = source.place
        try:
            digest = await downloading.digest()
            head = await self.storage.read(record.content, 0) if record.size <= MAX_POINTER else b""
        except DataLossError:
            await self.restart(record)
            raise
        if oid := pointed(head):
            await self.restart(record)
            raise DataLossError(None, "tf.hub", _POINTER.format(place.address, oid))
        if source.digest not in ("", digest):
            other = replace(record, folder=_BY_DIGEST, path=digest, query="")
            await self._completed(record, other, digest)
            text = unequal(place.address, "the downloaded file has", digest, source.digest)
            raise DataLossError(
                None, "tf.hub", f"{text}. The file is stored as {_BY_DIGEST}{digest}"
            )
        return await self._completed(record, record, digest)

    async def _completed(self, partial: FileRecord, record: FileRecord, digest: str) -> FileRecord:
        """Replace the record of a partial file by the one of a complete file."""
        found = replace(record, digest=digest, used=time.time())
        before = self._records.get(found.key)
        await self._save(found)
        await self._forget(partial.key)
        if before is not None:
            await self._drop([before.content])
        return found

    async def _stored_listing(self, place: FilePlace) -> hubs.Listing:
        source = RemoteFile(place, "")
        record = await self._found(source)
        if record is not None:
            with contextlib.suppress(DataLossError, ValueError):
                blocks = [await self.storage.read(record.content, n) for n in record.blocks]
                return hubs.unpacked(b"".join(blocks), place.address)

        async def read(url: str) -> bytes:
            return await whole(url, MAX_LISTING)

        found = await hubs.listing(place.folder, read, self._endpoints)
        data = hubs.packed(found)
        record = replace(fresh(place), size=len(data))
        for number in range(count(len(data))):
            record = await self.keep(record, number, data[number * BLOCK : (number + 1) * BLOCK])
        await self._completed(record, record, hashlib.sha256(data).hexdigest())
        return found

    async def keep(self, record: FileRecord, number: int, data: bytes) -> FileRecord:
        """Store a block of a partial file, and return the record with the block."""
        found = record.with_block(number)
        for is_last in (False, True):
            try:
                if not record.blocks:
                    await self._save(record)  # so that no block is without a record
                await self.storage.write(record.content, number, data)
                return await self._save(found)
            except ResourceExhaustedError as error:
                freed = not is_last and await self._evict(len(data), record.content)
                if not freed:
                    text = f"{error.message}. {_FULL.format(record.stored, record.place.address)}"
                    raise ResourceExhaustedError(None, "tf.hub", text) from error
        raise AssertionError("unreachable")

    async def restart(self, record: FileRecord) -> None:
        """Remove the blocks of a partial file."""
        await self._remove([record])

    async def make_room(self, need: int, record: FileRecord) -> None:
        """Remove files that were not used for the longest time, until there is enough space.

        Raises:
            ResourceExhaustedError: If there is not enough space even without them. Then no file is
                removed.
        """
        space = await self.storage.space()
        own = sum(one.stored for one in self._contents().values())
        bounds = [] if space.quota is None else [space.quota - space.used]
        bounds += [] if self._limit is None else [self._limit - own]
        free = min(bounds, default=need)
        if free >= need:
            return
        await self._load()
        possible = sum(one.stored for one in self._removable(record.content))
        if free + possible < need:
            raise ResourceExhaustedError(
                None,
                "tf.hub",
                f"{record.place.address} needs {need} bytes, but {max(free, 0)} bytes are free, "
                f"and {possible} bytes are in files that can be removed. {_ROOM}",
            )
        await self._evict(need - free, record.content)

    async def _evict(self, need: int, kept: str) -> int:
        """Remove files until `need` bytes are freed, and return the number of freed bytes."""
        freed = 0
        for record in self._removable(kept):
            if freed >= need:
                break
            same = [r for r in self._records.values() if r.content == record.content]
            await self._remove(same)
            freed += record.stored
        return freed

    def _contents(self) -> dict[str, FileRecord]:
        """Return one record for each content: the one that was used last."""
        by_use = sorted(self._records.values(), key=lambda record: record.used)
        return {record.content: record for record in by_use}

    def _removable(self, kept: str) -> list[FileRecord]:
        """Return the contents that this program does not use, in the order of removal."""
        found = [
            record
            for content, record in self._contents().items()
            if content != kept and content not in self._used and record.place.key not in self._locks
        ]
        return sorted(found, key=lambda record: (record.stored < _SMALL, record.used))

    async def _remove(self, found: Sequence[FileRecord]) -> None:
        for record in found:
            await self._forget(record.key)
            self._listings.pop(record.folder, None)
            if path := self._paths.pop(record.place.address, None):
                Path(path).unlink(missing_ok=True)
        await self._drop([record.content for record in found])

    async def _forget(self, key: str) -> None:
        await self.storage.forget(key)
        self._records.pop(key, None)

    async def _drop(self, contents: Iterable[str]) -> None:
        """Remove contents without records."""
        named = {record.content for record in self._records.values()}
        for content in {*contents} - named:
            await self.storage.drop(content)


def unequal(address: str, who: str, digest: str, wanted: str) -> str:
    """Return a text about two digests that should be equal."""
    return f"{address}: {who} the SHA-256 {digest}, but {wanted} is expected"


def _is_in(record: FileRecord, place: FilePlace) -> bool:
    """Return True for the record of a file, or of a file below a folder."""
    if (record.folder, record.query) != (place.folder, place.query):
        return False
    return place.path in ("", record.path) or record.path.startswith(f"{place.path}/")


def place_of(address: object) -> FilePlace:
    """Return the place of an address: a URL, a handle or a page of a hub, or a digest.

    Raises:
        TypeError: If it is not a string.
        ValueError: If it is not an address.
    """
    text = hubs.handle_of_page(checked_address(address))
    if text.startswith(_BY_DIGEST):
        return FilePlace(_BY_DIGEST, checked_digest(text.removeprefix(_BY_DIGEST)))
    return hubs.place_of_handle(text) if hubs.is_handle(text) else place_of_url(text)
