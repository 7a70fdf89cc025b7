"""The site's wheels of pure Python: those of requirements/site.txt, optree, and bytecode.

Keras and what it imports come without tests and without what no page can use, and with bytecode.
Pyodide has the standard library as sources, and compiling what Keras imports of it would be half of
Keras's import: tfpy-stdlib has that part as bytecode, which `tfpy.as_tensorflow` puts first.
"""

from __future__ import annotations

import re
import shutil
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path, PurePath

from . import bytecode, npm, pyenv, side_modules
from .cache import entry, file_hash, tree_hash
from .console import run_logged
from .paths import ROOT

LOCK = ROOT / "requirements" / "site.txt"
OPTREE = ROOT / "web" / "python" / "optree"
OPTREE_VERSION = re.compile(r'^__version__ = "(.+)"$', re.MULTILINE)
REQUIREMENT = re.compile(r"Requires-Dist: ([\w.-]+)")
BUILD_TAG = "1tfpy"  # tells the wheels that are made here from those of the index
TAG = "py3-none-any"


@dataclass(frozen=True)
class Cut:
    """What of a wheel stays out: files, by patterns, and requirements, by names; what it needs."""

    files: tuple[str, ...] = ()
    requirements: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()


CUTS = {
    "absl_py": Cut(files=("absl/testing/*", "*.pyi")),
    "keras": Cut(
        files=(
            "*_test.py",
            "keras/src/testing/*",
            "keras/src/backend/tests/*",
            # Backends on packages that Pyodide has not; that of NumPy needs JAX.
            "keras/src/backend/jax/*",
            "keras/src/backend/numpy/*",
            "keras/src/backend/openvino/*",
            "keras/src/backend/torch/*",
        ),
        requirements=("namex",),  # it serves Keras's own build
        needs=("tfpy-stdlib",),
    ),
    "packaging": Cut(),
    # Markdown and coloured source code are nothing that Keras prints.
    "rich": Cut(requirements=("markdown-it-py", "pygments")),
}
STDLIB = (
    "colorsys.py", "csv.py", "email/*.py", "fractions.py", "getpass.py", "gzip.py", "hashlib.py",
    "http/*.py", "ipaddress.py", "multiprocessing/*.py", "pprint.py", "queue.py", "quopri.py",
    "timeit.py", "urllib/*.py", "uuid.py", "xml/*.py",
)  # fmt: skip
"""Whole packages: those of the standard library are not seen beside them."""
STDLIB_FOLDER = "tfpy_stdlib"
STDLIB_SUMMARY = "Bytecode of a part of Pyodide's standard library, to stand first in sys.path."


def ensure() -> list[Path]:
    """The wheels, made when missing."""
    inputs = {
        "recipe": [file_hash(file) for file in (Path(__file__), side_modules.RECIPE)],
        "bytecode": [file_hash(bytecode.SCRIPT), npm.ensure().parent.name],
    }
    of_index = {"lock": file_hash(LOCK), **inputs}
    own = {"source": tree_hash(OPTREE), **inputs}
    stdlib = {"source": file_hash(_stdlib()), **inputs}
    folders = [
        entry("wheels", of_index, "wheels for the site", _make),
        entry("optree", own, "optree for the site", _make_optree),
        entry("stdlib", stdlib, "bytecode of the standard library", _make_stdlib),
    ]
    return sorted(wheel for folder in folders for wheel in folder.glob("*.whl"))


def _make(into: Path) -> None:
    work = into / "work"
    work.mkdir()
    pip = [pyenv.ensure("build"), "-m", "pip", "--disable-pip-version-check", "download"]
    options = ["--only-binary=:all:", "--no-deps", "--require-hashes"]
    version = ["--python-version", side_modules.PYTHON, "--platform", "any"]
    run_logged([*pip, *options, *version, "--dest", work, "-r", LOCK], "site-wheels")
    for wheel in sorted(work.glob("*.whl")):
        name, number = wheel.name.split("-")[:2]
        if name in CUTS:
            made = into / f"{name}-{number}-{BUILD_TAG}-{TAG}.whl"
            _write(made, _lean(wheel, CUTS[name]), work / name)
        else:
            shutil.copy(wheel, into)
    shutil.rmtree(work)


def _write(out: Path, files: Mapping[str, bytes], work: Path) -> None:
    side_modules.write_wheel(out, {**files, **bytecode.compiled(files, work)})


def _lean(wheel: Path, cut: Cut) -> dict[str, bytes]:
    """The files of a wheel that are kept, with a note of what is not."""
    with zipfile.ZipFile(wheel) as old:
        files = {
            name: old.read(name)
            for name in old.namelist()
            if not name.endswith("/") and not any(fnmatch(name, p) for p in cut.files)
        }
    metadata = next(name for name in files if name.endswith(".dist-info/METADATA"))
    lines = files[metadata].decode().splitlines(keepends=True)
    kept = [line for line in lines if _requirement(line) not in cut.requirements]
    at = next((i for i, line in enumerate(kept) if _requirement(line)), len(kept))
    kept[at:at] = [f"Requires-Dist: {name}\n" for name in cut.needs]
    files[metadata] = "".join(kept).encode()
    info = metadata.removesuffix("METADATA")
    files[f"{info}WHEEL"] = side_modules.wheel_text(TAG)
    note = ["tfpy's build made this wheel from that of the index. It added bytecode and left out:"]
    note += [f"- files {pattern}" for pattern in cut.files]
    note += [f"- the requirement {name}" for name in cut.requirements]
    note += [f"It needs {name}." for name in cut.needs]
    files[f"{info}CHANGES.txt"] = ("\n".join(note) + "\n").encode()
    return files


def _requirement(line: str) -> str:
    """The name of the package that a line of METADATA requires; "" when it requires none."""
    found = REQUIREMENT.match(line)
    return found[1] if found else ""


def _make_optree(into: Path) -> None:
    version = _optree_version()
    sources = [file for file in OPTREE.iterdir() if file.is_file()]
    files = {f"optree/{file.name}": file.read_bytes() for file in sources}
    summary = "The part of optree that Keras uses, in plain Python, for pages"
    files |= _own_info("optree", version, summary, "Apache-2.0")
    files[f"optree-{version}.dist-info/licenses/LICENSE"] = (ROOT / "LICENSE").read_bytes()
    work = into / "work"
    _write(into / f"optree-{version}-{BUILD_TAG}-{TAG}.whl", files, work)
    shutil.rmtree(work)


def _make_stdlib(into: Path) -> None:
    work = into / "work"
    with zipfile.ZipFile(_stdlib()) as stdlib:
        sources = {
            name: stdlib.read(name)
            for name in stdlib.namelist()
            if any(fnmatch(name, pattern) for pattern in STDLIB)
        }
    files = {f"{STDLIB_FOLDER}/__init__.py": f'"""{STDLIB_SUMMARY}"""\n'.encode()}
    for name, data in bytecode.compiled(sources, work).items():
        folder = PurePath(name).parent.parent
        module = PurePath(name).name.split(".")[0]
        files[(STDLIB_FOLDER / folder / f"{module}.pyc").as_posix()] = data
    files |= _own_info("tfpy_stdlib", side_modules.PYTHON, STDLIB_SUMMARY, "PSF-2.0")
    out = into / f"tfpy_stdlib-{side_modules.PYTHON}-{BUILD_TAG}-{TAG}.whl"
    side_modules.write_wheel(out, files)
    shutil.rmtree(work)


def _stdlib() -> Path:
    return npm.ensure() / "pyodide" / "python_stdlib.zip"


def _own_info(name: str, version: str, summary: str, licence: str) -> dict[str, bytes]:
    """The .dist-info of a wheel that is not of the index."""
    info = f"{name}-{version}.dist-info"
    metadata = ["Metadata-Version: 2.4", f"Name: {name}", f"Version: {version}"]
    metadata += [f"Summary: {summary}", f"License-Expression: {licence}"]
    return {
        f"{info}/METADATA": ("\n".join(metadata) + "\n").encode(),
        f"{info}/WHEEL": side_modules.wheel_text(TAG),
    }


def _optree_version() -> str:
    found = OPTREE_VERSION.search((OPTREE / "__init__.py").read_text(encoding="utf-8"))
    assert found, "optree has no version"
    return found[1]
