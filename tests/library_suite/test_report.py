"""The results of the libraries and the table of the documentation."""

from __future__ import annotations

import pytest

from library_suite.report import PAGE, Result, compared, page, results
from library_suite.table import Reason, libraries


def test_only_tests_that_pass_with_tensorflow_count() -> None:
    reference = {"a": "passed", "b": "passed", "c": "failed", "d": "skipped", "e": "passed"}
    found = {"a": "passed", "b": "failed", "c": "passed", "d": "passed"}
    result = compared("1.0", reference, found)
    assert result == Result("1.0", 3, ("b", "e"))
    assert result.share == pytest.approx(1 / 3)


def test_reasons_are_patterns() -> None:
    reason = Reason("it needs a TPU", ("a/*_test.py::*", "b.py::test_*[tpu]"))
    assert reason.covers("a/x_test.py::Test::test_1")
    assert not reason.covers("b.py::test_1[cpu]")


def test_the_page_is_current() -> None:
    """Check that libraries.toml, the results and the page belong together."""
    assert page(PAGE.read_text(encoding="utf-8")) == PAGE.read_text(encoding="utf-8")
    for name, result in results().items():
        for test in result.failed:
            assert libraries()[name].why_missing(test), f"{name}: no reason for {test}"
