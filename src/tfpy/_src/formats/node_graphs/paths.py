"""Paths that a model's file names: they stay below the folder of that file.

The same path may be looked up in a folder or be part of an address, so that it must not lead out of
either: in addresses ``%2e`` is a dot, and Windows ignores dots and spaces at the end of a name.
"""

from __future__ import annotations

import re
from typing import Any

from tfpy._src.library.io.checked_json import ModelFileError, a_string

_FORBIDDEN = re.compile(r"[\x00-\x1f\\:?#%]")
"""What would lead elsewhere: on Windows, or in an address."""


def checked_path(value: Any, what: str) -> str:
    """A path below a folder, written with ``/``, without TensorFlow.js's ``./`` before it.

    Raises:
        ModelFileError: for a path that leads out of it.
    """
    path = a_string(value, what).removeprefix("./")
    parts = path.split("/")
    if _FORBIDDEN.search(path) or not all(part.strip(". ") for part in parts):
        raise ModelFileError(f"{what}: {path!r} is no path below the model's folder")
    return path
