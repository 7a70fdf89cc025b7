"""Lookups of rows in embedding tables: `tf.nn.embedding_lookup` and its sparse forms."""

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
from tfpy._src.core.typing import FloatLike, TensorLike
from tfpy._src.tensors.array.joining import concat
from tfpy._src.tensors.array.making import cast, ones
from tfpy._src.tensors.array.partitioning import dynamic_partition, dynamic_stitch
from tfpy._src.tensors.array.reshaping import reshape
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
    params: TensorLike, ids: TensorLike, max_norm: FloatLike | None = None, name: str | None = None
) -> Tensor:
    """Look up the rows of an embedding table at the given ids.

    If the table is used only in such lookups, its gradient is a `tf.IndexedSlices`, which contains
    only the rows that were looked up. If `params` is a list of tables, the gradients are dense
    tensors inside a `tf.function`.

    Args:
        params: Embedding table, a tensor or Variable of shape `[rows, ...]`, or a list of tables
            that are concatenated. If the rows cannot be distributed evenly over the tables of a
            list, the first tables must have one row more than the others.
        ids: Integer tensor of any shape, or a `tf.RaggedTensor`.
        max_norm: Maximum L2 norm of a row. Rows with a larger norm are scaled down to it. Default:
            no limit.

    Returns:
        Tensor of shape `[*ids.shape, ...]` and the dtype of `params`.

    Raises:
        ValueError: If `params` is None or an empty list.
        tf.errors.InvalidArgumentError: If an id is outside of the table, on the cpu and wasm
            backends. On the other backends, the embedding of such an id is zeros.

    Example:
        >>> import tfpy as tf
        >>> table = tf.constant([[1, 2], [3, 4]])
        >>> tf.nn.embedding_lookup(table, [1, 1]).numpy().tolist()
        [[3, 4], [3, 4]]

    See also: `tf.nn.embedding_lookup_sparse`, `tf.gather`.
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
    """Look up the rows at ragged ids."""
    return ids.with_flat_values(embedding_lookup(params, ids.flat_values, max_norm))


def _parts(params: Any) -> Sequence[Any]:
    """Return the tables as a list."""
    if params is None:
        raise ValueError("params must be specified")
    parts = params if isinstance(params, list | tuple) else [params]
    if not parts:
        raise ValueError("Length of params is currently 0. Need at least one param.")
    return [part if hasattr(part, "shape") else convert_to_tensor(part) for part in parts]


def _of_parts(parts: Sequence[Any], ids: Tensor) -> Tensor:
    """Look up rows of a table in several parts, each with its own gather.

    While tracing, ids have no values. The parts are concatenated then, and their gradients are
    dense tensors.
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
    """The ids of the rows of a sparse or ragged tensor, in order."""

    rows: Ints
    ids: Ints
    weights: Tensor | None


def _entries(sp_ids: Any, sp_weights: Any) -> _Entries:
    """Return the rows, ids and weights of sparse or ragged ids."""
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
    params: TensorLike,
    sp_ids: SparseTensor | RaggedTensor,
    sp_weights: SparseTensor | RaggedTensor | None,
    combiner: str | None = None,
    max_norm: FloatLike | None = None,
    name: str | None = None,
    allow_fast_lookup: bool = False,
) -> Tensor:
    """Look up the ids of each row of a sparse or ragged tensor and combine their embeddings.

    Args:
        params: Embedding table or list of tables, as for `tf.nn.embedding_lookup`.
        sp_ids: `tf.SparseTensor` or `tf.RaggedTensor` of rank 2 with integer ids.
        sp_weights: Weights of the ids, a `tf.SparseTensor` or `tf.RaggedTensor` with the same
            structure. None means that all weights are 1.
        combiner: Method that combines the embeddings of a row. `"sum"` adds them, multiplied by
            their weights. `"mean"` (default) divides this sum by the sum of the weights, and
            `"sqrtn"` divides it by the square root of the sum of the squared weights.
        max_norm: Maximum L2 norm of a row of the table. Rows with a larger norm are scaled down to
            it. Default: no limit.
        allow_fast_lookup: Has no effect.

    Returns:
        Tensor of shape `[rows, ...]`. A row without ids is zeros. Rows after the last one that has
        ids are missing from the result.

    Raises:
        TypeError: If the ids or weights are neither sparse nor ragged.
        ValueError: If `combiner` is unknown, or the shapes of the ids and the weights differ.
        tf.errors.InvalidArgumentError: If the rows of the ids are not in order. Ids that are
            outside of the table are handled as by `tf.nn.embedding_lookup`.

    Example:
        >>> import tfpy as tf
        >>> table = tf.constant([[1.0, 1.0], [2.0, 0.0], [4.0, 4.0]])
        >>> ids = tf.sparse.from_dense([[1, 2], [2, 0]])  # rows with the ids 1, 2 and with the id 2
        >>> tf.nn.embedding_lookup_sparse(table, ids, None, combiner="mean").numpy().tolist()
        [[3.0, 2.0], [4.0, 4.0]]

    See also: `tf.nn.embedding_lookup`, `tf.nn.safe_embedding_lookup_sparse`.
    """
    return _combined(params, _entries(sp_ids, sp_weights), _checked(combiner), max_norm)


def _checked(combiner: str | None) -> str:
    """Return the combiner, with None as the mean."""
    kind = "mean" if combiner is None else combiner
    if kind not in COMBINERS:
        raise ValueError(f"combiner must be one of 'mean', 'sqrtn' or 'sum', got {kind}")
    return kind


def _combined(params: Any, entries: _Entries, combiner: str, max_norm: Any) -> Tensor:
    """Look up the ids and combine the embeddings of each row."""
    if (np.diff(entries.rows, prepend=0) < 0).any():
        raise invalid_value("embedding_lookup_sparse", "rows of ids are not increasing")
    found, first, inverse = np.unique(entries.ids, return_index=True, return_inverse=True)
    order = np.argsort(first)  # each id is looked up once, in the order of first occurrence
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
    embedding_weights: TensorLike,
    sparse_ids: SparseTensor | RaggedTensor,
    sparse_weights: SparseTensor | RaggedTensor | None = None,
    combiner: str = "mean",
    default_id: int | None = None,
    max_norm: FloatLike | None = None,
    name: str | None = None,
    allow_fast_lookup: bool = False,
) -> Tensor:
    """Look up and combine sparse ids, ignoring invalid ids and filling rows without ids.

    Ids below 0 are ignored. Ids with a weight of 0 or less are ignored as well, unless the combiner
    is `"sum"`. The other ids are combined as by `tf.nn.embedding_lookup_sparse`.

    Args:
        embedding_weights: Embedding table or list of tables, as for `tf.nn.embedding_lookup`.
        sparse_ids: `tf.SparseTensor` or `tf.RaggedTensor` of rank 2 or more with integer ids. The
            ids along the last axis are combined.
        sparse_weights: Weights of the ids, a `tf.SparseTensor` or `tf.RaggedTensor` with the same
            structure. Default: all weights are 1.
        combiner: Method that combines the embeddings of a row, `"sum"`, `"mean"` (default) or
            `"sqrtn"`, as for `tf.nn.embedding_lookup_sparse`.
        default_id: Id that is looked up for rows without ids. Default: such rows are zeros.
        max_norm: Maximum L2 norm of a row of the table. Rows with a larger norm are scaled down to
            it. Default: no limit.
        allow_fast_lookup: Has no effect.

    Returns:
        Tensor of shape `[*sparse_ids.shape[:-1], ...]`.

    Raises:
        TypeError: If the ids or weights are neither sparse nor ragged.
        ValueError: If there is no table, if `combiner` is unknown, or if the shapes of the ids and
            the weights differ.
        tf.errors.InvalidArgumentError: If an index of `sparse_ids` is outside of its shape.

    Example:
        >>> import tfpy as tf
        >>> table = tf.constant([[1.0, 1.0], [2.0, 0.0]])
        >>> ids = tf.sparse.from_dense([[1], [0]])  # the second row has no ids
        >>> tf.nn.safe_embedding_lookup_sparse(table, ids).numpy().tolist()
        [[2.0, 0.0], [0.0, 0.0]]

    See also: `tf.nn.embedding_lookup_sparse`.
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
    """Return the positions of the ids that are not dropped."""
    kept = entries.ids >= 0
    if entries.weights is not None and combiner != "sum":
        kept &= entries.weights.host_view() > 0
    return np.flatnonzero(kept).astype(np.int32)


def _picked(entries: _Entries, at: Ints) -> _Entries:
    """Return the entries at the given positions."""
    weights = None if entries.weights is None else take_rows(entries.weights, at)
    return _Entries(entries.rows[at], entries.ids[at], weights)


def _flat_rows(indices: Ints, shape: Sequence[int]) -> Ints:
    """Return the row-major positions of indices in a tensor of `shape`."""
    if (indices >= shape).any() or (indices < 0).any():
        raise invalid_value(
            "safe_embedding_lookup_sparse", f"an index of sparse_ids is outside of {list(shape)}"
        )
    return np.ravel_multi_index(tuple(indices.T), tuple(shape))


def _filled(entries: _Entries, count: int, default: int) -> tuple[_Entries, Ints]:
    """Insert `default` into each row without ids; also return which rows those are."""
    empty = np.bincount(entries.rows, minlength=count) == 0
    rows = np.concatenate([entries.rows, np.flatnonzero(empty)])
    order = np.argsort(rows, kind="stable").astype(np.int32)
    ids = np.concatenate([entries.ids, np.full(int(empty.sum()), default, np.int32)])
    weights = entries.weights
    if weights is not None:
        extra = ones([int(empty.sum())], weights.dtype)
        weights = take_rows(concat([weights, extra], 0), order)
    return _Entries(rows[order], ids[order], weights), empty
