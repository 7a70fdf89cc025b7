"""Drivers for browsers: Chromium with Playwright, Firefox with WebDriver BiDi.

If a browser is not on PATH, Playwright drives its own copy of the browser.
"""

from __future__ import annotations

import asyncio
import base64
import json
import os
import re
import shutil
import tempfile
from pathlib import Path
from typing import Any, Protocol

from tfpy.testing.environments import BROWSERS, BrowserError, Environment

START_SECONDS = 60.0
STOP_SECONDS = 10.0


class Page(Protocol):
    """An open page. `problems` lists its console errors and uncaught exceptions."""

    problems: list[str]

    async def evaluate(self, expression: str) -> Any:
        """Return the awaited value of a JavaScript expression, which is transferred as JSON."""

    async def screenshot(self) -> bytes:
        """Return the visible part of the page as PNG."""

    async def close(self) -> None:
        """Close the page."""


class Driver(Protocol):
    """A running browser."""

    async def open(self, url: str) -> Page:
        """Open a page and wait until it is loaded."""

    async def close(self) -> None:
        """Stop the browser, even if a page hangs."""


def as_json(expression: str) -> str:
    """Return a JavaScript expression for the JSON text of another expression's awaited value."""
    return f"(async () => JSON.stringify((await ({expression})) ?? null))()"


class PlaywrightPage:
    def __init__(self, page: Any) -> None:
        self.problems: list[str] = []
        self._page = page
        page.on("console", self._on_console)
        page.on("pageerror", lambda error: self.problems.append(str(error)))

    def _on_console(self, message: Any) -> None:
        if message.type == "error":
            self.problems.append(message.text)

    async def goto(self, url: str) -> None:
        await self._page.goto(url)

    async def evaluate(self, expression: str) -> Any:
        return json.loads(await self._page.evaluate(as_json(expression)))

    async def screenshot(self) -> bytes:
        png: bytes = await self._page.screenshot()
        return png

    async def close(self) -> None:
        await self._page.context.close()


class PlaywrightDriver:
    def __init__(self, playwright: Any, browser: Any) -> None:
        self._playwright = playwright
        self._browser = browser

    @classmethod
    async def start(
        cls, name: str, executable: str | None, environment: Environment
    ) -> PlaywrightDriver:
        """Start Chromium, or without an executable Playwright's browser with this name.

        Raises:
            BrowserError: If the browser does not start.
        """
        from playwright.async_api import Error, async_playwright

        arguments, settings = BROWSERS[name].start(environment)
        options: dict[str, Any] = {"executable_path": executable, "headless": True}
        if name == "chromium":
            options["args"] = arguments
        elif name == "firefox":
            named = dict(setting.split("=", 1) for setting in settings)
            options["firefox_user_prefs"] = {k: json.loads(v) for k, v in named.items()}
        else:
            options["env"] = {**os.environ, **dict(s.split("=", 1) for s in settings)}
        playwright = await async_playwright().start()
        try:
            browser = await getattr(playwright, name).launch(**options)
        except Error as error:
            await playwright.stop()
            raise BrowserError(f"{name} does not start: {error}") from None
        return cls(playwright, browser)

    async def open(self, url: str) -> PlaywrightPage:
        context = await self._browser.new_context(viewport={"width": 1200, "height": 900})
        page = PlaywrightPage(await context.new_page())
        await page.goto(url)
        return page

    async def close(self) -> None:
        await self._browser.close()
        await self._playwright.stop()


class FirefoxPage:
    def __init__(self, driver: FirefoxDriver, context: str) -> None:
        self.problems: list[str] = []
        self._driver = driver
        self._context = context

    async def evaluate(self, expression: str) -> Any:
        answer = await self._driver.command(
            "script.evaluate",
            expression=as_json(expression),
            target={"context": self._context},
            awaitPromise=True,
        )
        if answer["type"] == "exception":
            raise BrowserError(answer["exceptionDetails"]["text"])
        return json.loads(answer["result"]["value"])

    async def screenshot(self) -> bytes:
        answer = await self._driver.command(
            "browsingContext.captureScreenshot", context=self._context
        )
        return base64.b64decode(answer["data"])

    async def close(self) -> None:
        await self._driver.command("browsingContext.close", context=self._context)
        self._driver.pages.pop(self._context, None)


class FirefoxDriver:
    """A driver that uses WebDriver BiDi over one WebSocket, with a virtual display."""

    def __init__(self) -> None:
        self.pages: dict[str, FirefoxPage] = {}
        self._processes: list[asyncio.subprocess.Process] = []
        self._profile = tempfile.mkdtemp(prefix="tfpy-firefox-")
        self._answers: dict[int, asyncio.Future[Any]] = {}
        self._socket: Any = None
        self._tasks: list[asyncio.Future[None]] = []
        self._sent = 0

    @classmethod
    async def start(cls, executable: str, environment: Environment) -> FirefoxDriver:
        driver = cls()
        try:
            await driver._start(executable, environment)
        except BaseException:
            await driver.close()
            raise
        return driver

    async def _start(self, executable: str, environment: Environment) -> None:
        from websockets.asyncio.client import connect

        arguments, preferences = BROWSERS["firefox"].start(environment)
        lines = []
        for preference in preferences:
            name, _, value = preference.partition("=")
            lines.append(f'user_pref("{name}", {value});\n')
        Path(self._profile, "user.js").write_text("".join(lines))
        display = await start_display(self._processes)
        process = await asyncio.create_subprocess_exec(
            *(executable, *arguments),
            *("--remote-debugging-port=0", "--profile", self._profile),
            env={**os.environ, **display},
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE,
        )
        self._processes.append(process)
        assert process.stderr is not None
        address = await _first_match(process.stderr, r"WebDriver BiDi listening on (ws://\S+)")
        self._tasks.append(asyncio.ensure_future(_drain(process.stderr)))
        self._socket = await connect(f"{address}/session", max_size=None, proxy=None)
        self._tasks.append(asyncio.ensure_future(self._read()))
        await self.command("session.new", capabilities={})
        await self.command("session.subscribe", events=["log.entryAdded"])

    async def _read(self) -> None:
        try:
            async for text in self._socket:
                message = json.loads(text)
                if message["type"] == "event":
                    self._on_log(message["params"])
                    continue
                answer = self._answers.pop(message["id"], None)
                if answer is None or answer.done():
                    continue
                if message["type"] == "success":
                    answer.set_result(message["result"])
                else:
                    text = f"{message['error']}: {message['message']}"
                    answer.set_exception(BrowserError(text))
        finally:
            for answer in self._answers.values():
                if not answer.done():
                    answer.set_exception(BrowserError("the browser closed the connection"))

    def _on_log(self, entry: dict[str, Any]) -> None:
        page = self.pages.get(entry["source"].get("context", ""))
        if page is not None and entry["level"] == "error":
            page.problems.append(str(entry["text"]))

    async def command(self, method: str, **params: Any) -> Any:
        """Send a BiDi command and return its result."""
        self._sent += 1
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._answers[self._sent] = answer
        message = {"id": self._sent, "method": method, "params": params}
        await self._socket.send(json.dumps(message))
        return await answer

    async def open(self, url: str) -> FirefoxPage:
        created = await self.command("browsingContext.create", type="tab")
        page = FirefoxPage(self, created["context"])
        self.pages[created["context"]] = page
        await self.command(
            "browsingContext.navigate", context=created["context"], url=url, wait="complete"
        )
        return page

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        if self._socket is not None:
            await self._socket.close()
        for process in reversed(self._processes):
            await end_process(process)
        shutil.rmtree(self._profile, ignore_errors=True)


async def start_display(processes: list[asyncio.subprocess.Process]) -> dict[str, str]:
    """Start a virtual display if Xvfb is installed. Return the environment variables for it."""
    xvfb = shutil.which("Xvfb")
    if xvfb is None:
        return {}
    process = await asyncio.create_subprocess_exec(
        *(xvfb, "-displayfd", "1", "-screen", "0", "1280x1024x24", "-nolisten", "tcp"),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    processes.append(process)
    assert process.stdout is not None
    return {"DISPLAY": ":" + await _first_match(process.stdout, r"(\d+)")}


async def end_process(process: asyncio.subprocess.Process) -> None:
    """Terminate a process, and kill it if it does not end in time."""
    if process.returncode is None:
        process.terminate()
        try:
            await asyncio.wait_for(process.wait(), STOP_SECONDS)
        except TimeoutError:
            process.kill()
            await process.wait()


async def _first_match(stream: asyncio.StreamReader, pattern: str) -> str:
    async def search() -> str:
        async for line in stream:
            found = re.search(pattern, line.decode(errors="replace"))
            if found:
                return found[1]
        raise BrowserError(f"the process ended before it printed {pattern!r}")

    return await asyncio.wait_for(search(), START_SECONDS)


async def _drain(stream: asyncio.StreamReader) -> None:
    while await stream.read(65536):
        pass


async def start_browser(
    name: str, environment: Environment, executable: str | None = None
) -> Driver:
    """Start a browser: the given executable, the one on PATH, or Playwright's own.

    Raises:
        BrowserError: If there is no browser, or if it does not support the environment.
    """
    found = executable or BROWSERS[name].executable()
    if found is None or name == "chromium":
        try:
            return await PlaywrightDriver.start(name, found, environment)
        except BrowserError as error:
            if found is not None:
                raise
            raise BrowserError(
                f"{name} is not on PATH ({' or '.join(BROWSERS[name].executables)}) and Playwright"
                f" does not have it. Run `playwright install {name}`, or pass"
                f" --tfpy-browser-path {name}=FILE\n{error}"
            ) from None
    from tfpy.testing.webkit import WebKitDriver

    drivers: dict[str, Any] = {"firefox": FirefoxDriver, "webkit": WebKitDriver}
    driver: Driver = await drivers[name].start(found, environment)
    return driver
