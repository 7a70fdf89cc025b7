"""What a program remembers for its next run: in a page's localStorage, on CPython in a file.

Who can write there can write anything: what is read is checked by who asks.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from tfpy._src.backends.javascript import bridge, page_facts
from tfpy._src.base.atomic_files import replace_file

_MOST = 64
"""Entries under a name; the oldest go."""


def recall(name: str, key: str) -> Any:
    """What was remembered under a key; None where nothing was."""
    return _entries(name).get(key)


def remember(name: str, key: str, value: Any) -> None:
    """Keeps a value of JSON for the next run, where there is a place for it."""
    entries = {k: v for k, v in _entries(name).items() if k != key}
    newest = [*entries.items(), (key, value)][-_MOST:]
    _write(name, json.dumps(dict(newest)))


def _entries(name: str) -> dict[str, Any]:
    try:
        found = json.loads(_read(name) or "{}")
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _read(name: str) -> str | None:
    if bridge.IN_BROWSER:
        return page_facts.stored(f"tfpy.{name}")
    try:
        return _file(name).read_text("utf-8")
    except OSError:
        return None


def _write(name: str, text: str) -> None:
    if bridge.IN_BROWSER:
        return page_facts.store(f"tfpy.{name}", text)
    file = _file(name)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        replace_file(file, text.encode())
    except OSError:
        pass  # nothing is remembered then


def _file(name: str) -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "tfpy" / f"{name}.json"
