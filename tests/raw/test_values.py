"""Every operation returns TensorFlow's values."""

from __future__ import annotations

import pytest
import tensorflow as tf
from api.same import compare
from raw.calls import ELSEWHERE, SAMPLES, ours, run, theirs

import tfpy
from tfpy._src.formats.raw_ops import RECORDS


def test_every_operation_has_a_sample() -> None:
    assert sorted(RECORDS) == sorted({*SAMPLES, *ELSEWHERE})


@pytest.mark.parametrize("name", SAMPLES)
def test_values(name: str) -> None:
    compare(run(tfpy, ours(name)), run(tf, theirs(name)), 1e-5, name)
