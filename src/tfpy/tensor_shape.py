"""``tf.TensorShape``: a tuple of ints that prints as TensorFlow's."""

from __future__ import annotations

import math
from typing import Any


class TensorShape(tuple[int, ...]):
    """A static shape. Compares equal to the tuple or list of its sizes.

    Ragged tensors have None where a dimension has no single size.
    """

    __slots__ = ()

    @property
    def rank(self) -> int:
        """How many dimensions there are."""
        return len(self)

    @property
    def ndims(self) -> int:
        """:attr:`rank`."""
        return len(self)

    @property
    def dims(self) -> tuple[int, ...]:
        """The sizes as a tuple."""
        return tuple(self)

    def as_list(self) -> list[int]:
        """The sizes as a list."""
        return list(self)

    def num_elements(self) -> int | None:
        """The product of the sizes; None where a size is not known."""
        return math.prod(self) if self.is_fully_defined() else None

    def is_fully_defined(self) -> bool:
        """Whether every size is known."""
        return None not in self

    def is_compatible_with(self, other: Any) -> bool:
        """Whether the sizes that both know are equal; None knows nothing."""
        if other is None:
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
        if other is None:
            return self
        other = TensorShape(other)
        if not self.is_compatible_with(other):
            raise ValueError(f"Shapes {self} and {other} are not compatible")
        return TensorShape(m if n is None else n for n, m in zip(self, other, strict=True))

    def concatenate(self, other: Any) -> TensorShape:
        """This shape's sizes, then the other's."""
        return TensorShape((*self, *other))

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

    def __eq__(self, other: object) -> bool:
        return tuple(self) == (tuple(other) if isinstance(other, list) else other)

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
