"""Files that pages download late, when Python imports them (src/tfpy/_src/loader/lazy_imports.py).

They are in a folder next to the wheel that describes them, and next to the lock file in the site.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

FOLDER = "late"
RECIPE = Path(__file__)  # an input of every build that uses this module


def write(beside: Path, name: str, data: bytes) -> dict[str, str]:
    """Write a late file of a wheel, and return its description for the wheel.

    The name contains the digest, so a cache never returns the file of another version.
    """
    digest = hashlib.sha256(data).hexdigest()
    stem, dot, ending = name.rpartition(".")
    file = beside / FOLDER / f"{stem}-{digest[:12]}{dot}{ending}"
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(data)
    return {"file": f"{FOLDER}/{file.name}", "sha256": digest}


def files(wheel: Path) -> list[Path]:
    """Return the late files of a wheel."""
    return sorted((wheel.parent / FOLDER).glob("*"))
