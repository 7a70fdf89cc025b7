"""The public functions of `tf.hub`."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from pathlib import Path

from tfpy._src.backends.awaitable import awaitable
from tfpy._src.base.errors import NotFoundError
from tfpy._src.base.suggestions import did_you_mean
from tfpy._src.library.hub import hubs
from tfpy._src.library.hub.checked_download import Watch
from tfpy._src.library.hub.opening import configured, current
from tfpy._src.library.hub.places import FilePlace, checked_digest
from tfpy._src.library.hub.store import Store, place_of

Progress = Callable[[float], object]


@dataclass(frozen=True)
class StoredFile:
    """A file in the store, as `tf.hub.list_files` returns it.

    Attributes:
        address: Address of the file.
        size: Number of bytes; None while it is unknown.
        stored: Number of stored bytes.
        digest: SHA-256 in hexadecimal digits; an empty string for a partial file.
        used: Time of the last use.

    Example:
        >>> import asyncio
        >>> import tfpy as tf
        >>> tf.hub.configure(folder="store")
        >>> [file.address for file in asyncio.run(tf.hub.list_files())]
        []
        >>> tf.hub.configure()
    """

    address: str
    size: int | None
    stored: int
    digest: str
    used: datetime

    @property
    def is_complete(self) -> bool:
        """True if all bytes are stored."""
        return bool(self.digest)


@dataclass(frozen=True)
class StoreUsage:
    """The space that the store needs, as `tf.hub.usage` returns it.

    Attributes:
        storage: Kind of the storage: `"opfs"`, `"cache"` (the Cache API) or `"folder"`.
        files: Number of files.
        stored: Number of bytes of these files.
        used: Number of bytes in use of the quota, also by others that share it.
        quota: Number of bytes that the site or the disk can store; None if it is unknown.
        is_persistent: True if the browser does not remove files when space becomes scarce.

    Example:
        >>> import asyncio
        >>> import tfpy as tf
        >>> tf.hub.configure(folder="store")
        >>> asyncio.run(tf.hub.usage()).files
        0
        >>> tf.hub.configure()
    """

    storage: str
    files: int
    stored: int
    used: int
    quota: int | None
    is_persistent: bool


class Meter:
    """A progress of several files as a fraction that does not decrease.

    Args:
        progress: Function that receives the fraction, or None.
        sizes: Number of bytes of each file, if they are known.
    """

    def __init__(self, progress: Progress | None, sizes: Sequence[int | None]) -> None:
        self._progress, self._sizes = progress, [size or 0 for size in sizes]
        self._done, self._most = 0, -1.0

    def watch(self, index: int) -> Watch:
        """Return the functions for one of the files."""

        def expect(size: int) -> None:
            self._sizes[index] = size

        return Watch(self._heard, expect)

    def _heard(self, count: int) -> None:
        self._done += count
        fraction = min(self._done / max(sum(self._sizes), 1), 1.0)
        if self._progress is not None and fraction > self._most:
            self._most = fraction
            self._progress(fraction)

    def end(self) -> None:
        """Report that all files are there."""
        if self._progress is not None and self._most < 1.0:
            self._progress(1.0)


@awaitable("tf.hub.fetch(address)")
async def fetch(
    address: str,
    digest: str | None = None,
    files: Sequence[str] | None = None,
    progress: Progress | None = None,
) -> str:
    """Return the path of a file or folder of the web, and download it only once.

    The files are stored in the browser, or in a folder outside of browsers, so that later programs
    start without a network. A download that was interrupted continues. In a worker, a program reads
    the files from the disk; on the main thread of a page, they are copied to memory.

    Args:
        address: URL of a file, or of a folder, with a slash at the end. In a page, it may be
            relative. `hf://owner/model[@revision][/path]` and
            `kaggle://owner/model/framework/variation[/version][/path]` are files and folders of
            Hugging Face and Kaggle, and so are the URLs of their pages.
        digest: SHA-256 of the file, as 64 hexadecimal digits. Default: the digest that the hub
            lists, or no check.
        files: Files of a folder. For a hub, these are patterns such as `"*.json"`. Default: all
            files that the hub lists.
        progress: Function that is called with the downloaded fraction, from 0 to 1. Default: do not
            report progress.

    Returns:
        An awaitable that resolves to a path in Python's file system, which other libraries can open
        as well.

    Raises:
        ValueError: If an argument is not valid.
        tf.errors.DataLossError: If the file does not have the digest or the size that is expected.
        tf.errors.NotFoundError: If the file does not exist.
        tf.errors.PermissionDeniedError: If the server or the browser denies the access.
        tf.errors.ResourceExhaustedError: If there is not enough space. Nothing that is stored is
            lost.
        tf.errors.UnavailableError: If the server does not respond, if the connection breaks several
            times, or if the page cannot store files.

    Example::

        path = await tf.hub.fetch("models/network.keras", progress=print)
        model = tf.keras.models.load_model(path)

    See also: `tf.hub.read`, `tf.models.load_async`.
    """
    place, wanted = place_of(address), checked_digest(digest)
    store = await current()
    if files is None and not await _is_folder(store, place):
        meter = Meter(progress, [None])
        path = await store.fetch(await store.source(place, wanted), meter.watch(0))
        meter.end()
        return path
    if wanted:
        raise ValueError("tf.hub.fetch: a digest belongs to one file. Fetch the files one by one")
    places = await _chosen(store, place, files)
    sources = [await store.source(one, "") for one in places]
    meter = Meter(progress, [source.size for source in sources])
    for index, source in enumerate(sources):
        await store.fetch(source, meter.watch(index))
    meter.end()
    return str(Path(store.storage.root, place.local))


async def _is_folder(store: Store, place: FilePlace) -> bool:
    if not place.path or not hubs.is_handle(place.folder):
        return not place.path
    listing = await store.listing(place.folder)
    return place.path not in listing and any(p.startswith(f"{place.path}/") for p in listing)


async def _chosen(store: Store, place: FilePlace, files: Sequence[str] | None) -> list[FilePlace]:
    """Return the places of the files of a folder that match."""
    if isinstance(files, str):
        raise TypeError("tf.hub.fetch: files must be a list of strings")
    if not hubs.is_handle(place.folder):
        if place.path or not files:
            raise ValueError(
                "tf.hub.fetch: the URL of a folder ends with a slash, and needs a list of its files"
            )
        return [place.file(name) for name in files]
    start = f"{place.path}/" if place.path else ""
    listing = [path for path in await store.listing(place.folder) if path.startswith(start)]
    if files is None:
        return [place.file(path) for path in listing]
    found = []
    for pattern in files:
        matching = [path for path in listing if fnmatchcase(path.removeprefix(start), pattern)]
        if not matching:
            hint = did_you_mean(pattern, listing)
            raise NotFoundError(None, "tf.hub", f"{place.address} has no file {pattern!r}.{hint}")
        found += matching
    return [place.file(path) for path in dict.fromkeys(found)]


@awaitable("tf.hub.read(address, begin, end)")
async def read(address: str, begin: int, end: int) -> bytes:
    """Return a range of a file of the web, and download only the blocks that contain it.

    The blocks, of 4 MiB each, are stored. A later `tf.hub.fetch` downloads only the others.

    Args:
        address: Address of the file, as for `tf.hub.fetch`.
        begin: Position of the first byte.
        end: Position after the last byte.

    Returns:
        An awaitable that resolves to the bytes.

    Raises:
        ValueError: If an argument is not valid.
        tf.errors.DataLossError: If the server's responses are wrong, or if the page must not read
            their header `Content-Range`.
        tf.errors.OutOfRangeError: If the file has fewer than `end` bytes.
        tf.errors.OpError: In the cases in which `tf.hub.fetch` raises one.

    Example::

        head = await tf.hub.read("hf://owner/model/model.safetensors", 0, 8)

    See also: `tf.hub.fetch`.
    """
    place = place_of(address)
    if not place.path:
        raise ValueError(f"tf.hub.read: {address!r} is the address of a folder, not of a file")
    if not 0 <= begin < end:
        raise ValueError(f"tf.hub.read: the range from {begin} to {end} is empty or negative")
    store = await current()
    return await store.read(await store.source(place, ""), begin, end)


@awaitable("tf.hub.list_files()")
async def list_files() -> list[StoredFile]:
    """List the files in the store, also those that are partly downloaded.

    Returns:
        An awaitable that resolves to a list of `tf.hub.StoredFile`, sorted by address.

    Raises:
        tf.errors.UnavailableError: If the page cannot store files.

    Example:
        >>> import asyncio
        >>> import tfpy as tf
        >>> tf.hub.configure(folder="store")
        >>> asyncio.run(tf.hub.list_files())
        []
        >>> tf.hub.configure()

    See also: `tf.hub.remove`, `tf.hub.usage`.
    """
    found = await (await current()).records()
    return [
        StoredFile(
            record.place.address,
            None if record.size < 0 else record.size,
            record.stored,
            record.digest,
            datetime.fromtimestamp(record.used, UTC),
        )
        for record in found
    ]


@awaitable("tf.hub.remove(address)")
async def remove(address: str) -> None:
    """Remove a file, or all files of a folder, from the store.

    Models that are loaded are not affected. A folder of a hub is requested again afterwards, so
    that its current revision is downloaded.

    Args:
        address: Address of the file or folder, as for `tf.hub.fetch`, or the address of a
            `tf.hub.StoredFile`.

    Raises:
        tf.errors.NotFoundError: If no such file is stored.
        tf.errors.UnavailableError: If the page cannot store files.

    Example::

        await tf.hub.remove("hf://owner/model")

    See also: `tf.hub.list_files`.
    """
    await (await current()).remove(place_of(address))


@awaitable("tf.hub.usage()")
async def usage() -> StoreUsage:
    """Return how much space the files of the store need, and how much is available.

    Returns:
        An awaitable that resolves to a `tf.hub.StoreUsage`.

    Raises:
        tf.errors.UnavailableError: If the page cannot store files.

    Example:
        >>> import asyncio
        >>> import tfpy as tf
        >>> tf.hub.configure(folder="store")
        >>> asyncio.run(tf.hub.usage()).stored
        0
        >>> tf.hub.configure()

    See also: `tf.hub.persist`, `tf.hub.list_files`.
    """
    store = await current()
    found = await store.records()
    contents = {record.content: record.stored for record in found}
    space = await store.storage.space()
    return StoreUsage(
        store.storage.kind,
        len(found),
        sum(contents.values()),
        space.used,
        space.quota,
        space.is_persistent,
    )


@awaitable("tf.hub.persist()")
async def persist() -> bool:
    """Ask the browser to keep the files when space becomes scarce on the device.

    Some browsers ask the user. Only the main thread of a page can ask; in a worker, the function
    only reports whether the files are kept.

    Returns:
        An awaitable that resolves to True if the browser keeps the files.

    Raises:
        tf.errors.UnavailableError: If the page cannot store files.

    Example::

        if not await tf.hub.persist():
            print("The browser may remove the model.")

    See also: `tf.hub.usage`.
    """
    return await (await current()).storage.persist()


def configure(
    folder: str | os.PathLike[str] | None = None,
    limit: int | None = None,
    endpoints: Mapping[str, str] | None = None,
) -> None:
    """Set the place and the size of the store, and the servers of the hubs.

    Each call sets all options, so an option that is not passed has its default.

    Args:
        folder: Folder of the files outside of browsers. Default: `~/.cache/tfpy/hub`.
        limit: Largest number of bytes of all files together. Beyond it, the least recently used
            files are removed. Default: the space that the browser or the disk provides.
        endpoints: URLs of servers, by `"hf"` and `"kaggle"`, that replace those of Hugging Face and
            Kaggle, such as mirrors that allow pages to read their files. Default: none.

    Raises:
        ValueError: If a value is not valid.

    Example:
        >>> import tfpy as tf
        >>> tf.hub.configure(limit=2 * 10**9)
        >>> tf.hub.configure()

    See also: `tf.hub.usage`.
    """
    if limit is not None and limit < 0:
        raise ValueError(f"tf.hub.configure: the limit must not be negative, got {limit}")
    servers = dict(endpoints or {})
    for scheme, url in servers.items():
        if scheme not in hubs.ENDPOINTS or not str(url).startswith(("https://", "http://")):
            raise ValueError(
                f"tf.hub.configure: endpoints maps 'hf' and 'kaggle' to URLs, got {scheme!r}: "
                f"{str(url)[:200]!r}"
            )
    configured(None if folder is None else Path(folder), limit, {**hubs.ENDPOINTS, **servers})
