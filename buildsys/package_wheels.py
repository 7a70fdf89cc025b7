"""The site's wheels: tfpy, the packages of requirements/site.txt, optree, NumPy, compiled packages.

Keras and its dependencies are shipped without tests and without parts that no page can use. They
and tfpy's engine are packed for src/tfpy/_src/loader/packed_packages.py: bytecode in one file,
sources in an archive.
"""

from __future__ import annotations

import io
import json
import re
import shutil
import zipfile
from collections.abc import Mapping, Sequence
from fnmatch import fnmatch
from pathlib import Path, PurePath

from . import bytecode, cuts, dispatch, late as late_files, npm, pyenv, side_modules
from .cache import entry, file_hash, tree_hash
from .console import run_logged
from .cuts import CUTS, Cut
from .paths import BUILD, ROOT

LOCK = ROOT / "requirements" / "site.txt"
SUBSTITUTES = ROOT / "web" / "python"
OPTREE_SUMMARY = "The part of optree that Keras uses, in plain Python, for pages"
VERSION = re.compile(r'^__version__ = "(.+)"$', re.MULTILINE)
REQUIREMENT = re.compile(r"Requires-Dist: ([\w.-]+)")
BUILD_TAG = "1tfpy"  # distinguishes these wheels from the wheels of the index
TAG = "py3-none-any"
RECIPES = (Path(__file__), cuts.RECIPE, bytecode.RECIPE, late_files.RECIPE, side_modules.RECIPE)
FOLDER = "packed"
LOADER = ("__init__", "bytecode", "lazy_imports", "packed_packages")
JAX_LATE = ("backend", "processes", "relay", "sharding")
DISPLAY_LATE = (
    *("arrays", "diagrams", "layered_layout", "line_charts", "live_plot", "progress", "tables"),
)
LIBRARY_LATE = (
    *("candidates", "compat", "distributions", "experimental_numpy", "extension_types"),
    *("feature_columns", "hub", "linear_operators", "networks", "protos", "queues"),
)
OTHERS_LATE = (
    *("data/example_batches", "data/reducing", "library/image/distorted_boxes"),
    *("library/image/drawing", "library/io/image_parts", "library/io/jpeg_quality"),
    *("library/io/matching", "functions/graph_mode/*", "tensors/special/*", "testing/*"),
    *("functions/control/critical_section", "functions/control/lockstep"),
    *("library/config/execution", "library/config/optimizer", "library/io/decoding"),
    *("library/strings/edit_distance", "library/strings/fingerprints", "library/strings/scripts"),
    *("library/io/dlpack", "data/databases", "library/sparse/ragged_crossing"),
    *("library/sparse/crossing", "library/sparse/sampled", "tensors/nn/quantized_tensors"),
    *("tensors/nn/moving_average", "tensors/random/initializers", "tensors/random/word_stream"),
    *("keras_support/cell_wrapper*", "checkpoints/saver", "checkpoints/state"),
    *("checkpoints/variable_parts", "checkpoints/warm_starting"),
    *("keras_support/dot", "keras_support/hub_chat", "keras_support/hub_downloads"),
    *("keras_support/hub_generation", "keras_support/hub_pipeline"),
    *("keras_support/hub_preprocessing", "keras_support/hub_streams"),
    *("keras_support/hub_tokenizers",),
    *("checkpoints/sessions/*", "data/graph_*", "data/placeholders"),
    *("compiler/lower/webgl/attention", "compiler/lower/webgpu/attention"),
    *("compiler/lower/webgpu/blocks", "compiler/lower/webgpu/stored"),
    *("compiler/ops/block_formats", "compiler/ops/blocks", "compiler/passes/block_products"),
    *("compiler/passes/checkpointing", "compiler/passes/recomputation"),
    *("compiler/passes/early_readers", "compiler/passes/row_parts", "compiler/passes/storage_uses"),
    *("compiler/ops/reference/blocks", "compiler/ops/reference/parts"),
)
ENGINE = "tfpy/_src/"
FINDS = (
    *("tfpy/__init__", "tfpy/audio"),
    *(f"{ENGINE}{name}" for name in ("__init__", *(f"loader/{name}" for name in LOADER))),
)
"""Modules of tfpy that stay files, because they let Python find the others.

The first import of `tfpy/__init__.py` is `tfpy.audio`, which imports the engine.
"""
SHADERS = ("tfpy/assets/glsl/", "tfpy/assets/wgsl/")
DATA = "tfpy/assets/xnnpack.json"
"""The data that is packed with the bytecode. Pages import the JavaScript runtime from the site."""
IN_RUN = ("tfpy/assets/xnnpack-*.wasm", "tfpy/assets/tfpy-run.*")
"""The wasm modules and the runner of exported programs, which the site has in run/."""
HOST = (
    "tfpy_pytest.py",
    *(f"tfpy/testing/*{name}.*" for name in ("plugin", "webkit")),
)
"""Files that only CPython uses."""
ENGINE_LATE = (
    f"{ENGINE}formats/*",
    f"{ENGINE}library/profiler/*",
    f"{ENGINE}library/config/device_info",
    # Deferred code looks up their names (keras_support/overlay.py).
    *(f"{ENGINE}display/{name}" for name in DISPLAY_LATE),
    f"{ENGINE}functions/tf_function/diagrams",
    # Groups of names that programs of a certain kind use.
    *(f"{ENGINE}library/{name}/*" for name in LIBRARY_LATE),
    *(f"{ENGINE}{name}" for name in OTHERS_LATE),
    *("tfpy/raw_ops", "tfpy/compat/v1/*", "tfpy/experimental/numpy/*", "tfpy/testing/*"),
    # Checkpoints and SavedModels.
    f"{ENGINE}checkpoints/[!_s]*",
    f"{ENGINE}checkpoints/saved_models/*",
    f"{ENGINE}checkpoints/status",
    # Pages do not use these.
    f"{ENGINE}distribute/dtensor/*",
    f"{ENGINE}compiler/lower/jax/*",
    *(f"{ENGINE}backends/jax/{name}" for name in JAX_LATE),
)
"""Modules that few pages use."""


def numpy(wheel: Path) -> Path:
    """Return the site's wheel of NumPy, made from the built one."""

    def make(into: Path) -> None:
        _write_numpy(into / wheel.name, _lean(wheel, CUTS["numpy"]), CUTS["numpy"].late)

    inputs = {"wheel": file_hash(wheel), **_inputs()}
    return entry("numpy-packed", inputs, "NumPy for the site", make) / wheel.name


def keras() -> list[Path]:
    """Return the wheels of Keras and of the pure Python packages that it imports."""
    return [*of_index("wheels", LOCK), own("optree", OPTREE_SUMMARY)]


def of_index(name: str, requirements: Path) -> list[Path]:
    """Return the wheels of the packages in a lock file, without the parts that CUTS names."""

    def make(into: Path) -> None:
        _make(into, requirements)

    inputs = {"lock": file_hash(requirements), **_inputs()}
    return sorted(entry(name, inputs, f"{name} for the site", make).glob("*.whl"))


def own(name: str, summary: str, needs: Sequence[str] = ()) -> Path:
    """Return the wheel of a package in web/python, which has a part of another package."""

    def make(into: Path) -> None:
        _make_own(into, name, [f"Summary: {summary}", *(f"Requires-Dist: {n}" for n in needs)])

    inputs = {"source": tree_hash(SUBSTITUTES / name), **_inputs()}
    (wheel,) = entry(name, inputs, f"{name} for the site", make).glob("*.whl")
    return wheel


def compiled(wheel: Path) -> Path:
    """Return the site's wheel of another package with compiled modules, packed."""

    def make(into: Path) -> None:
        _write_archive(into / wheel.name, wheel)

    inputs = {"wheel": file_hash(wheel), **_inputs()}
    return entry("compiled", inputs, f"{wheel.name.split('-')[0]} for the site", make) / wheel.name


def _inputs() -> dict[str, object]:
    return {
        "recipe": list(map(file_hash, RECIPES)),
        "bytecode": [*map(file_hash, bytecode.SCRIPTS), npm.ensure().parent.name],
    }


def _make(into: Path, requirements: Path) -> None:
    work = into / "work"
    work.mkdir()
    pip = [pyenv.ensure("build"), "-m", "pip", "--disable-pip-version-check", "download"]
    options = ["--only-binary=:all:", "--no-deps", "--require-hashes"]
    version = ["--python-version", side_modules.PYTHON, "--platform", "any"]
    run_logged([*pip, *options, *version, "--dest", work, "-r", requirements], "site-wheels")
    for wheel in sorted(work.glob("*.whl")):
        name, number = wheel.name.split("-")[:2]
        if name in CUTS:
            made = into / f"{name}-{number}-{BUILD_TAG}-{TAG}.whl"
            _write(made, _lean(wheel, CUTS[name]), work / name)
        else:
            shutil.copy(wheel, into)
    shutil.rmtree(work)


def _write(out: Path, files: Mapping[str, bytes], work: Path) -> None:
    """Write a wheel of one package of pure Python, packed."""
    top, info, package = _parts(files)
    package = {**_starts(package), **package}
    code = bytecode.compiled(package, work, f"{bytecode.PLACE}/")
    side_modules.write_wheel(out, {**info, **_packed(top, package, code)})


def _starts(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return an empty __init__.py for each folder of modules, which the importer requires."""
    folders = {PurePath(name).parent for name in files if name.endswith(".py")}
    return {f"{folder}/__init__.py": b"" for folder in folders}


def _packed(top: str, sources: Mapping[str, bytes], code: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the two files of a packed package."""
    return {
        f"{FOLDER}/{top}.zip": _archive(sources),
        f"{FOLDER}/{top}.bytecode": bytecode.packed(bytecode.modules(code))[0],
    }


def with_packed_engine(wheel: Path) -> Path:
    """Return tfpy's wheel without IN_RUN and HOST, and packed except for FINDS.

    It also contains the dispatch extension.
    """
    left_out = (*IN_RUN, *HOST)
    with zipfile.ZipFile(wheel) as old:
        names = [name for name in old.namelist() if not any(fnmatch(name, p) for p in left_out)]
        files = {name: old.read(name) for name in names}
    plain = {name: files.pop(name) for name in names if name.startswith(SHADERS)}
    plain[dispatch.NAME] = dispatch.ensure().read_bytes()
    code: dict[str, bytes] = {}
    sources: dict[str, bytes] = {}
    for name in [name for name in files if name.startswith("tfpy/")]:
        kind = code if name.endswith(".pyc") else sources
        kind[name] = files.pop(name)
    finders = [name for name in code if bytecode.module(name) in FINDS]
    files |= bytecode.alone({name: code.pop(name) for name in finders})
    made = BUILD / wheel.name
    shutil.rmtree(BUILD / late_files.FOLDER, ignore_errors=True)
    files |= _partly_packed("tfpy", sources, code, plain, BUILD)
    side_modules.write_wheel(made, {n: _short(n, data) for n, data in files.items()}, digests=False)
    return made


def _short(name: str, data: bytes) -> bytes:
    """Return the content of a file; METADATA without the description, which pages do not show."""
    return data.partition(b"\n\n")[0] + b"\n" if name.endswith("/METADATA") else data


def _partly_packed(
    top: str,
    sources: Mapping[str, bytes],
    code: Mapping[str, bytes],
    plain: Mapping[str, bytes],
    beside: Path,
) -> dict[str, bytes]:
    """Return the packed files of tfpy. Its sources and ENGINE_LATE become late files.

    The files in `plain` are unpacked at the start. Python finds the compiled modules among them.
    """
    modules = bytecode.modules(code)
    rest = {name for name in modules if any(fnmatch(name, pattern) for pattern in ENGINE_LATE)}
    in_archive = {name for name in sources if not name.endswith(".py")}
    data = {name: sources[name] if name == DATA else b"" for name in in_archive}
    common = {name: b"" if name in rest else made for name, made in modules.items()}
    late = {name: modules[name] for name in rest}
    data |= {name: b"" for name in plain if name.endswith(".so")}
    first, second, third = bytecode.packed({**common, **data}, late, plain)
    described = {
        "zip": late_files.write(beside, f"{top}.zip", _archive(sources)),
        "rest": late_files.write(beside, f"{top}.rest", second),
    }
    return {
        f"{FOLDER}/{top}.json": json.dumps(described).encode(),
        f"{FOLDER}/{top}.bytecode": first,
        f"{FOLDER}/{top}.files": third,
    }


def _write_archive(out: Path, wheel: Path) -> None:
    """Write a wheel of one package with compiled modules, packed."""
    with zipfile.ZipFile(wheel) as old:
        top, info, package = _parts({name: old.read(name) for name in old.namelist()})
    info[f"{FOLDER}/{top}.zip"] = _archive(package)
    side_modules.write_wheel(out, info)


def _write_numpy(out: Path, files: Mapping[str, bytes], late: Sequence[str]) -> None:
    """Write NumPy's wheel: bytecode and compiled modules in two files, and its late files."""
    work = out.parent / "work"
    code = bytecode.alone(bytecode.compiled(files, work, f"{bytecode.PLACE}/"))
    shutil.rmtree(work)
    top, info, package = _parts(files)
    made = {**{name: data for name, data in package.items() if name.endswith(".so")}, **code}
    rest = {n: data for n, data in made.items() if any(fnmatch(n, pattern) for pattern in late)}
    number = out.name.split("-")[1]
    part: dict[str, object] = {
        **late_files.write(out.parent, f"{top}-{number}.zip", _archive(rest))
    }
    part["modules"] = sorted(filter(None, map(_imported_as, rest)))
    info[f"{late_files.FOLDER}/{top}.json"] = json.dumps(part).encode()
    first = {name: data for name, data in made.items() if name not in rest}
    binaries = {name: data for name, data in first.items() if name.endswith(".so")}
    modules = {
        name.removesuffix(".pyc"): b"" if name in binaries else data[bytecode.PYC_HEADER :]
        for name, data in first.items()
    }
    kinds = ("bytecode", "files")
    for kind, data in zip(kinds, bytecode.packed(modules, binaries), strict=True):
        info[f"{FOLDER}/{top}.{kind}"] = data
    side_modules.write_wheel(out, info)


def _imported_as(name: str) -> str:
    """Return the module name of a file of a wheel, or "" if the file is not a module."""
    path = PurePath(name)
    if path.suffix not in (".pyc", ".so"):
        return ""
    stem = path.name.split(".")[0]
    return ".".join([*path.parent.parts, *([] if stem == "__init__" else [stem])])


def _parts(files: Mapping[str, bytes]) -> tuple[str, dict[str, bytes], dict[str, bytes]]:
    """Return the name of a wheel's only package, the files that describe it, and its own files."""
    info = {name: data for name, data in files.items() if ".dist-info/" in name}
    package = {name: data for name, data in files.items() if name not in info}
    (top,) = {name.split("/")[0] for name in package}
    return top, info, package


def _archive(files: Mapping[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, data in sorted(files.items()):
            member = zipfile.ZipInfo(name, side_modules.ZIP_TIME)
            archive.writestr(member, data, zipfile.ZIP_DEFLATED, 9)
    return out.getvalue()


def _lean(wheel: Path, cut: Cut) -> dict[str, bytes]:
    """Return the files of a wheel that are kept, with a note about the others."""
    with zipfile.ZipFile(wheel) as old:
        files = {
            name: old.read(name)
            for name in old.namelist()
            if not name.endswith("/") and not any(fnmatch(name, p) for p in cut.files)
        }
    metadata = next(name for name in files if name.endswith(".dist-info/METADATA"))
    lines = files[metadata].decode().splitlines(keepends=True)
    kept = [line for line in lines if _requirement(line) not in cut.requirements]
    kept[1:1] = [f"Requires-Dist: {name}\n" for name in cut.needs]
    files[metadata] = "".join(kept).encode()
    info = metadata.removesuffix("METADATA")
    if wheel.name.endswith("-none-any.whl"):
        files[f"{info}WHEEL"] = side_modules.wheel_text(TAG)
    note = ["tfpy's build added bytecode to this wheel, packed its files if there is"]
    note += [f"a folder {FOLDER}, and left out:"]
    note += [f"- files {pattern}" for pattern in cut.files]
    note += [f"- the requirement {name}" for name in cut.requirements]
    note += [f"It also added the requirement {name}." for name in cut.needs]
    files[f"{info}CHANGES.txt"] = ("\n".join(note) + "\n").encode()
    return files


def _requirement(line: str) -> str:
    """Return the name of the package that a line of METADATA requires, or "" if there is none."""
    found = REQUIREMENT.match(line)
    return found[1] if found else ""


def _make_own(into: Path, name: str, about: Sequence[str]) -> None:
    folder = SUBSTITUTES / name
    version = _version(folder)
    sources = [file for file in folder.iterdir() if file.is_file()]
    files = {f"{name}/{file.name}": file.read_bytes() for file in sources}
    files |= _own_info(name, version, about)
    files[f"{name}-{version}.dist-info/licenses/LICENSE"] = (ROOT / "LICENSE").read_bytes()
    work = into / "work"
    _write(into / f"{name}-{version}-{BUILD_TAG}-{TAG}.whl", files, work)
    shutil.rmtree(work)


def _own_info(name: str, version: str, about: Sequence[str]) -> dict[str, bytes]:
    """Return the .dist-info of a wheel that does not come from the index."""
    info = f"{name}-{version}.dist-info"
    metadata = ["Metadata-Version: 2.4", f"Name: {name}", f"Version: {version}"]
    metadata += [*about, "License-Expression: Apache-2.0"]
    return {
        f"{info}/METADATA": ("\n".join(metadata) + "\n").encode(),
        f"{info}/WHEEL": side_modules.wheel_text(TAG),
    }


def _version(folder: Path) -> str:
    found = VERSION.search((folder / "__init__.py").read_text(encoding="utf-8"))
    assert found, f"{folder.name} has no version"
    return found[1]
