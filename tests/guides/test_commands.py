"""The commands in documents: the programs and files that they name exist and accept the options.

The commands of docs/notebooks.md, docs/testing.md, docs/scale.md and web/npm/README.md run in the
tests of their results.
"""

from __future__ import annotations

import argparse
import importlib.util
import re
import runpy
import shlex
import subprocess
import sys
from importlib.metadata import metadata
from pathlib import Path
from typing import Any, NoReturn

import pytest
from guides.documents import ROOT, block, blocks

from buildsys import checks, commands, pyenv, site, wheel
from buildsys.paths import SITE
from buildsys.project import DISTRIBUTION, PROJECT
from tfpy._src.formats.convert import converter

PYTHON = "python"
SHOWN = [
    *blocks("README.md", "sh"),
    *blocks("CONTRIBUTING.md", "sh"),
    *blocks("bench/README.md", "sh"),
    *blocks("docs/install.md", "sh"),
    *blocks("docs/libraries.md", "sh"),
    block("docs/notebooks.md", "sh", "jupyterlite-core"),
    block("docs/notebooks.md", "sh", "pip install marimo"),
    block("docs/scale.md", "sh", "pip"),
    block("docs/testing.md", "sh", "pip"),
]
RUN_BY_PYTEST = (commands.test, commands.e2e)
INSTALLED = {*(ROOT / "requirements/notebooks.in").read_text().split(), "uv"}
"""Packages that the tests of notebooks install.

They have a substitute for uv, with which marimo fetches ruff.
"""


def lines() -> list[list[str]]:
    """Return the words of each command, without its variables."""
    found = [shlex.split(line, comments=True) for text in SHOWN for line in text.splitlines()]
    return [words[1:] if "=" in words[0] else words for words in found]


def lines_of(*beginning: str) -> list[list[str]]:
    """Return the remaining words of the commands that begin with these words."""
    count = len(beginning)
    return [words[count:] for words in lines() if words[:count] == [*beginning]]


def test_which_commands_there_are() -> None:
    """Check that the tests below cover each command, except two that make sites of notebooks."""
    known = {("pip", "install"), ("npm", "install"), ("playwright", "install")}
    known |= {(PYTHON, "build.py"), (PYTHON, "-m"), (PYTHON, "bench/pack.py")}
    known |= {("pre-commit", "install")}
    others = [words for words in lines() if words[0] != "pytest"]
    assert {tuple(words[:2]) for words in others} - known == {
        ("jupyter", "lite"),
        ("marimo", "export"),
    }


def passed_on(words: list[str], monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the module that a command of build.py runs and its arguments, or [] if there is none.

    Commands that run pytest are tested below.
    """
    options, rest = commands._parser().parse_known_args(words)
    if not rest or options.command in RUN_BY_PYTEST:
        return []
    found: list[Any] = []
    monkeypatch.setattr(checks, "prepare_browsers", lambda: None)
    monkeypatch.setattr(site, "ensure", lambda: SITE)
    monkeypatch.setattr(pyenv, "ensure", lambda name: Path(sys.executable))
    monkeypatch.setattr(commands, "run_shown", lambda argv, **_: found.extend(argv[2:]) or 0)
    monkeypatch.setattr(sys, "argv", ["build.py", *words])
    assert commands.main() == 0
    return [str(word) for word in found]


class Understood(Exception):
    """An exception that replaces a program's work after it has parsed its arguments."""


def parse(self: argparse.ArgumentParser, args: Any = None) -> NoReturn:
    """Check that all arguments are known, and end the program. It replaces `parse_args`."""
    _, left = self.parse_known_args(args)
    assert left == []
    raise Understood


def begin(words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Run a module or a file until it has parsed its arguments."""
    name, *arguments = words
    spec = None if name.endswith(".py") else importlib.util.find_spec(name)
    if spec is not None and spec.submodule_search_locations:
        spec = importlib.util.find_spec(f"{name}.__main__")
    file = ROOT / (name if spec is None else str(spec.origin))
    if "argparse" not in file.read_text(encoding="utf-8"):
        assert arguments == []
        return
    monkeypatch.setattr(sys, "argv", words)
    monkeypatch.delitem(sys.modules, name, raising=False)  # runpy warns if it is imported
    run = runpy.run_module if spec else runpy.run_path
    with pytest.raises(Understood):
        run(name if spec else str(file), run_name="__main__")


def test_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Check the arguments of programs that build.py starts, of modules and of files."""
    passed = [passed_on(words, monkeypatch) for words in lines_of(PYTHON, "build.py")]
    files = [["bench/pack.py", *words] for words in lines_of(PYTHON, "bench/pack.py")]
    programs = [*filter(None, passed), *lines_of(PYTHON, "-m"), *files]
    assert len(programs) > 15
    for name in ("parse_args", "parse_intermixed_args"):
        monkeypatch.setattr(argparse.ArgumentParser, name, parse)
    for words in programs:
        begin(words, monkeypatch)


def test_what_pytest_gets() -> None:
    """Check that test files and folders exist and that e2e/conftest.py mentions the options."""
    options = (ROOT / "e2e/conftest.py").read_text(encoding="utf-8")
    parsed = map(commands._parser().parse_known_args, lines_of(PYTHON, "build.py"))
    found = [words for known, words in parsed if known.command in RUN_BY_PYTEST]
    found += lines_of("pytest")
    assert len(found) > 3
    for word in (word for words in found for word in words):
        if word.startswith("--") and word != "--":
            assert f'"{word.partition("=")[0]}"' in options
        elif "/" in word:
            assert (ROOT / word).exists()


def test_what_pip_and_npm_install() -> None:
    """Check that the distribution, its extras and other packages have valid names."""
    assert {words[-1] for words in lines_of("npm", "install")} == {DISTRIBUTION}
    extras = {
        DISTRIBUTION: PROJECT["optional-dependencies"],
        "jax": metadata("jax").get_all("Provides-Extra"),
        **dict.fromkeys(INSTALLED, ()),
    }
    for name in (word for words in lines_of("pip", "install") for word in words):
        package, _, extra = name.partition("[")
        assert package in extras
        assert not extra or extra.removesuffix("]") in extras[package]


def test_the_files_of_a_release_that_can_be_installed() -> None:
    """Check that documents name the files that a release has."""
    archive = f"{DISTRIBUTION}-{wheel.version()}.tgz"
    for document in ("docs/install.md", "web/npm/README.md"):
        text = (ROOT / document).read_text(encoding="utf-8")
        assert {name.rpartition("/")[2] for name in re.findall(r"[\w./-]+\.tgz", text)} == {archive}
    for document in ("docs/install.md", "docs/notebooks.md"):
        text = (ROOT / document).read_text(encoding="utf-8")
        assert {*re.findall(r"[\w.-]+\.whl", text)} == {wheel.file_name()}


def test_the_tag_of_a_release() -> None:
    (tag,) = (words[-1] for words in lines_of(PYTHON, "build.py", "release"))
    assert tag == f"v{wheel.version()}"


def test_the_browser_that_playwright_installs() -> None:
    (words,) = lines_of("playwright", "install")
    argv = [sys.executable, "-m", "playwright", "install", "--dry-run", *words]
    subprocess.run(argv, capture_output=True, check=True)


def test_the_options_of_convert(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Check that the options in brackets equal those in the help."""
    shown = block("docs/models.md", "text", "tfpy.convert")
    monkeypatch.setenv("COLUMNS", "1000")
    with pytest.raises(SystemExit):
        converter.main(["--help"])
    usage = capsys.readouterr().out.partition("\n")[0]
    option = re.compile(r"\[(--[\w-]+)(?: \{([\w,]+)\})?")
    found = {name: {*values.split(",")} for name, values in option.findall(usage)}
    option = re.compile(r"\[(--[\w-]+)(?: ([\w|]+\|[\w|]+))?")
    assert {name: {*values.split("|")} for name, values in option.findall(shown)} == found
