"""The store of this program, which is opened when it is first used."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tfpy._src.backends.javascript.bridge import IN_BROWSER
from tfpy._src.library.hub import browser_storage, hubs
from tfpy._src.library.hub.storage import FileStorage, FolderStorage
from tfpy._src.library.hub.store import Store

if IN_BROWSER:
    import js
    import pyodide_js

_MOUNT = "/lib/tfpy-hub"
"""Folder of Python's file system that shows the store's folder in Node.js."""


@dataclass
class _Configuration:
    folder: Path | None = None
    limit: int | None = None
    endpoints: Mapping[str, str] = field(default_factory=lambda: hubs.ENDPOINTS)
    store: Store | None = None


_configuration = _Configuration()


def configured(folder: Path | None, limit: int | None, endpoints: Mapping[str, str]) -> None:
    """Set the options of the store, which is opened again at the next use."""
    global _configuration
    _configuration = _Configuration(folder, limit, endpoints)


async def current() -> Store:
    """Return the store of this program.

    Raises:
        UnavailableError: If the page cannot store files.
    """
    now = _configuration
    if now.store is None:
        now.store = Store(await _storage(now.folder), now.endpoints, now.limit)
    return now.store


def opened() -> Store | None:
    """Return the store if it is open, or None."""
    return _configuration.store


async def _storage(folder: Path | None) -> FileStorage:
    if not IN_BROWSER:
        return FolderStorage(folder or _default(os.environ, Path.home()))
    process = getattr(js, "process", None)
    if hasattr(process, "getBuiltinModule"):
        return FolderStorage(_mounted(process, folder))
    return await browser_storage.opened()


def _default(environment: Mapping[str, str], home: Path) -> Path:
    caches = environment.get("XDG_CACHE_HOME")
    return (Path(caches) if caches else home / ".cache") / "tfpy" / "hub"


def _mounted(process: Any, folder: Path | None) -> Path:
    """Mount a folder of the machine, in Node.js and similar runtimes, and return its path."""
    home = Path(str(process.getBuiltinModule("node:os").homedir()))
    caches = getattr(process.env, "XDG_CACHE_HOME", None)
    wanted = str(folder or _default({"XDG_CACHE_HOME": caches} if caches else {}, home))
    process.getBuiltinModule("node:fs").mkdirSync(wanted, recursive=True)
    place = Path(f"{_MOUNT}{wanted}")
    if not place.exists():
        pyodide_js.mountNodeFS(str(place), wanted)
    return place
