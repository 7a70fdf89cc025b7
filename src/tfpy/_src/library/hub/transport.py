"""Requests for bytes of files on web servers."""

from __future__ import annotations

import asyncio
import importlib
import re
from abc import ABC, abstractmethod
from typing import Any
from urllib.parse import urlsplit

from tfpy._src.backends.javascript.bridge import IN_BROWSER
from tfpy._src.backends.javascript.fetching import Stream
from tfpy._src.backends.javascript.interop import as_objects, settled
from tfpy._src.base.errors import (
    DataLossError,
    NotFoundError,
    OpError,
    PermissionDeniedError,
    UnavailableError,
)

if IN_BROWSER:
    import js

_OK, _PARTIAL, _TOO_FAR = 200, 206, 416
_PART = 1 << 18
_SECONDS = 60.0
_MAX_REDIRECTS = 10
_RANGE = re.compile(r"bytes (\d{1,15})-(\d{1,15})/(\d{1,15}|\*)")
_KINDS: dict[int, type[OpError]] = {
    401: PermissionDeniedError,
    403: PermissionDeniedError,
    404: NotFoundError,
    410: NotFoundError,
    451: PermissionDeniedError,
}


class Reply(ABC):
    """The response of a server, with its bytes as they arrive."""

    status: int
    url: str
    """URL after redirects."""

    @abstractmethod
    def header(self, name: str) -> str:
        """Return a header; an empty string if it is missing or hidden from the page."""

    @abstractmethod
    async def read(self) -> bytes:
        """Return the next bytes; empty at the end.

        Raises:
            UnavailableError: If the connection breaks.
        """

    @abstractmethod
    def close(self) -> None:
        """Stop receiving."""

    @property
    def begin(self) -> int:
        """Position of the first byte in the file; -1 if the server does not have this position.

        Raises:
            DataLossError: If the range is not one.
        """
        if self.status == _TOO_FAR:
            return -1
        if self.status != _PARTIAL:
            return 0
        found = self._range()
        return int(found[1]) if found else -1

    @property
    def is_partial(self) -> bool:
        """True if the server has sent a range."""
        return self.status == _PARTIAL

    @property
    def hides_range(self) -> bool:
        """True if the server has sent a range without specifying it to the page."""
        return self.is_partial and self._range() is None

    @property
    def size(self) -> int:
        """Number of bytes of the whole file; -1 if it is unknown."""
        if not self.is_partial:
            return self.length
        found = self._range()
        return int(found[3]) if found and found[3] != "*" else -1

    @property
    def length(self) -> int:
        """Number of bytes of the response; -1 if it is unknown."""
        length = self.header("Content-Length")
        return int(length) if re.fullmatch(r"\d{1,15}", length) and not self.is_packed else -1

    @property
    def is_packed(self) -> bool:
        """True if the bytes are compressed for the transport."""
        return self.header("Content-Encoding") not in ("", "identity")

    @property
    def validator(self) -> str:
        """A text that changes when the file changes; empty if the server sends none."""
        tag = self.header("ETag")
        return (tag if not tag.startswith("W/") else "") or self.header("Last-Modified")

    def _range(self) -> re.Match[str] | None:
        text = self.header("Content-Range")
        if not text:
            return None
        found = _RANGE.fullmatch(text)
        if found is None or int(found[1]) > int(found[2]):
            raise DataLossError(None, "tf.hub", f"{self.url}: wrong Content-Range {text[:100]!r}")
        return found


class _Page(Reply):
    """A response in a page or in another runtime of JavaScript."""

    def __init__(self, response: Any) -> None:
        self.status, self.url = int(response.status), str(response.url)
        self._headers = response.headers
        self._stream = Stream(response, None)

    def header(self, name: str) -> str:
        found = self._headers.get(name)
        return found if isinstance(found, str) else ""

    async def read(self) -> bytes:
        try:
            return await asyncio.wait_for(self._stream.read(), _SECONDS)
        except TimeoutError:
            self.close()
            why = f"no bytes arrived for {_SECONDS:.0f} seconds"
        except UnavailableError as error:
            why = error.message
        raise UnavailableError(None, "tf.hub", f"{self.url}: {why}")

    def close(self) -> None:
        self._stream.close()


class _Socket(Reply):
    """A response in CPython."""

    def __init__(self, response: Any) -> None:
        self.status, self.url = int(response.status), str(response.url)
        self._response = response

    def header(self, name: str) -> str:
        return str(self._response.headers.get(name, ""))

    async def read(self) -> bytes:
        await asyncio.sleep(0)  # other tasks can run
        try:
            return bytes(self._response.read1(_PART))
        except (OSError, _http().HTTPException) as error:
            raise UnavailableError(None, "tf.hub", f"{self.url}: {error!r}") from None

    def close(self) -> None:
        self._response.close()


async def request(url: str, begin: int = 0, end: int | None = None) -> Reply:
    """Request a file or a range of it.

    Args:
        url: URL of the file.
        begin: First byte.
        end: Position after the last byte. Default: the end of the file.

    Returns:
        The response. It may contain the whole file instead of the range.

    Raises:
        NotFoundError: If the file does not exist.
        PermissionDeniedError: If the server denies the access.
        UnavailableError: If the server does not respond, or not to this page.
    """
    last = "" if end is None else str(end - 1)
    # Browsers request compressed bytes unless there is a range. Pages do not see the compression.
    is_whole = not begin and end is None
    headers = {"Range": f"bytes={begin}-{last}"} if IN_BROWSER or not is_whole else {}
    send = _fetched if IN_BROWSER else _opened
    reply = await send(url, headers)
    if reply.status == _TOO_FAR and is_whole:  # an empty file has no range
        reply.close()
        reply = await send(url, {})
    if reply.status not in (_OK, _PARTIAL, _TOO_FAR) or (reply.status == _TOO_FAR and not headers):
        reply.close()
        kind = _KINDS.get(reply.status, UnavailableError)
        full = "" if reply.url in ("", url) else f" ({reply.url.partition('?')[0]})"
        raise kind(None, "tf.hub", f"{url}: the server answers {reply.status}{full}")
    return reply


async def _fetched(url: str, headers: dict[str, str]) -> Reply:
    # The browser's own cache would store the bytes a second time.
    options = as_objects({"headers": headers, "cache": "no-store", "referrerPolicy": "no-referrer"})
    response, failure = await settled(js.fetch(url, options))
    if failure is not None:
        raise UnavailableError(
            None,
            "tf.hub",
            f"{url}: {failure.text}. Is this device online, does the address exist, and does its "
            "server allow this page (CORS)?",
        )
    return _Page(response)


async def _opened(url: str, headers: dict[str, str]) -> Reply:
    library = importlib.import_module("urllib.request")  # slow to import, and rarely needed
    asked = library.Request(url, headers={"User-Agent": "tfpy", **headers})
    try:
        reply = _Socket(_opener(library).open(asked, timeout=_SECONDS))
    except library.HTTPError as refused:
        return _Socket(refused)
    except (OSError, _http().HTTPException) as error:
        reason = getattr(error, "reason", None) or error
        raise UnavailableError(None, "tf.hub", f"{url}: {reason}") from None
    if reply.is_packed:
        reply.close()
        why = f"{url}: the server compresses the file, although this was not requested"
        raise DataLossError(None, "tf.hub", why)
    return reply


def _opener(library: Any) -> Any:
    """Return an opener that follows redirects to web servers, but not from https to http."""
    plain = library.HTTPRedirectHandler

    def redirect_request(self: Any, req: Any, fp: Any, *answer: Any) -> Any:
        target = str(answer[-1])
        scheme = urlsplit(target).scheme
        if scheme not in ("http", "https") or (req.type == "https" and scheme == "http"):
            why = f"{req.full_url}: refused the redirect to {target[:200]!r}"
            raise PermissionDeniedError(None, "tf.hub", why)
        return plain.redirect_request(self, req, fp, *answer)

    names = {"redirect_request": redirect_request, "max_redirections": _MAX_REDIRECTS}
    return library.build_opener(type("Redirects", (plain,), names))


def _http() -> Any:
    return importlib.import_module("http.client")


async def whole(url: str, limit: int) -> bytes:
    """Return the bytes of a small file.

    Raises:
        DataLossError: If there are more than `limit` bytes, or fewer than the server has declared.
    """
    reply = await request(url)
    found = bytearray()
    while part := await reply.read():
        found += part
        if len(found) > limit:
            reply.close()
            raise DataLossError(None, "tf.hub", f"{url} has more than {limit} bytes")
    if reply.size not in (-1, len(found)):
        raise DataLossError(None, "tf.hub", f"{url} ended after {len(found)} of {reply.size} bytes")
    return bytes(found)
