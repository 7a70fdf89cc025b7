"""The dimensions of a `tf.TensorShape`, and checks of its rank."""

from __future__ import annotations

from typing import Any, Self


class CheckedShape:
    """A shape with checks of its rank, which return the shape or raise an error."""

    __slots__ = ("_dims",)

    _dims: tuple[Any, ...] | None  # ints, and None where a dimension is unknown

    def with_rank_at_least(self, rank: int) -> Self:
        """Return the shape, after checking that its rank is at least `rank`.

        Args:
            rank: Smallest permitted rank.

        Returns:
            The shape itself.

        Raises:
            ValueError: If the rank is smaller.
        """
        fits = self._dims is None or len(self._dims) >= rank
        return self._with(fits, f"must have rank at least {rank}")

    def with_rank_at_most(self, rank: int) -> Self:
        """Return the shape, after checking that its rank is at most `rank`.

        Args:
            rank: Largest permitted rank.

        Returns:
            The shape itself.

        Raises:
            ValueError: If the rank is larger.
        """
        fits = self._dims is None or len(self._dims) <= rank
        return self._with(fits, f"must have rank at most {rank}")

    def _with(self, holds: bool, what: str) -> Self:
        if not holds:
            raise ValueError(f"Shape {self} {what}")
        return self
