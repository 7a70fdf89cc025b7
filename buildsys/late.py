"""Files that pages fetch late, when Python asks for them (src/tfpy/_src/loader/lazy_imports.py).

They stand in a folder beside what describes them, a wheel, and beside the lock file in the site.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

FOLDER = "late"
RECIPE = Path(__file__)  # an input of every build that uses it


def write(beside: Path, name: str, data: bytes) -> dict[str, str]:
    """Write a file that goes with a wheel; what says which it is, for the wheel.

    Its name has its digest, so that no cache gives another version's.
    """
    digest = hashlib.sha256(data).hexdigest()
    stem, dot, ending = name.rpartition(".")
    file = beside / FOLDER / f"{stem}-{digest[:12]}{dot}{ending}"
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(data)
    return {"file": f"{FOLDER}/{file.name}", "sha256": digest}


def files(wheel: Path) -> list[Path]:
    """The files that go with a wheel."""
    return sorted((wheel.parent / FOLDER).glob("*"))
