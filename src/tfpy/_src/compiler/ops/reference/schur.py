"""Roots and logarithms of matrices by their Schur form, in double precision.

Every matrix has a Schur form. Higham, Functions of Matrices, chapters 6 and 11:
https://doi.org/10.1137/1.9780898717778
"""

from __future__ import annotations

import numpy as np

from tfpy._src.compiler.ir.aval import Array
from tfpy._src.compiler.ir.matrix_functions import MOST_ROOTS, NODES, RADIUS, REAL_WITHIN, WEIGHTS

_MOST_STEPS = 60
"""Largest number of steps of the QR algorithm per eigenvalue. Three are usual."""


def sqrtm(a: Array) -> Array:
    """Return the principal root.

    The result is NaN if there is no root, or if the root of a real matrix is not real.
    """
    t, q = _schur(a)
    root = q @ _triangular_root(t) @ q.conj().T
    if np.iscomplexobj(a):
        return np.asarray(root)
    is_real = np.abs(root.imag).max(initial=0) <= REAL_WITHIN * np.abs(root.real).max(initial=0)
    return np.asarray(root.real if is_real else np.full_like(a, np.nan))


def logm(a: Array) -> Array:
    """Return the principal logarithm, by inverse scaling and squaring. Singular: NaN."""
    t, q = _schur(a)
    eigenvalues, eye = np.diagonal(t).copy(), np.eye(len(t))
    if not eigenvalues.all():
        return np.full_like(t, np.nan)
    roots = 0
    while _norm(t - eye) > RADIUS and roots < MOST_ROOTS:
        t, roots = _triangular_root(t), roots + 1
    x = t - eye
    terms = [
        weight * np.linalg.solve(eye + node * x, x)
        for node, weight in zip(NODES, WEIGHTS, strict=True)
    ]
    log = np.sum(terms, axis=0) * 2.0**roots
    np.fill_diagonal(log, np.log(eigenvalues))
    return np.asarray(q @ log @ q.conj().T)


def _norm(t: Array) -> float:
    return float(np.abs(t).sum(0).max(initial=0))


def _triangular_root(t: Array) -> Array:
    """Return the root of a triangular matrix, computed one superdiagonal at a time."""
    diagonal = np.sqrt(np.diagonal(t))
    root, sums = np.diag(diagonal), diagonal[:, None] + diagonal
    for k in range(1, len(t)):
        i = np.arange(len(t) - k)
        root[i, i + k] = ((t - root @ root)[i, i + k]) / sums[i, i + k]
    return np.asarray(root)


def _schur(a: Array) -> tuple[Array, Array]:
    """Return t (triangular) and q (unitary) of a = q t q^H, by the QR algorithm with shifts."""
    if not np.isfinite(a).all():
        return (np.full(a.shape, complex(np.nan, np.nan)),) * 2
    t, q = _hessenberg(a.astype(np.complex128))
    last, steps = len(t) - 1, 0
    while last > 0:
        _drop_small(t)
        joined = np.diagonal(t, -1)[:last] != 0
        first = last - int(np.argmin(np.append(joined[::-1], False)))
        if first == last or steps == _MOST_STEPS:
            last, steps = last - 1, 0
            continue
        block = slice(first, last + 1)
        shift = _shift(t[last - 1 : last + 1, last - 1 : last + 1], steps)
        turn = np.linalg.qr(t[block, block] - shift * np.eye(last + 1 - first))[0]
        t[block, first:] = turn.conj().T @ t[block, first:]
        t[: last + 1, block] = t[: last + 1, block] @ turn
        q[:, block] = q[:, block] @ turn
        t, steps = np.triu(t, -1), steps + 1
    return np.triu(t), q


def _hessenberg(t: Array) -> tuple[Array, Array]:
    """Return a similar matrix with zeros below the subdiagonal, by Householder reflections."""
    q = np.eye(len(t), dtype=t.dtype)
    for k in range(len(t) - 2):
        v = t[k + 1 :, k].copy()
        if v[1:].any():
            v[0] += np.linalg.norm(v) * (v[0] / abs(v[0]) if v[0] else 1)
            v /= np.linalg.norm(v)
            t[k + 1 :] -= 2 * np.outer(v, v.conj() @ t[k + 1 :])
            for x in (t, q):
                x[:, k + 1 :] -= 2 * np.outer(x[:, k + 1 :] @ v, v.conj())
    return np.triu(t, -1), q


def _drop_small(t: Array) -> None:
    """Replace elements of the subdiagonal that are rounding errors by zeros."""
    sizes, i = np.abs(np.diagonal(t)), np.arange(len(t) - 1)
    near = sizes[:-1] + sizes[1:]
    near = np.where(near == 0, _norm(t), near)
    t[i + 1, i] = np.where(np.abs(t[i + 1, i]) <= np.finfo(np.float64).eps * near, 0, t[i + 1, i])


def _shift(corner: Array, steps: int) -> complex:
    """Return Wilkinson's shift, or an exceptional shift at times, against matrices that cycle."""
    if steps % 10 == 9:
        return complex(abs(corner[1, 0]) + abs(corner[1, 1]))
    values = np.linalg.eigvals(corner)
    return complex(values[np.argmin(np.abs(values - corner[1, 1]))])
