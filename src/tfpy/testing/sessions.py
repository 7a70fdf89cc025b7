"""The open browsers and pages of a test run, with blocking calls into them."""

from __future__ import annotations

import asyncio
import base64
import importlib.util
import inspect
import io
import json
import pickle
import threading
import zipfile
from collections.abc import Callable, Coroutine, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache, partial
from http import HTTPStatus
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urljoin

from tfpy.testing.drivers import STOP_SECONDS, Driver, Page, start_browser
from tfpy.testing.environments import BrowserError, Environment
from tfpy.testing.mark import BrowserTest
from tfpy.testing.server import SiteServer

PAGE = Path(__file__).parent / "page"
MOUNT = "tfpy-testing"
SOURCES = "sources.zip"
LOAD_SECONDS = 120.0
PYTEST_PACKAGES = ("pytest", "_pytest", "pluggy", "iniconfig", "packaging", "pygments", "py")

STATUS = "performance.getEntriesByType('navigation')[0]?.responseStatus"
"""JavaScript expression for the status of the server's response, in browsers that report it."""

T = TypeVar("T")


class LoopThread:
    """An event loop in a thread, so that tests can have their own loops."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()

    def run(self, work: Coroutine[Any, Any, T], timeout: float) -> T:
        """Return the result of a coroutine. Raise TimeoutError after `timeout` seconds."""
        waited = asyncio.wait_for(work, timeout)
        return asyncio.run_coroutine_threadsafe(waited, self._loop).result()

    def close(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(STOP_SECONDS)
        self._loop.close()


class OpenPage:
    """A page with blocking methods, which the fixture `tfpy_page` opens."""

    def __init__(self, loop: LoopThread, page: Page) -> None:
        self._loop = loop
        self._page = page

    @property
    def problems(self) -> list[str]:
        """Console errors and uncaught exceptions so far."""
        return self._page.problems

    def evaluate(self, expression: str, timeout: float = 30.0) -> Any:
        """Return the awaited value of a JavaScript expression, which is transferred as JSON."""
        return self._loop.run(self._page.evaluate(expression), timeout)

    def screenshot(self) -> bytes:
        """Return the visible part of the page as PNG."""
        return self._loop.run(self._page.screenshot(), STOP_SECONDS)

    def close(self) -> None:
        self._loop.run(self._page.close(), STOP_SECONDS)


class Browsers:
    """The browsers of a test run. Each is started on first use and then reused."""

    def __init__(self, executables: Mapping[str, str]) -> None:
        self._loop = LoopThread()
        self._executables = executables
        self._drivers: dict[tuple[str, tuple[str, ...]], Driver] = {}

    def open(self, browser: str, environment: Environment, url: str) -> OpenPage:
        """Open a new page.

        Raises:
            BrowserError: If the browser is not found or does not support the environment.
        """
        key = (browser, environment.lacks)
        if key not in self._drivers:
            starting = start_browser(browser, environment, self._executables.get(browser))
            self._drivers[key] = self._loop.run(starting, LOAD_SECONDS)
        page = self._loop.run(self._drivers[key].open(url), LOAD_SECONDS)
        return OpenPage(self._loop, page)

    def end(self, browser: str, environment: Environment) -> None:
        """Stop a browser, even if its pages hang."""
        driver = self._drivers.pop((browser, environment.lacks))
        self._loop.run(driver.close(), 2 * STOP_SECONDS)

    def close(self) -> None:
        """Stop all browsers."""
        for driver in self._drivers.values():
            self._loop.run(driver.close(), 2 * STOP_SECONDS)
        self._loop.close()


@dataclass(frozen=True)
class Material:
    """The files that the tests of a run use."""

    site: Path
    """Folder with tfpy.mjs and pyodide/."""
    sources: tuple[Path, ...] = ()
    """Folders from which browser tests import modules."""
    wheel: Path | None = None
    """Wheel of tfpy. None uses the site's wheel."""
    executables: Mapping[str, str] = field(default_factory=dict)
    """Executables of browsers, by the browser's name."""

    def made(self) -> dict[str, Callable[[], bytes]]:
        """Return the files that the server creates from these files, by path."""
        files: dict[str, Callable[[], bytes]] = {
            f"/{MOUNT}/{SOURCES}": partial(_packed, self.sources)
        }
        if self.wheel is not None:
            files[f"/{MOUNT}/{self.wheel.name}"] = self.wheel.read_bytes
        return files


class Sessions:
    """The servers and test pages of a run. Each is made on first use and then reused."""

    def __init__(self, material: Material) -> None:
        self.browsers = Browsers(material.executables)
        self._material = material
        self._servers: dict[bool, SiteServer] = {}
        self._pages: dict[str, OpenPage] = {}
        self._failures: dict[str, str] = {}
        self._pytest = pytest_zip()
        self._pytest_is_compiled = False

    def site_url(self, environment: Environment) -> str:
        """Return the URL of the site with the headers of an environment."""
        if environment.isolated not in self._servers:
            self._servers[environment.isolated] = SiteServer(
                self._material.site,
                isolated=environment.isolated,
                mounts={MOUNT: PAGE},
                made={f"/{MOUNT}/pytest.zip": lambda: self._pytest, **self._material.made()},
            )
        return self._servers[environment.isolated].url

    def open(self, browser: str, environment: Environment, path: str) -> OpenPage:
        """Open a new page of the site, or the page of a full URL.

        Raises:
            BrowserError: If the server does not have the page.
        """
        url = urljoin(self.site_url(environment), path)
        page = self.browsers.open(browser, environment, url)
        status = page.evaluate(STATUS, LOAD_SECONDS)
        if status is not None and status >= HTTPStatus.BAD_REQUEST:
            page.close()
            raise BrowserError(f"{url} is not available: the server responded with {status}")
        return page

    def run(
        self,
        browser: str,
        backend: str,
        test: BrowserTest,
        function: Callable[..., Any],
        arguments: Mapping[str, Any],
    ) -> dict[str, Any]:
        """Run a test function in the page of its environment.

        Returns:
            The response of `page/remote.py`. Its entry `problems` lists the errors that the page
            has reported since it was opened.

        Raises:
            TimeoutError: If the page does not respond in time. The browser is stopped.
            RuntimeError: If Pyodide or tfpy does not load.
        """
        request = {
            **{"kind": "run", "backend": backend, "check_leaks": test.check_leaks},
            **_describe(function, arguments),
        }
        page = self._session_page(browser, test, backend)
        try:
            return {**_ask(page, request, test.timeout), "problems": [*page.problems]}
        except TimeoutError:
            self.browsers.end(browser, test.environment)
            self._pages = {
                k: p for k, p in self._pages.items() if not k.startswith(f"({browser!r}")
            }
            raise TimeoutError(f"no response in {test.timeout:g} s; the page was closed") from None
        finally:
            if test.fresh_page and page in self._pages.values():
                self._forget(page)
                page.close()

    def _session_page(self, browser: str, test: BrowserTest, backend: str) -> OpenPage:
        environment = test.environment
        key = repr((browser, environment, test.packages, "" if backend else "automatic"))
        if test.fresh_page and key in self._pages:
            self._pages.pop(key).close()
            self._failures.pop(key, None)
        if key not in self._pages:
            self._compile_pytest()
            query = "?worker" if environment.worker else ""
            page = self.open(browser, environment, f"{MOUNT}/session.html{query}")
            self._pages[key] = page
            load = {
                "kind": "load",
                "backend": backend,
                "flags": dict(environment.flags),
                "packages": list(test.packages),
                "wheel": self._material.wheel and f"/{MOUNT}/{self._material.wheel.name}",
                "sources": SOURCES if self._material.sources else None,
            }
            try:
                _ask(page, load, LOAD_SECONDS)
            except (RuntimeError, TimeoutError) as error:
                self._failures[key] = f"{type(error).__name__}: {error}"
        if key in self._failures:
            raise RuntimeError(self._failures[key])
        return self._pages[key]

    def _compile_pytest(self) -> None:
        """Compile pytest in the first page, for all pages that follow. This halves their start."""
        loaded = [page for key, page in self._pages.items() if key not in self._failures]
        if loaded and not self._pytest_is_compiled:
            answer = _ask(loaded[0], {"kind": "compile"}, LOAD_SECONDS)
            self._pytest = base64.b64decode(answer["archive"])
            self._pytest_is_compiled = True

    def _forget(self, page: OpenPage) -> None:
        self._pages = {key: kept for key, kept in self._pages.items() if kept is not page}

    def close(self) -> None:
        """Stop all browsers and servers."""
        self.browsers.close()
        for server in self._servers.values():
            server.close()


def _ask(page: OpenPage, request: Mapping[str, Any], timeout: float) -> dict[str, Any]:
    text = json.dumps(json.dumps(request))
    answer: dict[str, Any] = json.loads(page.evaluate(f"tfpySession({text})", timeout))
    if not answer["ok"]:
        raise RuntimeError("\n".join(["the test page failed:", answer["error"], *page.problems]))
    return answer


def _describe(function: Callable[..., Any], arguments: Mapping[str, Any]) -> dict[str, str]:
    filename = inspect.getsourcefile(function)
    if filename is None or "<locals>" in function.__qualname__:
        raise ValueError(
            f"{function.__qualname__} cannot run in a browser, because it is defined in a function."
            " Define it in the module, or in a class of the module."
        )
    return {
        "module": function.__module__,
        "filename": filename,
        "source": _source(filename),
        "function": function.__qualname__,
        "arguments": base64.b64encode(pickle.dumps(dict(arguments), protocol=4)).decode(),
    }


@cache
def _source(filename: str) -> str:
    return Path(filename).read_text(encoding="utf-8")


def _packed(folders: tuple[Path, ...]) -> bytes:
    """Return the files of folders as one archive, without caches and hidden files."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as out:
        for top in folders:
            for file in sorted(top.rglob("*")):
                name = file.relative_to(top)
                left_out = any(p.startswith(".") or p == "__pycache__" for p in name.parts)
                if file.is_file() and not left_out:
                    out.write(file, name.as_posix())
    return archive.getvalue()


def pytest_zip() -> bytes:
    """Return the installed pytest as an archive from which Python can import.

    It includes only those parts of pygments that pytest imports, without most grammars.
    """
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as out:
        for package in PYTEST_PACKAGES:
            spec = importlib.util.find_spec(package)
            if spec is None or spec.origin is None:
                continue  # py, which only some versions of pytest have
            origin = Path(spec.origin)
            if origin.name != "__init__.py":
                out.write(origin, origin.name)
                continue
            for file in _sources_of(origin.parent):
                out.write(file, file.relative_to(origin.parent.parent).as_posix())
    return archive.getvalue()


def _sources_of(top: Path) -> Iterable[Path]:
    for file in sorted(top.rglob("*.py")):
        grammar = file.parent.name in ("lexers", "styles") and file.parent.parent.name == "pygments"
        if not grammar or file.name in (
            "__init__.py",
            "_mapping.py",
            "python.py",
            "diff.py",
            "default.py",
        ):
            yield file
