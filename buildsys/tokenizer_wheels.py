"""Packages that KerasHub's tokenizers and chat templates need, compiled for Pyodide."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from . import bytecode, side_modules, toolchain
from .cache import entry, file_hash, tree_hash
from .paths import DATA
from .side_modules import MODULE_SUFFIX, TAG


@dataclass(frozen=True)
class Package:
    """A package with one extension module, and the places of its files in its sources."""

    name: str
    version: str
    sha256: str
    folder: str
    """Folder of the package's Python files."""
    module: str
    licenses: tuple[str, ...]
    replaced: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """Files with a string that is replaced in them."""

    @property
    def wheel(self) -> str:
        return f"{self.name}-{self.version}-{TAG}.whl"


THREADS = ("std::vector<std::thread> tasks_", "std::vector<Task> tasks_")
BUNDLED = "sentencepiece/third_party"
PACKAGES = (
    Package(
        name="markupsafe",
        version="3.0.3",
        sha256="722695808f4b6457b320fdc131280796bdceb04ab50fe1795cd540799ebe1698",
        folder="src/markupsafe",
        module="_speedups",
        licenses=("LICENSE.txt",),
    ),
    Package(
        name="regex",
        version="2026.11.19",
        sha256="2826a006b68acfd3ed5074433caafe21d7f9d026eb82cb856724a4a893a70915",
        folder="regex",
        module="_regex",
        licenses=("LICENSE.txt",),
    ),
    # Later versions download Abseil and Protocol Buffers while they are built.
    Package(
        name="sentencepiece",
        version="0.2.1",
        sha256="8138cec27c2f2282f4a34d9a016e3374cd40e5c6e9cb335063db66a0a3b71fad",
        folder="src/sentencepiece",
        module="_sentencepiece",
        licenses=(
            "sentencepiece/LICENSE",
            *(f"{BUNDLED}/{name}/LICENSE" for name in ("absl", "darts_clone", "esaxx")),
            f"{BUNDLED}/protobuf-lite/LICENSE",
        ),
        replaced={
            "sentencepiece/src/util.h": THREADS,
            "src/sentencepiece/sentencepiece_wrap.cxx": THREADS,
        },
    ),
)


def ensure() -> list[Path]:
    """Return the wheels, built if they are missing."""
    tools = toolchain.ensure()
    return [_ensure(package, tools) for package in PACKAGES]


def _ensure(package: Package, tools: toolchain.Toolchain) -> Path:
    recipe = (Path(__file__), side_modules.RECIPE)
    inputs = {
        "source": [package.version, package.sha256],
        "recipe": [tree_hash(DATA / package.name), *map(file_hash, recipe)],
        "emscripten": tools.version,
    }
    what = f"{package.name} for Pyodide (a minute or more)"
    return entry(package.name, inputs, what, partial(_make, package, tools)) / package.wheel


def _make(package: Package, tools: toolchain.Toolchain, into: Path) -> None:
    work = into / "work"
    work.mkdir()
    name, version = package.name, package.version
    source = side_modules.fetch_sdist(name, version, package.sha256, work)
    for file, (old, new) in package.replaced.items():
        text = (source / file).read_text(encoding="utf-8")
        assert old in text, file
        (source / file).write_text(text.replace(old, new), encoding="utf-8")
    build = work / "build"
    side_modules.compile_archive(DATA / name, build, {name.upper(): source}, tools, name)
    library = work / f"{package.module}{MODULE_SUFFIX}"
    side_modules.link(library, [package.module], [build / f"lib{name}.a"], tools)
    folder = source / package.folder
    files = {f"{name}/{file.name}": file.read_bytes() for file in folder.glob("*.py")}
    files |= bytecode.compiled(files, work / "bytecode")
    files[f"{name}/{library.name}"] = library.read_bytes()
    info = f"{name}-{version}.dist-info"
    files[f"{info}/METADATA"] = (source / "PKG-INFO").read_bytes()
    files[f"{info}/WHEEL"] = side_modules.wheel_text(TAG)
    files |= {f"{info}/licenses/{file}": (source / file).read_bytes() for file in package.licenses}
    side_modules.write_wheel(into / package.wheel, files)
    shutil.rmtree(work)
