"""The checks of the rank of a `tf.TensorShape`."""

from __future__ import annotations

from typing import Self


class CheckedShape(tuple[int, ...]):
    """A shape with checks of its rank, which return the shape or raise an error."""

    __slots__ = ()

    def with_rank(self, rank: int) -> Self:
        """Return the shape, after checking that it has the given rank.

        Args:
            rank: Required rank.

        Returns:
            The shape itself.

        Raises:
            ValueError: If the rank differs.

        Example:
            >>> import tfpy as tf
            >>> tf.TensorShape([2, 3]).with_rank(2)
            TensorShape([2, 3])
        """
        return self._with(len(self) == rank, f"must have rank {rank}")

    def with_rank_at_least(self, rank: int) -> Self:
        """Return the shape, after checking that its rank is at least `rank`.

        Args:
            rank: Smallest permitted rank.

        Returns:
            The shape itself.

        Raises:
            ValueError: If the rank is smaller.
        """
        return self._with(len(self) >= rank, f"must have rank at least {rank}")

    def with_rank_at_most(self, rank: int) -> Self:
        """Return the shape, after checking that its rank is at most `rank`.

        Args:
            rank: Largest permitted rank.

        Returns:
            The shape itself.

        Raises:
            ValueError: If the rank is larger.
        """
        return self._with(len(self) <= rank, f"must have rank at most {rank}")

    def _with(self, holds: bool, what: str) -> Self:
        if not holds:
            raise ValueError(f"Shape {self} {what}")
        return self
