"""Constants of matrix roots and logarithms, for all implementations by the Schur form.

`ops/reference/schur.py` explains their use.
"""

from __future__ import annotations

import numpy as np

from tfpy._src.compiler.ir.aval import Array

REAL_WITHIN = 1e-6
"""Largest imaginary part, relative to the other elements, of the root of a real matrix that counts
as real."""

MOST_ROOTS = 128
"""Largest number of roots that a logarithm takes until the matrix is near 1."""

RADIUS = 0.264
"""Norm of x up to which the nodes compute log(1 + x) in double precision."""


def _gauss_legendre(count: int) -> tuple[Array, Array]:
    """Return nodes and weights of the quadrature on [-1, 1], by Golub and Welsch.

    NumPy's own function is in its package of polynomials, which pages do not download at the start.
    """
    n = np.arange(1, count)
    beside = n / np.sqrt(4.0 * n * n - 1)
    nodes, vectors = np.linalg.eigh(np.diag(beside, 1) + np.diag(beside, -1))
    return nodes, 2 * vectors[0] ** 2


_nodes, _weights = _gauss_legendre(7)
NODES, WEIGHTS = (_nodes + 1) / 2, _weights / 2
"""The integral of f over [0, 1] is approximately the sum of weight * f(node)."""
