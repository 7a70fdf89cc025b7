"""Nodes that select, repeat, reorder or cache elements."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import numpy as np

from tfpy._src.base.errors import FailedPreconditionError, InvalidArgumentError
from tfpy._src.data.node import INFINITE, UNKNOWN, DatasetNode, Picks, RowTable, Selection
from tfpy._src.data.run import NOT_YET, Continuing, DatasetRun, Recovering
from tfpy._src.data.seeds import SeedSource, Words

T = TypeVar("T")

_AHEAD = 256
"""Number of random words that are drawn together."""


class Take(Selection):
    """The first elements; all of them for a negative count."""

    name = "_TakeDataset"

    def __init__(self, source: DatasetNode, count: int) -> None:
        super().__init__(source)
        self._count = count

    def choose(self, run: DatasetRun, items: Callable[[], Iterator[T]]) -> Iterator[T]:
        return items() if self._count < 0 else run.slice(items(), 0, self._count)

    @property
    def cardinality(self) -> int:
        size = self.inputs[0].cardinality
        if self._count < 0 or size == UNKNOWN:
            return size
        return self._count if size == INFINITE else min(size, self._count)


class Skip(Selection):
    """All but the first elements; none for a negative count."""

    name = "_SkipDataset"

    def __init__(self, source: DatasetNode, count: int) -> None:
        super().__init__(source)
        self._count = count

    def choose(self, run: DatasetRun, items: Callable[[], Iterator[T]]) -> Iterator[T]:
        return iter(()) if self._count < 0 else run.slice(items(), self._count, None)

    @property
    def cardinality(self) -> int:
        size = self.inputs[0].cardinality
        if size < 0:
            return size
        return 0 if self._count < 0 else max(size - self._count, 0)


class Repeat(Selection):
    """The elements, repeated; without end for a negative count."""

    name = "_RepeatDataset"

    def __init__(self, source: DatasetNode, count: int) -> None:
        super().__init__(source)
        self._count = count

    def elements(self, run: DatasetRun) -> Iterator[Any]:
        table = self.table
        if table is not None and table.function is None:
            return super().elements(run)
        source = self.inputs[0]
        return Continuing(self.choose(run, lambda: Recovering(source.elements(run))))

    def choose(self, run: DatasetRun, items: Callable[[], Iterator[T]]) -> Iterator[T]:
        if self._count == 0:
            return iter(())
        return self._forever(items) if self._count < 0 else self._counted(items(), items)

    def _counted(self, current: Iterator[T], items: Callable[[], Iterator[T]]) -> Iterator[T]:
        """Repeat the input a number of times.

        As in TensorFlow, the input is started once more than necessary, which draws seeds. A
        shuffle is an exception, because TensorFlow fuses it with the repetition.
        """
        starts = self._count - isinstance(self.inputs[0], Shuffle)
        for number in range(self._count):
            yield from current
            if number < starts:
                current = items()

    def _forever(self, items: Callable[[], Iterator[T]]) -> Iterator[T]:
        while True:
            current = items()
            first = next(current, _NOTHING)
            while first is NOT_YET:
                yield first
                first = next(current, _NOTHING)
            if first is _NOTHING:
                return
            yield first
            yield from current

    @property
    def cardinality(self) -> int:
        size = self.inputs[0].cardinality
        if self._count == 0 or size == 0:
            return 0
        if self._count < 0 or size == INFINITE:
            return INFINITE
        return UNKNOWN if size == UNKNOWN else size * self._count


_NOTHING: Any = object()


class ShardNode(Selection):
    """Every `count`-th element.

    Raises:
        InvalidArgumentError: If the index is not less than the count.
    """

    name = "_ShardDataset"

    def __init__(self, source: DatasetNode, count: int, index: int) -> None:
        super().__init__(source)
        if count < 1:
            message = (
                f"Number of shards must be greater than zero (currently num_shards = {count})."
            )
            raise InvalidArgumentError(None, "shard", message)
        if not 0 <= index < count:
            message = f"Index must be between 0 and {count - 1} (currently index = {index})."
            raise InvalidArgumentError(None, "shard", message)
        self._count, self._index = count, index

    def choose(self, run: DatasetRun, items: Callable[[], Iterator[T]]) -> Iterator[T]:
        return run.slice(items(), self._index, None, self._count)

    @property
    def cardinality(self) -> int:
        size = self.inputs[0].cardinality
        return size if size < 0 else len(range(self._index, size, self._count))


class Shuffle(Selection):
    """The elements in TensorFlow's random order.

    Args:
        size: Size of the buffer from which elements are drawn; UNKNOWN for the size of the input.
    """

    name = "_ShuffleDataset"

    def __init__(self, source: DatasetNode, size: int, seeds: tuple[int, int], anew: bool) -> None:
        super().__init__(source)
        if size < 1 and size != UNKNOWN:
            message = "buffer_size must be greater than zero or UNKNOWN_CARDINALITY"
            raise InvalidArgumentError(None, "shuffle", message)
        self._size = size
        self._source = SeedSource(seeds, anew)

    def choose(self, run: DatasetRun, items: Callable[[], Iterator[T]]) -> Iterator[T]:
        return self._drawn(run, items, Words(run.seeds(self._source.next)))

    def _drawn(
        self, run: DatasetRun, items: Callable[[], Iterator[T]], random: Words
    ) -> Iterator[T]:
        source = items()
        size = None if self._size == UNKNOWN else self._size
        buffer = yield from run.gathered(source, size)
        yield from _replaced(buffer, source, random)
        yield from _drained(buffer, random)

    @property
    def cardinality(self) -> int:
        return self.inputs[0].cardinality


def _replaced(buffer: list[T], source: Iterator[T], random: Words) -> Iterator[T]:
    """Yield elements drawn from a ring buffer, refilled from the source, until the source ends.

    Afterwards `buffer` contains the remaining elements in order.
    """
    size, front = len(buffer), 0
    while size:
        drawn = 0
        for offset in (random.ahead(_AHEAD) % np.uint32(size)).tolist():
            at = front + offset
            if at >= size:
                at -= size
            item = buffer[at]
            buffer[at] = buffer[front]
            drawn += 1
            yield item
            coming = next(source, _NOTHING)
            while coming is NOT_YET:
                yield coming
                coming = next(source, _NOTHING)
            if coming is _NOTHING:
                random.skip(drawn)
                buffer[:] = buffer[front + 1 :] + buffer[:front]
                return
            buffer[front] = coming
            front = front + 1 if front + 1 < size else 0
        random.skip(drawn)


def _drained(buffer: list[T], random: Words) -> Iterator[T]:
    """Yield the elements of a buffer in random order."""
    front, size = 0, len(buffer)
    while front < size:
        left = np.arange(size - front, max(size - front - _AHEAD, 0), -1, dtype=np.uint32)
        for offset in (random.take(len(left)) % left).tolist():
            at = front + offset
            item = buffer[at]
            buffer[at] = buffer[front]
            front += 1
            yield item


class Cache(Selection):
    """The elements of the first complete iteration, cached in memory."""

    name = "_CacheDataset"

    def __init__(self, source: DatasetNode) -> None:
        super().__init__(source)
        self._kept: list[Any] | None = None

    @property
    def table(self) -> RowTable | None:
        """Table of the input. None if elements are computed from rows: their results are cached."""
        table = self.inputs[0].table
        return None if table is None or table.function is not None else table

    @property
    def picks(self) -> Picks | None:
        return None

    def choose(self, run: DatasetRun, items: Callable[[], Iterator[T]]) -> Iterator[T]:
        if self._kept is not None:
            yield from self._kept
            return
        found: list[Any] = []
        for item in items():
            if item is NOT_YET:
                yield item
                continue
            found.append(item)
            yield item
        self._kept = found

    @property
    def cardinality(self) -> int:
        return self.inputs[0].cardinality


class Unchanged(Selection):
    """The same elements, for prefetching and options."""

    def __init__(self, source: DatasetNode, name: str, options: Any = None) -> None:
        super().__init__(source)
        self.name = name
        self.own_options = options

    def choose(self, run: DatasetRun, items: Callable[[], Iterator[T]]) -> Iterator[T]:
        return items()

    @property
    def cardinality(self) -> int:
        return self.inputs[0].cardinality


class AssertCardinality(Selection):
    """The same elements, with a check of their number."""

    name = "_AssertCardinalityDataset"

    def __init__(self, source: DatasetNode, expected: int) -> None:
        super().__init__(source)
        self._expected = expected

    def choose(self, run: DatasetRun, items: Callable[[], Iterator[T]]) -> Iterator[T]:
        found = 0
        for item in items():
            if item is NOT_YET:
                yield item
                continue
            found += 1
            if found > self._expected >= 0:
                raise self._error(f"at least {found}")
            yield item
        if found != self._expected:
            raise self._error(str(found))

    def _error(self, found: str) -> Exception:
        expected = "an infinite number of" if self._expected < 0 else str(self._expected)
        return FailedPreconditionError(
            None,
            "assert_cardinality",
            f"Input dataset was expected to contain {expected} elements but contained {found} "
            "elements.",
        )

    @property
    def cardinality(self) -> int:
        return self._expected
