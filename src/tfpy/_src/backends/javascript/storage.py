"""Files in the storage of the browser, and files that the page offers as downloads.

As in TensorFlow.js, URLs specify both: `indexeddb://name` and `downloads://name`.
"""

from __future__ import annotations

from typing import Any

from tfpy._src.backends.javascript.bridge import IN_BROWSER, runtime
from tfpy._src.backends.javascript.interop import settled
from tfpy._src.base.errors import (
    NotFoundError,
    OpError,
    PermissionDeniedError,
    ResourceExhaustedError,
    UnavailableError,
    UnimplementedError,
)

if IN_BROWSER:
    from pyodide.ffi import to_js

STORED = "indexeddb://"
DOWNLOADED = "downloads://"

_REFUSALS: dict[str, type[OpError]] = {
    "QuotaExceededError": ResourceExhaustedError,
    "SecurityError": PermissionDeniedError,
    "InvalidStateError": PermissionDeniedError,
}


def is_place(path: object) -> bool:
    """Return True for a URL of the browser's storage or of a download."""
    return isinstance(path, str) and path.startswith((STORED, DOWNLOADED))


async def write(url: str, name: str, data: bytes) -> None:
    """Store a file in the browser, or offer it as a download.

    Args:
        url: URL, for which `is_place` is True.
        name: Filename of a download.

    Raises:
        ResourceExhaustedError: If the file exceeds the storage of the browser.
        PermissionDeniedError: If the browser does not permit the page to store files.
        UnimplementedError: Outside of a browser, and for a download in a worker whose page does not
            receive files.
    """
    rt = await _runtime(url)
    if url.startswith(STORED):
        await _answered(url, rt.storeFile(url.removeprefix(STORED), to_js(data)))
    elif not rt.offerDownload(name, to_js(data)):
        message = f"{url}: this worker cannot offer downloads. Save to a path or to {STORED!r}"
        raise UnimplementedError(None, "save", message)


async def fetch(url: str) -> Any:
    """Return a promise of the response with a stored file."""
    return (await _runtime(url)).fetchStored(url.removeprefix(STORED))


async def stored_urls() -> list[str]:
    """Return the sorted URLs of all stored files."""
    names = await _answered(STORED, (await _runtime(STORED)).storedFiles())
    return [f"{STORED}{name}" for name in names]


async def remove(url: str) -> None:
    """Remove a stored file.

    Raises:
        NotFoundError: If it does not exist.
    """
    rt = await _runtime(url)
    if not await _answered(url, rt.removeFile(url.removeprefix(STORED))):
        raise NotFoundError(None, "remove", f"{url} does not exist: this browser has not stored it")


async def _runtime(url: str) -> Any:
    if not IN_BROWSER:
        message = f"{url} is a place in a browser, but this program runs outside. Use a path"
        raise UnimplementedError(None, "storage", message)
    return await runtime()


async def _answered(url: str, promise: Any) -> Any:
    found, refusal = await settled(promise)
    if refusal is not None:
        error = _REFUSALS.get(refusal.name, UnavailableError)
        raise error(None, "storage", f"{url}: the browser's storage failed: {refusal.text}")
    return found
