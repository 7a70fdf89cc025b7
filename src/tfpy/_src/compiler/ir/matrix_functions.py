"""What fixes roots and logarithms of matrices, for all who compute them by the Schur form.
``ops/reference/schur.py`` shows what it is for."""

from __future__ import annotations

import numpy as np

from tfpy._src.compiler.ir.aval import Array

REAL_WITHIN = 1e-6
"""The root of a real matrix is real whose imaginary parts are no larger, relative to its others."""

MOST_ROOTS = 128
"""That a logarithm takes of a matrix until it is near 1."""

RADIUS = 0.264
"""How near: the norm of x up to which the nodes give log(1 + x) in double precision."""


def _gauss_legendre(count: int) -> tuple[Array, Array]:
    """Nodes and weights of the quadrature on [-1, 1], by Golub and Welsch: NumPy's own are in its
    package of polynomials, which pages do not fetch at their start."""
    n = np.arange(1, count)
    beside = n / np.sqrt(4.0 * n * n - 1)
    nodes, vectors = np.linalg.eigh(np.diag(beside, 1) + np.diag(beside, -1))
    return nodes, 2 * vectors[0] ** 2


_nodes, _weights = _gauss_legendre(7)
NODES, WEIGHTS = (_nodes + 1) / 2, _weights / 2
"""The integral of f over [0, 1] is nearly the sum of weight * f(node)."""
