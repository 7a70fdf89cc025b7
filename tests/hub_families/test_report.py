"""The comparison of families of KerasHub and the table of the documentation."""

from __future__ import annotations

import numpy as np
from library_suite import hub_folders

from hub_families.report import PAGE, compared, line, page


def test_outputs_are_compared() -> None:
    """Compare numbers and tokens, and skip what fails with TensorFlow."""
    numbers, tokens = np.array([1.0, 4.0]), np.array([3, 1])
    reference = {
        "a/forward/0": numbers,
        "a/int8/error": np.array("not supported"),
        "a/greedy/0": tokens,
        "a/top-k/0": tokens,
        "b/forward/0": numbers,
    }
    found = {
        "a/forward/0": numbers + 0.04,
        "a/int8/0": numbers,
        "a/greedy/0": tokens,
        "a/top-k/0": tokens + 1,
        "b/forward/error": np.array("ValueError: no"),
    }
    rows = compared(reference, found)
    assert rows == {
        "a": {"forward": 0.01, "greedy": True, "top-k": False},
        "b": {"forward": "ValueError: no"},
    }
    assert line("a", rows["a"]) == ("`a`", "1e-02", "", "", "", "greedy", "top-k", "")
    assert line("b", rows["b"]) == ("`b`", "fails", "", "", "", "", "", "")


def test_tests_are_grouped_by_folder() -> None:
    found = [
        hub_folders.folder_of(f"keras_hub/src/{name}::Test::test_1")
        for name in ("models/bert/bert_test.py", "models/task_test.py", "layers/modeling/a_test.py")
    ]
    assert found == ["models/bert", "models", "layers"]


def test_the_page_is_current() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert page(text) == text
