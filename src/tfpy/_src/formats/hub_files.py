"""The files of a model at a handle of a hub, which are stored when they are first read."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

from tfpy._src.base.errors import NotFoundError, UnavailableError
from tfpy._src.formats.model_files import ModelFiles, ProgressCounter, missing, model_among, within
from tfpy._src.library.hub.checked_download import Watch
from tfpy._src.library.hub.hubs import Listing, is_handle as is_handle
from tfpy._src.library.hub.opening import current
from tfpy._src.library.hub.places import FilePlace
from tfpy._src.library.hub.store import Store, place_of
from tfpy._src.library.io.checked_json import ModelFileError

_INDEX = ".index.json"
"""Ending of the names of files that list files of weights."""


class HubFiles(ModelFiles):
    """The files of a model in a folder of a hub.

    Args:
        store: The store.
        place: Place of the main file.
        listing: Files of the folder.
    """

    def __init__(self, store: Store, place: FilePlace, listing: Listing) -> None:
        self._store, self._listing = store, listing
        folder, slash, self.model = place.path.rpartition("/")
        self._place, self._start = place, f"{folder}{slash}"

    @staticmethod
    async def opened(handle: str, names: Sequence[str]) -> HubFiles:
        """Open the files at a handle.

        Args:
            handle: Handle of a folder, or of a main file.
            names: Possible names or suffixes of the main file. The first one that exists is used.

        Raises:
            ModelFileError: If there is no such file.
            OpError: If the hub does not answer.
        """
        store, place = await current(), place_of(handle)
        listing = await store.listing(place.folder)
        if place.path not in listing:
            start = f"{place.path}/" if place.path else ""
            inside = [path.removeprefix(start) for path in listing if path.startswith(start)]
            place = place.file(f"{start}{model_among(inside, names)}")
        return HubFiles(store, place, listing)

    def where(self, path: str) -> str:
        return self._place.file(f"{self._start}{path}").address

    async def read(self, path: str, limit: int) -> bytes:
        return Path(await self._fetched(path, limit)).read_bytes()

    async def open(self, path: str, limit: int) -> BinaryIO:
        return open(await self._fetched(path, limit), "rb")

    async def folder(self) -> Path:
        """Return the folder of the main file, after all files in it are downloaded."""
        inside = [path for path in self._listing if path.startswith(self._start)]
        for path in inside:
            await self._fetched(path.removeprefix(self._start), self._listing[path].size or 0)
        return Path(await self._fetched(self.model, 1 << 30)).parent

    async def _read_all(self, paths: tuple[str, ...], limit: int) -> list[bytes]:
        found = list(await asyncio.gather(*(self.read(path, limit) for path in paths)))
        within(sum(map(len, found)), ", ".join(paths), limit)
        return found

    async def _fetched(self, path: str, limit: int) -> str:
        """Return the path of a file in the store."""
        place = self._place.file(f"{self._start}{path}")
        if place.path not in self._listing:
            raise missing(path)
        within(self._listing[place.path].size or 0, place.address, limit)
        try:
            source = await self._store.source(place, "")
            found = await self._store.fetch(source, Watch(self.heard, self._expect))
        except (NotFoundError, UnavailableError) as error:
            raise ModelFileError(f"cannot fetch {place.address}: {error.message}") from None
        within(Path(found).stat().st_size, place.address, limit)
        return found

    def _expect(self, size: int) -> None:
        if isinstance(self.heard, ProgressCounter):
            self.heard.expect(self._weights if self.model.endswith(_INDEX) else size)

    @property
    def _weights(self) -> int:
        """Number of bytes of all files of weights that belong together."""
        ending = self.model.removesuffix(_INDEX).rpartition(".")[2]
        return sum(file.size or 0 for path, file in self._listing.items() if path.endswith(ending))
