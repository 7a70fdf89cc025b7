"""Pyodide's standard library with bytecode beside the sources of what a page imports.

Pyodide has it as sources alone: compiling them is most of the time that Pyodide takes to start, and
half of what NumPy and Keras take to be imported.
"""

from __future__ import annotations

import shutil
import zipfile
from fnmatch import fnmatch
from pathlib import Path

from . import bytecode, npm
from .cache import entry, file_hash
from .side_modules import ZIP_TIME

NAME = "python_stdlib.zip"
PLACE = "/lib/python314.zip/"
"""Where Pyodide has the archive: what tracebacks and Pyodide's own code know its files by."""
PACKAGES = (
    "_pyodide", "asyncio", "collections", "compression", "concurrent", "ctypes", "email", "html",
    "http", "importlib", "json", "logging", "multiprocessing", "pathlib", "pyodide", "re", "string",
    "sysconfig", "urllib", "xml", "zipfile",
)  # fmt: skip
MODULES = (
    "__future__", "_collections_abc", "_colorize", "_compat_pickle", "_opcode_metadata",
    "_py_warnings", "_sitebuiltins", "_ssl", "_weakrefset", "abc", "annotationlib", "ast", "base64",
    "bisect", "bz2", "codecs", "codeop", "colorsys", "contextlib", "contextvars", "copy", "copyreg",
    "csv", "dataclasses", "datetime", "difflib", "dis", "encodings/__init__", "encodings/aliases",
    "encodings/cp437", "encodings/utf_8", "enum", "fnmatch", "fractions", "functools",
    "genericpath", "getpass", "glob", "gzip", "hashlib", "heapq", "inspect", "io", "ipaddress",
    "keyword", "linecache", "locale", "lzma", "ntpath", "numbers", "opcode", "operator", "os",
    "pickle", "platform", "posixpath", "pprint", "queue", "quopri", "random", "reprlib",
    "selectors", "shutil", "signal", "site", "socket", "ssl", "stat", "struct", "subprocess",
    "tarfile", "tempfile", "textwrap", "threading", "timeit", "token", "tokenize", "traceback",
    "types", "typing", "uuid", "warnings", "weakref", "zipimport",
)  # fmt: skip


def ensure() -> Path:
    """The archive, made when missing."""
    inputs = {
        "recipe": file_hash(Path(__file__)),
        "bytecode": file_hash(bytecode.SCRIPT),
        "pyodide": file_hash(_original()),
    }
    return entry("stdlib", inputs, "bytecode of the standard library", _make) / NAME


def _original() -> Path:
    return npm.ensure() / "pyodide" / NAME


def _make(into: Path) -> None:
    work = into / "work"
    with zipfile.ZipFile(_original()) as old:
        names = [name for name in old.namelist() if not name.endswith("/")]
        files = {name: old.read(name) for name in names}
    sources = {name: data for name, data in files.items() if _is_imported(name)}
    for name, data in bytecode.compiled(sources, work, PLACE).items():
        path = Path(name)  # PACKAGE/__pycache__/MODULE.cpython-314.pyc
        files[str(path.parent.parent / f"{path.name.split('.')[0]}.pyc")] = data
    with zipfile.ZipFile(into / NAME, "w") as new:
        for name, data in files.items():
            new.writestr(zipfile.ZipInfo(name, ZIP_TIME), data, zipfile.ZIP_DEFLATED, 9)
    shutil.rmtree(work)


def _is_imported(name: str) -> bool:
    patterns = [f"{package}/*.py" for package in PACKAGES]
    return name.removesuffix(".py") in MODULES or any(fnmatch(name, p) for p in patterns)
