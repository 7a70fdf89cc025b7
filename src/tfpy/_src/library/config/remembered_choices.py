"""Values that a program stores for its next run: in the page's localStorage, or in a file.

Other programs can write to the same place, so the caller must check the values.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from tfpy._src.backends.javascript import bridge, page_facts
from tfpy._src.base.atomic_files import replace_file

_MOST = 64
"""Maximum number of entries under a name. The oldest entries are removed."""


def recall(name: str, key: str) -> Any:
    """Return the value stored under a key, or None."""
    return _entries(name).get(key)


def remember(name: str, key: str, value: Any) -> None:
    """Store a JSON value for the next run, if storage is available."""
    entries = {k: v for k, v in _entries(name).items() if k != key}
    newest = [*entries.items(), (key, value)][-_MOST:]
    _write(name, json.dumps(dict(newest)))


def _entries(name: str) -> dict[str, Any]:
    """Return all stored entries of a name."""
    try:
        found = json.loads(_read(name) or "{}")
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _read(name: str) -> str | None:
    """Return the stored text of a name, or None."""
    if bridge.IN_BROWSER:
        return page_facts.stored(f"tfpy.{name}")
    try:
        return _file(name).read_text("utf-8")
    except OSError:
        return None


def _write(name: str, text: str) -> None:
    """Store the text of a name."""
    if bridge.IN_BROWSER:
        return page_facts.store(f"tfpy.{name}", text)
    file = _file(name)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        replace_file(file, text.encode())
    except OSError:
        pass  # the value is not stored


def _file(name: str) -> Path:
    """Return the file of a name."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "tfpy" / f"{name}.json"
