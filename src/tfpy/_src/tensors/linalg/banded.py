"""Matrices of few diagonals: functions of ``tf.linalg``."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ops import decomposition as dec
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.tensors.array.complex_numbers import conj, real
from tfpy._src.tensors.array.joining import concat, pad, unstack
from tfpy._src.tensors.array.making import cast
from tfpy._src.tensors.array.reshaping import expand_dims, reshape, squeeze
from tfpy._src.tensors.array.slicing import take
from tfpy._src.tensors.array.static import static_ints
from tfpy._src.tensors.linalg.decompositions import eigh, single
from tfpy._src.tensors.linalg.products import adjoint
from tfpy._src.tensors.linalg.solving import triangular_solve
from tfpy._src.tensors.math.arithmetic import add_n


def banded_triangular_solve(
    bands: Any, rhs: Any, lower: bool = True, adjoint: bool = False, name: str | None = None
) -> Tensor:
    """x of matrix @ x = rhs for triangular matrices of few diagonals.

    Args:
        bands: [..., k, n], the diagonals; the main one is the first if ``lower``, else the last.
            Element j of each stands in row j of the matrix.

    Raises:
        InvalidArgumentError: when shapes do not fit.

    Example:
        >>> import tfpy as tf
        >>> bands = [[2.0, 2.0, 2.0], [0.0, 1.0, 1.0]]  # the diagonal and what is below it
        >>> rhs = [[2.0], [5.0], [8.0]]
        >>> tf.linalg.banded_triangular_solve(bands, rhs).numpy().tolist()
        [[1.0], [2.0], [3.0]]
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
    """The diagonals above, on and below the main one, each as long as the main one.

    Raises:
        ValueError: for a format that is none of the three.
    """
    if form == "sequence":
        above, main, below = (convert_to_tensor(d) for d in diagonals)
        n = main.aval.shape[-1]
        if above.aval.shape[-1] == n - 1:
            above = _padded(above, 0, 1)
        if below.aval.shape[-1] == n - 1:
            below = _padded(below, 1, 0)
        return above, main, below
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


def _padded(x: Tensor, before: int, after: int) -> Tensor:
    return pad(x, [*[[0, 0]] * (x.ndim - 1), [before, after]])


def _diagonal(x: Tensor, k: int) -> Tensor:
    n = x.aval.shape[-1]
    flat = reshape(x, [*x.aval.shape[:-2], n * n])
    start = k if k >= 0 else -k * n
    return take(flat, (start + (n + 1) * np.arange(n - abs(k))).astype(np.int32), axis=-1)


def _dense(above: Tensor, main: Tensor, below: Tensor) -> Tensor:
    """The matrix of three diagonals; the last above and the first below do not count."""
    n = main.aval.shape[-1]
    number = main.dtype.as_numpy_dtype
    on, over = np.eye(n, dtype=number), np.eye(n, k=1, dtype=number)
    return (
        expand_dims(main, -1) * on
        + expand_dims(above, -1) * over
        + expand_dims(below, -1) * np.eye(n, k=-1, dtype=number)
    )


def tridiagonal_matmul(
    diagonals: Any, rhs: Any, diagonals_format: str = "compact", name: str | None = None
) -> Tensor:
    """The product of matrices of three diagonals and ``rhs``.

    Args:
        diagonals_format: "compact" [..., 3, n] (above, main, below), "sequence" or "matrix".

    Example:
        >>> import tfpy as tf
        >>> above, on, below = [1.0, 1.0, 0.0], [2.0, 2.0, 2.0], [0.0, 3.0, 3.0]
        >>> bands = tf.constant([above, on, below])
        >>> tf.linalg.tridiagonal_matmul(bands, [[1.0], [1.0], [1.0]]).numpy().tolist()
        [[3.0], [6.0], [5.0]]
    """
    above, main, below = (expand_dims(d, -1) for d in _three(diagonals, diagonals_format))
    x = convert_to_tensor(rhs)
    nothing = x[..., :1, :] * 0
    after = concat([x[..., 1:, :], nothing], -2)
    before = concat([nothing, x[..., :-1, :]], -2)
    return above * after + main * x + below * before


def tridiagonal_solve(
    diagonals: Any,
    rhs: Any,
    diagonals_format: str = "compact",
    transpose_rhs: bool = False,
    conjugate_rhs: bool = False,
    name: str | None = None,
    partial_pivoting: bool = True,
    perturb_singular: bool = False,
) -> Tensor:
    """x of matrix @ x = rhs for matrices of three diagonals; ``rhs`` may be a vector.

    The matrix is made dense: the solver pivots in any case.

    Raises:
        ValueError: for an unknown format or shapes that do not fit.
        InvalidArgumentError: when a matrix is not invertible.

    Example:
        >>> import tfpy as tf
        >>> above, on, below = [1.0, 1.0, 0.0], [2.0, 2.0, 2.0], [0.0, 3.0, 3.0]
        >>> bands = tf.constant([above, on, below])
        >>> tf.linalg.tridiagonal_solve(bands, tf.constant([3.0, 6.0, 5.0])).numpy().round(3)
        array([1., 1., 1.], dtype=float32)
    """
    above, main, below = _three(diagonals, diagonals_format)
    b = convert_to_tensor(rhs)
    if not b.ndim:
        raise invalid("tridiagonal_solve", "rhs must be at least a vector, got a scalar")
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
    x = dec.matrix_solve(_dense(above, main, below), b)
    return squeeze(x, [-1]) if vector else x


def eigh_tridiagonal(
    alpha: Any,
    beta: Any,
    eigvals_only: bool = True,
    select: str = "a",
    select_range: Any = None,
    tol: Any = None,
    name: str | None = None,
) -> Any:
    """Eigenvalues (and vectors) of a self-adjoint matrix of a diagonal and its neighbour.

    Args:
        alpha: [n], the diagonal; imaginary parts do not count.
        beta: [n - 1], the diagonal above; the one below holds its conjugates. It is not read where
            n is 1 or 0.
        select: "a" for all eigenvalues, "i" for those whose index is in ``select_range``, "v"
            for those whose value is.

    Raises:
        ValueError: for another ``select``, a range that is missing, or diagonals of two dtypes.
        InvalidArgumentError: unless the diagonals are vectors, ``beta`` shorter by one than
            ``alpha``, or for an empty range.

    Example:
        >>> import tfpy as tf
        >>> tf.linalg.eigh_tridiagonal(alpha=[2.0, 2.0], beta=[1.0]).numpy().round(3)
        array([1., 3.], dtype=float32)
    """
    main, beside = convert_to_tensor(alpha), convert_to_tensor(beta)
    if select not in ("a", "i", "v"):
        raise ValueError("select must have a value in {'a', 'i', 'v'}")
    if select != "a" and select_range is None:
        raise ValueError("select_range must be given where select is not 'a'")
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
            f"alpha must be a vector and beta a vector that is shorter by one, got shapes "
            f"{list(main.aval.shape)} and {list(beside.aval.shape)}",
        )
    if n > 1:
        full = _dense(_padded(conj(beside), 0, 1), main, _padded(beside, 1, 0))
    else:
        full = expand_dims(main, -1)
    values, vectors = eigh(single(full))
    values, vectors = cast(real(values), real(main).dtype), cast(vectors, main.dtype)
    if select == "i":
        low, high = static_ints(select_range)
        if low > high:
            raise invalid("eigh_tridiagonal", f"select_range {low} to {high} has no index")
        values, vectors = values[..., low : high + 1], vectors[..., low : high + 1]
    if select == "v":
        above, upto = (float(v) for v in select_range)
        if above >= upto:
            raise invalid("eigh_tridiagonal", f"select_range {above} to {upto} is empty")
        found = np.real(values.host_view())
        where = np.flatnonzero((found > above) & (found <= upto)).astype(np.int32)
        values, vectors = take(values, where, axis=-1), take(vectors, where, axis=-1)
    return values if eigvals_only else (values, vectors)
