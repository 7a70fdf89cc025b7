"""Static checks selected by name, and the hooks that run them before a commit."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from buildsys import checks, commands, npm, pyenv
from buildsys.paths import ROOT

HOOKS = (ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8")


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """Return the commands of the checks that run. All of them succeed."""
    found: list[list[str]] = []

    def shown(argv: Sequence[str], *, cwd: Path, env: Mapping[str, str]) -> int:
        found.append([Path(argv[0]).name, *argv[1:]])
        return 0

    monkeypatch.setattr(checks, "run_shown", shown)
    monkeypatch.setattr(pyenv, "ensure", lambda name: Path(f"/{name}/python"))
    monkeypatch.setattr(npm, "ensure", lambda: Path("/modules"))
    return found


def test_every_check_runs(ran: list[list[str]]) -> None:
    assert checks.check() == 0
    assert len(ran) == len(checks.CHECKS)
    assert not [argv for argv in ran if {"--fix", "--write", "-i"} & {*argv}]


def test_some_checks(ran: list[list[str]], monkeypatch: pytest.MonkeyPatch) -> None:
    """Check that selected checks install nothing that they do not need."""
    monkeypatch.delattr(npm, "ensure")
    assert checks.check(["clang-format", "ruff format"]) == 0
    assert [(argv[0], "--check" in argv) for argv in ran] == [
        ("python", True),
        ("clang-format", False),
    ]


def test_fixing(ran: list[list[str]]) -> None:
    """Check that `fix` fixes files if a check can do so, and that other checks run as usual."""
    assert checks.FIXES.keys() < checks.CHECKS.keys()
    assert checks.check(["ruff check", "biome", "mypy"], fix=True) == 0
    assert [argv[:4] for argv in ran] == [
        ["python", "-m", "ruff", "check"],
        ["python", "-m", "mypy"],
        ["biome", "check", "--write", "--colors=off"],
    ]
    assert "--fix" in ran[0]


def test_hooks_run_checks_that_fix() -> None:
    entries = [shlex.split(line) for line in re.findall(r"^ +entry: (.*)$", HOOKS, re.M)]
    options = [commands._parser().parse_args(words[2:]) for words in entries]
    assert [words[:2] for words in entries] == [["python", "build.py"]] * len(entries)
    assert all(found.command is commands.check and found.fix for found in options)
    assert sorted(name for found in options for name in found.only) == sorted(checks.FIXES)
