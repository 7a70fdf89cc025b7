"""Data sources: bytes that arrive in pieces from the network or from files of the user."""

from __future__ import annotations

import os
import re
from collections.abc import AsyncGenerator, Callable, Sequence
from typing import Any

from tfpy._src.backends.javascript.bridge import IN_BROWSER
from tfpy._src.backends.javascript.fetching import Stream, open_address, open_blob
from tfpy._src.backends.javascript.interop import is_js
from tfpy._src.base.errors import NotFoundError, UnimplementedError

Progress = Callable[[int, int | None], object]

_REMOTE = re.compile("(https?|blob|data|indexeddb):")


class DataSource:
    """Base class of the sources from which datasets read bytes in pieces.

    Equivalent to `DataSource` in TensorFlow.js.
    """

    name = ""
    """Name of the source in errors."""

    def __init__(self, progress: Progress | None) -> None:
        self._progress = progress

    async def pieces(self) -> AsyncGenerator[bytes]:
        """Return an asynchronous iterator over the bytes in pieces, from the beginning.

        Yields:
            A bytes object for each piece.

        Raises:
            tf.errors.OpError: If the bytes cannot be read. The subclass depends on the reason.

        Example::

            import tfpy as tf

            source = tf.data.FileDataSource(b"hello")
            async for piece in source.pieces():
                print(piece)  # b'hello'
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
        """Open a stream of the bytes."""
        raise NotImplementedError


class URLDataSource(DataSource):
    """A source of the bytes at a URL, which datasets of files read in pieces.

    Args:
        url: URL, absolute or relative to the page.
        progress: Function that is called after each piece. It takes the number of bytes that have
            been read and the total number of bytes, which is None if the server does not send it.
            Default: no function.

    Example::

        import tfpy as tf

        def show(done, total):
            print(f"{done} of {total} bytes")

        lines = tf.data.TextLineDataset(tf.data.URLDataSource("words.txt", show))

    See also: `tf.data.FileDataSource`, `tf.io.to_folder`.
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
        try:
            return await open_address(self.name)
        except NotFoundError as error:
            raise NotFoundError(None, "fetch", f"{error.message}{_hint(self.name)}") from None


def _hint(url: str) -> str:
    """Return a sentence about Python's file with the name of a URL that does not exist."""
    if is_remote(url):
        return ""
    if os.path.isfile(url):
        return f". To read Python's file of this name, pass tf.data.FileDataSource({url!r})"
    return ". Python's file system has no file with this name either"


class FileDataSource(DataSource):
    r"""A source of the bytes of a file, which datasets of files read in pieces.

    Args:
        file: A `File` or `Blob` of the browser, such as a file that the user has selected. Also a
            bytes object, or the path of a file.
        progress: Function that is called after each piece. It takes the number of bytes that have
            been read and the total number of bytes. Default: no function.
        chunk_size: Number of bytes in a piece, if `file` is bytes or a path. Default: 1 MiB.

    Raises:
        TypeError: If `file` is something else.

    Example:
        >>> import asyncio
        >>> import tfpy as tf
        >>> async def first():
        ...     file = tf.data.FileDataSource(b"one line\nanother")
        ...     async for line in tf.data.TextLineDataset(file):
        ...         return line.numpy()
        >>> asyncio.run(first())
        b'one line'

    See also: `tf.data.URLDataSource`, `tf.io.to_folder`.
    """

    def __init__(
        self, file: Any, progress: Progress | None = None, chunk_size: int = 1 << 20
    ) -> None:
        super().__init__(progress)
        if not isinstance(file, bytes | str | os.PathLike) and not hasattr(file, "stream"):
            raise TypeError(
                f"FileDataSource: file must be a File, Blob, bytes or path, got {file!r}"
            )
        self._file, self._chunk_size = file, chunk_size
        self.name = str(getattr(file, "name", "bytes" if isinstance(file, bytes) else file))

    async def _open(self) -> Any:
        if IN_BROWSER and is_js(self._file):
            return open_blob(self._file)
        return _Held(self._file, self._chunk_size)


class _Held:
    """A stream of bytes in memory, with the interface of `fetching.Stream`."""

    def __init__(self, file: Any, chunk_size: int) -> None:
        if isinstance(file, bytes):
            self._data = memoryview(file)
        else:
            self._data = memoryview(_contents(file))
        self._at, self._chunk_size = 0, chunk_size
        self.size = len(self._data)

    async def read(self) -> bytes:
        found = bytes(self._data[self._at : self._at + self._chunk_size])
        self._at += len(found)
        return found

    def close(self) -> None:
        self._at = self.size


def _contents(path: str | os.PathLike[str]) -> bytes:
    """Return the bytes of a file.

    Raises:
        NotFoundError: If the file does not exist.
    """
    try:
        with open(path, "rb") as opened:
            return opened.read()
    except FileNotFoundError:
        raise NotFoundError(None, "open", f"{path}; No such file or directory") from None


def source_of(value: Any) -> DataSource:
    """Return a source for a source, a URL, a path, or a file of the browser.

    A string without a scheme is a path if Python has such a file, and otherwise a URL. Outside of a
    browser it is always a path.
    """
    if isinstance(value, DataSource):
        return value
    return URLDataSource(value) if _is_url(value) else FileDataSource(value)


def _is_url(value: Any) -> bool:
    if not isinstance(value, str):
        return False
    if is_remote(value) or "://" in value:
        return True
    return IN_BROWSER and not os.path.isfile(value)


def listed(files: Any) -> Sequence[Any]:
    """Return one file, a list of files, or a `FileList` of the browser as a sequence."""
    if isinstance(files, list | tuple):
        return files
    return list(files) if hasattr(files, "item") and hasattr(files, "length") else [files]


def is_remote(name: str) -> bool:
    """Return True if a filename is a URL."""
    return _REMOTE.match(name) is not None
