"""The dispatch extension, csrc/dispatch: for Pyodide, and for the Python that runs the tests."""

from __future__ import annotations

import shlex
from pathlib import Path

from . import pyenv, side_modules, toolchain
from .cache import entry, file_hash, tree_hash
from .console import run_logged
from .paths import ROOT

PROJECT = ROOT / "csrc" / "dispatch"
MODULE = "_dispatch"
PLACE = "tfpy/_src/core"
"""Folder of the module in a wheel."""
NAME = f"{PLACE}/{MODULE}{side_modules.MODULE_SUFFIX}"
"""File of the module in the site's wheel of tfpy."""
OPTIONS = ("-std=c11", "-fPIC", "-fvisibility=hidden", "-Wall", "-Wextra", "-Werror")
FACTS = """
import sysconfig
print(sysconfig.get_path("include"))
print(sysconfig.get_config_var("EXT_SUFFIX"))
print(sysconfig.get_config_var("CC"))
"""


def ensure() -> Path:
    """Return the side module for Pyodide, built if it is missing."""
    tools = toolchain.ensure()
    headers = side_modules.python_headers()
    exports = f"-sEXPORTED_FUNCTIONS=_PyInit_{MODULE}"
    linking = [*side_modules.EXCEPTIONS, "-sWASM_BIGINT", "-sSIDE_MODULE=2", exports, "-g0"]
    file = f"{MODULE}{side_modules.MODULE_SUFFIX}"

    def make(into: Path) -> None:
        words = ["emcc", "-Oz", *OPTIONS, f"-I{headers}", *_sources(), *linking, "-o", into / file]
        tools.run(words, "dispatch")

    inputs = {
        "project": tree_hash(PROJECT),
        "recipe": [file_hash(Path(__file__)), file_hash(side_modules.RECIPE)],
        "headers": headers.parent.name,
        "emscripten": tools.version,
    }
    return entry("dispatch", inputs, "dispatch extension for Pyodide", make) / file


def for_python(python: Path) -> Path:
    """Return the extension for an interpreter of this machine, built if it is missing."""
    include, suffix, compiler = pyenv.read(python, "-c", FACTS).splitlines()

    def make(into: Path) -> None:
        command = [*shlex.split(compiler), "-shared", "-O2", *OPTIONS, f"-I{include}", *_sources()]
        run_logged([*command, "-o", into / f"{MODULE}{suffix}"], "dispatch-host")

    inputs = {
        "project": tree_hash(PROJECT),
        "recipe": file_hash(Path(__file__)),
        "python": [include, suffix, compiler],
    }
    return entry("dispatch-host", inputs, "dispatch extension", make) / f"{MODULE}{suffix}"


def _sources() -> list[Path]:
    return sorted(PROJECT.glob("*.c"))
