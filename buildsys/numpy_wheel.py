"""NumPy for Pyodide, compiled from its source distribution.

Pages load NumPy from Pyodide's own distribution. The npm package has only Pyodide's core, so the
tests and the demo, which need no network, use this wheel.
"""

from __future__ import annotations

import os
import shutil
import zipfile
from pathlib import Path

from . import npm, side_modules, toolchain
from .cache import entry, file_hash, tree_hash
from .paths import DATA
from .side_modules import BACKEND_LOCK, EXCEPTIONS, PLATFORM, SYSCONFIG, TAG

VERSION = "2.4.6"
SDIST_SHA256 = "f3a3570c4a2a16746ac2c31a7c7c7b0c186b95ce902e33db6f28094ed7387dda"
WHEEL = f"numpy-{VERSION}-{TAG}.whl"
SOURCES = DATA / "numpy"
EPOCH = "1779138240"
MATH = (
    "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "ceil", "copysign", "cos",
    "cosh", "exp", "exp2", "expm1", "fabs", "floor", "fmod", "frexp", "hypot", "ldexp", "log",
    "log10", "log1p", "log2", "modf", "nextafter", "pow", "rint", "sin", "sinh", "sqrt", "tan",
    "tanh", "trunc",
)  # fmt: skip
COMPLEX = (
    "cabs", "cacos", "cacosh", "carg", "casin", "casinh", "catan", "catanh", "ccos", "ccosh",
    "cexp", "cimag", "clog", "conj", "cpow", "creal", "csin", "csinh", "csqrt", "ctan", "ctanh",
)  # fmt: skip
C99_FUNCTIONS = (
    *("strtoll", "strtoull"),
    *MATH,
    *(f"{name}{suffix}" for name in COMPLEX for suffix in ("", "f", "l")),
)
"""C99 library functions that Emscripten has and that NumPy's build probes for.

Each probe would link a program, which takes two seconds.
"""


def ensure() -> Path:
    """Return the NumPy wheel, built if it is missing."""
    tools = toolchain.ensure()
    inputs = {
        "version": VERSION,
        "sdist": SDIST_SHA256,
        "lock": file_hash(BACKEND_LOCK),
        "recipe": [tree_hash(SOURCES), *map(file_hash, (Path(__file__), side_modules.RECIPE))],
        "pyodide": file_hash(npm.ensure() / "pyodide" / "python_stdlib.zip"),
        "emscripten": tools.version,
    }

    def make(into: Path) -> None:
        _make(into, tools)

    return entry("numpy", inputs, "NumPy for Pyodide (5 to 10 minutes)", make) / WHEEL


def _make(into: Path, tools: toolchain.Toolchain) -> None:
    work = into / "work"
    work.mkdir()
    source = side_modules.fetch_sdist("numpy", VERSION, SDIST_SHA256, work)
    side_modules.fetch_backend(work / "site", tools)
    side_modules.extract_sysconfig(work / "sysconfig")
    shutil.copytree(side_modules.python_headers(), work / "include")
    shutil.copytree(SOURCES, work / "bin")
    cross = (SOURCES / "cross.ini.in").read_text(encoding="utf-8").replace("@WORK@", str(work))
    found = "\n".join(f"has_function_{name} = true" for name in C99_FUNCTIONS)
    (work / "cross.ini").write_text(cross.replace("@FOUND@", found), encoding="utf-8")
    (work / "bin" / "em++side").symlink_to("emccside")
    for program in ("emccside", "cython"):
        (work / "bin" / program).chmod(0o755)
    env = {
        "PATH": f"{work}/bin:{tools.path}",
        "PYTHONPATH": f"{work}/site:{work}/sysconfig",
        "SOURCE_DATE_EPOCH": EPOCH,
        "PYTHONHASHSEED": "0",
        "TFPY_CFLAGS": tools.read(["emcc", *EXCEPTIONS, "-fPIC", "--cflags"]),
        "TFPY_CLANG": tools.llvm("clang"),
        "TFPY_CLANGXX": tools.llvm("clang++"),
        "TFPY_HEADERS": str(work / "include"),
        "TFPY_WORK": str(work),
        "_PYTHON_SYSCONFIGDATA_NAME": SYSCONFIG,
        "_PYTHON_HOST_PLATFORM": PLATFORM,
    }
    build = ["python3", work / "bin" / "build_wheel.py", work / "cross.ini", work / "dist"]
    tools.run(build, "numpy", cwd=source, env=env)
    (built,) = (work / "dist").glob("*.whl")
    _repack(built, into / WHEEL, work)
    shutil.rmtree(work)


def _repack(built: Path, out: Path, work: Path) -> None:
    """Copy a wheel with the right tag and without the paths of this machine's cache.

    NumPy records the paths of its compilers.
    """
    with zipfile.ZipFile(built) as old:
        names = [name for name in old.namelist() if not name.endswith("/")]
        files = {name: old.read(name).replace(os.fsencode(work), b"/build") for name in names}
    info = next(name for name in files if name.endswith(".dist-info/WHEEL"))
    lines = files[info].decode().splitlines()
    lines = [f"Tag: {TAG}" if line.startswith("Tag:") else line for line in lines]
    files[info] = ("\n".join(lines) + "\n").encode()
    side_modules.write_wheel(out, files)
