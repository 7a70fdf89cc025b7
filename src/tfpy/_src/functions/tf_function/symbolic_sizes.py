"""Sizes that stand in for open ones, to trace a function before it is called."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from tfpy._src.base.errors import OpError
from tfpy._src.compiler.ir.sizes import Misfits
from tfpy._src.core.tensor_shape import TensorShape

R = TypeVar("R")

_SIZE = 240  # divisible by much, and large enough for windows and strides
_UNIT = 24  # sizes that tell groups apart are its product with different primes
_RANKS = (2, 3, 4, 1, 0)  # that stand in for an unknown one, in the order of trial
_TRIALS = 32


def traced_with_stand_ins(
    shapes: Sequence[TensorShape], trace: Callable[[Sequence[tuple[int, ...]]], R]
) -> R:
    """A trace for sizes that the function takes.

    Where it compares an open size with another one and then raises, the next trial takes that one.

    Raises:
        Exception: what the function raised, when no sizes helped.
    """
    ranks = _RANKS if any(shape.rank is None for shape in shapes) else _RANKS[:1]
    first: Exception | None = None
    for rank in ranks:
        sizes = _Sizes([[None] * rank if s.rank is None else s.as_list() for s in shapes])
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


Place = tuple[int, int]  # which shape, which axis


class _Sizes:
    """What stands in for each open size of some shapes."""

    def __init__(self, patterns: Sequence[Sequence[int | None]]) -> None:
        self._patterns = patterns
        self._known = {
            (i, axis): n for i, pattern in enumerate(patterns) for axis, n in enumerate(pattern)
        }
        self._groups = [[place] for place, n in self._known.items() if n is None]
        """The places of sizes that are not known yet, those together that are equal."""
        self._present = [_SIZE] * len(self._groups)
        """The size of each group; different ones show which group a size is made of."""

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
        """Whether other sizes may help: what the last comparisons wanted."""
        return any(self._takes(size, wanted) for size, wanted in reversed(misfits.pairs))

    def _takes(self, size: int, wanted: int) -> bool:
        """Sees to it that ``size`` becomes ``wanted``, if it is made of one that is not known."""
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
    """Return that many primes from 7 on."""
    found: list[int] = []
    number = 7
    while len(found) < count:
        if all(number % prime for prime in (2, 3, 5, *found)):
            found.append(number)
        number += 1
    return found


def _scaled(present: int, size: int, wanted: int) -> int:
    """With which ``size``, a multiple of the present one, would be ``wanted``; 0 for none."""
    if not isinstance(wanted, int) or wanted < 1 or size % present or present * wanted % size:
        return 0
    return int(present * wanted // size)
