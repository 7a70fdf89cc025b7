"""Streams of bytes from the network and from files of the user."""

from __future__ import annotations

from typing import Any

from tfpy._src.backends.javascript import storage
from tfpy._src.backends.javascript.bridge import IN_BROWSER, received
from tfpy._src.backends.javascript.interop import Failure, settled
from tfpy._src.base.errors import NotFoundError, OpError, PermissionDeniedError, UnavailableError

if IN_BROWSER:
    import js
    from pyodide.ffi import JsException, to_js


class Stream:
    """Bytes that arrive over time.

    Args:
        source: A JavaScript Response or Blob.
        size: Total number of bytes, if it is known.
    """

    def __init__(self, source: Any, size: int | None) -> None:
        self._source = source
        self._reader: Any = None
        self.size = size

    async def read(self) -> bytes:
        """Return the next bytes; empty at the end.

        Raises:
            UnavailableError: If the connection breaks.
        """
        if self._reader is None:
            self._reader = self._body().getReader()
        found = await _received(self._reader.read())
        return b"" if found.done else bytes(found.value.to_bytes())

    def close(self) -> None:
        """Stop fetching."""
        _watched((self._reader or self._body()).cancel())

    def whole(self) -> Any:
        """Return a promise of all bytes, for an unread stream. This is faster than parts."""
        return self._source.arrayBuffer()

    def _body(self) -> Any:
        source = self._source
        return source.stream() if hasattr(source, "stream") else source.body


async def _received(promise: Any) -> Any:
    found, failure = await settled(promise)
    if failure is not None:
        raise _ended(failure.text)
    return found


def _ended(why: object) -> UnavailableError:
    return UnavailableError(None, "fetch", f"the bytes ended early: {why}")


async def read_together(streams: list[Stream]) -> list[bytes]:
    """Return all bytes of unread streams.

    Raises:
        UnavailableError: If a connection breaks.
    """
    buffers = [stream.whole() for stream in streams]
    return [bytes((await _received(buffer)).to_bytes()) for buffer in buffers]


class Answers:
    """The responses of URLs. The browser begins to fetch immediately, while Python works.

    Each URL has its own request, even if the URLs repeat, because a response can be read only once.

    Args:
        urls: The URLs, which may also be in the browser's storage.
    """

    def __init__(self, urls: list[str]) -> None:
        self._urls = urls
        self._cancel = js.AbortController.new()
        self._fetched = [None if url.startswith(storage.STORED) else self._of(url) for url in urls]

    def _of(self, url: str) -> Any:
        return _watched(js.fetch(url, signal=self._cancel.signal))

    async def _promises(self) -> list[Any]:
        """Return the promises of the responses, after a request for each stored file."""
        pairs = zip(self._urls, self._fetched, strict=True)
        return [fetched or _watched(await storage.fetch(url)) for url, fetched in pairs]

    async def streams(self) -> list[Stream]:
        """Return a stream for each URL.

        Raises:
            NotFoundError: If a file does not exist.
            PermissionDeniedError: If the access is denied.
            UnavailableError: If a server does not respond, or does not permit this page to read the
                file.
        """
        pairs = zip(self._urls, await self._promises(), strict=True)
        found = [(url, *await settled(promise)) for url, promise in pairs]
        return [_stream(*answer) for answer in found]

    async def whole(self, most: int) -> list[bytes] | None:
        """Return all bytes of each URL, faster than streams.

        The result is None if their total size is unknown or more than `most`, or if a request
        fails; streams then report the error.

        Raises:
            UnavailableError: If a connection breaks.
        """
        try:
            return await received(to_js(await self._promises()), most)
        except JsException as error:
            raise _ended(error) from None

    def close(self) -> None:
        """Cancel the requests that are not complete, and discard the responses."""
        self._cancel.abort()


def _watched(promise: Any) -> Any:
    """Return a promise whose failure the browser does not report, even if it is never awaited."""
    promise.catch(js.Boolean)
    return promise


async def open_address(url: str) -> Stream:
    """Return the stream of a URL; see `Answers`."""
    return (await Answers([url]).streams())[0]


def _stream(url: str, response: Any, failure: Failure | None) -> Stream:
    if failure is not None:
        message = (
            f"{url}: {failure.text}. Does it exist, and does its server allow this page (CORS)?"
        )
        raise UnavailableError(None, "fetch", message)
    if not response.ok:
        kind = _REFUSALS.get(response.status, UnavailableError)
        full = "" if response.url in ("", url) else f" ({response.url})"
        raise kind(None, "fetch", f"{url}: {response.status} {response.statusText}{full}")
    length = response.headers.get("Content-Length")
    is_packed = response.headers.get("Content-Encoding")
    size = int(length) if length and length.isdigit() and not is_packed else None
    return Stream(response, size)


_REFUSALS: dict[int, type[OpError]] = {
    401: PermissionDeniedError,
    403: PermissionDeniedError,
    404: NotFoundError,
    410: NotFoundError,
}


def open_blob(blob: Any) -> Stream:
    """Return the stream of a File or Blob."""
    return Stream(blob, int(blob.size))
