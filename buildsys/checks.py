"""The static checks and the tests: `build.py check`, `coverage`, `e2e` and `test`."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Sequence
from pathlib import Path

from . import debian, npm, pyenv, site
from .console import announce, run_shown
from .paths import ROOT

BROWSER_PACKAGES = (
    *("chromium", "firefox-esr", "webkit2gtk-driver", "xvfb"),
    *("libvulkan1", "mesa-vulkan-drivers"),  # Firefox computes WebGPU with lavapipe
)
PYTHON_SOURCES = (
    *("src", "web", "tests", "e2e", "bench", "docs", "examples", "buildsys", "build.py"),
)
CPP_SOURCES = ("csrc",)

Check = Callable[[Path], list[object]]


def _python_sources() -> list[str]:
    return [name for name in PYTHON_SOURCES if (ROOT / name).exists()]


def _cpp_sources() -> list[str]:
    return [
        str(file.relative_to(ROOT))
        for top in CPP_SOURCES
        for file in sorted((ROOT / top).rglob("*"))
        if file.suffix in (".c", ".cc", ".h")
    ]


CHECKS: dict[str, Check] = {
    "ruff check": lambda python: [python, "-m", "ruff", "check", *_python_sources()],
    "ruff format": lambda python: [python, "-m", "ruff", "format", "--check", *_python_sources()],
    "mypy": lambda python: [python, "-m", "mypy"],
    "mypy of e2e and bench": lambda python: [
        *(python, "-m", "mypy", "--config-file", "e2e/mypy.toml")
    ],
    "pyright": lambda python: [
        *(npm.tool("pyright"), "--project", "examples", "--pythonpath", python)
    ],
    "layers": lambda python: [python.with_name("lint-imports")],
    "public modules": lambda python: [python, "-m", "buildsys.face", "--check"],
    "prose": lambda python: [python, "-m", "buildsys.prose"],
    "tsc": lambda _: [npm.tool("tsc"), "--project", ROOT],
    "tsc of the npm package": lambda _: [npm.tool("tsc"), "--project", ROOT / "web" / "npm"],
    "biome": lambda _: [npm.tool("biome"), "ci", "--colors=off"],
    "clang-format": lambda python: [
        *(python.with_name("clang-format"), "--dry-run", "-Werror", *_cpp_sources())
    ],
}
"""The static checks: functions from the interpreter of the test environment to a command."""

FIXES: dict[str, Check] = {
    "ruff check": lambda python: [python, "-m", "ruff", "check", "--fix", *_python_sources()],
    "ruff format": lambda python: [python, "-m", "ruff", "format", *_python_sources()],
    "public modules": lambda python: [python, "-m", "buildsys.face"],
    "biome": lambda _: [npm.tool("biome"), "check", "--write", "--colors=off"],
    "clang-format": lambda python: [python.with_name("clang-format"), "-i", *_cpp_sources()],
}
"""The checks that can edit files, with the commands that do so."""


def check(only: Collection[str] = (), *, fix: bool = False) -> int:
    """Run the static checks, or some of them, and return the number of failed checks.

    Args:
        only: Names in `CHECKS`. Default: all.
        fix: If True, the checks in `FIXES` edit the files. Such a check fails where it cannot.
    """
    python = pyenv.ensure("test")
    commands = CHECKS | FIXES if fix else CHECKS
    return sum(
        _failed(title, [str(word) for word in command(python)])
        for title, command in commands.items()
        if not only or title in only
    )


def unit_tests() -> int:
    """Run tests/ on CPython, with the wasm modules in node. Return 1 if a test failed, else 0."""
    site.ensure()
    argv = [str(pyenv.ensure("test")), "-m", "pytest", "--build", "-n", "auto"]
    argv += ["--dist", "worksteal"]  # the last tests take minutes and use all cores
    return _failed("Python tests", argv)


def python_tests(arguments: Sequence[str]) -> int:
    """Run pytest on tests/ without building anything, and return its exit status."""
    argv = [pyenv.for_tests(), "-m", "pytest", *arguments]
    return run_shown(argv, cwd=ROOT, env=pyenv.importing("src", "tests", "."))


def coverage(arguments: Sequence[str]) -> int:
    """Count the ops of each backend, and return the exit status."""
    argv = [str(pyenv.ensure("test")), "-m", "surface.report", *arguments]
    return run_shown(argv, cwd=ROOT, env=pyenv.importing("src", "tests"))


def end_to_end_tests(arguments: Sequence[str]) -> int:
    """Run e2e/ in the browsers on the site. Return 1 if a test failed, else 0."""
    prepare_browsers()
    site.ensure()
    # One browser per core. e2e/conftest.py decides which files share one, and the order.
    spread = ("-n", "auto", "--dist", "loadfile", "--no-loadscope-reorder")
    argv = [str(pyenv.ensure("build")), "-m", "pytest", "-o", "testpaths=e2e", *spread, *arguments]
    return _failed("tests in browsers", argv)


def face(arguments: Sequence[str]) -> int:
    """Make the public modules, or check that they are current. Return the exit status."""
    argv = [str(pyenv.ensure("test")), "-m", "buildsys.face", *arguments]
    return run_shown(argv, cwd=ROOT, env=pyenv.importing("src"))


def prepare_browsers() -> None:
    """Install the browsers if they are missing."""
    debian.ensure_packages(BROWSER_PACKAGES, "browsers for the tests")


def _failed(title: str, argv: Sequence[str]) -> int:
    path = os.pathsep.join([str(Path(argv[0]).parent), os.environ["PATH"]])
    announce(title)
    status = run_shown(argv, cwd=ROOT, env={**pyenv.importing("src"), "PATH": path})
    if status:
        print(f"     {title} FAILED ({status})", flush=True)
    return int(status != 0)
