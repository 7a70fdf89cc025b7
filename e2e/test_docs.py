"""Tests of the documentation's pages: links have targets, and examples run in their pages."""

from __future__ import annotations

import importlib
import json
import re
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urldefrag

import pytest

from buildsys import api_pages, docs
from buildsys.paths import SITE
from e2e.accessibility import violations
from tfpy._src.base.missing_names import own_names
from tfpy.testing.environments import ENVIRONMENTS
from tfpy.testing.server import SiteServer
from tfpy.testing.sessions import OpenPage, Sessions

RUN_SECONDS = 120.0
OpenDocs = Callable[..., OpenPage]
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
  const failed = [], quiet = [];
  let count = 0;
  for (const page of pages) {
    const text = await (await fetch(page)).text();
    const article = new DOMParser().parseFromString(text, "text/html").querySelector("article");
    document.querySelector("article").replaceWith(article);
    runs.offer(article);
    const buttons = [...article.querySelectorAll(".tfpy-run")];
    count += buttons.length;
    for (const [i, button] of buttons.entries()) {
      const shown = () => button.closest(".highlight").parentElement.nextElementSibling;
      button.click();
      while (button.textContent !== "Run") await new Promise((r) => setTimeout(r, 20));
      const error = article.querySelector(".tfpy-error");
      if (error) failed.push(`${page}: ${error.textContent}`);
      error?.remove();
      if (shown()?.matches(".tfpy-note")) quiet.push(`${page} ${i + 1}: ${shown().textContent}`);
      else if (!shown()?.matches(".tfpy-output, .tfpy-picture") || !shown().innerHTML.trim())
        failed.push(`${page}: block ${i + 1} shows nothing`);
    }
    if (!buttons.length) failed.push(`${page}: no button`);
  }
  return { failed, quiet, count };
})"""

USE = """(async (number, code, stops) => {
  const block = document.querySelectorAll(".tfpy-buttons")[number].parentElement;
  const [edit, run] = block.querySelectorAll("button");
  const until = async (test) => {
    while (!test()) await new Promise((r) => setTimeout(r, 20));
  };
  const shown = () => {
    const found = [];
    for (let e = block.parentElement.nextElementSibling; /tfpy-/.test(e?.className);
      e = e.nextElementSibling) found.push(e);
    return found;
  };
  const press = (key, more) => field.dispatchEvent(
    new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...more }));
  edit.click();
  const field = block.querySelector("textarea");
  const found = { code: field.value, focused: document.activeElement === field };
  field.value = code;
  field.dispatchEvent(new Event("input", { bubbles: true }));
  found.tab = press("Tab");
  press("Enter", { ctrlKey: true });
  await until(() => run.textContent === "Stop");
  if (stops) {
    await until(() => shown().some((e) => e.matches(".tfpy-output")));
    run.click();
    await until(() => run.disabled || run.textContent === "Run");
    await until(() => !run.disabled); // the program has ended, or catches the interrupt
    if (run.textContent === "Stop") {
      found.offered = shown().at(-1).textContent;
      run.click();
    }
  }
  await until(() => run.textContent === "Run");
  found.keywords = [...block.querySelectorAll(".tfpy-editor .k")].map((e) => e.textContent);
  edit.click();
  found.reset = [block.querySelector("textarea"), block.querySelector("pre").checkVisibility()];
  found.shown = shown().map((e) => [e.className.replace("tfpy-", ""), e.textContent]);
  const [error] = shown().filter((e) => e.matches(".tfpy-error"));
  found.bold = [...(error?.querySelectorAll("span") ?? [])]
    .filter((e) => e.style.fontWeight === "bold").map((e) => e.textContent);
  return found;
})"""

WATCH_PROGRESS = """(() => {
  window.progress = [];
  new MutationObserver(() => {
    const shown = document.querySelector(".tfpy-progress output")?.textContent;
    if (shown) progress.push(parseInt(shown));
  }).observe(document.body, { childList: true, subtree: true, characterData: true });
})()"""

FOUND = """(async (query) => {
  const links = (page) => [...page.querySelectorAll("#search-results li a")];
  const frame = document.createElement("iframe");
  frame.src = `search.html?q=${encodeURIComponent(query)}`;
  document.body.append(frame);
  const summary = () => frame.contentDocument?.querySelector("#search-results .search-summary");
  const isDone = () => /found \\d+/.test(summary()?.textContent ?? "");
  while (!isDone()) await new Promise((r) => setTimeout(r, 50));
  const found = links(frame.contentDocument).slice(0, 5).map((link) => link.getAttribute("href"));
  frame.remove();
  return found;
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
def open_page(folder: Path, tfpy_sessions: Sessions) -> Iterator[OpenDocs]:
    """Open a page of the documentation, which is a folder of the site."""
    mounts = {"docs": folder}
    with (
        SiteServer(SITE, mounts=mounts) as server,
        SiteServer(SITE, mounts=mounts, isolated=False) as plain,
    ):

        def opened(name: str, *, isolated: bool = True) -> OpenPage:
            url = (server if isolated else plain).url
            default = ENVIRONMENTS["default"]
            return tfpy_sessions.browsers.open("chromium", default, f"{url}docs/{name}")

        yield opened


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


MODULES_ELSEWHERE = ("tf.convert", "tf.raw_ops", "tf.testing", "tf.compat.v1.test.mock")
"""Modules that have a guide or another page instead of one in the reference."""


def test_every_public_name_has_its_place(folder: Path) -> None:
    pages = {file.stem: Links(file).anchors for file in (folder / "api").glob("tf*.html")}
    for namespace, anchors in pages.items():
        module = importlib.import_module("tfpy" + namespace.removeprefix("tf"))
        names = {f"{namespace}.{name}" for name in own_names(module)}
        assert names - anchors <= {*MODULES_ELSEWHERE, *pages}
    assert "tf.Tensor.numpy" in pages["tf"]
    guide = Links(folder / "functions.html").links
    assert "api/tf.html#tf.boolean_mask" in guide  # by its name in the text


SEARCHES = {"browser support": "support", "save model": "keras", "pandas": "data"}
"""Words that readers search for, and the pages that must be among the first five results."""


def test_the_index_describes_each_namespace(folder: Path) -> None:
    text = (folder / "api" / "index.html").read_text(encoding="utf-8")
    cells = re.findall(
        r'href="(tf[\w.]*).html">.*?</td>\s*<td[^>]*>(?:<p>)?([^<].*?)</td>', text, re.S
    )
    described = dict(cells)
    assert [*described] == api_pages.namespaces()
    assert described["tf.image"].startswith("Resizing, cropping, color adjustments")


def test_search(open_page: OpenDocs) -> None:
    page = open_page("search.html?q=reduce_logsumexp")
    first = page.evaluate(FIRST_FOUND, RUN_SECONDS)
    assert first.endswith(".reduce_logsumexp")
    for query, wanted in SEARCHES.items():
        found = page.evaluate(f"{FOUND}({json.dumps(query)})", RUN_SECONDS)
        assert wanted in {link.partition(".html")[0] for link in found}, (query, found)
    page.close()


def test_the_first_guide_runs_in_its_page(open_page: OpenDocs) -> None:
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
    check_interrupt(page)
    assert page.problems == []
    page.close()


FIRST_MODEL = (
    "latitude,day,hours\n-43.9,33,14.33\n-29.4,254,11.71\n31.3,242,12.70\n",
    r"\['latitude', 'day', 'hours'\]\n\['float32', 'int32', 'float32'\]\n",
    r"\(600, 2\) \(600, 1\)\n",
    r"\[\[-43.9  33. \].*computed on wasm\n",
    r"12 hours\n",
    r"wrong by 1.4 hours on average\n",
    r"1190 numbers to learn\n",
    r"wrong by 0.[0-3] hours on average\n",
    r"(\w+: \d+.\d h, equation: \d+.\d h\n){3}",
    r"largest difference: 0.000\n",
    r"stopped after \d+ epochs\n",
    r"wrong by 0.2 hours on average\n",
)
"""Patterns of the outputs of the guide's blocks, in their order."""


def test_every_program_of_the_guides_runs(open_page: OpenDocs) -> None:
    """Run the programs of all guides except `first_model`, which the test above covers.

    The pages are loaded one after the other into one page, so that Python is loaded once. The first
    page is one that loads Keras.
    """
    page = open_page("training.html")
    names = [f"{name}.html" for name in sorted(GUIDES, key=lambda name: name != "training")]
    found = page.evaluate(f"{EVERY_PROGRAM}({json.dumps(names)})", RUN_SECONDS)
    assert found["failed"] == []
    assert len(found["quiet"]) < 0.1 * found["count"], found["quiet"]  # these only define names
    page.close()


def use(page: OpenPage, number: int, code: str, *, stops: bool = False) -> dict[str, Any]:
    """Edit and run a block, stop it after its first output if `stops`, and reset it."""
    arguments = f"{number}, {json.dumps(code)}, {json.dumps(stops)}"
    found: dict[str, Any] = page.evaluate(f"{USE}({arguments})", RUN_SECONDS)
    assert found["focused"]
    assert found["tab"], "the Tab key leaves the text field"
    assert found["reset"] == [None, True]
    return found


def check_interrupt(page: OpenPage) -> None:
    """Check that isolated pages stop a program anywhere, and that Python keeps its variables."""
    endless = "kept = 5\nprint('begun')\nwhile True: pass"
    found = use(page, 0, endless, stops=True)
    assert found["code"].startswith("import math\n")
    assert found["keywords"] == ["while", "pass"]
    assert found["shown"] == [["output", "begun\n"], ["note", "Stopped."]]
    found = use(page, 0, "kept + 1")
    assert found["shown"] == [["output", "6\n"]]
    found = use(page, 0, CATCHING, stops=True)
    assert "Press Stop again to end Python." in found["offered"]
    (_, (kind, ended)) = found["shown"]
    assert (kind, ended.split(",")[0]) == ("note", "Stopped. The variables are lost")
    found = use(page, 0, "'kept' in dir()")
    assert found["shown"] == [["output", "False\n"]]


CATCHING = """print('begun')
while True:
    try:
        while True: pass
    except KeyboardInterrupt: pass"""
"""A program that continues after an interrupt."""

FAILING = r"""def failing(x):
    return [x][0] + {}["missing"]

try:
    failing(1)
except KeyError as error:
    raise ValueError("\x1b[1mvery\x1b[0m wrong") from error"""


def test_an_example_of_the_reference(open_page: OpenDocs) -> None:
    """Run the example of `to_graph`, which reads the source of its function, and change it.

    Without isolation, a program that does not await is stopped together with Python.
    """
    page = open_page("api/tf.autograph.html", isolated=False)
    page.evaluate(WATCH_PROGRESS, RUN_SECONDS)
    found = page.evaluate(f"{RUN}(2)", RUN_SECONDS)
    assert found == {"output": ["3\n"], "error": []}
    assert len(set(page.evaluate("progress", RUN_SECONDS))) > 5
    waits = "import asyncio\nkept = 1\nprint('a')\nwhile True: await asyncio.sleep(0)"
    for _ in range(2):
        stopped = use(page, 2, waits, stops=True)
        assert stopped["shown"] == [["output", "a\n"], ["note", "Stopped."]]
    assert use(page, 2, "kept")["shown"] == [["output", "1\n"]]
    exits = use(page, 2, "import sys\nsys.exit()")
    assert exits["shown"] == [["note", "Exited with status 0."]]
    failed = use(page, 2, FAILING)
    ((kind, text),) = failed["shown"]
    assert kind == "error"
    assert '    return [x][0] + {}["missing"]\n                    ~~^^^^^^^^^^^' in text
    assert "ValueError: very wrong" in text
    assert {*failed["bold"]} == {"very"}  # also among all frames
    assert "cells.py" not in text.partition("more frames")[0]
    assert violations(page) == []
    stopped = use(page, 2, "print('b')\nwhile True: pass", stops=True)
    assert [kind for kind, _ in stopped["shown"]] == ["output", "note"]
    assert "variables are lost" in stopped["shown"][1][1]
    assert use(page, 2, "'kept' in dir()")["shown"] == [["output", "False\n"]]
    page.close()
