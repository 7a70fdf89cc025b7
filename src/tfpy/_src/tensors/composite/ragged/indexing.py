"""``ragged[key]``."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from tfpy._src.tensors.array.reshaping import expand_dims
from tfpy._src.tensors.composite.ragged import row_partition as partition
from tfpy._src.tensors.composite.ragged.rows import RaggedRows, row_count, take_rows


def getitem(x: RaggedRows, key: Any) -> Any:
    """Ints, slices, ``...`` and ``tf.newaxis``; inner ragged dimensions take slices only.

    Raises:
        IndexError: for rows that are not there.
        ValueError: for an int that indexes an inner ragged dimension.
    """
    keys = list(key) if isinstance(key, tuple) else [key]
    if any(k is Ellipsis for k in keys):
        at = next(i for i, k in enumerate(keys) if k is Ellipsis)
        given = sum(k is not None for k in keys) - 1
        keys[at : at + 1] = [slice(None)] * (x.ndim - given)
    return _pick(x, keys)


def _pick(x: Any, keys: list[Any]) -> Any:
    if not keys:
        return x
    if not isinstance(x, RaggedRows):
        return x[tuple(keys)]
    key, rest = keys[0], keys[1:]
    if key is None:
        inner = _pick(x, rest) if rest else x
        if isinstance(inner, RaggedRows):
            return type(x).from_uniform_row_length(inner, row_count(inner), 1)
        return expand_dims(inner, 0)
    if isinstance(key, slice):
        rows = np.arange(x.splits.size - 1, dtype=np.int32)[_host_slice(key)]
        return _pick_within(take_rows(x, rows), rest)
    row = _index(key)
    n = x.splits.size - 1
    if not -n <= row < n:
        raise IndexError(f"Row key {row} out of bounds")
    begin, end = x.splits[row % n], x.splits[row % n + 1]
    return _pick(take_rows(x.values, np.arange(begin, end, dtype=np.int32)), rest)


def _pick_within(x: RaggedRows, keys: list[Any]) -> Any:
    """Applies keys to every row."""
    if not keys:
        return x
    key, rest = keys[0], keys[1:]
    if key is None:
        return type(x).from_uniform_row_length(_pick_within(x, rest), 1)
    bounds = zip(x.splits[:-1].tolist(), x.splits[1:].tolist(), strict=True)
    if not isinstance(key, slice):
        column, width = _index(key), x.uniform_row_length
        if width is None or not -width <= column < width:
            raise ValueError("Cannot index into an inner ragged dimension.")
        picked = take_rows(x.values, (x.splits[:-1] + column % width).astype(np.int32))
        return _pick(picked, [slice(None), *rest])
    cut = _host_slice(key)
    rows = [range(a, b)[cut] for a, b in bounds]
    lengths = np.array([len(r) for r in rows], np.int32)
    flat = np.array([i for r in rows for i in r], np.int32)
    uniform = None if x.uniform_row_length is None else len(range(x.uniform_row_length)[cut])
    inner = _pick(take_rows(x.values, flat), [slice(None), *rest])
    return type(x)(inner, partition.from_lengths(lengths), uniform)


def _host_slice(key: slice) -> slice:
    return slice(*(None if v is None else _index(v) for v in (key.start, key.stop, key.step)))


def _index(value: Any) -> int:
    return operator.index(value)
