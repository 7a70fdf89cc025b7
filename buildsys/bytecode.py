"""Bytecode of packages for Pyodide's Python, which wheels have in addition to the sources.

Without bytecode, most of the time of an import is compilation. Other Pythons compile the sources.
"""

from __future__ import annotations

import hashlib
import marshal
import shutil
from collections.abc import Mapping
from pathlib import Path, PurePath

from . import npm
from .cache import lock, tree_hash
from .console import run_logged
from .paths import ASSETS, BUILD, DATA, PACKAGE

RECIPE = Path(__file__)
SCRIPT = DATA / "compile_bytecode.mjs"
COMPRESS = DATA / "compress.mjs"
SCRIPTS = (SCRIPT, COMPRESS)
FOLDER = BUILD / "bytecode"
PACKED = BUILD / "packed"
PYC_HEADER = 16
MARSHAL_VERSION = 2  # every Python can read it
PLACE = "/lib/python3.14/site-packages"
"""The folder into which Pyodide installs wheels."""


def ensure() -> dict[Path, str]:
    """Return the bytecode of tfpy's present sources: file -> name in the wheel."""
    core = npm.ensure() / "pyodide"
    sources = sorted(path for path in PACKAGE.iterdir() if path != ASSETS)
    inputs = tree_hash(core / "python_stdlib.zip", SCRIPT, Path(__file__), *sources)
    stamp = FOLDER / inputs
    with lock("bytecode"):
        if not stamp.exists():
            shutil.rmtree(FOLDER, ignore_errors=True)
            FOLDER.mkdir(parents=True)
            place = f"{PLACE}/{PACKAGE.name}/"
            run_logged(["node", SCRIPT, core, PACKAGE, FOLDER, place], "bytecode")
            stamp.touch()
    files = sorted(FOLDER.rglob("*.pyc"))
    return {file: f"{PACKAGE.name}/{file.relative_to(FOLDER).as_posix()}" for file in files}


def compiled(files: Mapping[str, bytes], work: Path, place: str = "") -> dict[str, bytes]:
    """Return the bytecode of the sources among the files of a wheel, by name in the wheel.

    Args:
        place: Prefix of the file names in tracebacks. An import from a folder replaces it.
    """
    sources, made = work / "sources", work / "made"
    made.mkdir(parents=True)
    for name, data in files.items():
        if name.endswith(".py"):
            (sources / name).parent.mkdir(parents=True, exist_ok=True)
            (sources / name).write_bytes(data)
    run_logged(["node", SCRIPT, npm.ensure() / "pyodide", sources, made, place], "bytecode-wheel")
    return {f.relative_to(made).as_posix(): f.read_bytes() for f in made.rglob("*.pyc")}


def modules(made: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return bytecode by the module names that src/tfpy/_src/loader/bytecode.py looks up."""
    return {module(name): data[PYC_HEADER:] for name, data in made.items()}


def packed(*parts: Mapping[str, bytes]) -> list[bytes]:
    """Return one file per part of the modules, in the format of src/tfpy/_src/loader/bytecode.py.

    The parts of the last call are remembered, because compressing takes a few seconds.
    """
    files = {}
    for part in parts:
        sizes = {name: len(part[name]) for name in sorted(part)}
        data = marshal.dumps(sizes, MARSHAL_VERSION) + b"".join(map(part.__getitem__, sizes))
        files[f"{hashlib.sha256(data).hexdigest()}.zst"] = data
    with lock("packed"):
        if not all((PACKED / name).is_file() for name in files):
            shutil.rmtree(PACKED, ignore_errors=True)
            PACKED.mkdir(parents=True)
            for name, data in files.items():
                (PACKED / name.removesuffix(".zst")).write_bytes(data)
            run_logged(["node", COMPRESS, npm.ensure() / "pyodide", PACKED], "compress")
        return [(PACKED / name).read_bytes() for name in files]


def alone(made: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return bytecode by the names under which Python finds it without sources next to it."""
    return {f"{module(name)}.pyc": data for name, data in made.items()}


def module(name: str) -> str:
    """Return the file of a module, without suffix, from the name of its bytecode."""
    path = PurePath(name)  # FOLDER/__pycache__/MODULE.cpython-314.pyc
    return (path.parent.parent / path.name.split(".")[0]).as_posix()
