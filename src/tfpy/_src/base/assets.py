"""Built files of the package: the JavaScript runtime and the wasm modules."""

from __future__ import annotations

from pathlib import Path
from typing import Any

_FOLDER = Path(__file__).parents[2] / "assets"
_LOADER: Any = __spec__.loader


def read(name: str) -> bytes:
    """Return the content of a built file, which the site's wheel has packed.

    Raises:
        FileNotFoundError: If the package was built without it.
    """
    data: bytes = _LOADER.get_data(str(_FOLDER / name))
    return data
