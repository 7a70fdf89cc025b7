"""dm-tree for pages, which libraries for TensorFlow import: with its compiled module in Python."""

from __future__ import annotations

import shutil
from pathlib import Path

from . import side_modules
from .cache import entry, file_hash
from .paths import ROOT

VERSION = "0.1.10"
SDIST_SHA256 = "22f37b599e01cc3402a17f79c257a802aebd8d326de05b54657650845956208a"
TAG = "py3-none-any"
WHEEL = f"dm_tree-{VERSION}-1tfpy-{TAG}.whl"
MODULE = ROOT / "web" / "python" / "dm_tree" / "_tree.py"
"""The functions of the compiled module."""
FILES = ("__init__.py", "sequence.py")


def ensure() -> Path:
    """Return the wheel of dm-tree, made if it is missing."""
    inputs = {
        "source": [VERSION, SDIST_SHA256],
        "recipe": [file_hash(file) for file in (Path(__file__), MODULE, side_modules.RECIPE)],
    }
    return entry("dm_tree", inputs, "dm-tree for the site", _make) / WHEEL


def _make(into: Path) -> None:
    work = into / "work"
    work.mkdir()
    source = side_modules.fetch_sdist("dm_tree", VERSION, SDIST_SHA256, work)
    files = {f"tree/{name}": (source / "tree" / name).read_bytes() for name in FILES}
    files[f"tree/{MODULE.name}"] = MODULE.read_bytes()
    info = f"dm_tree-{VERSION}.dist-info"
    # The requirements of the package are those of its compiled module.
    kept = (
        line
        for line in (source / "PKG-INFO").read_text(encoding="utf-8").splitlines(keepends=True)
        if not line.startswith(("Requires-Dist:", "Provides-Extra:"))
    )
    files[f"{info}/METADATA"] = "".join(kept).encode()
    files[f"{info}/WHEEL"] = side_modules.wheel_text(TAG)
    files[f"{info}/licenses/LICENSE"] = (source / "LICENSE").read_bytes()
    side_modules.write_wheel(into / WHEEL, files)
    shutil.rmtree(work)
