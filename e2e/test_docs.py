"""Tests of the documentation's pages: links have targets, and examples run in their pages."""

from __future__ import annotations

import importlib
import json
import re
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag

import pytest

from buildsys import docs
from buildsys.paths import SITE
from tfpy._src.base.missing_names import own_names
from tfpy.testing.environments import ENVIRONMENTS
from tfpy.testing.server import SiteServer
from tfpy.testing.sessions import OpenPage, Sessions

RUN_SECONDS = 120.0
GUIDES = [
    file.stem
    for folder in (docs.PAGES, docs.PAGES / "site")
    for file in folder.glob("*.md")
    if "\n```python\n" in file.read_text() and file.stem != "first_model"
]

RUN = """(async (...numbers) => {
  const buttons = [...document.querySelectorAll(".tfpy-run")];
  for (const number of numbers) buttons.at(number).click();
  while (buttons.some((b) => b.textContent !== "Run")) await new Promise((r) => setTimeout(r, 50));
  const texts = (selector) => [...document.querySelectorAll(selector)].map((e) => e.textContent);
  return { output: texts(".tfpy-output"), error: texts(".tfpy-error") };
})"""

EVERY_PROGRAM = """(async (pages) => {
  const runs = await import(document.querySelector("script[src*='run.mjs']").src);
  const failed = [];
  for (const page of pages) {
    const text = await (await fetch(page)).text();
    const article = new DOMParser().parseFromString(text, "text/html").querySelector("article");
    document.querySelector("article").replaceWith(article);
    runs.offer(article);
    const buttons = [...article.querySelectorAll(".tfpy-run")];
    for (const button of buttons) {
      button.click();
      while (button.textContent !== "Run") await new Promise((r) => setTimeout(r, 20));
      const error = article.querySelector(".tfpy-error");
      if (error) failed.push(`${page}: ${error.textContent}`);
      error?.remove();
    }
    if (!buttons.length) failed.push(`${page}: no button`);
  }
  return failed;
})"""

FIRST_FOUND = """(async () => {
  const link = () => document.querySelector("#search-results li a");
  while (!link()) await new Promise((r) => setTimeout(r, 50));
  return link().href;
})()"""


@pytest.fixture(scope="module")
def folder() -> Path:
    return docs.ensure()


@pytest.fixture(scope="module")
def open_page(folder: Path, tfpy_sessions: Sessions) -> Iterator[Callable[[str], OpenPage]]:
    """Yield a function that opens a page of the documentation, which is served in the site."""
    with SiteServer(SITE, mounts={"docs": folder}) as server:
        yield lambda name: tfpy_sessions.browsers.open(
            "chromium", ENVIRONMENTS["default"], f"{server.url}docs/{name}"
        )


class Links(HTMLParser):
    """The links and the anchors of a page."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.links: set[str] = set()
        self.anchors: set[str] = set()
        self.feed(file.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = dict(attrs)
        if named.get("id"):
            self.anchors.add(str(named["id"]))
        link = named.get("href") or named.get("src")
        if link and "://" not in link and not link.startswith(("data:", "mailto:")):
            self.links.add(link)


def test_links_lead_somewhere(folder: Path) -> None:
    pages = {file: Links(file) for file in folder.rglob("*.html")}
    broken = []
    for file, found in pages.items():
        for link in found.links:
            path, anchor = urldefrag(link)
            target = (file.parent / unquote(path.partition("?")[0])).resolve() if path else file
            if not target.is_relative_to(folder):  # the site has the documentation in a folder
                target = SITE / target.relative_to(folder.parent)
            if not target.is_file() or (
                anchor and target in pages and unquote(anchor) not in pages[target].anchors
            ):
                broken.append(f"{file.relative_to(folder)}: {link}")
    assert broken == []
    assert len(pages) > 60


def test_every_public_name_has_its_place(folder: Path) -> None:
    pages = {file.stem: Links(file).anchors for file in (folder / "api").glob("tf*.html")}
    for namespace, anchors in pages.items():
        module = importlib.import_module("tfpy" + namespace.removeprefix("tf"))
        names = {f"{namespace}.{name}" for name in own_names(module)}
        assert names - anchors <= {"tf.convert", "tf.raw_ops", "tf.testing", *pages}
    assert "tf.Tensor.numpy" in pages["tf"]
    guide = Links(folder / "functions.html").links
    assert "api/tf.html#tf.boolean_mask" in guide  # by its name in the text


def test_search_finds_a_function(open_page: Callable[[str], OpenPage]) -> None:
    page = open_page("search.html?q=reduce_logsumexp")
    first = page.evaluate(FIRST_FOUND, RUN_SECONDS)
    assert first.endswith(".reduce_logsumexp")
    page.close()


def test_the_first_guide_runs_in_its_page(open_page: Callable[[str], OpenPage]) -> None:
    """Check that the last button also runs the blocks before it.

    A block that ran earlier does not run again.
    """
    page = open_page("first_model.html")
    found = page.evaluate(f"{RUN}(1, -1)", RUN_SECONDS)
    assert found["error"] == []
    for output, pattern in zip(found["output"], FIRST_MODEL, strict=True):
        assert re.fullmatch(pattern, output, re.S)
    plots = page.evaluate("document.querySelectorAll('.tfpy-picture svg').length")
    assert plots == 2  # the network's learning curves, and the linear model's
    assert page.problems == []
    page.close()


FIRST_MODEL = (
    r"\['latitude', 'day', 'hours'\]\n\['float32', 'int32', 'float32'\]\n",
    r"\(600, 2\) \(600, 1\)\n",
    r"\[\[-43.9  33. \].*computed on wasm\n",
    r"12 hours\n",
    r"wrong by 1.4 hours on average\n",
    r"wrong by 0.[0-3] hours on average\n",
    r"(\w+: \d+.\d h, equation: \d+.\d h\n){3}",
    r"largest difference: 0.000\n",
    r"stopped after \d+ epochs\n",
    r"wrong by 0.2 hours on average\n",
)
"""Patterns of the outputs of the guide's blocks, in their order."""


def test_every_program_of_the_guides_runs(open_page: Callable[[str], OpenPage]) -> None:
    """Run the programs of all guides except `first_model`, which the test above covers.

    The pages are loaded one after the other into one page, so that Python is loaded once. The first
    page is one that loads Keras.
    """
    page = open_page("training.html")
    names = [f"{name}.html" for name in sorted(GUIDES, key=lambda name: name != "training")]
    assert page.evaluate(f"{EVERY_PROGRAM}({json.dumps(names)})", RUN_SECONDS) == []
    page.close()


def test_an_example_of_the_reference(open_page: Callable[[str], OpenPage]) -> None:
    """Run the example of `to_graph`, which reads the source of its function."""
    page = open_page("api/tf.autograph.html")
    found = page.evaluate(f"{RUN}(2)", RUN_SECONDS)
    assert found == {"output": ["3\n"], "error": []}
    page.close()
