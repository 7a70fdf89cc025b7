"""Pages of notebooks, which may load files from their own server only."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from buildsys import wheel
from buildsys.paths import DIST, ROOT
from tfpy.testing.environments import ENVIRONMENTS
from tfpy.testing.server import SiteServer
from tfpy.testing.sessions import OpenPage, Sessions

EXAMPLES = ROOT / "examples" / "notebooks"
WHEEL = DIST / wheel.file_name()
OWN_SERVER = "default-src 'self' 'unsafe-inline' 'unsafe-eval' blob: data:"
"""Content security policy that blocks all other servers, also in workers."""
REFUSED = "Content Security Policy"
LOAD_SECONDS = 240.0
RUN_SECONDS = 60.0


def folder_with(into: Path, example: str) -> Path:
    """Make a folder with an example and tfpy's wheel."""
    into.mkdir(parents=True)
    shutil.copy(EXAMPLES / example, into)
    shutil.copy(WHEEL, into)
    return into


@contextmanager
def opened(
    sessions: Sessions,
    folder: Path,
    page: str,
    *,
    mounts: Mapping[str, Path],
    isolated: bool = True,
    browser: str = "chromium",
) -> Iterator[OpenPage]:
    """Open a page of a folder, and check at the end that it contacted no other server."""
    headers = {"Content-Security-Policy": OWN_SERVER}
    with SiteServer(folder, isolated=isolated, mounts=mounts, headers=headers) as server:
        shown = sessions.browsers.open(browser, ENVIRONMENTS["default"], server.url + page)
        try:
            yield shown
            assert [problem for problem in shown.problems if REFUSED in problem] == []
        finally:
            shown.close()


def wait_for(page: OpenPage, condition: str, seconds: float = RUN_SECONDS) -> None:
    """Wait until a JavaScript expression is true.

    Raises:
        AssertionError: If it is not true in time. The message has the page's text and its reports.
    """
    end = time.monotonic() + seconds
    while not page.evaluate(f"Boolean({condition})", LOAD_SECONDS):
        if time.monotonic() > end:
            shown = page.evaluate("document.body.innerText.slice(-2000)")
            late = f"not in {seconds} s: {condition}"
            raise AssertionError("\n".join([late, shown, *page.problems]))
        time.sleep(0.2)
