"""Functions that TensorFlow.js lacks or computes wrong return TensorFlow's results in tfpy."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf
from api.same import compare
from surface.evaluation import evaluate, gradients, words
from surface.tfjs import BUGS, MISSING_GRADIENTS, ours, theirs

import tfpy


def test_counts() -> None:
    assert len(MISSING_GRADIENTS) >= 38


@pytest.mark.parametrize("name", MISSING_GRADIENTS)
def test_gradient(name: str) -> None:
    call = MISSING_GRADIENTS[name]
    mine, wanted = gradients(tfpy, ours(call)), gradients(tf, theirs(call))
    assert any(g is not None for g in wanted)
    for a, b in zip(mine, wanted, strict=True):
        assert (a is None) == (b is None)
        if b is not None:
            dense = tf.convert_to_tensor(b).numpy()
            np.testing.assert_allclose(np.asarray(a), dense, rtol=2e-4, atol=2e-4)


@pytest.mark.parametrize("name", BUGS)
def test_value(name: str) -> None:
    call = BUGS[name]
    mine, wanted = evaluate(ours(call), words(tfpy)), evaluate(theirs(call), words(tf))
    compare(mine, wanted, 1e-5, name)
