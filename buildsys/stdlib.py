"""Pyodide's standard library: bytecode of what pages import, the rest fetched when it is imported.

Pyodide has it as sources alone: compiling them is most of the time that Pyodide takes to start, and
half of what NumPy and Keras take to be imported. What few pages import stays in Pyodide's own
archive, which the site has, too, and which is fetched late (src/tfpy/_src/late.py).
"""

from __future__ import annotations

import json
import shutil
import zipfile
from fnmatch import fnmatch
from pathlib import Path

from . import bytecode, npm
from .cache import entry, file_hash
from .paths import PACKAGE
from .side_modules import ZIP_TIME

NAME = "python_stdlib.zip"
PLACE = "/lib/python314.zip/"
"""Where Pyodide has the archive: what tracebacks and Pyodide's own code know its files by."""
PACKAGES = (
    "_pyodide", "asyncio", "collections", "compression", "concurrent", "importlib", "json",
    "pathlib", "pyodide", "re", "string", "sysconfig", "urllib", "zipfile",
)  # fmt: skip
MODULES = (
    "__future__", "_collections_abc", "_colorize", "_compat_pickle", "_opcode_metadata",
    "_py_warnings", "_sitebuiltins", "_ssl", "_strptime", "_sysconfigdata_*", "_weakrefset", "abc",
    "annotationlib", "ast", "base64", "bisect", "bz2", "calendar", "codecs", "codeop", "colorsys",
    "contextlib", "contextvars", "copy", "copyreg", "csv", "ctypes/__init__", "ctypes/_endian",
    "ctypes/util", "dataclasses", "datetime", "decimal", "difflib", "dis", "email/__init__",
    "encodings/__init__", "encodings/aliases", "encodings/ascii", "encodings/base64_codec",
    "encodings/cp437", "encodings/hex_codec", "encodings/idna", "encodings/latin_1",
    "encodings/raw_unicode_escape", "encodings/unicode_escape", "encodings/utf_16*",
    "encodings/utf_32*", "encodings/utf_8*", "enum", "fnmatch", "fractions", "functools",
    "genericpath", "getpass", "gettext", "glob", "graphlib", "gzip", "hashlib", "heapq", "hmac",
    "html/__init__", "inspect", "io", "ipaddress", "keyword", "linecache", "locale",
    "logging/__init__", "lzma", "multiprocessing/__init__", "multiprocessing/context",
    "multiprocessing/dummy/*", "multiprocessing/pool", "multiprocessing/process",
    "multiprocessing/reduction", "multiprocessing/util", "ntpath", "numbers", "opcode", "operator",
    "os", "pickle", "pkgutil", "platform", "posixpath", "pprint", "queue", "random", "reprlib",
    "secrets", "selectors", "shlex", "shutil", "signal", "site", "socket", "ssl", "stat",
    "statistics", "struct", "subprocess", "tarfile", "tempfile", "textwrap", "threading", "timeit",
    "token", "tokenize", "traceback", "types", "typing", "uuid", "warnings", "weakref", "zipimport",
)  # fmt: skip
LATE = "_late.py"
_LATE_SOURCE = PACKAGE / "_src" / "late.py"
START = "sitecustomize.py"
"""What Python runs when it starts, before anything of a page's."""


def ensure() -> Path:
    """The archive, made when missing."""
    inputs = {
        "recipe": file_hash(Path(__file__)),
        "late": file_hash(_LATE_SOURCE),
        "bytecode": file_hash(bytecode.SCRIPT),
        "pyodide": file_hash(original()),
    }
    return entry("stdlib", inputs, "bytecode of the standard library", _make) / NAME


def original() -> Path:
    """Pyodide's own archive."""
    return npm.ensure() / "pyodide" / NAME


def late_name() -> str:
    """Where the site has Pyodide's own archive, from the folder of the lock file."""
    return f"late/python_stdlib-{file_hash(original())[:12]}.zip"


def _make(into: Path) -> None:
    work = into / "work"
    with zipfile.ZipFile(original()) as old:
        names = [name for name in old.namelist() if not name.endswith("/")]
        files = {name: old.read(name) for name in names}
    sources = {name: data for name, data in files.items() if _is_imported(name)}
    late = [_module(name) for name in files if name.endswith(".py") and name not in sources]
    part = {"file": late_name(), "sha256": file_hash(original()), "modules": sorted(late)}
    sources |= {
        LATE: _LATE_SOURCE.read_bytes(),
        START: f"import _late\n\n_late.install({json.dumps(part)})\n".encode(),
    }
    code = bytecode.alone(bytecode.compiled(sources, work, PLACE))
    with zipfile.ZipFile(into / NAME, "w") as new:
        for name, data in sorted(code.items()):
            new.writestr(zipfile.ZipInfo(name, ZIP_TIME), data, zipfile.ZIP_DEFLATED, 9)
    shutil.rmtree(work)


def _module(name: str) -> str:
    return name.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _is_imported(name: str) -> bool:
    patterns = [f"{package}/*.py" for package in PACKAGES] + [f"{module}.py" for module in MODULES]
    return any(fnmatch(name, pattern) for pattern in patterns)
