"""Batches for a loop that computes with them on the device: picked there, some of them ahead.

Where batches are rows of arrays, the arrays go to the device once, and each batch's rows are
gathered there, those of several batches by one program. Nothing of it shows: the batches and their
order are those of the dataset.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from functools import lru_cache
from itertools import groupby, islice
from typing import Any

import numpy as np

from tfpy._src.array import slicing
from tfpy._src.core import nest
from tfpy._src.core.tensor import Tensor, from_array
from tfpy._src.data import structure
from tfpy._src.data.iterators import FetchingIterator, Iterator
from tfpy._src.data.node import Node, Picks
from tfpy._src.data.run import AwaitedRun, Run
from tfpy._src.errors import invalid_value
from tfpy._src.function.polymorphic import Function
from tfpy._src.ir.aval import Array, Aval, Shape
from tfpy._src.runtime import registry

_MAX_ELEMENTS = 1 << 24
"""How many numbers of all arrays there may be on the device; a number may take four bytes there."""

_AHEAD = 1 << 19
"""How many numbers of batches are gathered at a time, if it is more than one batch."""

_MAX_BATCHES = 8


class OnDevice:
    """A dataset whose elements are for programs of the device.

    The arrays of which batches are rows stay there as long as this object does.

    Args:
        is_whole: whether who takes elements takes all of them.
    """

    def __init__(self, node: Node, is_whole: bool = False) -> None:
        self._node = node
        self._is_whole = is_whole
        self._tables: tuple[Tensor, ...] | None = None

    def __iter__(self) -> Iterator:
        """An iterator from the first element."""
        picks = self._picks()
        return Iterator(self._node) if picks is None else self._ahead(picks, Run())

    def fetching(self) -> FetchingIterator | AheadIterator:
        """The same for who awaits elements: ``await iterator.fetch(1)`` goes before each."""
        picks = self._picks()
        return FetchingIterator(self._node) if picks is None else self._ahead(picks, AwaitedRun())

    def _picks(self) -> Picks | None:
        """Of which rows the elements are made, where the arrays may lie on the device."""
        backend = registry.active_backend()
        picks = None if backend.on_host else self._node.picks
        if picks is None or sum(t.size for t in picks.tables) > _MAX_ELEMENTS:
            return None
        known = all(s.dtype in backend.dtypes for s in structure.flatten(self._node.spec))
        return picks if known and all(len(t) for t in picks.tables) else None

    def _ahead(self, picks: Picks, run: Run) -> AheadIterator:
        if self._tables is None:
            self._tables = tuple([_lasting(t.alias()) for t in picks.tables])
        return AheadIterator(self._node, picks, run, self._tables, self._is_whole)


class AheadIterator(Iterator):
    """An iterator over batches that are gathered on the device.

    Who computes with several at once notes it in :attr:`done` and :attr:`result`.
    """

    def __init__(
        self, node: Node, picks: Picks, run: Run, tables: tuple[Tensor, ...], is_whole: bool
    ) -> None:
        self._node, self._run = node, run
        self.is_whole = is_whole
        """Whether all batches will be asked for."""
        self.done = 0
        """How many batches were computed with before they are asked for."""
        self.result: Any = None
        """What the last of them gave."""
        self._tables = tables
        self._length = min(len(t) for t in tables)
        self._width = sum(t.size // len(t) for t in tables)
        self._rows = picks.rows(run)
        self._packed = nest.packer(node.spec)
        self._ready: deque[Any] = deque()

    def __next__(self) -> Any:
        if not self._ready and not isinstance(self._run, AwaitedRun):
            for rows in islice(self._rows, 1):
                self._gather([rows, *islice(self._rows, self._together(rows) - 1)])
        if not self._ready:
            raise StopIteration
        return self._ready.popleft()

    def take(self, most: int) -> list[Any]:
        """The next elements, as far as they are there."""
        return [self._ready.popleft() for _ in range(min(most, len(self._ready)))]

    async def fetch(self, count: int) -> bool:
        """Awaits so many elements, fewer at the end; whether there are any."""
        while self._known < count and (rows := await self._fetched()):
            self._gather(rows)
        return self._known > 0

    @property
    def _known(self) -> int:
        return self.done + len(self._ready)

    async def _fetched(self) -> list[Array]:
        """The rows of the next batches that are gathered together."""
        assert isinstance(self._run, AwaitedRun)
        rows: list[Array] = []
        while not rows or len(rows) < self._together(rows[0]):
            try:
                rows.append(await self._run.next(self._rows))
            except StopAsyncIteration:
                break
        return rows

    def _together(self, rows: Array) -> int:
        """How many batches like one are gathered together."""
        return min(max(_AHEAD // max(self._width * len(rows), 1), 1), _MAX_BATCHES)

    def _gather(self, batches: Sequence[Array]) -> None:
        for _, group in groupby(batches, len):
            rows = list(group)
            # One program serves, whatever is left: what is gathered beside is not used.
            count = max(self._together(rows[0]), len(rows))
            chunk = np.zeros((count, len(rows[0])), np.int32)
            chunk[: len(rows)] = rows
            if chunk.size and chunk.view(np.uint32).max() >= self._length:
                raise invalid_value("gather", f"indices lie outside of [0, {self._length})")
            gather = _program(tuple([t.aval for t in self._tables]), chunk.shape)
            found = gather(self._tables, from_array(chunk))
            self._ready += [self._packed(map(_lasting, batch)) for batch in found[: len(rows)]]


def _lasting(tensor: Tensor) -> Tensor:
    """The tensor, which the ``tf.tidy`` of who asks for an element leaves."""
    tensor.kept = True
    return tensor


def _gathered(tables: Sequence[Tensor], batches: Tensor) -> list[tuple[Tensor, ...]]:
    """The rows of each table for each batch."""
    chosen = [batches[number] for number in range(len(batches))]
    return [tuple([slicing.gather(table, rows) for table in tables]) for rows in chosen]


@lru_cache(maxsize=64)
def _program(tables: tuple[Aval, ...], batches: Shape) -> Function[..., Any]:
    """What gathers from tables like these; a function of its own, since it is no retracing."""
    return Function(_gathered, autograph=False)
