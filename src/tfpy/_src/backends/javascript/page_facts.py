"""Facts of the page, and strings that it stores between visits."""

from __future__ import annotations

import contextlib

from tfpy._src.backends.javascript.loading import IN_BROWSER

if IN_BROWSER:
    import js
    import pyodide_js
    from pyodide.ffi import JsException


def user_agent() -> str:
    """Return the browser's user agent, or an empty string."""
    navigator = getattr(js, "navigator", None) if IN_BROWSER else None
    return str(getattr(navigator, "userAgent", ""))


def heap_bytes() -> int:
    """Return the size of Python's memory in a page, or 0 elsewhere."""
    return int(pyodide_js._module.HEAPU8.length) if IN_BROWSER else 0


def page_parameters() -> list[tuple[str, str]]:
    """Return the parameters in the URL of the page, or of a worker's module."""
    if not IN_BROWSER:
        return []
    # A worker with a module from another origin has a URL without parameters (worker_host.mjs).
    search = getattr(js, "tfpyParameters", "") or getattr(
        getattr(js, "location", None), "search", ""
    )
    if not search:
        return []
    pairs = js.Array.from_(js.URLSearchParams.new(search)).to_py()
    return [(name, value) for name, value in pairs]


def stored(key: str) -> str | None:
    """Return a string that the page has stored, or None. Workers store nothing."""
    try:
        text = js.localStorage.getItem(key)
    except (AttributeError, JsException):  # a page may forbid it
        return None
    return None if text is None else str(text)


def store(key: str, text: str) -> None:
    """Store a string in the page, if the page permits it."""
    with contextlib.suppress(AttributeError, JsException):
        js.localStorage.setItem(key, text)
