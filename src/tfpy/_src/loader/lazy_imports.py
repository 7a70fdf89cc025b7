"""Parts of the standard library and of packages that a page downloads on first import.

The site's main files contain the modules that most pages need. Archives next to the lock file
contain the others. A dict describes each part: `file` (its address relative to the lock file),
`sha256`, `modules`, and optionally `folder` or `load`. A part with compiled modules, which must be
files, is unpacked into `folder`. `load` is a function that receives the content of the file, and
after which Python finds the modules. The dict for a package is in site-packages, in
`late/PACKAGE.json`. The dicts for the standard library are passed to :func:`install`, which the
site's Python calls at startup.
"""

from __future__ import annotations

import importlib
import json
import os
import shutil
import sys
import types
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from typing import Any
from zipimport import zipimporter

LIBRARY = ""
"""Name of the standard library among the parts."""
_ARCHIVES = "/lib/late"
_OK = 200


def install(*library: dict[str, Any]) -> None:
    """Make Python import modules that are downloaded on first import.

    Args:
        library: Dicts that describe the parts of the standard library.
    """
    if not any(type(finder).__name__ == _LateFinder.__name__ for finder in sys.meta_path):
        sys.meta_path.append(_LateFinder(library))


class _LateFinder(MetaPathFinder):
    """A finder for modules that no other finder has found."""

    def __init__(self, library: Sequence[dict[str, Any]]) -> None:
        self._parts = {LIBRARY: library}

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None = None,
        target: types.ModuleType | None = None,
    ) -> ModuleSpec | None:
        for name in (LIBRARY, fullname.partition(".")[0]):
            for part in self._parts_of(name):
                if fullname in part["modules"]:
                    return _found(fullname, path, part)
        return None

    def _parts_of(self, name: str) -> Sequence[dict[str, Any]]:
        if name not in self._parts:
            self._parts[name] = _described(name)
        return self._parts[name]


def _described(package: str) -> list[dict[str, Any]]:
    for folder in sys.path:
        file = f"{folder}/late/{package}.json"
        if os.path.exists(file):
            with open(file, encoding="utf-8") as text:
                described: dict[str, Any] = json.load(text)
                return [{**described, "folder": folder}]
    return []


def _found(fullname: str, path: Sequence[str] | None, part: dict[str, Any]) -> ModuleSpec | None:
    if "load" in part:
        part["load"](fetch(part["file"], part["sha256"]))
        return PathFinder.find_spec(fullname, path)
    parent = fullname.rpartition(".")[0].replace(".", "/")
    archive = f"{_ARCHIVES}/{os.path.basename(part['file'])}"
    if not os.path.exists(archive):
        os.makedirs(_ARCHIVES, exist_ok=True)
        data = fetch(part["file"], part["sha256"])
        with open(archive, "wb") as file:
            file.write(data)
        if "folder" in part:
            shutil.unpack_archive(archive, part["folder"], "zip")
            importlib.invalidate_caches()
    if "folder" in part:
        return PathFinder.find_spec(fullname, [f"{part['folder']}/{parent}"])
    return zipimporter(f"{archive}/{parent}").find_spec(fullname)


def address(file: str) -> str:
    """Return the URL of a site file, relative to the lock file; outside of a page, its path."""
    import pyodide_js

    return f"{pyodide_js.lockfileBaseUrl}{file}"


def is_on_host() -> bool:
    """Return True if the site's files are local files, as in node."""
    import js

    return not hasattr(js, "XMLHttpRequest")


def fetch(file: str, sha256: str) -> bytes:
    """Return a file of the site, and block until it is downloaded.

    Raises:
        ImportError: If the download fails or the digest of the file differs.
    """
    import hashlib  # rarely needed: few programs download parts

    data = read(file)
    if hashlib.sha256(data).hexdigest() != sha256:
        url = address(file)
        raise ImportError(f"{url} is not the file that belongs to this Python: its digest differs")
    return data


def read(file: str) -> bytes:
    """Return a file of the site without checking it, and block until it is downloaded.

    Raises:
        ImportError: If the download fails.
    """
    url = address(file)
    return host_file(url) if is_on_host() else _response(url)


def _response(url: str) -> bytes:
    from js import XMLHttpRequest
    from pyodide.ffi import JsException

    request = XMLHttpRequest.new()
    try:
        request.open("GET", url, False)
        # Synchronous requests must not return bytes in pages. As text, this charset preserves them.
        request.overrideMimeType("text/plain; charset=x-user-defined")
        request.send()
    except JsException as failure:
        raise ImportError(f"{url} cannot be fetched: {failure}") from None
    if request.status != _OK:
        raise ImportError(f"{url}: {request.status} {request.statusText}")
    return str(request.responseText).encode("utf-16")[2::2]


def host_file(path: str) -> bytes:
    """Return the content of a local file."""
    import pyodide_js

    folder, _, name = path.rpartition("/")
    mount = f"{_ARCHIVES}/host/{os.path.basename(folder)}"
    if not os.path.exists(mount):
        pyodide_js.mountNodeFS(mount, folder)
    with open(f"{mount}/{name}", "rb") as file:
        return file.read()
