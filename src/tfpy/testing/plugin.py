"""The pytest plugin of tfpy: options, fixtures, and a test item per browser and backend."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tfpy._src.display.tracebacks import hide_in_pytest
from tfpy.testing.environments import BACKENDS, BROWSERS, ENVIRONMENTS
from tfpy.testing.mark import BrowserTest, browser_test_of
from tfpy.testing.sessions import Material, OpenPage, Sessions

DEFAULT_SITE = "build/site"


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("tfpy", "tests in browsers")
    group.addoption(
        "--tfpy-browser",
        action="append",
        choices=list(BROWSERS),
        help="browser for tests that do not specify one; may be repeated (default: chromium)",
    )
    group.addoption(
        "--tfpy-backend",
        action="append",
        choices=list(BACKENDS),
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
def pytest_runtest_makereport(call: pytest.CallInfo[None]) -> Generator[None, Any, Any]:
    """Show the frames of tests, without those of tfpy and Keras, in reports of failures."""
    if call.excinfo is not None:
        hide_in_pytest(call.excinfo.value)
    return (yield)


@dataclass(frozen=True)
class Case:
    """A browser and backend for a decorated test. Backend "" is the automatic selection."""

    test: BrowserTest
    browser: str
    backend: str

    @property
    def id(self) -> str:
        return f"{self.browser}-{self.backend or 'automatic'}"


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    test = browser_test_of(metafunc.function)
    if test is None:
        return
    browsers = metafunc.config.getoption("tfpy_browser") or ["chromium"]
    wanted = metafunc.config.getoption("tfpy_backend") or BACKENDS
    cases = [
        Case(test, browser, backend)
        for browser in (test.browsers or browsers)
        for backend in (test.backends or ("",))
        if not backend or (backend in BROWSERS[browser].backends and backend in wanted)
    ]
    metafunc.parametrize("tfpy_target", cases, indirect=True, ids=[case.id for case in cases])


@dataclass(frozen=True)
class Target:
    """The place where a decorated test runs."""

    sessions: Sessions
    case: Case

    def run(self, function: Callable[..., Any], arguments: Mapping[str, Any]) -> None:
        """Run the test in the browser, and fail or skip the pytest test accordingly."""
        test = self.case.test
        answer = self.sessions.run(self.case.browser, self.case.backend, test, function, arguments)
        print(answer["output"], end="")
        if answer["outcome"] == "skipped":
            pytest.skip(answer["text"])
        if answer["outcome"] == "failed":
            pytest.fail(f"in {self.case.id}:\n{answer['text']}", pytrace=False)
        if test.check_leaks and answer["leaks"]:
            leaks = "\n".join(answer["leaks"])
            pytest.fail(f"in {self.case.id}, leaks:\n{leaks}", pytrace=False)


def _material(config: pytest.Config) -> Material:
    """Return the settings from the command line.

    Raises:
        pytest.UsageError: If an option refers to a missing file or folder.
    """
    top = config.rootpath
    site = top / config.getoption("tfpy_site")
    if not (site / "tfpy.mjs").is_file():
        raise pytest.UsageError(
            f"{site} has no tfpy.mjs; set --tfpy-site to the folder of the site, such as"
            " node_modules/tfpy-web/site, or to the folder of a release"
        )
    sources = tuple(top / folder for folder in config.getoption("tfpy_source"))
    for folder in sources:
        if not folder.is_dir():
            raise pytest.UsageError(f"--tfpy-source: there is no folder {folder}")
    wheel = config.getoption("tfpy_wheel")
    if wheel and not (top / wheel).is_file():
        raise pytest.UsageError(f"--tfpy-wheel: there is no file {top / wheel}")
    executables = {}
    for text in config.getoption("tfpy_browser_path"):
        name, _, file = text.partition("=")
        if name not in BROWSERS or not Path(file).is_file():
            raise pytest.UsageError(
                f"--tfpy-browser-path {text}: expected NAME=FILE with an existing file and one of"
                f" the names {', '.join(BROWSERS)}"
            )
        executables[name] = file
    return Material(site, sources, top / wheel if wheel else None, executables)


@pytest.fixture(scope="session")
def tfpy_sessions(request: pytest.FixtureRequest) -> Iterator[Sessions]:
    """Provide the servers, browsers and pages of the test run."""
    sessions = Sessions(_material(request.config))
    yield sessions
    sessions.close()


@pytest.fixture
def tfpy_target(request: pytest.FixtureRequest, tfpy_sessions: Sessions) -> Target:
    """Provide the browser and backend for a decorated test."""
    return Target(tfpy_sessions, request.param)


@pytest.fixture
def tfpy_page(tfpy_sessions: Sessions) -> Iterator[Callable[..., OpenPage]]:
    """Provide a function that opens a page of the site.

    Its signature is `tfpy_page(path, browser="chromium", environment="default")`.
    """
    opened: list[OpenPage] = []

    def open_page(path: str, browser: str = "chromium", environment: str = "default") -> OpenPage:
        opened.append(tfpy_sessions.open(browser, ENVIRONMENTS[environment], path))
        return opened[-1]

    yield open_page
    for page in opened:
        page.close()
