"""Pages that were opened from a file, and pages with a wrong path of the loader."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from guides.documents import block

from buildsys import docs
from buildsys.paths import SITE
from tfpy.testing.environments import ENVIRONMENTS
from tfpy.testing.server import SiteServer
from tfpy.testing.sessions import OpenPage, Sessions

SECONDS = 60.0
NOTE = """new Promise((resolve) => {
  const look = () => {
    const note = document.querySelector("[role=alert]");
    if (note) resolve([note.innerText, note.checkVisibility(), note.querySelector("a").href]);
    else setTimeout(look, 20);
  };
  look();
})"""
SAID = """new Promise((resolve) => {
  const look = () => document.title ? resolve(document.title) : setTimeout(look, 20);
  look();
})"""
CATCH = "<script>window.alert = (text) => { document.title = text; };</script>"

Open = Callable[[str], OpenPage]


@pytest.fixture
def opened(tfpy_sessions: Sessions) -> Iterator[Open]:
    pages = []

    def open_page(url: str) -> OpenPage:
        pages.append(tfpy_sessions.browsers.open("chromium", ENVIRONMENTS["default"], url))
        return pages[-1]

    yield open_page
    for page in pages:
        page.close()


@pytest.mark.parametrize("name", ["index.html", "gallery/index.html", "gallery/tsne/index.html"])
def test_pages_of_the_site_explain_themselves(name: str, opened: Open) -> None:
    text, is_seen, link = opened((SITE / name).as_uri()).evaluate(NOTE, SECONDS)
    assert is_seen
    assert text.startswith("This page was opened from a file")
    assert f'python -m http.server --directory "{SITE}/"' in text
    assert link == f"http://localhost:8000/{name}"


def test_pages_of_the_documentation_explain_themselves(tmp_path: Path, opened: Open) -> None:
    (tmp_path / "docs").symlink_to(docs.ensure())
    script = SITE / "opened_as_file.js"
    (tmp_path / script.name).write_bytes(script.read_bytes())
    page = opened((tmp_path / "docs" / "keras.html").as_uri())
    text, is_seen, link = page.evaluate(NOTE, SECONDS)
    assert is_seen
    assert str(tmp_path) in text
    assert link == "http://localhost:8000/docs/keras.html"


def test_a_loader_that_does_not_load(tmp_path: Path, opened: Open) -> None:
    """Check that the documented line reports a page opened from a file, and a wrong path."""
    line = block("docs/pages.md", "html", "onerror")
    (tmp_path / "page.html").write_text(CATCH + line)
    (tmp_path / "tfpy.mjs").write_bytes((SITE / "tfpy.mjs").read_bytes())
    said = opened((tmp_path / "page.html").as_uri()).evaluate(SAID, SECONDS)
    assert said.startswith("tfpy.mjs did not load. Open this page from a web server")
    (tmp_path / "tfpy.mjs").unlink()
    with SiteServer(tmp_path) as server:
        again = opened(f"{server.url}page.html").evaluate(SAID, SECONDS)
    assert again == said
