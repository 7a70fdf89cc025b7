"""Linear operators compute as in TensorFlow: every class with every method."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow as tf
from api.same import error, same

import tfpy

RNG = np.random.default_rng(0)
REAL = RNG.normal(size=(2, 3, 3)).astype(np.float32)
COMPLEX = (REAL + 1j * RNG.normal(size=(2, 3, 3))).astype(np.complex64)
POSITIVE = (REAL @ REAL.swapaxes(-1, -2) + np.eye(3)).astype(np.float32)
HERMITIAN = (COMPLEX @ COMPLEX.conj().swapaxes(-1, -2) + np.eye(3)).astype(np.complex64)
DIAGONAL = np.array([[1.5, 2.0, 4.0], [0.5, 3.0, 1.0]], np.float32)
SPECTRUM = np.array([3.0, 2.0 + 1j, 2.0 - 1j], np.complex64)

KINDS: dict[str, Callable[[Any], Any]] = {
    "full": lambda la: la.LinearOperatorFullMatrix(REAL),
    "full complex": lambda la: la.LinearOperatorFullMatrix(COMPLEX),
    "wide": lambda la: la.LinearOperatorFullMatrix(REAL[:, :2]),
    "positive": lambda la: la.LinearOperatorFullMatrix(
        POSITIVE, is_self_adjoint=True, is_positive_definite=True
    ),
    "hermitian": lambda la: la.LinearOperatorFullMatrix(HERMITIAN, is_self_adjoint=True),
    "diag": lambda la: la.LinearOperatorDiag(DIAGONAL, is_positive_definite=True),
    "diag complex": lambda la: la.LinearOperatorDiag(COMPLEX[0]),
    "identity": lambda la: la.LinearOperatorIdentity(3, batch_shape=[2]),
    "scaled": lambda la: la.LinearOperatorScaledIdentity(3, [2.0, -3.0]),
    "zeros": lambda la: la.LinearOperatorZeros(3, batch_shape=[2]),
    "wide zeros": lambda la: la.LinearOperatorZeros(
        2, 3, is_square=False, is_self_adjoint=False
    ),
    "triangular": lambda la: la.LinearOperatorLowerTriangular(REAL),
    "householder": lambda la: la.LinearOperatorHouseholder(DIAGONAL),
    "permutation": lambda la: la.LinearOperatorPermutation([[1, 2, 0], [0, 2, 1]]),
    "circulant": lambda la: la.LinearOperatorCirculant(DIAGONAL),
    "real circulant": lambda la: la.LinearOperatorCirculant(SPECTRUM, "float32"),
    "circulant 2d": lambda la: la.LinearOperatorCirculant2D(COMPLEX[0, :1, :3]),
    "circulant 3d": lambda la: la.LinearOperatorCirculant3D(DIAGONAL[:, None, None]),
    "toeplitz": lambda la: la.LinearOperatorToeplitz(REAL[0, 0] + 2, REAL[:, 1]),
    "tridiag": lambda la: la.LinearOperatorTridiag(REAL + 1),
    "tridiag complex": lambda la: la.LinearOperatorTridiag(
        list(COMPLEX[0]), diagonals_format="sequence"
    ),
    "tridiag matrix": lambda la: la.LinearOperatorTridiag(
        np.tril(np.triu(REAL, -1), 1), diagonals_format="matrix"
    ),
    "adjoint": lambda la: la.LinearOperatorAdjoint(la.LinearOperatorFullMatrix(COMPLEX)),
    "inversion": lambda la: la.LinearOperatorInversion(la.LinearOperatorFullMatrix(REAL)),
    "composition": lambda la: la.LinearOperatorComposition(
        [la.LinearOperatorFullMatrix(REAL), la.LinearOperatorDiag(DIAGONAL[0])]
    ),
    "kronecker": lambda la: la.LinearOperatorKronecker(
        [la.LinearOperatorFullMatrix(REAL[:, :2, :2]), la.LinearOperatorDiag(DIAGONAL[0])]
    ),
    "kronecker complex": lambda la: la.LinearOperatorKronecker(
        [la.LinearOperatorFullMatrix(COMPLEX), la.LinearOperatorFullMatrix(COMPLEX[0, :2, :2])]
    ),
    "low rank": lambda la: la.LinearOperatorLowRankUpdate(
        la.LinearOperatorDiag(DIAGONAL, is_positive_definite=True), REAL[0, :, :2]
    ),
    "low rank complex": lambda la: la.LinearOperatorLowRankUpdate(
        la.LinearOperatorFullMatrix(COMPLEX), COMPLEX[0, :, :2], COMPLEX[1, 0, :2],
        COMPLEX[1, :, 1:],
    ),
    "blocks": lambda la: la.LinearOperatorBlockDiag(
        [la.LinearOperatorFullMatrix(REAL[0]), la.LinearOperatorDiag(DIAGONAL)]
    ),
    "block triangular": lambda la: la.LinearOperatorBlockLowerTriangular(
        [
            [la.LinearOperatorFullMatrix(REAL)],
            [la.LinearOperatorFullMatrix(REAL[0, :2]), la.LinearOperatorDiag(DIAGONAL[:, :2])],
        ]
    ),
}  # fmt: skip

ARGUMENT = RNG.normal(size=(9, 9))


def argument(operator: Any, rows: int, columns: int) -> Any:
    """Return a tensor of this shape and of the operator's dtype."""
    return ARGUMENT[:rows, :columns].astype(operator.dtype.as_numpy_dtype)


def sizes(operator: Any) -> tuple[int, int]:
    """Return the numbers of rows and columns."""
    return int(operator.range_dimension), int(operator.domain_dimension)


def adjoint_product(operator: Any, _: Any) -> Any:
    return operator.matmul(
        argument(operator, 4, sizes(operator)[0]), adjoint=True, adjoint_arg=True
    )


METHODS: dict[str, Callable[[Any, Any], Any]] = {
    "shape": lambda o, la: (o.shape, o.batch_shape, o.domain_dimension, o.range_dimension),
    "shape_tensor": lambda o, la: (o.shape_tensor(), o.batch_shape_tensor(), o.tensor_rank),
    "hints": lambda o, la: (o.is_square, o.is_self_adjoint, o.is_positive_definite),
    "names": lambda o, la: (o.name, o.dtype.name, sorted(o.parameters), o.is_non_singular),
    "to_dense": lambda o, la: o.to_dense(),
    "matmul": lambda o, la: o.matmul(argument(o, sizes(o)[1], 2)),
    "adjoint matmul": adjoint_product,
    "matvec": lambda o, la: o.matvec(argument(o, sizes(o)[1], 1)[:, 0]),
    "solve": lambda o, la: o.solve(argument(o, sizes(o)[0], 2)),
    "adjoint solve": lambda o, la: o.solve(
        argument(o, 2, sizes(o)[1]), adjoint=True, adjoint_arg=True
    ),
    "solvevec": lambda o, la: o.solvevec(argument(o, sizes(o)[0], 1)[:, 0]),
    "determinant": lambda o, la: o.determinant(),
    "log_abs_determinant": lambda o, la: o.log_abs_determinant(),
    "trace": lambda o, la: o.trace(),
    "diag_part": lambda o, la: o.diag_part(),
    "add_to_tensor": lambda o, la: o.add_to_tensor(argument(o, *sizes(o))),
    "eigvals": lambda o, la: o.eigvals(),
    "cond": lambda o, la: o.cond(),
    "adjoint": lambda o, la: o.H,
    "inverse": lambda o, la: o.inverse(),
    "cholesky": lambda o, la: o.cholesky(),
    "square": lambda o, la: o @ o,
    "adjoint square": lambda o, la: o.matmul(o, adjoint=True),
    "quotient": lambda o, la: o.solve(o),
    "by diag": lambda o, la: o @ la.LinearOperatorDiag(argument(o, 9, 1)[: sizes(o)[1], 0]),
    "diag by": lambda o, la: la.LinearOperatorDiag(argument(o, 9, 1)[: sizes(o)[0], 0]) @ o,
    "scaled by": lambda o, la: la.LinearOperatorScaledIdentity(
        sizes(o)[0], argument(o, 1, 1)[0, 0]
    ) @ o,
    "over identity": lambda o, la: o.solve(
        la.LinearOperatorIdentity(sizes(o)[1], dtype=o.dtype)
    ),
    "zeros by": lambda o, la: la.LinearOperatorZeros(sizes(o)[0], dtype=o.dtype) @ o,
    "slice": lambda o, la: o[1:],
    "item": lambda o, la: o[..., 0],
    "functions": lambda o, la: (la.det(o), la.trace(o), la.diag_part(o), la.inv(o), la.adjoint(o)),
    "tensor first": lambda o, la: la.matmul(argument(o, 2, sizes(o)[0]), o),
    "system": lambda o, la: la.solve(o, argument(o, sizes(o)[0], 1)),
    "logdet": lambda o, la: la.logdet(o),
    "non-singular": lambda o, la: o.assert_non_singular(),
    "positive definite": lambda o, la: o.assert_positive_definite(),
    "self-adjoint": lambda o, la: o.assert_self_adjoint(),
    "mismatch": lambda o, la: o.matvec(argument(o, 9, 1)[:, 0]),
}  # fmt: skip


def plain(value: Any) -> Any:
    """Return a result in a form that can be compared."""
    if type(value) is tuple:
        return [plain(v) for v in value]
    if hasattr(value, "to_dense"):
        hints = (value.is_self_adjoint, value.is_positive_definite, value.is_non_singular)
        return [type(value).__name__, *hints, value.to_dense().numpy()]
    return value.numpy() if hasattr(value, "numpy") else str(value)


def outcome(lib: Any, kind: str, method: str) -> Any:
    """Return the result of a method, or the class of its error."""
    try:
        return plain(METHODS[method](KINDS[kind](lib.linalg), lib.linalg))
    except Exception as error:
        return type(error).__name__


def check(found: Any, wanted: Any) -> None:
    """Compare two results."""
    assert type(found) is type(wanted)
    if isinstance(wanted, list):
        assert len(found) == len(wanted)
        for pair in zip(found, wanted, strict=True):
            check(*pair)
    elif isinstance(wanted, np.ndarray | np.generic):
        assert (found.shape, found.dtype) == (wanted.shape, wanted.dtype)
        np.testing.assert_allclose(found, wanted, rtol=2e-3, atol=2e-3)
    else:
        assert found == wanted


BROADCAST = ("add_to_tensor", "by diag", "diag by", "matmul", "adjoint matmul", "matvec",
    "square", "adjoint square", "quotient", "scaled by", "tensor first")  # fmt: skip


WITH_BATCH = ("diag", "scaled", "toeplitz", "tridiag")


def is_beyond(kind: str, method: str, wanted: Any) -> bool:
    """Return True if TensorFlow fails where tfpy need not: at more broadcasting, and dtypes."""
    broadcasts = method in BROADCAST and kind.split()[0] in (
        "diag",
        "scaled",
        "toeplitz",
        "tridiag",
    )
    asserts = method in ("non-singular", "positive definite", "self-adjoint")
    loses_hints = kind == "low rank" and method in ("slice", "item")
    keeps_array = "zeros" in kind and method == "add_to_tensor"
    has_no_batch = kind == "wide zeros" and method in ("slice", "item")
    fails = wanted in ("InvalidArgumentError", "RecursionError")
    return (fails and (broadcasts or asserts)) or loses_hints or keeps_array or has_no_batch


@pytest.mark.parametrize("method", METHODS)
def test_like_tensorflow(method: str) -> None:
    wrong = {}
    for kind in KINDS:
        found, wanted = outcome(tfpy, kind, method), outcome(tf, kind, method)
        try:
            check(found, wanted)
        except AssertionError as error:
            if not is_beyond(kind, method, wanted):
                wrong[kind] = (found, wanted, str(error)[:300])
    assert wrong == {}


def trained(lib: Any) -> Any:
    """Return Variables, gradients and results of traced functions."""
    scale = lib.Variable([2.0, 3.0], name="scale")
    operator = lib.linalg.LinearOperatorBlockDiag(
        [lib.linalg.LinearOperatorDiag(scale), lib.linalg.LinearOperatorIdentity(1)]
    )

    @lib.function
    def loss(x: Any) -> Any:
        return lib.reduce_sum(operator.solvevec(x) ** 2) + operator.log_abs_determinant()

    @lib.function
    def inverted(given: Any) -> Any:
        return given.inverse(), given.trace()

    @lib.function(input_signature=[lib.TensorSpec([None, None], lib.float32)])
    def traced(x: Any) -> Any:
        gram = lib.linalg.LinearOperatorFullMatrix(
            lib.matmul(x, x, transpose_a=True) + lib.eye(lib.shape(x)[1]),
            is_self_adjoint=True, is_positive_definite=True,
        )  # fmt: skip
        return gram.cholesky().solve(lib.transpose(x)), gram.shape_tensor()

    with lib.GradientTape() as tape:
        value = loss([1.0, 2.0, 3.0])
    names = [v.name for v in operator.trainable_variables], len(operator.submodules)
    gradient = tape.gradient(value, scale)
    scale.assign([4.0, 5.0])
    return (
        str(names), value, gradient, operator.trace(), *inverted(operator),
        *traced(REAL[0]), *traced(REAL[0, :, :2]),
    )  # fmt: skip


def test_variables_and_functions() -> None:
    check(plain(trained(tfpy)), plain(trained(tf)))


@pytest.mark.parametrize("lib", [tf, tfpy])
def test_is_no_tensor(lib: Any) -> None:
    operator = lib.linalg.LinearOperatorIdentity(2)
    assert not lib.is_tensor(operator)
    assert isinstance(operator, lib.Module)
    assert lib.nest.flatten([operator]) == [operator]
    with pytest.raises(ValueError, match="LinearOperatorIdentity"):
        lib.convert_to_tensor(operator)
    with pytest.raises(TypeError):
        lib.linalg.LinearOperator(lib.float32)


@same
def test_sizes_of_constant_operators(tf: Any) -> Any:
    identity, zeros = tf.linalg.LinearOperatorIdentity, tf.linalg.LinearOperatorZeros
    wrong: list[Callable[[], Any]] = [
        lambda: identity([2]),
        lambda: identity(2.0),
        lambda: identity(2, batch_shape=2),
        lambda: identity(2, batch_shape=[2.0]),
        lambda: zeros(2, batch_shape=tf.Variable([3])),
        lambda: zeros(tf.Variable(2)),
    ]
    fine = [identity(tf.constant(2), [3]), zeros(2, 2, []), identity(2, tf.TensorShape([2]))]
    return [error(call) for call in wrong], [x.shape for x in fine]


@same
def test_gradients_of_operators(tf: Any) -> Any:
    matrix = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    factor = tf.linalg.LinearOperatorFullMatrix(matrix)
    with tf.GradientTape(persistent=True) as tape:
        one = tf.linalg.LinearOperatorFullMatrix([[1.0, 0.0], [2.0, 1.0]])
        other = tf.linalg.LinearOperatorDiag([1.0, 2.0])
        tape.watch([one, other])
        both = tf.linalg.LinearOperatorBlockDiag([one, other])
        y = one.matmul(tf.constant([[1.0], [3.0]]))
    of_one, of_other, of_both = tape.gradient(y, [one, other, both])
    return [
        of_one.to_dense(),
        of_other is None,
        [part.to_dense() for part in of_both.operators],
        tape.gradient(factor, factor.variables),
    ]
