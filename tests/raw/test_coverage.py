"""Every operation of TensorFlow and of TensorFlow.js's converter is supported or excluded.

Each exclusion has a reason.
"""

from __future__ import annotations

import re

import pytest
import tensorflow as tf
from raw.converter import CONVERTER

from tfpy._src.formats.raw_ops import RECORDS
from tfpy._src.formats.raw_ops.absent import ABSENT, reason

THEIRS = [name for name in dir(tf.raw_ops) if name[0].isupper()]
UNKNOWN = "the name is not known"


def test_tensorflow() -> None:
    assert len(THEIRS) > 1400
    assert [n for n in THEIRS if n not in RECORDS and reason(n) == UNKNOWN] == []


def test_the_converter_of_tensorflow_js() -> None:
    assert len(CONVERTER) == 248
    left = {name for name in CONVERTER if name not in RECORDS}
    assert left == {
        *("Enter", "Exit", "Merge", "NextIteration", "Switch"),
        *("SimpleMLCreateModelResource", "SimpleMLInferenceOpWithHandle"),
        "SimpleMLLoadModelFromPathWithHandle",
    }
    assert all(reason(name) != UNKNOWN for name in left)


def test_what_is_here_is_not_called_absent() -> None:
    assert [name for name in RECORDS if reason(name) != UNKNOWN] == []


@pytest.mark.parametrize("text", ABSENT)
def test_each_pattern_says_something(text: str) -> None:
    names = [*THEIRS, *CONVERTER]
    for pattern in ABSENT[text].split():
        assert any(re.fullmatch(pattern, name) for name in names), pattern
