"""Names of files that a file gives: they stay below the folder it lies in."""

from __future__ import annotations

import re
from typing import Any

from tfpy._src.graphs.checked import a_string
from tfpy._src.graphs.errors import ModelFileError

_FORBIDDEN = re.compile(r"[\x00-\x1f\\:?#%]")
"""What would lead elsewhere: on Windows, or in an address."""


def checked_path(value: Any, what: str) -> str:
    """A path below a folder, written with ``/``, without TensorFlow.js's ``./`` before it.

    Raises:
        ModelFileError: for a path that leads out of it.
    """
    path = a_string(value, what).removeprefix("./")
    parts = path.split("/")
    if _FORBIDDEN.search(path) or any(part in ("", ".", "..") for part in parts):
        raise ModelFileError(f"{what}: {path!r} is no path below the model's folder")
    return path
