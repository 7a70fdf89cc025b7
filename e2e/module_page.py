"""A page in which a test calls functions of a JavaScript module."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tfpy.testing.drivers import start_browser
from tfpy.testing.environments import Environment
from tfpy.testing.server import SiteServer

ROOT = Path(__file__).parents[1]
PAGE = "e2e/blank.html"
Evaluate = Callable[..., Any]


@contextmanager
def module_page(
    name: str, headers: Mapping[str, str] | None = None, browser: str = "chromium"
) -> Iterator[Evaluate]:
    """Open a page that calls functions of ``e2e/<name>`` by name, with arguments in JSON.

    Args:
        headers: Additional headers of the server's responses. The page is cross-origin isolated.
        browser: Name of the browser.
    """
    page_of = {f"/{PAGE}": lambda: b"<!doctype html><title>A page</title>"}
    with asyncio.Runner() as runner, SiteServer(ROOT, headers=headers, made=page_of) as server:
        driver = runner.run(start_browser(browser, Environment()))
        page = runner.run(driver.open(f"{server.url}{PAGE}"))
        module = f"import({json.dumps(f'{server.url}e2e/{name}')})"

        def call(function: str, *args: Any) -> Any:
            arguments = json.dumps(args, allow_nan=False)
            return runner.run(page.evaluate(f"{module}.then(m => m.{function}(...{arguments}))"))

        yield call
        runner.run(driver.close())
