"""How the rows of a ragged tensor lie, in each of the ways that TensorFlow has to say it."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfpy._src.composite import row_partition as partition
from tfpy._src.composite.row_partition import Ints
from tfpy._src.core.conversion import constant
from tfpy._src.core.operand import CompositeOperand
from tfpy._src.core.tensor import Tensor


class RaggedRows(CompositeOperand):
    """Rows that ``splits`` marks among ``values``; all that it gives is int32."""

    __slots__ = ()

    values: Any
    """A tensor, or another ragged one."""
    splits: Ints
    """Row splits [rows + 1] on the host: row ``i`` is ``values[splits[i]:splits[i + 1]]``."""

    @property
    def row_splits(self) -> Tensor:
        """Where each row begins, and the last one ends: [rows + 1]."""
        return constant(self.splits)

    def nrows(self, out_type: Any = None, name: str | None = None) -> Tensor:
        """How many rows there are."""
        return constant(self.splits.size - 1)

    def row_starts(self, name: str | None = None) -> Tensor:
        """Where each row begins: [rows]."""
        return constant(self.splits[:-1].copy())

    def row_limits(self, name: str | None = None) -> Tensor:
        """Where each row ends: [rows]."""
        return constant(self.splits[1:].copy())

    def value_rowids(self, name: str | None = None) -> Tensor:
        """The row of each value: [values]."""
        return constant(partition.rowids(self.splits))

    @property
    def nested_splits(self) -> tuple[Ints, ...]:
        """Row splits of each ragged dimension on the host, outermost first."""
        inner = self.values
        return (self.splits, *(inner.nested_splits if isinstance(inner, RaggedRows) else ()))

    @property
    def nested_row_splits(self) -> tuple[Tensor, ...]:
        """:attr:`row_splits` of each ragged dimension, outermost first."""
        return tuple(constant(s) for s in self.nested_splits)

    def nested_row_lengths(self, name: str | None = None) -> tuple[Tensor, ...]:
        """The rows' lengths in each ragged dimension, outermost first."""
        return tuple(constant(np.diff(s)) for s in self.nested_splits)

    def nested_value_rowids(self, name: str | None = None) -> tuple[Tensor, ...]:
        """:meth:`value_rowids` of each ragged dimension, outermost first."""
        return tuple(constant(partition.rowids(s)) for s in self.nested_splits)
