"""Exponentials, logarithms and roots of matrices, compared with TensorFlow."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tensorflow as tf
from ops.matrices import NUMBERS, assert_same, positive, well
from ops.test_complex import values

import tfpy


@NUMBERS
def test_functions_of_matrices(number: Any, rng: np.random.Generator) -> None:
    a = positive(rng, 2, 3, 3, number=number)
    assert_same(lambda lib: lambda x: lib.linalg.expm(x * 0.1), a)
    assert_same(lambda lib: lambda x: lib.linalg.expm(x * 0.4), a, tolerance=0.05)
    assert_same(lambda lib: lib.linalg.sqrtm, a, differentiate=number is np.float32)
    assert_same(lambda lib: lib.linalg.logm, a.astype(np.complex64), differentiate=False)


MATRICES: dict[str, Any] = {
    "Jordan": [[1, 1], [0, 1]],
    "Jordan of 3": [[2, 1, 0], [0, 2, 1], [0, 0, 2]],
    "Jordan, turned": [[3, 1, 1], [-1, 1, 0], [0, 0, 2]],
    "two blocks": [[2, 1, 0, 0], [0, 2, 0, 0], [0, 0, 2, 1], [0, 0, 0, 2]],
    "far from one": [[1, 1e6], [0, 1]],
    "small eigenvalues": [[1e-30, 1], [0, 1e-30]],
    "negative": [[-1, 0], [0, 1]],
    "negative Jordan": [[-1, 1], [0, -1]],
    "rotation": [[0, 1], [-1, 0]],
    "permutation": [[0, 0, 1], [1, 0, 0], [0, 1, 0]],
    "singular": [[0, 0], [0, 1]],
    "singular Jordan": [[0, 1], [0, 0]],
    "zeros": [[0, 0], [0, 0]],
    "one": [[4]],
    "not a number": [[np.nan, 1], [0, 1]],
}


@pytest.mark.parametrize("a", MATRICES.values(), ids=MATRICES)
def test_logarithms_and_roots_of_matrices_without_eigenvectors(a: Any) -> None:
    """Compare logarithms and roots with TensorFlow's complex ones.

    TensorFlow's real root of "Jordan, turned" is wrong, because its square is another matrix.
    """
    x = np.array(a, np.complex64)
    log, root = tf.linalg.logm(x).numpy(), tf.linalg.sqrtm(x).numpy()
    np.testing.assert_allclose(tfpy.linalg.logm(x), log, rtol=1e-3, atol=1e-3)
    if np.isfinite(root).all():
        np.testing.assert_allclose(tfpy.linalg.sqrtm(x), root, rtol=1e-3, atol=1e-3)
        real = np.full_like(root.real, np.nan) if abs(root.imag).max() > 0.1 else root.real
        np.testing.assert_allclose(tfpy.linalg.sqrtm(x.real), real, rtol=1e-3, atol=1e-3)
    else:
        assert not np.isfinite(tfpy.linalg.sqrtm(x)).all()
        assert not np.isfinite(tfpy.linalg.sqrtm(x.real)).all()


def test_logarithms_and_roots_of_larger_matrices(rng: np.random.Generator) -> None:
    """Check that the exponential and the square restore the matrix."""
    a = (rng.normal(size=(3, 24, 24)) / 8).astype(np.complex64)
    np.testing.assert_allclose(tfpy.linalg.logm(tfpy.linalg.expm(a)), a, atol=1e-4)
    x = well(rng, 2, 20, 20) @ well(rng, 2, 20, 20)
    root = tfpy.linalg.sqrtm(x.astype(np.complex64))
    np.testing.assert_allclose(root @ root, x, rtol=1e-3, atol=1e-2)


def test_gradient_of_sqrtm_of_complex_matrices(rng: np.random.Generator) -> None:
    """Check the gradient of sqrtm(x) @ sqrtm(x), which is x.

    TensorFlow's gradient lacks a conjugate.
    """
    a = tfpy.constant(positive(rng, 3, 3, number=np.complex64))
    with tfpy.GradientTape() as tape:
        tape.watch(a)
        root = tfpy.linalg.sqrtm(a)
        y = root @ root
    dy = values(rng, 3, 3)
    np.testing.assert_allclose(tape.gradient(y, a, tfpy.constant(dy)), dy, atol=1e-3)
