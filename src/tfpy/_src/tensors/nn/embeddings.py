"""Rows of tables: ``tf.nn.embedding_lookup`` and its sparse forms."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from tfpy._src.base import tracing
from tfpy._src.base.errors import invalid, invalid_value
from tfpy._src.compiler.ops import elementwise as ew, indexing
from tfpy._src.core.conversion import constant, convert_to_tensor
from tfpy._src.core.dispatch import dispatchable, implements
from tfpy._src.core.tensor import Tensor
from tfpy._src.tensors.array.joining import concat
from tfpy._src.tensors.array.making import cast, ones
from tfpy._src.tensors.array.reshaping import reshape
from tfpy._src.tensors.array.scattering import dynamic_partition, dynamic_stitch
from tfpy._src.tensors.array.slicing import gather, where
from tfpy._src.tensors.composite.ragged import row_partition as partition
from tfpy._src.tensors.composite.ragged.row_partition import Ints
from tfpy._src.tensors.composite.ragged.rows import take_rows
from tfpy._src.tensors.composite.ragged.tensor import RaggedTensor
from tfpy._src.tensors.composite.sparse_tensor import SparseTensor
from tfpy._src.tensors.linalg.norms import clip_by_norm

COMBINERS = ("mean", "sqrtn", "sum")


@dispatchable
def embedding_lookup(
    params: Any, ids: Any, max_norm: Any = None, name: str | None = None
) -> Tensor:
    """Rows of ``params`` at ``ids``, scaled down to ``max_norm`` if given.

    The gradient of ``params`` is a ``tf.IndexedSlices``.

    Args:
        params: a table, or a list of parts of one: they follow each other, the first ones being
            larger by one row where the rows do not divide evenly.

    Raises:
        ValueError: without a table.
        InvalidArgumentError: for ids outside the table.

    Example:
        >>> import tfpy as tf
        >>> table = tf.constant([[1, 2], [3, 4]])
        >>> tf.nn.embedding_lookup(table, [1, 1]).numpy().tolist()
        [[3, 4], [3, 4]]
    """
    parts, at = _parts(params), convert_to_tensor(ids)
    rows = gather(parts[0], at) if len(parts) == 1 else _of_parts(parts, at)
    if max_norm is None:
        return rows
    return clip_by_norm(rows, max_norm, list(range(at.ndim, rows.ndim)))


@implements(embedding_lookup, RaggedTensor)
def _ragged_embedding_lookup(
    params: Any, ids: Any, max_norm: Any = None, name: str | None = None
) -> Any:
    """Rows of ``params`` at ragged ids."""
    return ids.with_flat_values(embedding_lookup(params, ids.flat_values, max_norm))


def _parts(params: Any) -> Sequence[Any]:
    if params is None:
        raise ValueError("params must be specified")
    parts = params if isinstance(params, list | tuple) else [params]
    if not parts:
        raise ValueError("Length of params is currently 0. Need at least one param.")
    return [part if hasattr(part, "shape") else convert_to_tensor(part) for part in parts]


def _of_parts(parts: Sequence[Any], ids: Tensor) -> Tensor:
    """Rows of a table in parts, each of which is read by itself.

    A trace, in which ids have no values, reads the whole table: the gradients are tensors then.
    """
    if tracing.current() is not None:
        return gather(concat(list(parts), 0), ids)
    count, total = len(parts), sum(int(p.shape[0]) for p in parts)
    flat = ids.host_view().reshape(-1)
    size, larger = divmod(total, count)
    owner = np.maximum(flat // (size + 1), (flat - larger) // size)
    places = np.where(owner < larger, flat % (size + 1), (flat - larger) % size).astype(np.int32)
    owners = constant(owner.astype(np.int32))
    order = dynamic_partition(np.arange(flat.size, dtype=np.int32), owners, count)
    picked = dynamic_partition(places, owners, count)
    rows = [gather(part, at) for part, at in zip(parts, picked, strict=True)]
    return reshape(dynamic_stitch(order, rows), [*ids.aval.shape, *rows[0].aval.shape[1:]])


class _Entries(NamedTuple):
    """The ids of sparse or ragged rows, in order."""

    rows: Ints
    ids: Ints
    weights: Tensor | None


def _entries(sp_ids: Any, sp_weights: Any) -> _Entries:
    if not isinstance(sp_ids, SparseTensor | RaggedTensor):
        raise TypeError(f"sp_ids must be SparseTensor, got {type(sp_ids)}")
    if sp_weights is not None and type(sp_weights) is not type(sp_ids):
        raise TypeError(f"sp_weights must be either None or SparseTensor, got {type(sp_weights)}")
    ids, weights = sp_ids.values, None if sp_weights is None else sp_weights.values
    if weights is not None and weights.shape != ids.shape:
        raise ValueError(f"Shapes {ids.shape} and {weights.shape} are incompatible")
    if isinstance(sp_ids, RaggedTensor):
        return _Entries(partition.rowids(sp_ids.splits), ids.host_view(), weights)
    return _Entries(sp_ids.host_indices[:, 0], ids.host_view(), weights)


def embedding_lookup_sparse(
    params: Any,
    sp_ids: Any,
    sp_weights: Any,
    combiner: str | None = None,
    max_norm: Any = None,
    name: str | None = None,
    allow_fast_lookup: bool = False,
) -> Tensor:
    """The rows of a table at the ids of each row of a sparse (or ragged) tensor, combined.

    Args:
        params: a table or its parts, as for :func:`embedding_lookup`.
        sp_weights: of the ids; 1 by default.
        combiner: "sum", "mean" (the default) or "sqrtn", the sum divided by the square root of
            the sum of squared weights.
        max_norm: scales rows of the table down.
        allow_fast_lookup: of no effect.

    Returns:
        [rows, ...]: zeros where a row has no ids; the last row is the last one that has some.

    Raises:
        TypeError: when ids or weights are neither sparse nor ragged.
        ValueError: for another combiner, or weights of another shape.
        InvalidArgumentError: when the rows of the ids are not in order.

    Example:
        >>> import tfpy as tf
        >>> table = tf.constant([[1.0, 1.0], [2.0, 0.0], [4.0, 4.0]])
        >>> ids = tf.sparse.from_dense([[1, 2], [2, 0]])  # the words 1 and 2; the word 2
        >>> tf.nn.embedding_lookup_sparse(table, ids, None, combiner="mean").numpy().tolist()
        [[3.0, 2.0], [4.0, 4.0]]
    """
    return _combined(params, _entries(sp_ids, sp_weights), _checked(combiner), max_norm)


def _checked(combiner: str | None) -> str:
    kind = "mean" if combiner is None else combiner
    if kind not in COMBINERS:
        raise ValueError(f"combiner must be one of 'mean', 'sqrtn' or 'sum', got {kind}")
    return kind


def _combined(params: Any, entries: _Entries, combiner: str, max_norm: Any) -> Tensor:
    if (np.diff(entries.rows, prepend=0) < 0).any():
        raise invalid_value("embedding_lookup_sparse", "rows of ids are not increasing")
    found, first, inverse = np.unique(entries.ids, return_index=True, return_inverse=True)
    order = np.argsort(first)  # each id is looked up once, in the order in which they come
    looked = embedding_lookup(params, constant(found[order].astype(np.int32)), max_norm)
    rows = take_rows(looked, np.argsort(order)[inverse].astype(np.int32))
    at, count = constant(entries.rows.astype(np.int32)), int(entries.rows.max(initial=-1)) + 1
    weights = entries.weights
    weights = ones([entries.ids.size], rows.dtype) if weights is None else cast(weights, rows.dtype)
    column = reshape(weights, [-1, *[1] * (rows.ndim - 1)])
    total: Tensor = indexing.segment_sum(rows * column, at, segments=count)
    if combiner == "sum":
        return total
    if combiner == "mean":
        return ew.divide_no_nan(total, indexing.segment_sum(column, at, segments=count))
    squares = indexing.segment_sum(ew.square(column), at, segments=count)
    return ew.divide_no_nan(total, ew.sqrt(squares))


def safe_embedding_lookup_sparse(
    embedding_weights: Any,
    sparse_ids: Any,
    sparse_weights: Any = None,
    combiner: str = "mean",
    default_id: int | None = None,
    max_norm: Any = None,
    name: str | None = None,
    allow_fast_lookup: bool = False,
) -> Tensor:
    """:func:`embedding_lookup_sparse` without invalid ids, and for rows without any.

    Ids below 0 do not count, nor, unless the combiner is "sum", those whose weight is not above 0.

    Args:
        sparse_ids: of rank 2 or more: those along the last dimension are combined.
        default_id: what rows without ids look up; by default they are zeros.

    Returns:
        [*sparse_ids.shape[:-1], ...].

    Raises:
        TypeError, ValueError: as for :func:`embedding_lookup_sparse`; without a table.
        InvalidArgumentError: for ids outside of the sparse tensor's shape.

    Example:
        >>> import tfpy as tf
        >>> table = tf.constant([[1.0, 1.0], [2.0, 0.0]])
        >>> ids = tf.sparse.from_dense([[1], [0]])  # the second row has no word
        >>> tf.nn.safe_embedding_lookup_sparse(table, ids).numpy().tolist()
        [[2.0, 0.0], [0.0, 0.0]]
    """
    if embedding_weights is None or (
        isinstance(embedding_weights, list | tuple) and not embedding_weights
    ):
        raise ValueError(f"Missing embedding_weights {embedding_weights}.")
    kind, entries = _checked(combiner), _entries(sparse_ids, sparse_weights)
    lead = [int(n) for n in list(sparse_ids.shape)[:-1]]
    kept = _that_count(entries, kind)
    entries = _picked(entries, kept)
    if isinstance(sparse_ids, SparseTensor):
        entries = entries._replace(rows=_flat_rows(sparse_ids.host_indices[kept, :-1], lead))
    filled, empty = _filled(entries, math.prod(lead), default_id or 0)
    result = _combined(embedding_weights, filled, kind, max_norm)
    if default_id is None and result.ndim < 2:
        raise invalid("safe_embedding_lookup_sparse", "embedding_weights must be a table of rows")
    if default_id is None:
        outside = reshape(constant(empty), [-1, *[1] * (result.ndim - 1)])
        result = where(outside, 0.0, result)
    return reshape(result, [*lead, *result.aval.shape[1:]])


def _that_count(entries: _Entries, combiner: str) -> Ints:
    """The places of the ids that count."""
    kept = entries.ids >= 0
    if entries.weights is not None and combiner != "sum":
        kept &= entries.weights.host_view() > 0
    return np.flatnonzero(kept).astype(np.int32)


def _picked(entries: _Entries, at: Ints) -> _Entries:
    weights = None if entries.weights is None else take_rows(entries.weights, at)
    return _Entries(entries.rows[at], entries.ids[at], weights)


def _flat_rows(indices: Ints, shape: Sequence[int]) -> Ints:
    """The places of indices in the rows of a shape."""
    if (indices >= shape).any() or (indices < 0).any():
        raise invalid_value(
            "safe_embedding_lookup_sparse", f"an index of sparse_ids is outside of {list(shape)}"
        )
    return np.ravel_multi_index(tuple(indices.T), tuple(shape))


def _filled(entries: _Entries, count: int, default: int) -> tuple[_Entries, Ints]:
    """With ``default`` in each row without ids; and which rows those are."""
    empty = np.bincount(entries.rows, minlength=count) == 0
    rows = np.concatenate([entries.rows, np.flatnonzero(empty)])
    order = np.argsort(rows, kind="stable").astype(np.int32)
    ids = np.concatenate([entries.ids, np.full(int(empty.sum()), default, np.int32)])
    weights = entries.weights
    if weights is not None:
        extra = ones([int(empty.sum())], weights.dtype)
        weights = take_rows(concat([weights, extra], 0), order)
    return _Entries(rows[order], ids[order], weights), empty
