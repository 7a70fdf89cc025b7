"""The package as bytecode of Pyodide's Python, which the wheel has beside the sources.

Without it, compiling takes most of the time of an import. Other Pythons compile for themselves.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from . import npm
from .cache import lock, tree_hash
from .console import run_logged
from .paths import ASSETS, BUILD, DATA, PACKAGE

SCRIPT = DATA / "compile_bytecode.mjs"
FOLDER = BUILD / "bytecode"


def ensure() -> dict[Path, str]:
    """The present sources' bytecode: file -> name in the wheel."""
    core = npm.ensure() / "pyodide"
    sources = sorted(path for path in PACKAGE.iterdir() if path != ASSETS)
    inputs = tree_hash(core / "python_stdlib.zip", SCRIPT, *sources)
    stamp = FOLDER / inputs
    with lock("bytecode"):
        if not stamp.exists():
            shutil.rmtree(FOLDER, ignore_errors=True)
            FOLDER.mkdir(parents=True)
            run_logged(["node", SCRIPT, core, PACKAGE, FOLDER], "bytecode")
            stamp.touch()
    files = sorted(FOLDER.rglob("*.pyc"))
    return {file: f"{PACKAGE.name}/{file.relative_to(FOLDER).as_posix()}" for file in files}
