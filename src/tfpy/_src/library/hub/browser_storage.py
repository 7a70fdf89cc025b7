"""The storages of browsers: OPFS, and the Cache API where OPFS is missing."""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

from tfpy._src.backends.javascript.bridge import IN_BROWSER
from tfpy._src.backends.javascript.interop import Failure, as_objects, settled
from tfpy._src.base.errors import (
    DataLossError,
    OpError,
    PermissionDeniedError,
    ResourceExhaustedError,
    UnavailableError,
)
from tfpy._src.library.hub.records import count, length
from tfpy._src.library.hub.storage import FileStorage, Space, link

if IN_BROWSER:
    import js
    import pyodide_js
    from pyodide.ffi import to_js

ROOT = "/hub"
"""Folder of the files in Python's file system."""
_NAME = "tfpy-hub"
_RECORDS, _CONTENTS = "records", "contents"
_MISSING = "NotFoundError"
_WRITE_SECONDS = 20.0
"""Seconds after which a write has failed. In Chromium, one that exceeds the quota may never end."""
_KINDS: dict[str, type[OpError]] = {
    "QuotaExceededError": ResourceExhaustedError,
    "NoModificationAllowedError": UnavailableError,
    "SecurityError": PermissionDeniedError,
    "NotAllowedError": PermissionDeniedError,
    _MISSING: DataLossError,
    "NotReadableError": DataLossError,
}


async def answered(promise: Any, what: str) -> Any:
    """Return the value of a promise of a storage.

    Raises:
        OpError: If it fails. The class depends on the failure.
    """
    found, failure = await settled(promise)
    if failure is not None:
        raise _error(failure, what)
    return found


def _error(failure: Failure, what: str) -> OpError:
    kind = _KINDS.get(failure.name, UnavailableError)
    return kind(None, "tf.hub", f"the browser's storage cannot {what}: {failure.text}")


class BlobStorage(FileStorage):
    """A storage of Blobs, which the browser reads from the disk."""

    @property
    def root(self) -> str:
        return ROOT

    @abstractmethod
    async def blob(self, content: str, number: int) -> Any:
        """Return a block as a Blob."""

    async def read(self, content: str, number: int) -> bytes:
        blob = await self.blob(content, number)
        return bytes((await answered(blob.arrayBuffer(), "read a block")).to_bytes())

    async def expose(self, content: str, size: int, local: str) -> str:
        target, path = Path(ROOT, ".contents", content), Path(ROOT, local)
        if not target.exists():
            blobs = [await self.blob(content, number) for number in range(count(size))]
            wanted = [length(size, number) for number in range(count(size))]
            if [int(blob.size) for blob in blobs] != wanted:
                raise DataLossError(None, "tf.hub", f"{local}: a stored block was changed")
            if _can_mount():
                _mount(target, blobs)
            else:
                await _copy(target, blobs, size)
        link(target, path)
        return str(path)

    async def space(self) -> Space:
        storage = _storage()
        if not hasattr(storage, "estimate"):
            return Space(0, None, False)
        found = await answered(storage.estimate(), "estimate its space")
        persisted = await answered(storage.persisted(), "report whether files persist")
        return Space(int(found.usage or 0), int(found.quota or 0) or None, bool(persisted))

    async def persist(self) -> bool:
        storage = _storage()
        if not hasattr(storage, "persist"):  # workers cannot ask
            return (await self.space()).is_persistent
        return bool(await answered(storage.persist(), "keep files"))


def _storage() -> Any:
    return getattr(js.navigator, "storage", None)


def _can_mount() -> bool:
    """Return True in a worker, which can read Blobs synchronously."""
    return hasattr(js, "FileReaderSync") and hasattr(pyodide_js.FS.filesystems, "WORKERFS")


_mounts: list[Any] = []
"""The file system of Emscripten that reads Blobs, after it is mounted."""


def _mount(target: Path, blobs: list[Any]) -> None:
    """Add a file of Blobs to Python's file system, without copying the bytes to memory."""
    fs = pyodide_js.FS
    workers = fs.filesystems.WORKERFS
    if not _mounts:
        target.parent.mkdir(parents=True, exist_ok=True)
        _mounts.append(fs.mount(workers, as_objects({}), str(target.parent)))
    joined = js.Blob.new(to_js(blobs))
    workers.createNode(_mounts[0], target.name, workers.FILE_MODE, 0, joined)


async def _copy(target: Path, blobs: list[Any], size: int) -> None:
    """Copy Blobs to a file in Python's file system, which is in memory."""
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = target.with_suffix(".partial")
    try:
        with open(partial, "wb") as file:
            file.truncate(size)  # reserves the memory at once
            for blob in blobs:
                data = await answered(blob.arrayBuffer(), "read a block")
                file.write(data.to_memoryview())
        partial.rename(target)
    finally:
        partial.unlink(missing_ok=True)


class OpfsStorage(BlobStorage):
    """A storage in the origin private file system (OPFS).

    Args:
        folder: Its FileSystemDirectoryHandle.
    """

    kind = "opfs"

    def __init__(self, folder: Any) -> None:
        self._folder = folder

    @staticmethod
    async def opened() -> OpfsStorage:
        """Open the storage.

        Raises:
            OpError: If the browser does not have OPFS, or not in this page.
        """
        storage = _storage()
        if not hasattr(storage, "getDirectory"):
            raise UnavailableError(None, "tf.hub", "the browser does not have OPFS for this page")
        if not hasattr(js.FileSystemFileHandle.prototype, "createWritable"):
            raise UnavailableError(None, "tf.hub", "the browser does not have streams for OPFS")
        top = await answered(storage.getDirectory(), "open OPFS")
        return OpfsStorage(await answered(top.getDirectoryHandle(_NAME, create=True), "open OPFS"))

    async def records(self) -> dict[str, bytes]:
        folder = await self._subfolder(_RECORDS)
        found = {}
        async for name, handle in _entries(folder):
            file = await answered(handle.getFile(), "read a record")
            data = await answered(file.arrayBuffer(), "read a record")
            found[name.removesuffix(".json")] = bytes(data.to_bytes())
        return found

    async def save(self, key: str, data: bytes) -> None:
        await self._write(await self._subfolder(_RECORDS), f"{key}.json", data)

    async def forget(self, key: str) -> None:
        await self._remove(await self._subfolder(_RECORDS), f"{key}.json")

    async def write(self, content: str, number: int, data: bytes) -> None:
        await self._write(await self._subfolder(_CONTENTS, content), str(number), data)

    async def blob(self, content: str, number: int) -> Any:
        folder = await self._subfolder(_CONTENTS, content)
        handle = await answered(folder.getFileHandle(str(number)), "find a block")
        return await answered(handle.getFile(), "read a block")

    async def drop(self, content: str) -> None:
        await self._remove(await self._subfolder(_CONTENTS), content)

    async def _subfolder(self, *names: str) -> Any:
        folder = self._folder
        for name in names:
            opening = folder.getDirectoryHandle(name, create=True)
            folder = await answered(opening, "open a folder")
        return folder

    async def _write(self, folder: Any, name: str, data: bytes) -> None:
        """Write a file. The browser replaces the old one when the stream is closed."""
        what = f"store {len(data)} bytes"
        handle = await answered(folder.getFileHandle(name, create=True), what)
        stream = await answered(handle.createWritable(), what)
        try:
            await asyncio.wait_for(answered(stream.write(to_js(data)), what), _WRITE_SECONDS)
            await answered(stream.close(), what)
        except TimeoutError:
            text = f"the browser's storage cannot {what}: it seems to be full"
            raise ResourceExhaustedError(None, "tf.hub", text) from None
        except OpError:
            await settled(stream.abort())
            raise

    async def _remove(self, folder: Any, name: str) -> None:
        _, failure = await settled(folder.removeEntry(name, recursive=True))
        if failure is not None and failure.name != _MISSING:
            raise _error(failure, "remove a file")


async def _entries(folder: Any) -> AsyncIterator[tuple[str, Any]]:
    """Yield the names and handles in a folder."""
    entries = folder.entries()
    while not (step := await answered(entries.next(), "list a folder")).done:
        name, handle = step.value
        yield str(name), handle


class CacheStorage(BlobStorage):
    """A storage in the Cache API.

    Args:
        cache: Its Cache.
    """

    kind = "cache"

    def __init__(self, cache: Any) -> None:
        self._cache = cache

    @staticmethod
    async def opened() -> CacheStorage:
        """Open the storage.

        Raises:
            OpError: If the browser does not have it, or not in this page.
        """
        if getattr(js, "caches", None) is None:
            raise UnavailableError(None, "tf.hub", "the browser has no Cache API for this page")
        return CacheStorage(await answered(js.caches.open(_NAME), "open the Cache API"))

    async def records(self) -> dict[str, bytes]:
        found = {}
        for url in await self._urls(_url(_RECORDS)):
            response = await answered(self._cache.match(url), "read a record")
            if response is not None:
                data = await answered(response.arrayBuffer(), "read a record")
                found[url.rpartition("/")[2]] = bytes(data.to_bytes())
        return found

    async def save(self, key: str, data: bytes) -> None:
        await self._put(_url(_RECORDS, key), data)

    async def forget(self, key: str) -> None:
        await answered(self._cache.delete(_url(_RECORDS, key)), "remove a record")

    async def write(self, content: str, number: int, data: bytes) -> None:
        await self._put(_url(_CONTENTS, content, str(number)), data)

    async def blob(self, content: str, number: int) -> Any:
        response = await answered(
            self._cache.match(_url(_CONTENTS, content, str(number))), "find a block"
        )
        if response is None:
            raise DataLossError(None, "tf.hub", "the browser has removed a stored block")
        return await answered(response.blob(), "read a block")

    async def drop(self, content: str) -> None:
        for url in await self._urls(_url(_CONTENTS, content)):
            await answered(self._cache.delete(url), "remove a block")

    async def _put(self, url: str, data: bytes) -> None:
        response = js.Response.new(to_js(data))
        await answered(self._cache.put(url, response), f"store {len(data)} bytes")

    async def _urls(self, folder: str) -> list[str]:
        requests = await answered(self._cache.keys(), "list files")
        return [str(r.url) for r in requests if str(r.url).startswith(f"{folder}/")]


def _url(*names: str) -> str:
    """Return the URL under which the Cache API stores a file. It is never requested."""
    return "/".join(["https://tfpy-hub.invalid", *map(quote, names)])


async def opened() -> FileStorage:
    """Open the storage of this page: OPFS, or the Cache API.

    Raises:
        UnavailableError: If the page has neither.
    """
    reasons = []
    for kind in (OpfsStorage, CacheStorage):
        try:
            return await kind.opened()
        except OpError as error:
            reasons.append(error.message)
    raise UnavailableError(
        None,
        "tf.hub",
        f"this page cannot store files: {'; '.join(reasons)}. Browsers store files for pages from "
        "https:// or localhost. Some of them refuse in private windows, or if cookies are blocked. "
        "Models can be loaded without the store: pass the URL to tf.models.load_async",
    )
