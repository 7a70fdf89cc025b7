"""Files that pages download late: found last, verified, and only then imported."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import io
import json
import subprocess
import sys
import types
import zipfile
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

import pytest

from buildsys.package_wheels import ENGINE_LATE
from tfpy._src.loader import lazy_imports

BASE = "https://example.org/pyodide/"


def archive(files: dict[str, str]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as out:
        for name, text in files.items():
            out.writestr(name, text)
    return made.getvalue()


LIBRARY = archive({"cellar/__init__.py": "", "cellar/wine.py": "year = 1998", "attic.py": "x = 1"})
REST = archive({"loft/__init__.py": "", "loft/beam.py": "length = 4"})
CRATE = archive(
    {"crate/jars/__init__.py": "from crate.jars.lid import size", "crate/jars/lid.py": "size = 3"}
)


def part(file: str, data: bytes, *modules: str) -> dict[str, object]:
    return {"file": file, "sha256": hashlib.sha256(data).hexdigest(), "modules": modules}


class Requests:
    """A substitute for a page's XMLHttpRequest."""

    def __init__(self, answers: dict[str, bytes]) -> None:
        self.answers = answers
        self.asked: list[str] = []

    def new(self) -> Requests:
        return self

    def open(self, method: str, url: str, is_async: bool) -> None:
        assert (method, is_async) == ("GET", False)
        self.asked.append(url)

    def overrideMimeType(self, kind: str) -> None:  # noqa: N802 as pages call it
        assert kind.endswith("x-user-defined")

    def send(self) -> None:
        data = self.answers.get(self.asked[-1].removeprefix(BASE))
        self.status, self.statusText = (404, "Not Found") if data is None else (200, "OK")
        self.responseText = "".join(chr(b if b < 128 else 0xF700 + b) for b in data or b"")


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Requests]:
    """Set up a page with late parts of the library and a package; forget its imports afterwards."""
    requests = Requests(
        {"late/library.zip": LIBRARY, "late/library.rest": REST, "late/crate.zip": CRATE}
    )
    ffi = types.SimpleNamespace(JsException=OSError)
    for name, module in {
        "js": types.SimpleNamespace(XMLHttpRequest=requests),
        "pyodide_js": types.SimpleNamespace(lockfileBaseUrl=BASE),
        "pyodide": types.SimpleNamespace(ffi=ffi),
        "pyodide.ffi": ffi,
    }.items():
        monkeypatch.setitem(sys.modules, name, module)
    place = tmp_path / "site-packages"
    for folder in ("crate", "late"):
        (place / folder).mkdir(parents=True)
    (place / "crate" / "__init__.py").write_text("name = 'crate'")
    described = part("late/crate.zip", CRATE, "crate.jars", "crate.jars.lid")
    (place / "late" / "crate.json").write_text(json.dumps(described))
    monkeypatch.setattr(sys, "path", [*sys.path, str(place)])
    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path])
    monkeypatch.setattr(lazy_imports, "_ARCHIVES", str(tmp_path / "archives"))
    modules = set(sys.modules)
    library = part("late/library.zip", LIBRARY, "cellar", "cellar.wine", "attic", "shed")
    rest = part("late/library.rest", REST, "loft", "loft.beam")

    def load(data: bytes) -> None:
        (tmp_path / "rest.zip").write_bytes(data)
        sys.path.append(str(tmp_path / "rest.zip"))

    lazy_imports.install({**rest, "load": load}, library)
    lazy_imports.install()
    yield requests
    for name in set(sys.modules) - modules:
        del sys.modules[name]


def test_what_is_missing_is_fetched_once(page: Requests) -> None:
    assert importlib.import_module("cellar.wine").year == 1998
    assert importlib.import_module("attic").x == 1
    assert importlib.import_module("crate").name == "crate"
    assert page.asked == [f"{BASE}late/library.zip"]
    jars = importlib.import_module("crate.jars")
    assert jars.size == 3
    assert Path(jars.__file__ or "").is_file(), "compiled modules must be files"
    assert page.asked == [f"{BASE}late/library.zip", f"{BASE}late/crate.zip"]


def test_a_part_is_loaded_by_a_function(page: Requests) -> None:
    assert importlib.import_module("loft.beam").length == 4
    assert importlib.import_module("attic").x == 1
    assert page.asked == [f"{BASE}late/library.rest", f"{BASE}late/library.zip"]


def test_a_changed_part_is_not_loaded(page: Requests) -> None:
    page.answers["late/library.rest"] = REST[:-1]
    with pytest.raises(ImportError, match=f"{BASE}late/library.rest is not the file that belongs"):
        importlib.import_module("loft")


def test_what_no_part_has_is_not_fetched(page: Requests) -> None:
    for name in ("barn", "cellar_of_others", "crate.bottles"):
        with pytest.raises(ModuleNotFoundError, match=f"No module named '{name}'"):
            importlib.import_module(name)
    assert page.asked == []


def test_a_file_of_another_version_is_refused(page: Requests) -> None:
    page.answers["late/library.zip"] = LIBRARY + b"?"
    with pytest.raises(ImportError, match=f"{BASE}late/library.zip is not the file that belongs"):
        importlib.import_module("attic")
    page.answers["late/library.zip"] = LIBRARY
    assert importlib.import_module("attic").x == 1


def test_a_missing_file_is_named(page: Requests) -> None:
    del page.answers["late/library.zip"]
    with pytest.raises(ImportError, match=f"{BASE}late/library.zip: 404 Not Found"):
        importlib.import_module("attic")


def test_importing_tfpy_fetches_nothing_late() -> None:
    """Check that importing tfpy downloads nothing late.

    The page's thread would wait for it.
    """
    code = "import sys, tfpy; print(*(n for n in sys.modules if n.startswith('tfpy.')))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    modules = [name.replace(".", "/") for name in done.stdout.split()]
    names = [n for module in modules for n in (module, f"{module}/__init__")]
    assert [n for n in names if any(fnmatch(n, p) for p in ENGINE_LATE)] == []
