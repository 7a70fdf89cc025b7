"""``tf.linalg`` compared with TensorFlow: values, sign-independent gradients, errors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
import tensorflow as tf
from ops.matrices import NUMBERS, Call, assert_same, distinct, positive, well
from ops.test_complex import gradients
from ops.test_signal import reals

import tfpy
from tfpy._src.compiler.lower import wasm, webgl
from tfpy._src.compiler.ops import OPS, UNSUPPORTED


@NUMBERS
def test_solve(number: Any, rng: np.random.Generator) -> None:
    for lead in ((), (2,)):
        a, b = well(rng, *lead, 3, 3, number=number), well(rng, *lead, 3, 2, number=number)
        for adjoint in (False, True):
            assert_same(lambda lib, t=adjoint: lambda x, y: lib.linalg.solve(x, y, adjoint=t), a, b)
            assert_same(lambda lib, t=adjoint: lambda x: lib.linalg.inv(x, adjoint=t), a)


@NUMBERS
@pytest.mark.parametrize("adjoint", [False, True])
@pytest.mark.parametrize("lower", [False, True])
def test_triangular_solve(lower: bool, adjoint: bool, number: Any, rng: Any) -> None:
    def f(lib: Any) -> Call:
        return lambda x, y: lib.linalg.triangular_solve(x, y, lower=lower, adjoint=adjoint)

    assert_same(f, well(rng, 3, 3, number=number), well(rng, 3, 2, number=number))
    assert_same(f, well(rng, 2, 3, 3, number=number), well(rng, 2, 3, 1, number=number))
    assert_same(f, well(rng, 3, 3, number=number), well(rng, 2, 3, 1, number=number))


@NUMBERS
def test_cholesky(number: Any, rng: np.random.Generator) -> None:
    a, b = positive(rng, 2, 3, 3, number=number), well(rng, 2, 3, 2, number=number)
    assert_same(lambda lib: lib.linalg.cholesky, a)
    factor = np.linalg.cholesky(a)
    assert_same(lambda lib: lib.linalg.cholesky_solve, factor, b)
    assert_same(lambda lib: lib.linalg.logdet, a)


@NUMBERS
def test_determinant(number: Any, rng: np.random.Generator) -> None:
    for shape in ((3, 3), (2, 2, 2), (0, 3, 3), (2, 0, 0)):
        a = well(rng, *shape, number=number)
        differentiate = number is np.float32 and a.size > 0  # TensorFlow's lacks a conjugate
        assert_same(lambda lib: lib.linalg.det, a, tolerance=5e-3, differentiate=differentiate)
        for part in (0, 1):
            assert_same(
                lambda lib, i=part: lambda x: lib.linalg.slogdet(x)[i],
                a,
                differentiate=bool(part) and number is np.float32 and a.size > 0,
            )


def test_gradient_of_complex_determinants(rng: np.random.Generator) -> None:
    a = [well(rng, 2, 2, number=np.complex64)]
    written_out = gradients(tf, lambda x: x[0, 0] * x[1, 1] - x[0, 1] * x[1, 0], a, 3)
    np.testing.assert_allclose(gradients(tfpy, tfpy.linalg.det, a, 3), written_out, rtol=1e-4)


def test_gradient_of_the_sum_of_two_uses(rng: np.random.Generator) -> None:
    a = well(rng, 3, 3)
    assert_same(lambda lib: lambda x: lib.linalg.inv(x) @ lib.linalg.expm(x * 0.3), a)


def test_decompositions_of_float16(rng: np.random.Generator) -> None:
    """Compare QR decompositions and inverses, which TensorFlow has without gradients."""
    a = well(rng, 2, 4, 4).astype(np.float16)

    for full in (False, True):
        assert_same(
            lambda lib, f=full: lambda x: lib.concat(lib.linalg.qr(x[..., :2, :], f), -1) ** 2,
            a,
            tolerance=5e-2,
        )
        assert_same(lambda lib, f=full: lambda x: lib.linalg.inv(x, f), a, tolerance=1e-2)
    with tfpy.GradientTape() as tape:
        x = tfpy.constant(a)
        tape.watch(x)
        y = tfpy.reduce_sum(tfpy.linalg.inv(x))
    found = tape.gradient(y, x)
    inverse = np.swapaxes(np.linalg.inv(a.astype(np.float32)), -1, -2)
    wanted = -inverse @ np.ones_like(inverse) @ inverse
    assert found.dtype == tfpy.float16
    np.testing.assert_allclose(found, wanted, atol=1e-2)


@NUMBERS
@pytest.mark.parametrize("shape", [(3, 3), (4, 2), (2, 4), (2, 3, 2)])
def test_qr(shape: tuple[int, ...], number: Any, rng: np.random.Generator) -> None:
    a = well(rng, *shape, number=number)
    for full in (False, True):
        q, r = tfpy.linalg.qr(a, full_matrices=full)
        wanted_q, wanted_r = tf.linalg.qr(a, full_matrices=full)
        assert (tuple(q.shape), tuple(r.shape)) == (tuple(wanted_q.shape), tuple(wanted_r.shape))
        np.testing.assert_allclose(q @ r, a, atol=1e-5)
        np.testing.assert_allclose(np.abs(r), np.abs(wanted_r), atol=1e-4)
        np.testing.assert_allclose(np.tril(np.asarray(r), -1), 0, atol=1e-6)

    def invariant(lib: Any) -> Call:
        def f(x: Any) -> Any:
            q, r = lib.linalg.qr(x)
            projected = lib.linalg.matmul(q, q, adjoint_b=True)
            gram = lib.linalg.matmul(r, r, adjoint_a=True)
            return lib.concat([lib.reshape(projected, [-1]), lib.reshape(gram, [-1])], 0)

        return f

    assert_same(invariant, a)


@NUMBERS
@pytest.mark.parametrize("shape", [(3, 3), (4, 2), (2, 4), (2, 3, 2)])
def test_svd(shape: tuple[int, ...], number: Any, rng: np.random.Generator) -> None:
    a = distinct(rng, *shape, number=number)
    assert_same(lambda lib: lambda x: lib.linalg.svd(x, compute_uv=False), a)
    assert_same(lambda lib: lambda x: lib.linalg.svd(x)[0], a)
    for full in (False, True):
        s, u, v = tfpy.linalg.svd(a, full_matrices=full)
        for mine, wanted in zip((s, u, v), tf.linalg.svd(a, full_matrices=full), strict=True):
            assert tuple(mine.shape) == tuple(wanted.shape)
            assert mine.dtype.name == wanted.dtype.name
            np.testing.assert_allclose(
                np.abs(np.asarray(mine))[..., : s.shape[-1]],
                np.abs(wanted.numpy())[..., : s.shape[-1]],
                atol=1e-4,
            )

    def invariant(lib: Any) -> Call:
        def f(x: Any) -> Any:
            s, u, v = lib.linalg.svd(x)
            weights = lib.cast(lib.expand_dims(lib.sin(s), -2), x.dtype)
            return lib.linalg.matmul(u * weights, v, adjoint_b=True)

        return f

    assert_same(invariant, a)


@NUMBERS
def test_eigh(number: Any, rng: np.random.Generator) -> None:
    a = positive(rng, 2, 3, 3, number=number)
    assert_same(lambda lib: lib.linalg.eigvalsh, a)
    assert_same(lambda lib: lambda x: lib.linalg.eigh(x)[0], a)

    def invariant(lib: Any) -> Call:
        def f(x: Any) -> Any:
            e, v = lib.linalg.eigh(x)
            return lib.linalg.matmul(v * lib.expand_dims(lib.sqrt(e), -2), v, adjoint_b=True)

        return f

    assert_same(invariant, a)


@NUMBERS
def test_eig(number: Any, rng: np.random.Generator) -> None:
    a = well(rng, 3, 3, number=number)
    e, v = tfpy.linalg.eig(a)
    np.testing.assert_allclose(a @ np.asarray(v), np.asarray(v) * np.asarray(e), atol=1e-4)
    wanted = tf.linalg.eigvals(a).numpy()
    np.testing.assert_allclose(np.sort_complex(np.asarray(e)), np.sort_complex(wanted), atol=1e-4)
    np.testing.assert_allclose(tfpy.linalg.eigvals(a), e)

    def invariant(lib: Any) -> Call:
        def f(x: Any) -> Any:
            e, v = lib.linalg.eig(x)
            return lib.linalg.matmul(v * lib.expand_dims(lib.exp(e), -2), lib.linalg.inv(v))

        return f

    assert_same(invariant, a, tolerance=5e-3 * 20)
    assert_same(lambda lib: lambda x: lib.reduce_sum(lib.linalg.eigvals(x) ** 3), a, tolerance=0.05)


def test_lu(rng: np.random.Generator) -> None:
    a, b = reals(rng, 2, 4, 4), reals(rng, 2, 4, 2)
    packed, order = tfpy.linalg.lu(a)
    wanted, wanted_order = tf.linalg.lu(a)
    np.testing.assert_array_equal(order, wanted_order)
    assert_same(lambda lib: lambda x: lib.linalg.lu(x)[0], a, differentiate=False)
    assert_same(
        lambda lib: lambda x, y: lib.linalg.lu_solve(x, wanted_order.numpy(), y),
        wanted.numpy(),
        b,
        differentiate=False,
    )
    np.testing.assert_allclose(tfpy.linalg.lu_reconstruct(packed, order), a, atol=1e-5)
    np.testing.assert_allclose(
        tfpy.linalg.lu_matrix_inverse(packed, order), np.linalg.inv(a), rtol=1e-2, atol=1e-3
    )


@NUMBERS
def test_gradient_of_lu(number: Any, rng: np.random.Generator) -> None:
    """Check that the gradient of the product of the factors is that of the matrix.

    TensorFlow does not have a gradient of LU.
    """

    def again(x: Any) -> Any:
        return tfpy.linalg.lu_reconstruct(*tfpy.linalg.lu(x))

    a = [well(rng, 3, 3, number=number)[::-1].copy()]
    same = gradients(tfpy, lambda x: x * 1.0, a, 3)
    np.testing.assert_allclose(gradients(tfpy, again, a, 3), same, atol=1e-4)


@pytest.mark.parametrize("shape", [(4, 3), (3, 4), (2, 3, 3)])
def test_least_squares(shape: tuple[int, ...], rng: np.random.Generator) -> None:
    a, b = well(rng, *shape), reals(rng, *shape[:-1], 2)
    for regularizer in (0.0, 0.5):
        assert_same(
            lambda lib, r=regularizer: lambda x, y: lib.linalg.lstsq(x, y, l2_regularizer=r), a, b
        )
    assert_same(
        lambda lib: lambda x, y: lib.linalg.lstsq(x, y, fast=False), a, b, differentiate=False
    )


@pytest.mark.parametrize("shape", [(3, 3), (4, 2), (2, 2, 3)])
def test_rank_and_pseudo_inverse(shape: tuple[int, ...], rng: np.random.Generator) -> None:
    a = distinct(rng, *shape)
    assert_same(lambda lib: lib.linalg.pinv, a)
    assert_same(lambda lib: lib.linalg.matrix_rank, a)
    flat = a.copy()
    flat[..., -1, :] = flat[..., 0, :]
    assert_same(lambda lib: lib.linalg.matrix_rank, flat)
    assert_same(lambda lib: lambda x: lib.linalg.matrix_rank(x, 1.5), a)
    assert_same(lambda lib: lib.linalg.pinv, flat, differentiate=False)


@NUMBERS
def test_vectors(number: Any, rng: np.random.Generator) -> None:
    a, b = well(rng, 2, 3, number=number), well(rng, 2, 3, number=number)
    assert_same(lambda lib: lib.linalg.adjoint, a)
    if number is np.float32:
        assert_same(lambda lib: lib.linalg.cross, a, b)
        for axis in (None, 0, -1):
            for part in (0, 1):
                assert_same(
                    lambda lib, i=part, at=axis: lambda x: lib.linalg.normalize(x, axis=at)[i], a
                )


CLIPS: dict[str, Callable[[Any], Call]] = {
    "global norm": lambda lib: lambda x, y: lib.linalg.global_norm([x, None, y]),
    "by norm": lambda lib: lambda x, y: lib.clip_by_norm(x, 1.5) + lib.clip_by_norm(y, 100.0),
    "by norm of axes": lambda lib: lambda x, y: lib.clip_by_norm(x, 1.5, [1]) + y,
    "by global norm": lambda lib: lambda x, y: lib.clip_by_global_norm([x, None, y], 2.0)[0][2],
    "global norm of clip": lambda lib: lambda x, y: lib.clip_by_global_norm([x, y], 9.0)[1],
    "by given norm": lambda lib: (
        lambda x, y: lib.clip_by_global_norm([x, y], 1.0, lib.constant(4.0))[0][0]
    ),
}


@pytest.mark.parametrize("name", CLIPS)
def test_clips(name: str, rng: np.random.Generator) -> None:
    assert_same(CLIPS[name], reals(rng, 3, 4), reals(rng, 3, 4))


def test_clip_of_nothing_and_of_infinity() -> None:
    for lib in (tfpy, tf):
        clipped, length = lib.clip_by_global_norm([lib.constant([1.0, np.inf])], 1.0)
        assert np.isnan(clipped[0].numpy()).all()
        assert np.isinf(length.numpy())
        assert np.array_equal(lib.clip_by_norm(lib.zeros([3]), 1.0).numpy(), np.zeros(3))
        assert lib.linalg.global_norm([None]).numpy() == 0


def test_clip_by_average_norm(rng: np.random.Generator) -> None:
    x = reals(rng, 3, 4)
    np.testing.assert_allclose(
        tfpy.clip_by_average_norm(x, 0.1), tf.compat.v1.clip_by_average_norm(x, 0.1), rtol=1e-5
    )


def test_gram_schmidt(rng: np.random.Generator) -> None:
    x = reals(rng, 3, 4)
    rows = np.asarray(tfpy.linalg.gram_schmidt(x))
    np.testing.assert_allclose(rows @ rows.T, np.eye(3), atol=1e-5)
    signs = np.sign(np.sum(np.linalg.qr(x.T)[0].T * rows, axis=1, keepdims=True))
    np.testing.assert_allclose(np.linalg.qr(x.T)[0].T * signs, rows, atol=1e-4)
    listed = tfpy.linalg.gram_schmidt([tfpy.constant(r) for r in x])
    np.testing.assert_allclose(np.stack([np.asarray(r) for r in listed]), rows)
    for wrong in ([], [[1.0], [2.0]], [[1.0, 2.0], [1.0]]):
        with pytest.raises(ValueError, match="gram_schmidt"):
            tfpy.linalg.gram_schmidt(wrong)


SECOND: Sequence[tuple[str, Callable[[Any], Call], Any]] = [
    ("inv", lambda lib: lib.linalg.inv, well),
    ("det", lambda lib: lib.linalg.det, well),
    ("cholesky", lambda lib: lib.linalg.cholesky, positive),
    ("eigvalsh", lambda lib: lib.linalg.eigvalsh, positive),
    ("svd", lambda lib: lambda x: lib.linalg.svd(x)[0], distinct),
]


@pytest.mark.parametrize(("name", "f", "make"), SECOND, ids=[s[0] for s in SECOND])
def test_second_order(name: str, f: Any, make: Any, rng: np.random.Generator) -> None:
    def gradient(lib: Any) -> Call:
        def call(x: Any) -> Any:
            with lib.GradientTape() as tape:
                tape.watch(x)
                y = lib.reduce_sum(lib.sin(f(lib)(x)))
            return tape.gradient(y, x)

        return call

    assert_same(gradient, make(rng, 3, 3), tolerance=2e-2)


ones = np.ones((2, 2), np.float32)
WRONG: dict[str, Call] = {
    "inv singular": lambda lib: lib.linalg.inv(ones),
    "inv not square": lambda lib: lib.linalg.inv(np.ones((2, 3), np.float32)),
    "inv of a vector": lambda lib: lib.linalg.inv(lib.ones([3])),
    "inv of integers": lambda lib: lib.linalg.inv(lib.constant([[1]])),
    "solve sizes": lambda lib: lib.linalg.solve(lib.eye(2), lib.ones([3, 1])),
    "solve singular": lambda lib: lib.linalg.solve(ones, ones),
    "det not square": lambda lib: lib.linalg.det(lib.ones([2, 3])),
    "lu singular": lambda lib: lib.linalg.lu(lib.zeros([2, 2])),
    "logm of floats": lambda lib: lib.linalg.logm(ones),
    "cross": lambda lib: lib.linalg.cross(lib.ones([2]), lib.ones([2])),
    "cross shapes": lambda lib: lib.linalg.cross(lib.ones([3]), lib.ones([2, 3])),
    "global norm": lambda lib: lib.linalg.global_norm(lib.ones([2])),
    "clip": lambda lib: lib.clip_by_global_norm(lib.ones([2]), 1.0),
    "diagonals": lambda lib: lib.linalg.tridiagonal_solve(ones, ones, diagonals_format="dense"),
}


@pytest.mark.parametrize("case", WRONG)
def test_errors(case: str) -> None:
    found = []
    for lib in (tfpy, tf):
        with pytest.raises(Exception) as caught:  # noqa: PT011 - compared below
            WRONG[case](lib)
        found.append(type(caught.value).__name__.lstrip("_"))
    assert found[0] == found[1]


def test_matrices_without_a_result() -> None:
    """Check that the results are NaN and infinity as in TensorFlow.

    Other matrices of the batch have correct results.
    """
    batch = np.stack([-ones, np.eye(2, dtype=np.float32)])
    np.testing.assert_array_equal(np.isnan(tfpy.linalg.cholesky(batch))[0], np.tri(2) > 0)
    np.testing.assert_array_equal(tfpy.linalg.cholesky(batch)[1], np.eye(2))
    np.testing.assert_array_equal(np.isnan(tfpy.linalg.logdet(batch)), [True, False])
    np.testing.assert_array_equal(np.isnan(tfpy.linalg.sqrtm(batch))[:, 0, 0], [True, False])
    singular = np.array([[1, 0], [0, 0]], np.float32)
    mine, wanted = (lib.linalg.triangular_solve(singular, ones) for lib in (tfpy, tf))
    np.testing.assert_array_equal(mine, wanted)


@pytest.mark.parametrize("lowering", [wasm, webgl])
def test_host_only_ops_say_why(lowering: Any) -> None:
    unsupported = UNSUPPORTED[lowering.__name__.rpartition(".")[2]]
    for op in OPS.values():
        assert (op.name in unsupported) >= bool(op.host_only)
