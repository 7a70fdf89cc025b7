"""Substitutes for open sizes, with which a function is traced before its first call."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from tfpy._src.base.errors import OpError
from tfpy._src.compiler.ir.sizes import Misfits
from tfpy._src.core.tensor_shape import TensorShape

R = TypeVar("R")

_SIZE = 240  # has many divisors, and is large enough for windows and strides
_UNIT = 24  # multiplied by different primes where groups of sizes must be distinguished
_RANKS = (2, 3, 4, 1, 0)  # replacements for an unknown rank, in the order of trial
_TRIALS = 32


def traced_with_stand_ins(
    shapes: Sequence[TensorShape], trace: Callable[[Sequence[tuple[int, ...]]], R]
) -> R:
    """Trace a function for sizes that it accepts.

    If the function compares an open size with another size and then raises, the next trial uses
    that other size.

    Raises:
        Exception: If no sizes helped. This is the first error that the function raised.
    """
    count = sum(shape.rank is None for shape in shapes)
    first: Exception | None = None
    for ranks in _ranks(count):
        own = iter(ranks)
        sizes = _Sizes([[None] * next(own) if s.rank is None else s.as_list() for s in shapes])
        for _ in range(_TRIALS):
            try:
                with Misfits() as misfits:
                    return trace(sizes.shapes)
            except (ValueError, TypeError, OverflowError, OpError) as error:
                first = first or error
                if not sizes.learn(misfits):
                    break
    assert first is not None
    raise first


def _ranks(count: int) -> Iterator[tuple[int, ...]]:
    """Yield ranks for inputs of unknown rank: equal ones, and then different ones of two inputs."""
    for rank in _RANKS if count else _RANKS[:1]:
        yield (rank,) * count
    if count == 2:
        yield from itertools.permutations(_RANKS, 2)


Place = tuple[int, int]  # number of the shape, axis


class _Sizes:
    """The sizes that replace the open sizes of some shapes."""

    def __init__(self, patterns: Sequence[Sequence[int | None]]) -> None:
        self._patterns = patterns
        self._known = {
            (i, axis): n for i, pattern in enumerate(patterns) for axis, n in enumerate(pattern)
        }
        self._groups = [[place] for place, n in self._known.items() if n is None]
        """Places of unknown sizes, grouped by equal size."""
        self._present = [_SIZE] * len(self._groups)
        """Current size of each group. Different sizes reveal the group on which a size depends."""

    @property
    def shapes(self) -> list[tuple[int, ...]]:
        sizes = {place: n for place, n in self._known.items() if n is not None}
        for number, group in enumerate(self._groups):
            sizes.update(dict.fromkeys(group, self._present[number]))
        return [
            tuple(sizes[i, axis] for axis in range(len(pattern)))
            for i, pattern in enumerate(self._patterns)
        ]

    def learn(self, misfits: Misfits) -> bool:
        """Adopt sizes from the last comparisons. Return True if another trial may succeed."""
        return any(self._takes(size, wanted) for size, wanted in reversed(misfits.pairs))

    def _takes(self, size: int, wanted: int) -> bool:
        """Make `size` equal `wanted` if it depends on an unknown size. Return True on success."""
        present = self._present
        fitting = [_scaled(n, size, wanted) for n in present]
        exact = [number for number, n in enumerate(present) if n == size and fitting[number]]
        found = exact or [number for number, n in enumerate(fitting) if n]
        if len(found) > 1 and len(set(present)) == 1:
            self._present = [_UNIT * prime for prime in _primes(len(present))]
            return True
        if not found:
            return False
        group = self._groups.pop(found[0])
        own, becomes = present.pop(found[0]), fitting[found[0]]
        if exact and wanted != own and wanted in present:
            self._groups[present.index(wanted)] += group
        else:
            self._known.update(dict.fromkeys(group, becomes))
        return True


def _primes(count: int) -> list[int]:
    """Return this number of primes, starting from 7."""
    found: list[int] = []
    number = 7
    while len(found) < count:
        if all(number % prime for prime in (2, 3, 5, *found)):
            found.append(number)
        number += 1
    return found


def _scaled(present: int, size: int, wanted: int) -> int:
    """Return the substitute that turns `size`, a multiple of `present`, into `wanted`, or 0."""
    if not isinstance(wanted, int) or wanted < 1 or not size or not present:
        return 0
    if size % present or present * wanted % size:
        return 0
    return int(present * wanted // size)
