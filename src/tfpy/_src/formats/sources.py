"""The files of a model: in a folder, a zip archive or a mapping, or at a URL."""

from __future__ import annotations

import asyncio
import importlib
import io
import os
import re
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias
from zipfile import is_zipfile

from tfpy._src.backends.javascript.bridge import IN_BROWSER
from tfpy._src.backends.javascript.fetching import Answers, Stream, open_blob, read_together
from tfpy._src.backends.javascript.interop import is_js
from tfpy._src.base.errors import OpError
from tfpy._src.formats.hub_files import HubFiles, is_handle
from tfpy._src.formats.model_files import (
    MODEL,
    ModelFiles,
    ProgressCounter,
    missing,
    model_among,
    within,
)
from tfpy._src.library.io.archives import Archive, ArchiveError
from tfpy._src.library.io.checked_json import ModelFileError
from tfpy._src.library.io.streams import listed

NAMES = (MODEL, ".json")
"""Names or endings of the main file of a model of TensorFlow.js."""
_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]+://", re.I)

ModelSource: TypeAlias = str | os.PathLike[str] | bytes | Mapping[str, bytes]
"""A path, a URL, a handle, the bytes of a file or archive, or a mapping from paths to bytes.

In a page also a File of the browser, or several: a list or a FileList.
"""


def is_zip(head: bytes) -> bool:
    """Return True if a file with these first bytes is a zip archive."""
    return head[:2] == b"PK"


async def received(source: Any, names: Sequence[str] = NAMES) -> Any:
    """Return a source whose files can be opened at once; most sources unchanged.

    A handle of a hub becomes files of the store. Files that the user has selected are read: a zip
    archive becomes bytes, and other files become a mapping. A single file has the name of a model's
    main file in it, and several files have their paths in the selected folder.

    Args:
        source: Location of the files.
        names: Names of the main file, as for `opened`.
    """
    if is_handle(source):
        return await HubFiles.opened(source, names)
    files = listed(source)
    if not files or not all(is_js(file) and hasattr(file, "stream") for file in files):
        return source
    contents = await read_together([open_blob(file) for file in files])
    if len(files) > 1:
        names = [str(getattr(file, "webkitRelativePath", "") or file.name) for file in files]
        return dict(zip(names, contents, strict=True))
    return contents[0] if is_zip(contents[0]) else {MODEL: contents[0]}


def opened(source: Any, names: Sequence[str] = NAMES) -> ModelFiles:
    """Open the files that a source refers to.

    Args:
        source: Location of the files.
        names: Possible names, suffixes or patterns of the main file. The first one that exists is
            used.

    Raises:
        FileNotFoundError: If the file or folder does not exist.
        ModelFileError: If there is no file with such a name.
        TypeError: If the source has an unsupported type.
    """
    if isinstance(source, HubFiles):
        return source
    if isinstance(source, bytes):
        return _Archive(io.BytesIO(source), names)
    if isinstance(source, Mapping):
        return _Given(source, names)
    if not isinstance(source, str | os.PathLike):
        kinds = (
            "a path, an address, the bytes of a zip archive, a mapping from paths to bytes, or "
            "files of the browser"
        )
        raise TypeError(f"a model is loaded from {kinds}, got {type(source).__name__}")
    text = os.fspath(source)
    if isinstance(source, str) and _ADDRESS.match(text):
        return _Address(text)
    path = Path(text)
    if IN_BROWSER and isinstance(source, str) and not path.exists():
        return _Address(text)
    if path.is_dir():
        return _Folder(path, model_among([file.name for file in path.iterdir()], names))
    if not path.exists():
        raise FileNotFoundError(f"the file or folder {text!r} does not exist")
    return _Archive(path, names) if is_zipfile(path) else _Folder(path.parent, path.name)


class _Folder(ModelFiles):
    """The files in a folder.

    A symbolic link may lead to a file in the folder, or in the folder of the file that the model
    itself is a link to. Download caches keep a folder of links next to a folder of files.
    """

    def __init__(self, folder: Path, model: str) -> None:
        self._folder, self.model = folder, model
        self._homes = _without_links(folder), _without_links(folder / model).parent

    async def read(self, path: str, limit: int) -> bytes:
        try:
            with self._opened(path) as file:
                size = os.fstat(file.fileno()).st_size
                data = file.read(min(size, limit) + 1)  # `read` allocates that many bytes
        except OSError as error:
            raise missing(path, error) from None
        within(len(data), path, limit)
        return data

    async def open(self, path: str, limit: int) -> BinaryIO:
        try:
            file = self._opened(path)
        except OSError as error:
            raise missing(path, error) from None
        if os.fstat(file.fileno()).st_size > limit:
            file.close()
            within(limit + 1, path, limit)
        return file

    def _opened(self, path: str) -> BinaryIO:
        place = _without_links(self._folder / path)
        if not any(place.is_relative_to(home) for home in self._homes):
            raise ModelFileError(
                f"{path!r} is a link that leads out of the model's folder. If you trust it, copy "
                "the file into the folder"
            )
        return place.open("rb")


def _without_links(path: Path) -> Path:
    return Path(os.path.realpath(path))


class _Given(ModelFiles):
    """The files in a mapping."""

    def __init__(self, contents: Mapping[str, Any], names: Sequence[str]) -> None:
        self._contents = contents
        where = model_among(list(contents), names)
        self._folder, _, self.model = where.rpartition("/")

    async def read(self, path: str, limit: int) -> bytes:
        place = f"{self._folder}/{path}".lstrip("/")
        if place not in self._contents:
            raise missing(path)
        data = bytes(self._contents[place])
        within(len(data), path, limit)
        return data


class _Archive(ModelFiles):
    """The files in a zip archive."""

    def __init__(self, file: Path | io.BytesIO, names: Sequence[str]) -> None:
        try:
            self._archive = Archive(file)
        except ArchiveError as error:
            raise ModelFileError(str(error)) from None
        where = model_among(self._archive.names, names)
        self._folder, _, self.model = where.rpartition("/")

    async def read(self, path: str, limit: int) -> bytes:
        try:
            data = self._archive.read(f"{self._folder}/{path}".lstrip("/"), limit)
        except KeyError:
            raise missing(path) from None
        except ArchiveError as error:
            raise ModelFileError(str(error)) from None
        within(len(data), path, limit)
        return data


class _Address(ModelFiles):
    """The files at a URL. Its query (after `?`) is added to the URL of each file."""

    def __init__(self, address: str) -> None:
        bare, mark, query = address.partition("?")
        self._folder, slash, self.model = bare.rpartition("/")
        self._folder += slash
        self._query = mark + query
        self._expected: dict[tuple[str, ...], Answers] = {}
        self._begun: list[Answers] = []

    def where(self, path: str) -> str:
        return self._addresses((path,))[0]

    async def read(self, path: str, limit: int) -> bytes:
        return (await self.begin((path,), limit))[0]

    def begin(self, paths: tuple[str, ...], limit: int) -> Coroutine[Any, Any, list[bytes]]:
        answers = self._expected.pop(paths, None)
        if answers is None and IN_BROWSER:
            answers = Answers(self._addresses(paths))
        if answers is not None:
            self._begun.append(answers)
        return self._received(self._addresses(paths), answers, limit)

    def expect(self, groups: Iterable[tuple[str, ...]]) -> None:
        _close(self._expected.values())
        if IN_BROWSER:
            distinct = dict.fromkeys(groups)
            self._expected = {paths: Answers(self._addresses(paths)) for paths in distinct}

    def close(self) -> None:
        _close([*self._expected.values(), *self._begun])

    def _addresses(self, paths: tuple[str, ...]) -> list[str]:
        return [f"{self._folder}{path}{self._query}" for path in paths]

    async def _received(
        self, addresses: list[str], answers: Answers | None, limit: int
    ) -> list[bytes]:
        try:
            if answers is not None:
                found = await _fetched(answers, limit, self.heard)
            else:
                found = [_read(address, limit) for address in addresses]
                self.heard(sum(map(len, found)))
        except (OSError, OpError) as error:
            where, why = ", ".join(addresses), str(error)
            why = why.removeprefix(f"{where}: ")
            raise ModelFileError(f"cannot fetch {where}: {why}") from None
        finally:
            if answers is not None:
                answers.close()
                self._begun.remove(answers)
        within(sum(map(len, found)), ", ".join(addresses), limit)
        return found


def _close(requests: Iterable[Answers]) -> None:
    for answers in requests:
        answers.close()


async def _fetched(
    answers: Answers, limit: int, heard: Callable[[int], None] | ProgressCounter
) -> list[bytes]:
    """Fetch files in a page, and stop soon after `limit` bytes."""
    found = None if isinstance(heard, ProgressCounter) else await answers.whole(limit)
    if found is not None:
        return found
    streams = await answers.streams()
    return list(await asyncio.gather(*(_piecewise(stream, limit, heard) for stream in streams)))


async def _piecewise(
    stream: Stream, limit: int, heard: Callable[[int], None] | ProgressCounter
) -> bytes:
    """Read a stream part by part and report each part."""
    found, size = [], 0
    if isinstance(heard, ProgressCounter):
        heard.expect(stream.size)
    while part := await stream.read():
        found.append(part)
        size += len(part)
        heard(len(part))
        if size > limit:
            stream.close()
            break
    return b"".join(found)


def _read(address: str, limit: int) -> bytes:
    """Read a file at a URL in CPython, at most one byte more than `limit`."""
    request = importlib.import_module("urllib.request")  # slow to import, and rarely needed
    try:
        with request.urlopen(address) as answer:
            return answer.read(limit + 1)
    except request.HTTPError as refused:
        refused.close()
        raise
