"""Matrix product on the host, by the faster of two NumPy functions.

With BLAS, `@` is much faster. NumPy without BLAS (in the browser) is several times faster with
`einsum`. The choice is measured once, at the first product that is large enough.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cache

import numpy as np

from tfpy._src.compiler.ir.aval import Array

_LARGE = 64**3  # multiplications from which the choice matters
_RUNS = 5


def _einsum(a: Array, b: Array) -> Array:
    return np.asarray(np.einsum("...ij,...jk->...ik", a, b))


def _seconds(product: Callable[[Array, Array], Array], x: Array) -> float:
    start = time.perf_counter()
    product(x, x)
    return time.perf_counter() - start


@cache
def _einsum_wins() -> bool:
    """Return True if einsum is faster, by the best of several runs."""
    x = np.ones((96, 96), np.float32)
    pairs = [(_seconds(_einsum, x), _seconds(np.matmul, x)) for _ in range(_RUNS)]
    return min(einsum for einsum, _ in pairs) < min(matmul for _, matmul in pairs)


def gemm(a: Array, b: Array) -> Array:
    """Return `a @ b` with NumPy's batch broadcasting, in the dtype of the operands."""
    large = a.shape[-1] * a.size * b.shape[-1] >= _LARGE * max(a.shape[-1], 1)
    if large and a.dtype == np.float32 and _einsum_wins():
        return _einsum(np.ascontiguousarray(a), np.ascontiguousarray(b))
    return np.asarray(np.matmul(a, b))
