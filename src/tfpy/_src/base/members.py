"""The members of public objects that `dir` and the reference list."""

from __future__ import annotations

from typing import ClassVar


class Listed:
    """A base class whose `dir` omits the members that only tfpy uses."""

    __slots__ = ()

    _package_members: ClassVar[frozenset[str]] = frozenset()
    """Members that only tfpy uses, in addition to those of the base classes."""

    def __dir__(self) -> list[str]:
        """Return the names that programs use."""
        return sorted({*object.__dir__(self)} - package_members(type(self)))


def package_members(kind: type) -> set[str]:
    """Return the members of a class that only tfpy uses."""
    classes = (base for base in kind.__mro__ if issubclass(base, Listed))
    return {name for base in classes for name in base._package_members}
