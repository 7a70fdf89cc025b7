"""`tf.map_fn` for ragged or sparse rows and results, which are computed row by row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tfpy._src.base.dtypes import DType, as_dtype
from tfpy._src.base.errors import InvalidArgumentError
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.nest import assert_same_structure, flatten, pack_sequence_as
from tfpy._src.core.operand import CompositeOperand
from tfpy._src.core.tensor import Tensor
from tfpy._src.tensors.array.joining import concat, stack
from tfpy._src.tensors.array.making import zeros
from tfpy._src.tensors.composite.ragged.rows import take_rows
from tfpy._src.tensors.composite.ragged.tensor import RaggedTensor
from tfpy._src.tensors.composite.sparse_tensor import SparseTensor, checked, made
from tfpy._src.tensors.composite.specs import RaggedTensorSpec, SparseTensorSpec
from tfpy._src.tensors.ragged import shaping


def is_composite(kind: Any) -> bool:
    """Return True if a value or spec describes ragged or sparse tensors."""
    return isinstance(kind, CompositeOperand | RaggedTensorSpec | SparseTensorSpec)


def row_of(x: CompositeOperand, i: int) -> Any:
    """Return a row of a ragged or sparse tensor."""
    if not isinstance(x, SparseTensor):
        return x[i]
    at = np.flatnonzero(x.host_indices[:, 0] == i).astype(np.int32)
    return made(x.host_indices[at, 1:], take_rows(x.values, at), x.host_shape[1:])


def mapped(
    fn: Callable[[Any], Any],
    elems: Any,
    like: Any,
    kinds: Sequence[Any],
    rows: Callable[[int], Any],
    count: int,
) -> Any:
    """Apply `fn` to each row and combine the results.

    Args:
        fn: Function that takes one row, in the structure of `elems`.
        elems: Nest of tensors.
        like: Structure of the results.
        kinds: Leaves of `like`: dtypes, specs, or the tensors of `elems` if the results have the
            same kinds.
        rows: Returns the leaves of `elems` for a row number.
        count: Number of rows.
    """
    columns: list[list[Any]] = [[] for _ in kinds]
    for i in range(count):
        result = fn(pack_sequence_as(elems, rows(i)))
        assert_same_structure(like, result)
        for column, value in zip(columns, flatten(result), strict=True):
            column.append(value)
    found = [_together(kind, column) for kind, column in zip(kinds, columns, strict=True)]
    return pack_sequence_as(like, found)


def _together(kind: Any, values: list[Any]) -> Any:
    """Combine the rows of one result."""
    dtype = as_dtype(kind) if isinstance(kind, DType | str | type) else kind.dtype
    if isinstance(kind, SparseTensor | SparseTensorSpec):
        return _sparse([checked(v) for v in values], kind, dtype)
    tensors = [v if isinstance(v, RaggedTensor) else convert_to_tensor(v) for v in values]
    for t in tensors:
        if t.dtype != dtype:
            raise InvalidArgumentError(
                None, "map_fn", f"map_fn: fn returned {t.dtype.name}, expected {dtype.name}; "
                "specify fn_output_signature"
            )  # fmt: skip
    if not isinstance(kind, RaggedTensor | RaggedTensorSpec):
        first = tensors[0].shape if tensors else ()
        for t in tensors:
            if t.shape != first:
                raise ValueError(f"Incompatible shape for value ({t.shape}), expected ({first})")
        return stack(tensors) if tensors else zeros([0, *_sizes(kind, 0)], dtype)
    if any(t.ndim == 0 for t in tensors):
        raise InvalidArgumentError(
            None, "map_fn", "map_fn: Ragged values must have rank >= 1, but fn returned a scalar; "
            "specify its dtype as fn_output_signature"
        )  # fmt: skip
    if tensors:
        return shaping.stack(tensors)
    levels = kind.ragged_rank - isinstance(kind, RaggedTensor)
    empty: Any = zeros([0, *_sizes(kind, levels + 1)], dtype)
    for _ in range(levels + 1):
        empty = RaggedTensor.from_row_splits(empty, [0])
    return empty


def _sizes(kind: Any, drop: int) -> list[int]:
    """Return the sizes of a result's dimensions from `drop` on, with 0 for unknown sizes."""
    whole = getattr(kind, "shape", None)
    if whole is None or whole.rank is None:
        return []
    return [n or 0 for n in list(whole)[drop + isinstance(kind, CompositeOperand) :]]


def _sparse(values: list[SparseTensor], kind: Any, dtype: DType) -> SparseTensor:
    """Stack sparse tensors of one rank along a new first axis, with the largest size per axis."""
    if not values:
        sizes = _sizes(kind, 0)
        return made(np.zeros((0, len(sizes) + 1), np.int32), zeros([0], dtype), [0, *sizes])
    shape = np.max([v.host_shape for v in values], axis=0).tolist()
    indices = [np.insert(v.host_indices, 0, i, axis=1) for i, v in enumerate(values)]
    elements: list[Tensor] = [v.values for v in values]
    return made(np.concatenate(indices), concat(elements, 0), [len(values), *shape])
