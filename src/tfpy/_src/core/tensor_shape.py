"""``tf.TensorShape``: a tuple of ints that prints as TensorFlow's."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any, NoReturn

from tfpy._src.core.dimension import Dimension, known_size


class TensorShape(tuple[int, ...]):
    """A static shape. Compares equal to the tuple or list of its sizes.

    Ragged tensors have None where a dimension has no single size.

    Args:
        dims: sizes, one size, or None for a shape of unknown rank.

    Raises:
        ValueError: for a size below 0.
        TypeError: for what is no size.

    Example:
        >>> import tfpy as tf
        >>> shape = tf.TensorShape([None, 3])
        >>> shape.rank, shape.is_fully_defined(), shape.is_compatible_with([8, 3])
        (2, False, True)
        >>> shape.merge_with([8, None])
        TensorShape([8, 3])
    """

    __slots__ = ()

    def __new__(cls, dims: Any) -> TensorShape:
        if dims is None:
            return tuple.__new__(_UnknownShape, ())
        if isinstance(dims, TensorShape):
            return dims
        one = isinstance(dims, Dimension) or (
            hasattr(dims, "__index__") and not hasattr(dims, "__iter__")
        )
        return tuple.__new__(cls, map(known_size, [dims] if one else dims))

    @property
    def rank(self) -> int | None:
        """How many dimensions there are; None if unknown."""
        return len(self)

    @property
    def ndims(self) -> int | None:
        """:attr:`rank`."""
        return self.rank

    @property
    def dims(self) -> list[Dimension] | None:
        """The sizes as Dimensions; None if the rank is unknown."""
        return [Dimension(n) for n in self]

    def as_list(self) -> list[int]:
        """The sizes as a list."""
        return list(self)

    def num_elements(self) -> int | None:
        """The product of the sizes; None where a size is not known."""
        return prod(self) if self.is_fully_defined() else None

    def is_fully_defined(self) -> bool:
        """Whether every size is known."""
        return None not in self

    def is_compatible_with(self, other: Any) -> bool:
        """Whether the sizes that both know are equal; None knows nothing."""
        other = TensorShape(other)
        if other.rank is None:
            return True
        return len(self) == len(other) and all(
            n is None or m is None or n == m for n, m in zip(self, other, strict=True)
        )

    def assert_is_compatible_with(self, other: Any) -> None:
        """Raises a ValueError unless :meth:`is_compatible_with` holds."""
        if not self.is_compatible_with(other):
            raise ValueError(f"Shapes {self} and {other} are incompatible")

    def merge_with(self, other: Any) -> TensorShape:
        """What both know together.

        Raises:
            ValueError: when they are not compatible.
        """
        other = TensorShape(other)
        if other.rank is None:
            return self
        if not self.is_compatible_with(other):
            raise ValueError(f"Shapes {self} and {other} are not compatible")
        return TensorShape(m if n is None else n for n, m in zip(self, other, strict=True))

    def concatenate(self, other: Any) -> TensorShape:
        """This shape's sizes, then the other's."""
        other = TensorShape(other)
        return other if other.rank is None else TensorShape((*self, *other))

    def is_subtype_of(self, other: Any) -> bool:
        """Whether every shape that fits this one fits the other."""
        return other.rank is None or (
            len(self) == len(other)
            and all(m in (None, n) for n, m in zip(self, other, strict=True))
        )

    def most_specific_compatible_shape(self, other: Any) -> TensorShape:
        """The sizes in which both agree, None for the others."""
        other = TensorShape(other)
        if other.rank != self.rank:
            return TensorShape(None)
        return TensorShape(n if n == m else None for n, m in zip(self, other, strict=True))

    def with_rank(self, rank: int) -> TensorShape:
        """The shape itself; a ValueError when it has another rank."""
        return self._with(len(self) == rank, f"must have rank {rank}")

    def with_rank_at_least(self, rank: int) -> TensorShape:
        """The shape itself; a ValueError when its rank is smaller."""
        return self._with(len(self) >= rank, f"must have rank at least {rank}")

    def with_rank_at_most(self, rank: int) -> TensorShape:
        """The shape itself; a ValueError when its rank is larger."""
        return self._with(len(self) <= rank, f"must have rank at most {rank}")

    def assert_has_rank(self, rank: int) -> None:
        """Raises a ValueError when the shape has another rank."""
        self.with_rank(rank)

    def assert_same_rank(self, other: Any) -> None:
        """Raises a ValueError when the ranks differ."""
        if len(self) != len(other):
            raise ValueError(f"Shapes {self} and {TensorShape(other)} must have the same rank")

    def assert_is_fully_defined(self) -> None:
        """Raises a ValueError when a size is None."""
        self._with(self.is_fully_defined(), "is not fully defined")

    def _with(self, holds: bool, what: str) -> TensorShape:
        if not holds:
            raise ValueError(f"Shape {self} {what}")
        return self

    def __bool__(self) -> bool:
        """Whether the rank is known."""
        return True

    def __eq__(self, other: object) -> bool:
        """Whether the other is, or says, the same sizes."""
        if isinstance(other, tuple):
            return tuple.__eq__(self, other) and not isinstance(other, _UnknownShape)
        try:
            return self == TensorShape(other)
        except (TypeError, ValueError):
            return False

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = tuple.__hash__

    def __add__(self, other):  # type: ignore[no-untyped-def]
        return self.concatenate(other)

    def __radd__(self, other):  # type: ignore[no-untyped-def]
        return TensorShape((*other, *self))

    def __getitem__(self, key):  # type: ignore[no-untyped-def]
        item = tuple.__getitem__(self, key)
        return TensorShape(item) if isinstance(key, slice) else item

    def __repr__(self) -> str:
        return f"TensorShape([{', '.join(map(str, self))}])"

    def __str__(self) -> str:
        return tuple.__repr__(self)


def known_shape(sizes: tuple[int | None, ...]) -> TensorShape:
    """The shape of these sizes, which are known to be right."""
    return tuple.__new__(TensorShape, sizes)


class _UnknownShape(TensorShape):
    """``TensorShape(None)``."""

    __slots__ = ()

    @property
    def rank(self) -> None:
        return None

    @property
    def dims(self) -> None:
        return None

    def _refuse(self, what: str) -> NoReturn:
        raise ValueError(f"{what} a shape with unknown rank.")

    def as_list(self) -> NoReturn:
        raise ValueError("as_list() is not defined on an unknown TensorShape.")

    def num_elements(self) -> None:
        return None

    def is_fully_defined(self) -> bool:
        return False

    def is_compatible_with(self, other: Any) -> bool:
        return True

    def is_subtype_of(self, other: Any) -> bool:
        return other.rank is None

    def most_specific_compatible_shape(self, other: Any) -> TensorShape:
        return self

    def merge_with(self, other: Any) -> TensorShape:
        return TensorShape(other)

    def concatenate(self, other: Any) -> TensorShape:
        return self

    def __len__(self) -> int:
        self._refuse("Cannot take the length of")

    def __iter__(self) -> Iterator[int]:
        self._refuse("Cannot iterate over")

    def __bool__(self) -> bool:
        return False

    def __getitem__(self, key):  # type: ignore[no-untyped-def]
        """Of a slice with both ends, the rank is known."""
        if not isinstance(key, slice):
            return None
        start, stop = key.start or 0, key.stop
        if stop is None or start < 0 or stop < 0:
            return self
        return TensorShape([None] * max(stop - start, 0))

    def __eq__(self, other: object) -> bool:
        return other is None or isinstance(other, _UnknownShape)

    __hash__ = tuple.__hash__

    def __reduce__(self) -> Any:
        return TensorShape, (None,)

    def __repr__(self) -> str:
        return "TensorShape(None)"

    def __str__(self) -> str:
        return "<unknown>"
