"""``tf.RaggedTensor``: rows of different lengths over one flat tensor of values.

Row partitions are bookkeeping and live on the host; values are tensors on the device, moved by
gathers, so that ops on ragged tensors run natively and carry gradients.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any, Self

import numpy as np

from tfpy._src.compiler.ir.op import Op
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.tensors.array.reshaping import expand_dims
from tfpy._src.tensors.composite.ragged import broadcast, conversion, row_partition as partition
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


class RaggedTensor(RaggedRows):
    """Rows of ``values`` that ``row_splits`` marks; ``values`` may be ragged itself.

    Made by ``tf.ragged.constant`` and the ``from_…`` constructors. Arithmetic, comparisons,
    reductions and indexing take it, and the functions under ``tf`` that have a meaning for rows.

    Example:
        >>> import tfpy as tf
        >>> print(tf.ragged.constant([[3, 1], [], [5]]) + 1)
        <tf.RaggedTensor [[4, 2], [], [6]]>
    """

    __slots__ = ()

    # Dense and sparse tensors

    @classmethod
    def from_tensor(
        cls,
        tensor: Any,
        lengths: Any = None,
        padding: Any = None,
        ragged_rank: int = 1,
        name: str | None = None,
        row_splits_dtype: Any = None,
    ) -> Self:
        """The rows of a tensor, cut to ``lengths`` or before trailing ``padding``."""
        return conversion.from_tensor(cls, convert_to_tensor(tensor), lengths, padding, ragged_rank)

    @classmethod
    def from_sparse(
        cls, st_input: Any, name: str | None = None, row_splits_dtype: Any = None
    ) -> Self:
        """The rows of a sparse matrix whose entries are left-aligned.

        Raises:
            ValueError: for other ranks; InvalidArgumentError: for gaps within a row.
        """
        return conversion.from_sparse(cls, st_input)

    # Its values

    def merge_dims(self, outer_axis: int, inner_axis: int) -> Any:
        """Dimensions from ``outer_axis`` to ``inner_axis`` flattened into one."""
        return conversion.merge_dims(self, outer_axis, inner_axis)

    def to_list(self) -> list[Any]:
        """Nested Python lists."""
        inner = self.values
        items = inner.to_list() if isinstance(inner, RaggedTensor) else inner.numpy().tolist()
        bounds = self.splits.tolist()
        return [items[a:b] for a, b in pairwise(bounds)]

    def numpy(self) -> np.ndarray[Any, Any]:
        """An array of rows; an object array when their lengths differ."""
        return conversion.to_array(self)

    def to_tensor(
        self, default_value: Any = None, name: str | None = None, shape: Any = None
    ) -> Tensor:
        """A dense tensor with ``default_value`` (zero) where rows end early.

        Args:
            shape: cuts or fills each dimension that is not None to that size.
        """
        return conversion.to_tensor(self, default_value, shape)

    def to_sparse(self, name: str | None = None) -> Any:
        """A sparse tensor with an entry for every value."""
        return conversion.to_sparse(self)

    def __repr__(self) -> str:
        return f"<tf.RaggedTensor {conversion.printed(self)}>"

    def __bool__(self) -> bool:
        raise TypeError("RaggedTensor may not be used as a boolean.")

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(self.splits.size - 1))

    def __getitem__(self, key: Any) -> Any:
        return getitem(self, key)

    # Ops

    def apply_op(self, op: Op, inputs: tuple[Any, ...], attrs: dict[str, Any]) -> Any:
        return broadcast.apply(op, inputs, attrs)

    def per_value(self, function: Callable[..., Any]) -> Callable[..., Any]:
        return broadcast.per_value(function)

    @property
    def differentiable(self) -> Tensor:
        return self.flat_values

    def with_differentiable(self, tensor: Any) -> Self:
        return self.with_flat_values(tensor)

    @property
    def components(self) -> tuple[Tensor, ...]:
        return (self.flat_values, *self.nested_row_splits)

    def with_components(self, components: Sequence[Any]) -> Self:
        flat, splits, *inner = components
        values = self.values.with_components([flat, *inner]) if inner else flat
        found = self.from_row_splits(values, splits)
        return type(self)(found.values, found.splits, self.uniform_row_length)
