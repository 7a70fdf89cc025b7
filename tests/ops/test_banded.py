"""Banded matrices, compared with TensorFlow."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tensorflow as tf
from ops.matrices import Call, assert_same
from ops.test_signal import reals

import tfpy


@pytest.mark.parametrize("adjoint", [False, True])
@pytest.mark.parametrize("lower", [False, True])
def test_banded_triangular_solve(lower: bool, adjoint: bool, rng: np.random.Generator) -> None:
    bands, b = reals(rng, 2, 3, 5), reals(rng, 2, 5, 2)
    bands[:, 0 if lower else -1] += 4
    for i in range(3):  # elements outside the matrix are ignored
        bands[:, i if lower else 2 - i, slice(0, i) if lower else slice(5 - i, 5)] = 0

    def f(lib: Any) -> Call:
        return lambda x, y: lib.linalg.banded_triangular_solve(x, y, lower=lower, adjoint=adjoint)

    assert_same(f, bands, b)


@pytest.mark.parametrize("form", ["compact", "sequence", "matrix"])
def test_three_diagonals(form: str, rng: np.random.Generator) -> None:
    b = reals(rng, 2, 4, 3)
    three = reals(rng, 2, 3, 4)
    three[:, 1] += 4
    dense = np.stack([np.diag(m[1]) + np.diag(m[0][:-1], 1) + np.diag(m[2][1:], -1) for m in three])
    for name in ("tridiagonal_matmul", "tridiagonal_solve"):

        def f(lib: Any, op: str = name) -> Call:
            def call(d: Any, rhs: Any) -> Any:
                given = d
                if form == "sequence":
                    given = [d[:, 0, :-1], d[:, 1], d[:, 2, 1:]]
                    if op == "tridiagonal_matmul":  # TensorFlow's product needs padding
                        given = [d[:, 0], d[:, 1], d[:, 2]]
                return getattr(lib.linalg, op)(given, rhs, diagonals_format=form)

            return call

        assert_same(f, dense.astype(np.float32) if form == "matrix" else three, b)
    if form == "compact":
        assert_same(lambda lib: lib.linalg.tridiagonal_solve, three, b[..., 0])
        assert_same(
            lambda lib: lambda d, r: lib.linalg.tridiagonal_solve(d, r, transpose_rhs=True),
            three,
            np.ascontiguousarray(np.swapaxes(b, 1, 2)),
        )


@pytest.mark.parametrize("chosen", [("a", None), ("i", (1, 2)), ("v", (0.0, 9.0))])
def test_eigenvalues_of_three_diagonals(chosen: Any, rng: np.random.Generator) -> None:
    main, beside = reals(rng, 5) * 3, reals(rng, 4)
    select, limits = chosen
    for lib_range in (limits,):
        mine = tfpy.linalg.eigh_tridiagonal(main, beside, select=select, select_range=lib_range)
        wanted = tf.linalg.eigh_tridiagonal(main, beside, select=select, select_range=lib_range)
        np.testing.assert_allclose(mine, wanted, atol=1e-4)
    e, v = tfpy.linalg.eigh_tridiagonal(main, beside, eigvals_only=False)
    dense = np.diag(main) + np.diag(beside, 1) + np.diag(beside, -1)
    np.testing.assert_allclose(dense @ np.asarray(v), np.asarray(v) * np.asarray(e), atol=1e-4)


def test_eigenvectors_of_complex_matrices(rng: np.random.Generator) -> None:
    main, beside = reals(rng, 5).astype(np.complex64), reals(rng, 4) + 1j * reals(rng, 4)
    beside = beside.astype(np.complex64)
    dense = np.diag(main) + np.diag(beside, 1) + np.diag(beside.conj(), -1)
    for lib in (tfpy, tf):
        e, v = lib.linalg.eigh_tridiagonal(main, beside, eigvals_only=False)
        np.testing.assert_allclose(dense @ v.numpy(), v.numpy() * e.numpy(), atol=1e-4)


@pytest.mark.parametrize("kind", [np.complex64, np.float16])
def test_eigenvalues_of_other_dtypes(kind: Any, rng: np.random.Generator) -> None:
    """Check that the eigenvalues of complex diagonals are real."""
    main, beside = ((reals(rng, n) + 1j * reals(rng, n)).astype(np.complex64) for n in (4, 3))
    if kind == np.float16:
        main, beside = main.real, beside.real
    for a, b in ((main, beside), (main[:1], beside[:0]), (main[:0], beside[:0])):
        operands = (a.astype(kind), b.astype(kind))
        assert_same(
            lambda lib: lib.linalg.eigh_tridiagonal, *operands, tolerance=2e-2, differentiate=False
        )


@pytest.mark.parametrize(
    ("main", "beside"), [((2, 3), (2,)), ((3,), (3,)), ((3,), (1, 2)), ((), (0,))]
)
def test_other_diagonals(main: Any, beside: Any) -> None:
    with pytest.raises(tfpy.errors.InvalidArgumentError, match="shorter by one"):
        tfpy.linalg.eigh_tridiagonal(tfpy.ones(main), tfpy.ones(beside))


@pytest.mark.parametrize(
    ("bands", "rhs"),
    [
        ([[0.0], [0.0], [0.0]], [[6.0, 9.0, 12.0]]),
        ([[3.0, 0.0], [1.0, 3.0], [0.0, 1.0]], [1.0, 4.0]),
        ([[2.0, -1, 1, 0], [1, 4, 1, -1], [0, 2, 0, 3]], [1.0, 2, 3, 4]),
        ([[1.0, 1, 0], [0, 1, 2], [0, 1, 1]], [1.0, 2, 3]),
        ([[[1.0, 0], [1, 1], [0, 1]], [[1.0, 0], [2, 2], [0, 1]]], [[1.0, 2], [3, 4]]),
    ],
)
def test_singular_systems(bands: Any, rhs: Any) -> None:
    """Check that the solutions of matrices that are not invertible are NaN."""
    mine, wanted = (
        lib.linalg.tridiagonal_solve(lib.constant(bands), lib.constant(rhs)).numpy()
        for lib in (tfpy, tf)
    )
    np.testing.assert_allclose(mine, wanted, rtol=1e-5)


@pytest.mark.parametrize(
    ("diagonals", "rhs", "form"),
    [
        ((5, 3, 4), (4, 5), "compact"),
        ((5, 3, 4), (5,), "compact"),
        ((5, 4, 4), (3, 4), "matrix"),
        ((5, 4, 4), (5, 3), "matrix"),
        (((5, 4), (5, 4)), (5, 4), "sequence"),
        (((5, 4), (5, 4), (5, 6)), (5, 4), "sequence"),
        (((5, 6), (5, 4), (5, 3)), (5, 4), "sequence"),
        (((5, 4), (7, 4), (5, 4)), (5, 4), "sequence"),
    ],
)
def test_wrong_shapes_of_systems(diagonals: Any, rhs: Any, form: str) -> None:
    for lib in (tfpy, tf):
        made = (
            [lib.ones(shape) for shape in diagonals] if form == "sequence" else lib.ones(diagonals)
        )
        with pytest.raises(ValueError, match=r"\w"):
            lib.linalg.tridiagonal_solve(made, lib.ones(rhs), diagonals_format=form)
    with pytest.raises(ValueError, match="partial_pivoting must be True"):
        tfpy.linalg.tridiagonal_solve(
            tfpy.ones([3, 2]), tfpy.ones([2]), partial_pivoting=False, perturb_singular=True
        )


def test_eigenvalues_at_the_bounds() -> None:
    """Check that eigenvalues that equal a bound are selected, as in TensorFlow."""
    main, beside = np.float32([0.3, 0.7, 0.1, 0.9]), np.float32([0.5, 0.2, 0.8])
    whole = tf.linalg.eigh_tridiagonal(main, beside).numpy()
    for low in range(3):
        for high in range(low + 1, 4):
            for moved in (0, 1e-3):
                limits = (whole[low] - moved, whole[high] - moved)
                mine, wanted = (
                    lib.linalg.eigh_tridiagonal(main, beside, select="v", select_range=limits)
                    for lib in (tfpy, tf)
                )
                np.testing.assert_allclose(mine, wanted, atol=1e-5)
