"""The files of the site."""

from __future__ import annotations

from pathlib import Path
from typing import NoReturn

import pytest

from buildsys import gallery_models, h5py_wheel, hub_wheels, package_wheels, site, wheel


def _refuse(*_: object) -> NoReturn:
    raise AssertionError("the demo does not need this")


def test_the_demo_is_served_before_h5py_is_built(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for module in (gallery_models, h5py_wheel, hub_wheels):
        monkeypatch.setattr(module, "ensure", _refuse)
    # Other tests use the wheel of the current sources.
    tfpy = tmp_path / "tfpy_web-0-py3-none-any.whl"
    monkeypatch.setattr(wheel, "ensure", lambda: tfpy)
    monkeypatch.setattr(package_wheels, "with_packed_engine", lambda built: built)
    files = site.demo_files()
    wheels = {Path(name).name.split("-")[0] for name in files if name.endswith(".whl")}
    assert {"keras", "ml_dtypes", "numpy", "optree", "tfpy_web"} <= wheels
    assert "h5py" not in wheels
    assert {"index.html", "demo/main.mjs", "data/digits.json", "pyodide/pyodide.mjs"} <= set(files)
