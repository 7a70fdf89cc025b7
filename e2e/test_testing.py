"""The pytest plugin as used by other projects, with the wheel installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from guides.documents import block

from buildsys import wheel
from buildsys.paths import DIST, ROOT, SITE

PROJECT = ROOT / "examples" / "project"
MYPACKAGE = """
import types, ripple
mypackage = types.SimpleNamespace(step=lambda y: ripple.step(y, y)[0])

"""
"""The code that the test in docs/testing.md tests."""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the example project, with tfpy's wheel and the project installed."""
    project = tmp_path_factory.mktemp("others") / "project"
    shutil.copytree(PROJECT, project)
    shown = block("docs/testing.md", "py").replace("import mypackage\n", MYPACKAGE)
    (project / "tests" / "test_shown.py").write_text(shown)
    (project / "node_modules" / "tfpy-web").mkdir(parents=True)
    (project / "node_modules" / "tfpy-web" / "site").symlink_to(SITE)
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index"]
    file = DIST / wheel.file_name()
    subprocess.run([*pip, "--target", project / "installed", file], check=True)
    return project


def run(project: Path, *options: str) -> str:
    """Run pytest with the installed tfpy and return its output."""
    env = {**os.environ, "PYTHONPATH": f"{project / 'installed'}{os.pathsep}{project / 'src'}"}
    argv = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *options]
    return subprocess.run(argv, cwd=project, env=env, capture_output=True, text=True).stdout


def test_the_example(project: Path) -> None:
    """Run the test and the command of docs/testing.md."""
    pytest, *options = block("docs/testing.md", "sh", "pytest").split()
    assert pytest == "pytest"
    said = run(project, *options)
    assert "7 passed" in said, said


def test_a_wheel_and_the_path_of_a_browser(project: Path) -> None:
    """Use another wheel, and a browser given by its path."""
    file = project / wheel.file_name()
    shutil.copy(DIST / file.name, file)
    browser = shutil.which("chromium")
    options = ["--tfpy-backend=wasm", f"--tfpy-browser-path=chromium={browser}"]
    said = run(project, *options, f"--tfpy-wheel={file.name}")
    assert "3 passed" in said, said


@pytest.mark.parametrize(
    ("option", "text"),
    [
        ("--tfpy-site=nowhere", "nowhere has no tfpy.mjs"),
        ("--tfpy-source=nowhere", "there is no folder"),
        ("--tfpy-wheel=nowhere.whl", "there is no file"),
        ("--tfpy-browser-path=opera=/bin/true", "one of the names chromium, firefox, webkit"),
    ],
)
def test_what_is_not_there(project: Path, option: str, text: str) -> None:
    said = run(project, "--tfpy-backend=cpu", "-k", "each_backend", option)
    assert text in said


def test_no_browser_at_all(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Check that the error names the command that installs a browser.

    Playwright has no browser either.
    """
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(project))
    for name in ("chromium", "firefox", "webkit"):
        said = run(project, "--tfpy-backend=wasm", "-k", "each_backend", f"--tfpy-browser={name}")
        assert f"playwright install {name}" in said, said
