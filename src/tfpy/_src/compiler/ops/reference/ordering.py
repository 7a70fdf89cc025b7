"""The order of integers of a known range, in NumPy."""

from __future__ import annotations

import numpy as np

from tfpy._src.compiler.ir.aval import Array

_DIGIT = 1 << 16


def stable_order(keys: Array, bound: int) -> Array:
    """Return the indices that sort a vector. Equal elements keep their order.

    NumPy sorts uint16 by counting, which takes a fraction of the time of other sorts, so larger
    keys are sorted by their lower and then by their upper digit of 16 bits.

    Args:
        keys: Integers in `[0, bound)`.
        bound: A number above all keys.
    """
    if bound > _DIGIT * _DIGIT:
        return np.argsort(keys, kind="stable")
    order = np.argsort(keys.astype(np.uint16), kind="stable")
    if bound <= _DIGIT:
        return order
    upper = (keys // _DIGIT).astype(np.uint16)
    return order[np.argsort(upper[order], kind="stable")]
