"""Pyodide's standard library: bytecode of the common modules. The others are downloaded on import.

Pyodide has the library as sources. Compiling them takes most of the time of Pyodide's start, and
half of the time in which NumPy and Keras are imported. The site's archive has the modules with
which Python starts, and the bytecode of the other common modules in one file
(src/tfpy/_src/loader/bytecode.py). Modules that no page needs for its first result are in a second
such file. Rare modules stay in Pyodide's own archive. The site has both, and Python downloads them
late (src/tfpy/_src/loader/lazy_imports.py).
"""

from __future__ import annotations

import shutil
import zipfile
from collections.abc import Iterable
from fnmatch import fnmatch
from pathlib import Path

from . import bytecode, late as late_files, npm
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
LATE = (
    "_strptime", "_sysconfigdata_*", "asyncio/__main__", "asyncio/proactor_events", "asyncio/tools",
    "asyncio/windows_*", "calendar", "colorsys", "concurrent/futures/interpreter",
    "concurrent/futures/process", "concurrent/futures/thread", "concurrent/interpreters/*",
    "ctypes/util", "encodings/idna", "fractions", "getpass", "gettext", "graphlib",
    "importlib/resources/*", "json/__main__", "json/tool", "pathlib/types", "pkgutil",
    "pyodide/_nodesock_transport", "pyodide/console", "shlex", "statistics", "sysconfig/__main__",
    "timeit", "urllib/robotparser", "uuid", "zipfile/__main__",
)  # fmt: skip
"""The common modules that neither a page's first result nor the import of Keras needs."""
STARTS = (
    "__future__", "encodings/__init__", "encodings/aliases", "encodings/utf_8",
    "importlib/__init__", "importlib/_abc", "importlib/abc", "sitecustomize", "_bytecode",
)  # fmt: skip
"""Modules that Python imports before BYTECODE is installed, which has all modules."""
LOADER = PACKAGE / "_src" / "loader"
OWN = {
    "_bytecode": LOADER / "bytecode.py",
    "_late": LOADER / "lazy_imports.py",
    "_packed": LOADER / "packed_packages.py",
}
"""tfpy's importers, by the names of their copies in the library."""
IMPORTED = {
    "from tfpy._src.loader import lazy_imports": "import _late as lazy_imports",
    "from tfpy._src.loader.bytecode import": "from _bytecode import",
}
BYTECODE = "library.bytecode"
REST = "library.rest"
START = "sitecustomize.py"
"""The module that Python runs when it starts, before any code of the page."""
START_TEXT = """\
import _bytecode
from zipimport import zipimporter

archive = {archive!r}
modules = _bytecode.read(zipimporter(archive).get_data({name!r}))
_bytecode.install(archive, modules)

import _late


def load(data):
    modules.update(_bytecode.read(data))


_late.install({{**{rest}, "load": load}}, {late})

import _packed

_packed.install({packages!r})
"""


def ensure() -> Path:
    """Return the archive, made if it is missing."""
    inputs = {
        "recipe": file_hash(Path(__file__)),
        "own": list(map(file_hash, OWN.values())),
        "bytecode": [
            *map(file_hash, (bytecode.RECIPE, late_files.RECIPE)),
            *map(file_hash, bytecode.SCRIPTS),
        ],
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
    code = bytecode.compiled(sources, work / "library", PLACE)
    modules = bytecode.modules(code)
    second = {name: code for name, code in modules.items() if _is_any(name, LATE)}
    (packed,) = bytecode.packed(second)
    rest: dict[str, object] = {**late_files.write(into, REST, packed)}
    rest["modules"] = sorted(_module(f"{name}.py") for name in second)
    own = {f"{name}.py": _copy(file) for name, file in OWN.items()}
    places = {"archive": PLACE.rstrip("/"), "packages": f"{bytecode.PLACE}/packed"}
    text = START_TEXT.format(**places, name=BYTECODE, rest=rest, late=part)
    made = bytecode.compiled({**own, START: text.encode()}, work / "own", PLACE)
    shutil.rmtree(work)
    code |= made
    alone = bytecode.alone(code)
    first = {f"{name}.pyc": alone[f"{name}.pyc"] for name in STARTS}
    common = bytecode.modules(made) | {n: c for n, c in modules.items() if n not in second}
    (first[BYTECODE],) = bytecode.packed(common)
    with zipfile.ZipFile(into / NAME, "w") as new:
        for name, data in sorted(first.items()):
            how = zipfile.ZIP_STORED if name == BYTECODE else zipfile.ZIP_DEFLATED
            new.writestr(zipfile.ZipInfo(name, ZIP_TIME), data, how, 9)


def _copy(importer: Path) -> bytes:
    text = importer.read_text(encoding="utf-8")
    for line, instead in IMPORTED.items():
        text = text.replace(line, instead)
    return text.encode()


def _module(name: str) -> str:
    return name.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _is_imported(name: str) -> bool:
    module = name.removesuffix(".py")
    return module != name and _is_any(module, (*(f"{p}/*" for p in PACKAGES), *MODULES))


def _is_any(name: str, patterns: Iterable[str]) -> bool:
    return any(fnmatch(name, pattern) for pattern in patterns)
