"""The static checks and the tests: `build.py check`, `coverage`, `e2e` and `test`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from . import debian, npm, pyenv, site
from .console import announce, run_shown
from .paths import ROOT

BROWSER_PACKAGES = (
    *("chromium", "firefox-esr", "webkit2gtk-driver", "xvfb"),
    *("libvulkan1", "mesa-vulkan-drivers"),  # Firefox computes WebGPU on lavapipe
)
PYTHON_SOURCES = (
    *("src", "web", "tests", "e2e", "bench", "docs", "examples", "buildsys", "build.py"),
)
CPP_SOURCES = ("csrc",)


def check() -> int:
    """Run every static check; the number of those that failed."""
    python = pyenv.ensure("test")
    sources = [name for name in PYTHON_SOURCES if (ROOT / name).exists()]
    cpp = [
        str(file.relative_to(ROOT))
        for top in CPP_SOURCES
        for file in sorted((ROOT / top).rglob("*"))
        if file.suffix in (".cc", ".h")
    ]
    modules = npm.ensure()
    commands: dict[str, list[object]] = {
        "ruff check": [python, "-m", "ruff", "check", *sources],
        "ruff format": [python, "-m", "ruff", "format", "--check", *sources],
        "mypy": [python, "-m", "mypy"],
        "mypy of e2e and bench": [python, "-m", "mypy", "--config-file", "e2e/mypy.toml"],
        "pyright": [modules / ".bin" / "pyright", "--project", "examples", "--pythonpath", python],
        "layers": [python.with_name("lint-imports")],
        "public modules": [python, "-m", "buildsys.face", "--check"],
        "tsc": [modules / ".bin" / "tsc", "--project", ROOT],
        "tsc of the npm package": [modules / ".bin" / "tsc", "--project", ROOT / "web" / "npm"],
        "biome": [modules / ".bin" / "biome", "ci", "--colors=off"],
        "clang-format": [python.with_name("clang-format"), "--dry-run", "-Werror", *cpp],
    }
    return sum(_failed(title, [str(word) for word in argv]) for title, argv in commands.items())


def unit_tests() -> int:
    """Run tests/ on CPython, those of the wasm modules in node; 1 when it failed."""
    site.ensure()
    # A worker that has finished takes tests from the end of the longest queue. Queues are runs of
    # consecutive tests, so that fixtures of modules are made about as often as without this.
    spread = ("-n", "auto", "--dist", "worksteal")
    argv = [str(pyenv.ensure("test")), "-m", "pytest", "--build", *spread]
    return _failed("Python tests", argv)


def python_tests(arguments: Sequence[str]) -> int:
    """Run pytest on tests/ and build nothing; its exit status."""
    argv = [pyenv.ensure("test"), "-m", "pytest", *arguments]
    return run_shown(argv, cwd=ROOT, env=pyenv.importing("src"))


def coverage(arguments: Sequence[str]) -> int:
    """Count the ops of each backend; its exit status."""
    argv = [str(pyenv.ensure("test")), "-m", "surface.report", *arguments]
    return run_shown(argv, cwd=ROOT, env=pyenv.importing("src", "tests"))


def end_to_end_tests(arguments: Sequence[str]) -> int:
    """Run e2e/ in the browsers on the site; 1 when it failed."""
    prepare_browsers()
    site.ensure()
    # A browser for each core; e2e/conftest.py says which files share one, and in which order.
    spread = ("-n", "auto", "--dist", "loadfile", "--no-loadscope-reorder")
    argv = [str(pyenv.ensure("build")), "-m", "pytest", "-o", "testpaths=e2e", *spread, *arguments]
    return _failed("tests in browsers", argv)


def face(arguments: Sequence[str]) -> int:
    """Make the public modules, or check that they are current; its exit status."""
    argv = [str(pyenv.ensure("test")), "-m", "buildsys.face", *arguments]
    return run_shown(argv, cwd=ROOT, env=pyenv.importing("src"))


def prepare_browsers() -> None:
    """Install the browsers when missing."""
    debian.ensure_packages(BROWSER_PACKAGES, "browsers for the tests")


def _failed(title: str, argv: Sequence[str]) -> int:
    path = os.pathsep.join([str(Path(argv[0]).parent), os.environ["PATH"]])
    announce(title)
    status = run_shown(argv, cwd=ROOT, env={**pyenv.importing("src"), "PATH": path})
    if status:
        print(f"     {title} FAILED ({status})", flush=True)
    return int(status != 0)
