"""Wheels of libraries for TensorFlow that a test installs in a page."""

from __future__ import annotations

from pathlib import Path

from . import pyenv
from .cache import entry, file_hash
from .console import run_logged
from .paths import ROOT

LOCK = ROOT / "requirements" / "library_pages.txt"


def ensure() -> Path:
    """Return the folder of the wheels of LOCK, downloaded if it is missing."""
    return entry("library-pages", file_hash(LOCK), "libraries for pages", _fetch)


def _fetch(into: Path) -> None:
    pip = [pyenv.ensure("build"), "-m", "pip", "--disable-pip-version-check", "download"]
    options = ["--only-binary=:all:", "--no-deps", "--require-hashes", "--dest", into]
    pure = ["--platform", "any", "--implementation", "py", "--abi", "none"]
    run_logged([*pip, *options, *pure, "-r", LOCK], "library-wheels")
