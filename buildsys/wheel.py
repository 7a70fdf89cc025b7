"""The tfpy wheel, by the project's own PEP 517 backend."""

from __future__ import annotations

import re
from pathlib import Path

from . import assets, pyenv
from .cache import lock
from .console import BuildError, run_logged, step
from .paths import DIST, ROOT

VERSION_FILE = ROOT / "src" / "tfpy" / "_src" / "base" / "version.py"


def version() -> str:
    """The package's version, read without importing it."""
    match = re.search(
        r'^__version__ = "([^"]+)"$', VERSION_FILE.read_text(encoding="utf-8"), re.MULTILINE
    )
    if not match:
        raise BuildError(f'{VERSION_FILE} has no line __version__ = "..."')
    return match[1]


def ensure() -> Path:
    """The wheel in dist/, made anew from the present sources; equal sources, equal bytes."""
    assets.ensure()
    # -P keeps the current directory, where build.py is, out of the search for the module build
    build = [pyenv.ensure("build"), "-P", "-m", "build", "--wheel", "--no-isolation"]
    with lock("wheel"), step("tfpy wheel"):
        run_logged([*build, "--outdir", DIST, ROOT], "wheel")
    return DIST / f"tfpy-{version()}-py3-none-any.whl"
