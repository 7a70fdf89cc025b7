"""The tfpy wheel, built by the project's own PEP 517 backend."""

from __future__ import annotations

import re
from pathlib import Path

from . import assets, pyenv
from .cache import lock
from .console import BuildError, run_logged, step
from .paths import DIST, ROOT
from .project import DISTRIBUTION

VERSION_FILE = ROOT / "src" / "tfpy" / "_src" / "base" / "version.py"


def version() -> str:
    """Return the version of the package, read without importing it."""
    match = re.search(
        r'^__version__ = "([^"]+)"$', VERSION_FILE.read_text(encoding="utf-8"), re.MULTILINE
    )
    if not match:
        raise BuildError(f'{VERSION_FILE} has no line __version__ = "..."')
    return match[1]


def file_name() -> str:
    """Return the file name of the wheel."""
    return f"{DISTRIBUTION.replace('-', '_')}-{version()}-py3-none-any.whl"


def ensure() -> Path:
    """Return the wheel in dist/, built from the present sources. Equal sources make equal bytes."""
    assets.ensure()
    # With -P, Python does not find build.py in the current directory as the module build.
    build = [pyenv.ensure("build"), "-P", "-m", "build", "--wheel", "--no-isolation"]
    with lock("wheel"), step("tfpy wheel"):
        run_logged([*build, "--outdir", DIST, ROOT], "wheel")
    return DIST / file_name()
