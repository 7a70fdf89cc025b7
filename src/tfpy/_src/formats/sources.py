"""The files of a model: in a folder, a zip archive or a mapping, or at a URL."""

from __future__ import annotations

import asyncio
import fnmatch
import importlib
import io
import os
import re
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO, Protocol, TypeAlias, runtime_checkable
from zipfile import is_zipfile

from tfpy._src.backends.javascript.bridge import IN_BROWSER
from tfpy._src.backends.javascript.fetching import Answers, Stream, open_blob, read_together
from tfpy._src.backends.javascript.interop import is_js
from tfpy._src.base.errors import OpError
from tfpy._src.library.io.archives import Archive, ArchiveError
from tfpy._src.library.io.checked_json import ModelFileError
from tfpy._src.library.io.streams import listed

MODEL = "model.json"
_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]+://", re.I)

ModelSource: TypeAlias = str | os.PathLike[str] | bytes | Mapping[str, bytes]
"""A path, a URL, the bytes of a file or archive, or a mapping from paths to bytes.

In a page also a File of the browser, or several: a list or a FileList.
"""

Progress = Callable[[float], None]
"""A function that receives a fraction from 0 to 1."""


def increasing(progress: Progress) -> Progress:
    """Return a function that reports a fraction only if it is larger than all before it."""
    most = -1.0

    def report(fraction: float) -> None:
        nonlocal most
        if fraction > most:
            most = fraction
            progress(fraction)

    return report


class ProgressCounter:
    """A counter of received bytes that reports the received fraction.

    Args:
        progress: Function that receives the fraction.
        total: Number of bytes to receive. None: the response to a request specifies it.
    """

    def __init__(self, progress: Progress, total: int | None = None) -> None:
        self._done, self._total, self._progress = 0, total, progress

    def expect(self, total: int | None) -> None:
        """Set the number of bytes to receive from a response, unless it is known."""
        if self._total is None:
            self._total = total

    def __call__(self, count: int) -> None:
        self._done += count
        if self._total is not None:
            self._progress(min(self._done / max(self._total, 1), 1.0))


@runtime_checkable
class ModelFiles(Protocol):
    """The files of a model, by their paths relative to the folder of `model.json`."""

    model: str
    heard: Callable[[int], None] = staticmethod(lambda count: None)
    """Callback for the number of bytes of each received part."""

    def where(self, path: str) -> str:
        """Return the name of a file for error messages."""
        return path

    async def read(self, path: str, limit: int) -> bytes:
        """Return the bytes of a file.

        Raises:
            ModelFileError: If the file does not exist or is larger than `limit` bytes.
        """

    async def open(self, path: str, limit: int) -> BinaryIO:
        """Open a file for reading in parts.

        Raises:
            ModelFileError: If the file does not exist or is larger than `limit` bytes.
        """
        return io.BytesIO(await self.read(path, limit))

    def expect(self, groups: Iterable[tuple[str, ...]]) -> None:
        """Start to fetch files that will probably be read, and drop those expected before."""
        return

    def begin(self, paths: tuple[str, ...], limit: int) -> Coroutine[Any, Any, list[bytes]]:
        """Start to fetch some files and return a coroutine for their bytes.

        Raises:
            ModelFileError: If a file does not exist, or all together exceed `limit` bytes.
        """
        return self._read_all(paths, limit)

    def close(self) -> None:
        """Cancel all requests that are not complete."""
        return

    async def _read_all(self, paths: tuple[str, ...], limit: int) -> list[bytes]:
        found: list[bytes] = []
        for path in paths:
            found.append(await self.read(path, limit))
            limit -= len(found[-1])
            self.heard(len(found[-1]))
        return found


def is_zip(head: bytes) -> bool:
    """Return True if a file with these first bytes is a zip archive."""
    return head[:2] == b"PK"


async def received(source: Any) -> Any:
    """Return a source with the bytes of files that the user has selected; other sources unchanged.

    A zip archive is returned as bytes. Other files are returned in a mapping: a single file under
    the name of a model's main file, and several files under their paths in the selected folder.
    """
    files = listed(source)
    if not files or not all(is_js(file) and hasattr(file, "stream") for file in files):
        return source
    contents = await read_together([open_blob(file) for file in files])
    if len(files) > 1:
        names = [str(getattr(file, "webkitRelativePath", "") or file.name) for file in files]
        return dict(zip(names, contents, strict=True))
    return contents[0] if is_zip(contents[0]) else {MODEL: contents[0]}


def opened(source: Any, names: Sequence[str] = (MODEL, ".json")) -> ModelFiles:
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
        return _Folder(path, _model_among([file.name for file in path.iterdir()], names))
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
            raise _missing(path, error) from None
        _within(len(data), path, limit)
        return data

    async def open(self, path: str, limit: int) -> BinaryIO:
        try:
            file = self._opened(path)
        except OSError as error:
            raise _missing(path, error) from None
        if os.fstat(file.fileno()).st_size > limit:
            file.close()
            _within(limit + 1, path, limit)
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
        where = _model_among(list(contents), names)
        self._folder, _, self.model = where.rpartition("/")

    async def read(self, path: str, limit: int) -> bytes:
        place = f"{self._folder}/{path}".lstrip("/")
        if place not in self._contents:
            raise _missing(path)
        data = bytes(self._contents[place])
        _within(len(data), path, limit)
        return data


class _Archive(ModelFiles):
    """The files in a zip archive."""

    def __init__(self, file: Path | io.BytesIO, names: Sequence[str]) -> None:
        try:
            self._archive = Archive(file)
        except ArchiveError as error:
            raise ModelFileError(str(error)) from None
        where = _model_among(self._archive.names, names)
        self._folder, _, self.model = where.rpartition("/")

    async def read(self, path: str, limit: int) -> bytes:
        try:
            data = self._archive.read(f"{self._folder}/{path}".lstrip("/"), limit)
        except KeyError:
            raise _missing(path) from None
        except ArchiveError as error:
            raise ModelFileError(str(error)) from None
        _within(len(data), path, limit)
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
        _within(sum(map(len, found)), ", ".join(addresses), limit)
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


def _model_among(files: list[str], names: Sequence[str]) -> str:
    """Return the file that has the first matching name, or is the only one with the suffix.

    Raises:
        ModelFileError: If there is no such file, or several.
    """
    for name in names:
        found = [file for file in files if file == name or file.endswith(f"/{name}")]
        if name.startswith("."):
            found = [file for file in files if file.endswith(name)]
        if "*" in name:
            found = fnmatch.filter(files, name)
        found.sort(key=lambda file: file.count("/"))
        if found and (len(found) == 1 or found[0].count("/") < found[1].count("/")):
            return found[0]
    raise ModelFileError(f"there must be one {names[0]} among the files {sorted(files)[:20]}")


def _within(size: int, path: str, limit: int) -> None:
    if size > limit:
        raise ModelFileError(f"{path} has more than the {limit} bytes that are expected")


def _missing(path: str, error: OSError | None = None) -> ModelFileError:
    why = f": {error.strerror}" if error and error.strerror else ""
    return ModelFileError(f"the model's file {path!r} is not there{why}")
