"""Open sizes of a signature, which are recovered from two traces.

A trace contains actual sizes only. So the function is traced for sizes that are primes and do not
occur elsewhere. Each size in the trace is then a number times a product of these primes, which
expresses it by the sizes of the inputs. A second trace with other primes verifies the result. A
third trace with small sizes finds functions whose Python code decides by a size what to compute.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from tfpy._src.base.errors import NotTraceableError, OpError
from tfpy._src.compiler.ir.aval import Array, Aval
from tfpy._src.compiler.ir.graph import Eqn, Graph
from tfpy._src.compiler.ir.sizes import OpenSize
from tfpy._src.core.tensor_shape import TensorShape
from tfpy._src.formats.graph_writing.fitted_sizes import fitted

_PRIMES = ((211, 223, 227, 229, 233, 239), (241, 251, 257, 263, 269, 271))
_SMALL = (2, 3, 5, 7, 11, 13)

Place = tuple[int, int]
"""The number of an input, and an axis of it."""
Pattern = Sequence[Sequence[int | None]]
R = TypeVar("R")


class OpenSizeError(ValueError):
    """An error for a graph that would be valid for the sizes of the trace only."""


@dataclass(frozen=True)
class SizeProduct:
    """A number times powers of the open sizes."""

    factor: int
    powers: tuple[int, ...]


@dataclass(frozen=True)
class OpenSizes:
    """The open sizes of a trace.

    Attributes:
        sizes: Actual sizes in the place of the open ones.
        places: Input and axis of each size.
        units: Numbers that divide the actual sizes, if there are any. Such a size is a prime times
            its unit.
        scaled: Constants that hold for this trace only, by number of the value in the Graph. Each
            is a number times a size, or divided by it (e.g. in a mean over a batch).
    """

    sizes: tuple[int, ...] = ()
    places: tuple[Place, ...] = ()
    scaled: Mapping[int, tuple[Array, SizeProduct, bool]] | None = None
    units: tuple[int, ...] = ()

    def product(self, size: int) -> SizeProduct | None:
        """Express an open size by the sizes of the inputs. The result is None for a known size.

        Raises:
            OpenSizeError: If it is not a product of sizes of the inputs.
        """
        if not isinstance(size, OpenSize):
            return None
        factor, powers = _factors(int(size), self.sizes)
        if not any(powers):
            raise OpenSizeError(
                "a size is neither known nor a product of open sizes of the inputs. Give the "
                "signature whole shapes"
            )
        unit = math.prod(u**n for u, n in zip(self.units, powers, strict=False))
        if factor % unit:
            raise OpenSizeError(
                "a size is a quotient of open sizes. Give the signature whole shapes"
            )
        return SizeProduct(factor // unit, powers)


def _factors(number: int, primes: Sequence[int]) -> tuple[int, tuple[int, ...]]:
    powers = []
    for prime in primes:
        power = 0
        while number and number % prime == 0:
            number, power = number // prime, power + 1
        powers.append(power)
    return number, tuple(powers)


def traced(
    shapes: Sequence[TensorShape],
    trace: Callable[[list[tuple[int, ...]]], R],
    differ: Callable[[R, R], bool],
) -> tuple[R, R | None, R | None, OpenSizes]:
    """Trace a function with actual sizes in the place of open ones.

    At first, the open sizes are assumed to be independent. If this fails, the first axes
    are assumed to be equal, and then all of them. Then multiples of sizes are tried that the
    function accepts.

    Args:
        shapes: Shapes of the arguments.
        trace: Traces the function for sizes.
        differ: Returns True if two traces compute something else.

    Returns:
        The trace, a second trace (None if no size is open), a third trace with small sizes (None if
        no size is open, or if the function fails for such sizes), and the sizes of the first trace.

    Raises:
        OpenSizeError: If the rank of an input is unknown.
        Exception: If the function raises it.
    """
    if any(shape.rank is None for shape in shapes):
        raise OpenSizeError("the rank of an input must be known. Pass a tf.TensorSpec with a shape")
    patterns: list[list[int | None]] = [list(shape.as_list()) for shape in shapes]
    places = [(i, a) for i, p in enumerate(patterns) for a, n in enumerate(p) if n is None]
    if not places:
        return trace(_filled(patterns, {}, ())), None, None, OpenSizes()
    first: Exception | None = None
    for group in _groupings(places):
        count = max(group.values()) + 1
        if count > len(_PRIMES[0]):
            continue
        try:
            found = [trace(_filled(patterns, group, primes)) for primes in _PRIMES]
        except NotTraceableError:
            raise
        except (ValueError, TypeError, OpError) as error:
            first = first or error
            continue
        leaders = [next(p for p in places if group[p] == i) for i in range(count)]
        small = _attempt(trace, _filled(patterns, group, _SMALL))
        return found[0], found[1], small, OpenSizes(_PRIMES[0][:count], tuple(leaders))
    if first is None:
        raise OpenSizeError(f"at most {len(_PRIMES[0])} sizes may be open")
    fitting = fitted(shapes, places, trace, _PRIMES, differ)
    if fitting is None:
        raise first
    one, two = fitting.traces
    if not fitting.places:
        return one, None, None, OpenSizes()
    return one, two, None, OpenSizes(fitting.primes, fitting.places, None, fitting.units)


def _attempt(trace: Callable[[list[tuple[int, ...]]], R], sizes: list[tuple[int, ...]]) -> R | None:
    """Return the trace for sizes, or None if the function fails for them."""
    try:
        return trace(sizes)
    except (ValueError, TypeError, OpError):
        return None


def _groupings(places: Sequence[Place]) -> Iterator[dict[Place, int]]:
    """Yield the ways to group the open sizes, from independent to equal."""
    yield {place: i for i, place in enumerate(places)}
    if sum(axis == 0 for _, axis in places) > 1:
        count = itertools.count(1)
        yield {place: 0 if place[1] == 0 else next(count) for place in places}
    if len(places) > 1:
        yield dict.fromkeys(places, 0)


def _filled(
    patterns: Pattern, group: Mapping[Place, int], primes: Sequence[int]
) -> list[tuple[int, ...]]:
    return [
        tuple(primes[group[i, a]] if n is None else n for a, n in enumerate(p))
        for i, p in enumerate(patterns)
    ]


def checked(
    graph: Graph, other: Graph, sizes: OpenSizes, captured: Mapping[int, tuple[Array, Array]]
) -> OpenSizes:
    """Verify that two traces are equal except for sizes, and find constants that depend on sizes.

    Args:
        graph: Graph of the first trace.
        other: Graph of the second trace.
        sizes: Sizes of the first trace.
        captured: Values that the two traces captured, by number of the value in the Graph.

    Returns:
        The sizes, with the constants that depend on them.

    Raises:
        OpenSizeError: If the traces differ in more than sizes.
    """
    pair = _Pair(sizes.sizes, _PRIMES[1][: len(sizes.sizes)], sizes.units)
    scaled = pair.compared(graph, other) | pair.scaled(captured)
    return OpenSizes(sizes.sizes, sizes.places, scaled, sizes.units)


def check_small(graph: Graph, small: Graph) -> None:
    """Verify that a trace with small sizes has the same ops.

    Raises:
        OpenSizeError: If it has other ops.
    """
    if [eqn.op for eqn in graph.eqns] != [eqn.op for eqn in small.eqns]:
        raise OpenSizeError(
            "the function computes different ops for small and for large open sizes, but a file "
            "contains only one of them. Give the signature whole shapes, or write the function "
            "without conditions on tf.shape"
        )


def computes_otherwise(graph: Graph, other: Graph) -> bool:
    """Return True if two Graphs differ in more than the shapes of their values."""
    if len(graph.eqns) != len(other.eqns) or {*graph.constants} != {*other.constants}:
        return True
    pairs = zip(graph.eqns, other.eqns, strict=True)
    same = all(a.op is b.op and a.inputs == b.inputs and a.attrs == b.attrs for a, b in pairs)
    return not same or any(not _same(x, other.constants[i]) for i, x in graph.constants.items())


class _Pair:
    """A comparison of a trace with a trace for other sizes."""

    def __init__(
        self, primes: Sequence[int], others: Sequence[int], units: Sequence[int] = ()
    ) -> None:
        self._primes, self._others = primes, others
        self._units = units or (1,) * len(primes)

    def compared(self, a: Graph, b: Graph) -> dict[int, tuple[Array, SizeProduct, bool]]:
        """Compare two Graphs and return the constants that are scaled by sizes."""
        if len(a.eqns) != len(b.eqns):
            raise OpenSizeError("the function computes different ops for different sizes")
        for first, second in zip(a.eqns, b.eqns, strict=True):
            self._equation(first, second)
            if first.op.name == "strided_slice":
                pairs = ((g.avals[e.inputs[0]].shape, dict(e.attrs)) for g, e in
                         ((a, first), (b, second)))  # fmt: skip
                one, two = (edges(shape, **attrs) for shape, attrs in pairs)
                if one != two:
                    raise OpenSizeError(
                        "the bounds of a slice depend on an open size in an unsupported way"
                    )
        if set(a.constants) != set(b.constants):
            raise OpenSizeError("the function's constants depend on open sizes")
        return self.scaled({value: (x, b.constants[value]) for value, x in a.constants.items()})

    def scaled(
        self, pairs: Mapping[int, tuple[Array, Array]]
    ) -> dict[int, tuple[Array, SizeProduct, bool]]:
        """Return the scaling of the arrays that differ between the traces."""
        return {value: self._scale(a, b) for value, (a, b) in pairs.items() if not _same(a, b)}

    def _equation(self, a: Eqn, b: Eqn) -> None:
        same = a.op is b.op and a.inputs == b.inputs and a.outputs == b.outputs
        slicing = a.op.name == "strided_slice"
        if not same or not (slicing or self._alike(dict(a.attrs), dict(b.attrs))):
            raise OpenSizeError(f"{a.op.name} depends on an open size")

    def _alike(self, a: Any, b: Any) -> bool:
        if isinstance(a, Graph) and isinstance(b, Graph):
            if self.compared(a, b):
                raise OpenSizeError("a constant of control flow depends on an open size")
            return True
        if isinstance(a, dict) and isinstance(b, dict):
            return a.keys() == b.keys() and all(self._alike(a[k], b[k]) for k in a)
        if isinstance(a, tuple) and isinstance(b, tuple):
            return len(a) == len(b) and all(map(self._alike, a, b))
        if isinstance(a, Aval) and isinstance(b, Aval):
            return a.dtype == b.dtype and self._alike(a.shape, b.shape)
        if isinstance(a, Exception):  # a custom gradient that cannot be traced
            return type(a) is type(b)
        if isinstance(a, OpenSize) and isinstance(b, OpenSize):
            one, two = _factors(int(a), self._primes), _factors(int(b), self._others)
            return one == two or not any((*one[1], *two[1]))  # a size without primes is not used
        return bool(a == b)

    def _scale(self, a: Array, b: Array) -> tuple[Array, SizeProduct, bool]:
        """Express a constant as a number times a size, or divided by it."""
        if a.shape == b.shape == () and a.dtype.kind in "fi":
            for index, (prime, other) in enumerate(zip(self._primes, self._others, strict=True)):
                powers = tuple(int(i == index) for i in range(len(self._primes)))
                unit = self._units[index]
                for divided in (True, False):
                    one = _unscaled(a, prime * unit, divided)
                    two = _unscaled(b, other * unit, divided)
                    if np.isclose(one, two, rtol=1e-6, atol=0):
                        return np.asarray(one, a.dtype), SizeProduct(1, powers), divided
        raise OpenSizeError(
            "a constant depends on an open size. Give the signature whole shapes, or compute it "
            "with tf.shape"
        )


def _unscaled(number: Array, size: int, divided: bool) -> float:
    return float(number) * size if divided else float(number) / size


def _same(a: Array, b: Array) -> bool:
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    return a.tobytes() == b.tobytes() if a.dtype != object else bool((a == b).all())


Edge = tuple[int, int | None]


def edges(
    shape: Sequence[int], begin: Sequence[int], size: Sequence[int], strides: Sequence[int]
) -> list[Edge]:
    """Return the bounds of slices in Python's notation, so that they hold for other sizes.

    Negative bounds count from the end. An end of None includes the rest.
    """
    return [
        _edge(n, first, count, stride)
        for n, first, count, stride in zip(shape, begin, size, strides, strict=True)
    ]


def _edge(n: int, first: int, count: int, stride: int) -> Edge:
    end = first + count * stride
    whole = end >= n if stride > 0 else end < 0
    return _from_either_end(n, first), None if whole else _from_either_end(n, end)


def _from_either_end(n: int, place: int) -> int:
    is_far = isinstance(n, OpenSize) and place > n // 2
    return int(place) - int(n) if is_far else int(place)
