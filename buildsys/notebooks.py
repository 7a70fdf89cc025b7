"""The tools and the Pyodide distribution for the tests of notebooks in pages.

The tools build the sites of the notebooks. Users' pages load Pyodide's distribution from a CDN. The
tests, which need no network, use a similar folder: a core, NumPy, and the packages that the kernels
of JupyterLite and marimo import.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from . import npm, numpy_wheel, pyenv, side_modules
from .cache import entry, file_hash
from .console import run_logged
from .paths import DATA, ROOT
from .site import PYODIDE_CORE

LOCK = ROOT / "requirements" / "notebook_pages.txt"
MAKE_LOCK = DATA / "make_lock.py"
CORES = {"pyodide": "pyodide", "marimo": "pyodide-314.0.0"}
"""Pyodide's npm packages: the current one, and the only one that this version of marimo accepts."""
TAG = "py3-none-any"
YAML_VERSION = "6.0.3"
YAML_SHA256 = "d76623373421df22fb4cf8817020cbb7ef15c725b9d5e45f17e189bfc384190f"


def pyodide(core: str = "pyodide") -> Path:
    """Return the folder of a distribution, built if it is missing.

    It has the files of a core of CORES, wheels, and a pyodide-lock.json.
    """
    numpy = numpy_wheel.ensure()
    package = npm.ensure() / CORES[core]
    inputs = {
        "lock": file_hash(LOCK),
        "numpy": file_hash(numpy),
        "core": file_hash(package / "package.json"),
        "recipe": [file_hash(file) for file in (Path(__file__), side_modules.RECIPE, MAKE_LOCK)],
    }

    def make(into: Path) -> None:
        for name in (*PYODIDE_CORE, "python_stdlib.zip"):
            shutil.copy(package / name, into)
        shutil.copy(numpy, into)
        _fetch(into)
        _make_yaml(into)
        run_logged([pyenv.ensure("build"), MAKE_LOCK, package, into], "pyodide-lock")

    return entry(f"notebooks-{core}", inputs, "Pyodide for notebooks", make)


def tool(name: str) -> Path:
    """Return the path of the command `jupyter` or `marimo`."""
    return pyenv.ensure("notebooks").parent / name


def _fetch(into: Path) -> None:
    """Download the wheels of LOCK."""
    pip = [pyenv.ensure("build"), "-m", "pip", "--disable-pip-version-check", "download"]
    options = ["--only-binary=:all:", "--no-deps", "--require-hashes", "--dest", into]
    abis = ["--python-version", side_modules.PYTHON, "--abi", "cp314", "--abi", "none"]
    platforms = ["--implementation", "cp", "--platform", side_modules.TAG.split("-")[2]]
    run_logged([*pip, *options, *abis, *platforms, "-r", LOCK], "notebook-wheels")


def _make_yaml(into: Path) -> None:
    """Build a wheel of the Python files of PyYAML, which marimo's Markdown needs.

    The package index does not have a wheel of PyYAML for Pyodide.
    """
    work = into / "work"
    work.mkdir()
    source = side_modules.fetch_sdist("pyyaml", YAML_VERSION, YAML_SHA256, work)
    package = source / "lib" / "yaml"
    files = {f"yaml/{file.name}": file.read_bytes() for file in package.glob("*.py")}
    info = f"pyyaml-{YAML_VERSION}.dist-info"
    files[f"{info}/METADATA"] = (source / "PKG-INFO").read_bytes()
    files[f"{info}/WHEEL"] = side_modules.wheel_text(TAG)
    side_modules.write_wheel(into / f"pyyaml-{YAML_VERSION}-{TAG}.whl", files)
    shutil.rmtree(work)
