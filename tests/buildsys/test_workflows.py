"""Workflows: actions are pinned, the jobs together run every test, and pages are a release."""

from __future__ import annotations

import hashlib
import re
import shlex
import subprocess
import zipfile
from pathlib import Path

import pytest

from buildsys import release, wheel
from buildsys.paths import ROOT

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
PAGES = (ROOT / ".github" / "workflows" / "pages.yml").read_text(encoding="utf-8")
CI = (ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8")
BUILDS = re.compile(
    r"require_assets|node_modules|which\(\"node\"\)|\bmodel_files\b|crossing import"
    r"|\bdispatch\.for_python|\b(pyenv|npm|glue|release|perfetto)\.ensure"
)
"""Code in test files that skips a test if something is not built."""


@pytest.mark.parametrize("file", WORKFLOWS, ids=lambda file: file.name)
def test_actions_are_pinned(file: Path) -> None:
    """Check that actions are pinned to a commit's digest, with the version in a comment."""
    used = re.findall(r"uses: (.*)", file.read_text(encoding="utf-8"))
    assert used
    for action in used:
        assert re.fullmatch(r"[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", action)


def test_one_action_has_one_version() -> None:
    texts = [file.read_text(encoding="utf-8") for file in WORKFLOWS]
    used = {action for text in texts for action in re.findall(r"uses: (\S+ # \S+)", text)}
    assert len({action.partition("@")[0] for action in used}) == len(used)


def test_published_pages_are_the_site_of_a_release(tmp_path: Path) -> None:
    """Run the steps between the actions, which find the archive of a release and unpack it."""
    name = f"tfpy-site-{wheel.version()}"
    with zipfile.ZipFile(tmp_path / f"{name}.zip", "w") as archive:
        archive.writestr(f"{name}/index.html", "a page")
    digest = hashlib.sha256((tmp_path / f"{name}.zip").read_bytes()).hexdigest()
    (tmp_path / release.DIGESTS).write_text(f"{digest}  {name}.zip\n{digest}  tfpy.whl\n")
    download, *steps = re.findall(r"- run: (.*)", PAGES)
    patterns = shlex.split(download.partition("download ")[2])[1::2]
    assert sorted(patterns) == [release.DIGESTS, "tfpy-site-*.zip"]
    for step in steps:
        subprocess.run(["bash", "-e", "-c", step], cwd=tmp_path, check=True)
    (folder,) = re.findall(r"path: (.*)", PAGES)
    assert (tmp_path / folder / "index.html").read_text() == "a page"


def test_pages_follow_the_workflow_of_releases() -> None:
    (named,) = re.findall(r"workflows: \[(.*)\]", PAGES)
    text = (ROOT / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8")
    assert f"\nname: {named}\n" in text
    assert "files: dist/release/*\n" in text  # where build.py release writes the archive


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
