"""Pages of ``page/`` in a browser, and their reports: one line of JSON per record."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from tfpy.testing.drivers import PlaywrightDriver, start_browser
from tfpy.testing.environments import BROWSERS, Environment
from tfpy.testing.server import SiteServer

ROOT = Path(__file__).resolve().parent.parent
_LOG = "document.querySelector('#log')?.textContent ?? ''"


async def lines_of(page: Any) -> list[str]:
    """Return the lines that an open page has reported."""
    text: str = await page.evaluate(_LOG)
    return text.splitlines()


async def chromium(arguments: Sequence[str]) -> PlaywrightDriver:
    """Start Chromium with its usual settings and these arguments."""
    from playwright.async_api import async_playwright

    found = BROWSERS["chromium"]
    playwright = await async_playwright().start()
    started = await playwright.chromium.launch(
        executable_path=found.executable(), args=[*found.settings, *arguments]
    )
    return PlaywrightDriver(playwright, started)


async def records(
    site: Path,
    name: str,
    query: Mapping[str, Any],
    browser: str = "chromium",
    mounts: Mapping[str, Path] | None = None,
    arguments: Sequence[str] | None = None,
) -> AsyncIterator[dict[str, Any]]:
    """Yield the reports of a page as they arrive, until the page is done.

    With ``arguments``, the browser is Chromium with these arguments.

    Raises:
        SystemExit: If the page reports an error at its end.
    """
    if arguments is None:
        opened: Any = await start_browser(browser, Environment())
    else:
        opened = await chromium(arguments)
    try:
        with SiteServer(site, mounts={"bench": ROOT / "bench", **(mounts or {})}) as server:
            page = await opened.open(f"{server.url}bench/page/{name}.html?{urlencode(query)}")
            shown = 0
            while True:
                lines = await lines_of(page)
                for record in map(json.loads, lines[shown:]):
                    if "done" in record:
                        if isinstance(record["done"], str) and record["done"]:
                            raise SystemExit(record["done"])
                        return
                    yield record
                shown = len(lines)
                await asyncio.sleep(1)
    finally:
        await opened.close()
