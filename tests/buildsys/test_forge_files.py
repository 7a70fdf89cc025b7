"""The files with which the forge shows the project: forms, citation and notice."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from buildsys import wheel
from buildsys.paths import ROOT

FORMS = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / ".github").glob("*.md")])
LINK = re.compile(r"\]\((?!https?:|#)([^)#]+)(?:#([^)]+))?\)")


@pytest.mark.parametrize(
    "form", [form for form in FORMS if form.stem != "config"], ids=lambda form: form.stem
)
def test_a_form(form: Path) -> None:
    """Check that a form has a name and a description, and its fields labels and unique ids."""
    text = form.read_text(encoding="utf-8")
    assert re.match(r"name: .+\ndescription: .+\nlabels: \[\w+\]\nbody:\n", text)
    fields = text.split("\n  - type: ")[1:]
    ids = [re.search(r"^    id: (\w+)$", field, re.M) for field in fields]
    assert None not in ids
    assert len({found[1] for found in ids if found}) == len(fields) > 1
    assert all(re.search(r"^      label: \S", field, re.M) for field in fields)
    assert {field.split("\n", 1)[0] for field in fields} <= {"textarea", "input", "dropdown"}


def test_vulnerabilities_are_reported_in_private() -> None:
    address = "https://github.com/tfpy/tfpy/security/advisories/new"
    config = (ROOT / ".github" / "ISSUE_TEMPLATE" / "config.yml").read_text(encoding="utf-8")
    assert f"url: {address}\n" in config
    assert address in (ROOT / "SECURITY.md").read_text(encoding="utf-8")


def test_the_citation_names_the_version() -> None:
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert re.findall(r"^version: (.*)$", text, re.M) == [wheel.version()]


@pytest.mark.parametrize("file", PAGES, ids=lambda file: file.name)
def test_links_lead_to_files_and_sections(file: Path) -> None:
    text = re.sub(r"(?s)```.*?```", "", file.read_text(encoding="utf-8"))
    for path, section in LINK.findall(text):
        target = (file.parent / path).resolve()
        assert target.exists(), path
        if section:
            titles = re.findall(r"^#+ (.*)$", target.read_text(encoding="utf-8"), re.M)
            anchors = [re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles]
            assert section in anchors, f"{path}#{section}"


def test_named_files_exist() -> None:
    """Check that SECURITY.md names the tests of its guarantees."""
    text = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    named = re.findall(r"`((?:tests|e2e)/[^`]+)`", text)
    assert len(named) > 3
    assert all((ROOT / name).exists() for name in named)
