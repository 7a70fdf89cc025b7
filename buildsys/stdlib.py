"""Pyodide's standard library: bytecode of the common modules. The others are downloaded on import.

Pyodide has the library as sources. Compiling them takes most of the time of Pyodide's start, and
half of the time in which NumPy and Keras are imported. The site's archive has the modules with
which Python starts, and the bytecode of the other common modules in one file
(src/tfpy/_src/loader/bytecode.py). Rare modules stay in Pyodide's own archive. The site has that
archive as well, and Python downloads it late (src/tfpy/_src/loader/lazy_imports.py).
"""

from __future__ import annotations

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
"""Path of the archive in Pyodide, by which tracebacks and Pyodide's code know its files."""
PACKAGES = (
    "_pyodide", "asyncio", "collections", "compression", "concurrent", "importlib/metadata",
    "importlib/resources", "json", "pathlib", "pyodide", "re", "string", "sysconfig", "urllib",
    "zipfile",
)  # fmt: skip
MODULES = (
    "__future__", "_colorize", "_compat_pickle", "_opcode_metadata", "_py_warnings", "_ssl",
    "_strptime", "_sysconfigdata_*", "_weakrefset", "annotationlib", "ast", "base64", "bisect",
    "bz2", "calendar", "codeop", "colorsys", "contextlib", "contextvars", "copy", "copyreg", "csv",
    "ctypes/__init__", "ctypes/_endian", "ctypes/util", "dataclasses", "datetime", "decimal",
    "difflib", "dis", "email/__init__", "encodings/__init__", "encodings/aliases",
    "encodings/ascii", "encodings/base64_codec", "encodings/cp437", "encodings/hex_codec",
    "encodings/idna", "encodings/latin_1", "encodings/raw_unicode_escape",
    "encodings/unicode_escape", "encodings/utf_16*", "encodings/utf_32*", "encodings/utf_8*",
    "enum", "fnmatch", "fractions", "functools", "getpass", "gettext", "glob", "graphlib", "gzip",
    "hashlib", "heapq", "hmac", "html/__init__", "importlib/__init__", "importlib/_abc",
    "importlib/abc", "importlib/readers", "importlib/simple", "inspect", "ipaddress", "keyword",
    "linecache", "locale", "logging/__init__", "lzma", "multiprocessing/__init__",
    "multiprocessing/context", "multiprocessing/dummy/*", "multiprocessing/pool",
    "multiprocessing/process", "multiprocessing/reduction", "multiprocessing/util", "numbers",
    "opcode", "operator", "pickle", "pkgutil", "platform", "pprint", "queue", "random", "reprlib",
    "secrets", "selectors", "shlex", "shutil", "signal", "socket", "ssl", "statistics", "struct",
    "subprocess", "tarfile", "tempfile", "textwrap", "threading", "timeit", "token", "tokenize",
    "traceback", "types", "typing", "uuid", "warnings", "weakref",
)  # fmt: skip
"""Single modules, apart from those that Python has built in, such as os."""
STARTS = (
    "__future__", "encodings/__init__", "encodings/aliases", "encodings/utf_8",
    "importlib/__init__", "importlib/_abc", "importlib/abc", "sitecustomize", "_bytecode",
)  # fmt: skip
"""Modules that Python imports before BYTECODE is installed, which has all modules."""
LOADER = PACKAGE / "_src" / "loader"
OWN = {"_bytecode.py": LOADER / "bytecode.py", "_late.py": LOADER / "lazy_imports.py"}
BYTECODE = "library.bytecode"
START = "sitecustomize.py"
"""The module that Python runs when it starts, before any code of the page."""
START_TEXT = """\
import _bytecode
from zipimport import zipimporter

archive = {archive!r}
_bytecode.install(archive, _bytecode.read(zipimporter(archive).get_data({name!r})))

import _late

_late.install({late})
"""


def ensure() -> Path:
    """Return the archive, made if it is missing."""
    inputs = {
        "recipe": file_hash(Path(__file__)),
        "own": list(map(file_hash, OWN.values())),
        "bytecode": [file_hash(bytecode.RECIPE), *map(file_hash, bytecode.SCRIPTS)],
        "pyodide": file_hash(original()),
    }
    return entry("stdlib", inputs, "bytecode of the standard library", _make) / NAME


def original() -> Path:
    """Return Pyodide's own archive."""
    return npm.ensure() / "pyodide" / NAME


def late_name() -> str:
    """Return the path of Pyodide's own archive in the site, relative to the lock file."""
    return f"late/python_stdlib-{file_hash(original())[:12]}.zip"


def _make(into: Path) -> None:
    work = into / "work"
    with zipfile.ZipFile(original()) as old:
        names = [name for name in old.namelist() if not name.endswith("/")]
        files = {name: old.read(name) for name in names}
    sources = {name: data for name, data in files.items() if _is_imported(name)}
    late = [_module(name) for name in files if name.endswith(".py") and name not in sources]
    part = {"file": late_name(), "sha256": file_hash(original()), "modules": sorted(late)}
    own = {name: file.read_bytes() for name, file in OWN.items()}
    own[START] = START_TEXT.format(archive=PLACE.rstrip("/"), name=BYTECODE, late=part).encode()
    code = bytecode.compiled({**sources, **own}, work, PLACE)
    shutil.rmtree(work)
    alone = bytecode.alone(code)
    first = {f"{name}.pyc": alone[f"{name}.pyc"] for name in STARTS}
    (first[BYTECODE],) = bytecode.packed(bytecode.modules(code))
    with zipfile.ZipFile(into / NAME, "w") as new:
        for name, data in sorted(first.items()):
            how = zipfile.ZIP_STORED if name == BYTECODE else zipfile.ZIP_DEFLATED
            new.writestr(zipfile.ZipInfo(name, ZIP_TIME), data, how, 9)


def _module(name: str) -> str:
    return name.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _is_imported(name: str) -> bool:
    patterns = [f"{package}/*.py" for package in PACKAGES] + [f"{module}.py" for module in MODULES]
    return any(fnmatch(name, pattern) for pattern in patterns)
