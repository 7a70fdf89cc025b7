"""NumPy references of special functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tfpy._src.compiler.ir.aval import Array
from tfpy._src.compiler.ops import formulas
from tfpy._src.compiler.ops.formulas import Formula
from tfpy._src.compiler.ops.reference import doubles

_CHUNK = 1 << 13  # numbers per chunk, so that their float64 values stay in the cache


class _Arrays:
    """The functions of formulas for NumPy arrays."""

    select = staticmethod(np.where)
    equal = staticmethod(np.equal)
    minimum = staticmethod(np.minimum)
    maximum = staticmethod(np.maximum)
    pow = staticmethod(np.power)

    def unary(self, name: str, x: Array) -> Any:
        return getattr(np, "rint" if name == "round" else name)(x)

    def leading(self, x: Array) -> Array:
        return x  # float64 has enough bits for the square

    def piecewise(self, condition: Array, x: Array, near: Formula, far: Formula) -> Array:
        found: Array = np.asarray(near(x))
        if not condition.all():
            found[~condition] = far(x[~condition])
        return found


def of_arrays(formula: Callable[..., Any]) -> Callable[..., Array]:
    """Return a formula as a NumPy reference that computes in float64, chunk by chunk.

    For float64 operands, the function in `doubles.py` refines the approximate result of the
    formula.
    """
    functions = _Arrays()
    exact = getattr(doubles, formula.__name__)

    def call(*arrays: Array) -> Array:
        whole = np.broadcast_arrays(*arrays)
        if arrays[0].dtype == np.float64:
            with np.errstate(all="ignore"):
                return exact(np.asarray(formula(functions, *whole)), *whole)
        out = np.empty(whole[0].shape, arrays[0].dtype)
        flat, results = [np.ravel(a) for a in whole], out.reshape(-1)
        with np.errstate(all="ignore"):
            for first in range(0, out.size, _CHUNK):
                part = slice(first, first + _CHUNK)
                results[part] = formula(functions, *(a[part].astype(np.float64) for a in flat))
        return out

    return call


erfc = of_arrays(formulas.erfc)
erf = of_arrays(formulas.erf)


def truncate_div(x: Array, y: Array) -> Array:
    if x.dtype.kind not in "iu":
        return np.trunc(x / y)
    if x.dtype.kind == "u":
        return np.floor_divide(x, y)
    q = np.abs(x.astype(np.int64)) // np.abs(y.astype(np.int64))
    return np.where((x < 0) != (y < 0), -q, q).astype(x.dtype)


def xlogy(x: Array, y: Array) -> Array:
    return np.where(x == 0, 0, x * np.log(np.where(x == 0, 1, y)))


def xlog1py(x: Array, y: Array) -> Array:
    return np.where(x == 0, 0, x * np.log1p(np.where(x == 0, 0, y)))


def xdivy(x: Array, y: Array) -> Array:
    return np.where(x == 0, 0, x / y)
