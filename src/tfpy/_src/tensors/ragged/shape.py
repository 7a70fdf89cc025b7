"""The shape of a ragged tensor with the lengths of its rows, `DynamicRaggedShape`."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfpy._src.base.dtypes import DType, int32
from tfpy._src.core.conversion import constant
from tfpy._src.core.operand import Dispatched
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import DTypeLike
from tfpy._src.tensors.composite.ragged import row_partition as partition
from tfpy._src.tensors.composite.ragged.row_partition import Ints
from tfpy._src.tensors.composite.ragged.tensor import RaggedTensor


class DynamicRaggedShape(Dispatched):
    """The shape of a ragged tensor with the lengths of its rows, as `tf.shape` returns it.

    Example:
        >>> import tfpy as tf
        >>> tf.shape(tf.ragged.constant([[1, 2], [3]]))
        <DynamicRaggedShape lengths=[2, (2, 1)] num_row_partitions=1>

    See also: `tf.shape`, `tf.RaggedTensor`.
    """

    def __init__(
        self, row_lengths: list[Ints], uniform: list[bool], inner_shape: list[int]
    ) -> None:
        self._row_lengths = row_lengths
        self._uniform = uniform
        self._inner_shape = inner_shape

    @classmethod
    def from_tensor(cls, t: Any, dtype: DTypeLike | None = None) -> DynamicRaggedShape:
        """Return the shape of a tensor or ragged tensor."""
        lengths, uniform = [], []
        while isinstance(t, RaggedTensor):
            lengths.append(np.diff(t.splits))
            uniform.append(t.uniform_row_length is not None)
            t = t.values
        return cls(lengths, uniform, [int(n) for n in t.shape])

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
        """Return True if all rows of an axis are known to have the same length."""
        at = self._axis(axis)
        return at == 0 or at > self.num_row_partitions or self._uniform[at - 1]

    def static_lengths(self, ragged_lengths: bool = True) -> list[Any]:
        """Return the size of each axis; for ragged axes the lengths of the rows, or None."""
        rows = self._row_lengths
        first = len(rows[0]) if rows else self._inner_shape[0] if self._inner_shape else None
        found: list[Any] = [] if first is None else [first]
        for lengths, uniform in zip(rows, self._uniform, strict=True):
            if uniform:
                found.append(int(lengths[0]) if lengths.size else 0)
            else:
                found.append(lengths.tolist() if ragged_lengths else None)
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
        """Return the shape of the first axes.

        Raises:
            NotImplementedError: If the slice does not begin with the first axis.
        """
        if start or step != 1:
            raise NotImplementedError(
                "DynamicRaggedShape: only slices that begin with axis 0 are supported"
            )
        count = max(stop - 1, 0)
        rows = self._row_lengths[:count]
        if stop > self.num_row_partitions + 1:
            return DynamicRaggedShape(rows, self._uniform, self._inner_shape[: stop - len(rows)])
        last = [int(rows[-1].sum())] if rows else self._first() if stop else []
        return DynamicRaggedShape(rows, self._uniform[:count], last)

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
        lengths = [str(tuple(n) if isinstance(n, list) else n) for n in self.static_lengths()]
        return (
            f"<DynamicRaggedShape lengths=[{', '.join(lengths)}] "
            f"num_row_partitions={self.num_row_partitions}>"
        )
