"""The JavaScript packages of package-lock.json, in the cache, linked as node_modules."""

from __future__ import annotations

import shutil
from functools import cache
from pathlib import Path

from . import debian
from .cache import entry, file_hash
from .console import BuildError, run_logged
from .paths import ROOT

LOCK = ROOT / "package-lock.json"
FILES = (ROOT / "package.json", LOCK, ROOT / ".npmrc")


@cache
def ensure() -> Path:
    """Return the node_modules directory, made if it is missing, with a link to it in the clone."""
    if shutil.which("npm") is None:
        debian.ensure_packages(["nodejs", "npm"], "Node.js 20 or newer with npm")
    inputs = [file_hash(file) for file in FILES]
    modules = entry("npm", inputs, "npm packages", _make) / "node_modules"
    link = ROOT / "node_modules"
    if link.is_symlink():
        if link.readlink() == modules:
            return modules
        link.unlink()
    elif link.exists():
        raise BuildError(f"{link} is not a link that the build made. Remove it.")
    link.symlink_to(modules)
    return modules


def tool(name: str) -> Path:
    """Return the path of a command that a package installs."""
    return ensure() / ".bin" / name


def _make(into: Path) -> None:
    for file in FILES:
        shutil.copy(file, into)
    run_logged(["npm", "ci", "--ignore-scripts"], "npm", cwd=into)
