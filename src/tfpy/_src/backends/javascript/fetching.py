"""Bytes from the network and from files of the user, as streams."""

from __future__ import annotations

from typing import Any

from tfpy._src.backends.javascript.bridge import IN_BROWSER, received
from tfpy._src.backends.javascript.interop import Failure, settled
from tfpy._src.base.errors import NotFoundError, OpError, PermissionDeniedError, UnavailableError

if IN_BROWSER:
    import js
    from pyodide.ffi import JsException, to_js


class Stream:
    """Bytes that come.

    Args:
        source: a JavaScript Response or Blob.
        size: of all of it in bytes, where it is known.
    """

    def __init__(self, source: Any, size: int | None) -> None:
        self._source = source
        self._reader: Any = None
        self.size = size

    async def read(self) -> bytes:
        """The next bytes; none at the end.

        Raises:
            UnavailableError: when the connection breaks.
        """
        if self._reader is None:
            self._reader = self._body().getReader()
        found = await _received(self._reader.read())
        return b"" if found.done else bytes(found.value.to_bytes())

    def close(self) -> None:
        """Fetches no more."""
        (self._reader or self._body()).cancel()

    def whole(self) -> Any:
        """A promise of all bytes, when none was read; a browser gives them sooner than parts."""
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
    """All bytes of some streams, of which none was read.

    Raises:
        UnavailableError: when a connection breaks.
    """
    buffers = [stream.whole() for stream in streams]
    return [bytes((await _received(buffer)).to_bytes()) for buffer in buffers]


class Answers:
    """What addresses answer; the browser fetches from now on, while Python works.

    Args:
        urls: the addresses.
    """

    def __init__(self, urls: list[str]) -> None:
        self._promises = [(url, js.fetch(url)) for url in urls]

    async def streams(self) -> list[Stream]:
        """The bytes at each address.

        Raises:
            NotFoundError: when there is no such file; PermissionDeniedError: when it is refused.
            UnavailableError: when a server does not answer, or does not let this page read it.
        """
        found = [(url, *await settled(promise)) for url, promise in self._promises]
        return [_stream(*answer) for answer in found]

    async def whole(self, most: int) -> list[bytes] | None:
        """All bytes at each address, sooner than by streams; None when it is not known that they
        are no more than `most` together, or an address refuses: what they are, streams tell.

        Raises:
            UnavailableError: when a connection breaks.
        """
        try:
            return await received(to_js([promise for _, promise in self._promises]), most)
        except JsException as error:
            raise _ended(error) from None

    def close(self) -> None:
        """Says that nobody asks for them."""
        for _, promise in self._promises:
            promise.catch(js.Boolean)  # else the browser tells of failures


async def open_address(url: str) -> Stream:
    """The bytes at an address; see :class:`Answers`."""
    return (await Answers([url]).streams())[0]


def _stream(url: str, response: Any, failure: Failure | None) -> Stream:
    if failure is not None:
        message = f"{url}: {failure.text}; is it there, and does its server allow this page (CORS)?"
        raise UnavailableError(None, "fetch", message)
    if not response.ok:
        kind = _REFUSALS.get(response.status, UnavailableError)
        raise kind(None, "fetch", f"{url}: {response.status} {response.statusText}")
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
    """The bytes of a File or Blob."""
    return Stream(blob, int(blob.size))
