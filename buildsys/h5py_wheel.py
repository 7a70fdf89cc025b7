"""h5py for Pyodide, compiled from its source distribution, and HDF5 and zlib from Debian's sources.

Its two dozen extension modules and HDF5 are linked into one library. The library loads in one step
when h5py is imported, and contains only the parts of HDF5 that h5py calls.
"""

from __future__ import annotations

import shutil
import zipfile
from pathlib import Path

from . import bytecode, numpy_wheel, side_modules, toolchain
from .cache import entry, file_hash, tree_hash
from .debian import private_apt
from .paths import DATA
from .side_modules import TAG

VERSION = "3.14.0"
SDIST_SHA256 = "2372116b2e0d5d3e5e705b7f663f7c8d96fa79a4052d250484ef91d24d6a08f4"
WHEEL = f"h5py-{VERSION}-{TAG}.whl"
HDF5_VERSION = "1.14.5"
SOURCES = {
    "hdf5": (
        f"{HDF5_VERSION}+repack",
        "71cdb04c151ef4e8a7f88907adfc4f3b75afd44e96fbd55775e1c9d7c4e7c112",
    ),
    "zlib": (
        "1.3.dfsg+really1.3.1",
        "60dd315c07f616887caa029408308a018ace66e3d142726a97db164b3b8f69fb",
    ),
}
PROJECT = DATA / "h5py"
MODULES = (
    "defs", "_errors", "_objects", "_proxy", "h5fd", "h5z", "h5", "h5i", "h5r",
    "utils", "_selector", "_conv", "h5t", "h5s", "h5p", "h5d", "h5a",
    "h5f", "h5g", "h5l", "h5o", "h5ds", "h5ac", "h5pl", "_npystrings",
)  # fmt: skip
NO_SUCH_DRIVERS = {"H5PY_ROS3": "0", "H5PY_DIRECT_VFD": "0"}
CONFIG = f"""\
DEF MPI = False
DEF ROS3 = False
DEF DIRECT_VFD = False
DEF HDF5_VERSION = {tuple(map(int, HDF5_VERSION.split(".")))}
DEF VOL_MIN_HDF5_VERSION = (1, 11, 5)
DEF COMPLEX256_SUPPORT = True
DEF NUMPY_BUILD_VERSION = '{numpy_wheel.VERSION}'
DEF CYTHON_BUILD_VERSION = 'of tfpy'
"""
FIRST_IMPORT = "from warnings import warn as _warn\n"
LEFT_OUT = ("tests", "ipy_completer.py")


def ensure() -> Path:
    """Return the h5py wheel, built if it is missing."""
    tools = toolchain.ensure()
    numpy = numpy_wheel.ensure()
    inputs = {
        "sources": [VERSION, SDIST_SHA256, toolchain.SUITE, SOURCES],
        "recipe": [tree_hash(PROJECT), *map(file_hash, (Path(__file__), side_modules.RECIPE))],
        "lock": file_hash(side_modules.BACKEND_LOCK),
        "numpy": file_hash(numpy),
        "emscripten": tools.version,
    }

    def make(into: Path) -> None:
        _make(into, numpy, tools)

    return entry("h5py", inputs, "h5py for Pyodide (3 to 5 minutes)", make) / WHEEL


def _make(into: Path, numpy: Path, tools: toolchain.Toolchain) -> None:
    work = into / "work"
    work.mkdir()
    private_apt(toolchain.SUITE, work / "apt").fetch_sources(SOURCES, work, "h5py-sources")
    source = side_modules.fetch_sdist("h5py", VERSION, SDIST_SHA256, work)
    side_modules.fetch_backend(work / "site", tools)
    with zipfile.ZipFile(numpy) as wheel:
        wheel.extractall(work / "numpy")
    env = {"HDF5_DIR": str(work / "hdf5"), "HDF5_VERSION": HDF5_VERSION, **NO_SUCH_DRIVERS}
    tools.run(["python3", "api_gen.py"], "h5py-api", cwd=source, env=env)
    (source / "h5py" / "config.pxi").write_text(CONFIG, encoding="utf-8")
    defines = {
        "H5PY": source,
        "HDF5": work / "hdf5",
        "ZLIB": work / "zlib",
        "BACKEND": work / "site",
        "NUMPY": work / "numpy",
        "MODULES": ";".join(MODULES),
    }
    build = work / "build"
    side_modules.compile_archive(PROJECT, build, defines, tools, "h5py")
    library = work / "h5py.so"
    archives = [build / "libh5py.a", build / "libhdf5.a"]
    side_modules.link(library, MODULES, archives, tools)
    side_modules.write_wheel(into / WHEEL, _files(source, library, work))
    shutil.rmtree(work)


def _files(source: Path, library: Path, work: Path) -> dict[str, bytes]:
    package = source / "h5py"
    files = {
        f"h5py/{file.relative_to(package).as_posix()}": file.read_bytes()
        for file in package.rglob("*.py")
        if file.relative_to(package).parts[0] not in LEFT_OUT
    }
    start = files["h5py/__init__.py"].decode()
    assert FIRST_IMPORT in start
    added = f"from . import _one_library  # added by tfpy's build\n{FIRST_IMPORT}"
    files["h5py/__init__.py"] = start.replace(FIRST_IMPORT, added, 1).encode()
    finder = (PROJECT / "_one_library.py").read_text(encoding="utf-8")
    named = finder.replace("@MODULES@", '", "'.join(MODULES))
    files["h5py/_one_library.py"] = named.encode()
    files |= bytecode.compiled(files, work / "bytecode")
    files["h5py/_library.wasm"] = library.read_bytes()
    info = f"h5py-{VERSION}.dist-info"
    files[f"{info}/METADATA"] = (source / "PKG-INFO").read_bytes()
    files[f"{info}/WHEEL"] = side_modules.wheel_text(TAG)
    licences = [
        source / "LICENSE",
        source / "lzf" / "LICENSE.txt",
        *(source / "licenses").iterdir(),
    ]
    for file in licences:
        files[f"{info}/licenses/{file.relative_to(source).as_posix()}"] = file.read_bytes()
    files[f"{info}/licenses/hdf5/COPYING"] = (work / "hdf5" / "COPYING").read_bytes()
    files[f"{info}/licenses/zlib/LICENSE"] = (work / "zlib" / "LICENSE").read_bytes()
    return files
