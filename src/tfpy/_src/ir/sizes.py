"""Sizes that the signature of a function leaves open.

A trace is made for actual sizes, but what a program sees of an open one is None, as in TensorFlow.
So an open size is an int that says that it is open, and what is computed of it says so, too: shape
rules and gradients need not know of it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class OpenSize(int):
    """The actual size, in one trace, of a dimension that the signature leaves open.

    It equals the int but has another hash, so that caches keep the two apart.
    """

    __slots__ = ()

    def __hash__(self) -> int:
        return int.__hash__(self) ^ 0x6F70656E


def _open(name: str) -> Callable[..., Any]:
    plain = getattr(int, name)

    def compute(*operands: int) -> Any:
        found = plain(*operands)
        return OpenSize(found) if type(found) is int else found

    return compute


for _name in (
    *("add", "radd", "sub", "rsub", "mul", "rmul", "floordiv", "rfloordiv", "mod", "rmod"),
    *("neg", "pos", "abs"),
):
    setattr(OpenSize, f"__{_name}__", _open(f"__{_name}__"))


def size_of(value: Any) -> int:
    """A number as a size, which stays open."""
    return value if type(value) is OpenSize else int(value)


def either(size: int, *others: int) -> int:
    """A size that is open if one of the others is: they decide what it is."""
    return OpenSize(size) if any(type(n) is OpenSize for n in others) else size


def agreed(*sizes: int) -> int:
    """The size of dimensions that must be equal: known where it is known of one of them."""
    return next((n for n in sizes if type(n) is not OpenSize), sizes[0])


def is_open(value: Any) -> bool:
    """Whether there is an open size in a number or a nest of tuples."""
    if type(value) is tuple:
        return any(map(is_open, value))
    return type(value) is OpenSize


def closed(value: Any) -> Any:
    """A number or a nest of tuples with its actual sizes alone."""
    if type(value) is tuple:
        return tuple(map(closed, value))
    return int(value) if type(value) is OpenSize else value
