"""Matrix product on the host, by whichever NumPy way is quicker where this runs.

With BLAS ``@`` wins by far; NumPy without BLAS (in the browser) is several times quicker through
``einsum``. Which one holds is measured once, at the first product large enough to matter.
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
    """By the best of several runs each, so that one disturbed run decides nothing."""
    x = np.ones((96, 96), np.float32)
    pairs = [(_seconds(_einsum, x), _seconds(np.matmul, x)) for _ in range(_RUNS)]
    return min(einsum for einsum, _ in pairs) < min(matmul for _, matmul in pairs)


def gemm(a: Array, b: Array) -> Array:
    """``a @ b`` with NumPy's batch broadcasting, in the operands' dtype."""
    large = a.shape[-1] * a.size * b.shape[-1] >= _LARGE * max(a.shape[-1], 1)
    if large and a.dtype == np.float32 and _einsum_wins():
        return _einsum(np.ascontiguousarray(a), np.ascontiguousarray(b))
    return np.asarray(np.matmul(a, b))
