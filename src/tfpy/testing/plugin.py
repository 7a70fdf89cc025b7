"""The part of the pytest plugin that needs tfpy. The module `tfpy_pytest` has the hooks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tfpy.testing.environments import BACKENDS, BROWSERS
from tfpy.testing.mark import BrowserTest, browser_test_of
from tfpy.testing.sessions import Material, Sessions


@dataclass(frozen=True)
class Case:
    """A browser and backend for a decorated test. Backend "" is the automatic selection."""

    test: BrowserTest
    browser: str
    backend: str

    @property
    def id(self) -> str:
        return f"{self.browser}-{self.backend or 'automatic'}"


def parametrize(metafunc: pytest.Metafunc) -> None:
    """Parametrize a decorated test with its browsers and backends."""
    test = browser_test_of(metafunc.function)
    assert test is not None
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


def material(config: pytest.Config) -> Material:
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
