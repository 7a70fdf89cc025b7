"""WebKitGTK's MiniBrowser, driven with W3C WebDriver over HTTP on a virtual display."""

from __future__ import annotations

import asyncio
import base64
import json
import os
import socket
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tfpy.testing.drivers import START_SECONDS, as_json, end_process, start_display
from tfpy.testing.environments import BROWSERS, BrowserError, Environment

MINI_BROWSERS = "webkit2gtk-4.*/MiniBrowser"
SCRIPT_MS = 600_000


class WebKitPage:
    """A page with its own driver session. WebDriver does not provide console messages."""

    def __init__(self, session: str, processes: list[asyncio.subprocess.Process]) -> None:
        self.problems: list[str] = []
        self._session = session
        self._processes = processes

    async def goto(self, url: str) -> None:
        timeouts = {"script": SCRIPT_MS, "pageLoad": int(START_SECONDS * 1000)}
        await _post(f"{self._session}/timeouts", timeouts)
        await _post(f"{self._session}/url", {"url": url})

    async def evaluate(self, expression: str) -> Any:
        script = (
            "const done = arguments[0];"
            f"{as_json(expression)}.then((text) => done({{ text }}),"
            " (error) => done({ error: String(error) }));"
        )
        answer = await _post(f"{self._session}/execute/async", {"script": script, "args": []})
        if "error" in answer:
            raise BrowserError(answer["error"])
        return json.loads(answer["text"])

    async def screenshot(self) -> bytes:
        return base64.b64decode(await _call("GET", f"{self._session}/screenshot"))

    async def close(self) -> None:
        for process in reversed(self._processes):
            await end_process(process)
        self._processes.clear()


class WebKitDriver:
    """A driver that starts a WebKitWebDriver with one MiniBrowser for each page."""

    def __init__(
        self, executable: str, arguments: Sequence[str], variables: Mapping[str, str]
    ) -> None:
        self._executable = executable
        self._arguments = arguments
        self._variables = variables
        self._pages: list[WebKitPage] = []

    @classmethod
    async def start(cls, executable: str, environment: Environment) -> WebKitDriver:
        arguments, settings = BROWSERS["webkit"].start(environment)
        return cls(executable, arguments, dict(s.split("=", 1) for s in settings))

    async def open(self, url: str) -> WebKitPage:
        processes: list[asyncio.subprocess.Process] = []
        display = await start_display(processes)
        port = _free_port()
        env = {**os.environ, **display, **self._variables}
        if os.geteuid() == 0:
            env["WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS"] = "1"  # required to run as root
        processes.append(
            await asyncio.create_subprocess_exec(
                *(self._executable, "--host=127.0.0.1", f"--port={port}"),
                env=env,
                stdout=asyncio.subprocess.DEVNULL,
                stderr=asyncio.subprocess.DEVNULL,
            )
        )
        session = await _new_session(f"http://127.0.0.1:{port}/session", self._arguments)
        page = WebKitPage(session, processes)
        self._pages.append(page)
        await page.goto(url)
        return page

    async def close(self) -> None:
        for page in self._pages:
            await page.close()


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
        return port


def _mini_browser() -> str:
    found = sorted(Path("/usr/lib").glob(f"**/{MINI_BROWSERS}"))
    if not found:
        raise BrowserError("WebKitGTK's MiniBrowser is not installed")
    return str(found[-1])


async def _new_session(address: str, arguments: Sequence[str]) -> str:
    """Wait until the driver accepts connections. Return the URL of the new session."""
    options = {"binary": _mini_browser(), "args": ["--automation", *arguments]}
    wanted = {"alwaysMatch": {"webkitgtk:browserOptions": options}}
    for _ in range(int(START_SECONDS * 5)):
        try:
            answer = await _post(address, {"capabilities": wanted})
            return f"{address}/{answer['sessionId']}"
        except ConnectionRefusedError:
            await asyncio.sleep(0.2)
    raise BrowserError("WebKitWebDriver does not accept connections")


async def _post(address: str, body: dict[str, Any]) -> Any:
    return await _call("POST", address, json.dumps(body).encode())


async def _call(method: str, address: str, body: bytes | None = None) -> Any:
    """Return the value of WebDriver's response."""

    def call() -> Any:
        request = urllib.request.Request(address, body, method=method)
        try:
            with urllib.request.urlopen(request) as response:
                return json.load(response)["value"]
        except urllib.error.HTTPError as error:
            with error:
                answer = json.load(error)["value"]
            raise BrowserError(f"{answer['error']}: {answer['message']}") from None
        except urllib.error.URLError as error:
            if isinstance(error.reason, OSError):
                raise error.reason from None
            raise

    return await asyncio.to_thread(call)
