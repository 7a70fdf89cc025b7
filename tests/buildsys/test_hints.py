"""Heads of the site's pages: preload hints for the modules that scripts import, and no others."""

from __future__ import annotations

from pathlib import Path

import pytest

from buildsys import cache, hints

MODULES = {
    "app/main.mjs": 'import { a } from "../a.mjs";\nawait import("./later.mjs");',
    "app/later.mjs": "",
    "a.mjs": """
        // import "./said.mjs";
        /** @typedef {import("./said.mjs").Said} Said */
        import "./b.mjs";""",
    "b.mjs": 'import { a } from "./a.mjs";\nimport "./absent.mjs";',
    "said.mjs": "",
}
HEAD = '<head>\n  <script type="module" src="main.mjs"></script>\n{}</head>'


def hinted(folder: Path, body: str, names: list[str]) -> tuple[str, str]:
    """Return a page with hints, and the expected page."""
    texts = {**MODULES, "app/index.html": HEAD.format("") + body}
    for name, text in texts.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    (page,) = hints.ensure({name: folder / name for name in texts}).values()
    links = "".join(f'  <link rel="modulepreload" href="{name}">\n' for name in names)
    return page.read_text(encoding="utf-8"), HEAD.format(links) + body


def test_pages_name_their_modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "CACHE", tmp_path / "cache")
    found, wanted = hinted(tmp_path, "", ["../a.mjs", "../b.mjs"])
    assert found == wanted


def test_pages_with_python_name_what_comes_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "CACHE", tmp_path / "cache")
    body = '<script type="text/tfpy"></script>'
    found, wanted = hinted(tmp_path, body, ["../a.mjs", "later.mjs", "../b.mjs"])
    assert found == wanted


def test_pages_include_what_they_have_in_common(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "CACHE", tmp_path / "cache")
    page = tmp_path / "app" / "index.html"
    page.parent.mkdir()
    page.write_text('<head>\n  <!--#include file="../head.inc"-->\n</head>')
    (tmp_path / "head.inc").write_text("  <title>a</title>\n")
    (made,) = hints.ensure({"app/index.html": page}).values()
    assert made.read_text() == "<head>\n  <title>a</title>\n</head>"
