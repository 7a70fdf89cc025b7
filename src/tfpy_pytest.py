"""The pytest plugin of `tfpy.testing`: options, fixtures, and a test item per browser and backend.

pytest loads this module in every run, also for tests that do not use tfpy. It is therefore outside
the package, and imports tfpy only for tests in browsers.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Generator, Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tfpy.testing.plugin import Target
    from tfpy.testing.sessions import OpenPage, Sessions

BACKENDS = ("cpu", "wasm", "webgl", "webgpu")
BROWSERS = ("chromium", "firefox", "webkit")
DEFAULT_SITE = "build/site"


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("tfpy", "tests in browsers")
    group.addoption(
        "--tfpy-browser",
        action="append",
        choices=BROWSERS,
        help="browser for tests that do not specify one; may be repeated (default: chromium)",
    )
    group.addoption(
        "--tfpy-backend",
        action="append",
        choices=BACKENDS,
        help="run only the tests on this backend; may be repeated",
    )
    group.addoption(
        "--tfpy-site",
        default=DEFAULT_SITE,
        help=f"folder with tfpy.mjs, pyodide/ and the wheel (default: {DEFAULT_SITE})",
    )
    group.addoption(
        "--tfpy-source",
        action="append",
        default=[],
        metavar="FOLDER",
        help="folder from which browser tests import modules, such as src; may be repeated",
    )
    group.addoption(
        "--tfpy-wheel", metavar="FILE", help="wheel of tfpy to use instead of the site's wheel"
    )
    group.addoption(
        "--tfpy-browser-path",
        action="append",
        default=[],
        metavar="NAME=FILE",
        help="executable of a browser, such as chromium=/opt/chrome/chrome (default: the one on"
        " PATH, or Playwright's own); may be repeated",
    )


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Hide the frames of tfpy and Keras in reports of failed tests.

    Reports of skipped browser tests show the location of the test.
    """
    error = call.excinfo.value if call.excinfo is not None else None
    tracebacks = sys.modules.get("tfpy._src.display.tracebacks")
    is_shown = not isinstance(error, pytest.fail.Exception) or error.pytrace
    if error is not None and tracebacks is not None and is_shown:
        tracebacks.hide_in_pytest(error)
    report = yield
    if report.skipped and isinstance(report.longrepr, tuple) and _is_browser_test(item):
        path, line, _ = item.reportinfo()
        report.longrepr = (os.fspath(path), (line or 0) + 1, report.longrepr[2])
    return report


def _is_browser_test(item: pytest.Item) -> bool:
    return hasattr(getattr(item, "function", None), "tfpy_browser_test")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if hasattr(metafunc.function, "tfpy_browser_test"):
        from tfpy.testing.plugin import parametrize

        parametrize(metafunc)


@pytest.fixture(scope="session")
def tfpy_sessions(request: pytest.FixtureRequest) -> Iterator[Sessions]:
    """Provide the servers, browsers and pages of the test run."""
    from tfpy.testing.plugin import material
    from tfpy.testing.sessions import Sessions

    sessions = Sessions(material(request.config))
    yield sessions
    sessions.close()


@pytest.fixture
def tfpy_target(request: pytest.FixtureRequest, tfpy_sessions: Sessions) -> Target:
    """Provide the browser and backend for a decorated test."""
    from tfpy.testing.plugin import Target

    return Target(tfpy_sessions, request.param)


@pytest.fixture
def tfpy_page(tfpy_sessions: Sessions) -> Iterator[Callable[..., OpenPage]]:
    """Provide a function that opens a page of the site, or the page of a full URL.

    Its signature is `tfpy_page(path, browser="chromium", environment="default")`.
    """
    from tfpy.testing.environments import ENVIRONMENTS

    opened: list[OpenPage] = []

    def open_page(path: str, browser: str = "chromium", environment: str = "default") -> OpenPage:
        opened.append(tfpy_sessions.open(browser, ENVIRONMENTS[environment], path))
        return opened[-1]

    yield open_page
    for page in opened:
        page.close()
