"""Every public function against TensorFlow: values, dtypes it takes, and gradients."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tensorflow as tf
from api.same import compare
from surface.calls import ALONE, CALLS, arguments, ours, theirs
from surface.evaluation import DTYPES, evaluate, gradients, words

import tfpy

LOOSE = {"linalg.pinv": 1e-4}
"""Relative and absolute tolerance where 1e-5 does not do."""

CASES = [
    (name, dtype)
    for name in CALLS
    if name not in ALONE
    for dtype in (DTYPES if "x(" in arguments(name) else ("float32",))
]


def result(lib: Any, call: str, dtype: str) -> Any:
    """What the call gives, or the error it raises."""
    try:
        return evaluate(call, words(lib, dtype))
    except Exception as error:
        return error


@pytest.mark.parametrize(("name", "dtype"), CASES)
def test_values(name: str, dtype: str) -> None:
    """What TensorFlow computes is computed; what it refuses as an argument is refused."""
    wanted = result(tf, theirs(name), dtype)
    mine = result(tfpy, ours(name), dtype)
    if isinstance(wanted, Exception):
        assert not isinstance(mine, AssertionError)
        return
    if isinstance(mine, Exception):
        raise mine
    compare(mine, wanted, LOOSE.get(name, 1e-5), name)


@pytest.mark.parametrize("name", [name for name in CALLS if name not in ALONE])
def test_gradients(name: str) -> None:
    """Where TensorFlow has a gradient there is one, and it is the same."""
    try:
        wanted = gradients(tf, theirs(name))
    except (LookupError, tf.errors.OpError):
        return
    mine = gradients(tfpy, ours(name))
    assert len(mine) == len(wanted)
    for a, b in zip(mine, wanted, strict=True):
        if b is not None:
            assert a is not None
            dense = tf.convert_to_tensor(b)
            np.testing.assert_allclose(np.asarray(a), dense.numpy(), rtol=2e-4, atol=2e-4)
