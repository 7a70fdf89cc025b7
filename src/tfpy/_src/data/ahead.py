"""Batches for a loop that computes on the device, gathered from arrays there.

If batches are rows of arrays, the arrays are uploaded once, and the row numbers of several batches
are uploaded together. Each batch is gathered on the device: separately, or, for a `Pick`, by the
program that uses it. The batches and their order do not change.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from functools import lru_cache
from itertools import groupby, islice
from typing import Any, NamedTuple

import numpy as np

from tfpy._src.backends import registry
from tfpy._src.base.dtypes import int32
from tfpy._src.base.errors import invalid_value
from tfpy._src.compiler.ir.aval import Array, Aval
from tfpy._src.core import nest
from tfpy._src.core.scalar_cache import scalar
from tfpy._src.core.tensor import Tensor, from_array
from tfpy._src.data import structure
from tfpy._src.data.iterators import FetchingIterator, Iterator
from tfpy._src.data.node import DatasetNode, Picks
from tfpy._src.data.run import AwaitedRun, DatasetRun
from tfpy._src.functions.tf_function.polymorphic import Function
from tfpy._src.tensors.array import slicing

_MAX_ELEMENTS = 1 << 24
"""Largest number of elements of all arrays on the device. An element may take four bytes there."""

_MAX_ROWS = 1 << 14
"""Largest number of row numbers that are uploaded together for more than one batch."""

_MAX_BATCHES = 64


class Pick(NamedTuple):
    """A batch that is not gathered yet."""

    tables: Any
    """Nest of tensors. The batch has the same rows of each."""
    rows: Tensor
    """Row numbers of several batches, `[batches, rows]`."""
    number: Tensor
    """Number of the batch among them."""


def gather(tables: Any, rows: Tensor, number: Tensor) -> Any:
    """Return the batch that a `Pick` specifies."""
    chosen = slicing.gather(rows, number)
    return nest.map_structure(lambda table: slicing.gather(table, chosen), tables)


class DeviceBatches:
    """A dataset that produces elements for programs of the device.

    The arrays that contain the rows stay on the device as long as this object exists.

    Args:
        is_whole: True if the consumer takes all elements.
    """

    def __init__(self, node: DatasetNode, is_whole: bool = False) -> None:
        self._node = node
        self._is_whole = is_whole
        self._tables: tuple[Tensor, ...] | None = None

    def __iter__(self) -> Iterator:
        """Return an iterator that starts at the first element."""
        picks = self._picks()
        return Iterator(self._node) if picks is None else self._ahead(picks, DatasetRun())

    def fetching(self) -> FetchingIterator | AheadIterator:
        """Return an iterator for consumers that await `iterator.fetch(1)` before each element."""
        picks = self._picks()
        return FetchingIterator(self._node) if picks is None else self._ahead(picks, AwaitedRun())

    def _picks(self) -> Picks | None:
        """Return the rows of the elements if the arrays can be on the device."""
        backend = registry.active_backend()
        picks = None if backend.on_host else self._node.picks
        if picks is None or sum(t.size for t in picks.tables) > _MAX_ELEMENTS:
            return None
        known = all(s.dtype in backend.dtypes for s in structure.flatten(self._node.spec))
        return picks if known and all(len(t) for t in picks.tables) else None

    def _ahead(self, picks: Picks, run: DatasetRun) -> AheadIterator:
        if self._tables is None:
            self._tables = tuple([_lasting(t.alias()) for t in picks.tables])
        return AheadIterator(self._node, picks, run, self._tables, self._is_whole)


class AheadIterator(Iterator):
    """An iterator over batches that are gathered on the device.

    A consumer that computes several batches at once records it in `done` and `result`.
    """

    def __init__(
        self,
        node: DatasetNode,
        picks: Picks,
        run: DatasetRun,
        tables: tuple[Tensor, ...],
        is_whole: bool,
    ) -> None:
        self._node, self._run = node, run
        self.is_whole = is_whole
        """True if all batches will be requested."""
        self.done = 0
        """Number of upcoming calls whose results are already computed."""
        self.result: Any = None
        """Result of the last computation."""
        self._tables = nest.packer(node.spec)(iter(tables))
        self._gather = _program(tuple([t.aval for t in tables]))
        self._length = min(len(t) for t in tables)
        self._rows = picks.rows(run)
        self._ready: deque[Pick] = deque()

    def __next__(self) -> Any:
        for pick in self.take(1):
            return nest.map_structure(_lasting, self.gathered(pick))
        raise StopIteration

    def gathered(self, pick: Pick) -> Any:
        """Return the batch of a `Pick`."""
        return self._gather(*pick)

    def take(self, most: int) -> list[Pick]:
        """Return the next batches, fewer at the end. An awaited run returns only fetched batches.

        Raises:
            InvalidArgumentError: If a row number is out of range.
        """
        if not isinstance(self._run, AwaitedRun):
            while len(self._ready) < most and (rows := self._following()):
                self._add(rows)
        return [self._ready.popleft() for _ in range(min(most, len(self._ready)))]

    async def fetch(self, count: int) -> bool:
        """Await elements, fewer at the end. Return True if there are any.

        Args:
            count: Number of elements.
        """
        if self.done:
            return True
        while len(self._ready) < count and (rows := await self._fetched()):
            self._add(rows)
        return bool(self._ready)

    def _following(self) -> list[Array]:
        """Return the rows of the next batches, which are uploaded together."""
        rows = list(islice(self._rows, 1))
        return rows + list(islice(self._rows, self._together(rows[0]) - 1)) if rows else []

    async def _fetched(self) -> list[Array]:
        """Return the awaited rows of the next batches."""
        assert isinstance(self._run, AwaitedRun)
        rows: list[Array] = []
        while not rows or len(rows) < self._together(rows[0]):
            try:
                rows.append(await self._run.next(self._rows))
            except StopAsyncIteration:
                break
        return rows

    def _together(self, rows: Array) -> int:
        """Return the number of batches of this size whose rows are uploaded together."""
        count = max(len(rows), 1)
        return min(-(-self._length // count), max(_MAX_ROWS // count, 1), _MAX_BATCHES)

    def _add(self, batches: Sequence[Array]) -> None:
        for _, group in groupby(batches, len):
            rows = list(group)
            # Programs are compiled for this number of batches, also for a shorter rest.
            chunk = np.zeros((max(self._together(rows[0]), len(rows)), len(rows[0])), np.int32)
            chunk[: len(rows)] = rows
            if chunk.size and chunk.view(np.uint32).max() >= self._length:
                raise invalid_value("gather", f"indices are outside of [0, {self._length})")
            tensor = _lasting(from_array(chunk))
            self._ready += [Pick(self._tables, tensor, scalar(n, int32)) for n in range(len(rows))]


def _lasting(tensor: Tensor) -> Tensor:
    """Exempt a tensor from the consumer's `tf.tidy`."""
    tensor.kept = True
    return tensor


@lru_cache(maxsize=64)
def _program(tables: tuple[Aval, ...]) -> Function[..., Any]:
    """Return the function that gathers from such tables.

    Each signature has its own function, so that new signatures do not count as retracing.
    """
    return Function(gather, autograph=False)
