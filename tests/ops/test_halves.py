"""Programs of float16 on NumPy, which says what devices compute, against TensorFlow."""

from __future__ import annotations

import pytest
import tensorflow
from ops.halves import CLOSE, EXACT, differences, results

import tfpy


@pytest.mark.parametrize("name", [*EXACT, *CLOSE])
def test_programs(name: str) -> None:
    assert differences(name, results(tfpy, name), results(tensorflow, name)) == []
