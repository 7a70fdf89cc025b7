"""CI workflows: actions are pinned, and the jobs together run every test."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from buildsys.paths import ROOT

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
CI = (ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8")
BUILDS = re.compile(
    r"require_assets|node_modules|which\(\"node\"\)|\bmodel_files\b|crossing import"
    r"|\b(pyenv|npm|glue|release|perfetto)\.ensure"
)
"""Code in test files that skips a test if something is not built."""


@pytest.mark.parametrize("file", WORKFLOWS, ids=lambda file: file.name)
def test_actions_are_pinned(file: Path) -> None:
    """Check that actions are pinned to a commit's digest, with the version in a comment."""
    used = re.findall(r"uses: (.*)", file.read_text(encoding="utf-8"))
    assert used
    for action in used:
        assert re.fullmatch(r"[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", action)


def test_jobs() -> None:
    assert re.findall(r"^  (\w+):(?: #.*)?$", CI.partition("jobs:\n")[2], re.M) == [
        *("lint", "python", "wasm", "browsers", "docs")
    ]


def test_tests_that_need_a_build_have_one() -> None:
    """Check that the job wasm lists each of these tests or its folder.

    The job python skips them.
    """
    named = re.findall(r"tests/\S+", CI.partition("--build")[2].partition("browsers:")[0])
    assert all((ROOT / path).exists() for path in named)
    files = [file for file in (ROOT / "tests").rglob("*.py") if file != Path(__file__)]
    needing = [f.relative_to(ROOT) for f in files if BUILDS.search(f.read_text(encoding="utf-8"))]
    assert len(needing) > 30
    assert [f for f in needing if not any(f.is_relative_to(path) for path in named)] == []


def test_folders_of_python_without_tensorflow() -> None:
    (listed,) = re.findall(r"tests: (tests/.*)", CI)
    for folder in listed.split():
        for file in (ROOT / folder).rglob("*.py"):
            assert not re.search(r"^(import|from) tensorflow", file.read_text("utf-8"), re.M), file
