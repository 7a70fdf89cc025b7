"""Matrices with few diagonals: functions of `tf.linalg`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ops import decomposition as dec
from tfpy._src.core import primitives
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import FloatLike, TensorLike
from tfpy._src.tensors.array.complex_numbers import conj, real
from tfpy._src.tensors.array.joining import concat, pad, unstack
from tfpy._src.tensors.array.making import cast
from tfpy._src.tensors.array.reshaping import expand_dims, reshape, squeeze
from tfpy._src.tensors.array.slicing import take, where
from tfpy._src.tensors.array.static import static_ints
from tfpy._src.tensors.linalg.decompositions import eigh, single
from tfpy._src.tensors.linalg.matrix_functions import slogdet
from tfpy._src.tensors.linalg.products import adjoint
from tfpy._src.tensors.linalg.solving import triangular_solve
from tfpy._src.tensors.math.arithmetic import add_n


def banded_triangular_solve(
    bands: TensorLike,
    rhs: TensorLike,
    lower: bool = True,
    adjoint: bool = False,
    name: str | None = None,
) -> Tensor:
    """Solve systems of linear equations with triangular matrices that have few diagonals.

    Args:
        bands: The `k` diagonals of each matrix, a float tensor of shape `[..., k, n]`. The main
            diagonal is the first one if `lower` is True, and otherwise the last one. Element `j` of
            each diagonal is in row `j` of the matrix.
        rhs: Right-hand sides, a tensor of shape `[..., n, m]`.
        lower: If True, the matrices are lower triangular. If False, they are upper triangular.
        adjoint: If True, solve with the conjugate transposes of the matrices instead.

    Returns:
        Solutions, a tensor of shape `[..., n, m]`.

    Raises:
        tf.errors.InvalidArgumentError: If `bands` has fewer than two dimensions, or the shapes do
            not match.

    Example:
        >>> import tfpy as tf
        >>> bands = [[2.0, 2.0, 2.0], [0.0, 1.0, 1.0]]  # the main diagonal and the one below
        >>> rhs = [[2.0], [5.0], [8.0]]
        >>> tf.linalg.banded_triangular_solve(bands, rhs).numpy().tolist()
        [[1.0], [2.0], [3.0]]

    See also: `tf.linalg.triangular_solve`, `tf.linalg.tridiagonal_solve`.
    """
    x = convert_to_tensor(bands)
    if x.ndim < 2:
        raise invalid(
            "banded_triangular_solve", f"bands must be a matrix, got {list(x.aval.shape)}"
        )
    rows = unstack(x, axis=-2)
    away = range(len(rows)) if lower else reversed(range(len(rows)))
    n, number = x.aval.shape[-1], x.dtype.as_numpy_dtype
    placed = [
        expand_dims(row, -1) * np.eye(n, k=-i if lower else i, dtype=number)
        for i, row in zip(away, rows, strict=True)
    ]
    return triangular_solve(add_n(placed), rhs, lower, adjoint)


def _three(diagonals: Any, form: str) -> tuple[Tensor, Tensor, Tensor]:
    """Return the diagonals above, on and below the main one, all with the length of the main one.

    Raises:
        ValueError: If the format is unknown, or the shape does not match the format.
    """
    if form == "sequence":
        if not isinstance(diagonals, tuple | list) or len(diagonals) != 3:
            raise ValueError("Expected diagonals to be a sequence of length 3.")
        above, main, below = (convert_to_tensor(d) for d in diagonals)
        if not above.aval.shape[:-1] == main.aval.shape[:-1] == below.aval.shape[:-1]:
            raise ValueError(
                "Tensors representing the three diagonals must have the same shape, except for "
                f"the last dimension, got {below.shape}, {main.shape}, {above.shape}"
            )
        above = _as_long(above, main, "superdiagonal", 0, 1)
        return above, main, _as_long(below, main, "subdiagonal", 1, 0)
    x = convert_to_tensor(diagonals)
    if form == "compact":
        if x.ndim < 2 or x.aval.shape[-2] != 3:
            raise ValueError(f"Expected 3 diagonals got {x.shape}")
        above, main, below = unstack(x, axis=-2)
        return above, main, below
    if form != "matrix":
        raise ValueError(
            f'Unrecognized diagonals_format: {form}; use "compact", "sequence" or "matrix"'
        )
    if x.ndim < 2 or x.aval.shape[-1] != x.aval.shape[-2]:
        raise ValueError(f"Expected last two dimensions of diagonals to be same, got {x.shape}")
    above, main, below = (_diagonal(x, k) for k in (1, 0, -1))
    return _padded(above, 0, 1), main, _padded(below, 1, 0)


def _as_long(x: Tensor, main: Tensor, name: str, before: int, after: int) -> Tensor:
    """Return a diagonal next to the main one, padded to the length of the main one."""
    n, m = x.aval.shape[-1], main.aval.shape[-1]
    if n == m:
        return x
    if n == m - 1:
        return _padded(x, before, after)
    raise ValueError(f"Expected {name} to have length {m} or {m - 1}, got {n}.")


def _padded(x: Tensor, before: int, after: int) -> Tensor:
    """Pad the last axis with zeros."""
    return pad(x, [*[[0, 0]] * (x.ndim - 1), [before, after]])


def _diagonal(x: Tensor, k: int) -> Tensor:
    """Return diagonal `k` of square matrices."""
    n = x.aval.shape[-1]
    flat = reshape(x, [*x.aval.shape[:-2], n * n])
    start = k if k >= 0 else -k * n
    return take(flat, (start + (n + 1) * np.arange(n - abs(k))).astype(np.int32), axis=-1)


def _dense(above: Tensor, main: Tensor, below: Tensor) -> Tensor:
    """Return the matrices with three diagonals.

    The last element above and the first element below the main diagonal are ignored.
    """
    n = main.aval.shape[-1]
    number = main.dtype.as_numpy_dtype
    on, over = np.eye(n, dtype=number), np.eye(n, k=1, dtype=number)
    return (
        expand_dims(main, -1) * on
        + expand_dims(above, -1) * over
        + expand_dims(below, -1) * np.eye(n, k=-1, dtype=number)
    )


def tridiagonal_matmul(
    diagonals: TensorLike | Sequence[TensorLike],
    rhs: TensorLike,
    diagonals_format: str = "compact",
    name: str | None = None,
) -> Tensor:
    """Multiply tridiagonal matrices by dense matrices.

    Args:
        diagonals: Diagonals of the matrices, float tensors in the format `diagonals_format`.
        rhs: Tensor of shape `[..., n, m]`.
        diagonals_format: Format of `diagonals`. `"compact"` (default) is one tensor of shape
            `[..., 3, n]` with the diagonal above the main one, the main diagonal and the diagonal
            below. The last element above and the first element below are ignored. `"sequence"` is
            a list of these three diagonals, in which the first and the last one may have the length
            `n - 1`. `"matrix"` is a tensor of dense matrices of shape `[..., n, n]`.

    Returns:
        Tensor of shape `[..., n, m]`.

    Raises:
        ValueError: If the format is unknown, or the shape of `diagonals` does not match the format.

    Example:
        >>> import tfpy as tf
        >>> above, main, below = [1.0, 1.0, 0.0], [2.0, 2.0, 2.0], [0.0, 3.0, 3.0]
        >>> bands = tf.constant([above, main, below])
        >>> tf.linalg.tridiagonal_matmul(bands, [[1.0], [1.0], [1.0]]).numpy().tolist()
        [[3.0], [6.0], [5.0]]

    See also: `tf.linalg.tridiagonal_solve`, `tf.matmul`.
    """
    above, main, below = (expand_dims(d, -1) for d in _three(diagonals, diagonals_format))
    x = convert_to_tensor(rhs)
    nothing = x[..., :1, :] * 0
    after = concat([x[..., 1:, :], nothing], -2)
    before = concat([nothing, x[..., :-1, :]], -2)
    return above * after + main * x + below * before


def tridiagonal_solve(
    diagonals: TensorLike | Sequence[TensorLike],
    rhs: TensorLike,
    diagonals_format: str = "compact",
    transpose_rhs: bool = False,
    conjugate_rhs: bool = False,
    name: str | None = None,
    partial_pivoting: bool = True,
    perturb_singular: bool = False,
) -> Tensor:
    """Solve systems of linear equations with tridiagonal matrices.

    The matrices are converted to dense matrices, so the cost is the same as for `tf.linalg.solve`,
    and the solver always uses partial pivoting. The solution of a matrix that is not invertible is
    NaN, as in TensorFlow.

    Args:
        diagonals: Diagonals of the matrices, float tensors in the format `diagonals_format`.
        rhs: Right-hand sides, a tensor of shape `[..., n, m]` or `[..., n]`.
        diagonals_format: Format of `diagonals`. `"compact"` (default) is one tensor of shape
            `[..., 3, n]` with the diagonal above the main one, the main diagonal and the diagonal
            below. The last element above and the first element below are ignored. `"sequence"` is
            a list of these three diagonals, in which the first and the last one may have the length
            `n - 1`. `"matrix"` is a tensor of dense matrices of shape `[..., n, n]`.
        transpose_rhs: If True, transpose the last two dimensions of `rhs` first. Default: False.
        conjugate_rhs: If True, and `transpose_rhs` is True, also conjugate `rhs`. Default: False.
        partial_pivoting: Must be True if `perturb_singular` is True. Otherwise it has no effect.
        perturb_singular: Has no effect if `partial_pivoting` is True.

    Returns:
        Solutions, a tensor with the shape of `rhs` (after the transposition by `transpose_rhs`).

    Raises:
        ValueError: If the format is unknown, the shapes do not match, or `perturb_singular` is True
            and `partial_pivoting` is False.
        tf.errors.InvalidArgumentError: If `rhs` is a scalar.

    Example:
        >>> import tfpy as tf
        >>> above, main, below = [1.0, 1.0, 0.0], [2.0, 2.0, 2.0], [0.0, 3.0, 3.0]
        >>> bands = tf.constant([above, main, below])
        >>> tf.linalg.tridiagonal_solve(bands, [3.0, 6.0, 5.0]).numpy().round(3).tolist()
        [1.0, 1.0, 1.0]

    See also: `tf.linalg.tridiagonal_matmul`, `tf.linalg.solve`.
    """
    if perturb_singular and not partial_pivoting:
        raise ValueError("partial_pivoting must be True if perturb_singular is.")
    above, main, below = _three(diagonals, diagonals_format)
    b = convert_to_tensor(rhs)
    if not b.ndim:
        raise invalid("tridiagonal_solve", "rhs must be at least a vector, got a scalar")
    if b.ndim - main.ndim not in (0, 1):
        raise ValueError(
            f"Expected the rank of rhs to be {main.ndim} or {main.ndim + 1}, got {b.ndim}"
        )
    batch = main.aval.shape[:-1]
    if any(m != n for m, n in zip(batch, b.aval.shape, strict=False)):
        raise ValueError(
            f"Batch shapes {list(batch)} and {list(b.aval.shape[: len(batch)])} are incompatible"
        )
    vector = b.ndim == main.ndim
    if vector:
        b = expand_dims(b, -1)
    elif transpose_rhs:
        b = adjoint(b) if conjugate_rhs else conj(adjoint(b))
    if b.aval.shape[-2] != main.aval.shape[-1]:
        raise ValueError(
            "Expected number of left-hand sided and right-hand side rows to be equal, got "
            f"{main.aval.shape[-1]} and {b.aval.shape[-2]}"
        )
    x = _solved_or_nan(_dense(above, main, below), b)
    return squeeze(x, [-1]) if vector else x


def _solved_or_nan(matrices: Tensor, rhs: Tensor) -> Tensor:
    """Solve systems of equations. The solutions of singular matrices are NaN."""
    n, number = matrices.aval.shape[-1], matrices.dtype.as_numpy_dtype
    sign = reshape(slogdet(matrices).sign, [*matrices.aval.shape[:-2], 1, 1])
    regular = primitives.not_equal(sign, 0)
    x = dec.matrix_solve(where(regular, matrices, np.eye(n, dtype=number)), rhs)
    return where(regular, x, np.array(np.nan, number))


def eigh_tridiagonal(
    alpha: TensorLike,
    beta: TensorLike,
    eigvals_only: bool = True,
    select: str = "a",
    select_range: Sequence[float] | TensorLike | None = None,
    tol: FloatLike | None = None,
    name: str | None = None,
) -> Any:
    """Compute the eigenvalues of a self-adjoint tridiagonal matrix, and optionally eigenvectors.

    Args:
        alpha: Main diagonal, a float or complex tensor of shape `[n]`. Imaginary parts are ignored.
        beta: Diagonal above the main one, a tensor of shape `[n - 1]` with the dtype of `alpha`.
            The diagonal below contains the conjugates. Has no effect if `n` is 0 or 1.
        eigvals_only: If False, also return the eigenvectors. Default: True.
        select: Eigenvalues to return. `"a"` (default) returns all, `"i"` those whose index is in
            `select_range`, and `"v"` those whose value is in `select_range`. Eigenvalues that equal
            a bound up to rounding are returned. With `"v"`, the
            eigenvalues are read back to Python, so the call waits for pending computations, and a
            `tf.function` that contains the call runs eagerly, without compilation.
        select_range: For `"i"`, the lowest and the highest index, both inclusive. For `"v"`, the
            lower bound and the upper bound of the eigenvalues.
        tol: Has no effect.

    Returns:
        Eigenvalues in ascending order, a float tensor. If `eigvals_only` is False, a pair of the
        eigenvalues and a tensor with the eigenvectors in its columns.

    Raises:
        ValueError: If `select` is unknown, `select_range` is missing, or the dtypes differ.
        tf.errors.InvalidArgumentError: If the shapes do not match, or `select_range` is empty.

    Example:
        >>> import tfpy as tf
        >>> tf.linalg.eigh_tridiagonal(alpha=[2.0, 2.0], beta=[1.0]).numpy().round(3).tolist()
        [1.0, 3.0]

    See also: `tf.linalg.eigh`, `tf.linalg.eigvalsh`.
    """
    main, beside = convert_to_tensor(alpha), convert_to_tensor(beta)
    if select not in ("a", "i", "v"):
        raise ValueError("select must have a value in {'a', 'i', 'v'}")
    if select != "a" and select_range is None:
        raise ValueError("select_range is required if select is not 'a'")
    if main.ndim and main.aval.shape[0] <= 1 and eigvals_only:
        return real(main)
    if main.dtype != beside.dtype:
        raise ValueError(
            f"alpha and beta must have the same dtype, got {main.dtype.name} and "
            f"{beside.dtype.name}"
        )
    n = main.size
    if main.ndim != 1 or (n > 1 and beside.aval.shape != (n - 1,)):
        raise invalid(
            "eigh_tridiagonal",
            f"alpha must be a vector, and beta a vector that is shorter by one, got shapes "
            f"{list(main.aval.shape)} and {list(beside.aval.shape)}",
        )
    if n > 1:
        full = _dense(_padded(beside, 0, 1), main, _padded(conj(beside), 1, 0))
    else:
        full = expand_dims(main, -1)
    values, vectors = eigh(single(full))
    values, vectors = cast(real(values), real(main).dtype), cast(vectors, main.dtype)
    if select == "i":
        low, high = static_ints(select_range)
        if low > high:
            raise invalid("eigh_tridiagonal", f"select_range {low} to {high} is empty")
        values, vectors = values[..., low : high + 1], vectors[..., low : high + 1]
    if select == "v":
        bounds: Any = select_range
        above, upto = (float(v) for v in bounds)
        if above >= upto:
            raise invalid("eigh_tridiagonal", f"select_range {above} to {upto} is empty")
        found = np.real(values.host_view())
        slack = _slack(found)
        near = (found > above - slack) & (found <= upto + slack)
        chosen = np.flatnonzero(near).astype(np.int32)
        values, vectors = take(values, chosen, axis=-1), take(vectors, chosen, axis=-1)
    return values if eigvals_only else (values, vectors)


def _slack(eigenvalues: np.ndarray[Any, Any]) -> float:
    """Return the distance by which TensorFlow widens an interval of eigenvalues on both sides."""
    largest = float(np.max(np.abs(eigenvalues), initial=0))
    return 2.1 * eigenvalues.size * float(np.finfo(eigenvalues.dtype).eps) * largest
