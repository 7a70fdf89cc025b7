"""Every page of the site and the documentation on a narrow screen: audited when it opens."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest

from buildsys import docs
from buildsys.paths import SITE
from e2e.accessibility import violations
from tfpy.testing.environments import ENVIRONMENTS
from tfpy.testing.server import SiteServer
from tfpy.testing.sessions import MOUNT, PAGE, OpenPage, Sessions

SECONDS = 240.0
WIDTH = 360
REFERENCE = ("api/index.html", "api/tf.sets.html")
"""Two pages of the reference. Its other pages are generated in the same way."""

FRAME = "document.querySelector('iframe').contentWindow"
LOOK = """(async (address, width) => {
  document.body.innerHTML = `<iframe style="width: ${width}px; height: 800px"></iframe>`;
  const frame = document.querySelector("iframe");
  frame.src = address;
  await new Promise((resolve) => frame.addEventListener("load", resolve));
  const { contentDocument: page, contentWindow: window } = frame;
  const drawn = () => new Promise((resolve) => window.requestAnimationFrame(resolve));
  for (let i = 0; i < 3; i++) await drawn();
  const { scrollWidth, clientWidth, lang } = page.documentElement;
  return {
    title: page.title, lang, viewport: page.querySelector("meta[name=viewport]")?.content ?? "",
    headings: page.querySelectorAll("h1").length, wider: scrollWidth - clientWidth,
    nameless: [...page.images].filter((image) => !image.hasAttribute("alt")).length,
    missing: window.performance.getEntriesByType("resource")
      .filter((entry) => entry.responseStatus >= 400).map((entry) => entry.name),
  };
})"""


def pages() -> Iterator[str]:
    """Yield the addresses of the site's pages."""
    site = (*SITE.glob("*.html"), *SITE.glob("*/*.html"), *SITE.glob("gallery/*/*.html"))
    yield from sorted(str(file.relative_to(SITE)) for file in site)
    folder = docs.ensure()
    guides = sorted(file.name for file in folder.glob("*.html"))
    yield from (f"docs/{name}" for name in (*guides, *REFERENCE))


@pytest.fixture
def opened(tfpy_sessions: Sessions) -> Iterator[Callable[[], OpenPage]]:
    """Open empty pages of a server that delays Python until the test ends.

    A page is audited while it loads, so starting Python in each of them would only cost time.
    """
    ended = threading.Event()

    def python() -> bytes:
        ended.wait()
        return b""

    mounts = {"docs": docs.ensure(), MOUNT: PAGE}
    with SiteServer(SITE, mounts=mounts, made={"/pyodide/pyodide.mjs": python}) as server:
        address = f"{server.url}{MOUNT}/blank.html"
        yield partial(tfpy_sessions.browsers.open, "chromium", ENVIRONMENTS["default"], address)
        ended.set()


def audit(page: OpenPage, address: str) -> list[str]:
    """Return the problems of a page."""
    given = ", ".join(map(json.dumps, (f"/{address}", WIDTH)))
    found: dict[str, Any] = page.evaluate(f"{LOOK}({given})", SECONDS)
    wrong = violations(page, FRAME)
    wrong += [name for name in ("title", "lang", "viewport") if not found[name]]
    wrong += [f"missing: {name}" for name in found["missing"]]
    wrong += [f"{found[what]} {what}" for what in ("wider", "nameless") if found[what] > 0]
    if found["headings"] != 1:
        wrong.append(f"{found['headings']} first headings")
    wrong += page.problems
    return [f"{address}: {text}" for text in wrong]


def test_pages_are_for_everyone(opened: Callable[[], OpenPage]) -> None:
    """Audit each page as it is when it opens. `test_demo.py` and `test_gallery.py` use the pages.

    Each page is closed together with the page around it, because some are still loading.
    """
    addresses = list(pages())
    assert len(addresses) > 30
    wrong = []
    for address in addresses:
        page = opened()
        wrong += audit(page, address)
        page.close()
    assert not wrong, "\n".join(text[:300] for text in wrong)
