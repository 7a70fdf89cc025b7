"""Abstract values: the shape and dtype of a value."""

from __future__ import annotations

import functools
import math
import threading
import weakref
from typing import Any

import numpy as np

from tfpy._src.base.dtypes import DType
from tfpy._src.compiler.ir.sizes import closed, either, is_open, is_unranked, size_of

Array = np.ndarray[Any, Any]
Shape = tuple[int, ...]


class Aval:
    """An abstract value: the shape and dtype of a value. Immutable.

    Equal avals are the same object, so caches compare and hash them quickly by identity.
    """

    __slots__ = ("__weakref__", "_closed", "dtype", "nbytes", "rank", "shape", "shown", "size")

    shape: Shape
    """Sizes of the dimensions. An open size is the actual size as an `OpenSize`."""
    shown: tuple[int | None, ...] | None
    """Sizes that a program sees: None for an open size, and None as a whole for an unknown rank."""
    dtype: DType
    rank: int
    size: int
    """Number of elements."""
    nbytes: int
    _closed: Aval | None

    def __new__(cls, shape: Shape, dtype: DType) -> Aval:
        known = _avals.get((shape, dtype.name))
        found = None if known is None else known()
        return _made(shape, dtype) if found is None else found

    @property
    def closed(self) -> Aval:
        """Aval with actual sizes only."""
        return self if self._closed is None else self._closed

    @property
    def is_open(self) -> bool:
        """True if the signature of a function leaves a size open."""
        return self._closed is not None

    @property
    def is_unranked(self) -> bool:
        """True if the signature of a function leaves the rank open."""
        return self.shown is None

    def __reduce__(self) -> Any:
        return Aval, (self.shape, self.dtype)

    def __repr__(self) -> str:
        return f"Aval({self.shape}, {self.dtype!r})"

    def __str__(self) -> str:
        return f"{self.dtype.name}[{','.join(map(str, self.shape))}]"


def merged(first: Aval, *others: Aval) -> Aval:
    """Return the aval of values that have these avals, which differ in open sizes at most."""
    columns = zip(first.shape, *(aval.shape for aval in others), strict=True)
    return Aval(tuple(either(sizes[0], *sizes) for sizes in columns), first.dtype)


_making = threading.RLock()
"""Lock that prevents two threads from creating equal avals."""

_avals: dict[tuple[Shape, str], weakref.ref[Aval]] = {}
"""Avals in use."""


def _made(shape: Shape, dtype: DType) -> Aval:
    key = (shape, dtype.name)
    with _making:
        known = _avals.get(key)
        found = None if known is None else known()
        if found is not None:
            return found
        aval = object.__new__(Aval)
        aval.shape = tuple(size_of(n) for n in shape) or shape
        aval.dtype = dtype
        aval.shown, aval._closed = aval.shape, None
        if is_open(aval.shape):
            sizes = tuple(None if is_open(n) else n for n in aval.shape)
            aval.shown = None if is_unranked(aval.shape) else sizes
            aval._closed = Aval(closed(aval.shape), dtype)
        aval.rank = len(shape)
        aval.size = math.prod(aval.shape)
        aval.nbytes = int(aval.size) * dtype.size  # a count of bytes, never an open size
        _avals[key] = weakref.ref(aval, functools.partial(_forget, key))
        return aval


def _forget(key: tuple[Shape, str], dead: weakref.ref[Aval]) -> None:
    if _avals.get(key) is dead:
        del _avals[key]
