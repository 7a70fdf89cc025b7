"""Validation of the paths in a model's file, which must stay below the folder of that file.

A path may be looked up in a folder or become part of a URL, and must not lead out of either. In
URLs, `%2e` is a dot. Windows ignores dots and spaces at the end of a name.
"""

from __future__ import annotations

import re
from typing import Any

from tfpy._src.library.io.checked_json import ModelFileError, a_string

_FORBIDDEN = re.compile(r"[\x00-\x1f\\:?#%]")
"""Characters that have a special meaning on Windows or in a URL."""


def checked_path(value: Any, what: str) -> str:
    """Return a path below a folder, separated by `/`, without the prefix `./` of TensorFlow.js.

    Raises:
        ModelFileError: If the path leads out of the folder.
    """
    path = a_string(value, what).removeprefix("./")
    parts = path.split("/")
    if _FORBIDDEN.search(path) or not all(part.strip(". ") for part in parts):
        raise ModelFileError(f"{what}: {path!r} is not a path below the model's folder")
    return path
