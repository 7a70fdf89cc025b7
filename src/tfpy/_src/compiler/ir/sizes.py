"""Sizes that the signature of a function leaves open.

A trace is made for actual sizes, but a program sees None for an open size, as in TensorFlow. So an
open size is an `int` that is marked as open, and results computed from it are marked as well. Shape
rules and gradients need no special cases.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from typing import Any, ClassVar

from tfpy._src.base.source_locations import Line, lines_of, outside_of_tfpy


class OpenSize(int):
    """The actual size, in one trace, of a dimension that the signature leaves open.

    It equals the int but has another hash, so that caches distinguish the two.
    """

    __slots__ = ()

    def __hash__(self) -> int:
        return int.__hash__(self) ^ 0x6F70656E

    def __mod__(self, other: int) -> int:
        rest = int.__mod__(self, other)
        if Misfits.noting is not None and rest:
            Misfits.noting.note((int(self), int(self) * int(other)))
        return rest if rest is NotImplemented else OpenSize(rest)


class UnrankedSize(OpenSize):
    """An open size of a tensor with an open rank."""

    __slots__ = ()

    def __hash__(self) -> int:
        return ~super().__hash__()


class UnrankedScalar(tuple[int, ...]):
    """The shape of a scalar with an open rank. It equals () but has another hash, as open sizes."""

    __slots__ = ()

    def __hash__(self) -> int:
        return ~super().__hash__()


_SCALAR = UnrankedScalar()


class Misfits:
    """A context that records the comparisons in which an open size differs."""

    noting: ClassVar[Misfits | None] = None

    def __init__(self) -> None:
        self.pairs: list[tuple[int, Any]] = []
        """Pairs of a size and its expected value."""
        self._lines: set[Line | None] = set()
        """Lines that called tfpy for the comparisons since the last equation was traced."""

    def __enter__(self) -> Misfits:
        self._outer, Misfits.noting = Misfits.noting, self
        return self

    def __exit__(self, *_: object) -> None:
        Misfits.noting = self._outer
        if self._outer is not None:
            self._outer.pairs += self.pairs
            self._outer._lines |= self._lines

    def note(self, pair: tuple[int, Any]) -> None:
        """Record a comparison."""
        self.pairs.append(pair)
        self._lines.add(outside_of_tfpy())

    def explains(self, error: BaseException) -> bool:
        """Return True if an error was raised by a call of tfpy that made one of the comparisons.

        Errors that Keras or the program itself raises are about something else: they see None for
        an open size.
        """
        return any(line in self._lines for line in lines_of(error))

    @classmethod
    def settle(cls) -> None:
        """Mark an equation as traced: the comparisons before it had no effect."""
        if cls.noting is not None:
            cls.noting._lines.clear()


def _open(name: str) -> Callable[..., Any]:
    plain = getattr(int, name)

    def compute(*operands: int) -> Any:
        found = plain(*operands)
        return OpenSize(found) if type(found) is int else found

    return compute


def _compared(name: str) -> Callable[..., bool]:
    plain = getattr(int, name)

    def compare(size: int, other: Any) -> bool:
        if Misfits.noting is not None and int.__eq__(size, other) is False:
            Misfits.noting.note((int(size), other))
            if isinstance(other, OpenSize):
                Misfits.noting.note((int(other), size))
        found: bool = plain(size, other)
        return found

    return compare


for _name in ("eq", "ne", "lt", "le", "gt", "ge"):
    setattr(OpenSize, f"__{_name}__", _compared(f"__{_name}__"))
for _name in (
    *("add", "radd", "sub", "rsub", "mul", "rmul", "floordiv", "rfloordiv", "rmod"),
    *("neg", "pos", "abs"),
):
    setattr(OpenSize, f"__{_name}__", _open(f"__{_name}__"))


def size_of(value: Any) -> int:
    """Convert a number to a size; an open size stays open.

    Raises:
        TypeError: If the value is not an integer.
    """
    if isinstance(value, OpenSize):
        return value
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(f"sizes, axes and counts are integers, got {value!r}") from None


def unranked(shape: Iterable[int]) -> tuple[int, ...]:
    """Return a shape with an open number of dimensions."""
    return tuple(map(UnrankedSize, shape)) or _SCALAR


def is_unranked(shape: tuple[int, ...]) -> bool:
    """Return True if the number of dimensions is open."""
    return shape is _SCALAR or UnrankedSize in map(type, shape)


def either(size: int, *others: int) -> int:
    """Return the size, as an open size if one of the others is open."""
    return OpenSize(size) if any(isinstance(n, OpenSize) for n in others) else size


def agreed(*sizes: int) -> int:
    """Return the size of dimensions that must be equal: a known one if there is one."""
    return next((n for n in sizes if not isinstance(n, OpenSize)), sizes[0])


def is_open(value: Any) -> bool:
    """Return True if a number or a nest of tuples contains an open size."""
    if type(value) is tuple:
        return any(map(is_open, value))
    return isinstance(value, OpenSize | UnrankedScalar)


def closed(value: Any) -> Any:
    """Return a number or a nest of tuples with actual sizes only."""
    if type(value) is tuple:
        return tuple(map(closed, value))
    if value is _SCALAR:
        return ()
    return int(value) if isinstance(value, OpenSize) else value
