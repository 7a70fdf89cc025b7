"""The paths of the build."""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT / "buildsys" / "data"
BUILD = ROOT / "build"
DIST = ROOT / "dist"
SITE = BUILD / "site"
LOGS = BUILD / "logs"
PACKAGE = ROOT / "src" / "tfpy"
ASSETS = PACKAGE / "assets"
CACHE = Path(os.environ.get("TFPY_CACHE") or Path.home() / ".cache" / "tfpy").absolute()
