"""Packages that are packed in a folder, like the site's wheels."""

from __future__ import annotations

import importlib
import importlib.resources
import inspect
import json
import linecache
import marshal
import pickle
import pkgutil
import sys
import traceback
import types
import zipfile
import zlib
from collections.abc import Iterator
from importlib.machinery import EXTENSION_SUFFIXES, ExtensionFileLoader
from pathlib import Path
from typing import Any
from zipimport import zipimporter

import pytest

from tfpy._src.loader import bytecode, packed_packages

FILES = {
    "crate/__init__.py": '"""A crate."""\nfrom crate.inner.deep import Jar\n',
    "crate/inner/__init__.py": "",
    "crate/inner/deep.py": "class Jar:\n    size = 3\n\n    def fail(self):\n"
    "        return 1 / 0  # here\n",
    "crate/inner/label.txt": "fragile",
}


def pack(folder: Path, name: str, files: dict[str, str], *, bytecode: bool = True) -> None:
    """Write a package as the site's build does."""
    folder.mkdir(exist_ok=True)
    with zipfile.ZipFile(folder / f"{name}.zip", "w") as archive:
        for path, text in files.items():
            archive.writestr(path, text)
    if bytecode:
        (folder / f"{name}.bytecode").write_bytes(as_one(compiled(files, f"{folder.parent}/")))


def compiled(files: dict[str, str], place: str) -> dict[str, bytes]:
    return {
        path.removesuffix(".py"): marshal.dumps(compile(text, place + path, "exec"))
        for path, text in files.items()
        if path.endswith(".py")
    }


def as_one(code: dict[str, bytes]) -> bytes:
    """Return the file of several modules."""
    sizes = {name: len(data) for name, data in code.items()}
    return zlib.compress(marshal.dumps(sizes, 2) + b"".join(code.values()))


@pytest.fixture(autouse=True)
def _zstd(monkeypatch: pytest.MonkeyPatch) -> None:
    """Replace zstd, which pages have and older versions of Python do not, by zlib."""
    stand_in = types.SimpleNamespace(ZstdDecompressor=zlib.decompressobj)
    monkeypatch.setitem(sys.modules, "_zstd", stand_in)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Return an installed folder for packages, and forget its modules after the test."""
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path)])
    monkeypatch.setattr(sys, "path_hooks", [*sys.path_hooks])
    modules = set(sys.modules)
    packed_packages.install(str(tmp_path / "packed"))
    yield tmp_path / "packed"
    for name in set(sys.modules) - modules:
        del sys.modules[name]


@pytest.fixture
def crate(folder: Path) -> Any:
    assert importlib.util.find_spec("crate") is None
    pack(folder, "crate", FILES)  # installed later, as in a page
    importlib.invalidate_caches()
    return importlib.import_module("crate")


def test_modules_are_found(crate: Any, folder: Path) -> None:
    deep = sys.modules["crate.inner.deep"]
    assert crate.Jar is deep.Jar
    assert (crate.__doc__, crate.__package__) == ("A crate.", "crate")
    assert crate.__file__ == f"{folder.parent}/crate/__init__.py"
    assert deep.__file__ == f"{folder.parent}/crate/inner/deep.py"
    assert importlib.reload(deep).Jar is not crate.Jar
    with pytest.raises(ModuleNotFoundError, match=r"crate\.inner\.absent"):
        importlib.import_module("crate.inner.absent")


def test_sources_are_seen(crate: Any) -> None:
    assert inspect.getsource(crate.Jar.fail).splitlines()[1].strip() == "return 1 / 0  # here"
    assert inspect.getsource(crate.inner.deep) == FILES["crate/inner/deep.py"]
    linecache.clearcache()
    with pytest.raises(ZeroDivisionError) as caught:
        crate.Jar().fail()
    assert "return 1 / 0  # here" in "".join(traceback.format_exception(caught.value))


def test_data_is_read(crate: Any) -> None:
    label = importlib.resources.files("crate.inner") / "label.txt"
    assert label.read_text() == "fragile"
    assert pkgutil.get_data("crate.inner", "label.txt") == b"fragile"
    assert pickle.loads(pickle.dumps(crate.Jar)) is crate.Jar


def test_modules_are_listed(crate: Any, folder: Path) -> None:
    found = {module.name: module.ispkg for module in pkgutil.walk_packages([str(folder)])}
    assert found == {"crate": True, "crate.inner": True, "crate.inner.deep": False}


def test_compiled_modules_become_files(folder: Path) -> None:
    """Check that compiled modules are written to files and found there, as for NumPy."""
    files = [f"crate/inner/{name}{EXTENSION_SUFFIXES[0]}" for name in ("lid", "seal")]
    pack(folder, "crate", FILES)
    code = {**compiled(FILES, f"{folder.parent}/"), **dict.fromkeys(files, b"")}
    (folder / "crate.bytecode").write_bytes(as_one(code))
    (folder / "crate.files").write_bytes(as_one({name: name.encode() for name in files}))
    listed = [module.name for module in pkgutil.iter_modules([f"{folder}/crate.zip/crate/inner"])]
    assert listed == ["deep", "lid", "seal"]
    assert importlib.import_module("crate").Jar.size == 3
    with pytest.raises(ModuleNotFoundError, match=r"crate\.inner\.absent"):
        importlib.import_module("crate.inner.absent")
    spec = importlib.util.find_spec("crate.inner.lid")
    assert spec is not None
    assert isinstance(spec.loader, ExtensionFileLoader)
    assert spec.origin == f"{folder.parent}/{files[0]}"
    assert [(folder.parent / name).read_text() for name in files] == files
    assert not (folder / "crate.files").exists()
    assert importlib.util.find_spec("crate.inner.seal") is not None


def test_data_is_packed_with_the_bytecode(folder: Path) -> None:
    """Check that tfpy's data needs no download, and that absent files are not requested."""
    code = compiled(FILES, f"{folder.parent}/")
    pack(folder, "crate", FILES)
    (folder / "crate.zip").unlink()
    (folder / "crate.json").write_text("{}")
    (folder / "crate.bytecode").write_bytes(as_one({**code, "crate/inner/label.txt": b"fragile"}))
    assert pkgutil.get_data("crate.inner", "label.txt") == b"fragile"
    with pytest.raises(FileNotFoundError, match=r"crate/absent\.txt"):
        pkgutil.get_data("crate", "absent.txt")


@pytest.fixture
def barrel(folder: Path) -> Path:
    """Pack a package with compiled modules, which must be files."""
    files = {"barrel/__init__.py": "from barrel.hoop import size", "barrel/hoop.py": "size = 4"}
    pack(folder, "barrel", files, bytecode=False)
    importlib.invalidate_caches()
    return folder / "barrel.zip"


def test_an_archive_alone_is_unpacked(barrel: Path) -> None:
    spec = importlib.util.find_spec("barrel")
    assert spec is not None
    assert barrel.exists()  # finding it does not unpack it
    module = importlib.import_module("barrel")
    assert module.size == sys.modules["barrel.hoop"].size == 4
    assert spec.origin == module.__file__ == str(barrel.parent.parent / "barrel" / "__init__.py")
    assert module.__spec__ is not None
    assert module.__spec__.submodule_search_locations == [str(barrel.parent.parent / "barrel")]
    assert inspect.getsource(module).strip() == "from barrel.hoop import size"
    assert not barrel.exists()


def test_an_archive_alone_is_unpacked_for_its_files(barrel: Path) -> None:
    spec = importlib.util.find_spec("barrel")
    assert spec is not None
    assert isinstance(spec.loader, packed_packages.Unpacking)
    assert spec.loader.get_source("barrel") == "from barrel.hoop import size"
    assert not barrel.exists()


def test_a_module_of_an_archive_alone(barrel: Path) -> None:
    spec = importlib.util.find_spec("barrel")
    assert spec is not None
    sys.modules["barrel"] = importlib.util.module_from_spec(spec)  # not loaded, like Keras's h5py
    assert importlib.import_module("barrel.hoop").size == 4
    assert not barrel.exists()


def test_parts_come_late(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Check that modules that are empty in the first file are downloaded on demand.

    Sources are also downloaded on demand.
    """
    pack(folder, "crate", FILES)
    modules = compiled(FILES, f"{folder.parent}/")
    rest = {name: modules[name] for name in ("crate/inner/deep",)}
    first = {**modules, **dict.fromkeys(rest, b"")}
    (folder / "crate.bytecode").write_bytes(as_one(first))
    files = {
        "late/crate.rest": as_one(rest),
        "late/crate.zip": (folder / "crate.zip").read_bytes(),
    }
    (folder / "crate.zip").unlink()
    late = {name.rpartition(".")[2]: {"file": name, "sha256": "?"} for name in files}
    (folder / "crate.json").write_text(json.dumps(late))
    asked: list[str] = []

    def fetch(file: str, sha256: str) -> bytes:
        asked.append(file)
        return files[file]

    monkeypatch.setattr(packed_packages.lazy_imports, "fetch", fetch)
    importlib.import_module("crate.inner")
    assert asked == ["late/crate.rest"], "crate imports Jar"
    jar = importlib.import_module("crate").Jar
    assert jar.size == 3
    assert "return 1 / 0  # here" in inspect.getsource(jar)
    assert asked == ["late/crate.rest", "late/crate.zip"]


def test_an_archive_of_the_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Import modules from an archive on the path, like the site's standard library."""
    archive = str(tmp_path / "library.zip")
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("started.py", "import crate")
        file.writestr("crate/inner/label.txt", FILES["crate/inner/label.txt"])
        file.writestr("library.bytecode", as_one(compiled(FILES, f"{archive}/")))
    monkeypatch.setattr(sys, "path", [archive, *sys.path])
    monkeypatch.setattr(sys, "path_hooks", [*sys.path_hooks])
    modules = set(sys.modules)
    found = zipimporter(archive).get_data("library.bytecode")
    bytecode.install(archive, bytecode.read(found))
    try:
        deep = importlib.import_module("crate.inner.deep")
        assert deep.__file__ == f"{archive}/crate/inner/deep.py"
        assert importlib.reload(deep).Jar.size == 3
        assert pkgutil.get_data("crate.inner", "label.txt") == b"fragile"
        listed = [module.name for module in pkgutil.iter_modules([archive])]
        assert listed == ["crate"]
        with pytest.raises(OSError, match="could not get source"):
            inspect.getsource(deep.Jar)
        importlib.import_module("json.tool")  # others are still found
    finally:
        for name in set(sys.modules) - modules:
            del sys.modules[name]
        sys.path_importer_cache.clear()
