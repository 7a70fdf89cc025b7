"""`Dimension`: one dimension of a `tf.TensorShape`, which may be unknown."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any


class Dimension:
    """A dimension of a shape, which may be unknown.

    `shape.dims` of a `tf.TensorShape` contains objects of this class. Arithmetic with an unknown
    dimension has an unknown result.

    Args:
        value: A non-negative integer, or None for an unknown dimension.

    Raises:
        ValueError: If the value is negative.
        TypeError: If the value is neither an integer nor None.

    Example:
        >>> import tfpy as tf
        >>> size = tf.compat.v1.Dimension(3)
        >>> size + 2, size * None, size.is_compatible_with(3)
        (Dimension(5), Dimension(None), True)
    """

    __slots__ = ("_value",)

    def __init__(self, value: Any) -> None:
        self._value = known_size(value)

    @property
    def value(self) -> int | None:
        """The dimension as an int, or None if it is unknown."""
        return self._value

    def is_compatible_with(self, other: Any) -> bool:
        """Return True if both dimensions are equal or at least one of them is unknown.

        Args:
            other: Integer, Dimension or None.

        Returns:
            A bool.
        """
        other = as_dimension(other)
        return self._value is None or other.value is None or self._value == other.value

    def assert_is_compatible_with(self, other: Any) -> None:
        """Raise an error if both dimensions are known and differ.

        Args:
            other: Integer, Dimension or None.

        Raises:
            ValueError: If the dimensions are not compatible.
        """
        if not self.is_compatible_with(other):
            raise ValueError(f"Dimensions {self} and {other} are not compatible")

    def merge_with(self, other: Any) -> Dimension:
        """Return this dimension if it is known, and `other` otherwise.

        Args:
            other: Integer, Dimension or None.

        Returns:
            A Dimension.

        Raises:
            ValueError: If both dimensions are known and differ.
        """
        self.assert_is_compatible_with(other)
        return as_dimension(other) if self._value is None else self

    def __index__(self) -> Any:
        return self._value  # for None, Python's TypeError

    __int__ = __index__

    def __bool__(self) -> bool:
        return bool(self._value)

    def __truediv__(self, other: Any) -> Any:
        raise TypeError(
            f"unsupported operand type(s) for /: 'Dimension' and '{type(other).__name__}', please "
            "use // instead"
        )

    def __rtruediv__(self, other: Any) -> Any:
        raise TypeError(
            f"unsupported operand type(s) for /: '{type(other).__name__}' and 'Dimension', please "
            "use // instead"
        )

    def __reduce__(self) -> Any:
        return Dimension, (self._value,)

    def __repr__(self) -> str:
        return f"Dimension({self._value!r})"

    def __str__(self) -> str:
        return "?" if self._value is None else str(self._value)


def as_dimension(value: Any) -> Dimension:
    """Convert an integer, None or a Dimension to a Dimension."""
    return value if isinstance(value, Dimension) else Dimension(value)


def known_size(value: Any) -> int | None:
    """Return a dimension as an int, or None if it is unknown."""
    if isinstance(value, Dimension):
        return value.value
    if value is None:
        return None
    try:
        found = operator.index(value)
    except TypeError:
        raise TypeError(
            "Dimension value must be integer or None or have an __index__ method, got value "
            f"'{value!r}' with type '{type(value)!r}'"
        ) from None
    if found < 0:
        raise ValueError(f"Dimension {found} must be >= 0")
    return found


def _method(function: Callable[[int, int], Any], kind: Callable[[Any], Any], flip: bool) -> Any:
    """Return a method that computes with two dimensions.

    The result is None or an unknown Dimension if a dimension is unknown.
    """

    def method(self: Dimension, other: Any) -> Any:
        try:
            mine, theirs = self.value, as_dimension(other).value
        except (TypeError, ValueError):
            return NotImplemented
        if mine is None or theirs is None:
            return kind(None)
        return kind(function(theirs, mine) if flip else function(mine, theirs))

    return method


for _name in ("eq", "ne", "lt", "le", "gt", "ge"):
    setattr(
        Dimension, f"__{_name}__", _method(getattr(operator, _name), lambda found: found, False)
    )
for _name in ("add", "sub", "mul", "floordiv", "mod"):
    _function = getattr(operator, _name)
    setattr(Dimension, f"__{_name}__", _method(_function, Dimension, False))
    setattr(Dimension, f"__r{_name}__", _method(_function, Dimension, True))
Dimension.__hash__ = None  # type: ignore[assignment]
