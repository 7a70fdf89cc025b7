"""Packages that stand packed in a folder, as the site's wheels bring them."""

from __future__ import annotations

import importlib
import importlib.resources
import inspect
import linecache
import marshal
import pickle
import pkgutil
import sys
import traceback
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tfpy._src.alias import packed

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
        code = {
            path.removesuffix(".py"): marshal.dumps(
                compile(text, f"{folder}/{name}.zip/{path}", "exec")
            )
            for path, text in files.items()
            if path.endswith(".py")
        }
        (folder / f"{name}.bytecode").write_bytes(marshal.dumps(code, 2))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder for packages that is installed; what it gave is forgotten after the test."""
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path)])
    monkeypatch.setattr(sys, "path_hooks", [*sys.path_hooks])
    modules = set(sys.modules)
    packed.install(str(tmp_path / "packed"))
    yield tmp_path / "packed"
    for name in set(sys.modules) - modules:
        del sys.modules[name]


@pytest.fixture
def crate(folder: Path) -> Any:
    assert importlib.util.find_spec("crate") is None
    pack(folder, "crate", FILES)  # installed later, as a page may load packages
    importlib.invalidate_caches()
    return importlib.import_module("crate")


def test_modules_are_found(crate: Any, folder: Path) -> None:
    deep = sys.modules["crate.inner.deep"]
    assert crate.Jar is deep.Jar
    assert (crate.__doc__, crate.__package__) == ("A crate.", "crate")
    assert crate.__file__ == f"{folder}/crate.zip/crate/__init__.py"
    assert deep.__file__ == f"{folder}/crate.zip/crate/inner/deep.py"
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


def test_an_archive_alone_is_unpacked(folder: Path) -> None:
    pack(folder, "barrel", {"barrel/__init__.py": "size = 4"}, bytecode=False)
    importlib.invalidate_caches()
    barrel = importlib.import_module("barrel")
    assert barrel.size == 4
    assert Path(barrel.__file__) == folder.parent / "barrel" / "__init__.py"
    assert not (folder / "barrel.zip").exists()
