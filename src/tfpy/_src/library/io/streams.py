"""Bytes that come piece by piece: from the network, of files that the user has picked."""

from __future__ import annotations

import os
import re
from collections.abc import AsyncGenerator, Callable
from typing import Any

from tfpy._src.backends.javascript.bridge import IN_BROWSER
from tfpy._src.backends.javascript.fetching import Stream, open_address, open_blob
from tfpy._src.backends.javascript.interop import is_js
from tfpy._src.base.errors import UnimplementedError

Progress = Callable[[int, int | None], object]

_REMOTE = re.compile("(https?|blob|data):")


class DataSource:
    """Bytes that come piece by piece, for datasets of files (TensorFlow.js's ``DataSource``)."""

    name = ""
    """How errors call it."""

    def __init__(self, progress: Progress | None) -> None:
        self._progress = progress

    async def pieces(self) -> AsyncGenerator[bytes]:
        """The bytes from the first one.

        Raises:
            OpError: of a class that says why they do not come.
        """
        stream = await self._open()
        done = 0
        try:
            while piece := await stream.read():
                done += len(piece)
                if self._progress is not None:
                    self._progress(done, stream.size)
                yield piece
        finally:
            stream.close()

    async def _open(self) -> Any:
        raise NotImplementedError


class URLDataSource(DataSource):
    """The bytes at an address (``tf.data.URLDataSource``).

    Args:
        url: also one relative to the page.
        progress: hears of each piece: how many bytes have come, and of how many, None where the
            server does not tell.

    Example:
        ``tf.data.TextLineDataset(tf.data.URLDataSource("words.txt", lambda done, size: ...))``
    """

    def __init__(self, url: str, progress: Progress | None = None) -> None:
        super().__init__(progress)
        self.name = url

    async def _open(self) -> Stream:
        if not IN_BROWSER:
            scheme = self.name.split(":")[0]
            raise UnimplementedError(
                None,
                "fetch",
                f"File system scheme '{scheme}' not implemented (file: '{self.name}')",
            )
        return await open_address(self.name)


class FileDataSource(DataSource):
    """The bytes of a file that the user has picked (``tf.data.FileDataSource``).

    Args:
        file: a File or Blob of the browser, bytes, or the path of a file of Python's.
        progress: as of :class:`URLDataSource`.
        chunk_size: how many bytes come at a time, of bytes and paths.

    Raises:
        TypeError: for something else.

    Example:
        >>> import asyncio
        >>> import tfpy as tf
        >>> async def first():
        ...     file = tf.data.FileDataSource(b"one line\\nanother")
        ...     async for line in tf.data.TextLineDataset(file):
        ...         return line.numpy()
        >>> asyncio.run(first())
        b'one line'
    """

    def __init__(
        self, file: Any, progress: Progress | None = None, chunk_size: int = 1 << 20
    ) -> None:
        super().__init__(progress)
        if not isinstance(file, bytes | str | os.PathLike) and not hasattr(file, "stream"):
            raise TypeError(f"FileDataSource: {file!r} is no File, Blob, bytes or path")
        self._file, self._chunk_size = file, chunk_size
        self.name = str(getattr(file, "name", "bytes" if isinstance(file, bytes) else file))

    async def _open(self) -> Any:
        if IN_BROWSER and is_js(self._file):
            return open_blob(self._file)
        return _Held(self._file, self._chunk_size)


class _Held:
    """Bytes that are here, as :class:`page.Stream` gives those that come."""

    def __init__(self, file: Any, chunk_size: int) -> None:
        if isinstance(file, bytes):
            self._data = memoryview(file)
        else:
            with open(file, "rb") as opened:
                self._data = memoryview(opened.read())
        self._at, self._chunk_size = 0, chunk_size
        self.size = len(self._data)

    async def read(self) -> bytes:
        found = bytes(self._data[self._at : self._at + self._chunk_size])
        self._at += len(found)
        return found

    def close(self) -> None:
        self._at = self.size


def source_of(value: Any) -> DataSource:
    """A source given as such, as an address, or as a file of the browser."""
    if isinstance(value, DataSource):
        return value
    return URLDataSource(value) if isinstance(value, str) else FileDataSource(value)


def is_remote(name: str) -> bool:
    """Whether a file's name is an address."""
    return _REMOTE.match(name) is not None
