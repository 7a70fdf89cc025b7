"""What is known of a value before it is computed, and what it is after that."""

from __future__ import annotations

import functools
import math
import weakref
from typing import Any

import numpy as np

from tfpy._src.dtypes import DType

Array = np.ndarray[Any, Any]
Shape = tuple[int, ...]


class Aval:
    """What is known of a value before it is computed: its shape and dtype. Not to be changed.

    Equal ones are one object, so that caches compare and hash them by identity, quickly.
    """

    __slots__ = ("__weakref__", "dtype", "nbytes", "rank", "shape", "size")

    shape: Shape
    dtype: DType
    rank: int
    size: int
    """Number of elements."""
    nbytes: int

    def __new__(cls, shape: Shape, dtype: DType) -> Aval:
        key = (shape, dtype.name)
        known = _avals.get(key)
        found = None if known is None else known()
        if found is not None:
            return found
        aval = super().__new__(cls)
        aval.shape = tuple(int(n) for n in shape)
        aval.dtype = dtype
        aval.rank = len(shape)
        aval.size = math.prod(aval.shape)
        aval.nbytes = aval.size * dtype.size
        _avals[key] = weakref.ref(aval, functools.partial(_forget, key))
        return aval

    def __reduce__(self) -> Any:
        return Aval, (self.shape, self.dtype)

    def __repr__(self) -> str:
        return f"Aval({self.shape}, {self.dtype!r})"

    def __str__(self) -> str:
        return f"{self.dtype.name}[{','.join(map(str, self.shape))}]"


_avals: dict[tuple[Shape, str], weakref.ref[Aval]] = {}
"""Those that are in use."""


def _forget(key: tuple[Shape, str], dead: weakref.ref[Aval]) -> None:
    if _avals.get(key) is dead:
        del _avals[key]
