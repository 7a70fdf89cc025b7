"""A node: what one step of a dataset's way does. Programs hold them by their datasets."""

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
    """What elements are made of, where they are made of rows of arrays, each of its own."""

    arrays: tuple[Array, ...]
    function: Callable[[Any], Any] | None = None
    """Gives the elements of many rows, as arrays of them; without it the rows are elements."""

    def batch(self, rows: Sequence[int]) -> tuple[Array, ...]:
        """The elements of some rows, as arrays of them."""
        found = tuple([a.take(rows, 0) for a in self.arrays])
        return found if self.function is None else self.function(found)


class Picks(NamedTuple):
    """What elements are made of, where each is many rows of the same tensors: batches."""

    tables: tuple[Tensor, ...]
    rows: Callable[[DatasetRun], Iterator[Array]]
    """Gives the numbers of each element's rows."""


class DatasetNode(ABC):
    """A step: gives elements, each a flat tuple of leaves, from those of its inputs."""

    name = "Dataset"
    """The class of TensorFlow's that it is printed as."""

    def __init__(self, *inputs: DatasetNode) -> None:
        self.inputs = inputs
        self.own_options: Any = None

    @cached_property
    def spec(self) -> Any:
        """The nest of specs of an element; that of the first input if it is not defined anew."""
        return self.inputs[0].spec

    @abstractmethod
    def elements(self, run: DatasetRun) -> Iterator[tuple[Any, ...]]:
        """The elements, from the first one."""

    @property
    def cardinality(self) -> int:
        """How many elements there are; INFINITE or UNKNOWN."""
        return UNKNOWN

    @property
    def table(self) -> RowTable | None:
        """Of which rows the elements are made, if they are; :meth:`rows` tells which."""
        return None

    def rows(self, run: DatasetRun) -> Iterator[int]:
        """The numbers of the elements' rows in the table."""
        raise NotImplementedError

    @property
    def picks(self) -> Picks | None:
        """Of which rows each element is made, if it is a batch of them and nothing else."""
        return None


class Selection(DatasetNode):
    """A step that leaves out, repeats or reorders elements without looking at them."""

    @abstractmethod
    def choose(self, run: DatasetRun, items: Callable[[], Iterator[T]]) -> Iterator[T]:
        """The items that remain, in their new order.

        Args:
            items: starts the input anew.
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
    """Numbers at one distance."""

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
