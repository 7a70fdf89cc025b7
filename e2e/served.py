"""Pages of documents, which tests serve as part of the site."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager

import pytest

from buildsys.paths import SITE
from tfpy.testing.environments import ENVIRONMENTS
from tfpy.testing.server import SiteServer
from tfpy.testing.sessions import OpenPage, Sessions

SECONDS = 120.0

PRINTED = """(async (wanted) => {
  const texts = (selector) => [...document.querySelectorAll(selector)].map((e) => e.textContent);
  for (;;) {
    const [error] = texts(".tfpy-error");
    if (error) throw new Error(error);
    const found = texts(".tfpy-output").join("");
    if (found.includes(wanted) && !document.querySelector("script[data-tfpy=running]"))
      return found;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
})"""
"""JavaScript that returns the output of a page's scripts after they have ended."""

Show = Callable[[Mapping[str, str], str], OpenPage]


@pytest.fixture
def show(tfpy_sessions: Sessions) -> Iterator[Show]:
    """Open one of several files that are served as part of the site."""

    @contextmanager
    def served(files: Mapping[str, str], name: str) -> Iterator[OpenPage]:
        made = {f"/{path}": text.encode for path, text in files.items()}
        with SiteServer(SITE, made=made) as server:
            page = tfpy_sessions.browsers.open(
                "chromium", ENVIRONMENTS["default"], f"{server.url}{name}"
            )
            with closing(page):
                yield page
                assert page.problems == []

    with ExitStack() as opened:
        yield lambda files, name: opened.enter_context(served(files, name))


def printed(page: OpenPage, wanted: str) -> str:
    """Return the complete output once it contains these words."""
    return str(page.evaluate(f"{PRINTED}({json.dumps(wanted)})", SECONDS))
