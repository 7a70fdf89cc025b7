"""Each promise has existing tests on each backend that it mentions."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import pytest
from promises import PAGE, ROOT, Promise, page, promises

from tfpy.testing.mark import browser_test_of

PROMISES = promises()
OWN = "e2e/test_promises.py"


def _function(test: str) -> Callable[..., Any]:
    """Return the function of a node id."""
    file, _, name = test.partition("::")
    assert (ROOT / file).is_file(), file
    assert name.startswith("test_")
    module = file.removesuffix(".py").replace("/", ".").removeprefix("tests.")
    function: Callable[..., Any] = getattr(importlib.import_module(module), name)
    return function


@pytest.mark.parametrize("promise", PROMISES, ids=lambda promise: promise.name)
def test_a_promise_has_its_tests(promise: Promise) -> None:
    run_on = set()
    for test in promise.tests:
        browser_test = browser_test_of(_function(test))
        here = {"cpu"} if test.startswith("tests/") else set()
        run_on |= set(browser_test.backends) if browser_test else here
    assert set(promise.backends) <= run_on
    assert promise.tests or promise.measured
    assert not promise.measured or (ROOT / promise.measured).is_file()
    assert promise.name.partition("_")[0] in ("guide", "announcement", "paper")


def test_the_tests_of_promises_are_named_after_them() -> None:
    module = importlib.import_module(OWN.removesuffix(".py").replace("/", "."))
    named = {name for name in vars(module) if name.startswith("test_")}
    by_name = {f"test_{promise.name}": promise.tests for promise in PROMISES}
    assert {name for name in named if f"{OWN}::{name}" in by_name.get(name, ())} == named


def test_the_page_is_current() -> None:
    hint = "run PYTHONPATH=src:tests python -m promises --write"
    assert PAGE.read_text(encoding="utf-8") == page(), hint
