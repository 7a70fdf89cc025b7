"""Sizes of a trace for functions that do not accept every size, such as `tf.reshape(x, [-1, 784])`.

An open size is a prime times a number that the function accepts. If the function accepts one number
only, such as 4 in `x * [1, 2, 3, 4]`, the trace has this size, and the written function fails for
other sizes like the original one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from tfpy._src.base.errors import NotTraceableError, OpError
from tfpy._src.core.tensor_shape import TensorShape
from tfpy._src.functions.tf_function.symbolic_sizes import traced_with_stand_ins

Place = tuple[int, int]
R = TypeVar("R")


@dataclass(frozen=True)
class FittedSizes(Generic[R]):
    """Traces of a function for sizes that it accepts.

    Attributes:
        traces: A trace for each list of primes.
        places: Places of the open sizes.
        primes: Primes of the first trace.
        units: Numbers that divide the sizes.
    """

    traces: tuple[R, R]
    places: tuple[Place, ...]
    primes: tuple[int, ...]
    units: tuple[int, ...]


def fitted(
    shapes: Sequence[TensorShape],
    places: Sequence[Place],
    trace: Callable[[list[tuple[int, ...]]], R],
    primes: Sequence[Sequence[int]],
    differ: Callable[[R, R], bool],
) -> FittedSizes[R] | None:
    """Find sizes that a function accepts, and trace it for them.

    Args:
        shapes: Shapes of the arguments.
        places: Input and axis of each open size.
        trace: Traces the function for sizes.
        primes: Two lists of primes.
        differ: Returns True if two traces compute something else.

    Returns:
        The traces, or None if the function accepts no sizes, or computes something else for a size
        of 1 in place of a size that it requires.
    """
    known = _accepted(shapes, trace)
    if known is None or len(places) > len(primes[0]):
        return None
    units: dict[Place, int] = {}

    def sized(numbers: Sequence[int], changed: dict[Place, int]) -> list[tuple[int, ...]]:
        sizes = {place: known[place[0]][place[1]] for place in places}
        pairs = zip(units.items(), numbers, strict=False)
        sizes |= {place: unit * prime for (place, unit), prime in pairs}
        sizes |= changed
        rows = enumerate(known)
        return [tuple(sizes.get((i, a), n) for a, n in enumerate(row)) for i, row in rows]

    for place in places:
        prime = primes[0][len(units)]
        for unit in (1, known[place[0]][place[1]]):
            if _attempt(trace, sized(primes[0], {place: prime * unit})) is not None:
                units[place] = unit
                break
    found = [_attempt(trace, sized(numbers, {})) for numbers in primes]
    if found[0] is None or found[1] is None:
        return None
    for place in {*places} - {*units}:
        other = _attempt(trace, sized(primes[0], {place: 1}))
        if other is not None and differ(found[0], other):
            return None
    used = tuple(primes[0][: len(units)])
    return FittedSizes((found[0], found[1]), tuple(units), used, tuple(units.values()))


def _accepted(
    shapes: Sequence[TensorShape], trace: Callable[[list[tuple[int, ...]]], Any]
) -> list[tuple[int, ...]] | None:
    """Return sizes that a function accepts, or None."""
    found: list[tuple[int, ...]] = []

    def attempt(sizes: Sequence[tuple[int, ...]]) -> bool:
        trace([tuple(size) for size in sizes])
        found[:] = [tuple(int(n) for n in size) for size in sizes]
        return True

    try:
        traced_with_stand_ins(shapes, attempt)
    except NotTraceableError:
        raise
    except (ValueError, TypeError, OverflowError, OpError):
        return None
    return found


def _attempt(trace: Callable[[list[tuple[int, ...]]], R], sizes: list[tuple[int, ...]]) -> R | None:
    """Return the trace for sizes, or None if the function fails for them."""
    try:
        return trace(sizes)
    except NotTraceableError:
        raise
    except (ValueError, TypeError, OverflowError, OpError):
        return None
