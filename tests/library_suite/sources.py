"""Folders that contain the tests of libraries."""

from __future__ import annotations

import re
import sysconfig
from importlib.metadata import version
from pathlib import Path

from buildsys import pyenv
from buildsys.cache import entry, file_hash
from buildsys.console import BuildError, run_logged
from buildsys.paths import ROOT

from .table import Library


def lock(library: Library) -> Path:
    """Return the lock of the environment in which a library is installed."""
    return ROOT / pyenv.LOCKS[library.lock]


def folder(library: Library, given: Path | None) -> Path:
    """Return the folder to which the paths of a library's tests are relative.

    Args:
        library: The library.
        given: Folder of the user with the sources of the library, or None.

    Raises:
        BuildError: If the tests are neither in the package nor in its sdist, and `given` is None.
    """
    if given is not None:
        return given.resolve()
    if library.origin == "package":
        return Path(sysconfig.get_paths()["purelib"])
    if library.origin == "sdist":
        return _sdist(library)
    raise BuildError(
        f"the package index does not have the tests of {library.name}: check out its sources at "
        f"version {version(library.name)}, and name their folder with --tests FOLDER"
    )


def _sdist(library: Library) -> Path:
    """Return the folder of the unpacked sdist, whose SHA-256 is one of those in the lock."""
    release = version(library.name)
    digests = _digests(library)

    def make(into: Path) -> None:
        download = [pyenv.ensure("build"), "-m", "unearth", "--no-binary", "--download", into]
        run_logged([*download, f"{library.name}=={release}"], f"{library.name}-sdist")
        (file,) = into.glob("*.tar.gz")
        if file_hash(file) not in digests:
            raise BuildError(f"{file.name} does not have a SHA-256 that {lock(library).name} pins")
        run_logged(["tar", "--extract", "--file", file, "--directory", into], "sdist-unpack")
        file.unlink()

    inputs = [library.name, release, digests]
    (top,) = entry("library-sdist", inputs, f"sdist of {library.name}", make).iterdir()
    return top


def _digests(library: Library) -> list[str]:
    """Return the digests of a library's files in its lock."""
    text = lock(library).read_text(encoding="utf-8")
    match = re.search(rf"^{re.escape(library.name)}==.*(?:\n +--hash.*)*", text, re.MULTILINE)
    assert match, f"{lock(library).name} does not pin {library.name}"
    return re.findall("sha256:([0-9a-f]{64})", match[0])
