"""ml_dtypes (bfloat16 and other dtypes for NumPy) for Pyodide, compiled from its sources."""

from __future__ import annotations

import shutil
import zipfile
from pathlib import Path

from . import bytecode, numpy_wheel, side_modules, toolchain
from .cache import entry, file_hash, tree_hash
from .paths import DATA
from .side_modules import MODULE_SUFFIX, TAG

VERSION = "0.6.0"
SDIST_SHA256 = "5e60251d32ced5598972e4d5e06a2f044341f9291402551a3f6f0ec44f9299b0"
WHEEL = f"ml_dtypes-{VERSION}-{TAG}.whl"
PROJECT = DATA / "ml_dtypes"
MODULE = "_ml_dtypes_ext"
FILES = ("__init__.py", "_finfo.py", "_iinfo.py", "py.typed")
LICENSES = ("LICENSE", "third_party/eigen/COPYING.MPL2", "third_party/eigen/COPYING.README")


def ensure() -> Path:
    """Return the ml_dtypes wheel, built if it is missing."""
    tools = toolchain.ensure()
    numpy = numpy_wheel.ensure()
    inputs = {
        "source": [VERSION, SDIST_SHA256],
        "recipe": [tree_hash(PROJECT), *map(file_hash, (Path(__file__), side_modules.RECIPE))],
        "numpy": file_hash(numpy),
        "emscripten": tools.version,
    }

    def make(into: Path) -> None:
        _make(into, numpy, tools)

    return entry("ml_dtypes", inputs, "ml_dtypes for Pyodide (a minute)", make) / WHEEL


def _make(into: Path, numpy: Path, tools: toolchain.Toolchain) -> None:
    work = into / "work"
    work.mkdir()
    source = side_modules.fetch_sdist("ml_dtypes", VERSION, SDIST_SHA256, work)
    with zipfile.ZipFile(numpy) as wheel:
        wheel.extractall(work / "numpy")
    defines = {"ML_DTYPES": source, "NUMPY": work / "numpy"}
    build = work / "build"
    side_modules.compile_archive(PROJECT, build, defines, tools, "ml_dtypes")
    library = work / f"{MODULE}{MODULE_SUFFIX}"
    side_modules.link(library, [MODULE], [build / "libml_dtypes.a"], tools)
    files = {f"ml_dtypes/{name}": (source / "ml_dtypes" / name).read_bytes() for name in FILES}
    files |= bytecode.compiled(files, work / "bytecode")
    files[f"ml_dtypes/{library.name}"] = library.read_bytes()
    info = f"ml_dtypes-{VERSION}.dist-info"
    files[f"{info}/METADATA"] = (source / "PKG-INFO").read_bytes()
    files[f"{info}/WHEEL"] = side_modules.wheel_text(TAG)
    files |= {f"{info}/licenses/{name}": (source / name).read_bytes() for name in LICENSES}
    side_modules.write_wheel(into / WHEEL, files)
    shutil.rmtree(work)
