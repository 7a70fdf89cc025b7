"""float16 programs on NumPy, the reference of the devices, compared with TensorFlow."""

from __future__ import annotations

import pytest
import tensorflow
from ops.halves import CLOSE, EXACT, differences, results

import tfpy


@pytest.mark.parametrize("name", [*EXACT, *CLOSE])
def test_programs(name: str) -> None:
    assert differences(name, results(tfpy, name), results(tensorflow, name)) == []
