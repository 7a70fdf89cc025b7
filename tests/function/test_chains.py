"""Random chains of calls: eager and compiled, values and gradients equal TensorFlow's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tensorflow
from function.chains import Chain, chain, results

import tfpy

SEEDS = range(60)


def check(program: Chain, lib: Any, *, compiled: bool) -> None:
    """Compare values, and gradients of a random mix of the outputs, with TensorFlow's."""
    wanted = results(program, tensorflow, lambda f: f)
    found = results(program, lib, lib.function if compiled else lambda f: f)
    for mine, theirs in zip(found, wanted, strict=True):
        assert mine.shape == theirs.shape, program.text
        largest = float(np.abs(theirs).max(initial=0))
        np.testing.assert_allclose(mine, theirs, 5e-4, 5e-4 * (1 + largest), err_msg=program.text)


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("seed", SEEDS)
def test_chain(seed: int, compiled: bool) -> None:
    check(chain(seed), tfpy, compiled=compiled)
