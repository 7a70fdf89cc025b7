"""Reports of versions of Keras with which tfpy is not tested."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tfpy._src.keras_support import versions

ROOT = Path(__file__).parents[2]


def imported(program: str, folder: Path, version: str) -> str:
    """Return what an import of a package `keras` with this program and version writes to stderr."""
    about = folder / f"keras-{version}.dist-info" / "METADATA"
    about.parent.mkdir()
    about.write_text(f"Metadata-Version: 2.1\nName: keras\nVersion: {version}\n")
    (folder / "keras").mkdir()
    (folder / "keras" / "__init__.py").write_text(program)
    code = "import tfpy\ntfpy.as_tensorflow(replace=True)\n" + "import keras\n" * 2
    argv = [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(folder)!r})\n{code}"]
    return subprocess.run(argv, capture_output=True, text=True, check=False).stderr


@pytest.mark.parametrize("version", ["3.16.0", "3.1", "4.0.0rc1", "3.150.1"])
def test_a_version_that_is_not_tested(version: str, tmp_path: Path) -> None:
    found = imported(f"__version__ = {version!r}", tmp_path, version)
    assert found.count("RuntimeWarning") == 1
    assert f"RuntimeWarning: Keras {version} is installed, but tfpy" in found
    assert 'pip install "tfpy-web[keras]"' in found
    assert found.startswith("<string>:4: ")  # the import, not a line of tfpy


@pytest.mark.parametrize("version", ["3.15", "3.15.0", "3.15.7", "3.15.0.dev2026"])
def test_a_version_that_is_tested(version: str, tmp_path: Path) -> None:
    assert imported(f"__version__ = {version!r}", tmp_path, version) == ""


def test_a_version_that_cannot_be_imported(tmp_path: Path) -> None:
    program = "import tensorflow.compat.nix"
    found = imported(program, tmp_path, "2.15.0").splitlines()
    assert found[-2] == "ModuleNotFoundError: No module named 'tensorflow.compat.nix'"
    assert found[-1].startswith("Keras 2.15.0 is installed, but tfpy")


def test_an_error_of_the_tested_version_has_no_note(tmp_path: Path) -> None:
    assert imported("1 / 0", tmp_path, "3.15.1").endswith("ZeroDivisionError: division by zero\n")


def test_the_version_that_is_installed() -> None:
    """Check that the extra `keras`, the site and the tests have the tested version."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert f"keras=={versions.TESTED}.*" in project["optional-dependencies"]["keras"]
    for name in ("keras", "site", "test"):
        locked = (ROOT / "requirements" / f"{name}.txt").read_text(encoding="utf-8")
        assert f"\nkeras=={versions.TESTED}." in locked
