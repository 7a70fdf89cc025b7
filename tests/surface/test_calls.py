"""Every public function compared with TensorFlow: values, accepted dtypes, and gradients."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf
from api.same import compare
from surface.calls import ALONE, CALLS, dtypes, ours, theirs
from surface.evaluation import DTYPES, evaluate, gradients, tensors, words

import tfpy

LOOSE = {"linalg.pinv": 1e-4}
"""Relative and absolute tolerance of functions for which 1e-5 is too strict."""

UP_TO_SIGN = {"linalg.eigh", "eig"}
"""Functions with eigenvectors of either sign. ``tests/ops/test_linalg.py`` has their gradients."""

OTHER_GRADIENT = {
    "image.transform": "TensorFlow transforms the gradient back, which is not the derivative",
    "linalg.eigh_tridiagonal": "TensorFlow's does not agree with finite differences",
    "sparse.maximum": "TensorFlow's raises TypeError",
    "sparse.minimum": "TensorFlow's raises TypeError",
}
"""Functions for which TensorFlow's own gradient is wrong."""

COMPARED = [name for name in CALLS if name not in ALONE]
SWEPT = [
    pytest.param(name, dtype, id=f"{name}-{dtype}")
    for name in COMPARED
    for dtype in dtypes(name, DTYPES)
]


@pytest.mark.parametrize(("name", "dtype"), SWEPT)
def test_values(name: str, dtype: str) -> None:
    """Check that tfpy computes TensorFlow's values for every dtype that TensorFlow accepts."""
    try:
        wanted = evaluate(theirs(name), words(tf, dtype))
    except Exception:
        assert dtype != "float32"
        return
    mine = evaluate(ours(name), words(tfpy, dtype))
    if name in UP_TO_SIGN:
        mine, wanted = (
            [abs(t) for t in tensors(lib, r)] for lib, r in ((tfpy, mine), (tf, wanted))
        )
    compare(mine, wanted, LOOSE.get(name, 1e-5), name)


@pytest.mark.parametrize("name", [n for n in COMPARED if n not in UP_TO_SIGN | set(OTHER_GRADIENT)])
def test_gradients(name: str) -> None:
    """Check that tfpy has the same gradients as TensorFlow, where TensorFlow has any."""
    try:
        wanted = gradients(tf, theirs(name))
    except LookupError:
        return
    mine = gradients(tfpy, ours(name))
    for a, b in zip(mine, wanted, strict=True):
        assert (a is None) <= (b is None)
        if b is not None:
            dense = tf.convert_to_tensor(b).numpy()
            np.testing.assert_allclose(np.asarray(a), dense, rtol=2e-4, atol=2e-4)
