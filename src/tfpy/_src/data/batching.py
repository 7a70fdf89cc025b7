"""Nodes that make batches, and that split batches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property, partial
from typing import Any, TypeVar

import numpy as np

from tfpy._src.base.errors import InvalidArgumentError
from tfpy._src.compiler.ir.aval import Array
from tfpy._src.compiler.ir.sizes import OpenSize
from tfpy._src.core.tensor import from_array
from tfpy._src.core.type_spec import RecordSpec
from tfpy._src.data import structure
from tfpy._src.data.node import UNKNOWN, DatasetNode, Picks
from tfpy._src.data.run import NOT_YET, Continuing, DatasetRun, Failed, Recovering
from tfpy._src.data.specs import batched, rows_of, unbatched
from tfpy._src.data.stacking import count_of, rows_of_leaf, stacked
from tfpy._src.data.structure import Flat

T = TypeVar("T")


class Batch(DatasetNode):
    """Batches of `size` elements.

    Args:
        whole: If True, drop a last batch that is smaller.

    Raises:
        InvalidArgumentError: If the size is less than 1, or elements have different shapes.
        TypeError: If the elements are datasets.
    """

    name = "_BatchDataset"

    def __init__(self, source: DatasetNode, size: int, whole: bool) -> None:
        super().__init__(source)
        if size < 1:
            raise InvalidArgumentError(None, "batch", "Batch size must be greater than zero.")
        self._size, self._whole = size, whole

    @cached_property
    def spec(self) -> Any:
        size = self._known_size
        return structure.map_structure(lambda s: batched(s, size), self.inputs[0].spec)

    @property
    def _known_size(self) -> int | None:
        """Size of every batch, if it is the same for all."""
        return self._size if self._whole and not isinstance(self._size, OpenSize) else None

    def elements(self, run: DatasetRun) -> Iterator[Flat]:
        source = self.inputs[0]
        table = source.table
        if table is not None:
            rows = self._chunks(run, source.rows(run))
            return run.map(table.batch, rows)
        return run.map(self._joined, self._chunks(run, source.elements(run)))

    def _chunks(self, run: DatasetRun, items: Iterator[T]) -> Iterator[list[T]]:
        found = run.chunks(items, self._size)
        return run.filter(lambda chunk: len(chunk) == self._size, found) if self._whole else found

    @property
    def picks(self) -> Picks | None:
        source = self.inputs[0]
        table = source.table if type(self) is Batch else None  # subclasses pad rows
        if table is None or table.function is not None:
            return None

        def rows(run: DatasetRun) -> Iterator[Array]:
            return run.map(partial(np.array, dtype=np.int32), self._chunks(run, source.rows(run)))

        return Picks(tuple(map(from_array, table.arrays)), rows)

    @cached_property
    def _specs(self) -> Sequence[Any]:
        """Specs of the components. Some are unknown before the first element."""
        return structure.flatten(self.inputs[0].spec)

    def _joined(self, chunk: list[Flat]) -> Flat:
        columns = zip(*chunk, strict=True)
        pairs = zip(columns, self._specs, strict=True)
        size = self._known_size
        return tuple([stacked(column, spec, i, size) for i, (column, spec) in enumerate(pairs)])

    @property
    def cardinality(self) -> int:
        size = self.inputs[0].cardinality
        return size if size < 0 else (size if self._whole else size + self._size - 1) // self._size


class Unbatch(DatasetNode):
    """The slices of each element along its first axis.

    Raises:
        ValueError: If a component is a scalar, or first dimensions differ.
    """

    name = "_UnbatchDataset"

    def __init__(self, source: DatasetNode) -> None:
        super().__init__(source)
        specs = structure.flatten(source.spec)
        if any(not isinstance(s, RecordSpec) and s.shape.rank == 0 for s in specs):
            raise ValueError("Cannot unbatch an input with scalar components.")
        known = [n for n in map(rows_of, specs) if n is not None]
        for size in known:
            if size != known[0]:
                raise ValueError(
                    "`unbatch()` is only supported for datasets of elements whose components have "
                    f"a matching leading dimension. Encountered both {known[0]} and {size}."
                )
        self._rows = known[0] if known else None

    @cached_property
    def spec(self) -> Any:
        return structure.map_structure(unbatched, self.inputs[0].spec)

    def elements(self, run: DatasetRun) -> Iterator[Flat]:
        return Continuing(self._elements(run))

    @staticmethod
    def _sized(element: Flat) -> tuple[Flat, int]:
        """Return an element with the number of its rows."""
        counts = {count_of(leaf) for leaf in element if leaf is not None}
        if len(counts) > 1:
            raise InvalidArgumentError(
                None, "unbatch", "Input element must have the same batch size in each component"
            )
        (count,) = counts or (0,)
        return element, count

    def _elements(self, run: DatasetRun) -> Iterator[Any]:
        for pair in Recovering(run.map(self._sized, self.inputs[0].elements(run))):
            if pair is NOT_YET or isinstance(pair, Failed):
                yield pair
                continue
            element, count = pair
            yield from zip(
                *([None] * count if leaf is None else rows_of_leaf(leaf) for leaf in element),
                strict=True,
            )

    @property
    def cardinality(self) -> int:
        size = self.inputs[0].cardinality
        if size < 0:
            return size
        return UNKNOWN if self._rows is None else size * self._rows


class Rebatch(DatasetNode):
    """Batches of other sizes, which are used in turn."""

    name = "_RebatchDataset"

    def __init__(self, source: DatasetNode, sizes: Sequence[int], whole: bool) -> None:
        super().__init__(source)
        self._rows = Unbatch(source)
        self._sizes, self._whole = sizes, whole

    @cached_property
    def spec(self) -> Any:
        size = self._sizes[0] if len(set(self._sizes)) == 1 and self._fits() else None
        return structure.map_structure(lambda s: batched(s, size), self._rows.spec)

    def _fits(self) -> bool:
        """Return True if no batch is smaller."""
        known = [rows_of(s) for s in structure.flatten(self.inputs[0].spec)]
        rows = next((n for n in known if n is not None), None)
        return self._whole or (rows is not None and rows % self._sizes[0] == 0)

    def elements(self, run: DatasetRun) -> Iterator[Flat]:
        source = self._rows.elements(run)
        specs = structure.flatten(self._rows.spec)
        while True:
            for size in self._sizes:
                chunk = yield from run.gathered(source, size)
                if not chunk or (self._whole and len(chunk) < size):
                    return
                yield tuple(
                    stacked(column, spec, i)
                    for i, (column, spec) in enumerate(
                        zip(zip(*chunk, strict=True), specs, strict=True)
                    )
                )
