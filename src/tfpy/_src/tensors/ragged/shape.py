"""The shape of a ragged tensor with the lengths of its rows, `DynamicRaggedShape`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tfpy._src.base.dtypes import DType, int32
from tfpy._src.base.members import Listed
from tfpy._src.core.conversion import constant, convert_to_tensor, host_values
from tfpy._src.core.operand import Dispatched, with_composites
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import DTypeLike, ShapeLike, TensorLike
from tfpy._src.tensors.composite.ragged import row_partition as partition
from tfpy._src.tensors.composite.ragged.row_partition import Ints
from tfpy._src.tensors.composite.ragged.tensor import RaggedTensor
from tfpy._src.tensors.ragged.row_partitions import RowPartition
from tfpy._src.tensors.ragged.shape_spec import DynamicRaggedShapeSpec


def _check_lengths(lengths: Any, num_row_partitions: Any) -> None:
    """Raise an error if the arguments of `from_lengths` do not have the right types."""
    if not isinstance(lengths, list | tuple):
        raise ValueError(f"lengths should be a list, got {lengths!r}")
    if not isinstance(num_row_partitions, int | None):
        raise ValueError(f"num_row_partitions should be an int or None, got {num_row_partitions!r}")
    for length in lengths:
        parts = length if isinstance(length, tuple | list | np.ndarray) else [length]
        if not all(isinstance(n, int | np.integer) for n in parts):
            raise ValueError(f"element of lengths should be int or tuple of ints, got {length!r}")


class DynamicRaggedShape(Listed, Dispatched):
    """The shape of a ragged tensor with the lengths of its rows, as `tf.shape` returns it.

    Args:
        row_partitions: Divisions into rows, the outermost first.
        inner_shape: Shape of the flat values, an integer tensor.
        dtype: Has no effect: sizes are always int32.
        validate: Has no effect.
        static_inner_shape: Has no effect.

    Example:
        >>> import tfpy as tf
        >>> shape = tf.shape(tf.ragged.constant([[1, 2], [3]]))
        >>> shape
        <DynamicRaggedShape lengths=[2, (2, 1)] num_row_partitions=1>
        >>> print(tf.reshape([7, 8, 9], shape))
        <tf.RaggedTensor [[7, 8], [9]]>

    See also: `tf.shape`, `tf.RaggedTensor`, `tf.experimental.RowPartition`.
    """

    _package_members = frozenset(("of", "partitioned", "per_value"))
    Spec = DynamicRaggedShapeSpec
    _row_lengths: list[Ints]
    _uniform: list[bool]
    _inner_shape: list[int]

    def __init__(
        self,
        row_partitions: Sequence[RowPartition],
        inner_shape: TensorLike,
        dtype: DTypeLike | None = None,
        validate: bool = False,
        static_inner_shape: ShapeLike | None = None,
    ) -> None:
        lengths = [p.row_lengths().host_view() for p in row_partitions]
        inner = host_values(inner_shape).reshape(-1).tolist()
        self._set(lengths, [p.is_uniform() for p in row_partitions], inner)

    def _set(self, lengths: list[Ints], uniform: list[bool], inner_shape: list[int]) -> None:
        self._row_lengths, self._uniform, self._inner_shape = lengths, uniform, inner_shape

    @classmethod
    def of(
        cls, row_lengths: list[Ints], uniform: list[bool], inner_shape: list[int]
    ) -> DynamicRaggedShape:
        """Create a shape from the lengths of the rows on the host.

        Args:
            row_lengths: Lengths of the rows of each partition.
            uniform: True for each partition whose rows have the same length by definition.
            inner_shape: Shape of the flat values.
        """
        made = cls.__new__(cls)
        made._set(row_lengths, uniform, inner_shape)
        return made

    @classmethod
    def from_lengths(
        cls,
        lengths: Sequence[int | Sequence[int]],
        num_row_partitions: int | None = None,
        dtype: DTypeLike | None = None,
    ) -> DynamicRaggedShape:
        """Create a shape from the sizes of its axes.

        Args:
            lengths: For each axis its size, or a sequence with the length of each row.
            num_row_partitions: Number of axes that are partitioned into rows. Default: the number
                of axes after the first one up to the last ragged one.
            dtype: Has no effect: sizes are always int32.

        Returns:
            A `tf.experimental.DynamicRaggedShape`.

        Raises:
            ValueError: If the first axis is ragged, the lengths do not fit together, or a length is
                not an integer or a tuple of integers.

        Example:
            >>> import tfpy as tf
            >>> tf.experimental.DynamicRaggedShape.from_lengths([2, (2, 1), 3])
            <DynamicRaggedShape lengths=[2, (2, 1), 3] num_row_partitions=1>
        """
        _check_lengths(lengths, num_row_partitions)
        ragged = [i for i, n in enumerate(lengths) if not isinstance(n, int)]
        if 0 in ragged:
            raise ValueError(f"The first axis cannot be ragged, got lengths[0] = {lengths[0]}")
        count = max(ragged, default=0) if num_row_partitions is None else num_row_partitions
        if count and not lengths:
            raise ValueError(f"num_row_partitions==0 for a scalar shape, got {count}")
        if count >= max(len(lengths), 1):
            raise ValueError(f"num_row_partitions should be less than {len(lengths)}, got {count}")
        if count < max(ragged, default=0):
            raise ValueError(f"num_row_partitions={count} does not fit lengths {lengths}")
        sizes = [np.atleast_1d(np.asarray(n, np.int32)) for n in lengths]
        rows, found, uniform = int(sizes[0][0]) if sizes else 0, [], []
        for i in range(1, count + 1):
            uniform.append(i not in ragged)
            found.append(np.broadcast_to(sizes[i], rows) if uniform[-1] else sizes[i])
            if found[-1].size != rows:
                raise ValueError(
                    f"Shape not consistent: axis {i} has {found[-1].size} lengths for {rows} rows."
                )
            rows = int(found[-1].sum())
        inner = [rows] if count else list(map(int, sizes[0])) if sizes else []
        return cls.of(found, uniform, [*inner, *(int(n[0]) for n in sizes[count + 1 :])])

    @classmethod
    def from_row_partitions(
        cls, row_partitions: Sequence[RowPartition], dtype: DTypeLike | None = None
    ) -> DynamicRaggedShape:
        """Create the shape of values of rank 1 that are divided into rows.

        Args:
            row_partitions: Divisions into rows, the outermost first.
            dtype: Has no effect: sizes are always int32.

        Returns:
            A `tf.experimental.DynamicRaggedShape`.

        Raises:
            ValueError: If there are no partitions.

        Example:
            >>> import tfpy as tf
            >>> rows = tf.experimental.RowPartition.from_row_lengths([2, 1])
            >>> tf.experimental.DynamicRaggedShape.from_row_partitions([rows])
            <DynamicRaggedShape lengths=[2, (2, 1)] num_row_partitions=1>
        """
        if not row_partitions:
            raise ValueError("row_partitions cannot be empty")
        return cls(row_partitions, [row_partitions[-1].static_nvals])

    @classmethod
    def from_tensor(cls, t: Any, dtype: DTypeLike | None = None) -> DynamicRaggedShape:
        """Return the shape of a tensor or ragged tensor.

        Args:
            t: Tensor or `tf.RaggedTensor`.
            dtype: Has no effect: sizes are always int32.

        Returns:
            A `tf.experimental.DynamicRaggedShape`.

        Example:
            >>> import tfpy as tf
            >>> tf.experimental.DynamicRaggedShape.from_tensor(tf.zeros([2, 3]))
            <DynamicRaggedShape lengths=[2, 3] num_row_partitions=0>
        """
        t = with_composites(t)
        t = t if isinstance(t, RaggedTensor) else convert_to_tensor(t)
        lengths, uniform = [], []
        while isinstance(t, RaggedTensor):
            lengths.append(np.diff(t.splits))
            uniform.append(t.uniform_row_length is not None)
            t = t.values
        return cls.of(lengths, uniform, [int(n) for n in t.shape])

    @property
    def row_partitions(self) -> tuple[RowPartition, ...]:
        """Divisions into rows, the outermost first."""
        return tuple(
            RowPartition.from_uniform_row_length(int(n[0]) if n.size else 0, nrows=n.size)
            if uniform
            else RowPartition.from_row_lengths(n)
            for n, uniform in zip(self._row_lengths, self._uniform, strict=True)
        )

    def with_dtype(self, dtype: DTypeLike) -> DynamicRaggedShape:
        """Return the shape itself, because sizes are always int32.

        Args:
            dtype: Has no effect.

        Returns:
            The shape.

        Example:
            >>> import tfpy as tf
            >>> tf.experimental.DynamicRaggedShape.from_lengths([2, 3]).with_dtype(tf.int64).dtype
            tf.int32
        """
        return self

    @property
    def dtype(self) -> DType:
        """Dtype of the sizes, int32."""
        return int32

    @property
    def num_row_partitions(self) -> int:
        """Number of axes that are partitioned into rows."""
        return len(self._row_lengths)

    @property
    def inner_shape(self) -> Tensor:
        """Shape of the flat values."""
        return constant(np.array(self._inner_shape, np.int32))

    @property
    def inner_rank(self) -> int:
        """Rank of the flat values."""
        return len(self._inner_shape)

    @property
    def rank(self) -> int:
        """Rank, including partitioned axes."""
        return self.num_row_partitions + self.inner_rank

    def is_uniform(self, axis: int) -> bool:
        """Return True if all rows of an axis are known to have the same length.

        Args:
            axis: Number of the axis.

        Returns:
            A bool.

        Raises:
            IndexError: If the axis does not exist.

        Example:
            >>> import tfpy as tf
            >>> shape = tf.experimental.DynamicRaggedShape.from_lengths([2, (2, 1), 3])
            >>> [shape.is_uniform(axis) for axis in range(3)]
            [True, False, True]
        """
        at = self._axis(axis)
        return at == 0 or at > self.num_row_partitions or self._uniform[at - 1]

    def static_lengths(self, ragged_lengths: bool = True) -> list[Any]:
        """Return the size of each axis.

        Args:
            ragged_lengths: If True, a ragged axis is a tuple of the lengths of its rows; else None.

        Returns:
            List with an item for each axis.

        Example:
            >>> import tfpy as tf
            >>> tf.shape(tf.ragged.constant([[1, 2], [3]])).static_lengths()
            [2, (2, 1)]
        """
        rows = self._row_lengths
        first = len(rows[0]) if rows else self._inner_shape[0] if self._inner_shape else None
        found: list[Any] = [] if first is None else [first]
        for lengths, uniform in zip(rows, self._uniform, strict=True):
            if uniform:
                found.append(int(lengths[0]) if lengths.size else 0)
            else:
                found.append(tuple(lengths.tolist()) if ragged_lengths else None)
        return [*found, *self._inner_shape[1:]]

    def partitioned(self, flat_values: Any) -> Any:
        """Partition values of shape `inner_shape` into the rows of the shape."""
        result = flat_values
        for lengths, uniform in zip(
            reversed(self._row_lengths), reversed(self._uniform), strict=True
        ):
            width = (int(lengths[0]) if lengths.size else 0) if uniform else None
            result = RaggedTensor(result, partition.from_lengths(lengths), width)
        return result

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return self._part(*index.indices(self.rank))
        at = self._axis(index)
        if not self.is_uniform(at):
            raise ValueError(f"Index {at} is not uniform")
        return constant(self.static_lengths()[at])

    def _axis(self, axis: Any) -> int:
        at = int(axis)
        if not -self.rank <= at < self.rank:
            raise IndexError(f"axis {at} is out of range for a shape of rank {self.rank}")
        return at % self.rank

    def _part(self, start: int, stop: int, step: int) -> DynamicRaggedShape:
        """Return the shape of some axes.

        Raises:
            IndexError: If the slice has steps.
            ValueError: If the slice does not begin with the first axis, and an axis is ragged.
        """
        if step != 1:
            raise IndexError("Cannot stride through a shape")
        if start:
            if not all(map(self.is_uniform, range(self.rank))):
                raise ValueError(f"All relevant dimensions must be uniform, got {self!r}")
            return DynamicRaggedShape.of([], [], self.static_lengths()[start:stop])
        count = max(stop - 1, 0)
        rows = self._row_lengths[:count]
        if stop > self.num_row_partitions + 1:
            return DynamicRaggedShape.of(rows, self._uniform, self._inner_shape[: stop - len(rows)])
        last = [int(rows[-1].sum())] if rows else self._first() if stop else []
        return DynamicRaggedShape.of(rows, self._uniform[:count], last)

    def _first(self) -> list[int]:
        return [len(self._row_lengths[0])] if self._row_lengths else self._inner_shape[:1]

    def __eq__(self, other: object) -> Any:
        if not isinstance(other, DynamicRaggedShape):
            return NotImplemented
        return constant(
            self.static_lengths() == other.static_lengths()
            and self.num_row_partitions == other.num_row_partitions
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        lengths = map(str, self.static_lengths())
        return (
            f"<DynamicRaggedShape lengths=[{', '.join(lengths)}] "
            f"num_row_partitions={self.num_row_partitions}>"
        )
