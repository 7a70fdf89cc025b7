"""Runs: iterations over a dataset, and the iteration primitives of nodes.

Elements of an asynchronous source may not be available yet. Nodes use the same code for them:
instead of a missing element, a node receives `NOT_YET` and passes it on. The consumer awaits the
`fetch` function of the run and then requests the next element again.
"""

from __future__ import annotations

from collections.abc import (
    AsyncIterator,
    Awaitable,
    Callable,
    Generator,
    Iterable,
    Iterator,
    Sequence,
)
from itertools import count, islice
from typing import Any, TypeVar

T = TypeVar("T")


class _NotYet:
    def __repr__(self) -> str:
        return "NOT_YET"


NOT_YET: Any = _NotYet()
"""Placeholder for an element that is not available yet."""

_END: Any = object()


class NotAwaitedError(TypeError):
    """Asynchronous elements were requested by synchronous code."""

    def __init__(self) -> None:
        super().__init__(
            "The elements of this dataset arrive asynchronously (from the network, a file of the "
            "user, or a camera). Use `async for element in dataset`; train with "
            "`await model.fit_async(...)`, `evaluate_async` or `predict_async`."
        )


class DatasetRun:
    """One iteration over a dataset from its start, with the state of nodes during the iteration.

    A node that repeats its input starts the input again within the same run.

    Args:
        seeds: Seeds that an earlier run has drawn. This run repeats it.
    """

    def __init__(self, seeds: Iterable[tuple[int, int]] = ()) -> None:
        self._kept: dict[int, Any] = {}
        self._repeated = iter(seeds)
        self.drawn: list[tuple[int, int]] = []
        """Seeds of the random nodes of this run, in the order in which they were drawn."""

    def keep(self, owner: object, make: Callable[[], T]) -> T:
        """Return the state of an object in this run. `make` creates it at the first call."""
        found: T | None = self._kept.get(id(owner))
        if found is None:
            found = self._kept[id(owner)] = make()
        return found

    def within(self) -> DatasetRun:
        """Return the run of a dataset that is an element of this one."""
        return self._sharing_seeds(DatasetRun())

    def _sharing_seeds(self, inner: T) -> T:
        vars(inner).update(_repeated=self._repeated, drawn=self.drawn)
        return inner

    def seeds(self, draw: Callable[[], tuple[int, int]]) -> tuple[int, int]:
        """Return the next seeds of the run that this one repeats, or draw new ones."""
        found = next(self._repeated, None) or draw()
        self.drawn.append(found)
        return found

    def arriving(self, source: AsyncIterator[T]) -> Iterator[T]:
        """Return an iterator over the items of an asynchronous iterator.

        Raises:
            NotAwaitedError: In a synchronous run.
        """
        raise NotAwaitedError

    def map(self, function: Callable[[Any], T], items: Iterator[Any]) -> Iterator[T]:
        """Apply a function to each item. The iterator can continue after an error."""
        return map(function, items)

    def filter(self, holds: Callable[[Any], Any], items: Iterator[T]) -> Iterator[T]:
        """Keep the items for which a predicate is True."""
        return filter(holds, items)

    def slice(self, items: Iterator[T], start: int, stop: int | None, step: int = 1) -> Iterator[T]:
        """Return the items of a slice. The iterator can continue after an error."""
        return _Slice(items, start, stop, step)

    def zip(self, columns: Sequence[Iterator[T]]) -> Iterator[tuple[T, ...]]:
        """Combine corresponding items, up to the end of the shortest column."""
        return zip(*columns, strict=False)

    def gathered(self, items: Iterator[T], size: int | None) -> Generator[Any, None, list[T]]:
        """Return the next items as a list: `found = yield from run.gathered(items, 8)`."""
        return list(islice(items, size))
        yield  # makes this a generator; it passes no NOT_YET on

    def chunks(self, items: Iterator[T], size: int) -> Iterator[list[T]]:
        """Yield lists of `size` items, fewer at the end. The iterator continues after errors."""
        return _Chunks(items, size)


class Failed:
    """An error in place of an element, which a generator yields so that it can continue."""

    def __init__(self, error: Exception) -> None:
        self.error = error


class Recovering:
    """Items, with errors in place of the items that cannot be computed.

    This is not a generator, because `unittest` clears the frames of expected errors, which would
    end a generator that has caught one.
    """

    def __init__(self, items: Iterator[Any]) -> None:
        self._items = items

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        try:
            return next(self._items)
        except StopIteration:
            raise
        except Exception as error:  # Python functions raise exceptions of any class
            return Failed(error)


class Continuing:
    """The items of a generator. Errors among them are raised, and do not end the generator."""

    def __init__(self, items: Iterator[Any]) -> None:
        self._items = items

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        item = next(self._items)
        if type(item) is Failed:
            raise item.error
        return item


class _Slice:
    """The items of a slice. Unlike `itertools.islice`, it continues after an error."""

    def __init__(self, items: Iterator[Any], start: int, stop: int | None, step: int) -> None:
        self._items = items
        self._wanted = islice(count(), start, stop, step)
        self._next: int | None = next(self._wanted, None)
        self._at = 0

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        if self._next is None:
            self._items = iter(())  # releases a generator of the program
            raise StopIteration
        while self._at < self._next:
            next(self._items)
            self._at += 1
        item = next(self._items)
        self._at += 1
        self._next = next(self._wanted, None)
        return item


class _Chunks:
    def __init__(self, items: Iterator[Any], size: int) -> None:
        self._items, self._size = items, size

    def __iter__(self) -> Iterator[list[Any]]:
        return self

    def __next__(self) -> list[Any]:
        found = list(islice(self._items, self._size))
        if not found:
            raise StopIteration
        return found


class AwaitedRun(DatasetRun):
    """An iteration with a consumer that awaits elements."""

    def __init__(self, outer: AwaitedRun | None = None) -> None:
        super().__init__()
        self._outermost: AwaitedRun = self if outer is None else outer._outermost
        self.fetch: Callable[[], Awaitable[None]]
        """Function of the outermost run to await after `NOT_YET`."""

    async def next(self, items: Iterator[T]) -> T:
        """Return the next item as soon as it is available.

        Raises:
            StopAsyncIteration: If there are no more items.
        """
        while True:
            item = next(items, _END)
            if item is _END:
                raise StopAsyncIteration
            if item is not NOT_YET:
                return item
            await self.fetch()

    def within(self) -> AwaitedRun:
        return self._sharing_seeds(AwaitedRun(self))

    def arriving(self, source: AsyncIterator[T]) -> Iterator[T]:
        return _Arriving(self._outermost, source)

    def map(self, function: Callable[[Any], T], items: Iterator[Any]) -> Iterator[T]:
        def called(item: Any) -> T:
            return item if item is NOT_YET else function(item)

        return map(called, items)

    def filter(self, holds: Callable[[Any], Any], items: Iterator[T]) -> Iterator[T]:
        return filter(lambda item: item is NOT_YET or holds(item), items)

    def slice(self, items: Iterator[T], start: int, stop: int | None, step: int = 1) -> Iterator[T]:
        wanted = islice(count(), start, stop, step)
        at, number = next(wanted, None), 0
        while at is not None:
            item = next(items, _END)
            if item is _END:
                return
            if item is NOT_YET:
                yield item
                continue
            if number == at:
                yield item
                at = next(wanted, None)
            number += 1

    def zip(self, columns: Sequence[Iterator[T]]) -> Iterator[tuple[T, ...]]:
        while True:
            row = []
            for column in columns:
                found = yield from self.gathered(column, 1)
                if not found:
                    return
                row += found
            yield tuple(row)

    def gathered(self, items: Iterator[T], size: int | None) -> Generator[Any, None, list[T]]:
        found: list[T] = []
        while size is None or len(found) < size:
            item = next(items, _END)
            if item is _END:
                break
            if item is NOT_YET:
                yield item
            else:
                found.append(item)
        return found

    def chunks(self, items: Iterator[T], size: int) -> Iterator[list[T]]:
        return _AwaitedChunks(items, size)


class _AwaitedChunks:
    def __init__(self, items: Iterator[Any], size: int) -> None:
        self._items, self._size = items, size
        self._held: list[Any] = []

    def __iter__(self) -> Iterator[list[Any]]:
        return self

    def __next__(self) -> list[Any]:
        found, self._held = self._held, []
        while len(found) < self._size:
            item = next(self._items, _END)
            if item is _END:
                break
            if item is NOT_YET:
                self._held = found
                return NOT_YET
            found.append(item)
        if not found:
            raise StopIteration
        return found


class _Arriving:
    """An asynchronous iterator as an iterator that yields `NOT_YET`. It continues after errors."""

    def __init__(self, run: AwaitedRun, source: AsyncIterator[Any]) -> None:
        self._run, self._source = run, source
        self._item = NOT_YET
        self._error: BaseException | None = None

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        if self._error is not None:
            error, self._error = self._error, None
            try:
                raise error
            finally:
                del error  # its traceback refers to this frame
        item, self._item = self._item, NOT_YET
        if item is _END:
            self._item = item
            raise StopIteration
        if item is NOT_YET:
            self._run.fetch = self._fetch
        return item

    async def _fetch(self) -> None:
        try:
            self._item = await anext(self._source, _END)
        except Exception as error:  # it is raised where the element is requested
            self._error = error
