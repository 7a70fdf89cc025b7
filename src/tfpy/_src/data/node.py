"""Nodes: the steps of a dataset. A dataset is a public object that holds one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

import numpy as np

from tfpy._src.compiler.ir.aval import Array
from tfpy._src.core.tensor import Tensor
from tfpy._src.data.run import DatasetRun

INFINITE = -1
UNKNOWN = -2

T = TypeVar("T")


class RowTable(NamedTuple):
    """The arrays of a dataset that makes each element from one row."""

    arrays: tuple[Array, ...]
    function: Callable[[Any], Any] | None = None
    """Function that computes the stacked elements of many rows. None: the rows are the elements."""

    def batch(self, rows: Sequence[int]) -> tuple[Array, ...]:
        """Return the elements of some rows as stacked arrays."""
        found = tuple([a.take(rows, 0) for a in self.arrays])
        return found if self.function is None else self.function(found)


class Picks(NamedTuple):
    """The tensors of a dataset that makes each element from a batch of their rows."""

    tables: tuple[Tensor, ...]
    rows: Callable[[DatasetRun], Iterator[Array]]
    """Function that yields the row numbers of each element."""


class DatasetNode(ABC):
    """A step that produces elements from the elements of its inputs.

    Each element is a flat tuple of leaves.
    """

    name = "Dataset"
    """Name of TensorFlow's class, for printing."""

    def __init__(self, *inputs: DatasetNode) -> None:
        self.inputs = inputs
        self.own_options: Any = None

    @cached_property
    def spec(self) -> Any:
        """Nest of specs of an element. Default: the spec of the first input."""
        return self.inputs[0].spec

    @abstractmethod
    def elements(self, run: DatasetRun) -> Iterator[tuple[Any, ...]]:
        """Return an iterator that starts at the first element."""

    @property
    def cardinality(self) -> int:
        """Number of elements, INFINITE or UNKNOWN."""
        return UNKNOWN

    @property
    def table(self) -> RowTable | None:
        """Arrays whose rows the elements are made of, or None. `rows` returns the row numbers."""
        return None

    def rows(self, run: DatasetRun) -> Iterator[int]:
        """Return an iterator over the row numbers of the elements in the table."""
        raise NotImplementedError

    @property
    def picks(self) -> Picks | None:
        """Tensors and rows of the elements, if each element is a batch of rows and nothing else."""
        return None


class Selection(DatasetNode):
    """A node that skips, repeats or reorders elements without reading them."""

    @abstractmethod
    def choose(self, run: DatasetRun, items: Callable[[], Iterator[T]]) -> Iterator[T]:
        """Return the remaining items in their new order.

        Args:
            items: Function that starts the input from its first item.
        """

    def elements(self, run: DatasetRun) -> Iterator[tuple[Any, ...]]:
        table = self.table
        if table is None or table.function is not None:
            return self.choose(run, lambda: self.inputs[0].elements(run))
        return run.map(lambda row: tuple([a[row, ...] for a in table.arrays]), self.rows(run))

    @property
    def table(self) -> RowTable | None:
        return self.inputs[0].table

    def rows(self, run: DatasetRun) -> Iterator[int]:
        return self.choose(run, lambda: self.inputs[0].rows(run))

    @property
    def picks(self) -> Picks | None:
        picks = self.inputs[0].picks
        if picks is None:
            return None
        return Picks(picks.tables, lambda run: self.choose(run, lambda: picks.rows(run)))


class Range(DatasetNode):
    """Evenly spaced integers."""

    name = "_RangeDataset"

    def __init__(self, spec: Any, numbers: range) -> None:
        super().__init__()
        self._spec, self._numbers = spec, numbers

    @cached_property
    def spec(self) -> Any:
        return self._spec

    def elements(self, run: DatasetRun) -> Iterator[tuple[Any, ...]]:
        dtype = self._spec.dtype.as_numpy_dtype
        return ((np.array(n, dtype),) for n in self._numbers)

    @property
    def cardinality(self) -> int:
        return len(self._numbers)
