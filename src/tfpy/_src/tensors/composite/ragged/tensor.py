"""`tf.RaggedTensor`: rows of different lengths over one flat tensor of values.

Row partitions are kept on the host. Values are tensors on the device and are moved by gathers, so
ops on ragged tensors run on the device and have gradients.
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
from tfpy._src.core.typing import DTypeLike, ShapeLike, TensorLike
from tfpy._src.tensors.array.reshaping import expand_dims
from tfpy._src.tensors.composite.ragged import broadcast, conversion, row_partition as partition
from tfpy._src.tensors.composite.ragged.rows import RaggedRows, row_count, take_rows
from tfpy._src.tensors.composite.sparse_tensor import SparseTensor


def getitem(x: RaggedRows, key: Any) -> Any:
    """Index a ragged tensor with integers, slices, `...` and `tf.newaxis`.

    Inner ragged axes support slices only.

    Raises:
        IndexError: If a row does not exist.
        ValueError: If an integer indexes an inner ragged axis.
    """
    keys = list(key) if isinstance(key, tuple) else [key]
    if any(k is Ellipsis for k in keys):
        at = next(i for i, k in enumerate(keys) if k is Ellipsis)
        given = sum(k is not None for k in keys) - 1
        keys[at : at + 1] = [slice(None)] * (x.ndim - given)
    return _pick(x, keys)


def _pick(x: Any, keys: list[Any]) -> Any:
    """Apply keys to the leading axes of a tensor or ragged tensor."""
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
    """Apply keys to every row."""
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
    """A tensor with rows of different lengths.

    Create one with `tf.ragged.constant` or a `from_…` class method. Operators, reductions, indexing
    and most elementwise functions of `tf` support ragged tensors.

    Attributes:
        values: Values of the rows: a tensor, or a `tf.RaggedTensor` for further ragged axes.
        uniform_row_length: Length of each row if the axis is uniform, else None.

    Example:
        >>> import tfpy as tf
        >>> print(tf.ragged.constant([[3, 1], [], [5]]) + 1)
        <tf.RaggedTensor [[4, 2], [], [6]]>

    See also: `tf.ragged.constant`, `tf.SparseTensor`.
    """

    __slots__ = ()

    # Dense and sparse tensors

    @classmethod
    def from_tensor(
        cls,
        tensor: TensorLike,
        lengths: TensorLike | None = None,
        padding: TensorLike | None = None,
        ragged_rank: int = 1,
        name: str | None = None,
        row_splits_dtype: DTypeLike | None = None,
    ) -> Self:
        """Convert a dense tensor to a ragged tensor.

        Args:
            tensor: Tensor of shape `[rows, columns, ...]`.
            lengths: Integer tensor of shape `[rows]`, to which rows are cropped, or a tuple with
                one such tensor per ragged axis.
            padding: Value that is removed at the ends of the rows, a tensor of the shape of an
                element.
            ragged_rank: Number of partitioned axes. Default: 1.
            row_splits_dtype: Has no effect: row splits are always int32.

        Returns:
            A `tf.RaggedTensor`.

        Raises:
            ValueError: If `lengths` and `padding` are both given, or `ragged_rank` is out of range.

        Example:
            >>> import tfpy as tf
            >>> tf.RaggedTensor.from_tensor([[1, 2, 0], [3, 0, 0]], padding=0)
            <tf.RaggedTensor [[1, 2], [3]]>
            >>> tf.RaggedTensor.from_tensor([[1, 2], [3, 4]], lengths=[2, 1])
            <tf.RaggedTensor [[1, 2], [3]]>
        """
        return conversion.from_tensor(cls, convert_to_tensor(tensor), lengths, padding, ragged_rank)

    @classmethod
    def from_sparse(
        cls,
        st_input: SparseTensor,
        name: str | None = None,
        row_splits_dtype: DTypeLike | None = None,
    ) -> Self:
        """Convert a sparse matrix to a ragged tensor.

        Args:
            st_input: `tf.SparseTensor` of rank 2. The values of each row are in its first columns.
            row_splits_dtype: Has no effect: row splits are always int32.

        Returns:
            A `tf.RaggedTensor`.

        Raises:
            ValueError: If the rank is not 2.
            tf.errors.InvalidArgumentError: If a row has gaps.

        Example:
            >>> import tfpy as tf
            >>> s = tf.SparseTensor([[0, 0], [0, 1], [2, 0]], [1, 2, 3], [3, 2])
            >>> tf.RaggedTensor.from_sparse(s)
            <tf.RaggedTensor [[1, 2], [], [3]]>
        """
        return conversion.from_sparse(cls, st_input)

    # Values

    def merge_dims(self, outer_axis: int, inner_axis: int) -> Tensor | Self:
        """Merge adjacent axes into one.

        Args:
            outer_axis: First axis, negative values count from the end.
            inner_axis: Last axis, negative values count from the end.

        Returns:
            A `tf.RaggedTensor`, or a tensor if no ragged axis is left.

        Raises:
            ValueError: If `outer_axis` is after `inner_axis`.

        Example:
            >>> import tfpy as tf
            >>> tf.ragged.constant([[[1, 2]], [[3], [4]]]).merge_dims(1, 2).to_list()
            [[1, 2], [3, 4]]
        """
        return conversion.merge_dims(self, outer_axis, inner_axis)

    def to_list(self) -> list[Any]:
        """Convert to nested Python lists.

        Returns:
            List of rows.

        Example:
            >>> import tfpy as tf
            >>> tf.ragged.constant([[1, 2], [], [3]]).to_list()
            [[1, 2], [], [3]]
        """
        inner = self.values
        items = inner.to_list() if isinstance(inner, RaggedTensor) else inner.numpy().tolist()
        bounds = self.splits.tolist()
        return [items[a:b] for a, b in pairwise(bounds)]

    def numpy(self) -> np.ndarray[Any, Any]:
        """Convert to a NumPy array.

        Returns:
            Array of the rows; an object array of arrays if the rows have different lengths.

        Example:
            >>> import tfpy as tf
            >>> tf.ragged.constant([[1, 2], [3, 4]]).numpy().tolist()
            [[1, 2], [3, 4]]
        """
        return conversion.to_array(self)

    def to_tensor(
        self,
        default_value: TensorLike | None = None,
        name: str | None = None,
        shape: ShapeLike | None = None,
    ) -> Tensor:
        """Convert to a dense tensor.

        Args:
            default_value: Value at the ends of short rows, which broadcasts to the shape of an
                element. Default: 0, an empty string or False.
            shape: Shape of the result; axes are cropped or filled to it. None and -1 mean the
                longest row.

        Returns:
            Dense tensor of the dtype of the values.

        Example:
            >>> import tfpy as tf
            >>> tf.ragged.constant([[1, 2], [], [3]]).to_tensor().numpy().tolist()
            [[1, 2], [0, 0], [3, 0]]
        """
        return conversion.to_tensor(self, default_value, shape)

    def to_sparse(self, name: str | None = None) -> SparseTensor:
        """Convert to a sparse tensor with an entry for each value.

        Returns:
            A `tf.SparseTensor`.

        Example:
            >>> import tfpy as tf
            >>> tf.ragged.constant([[1, 2], [], [3]]).to_sparse().indices.numpy().tolist()
            [[0, 0], [0, 1], [2, 0]]
        """
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
