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

from tfpy._src.base.errors import invalid_value
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
    keys = list(key) if isinstance(key, tuple | list) else [key]
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
        if width is None:
            raise ValueError("Cannot index into an inner ragged dimension.")
        if not -width <= column < width:
            raise invalid_value(
                "RaggedTensor",
                "Index out of bounds when indexing into a ragged tensor: "
                f"{column} for rows of {width} values",
            )
        picked = take_rows(x.values, (x.splits[:-1] + column % width).astype(np.int32))
        return _pick(picked, [slice(None), *rest])
    if isinstance(key.step, str | float):
        raise TypeError(f"slice strides must be integers or None, got {key.step!r}")
    if any(isinstance(v, str | float) for v in (key.start, key.stop)):
        raise TypeError(f"slice offsets must be integers or None, got {key}")
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
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(
            "Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) and scalar "
            f"tf.int32/tf.int64 tensors are valid indices, got {value!r}"
        ) from None


class RaggedTensor(RaggedRows):
    """A tensor with rows of different lengths.

    Create a ragged tensor with `tf.ragged.constant` or with a class method such as
    `from_row_lengths`. Operators, reductions, indexing and most elementwise functions support
    ragged tensors.

    The rows of all values are stored one after the other in `values`, and the positions where rows
    begin and end are stored separately as integers. These integers are read back to Python, so
    creating a ragged tensor waits until they have been computed. A `tf.function` that computes them
    runs eagerly, without compilation.

    Attributes:
        values: Concatenated rows, a tensor, or a `tf.RaggedTensor` if there is more than one ragged
            axis.
        uniform_row_length: Length of each row if all rows are known to have the same length, and
            None otherwise.

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
        """Convert a dense tensor to a ragged tensor, optionally without its padding.

        Args:
            tensor: Tensor of shape `[rows, columns, ...]`.
            lengths: Lengths to which the rows are cropped, an integer tensor of shape `[rows]`, or
                a tuple with one such tensor for each ragged axis. Default: rows are not cropped.
            padding: Value that is removed from the ends of the rows, a scalar or a tensor of shape
                `tensor.shape[2:]`. Default: nothing is removed.
            ragged_rank: Number of ragged axes of the result. Default: 1.
            row_splits_dtype: Has no effect: row splits are always int32.

        Returns:
            A `tf.RaggedTensor`.

        Raises:
            ValueError: If `lengths` and `padding` are both given, or `ragged_rank` is not between 1
                and the number of axes minus 1.

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
            st_input: A `tf.SparseTensor` with two dimensions. The values of each row must be in its
                first columns, without gaps.
            row_splits_dtype: Has no effect: row splits are always int32.

        Returns:
            A `tf.RaggedTensor`.

        Raises:
            ValueError: If `st_input` does not have two dimensions.
            tf.errors.InvalidArgumentError: If there is a gap before a value in its row.

        Example:
            >>> import tfpy as tf
            >>> s = tf.SparseTensor([[0, 0], [0, 1], [2, 0]], [1, 2, 3], [3, 2])
            >>> tf.RaggedTensor.from_sparse(s)
            <tf.RaggedTensor [[1, 2], [], [3]]>
        """
        return conversion.from_sparse(cls, st_input)

    # Values

    def merge_dims(self, outer_axis: int, inner_axis: int) -> Tensor | Self:
        """Merge adjacent axes into one axis.

        Args:
            outer_axis: First axis to merge. Negative values count from the end.
            inner_axis: Last axis to merge. Negative values count from the end.

        Returns:
            A `tf.RaggedTensor`, or a tensor if the result does not have a ragged axis.

        Raises:
            ValueError: If `outer_axis` is after `inner_axis`.

        Example:
            >>> import tfpy as tf
            >>> tf.ragged.constant([[[1, 2]], [[3], [4]]]).merge_dims(1, 2).to_list()
            [[1, 2], [3, 4]]
        """
        return conversion.merge_dims(self, outer_axis, inner_axis)

    def to_list(self) -> list[Any]:
        """Convert the ragged tensor to nested Python lists.

        Returns:
            List with a list for each row.

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
        """Convert the ragged tensor to a NumPy array.

        Returns:
            NumPy array of the rows. If the rows have different lengths, its dtype is object and its
            elements are the rows as arrays.

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
        """Convert the ragged tensor to a dense tensor, with padding at the ends of short rows.

        Args:
            default_value: Padding value, a scalar or a tensor that broadcasts to the shape of one
                value. Default: 0, False or an empty string.
            shape: Shape of the result, to which rows are cropped or padded. A dimension of None or
                -1 means the length of the longest row. Default: the longest row of each axis.

        Returns:
            Dense tensor with the dtype of the ragged tensor.

        Example:
            >>> import tfpy as tf
            >>> tf.ragged.constant([[1, 2], [], [3]]).to_tensor().numpy().tolist()
            [[1, 2], [0, 0], [3, 0]]
        """
        return conversion.to_tensor(self, default_value, shape)

    def to_sparse(self, name: str | None = None) -> SparseTensor:
        """Convert the ragged tensor to a sparse tensor that contains all its values.

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
