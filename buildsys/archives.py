"""Archives from npm and PyPI, pinned by their hashes."""

from __future__ import annotations

from pathlib import Path

from . import pyenv
from .cache import file_hash
from .console import BuildError, run_logged


def fetch(registry: str, name: str, version: str, sha256: str, into: Path) -> Path:
    """Download the archive of a package into a new folder, and return its path.

    Args:
        registry: "npm" or "pypi".
    """
    fetched = into / "archive"
    fetched.mkdir()
    what = f"{name}@{version}" if registry == "npm" else f"{name}=={version}"
    if registry == "npm":
        run_logged(["npm", "pack", "--pack-destination", fetched, what], "npm-pack", cwd=fetched)
    else:
        pip = [pyenv.ensure("build"), "-m", "pip", "--disable-pip-version-check", "download"]
        run_logged([*pip, "--no-deps", "--dest", fetched, what], "pip-download")
    (archive,) = fetched.iterdir()
    if (found := file_hash(archive)) != sha256:
        raise BuildError(f"{what} has the hash {found}, not {sha256}")
    return archive
