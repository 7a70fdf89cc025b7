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
APPLICATION = '<title>My application</title><link rel="icon" href="data:,">'


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the example project, with tfpy's wheel and the project installed."""
    project = tmp_path_factory.mktemp("others") / "project"
    shutil.copytree(PROJECT, project)
    shown = block("docs/testing.md", "py", "mypackage").replace("import mypackage\n", MYPACKAGE)
    (project / "tests" / "test_shown.py").write_text(shown)
    shown = block("docs/testing.md", "py", "test_the_build")
    (project / "tests" / "test_page.py").write_text(shown)
    (project / "dist").mkdir()
    (project / "dist" / "index.html").write_text(APPLICATION)
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
    assert "8 passed" in said, said


def test_a_wheel_and_the_path_of_a_browser(project: Path) -> None:
    """Use another wheel, and a browser given by its path."""
    file = project / wheel.file_name()
    shutil.copy(DIST / file.name, file)
    browser = shutil.which("chromium")
    options = ["--tfpy-backend=wasm", f"--tfpy-browser-path=chromium={browser}"]
    said = run(project, *options, f"--tfpy-wheel={file.name}")
    assert "4 passed" in said, said


CHECKS = """
import pytest
from pathlib import Path
from tfpy.testing import SiteServer, run_in_browser
from tfpy.testing.environments import BrowserError

@run_in_browser
def test_bare(tf, backend):
    assert tf.get_backend() == backend

class TestGroup:
    size = 3

    @run_in_browser(backends=["cpu"])
    @pytest.mark.parametrize("scale", [2.0])
    def test_method(self, tf, scale):
        assert float(tf.reduce_sum(tf.ones([self.size])) * scale) == 6.0

def test_pages(tfpy_page):
    with pytest.raises(BrowserError, match="nothere.html is not available: .* with 404"):
        tfpy_page("nothere.html")
    (Path(__file__).parent / "own.html").write_text("<title>My own page</title>")
    with SiteServer(Path(__file__).parent) as server:
        assert tfpy_page(f"{server.url}own.html").evaluate("document.title") == "My own page"

@run_in_browser(backends=["cpu"])
def test_keras():
    import keras

@run_in_browser(backends=["cpu"])
def test_source():
    import ripple

@run_in_browser(backends=["cpu"])
def test_skipped():
    pytest.skip("not today")
"""


def test_forms_and_reports(project: Path) -> None:
    """Check the forms of tests, and reports of missing packages, missing pages and skips."""
    folder = project / "checks"
    folder.mkdir()
    (folder / "checks.py").write_text(CHECKS)
    options = ["-o", "addopts=", "--tfpy-site=node_modules/tfpy-web/site", "--tfpy-backend=cpu"]
    said = run(project, *options, "-rs", "checks/checks.py")
    assert "2 failed, 3 passed, 1 skipped" in said, said
    assert 'has not loaded the package keras. Add packages=["keras"] to run_in_browser.' in said
    assert "No module named 'ripple'\nIf it is a module of yours, name the folder" in said
    assert "pytest --tfpy-source=FOLDER" in said
    assert f"SKIPPED [1] checks/checks.py:{CHECKS.count(chr(10)) - 2}: not today" in said
    assert "--full-trace" not in said


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
