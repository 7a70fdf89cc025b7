"""`tf.TensorShape`: the dimensions of a tensor."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod
from typing import Any, TypeAlias

from tfpy._src.base.providers import provided
from tfpy._src.core.checked_shape import CheckedShape
from tfpy._src.core.dimension import Dimension, known_size

Dims: TypeAlias = "TensorShape | Sequence[int | None] | None"
"""A shape. None has an unknown rank."""


class TensorShape(CheckedShape):
    """The shape of a tensor, which compares equal to a list or tuple of its dimensions.

    A dimension is None if it is unknown, for example for the ragged axes of a ragged tensor.

    Args:
        dims: Dimensions (ints or None), one integer for rank 1, or None for an unknown rank.

    Raises:
        ValueError: If a dimension is negative.
        TypeError: If a dimension is neither an integer nor None.

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
            return known_shape(None)
        if isinstance(dims, TensorShape):
            return dims
        one = isinstance(dims, Dimension) or (
            hasattr(dims, "__index__") and not hasattr(dims, "__iter__")
        )
        return known_shape(tuple(map(known_size, [dims] if one else dims)))

    @property
    def rank(self) -> int | None:
        """Number of dimensions; None if it is unknown."""
        return None if self._dims is None else len(self._dims)

    @property
    def ndims(self) -> int | None:
        """Number of dimensions; None if it is unknown. Same as `rank`."""
        return self.rank

    @property
    def dims(self) -> list[Dimension] | None:
        """List of `tf.compat.v1.Dimension` objects; None if the rank is unknown."""
        return None if self._dims is None else [Dimension(n) for n in self._dims]

    def as_list(self) -> list[int | None]:
        """Return the dimensions as a list.

        Returns:
            List of ints, with None for unknown dimensions.

        Raises:
            ValueError: If the rank is unknown.

        Example:
            >>> import tfpy as tf
            >>> tf.TensorShape([None, 3]).as_list()
            [None, 3]
        """
        if self._dims is None:
            raise ValueError("as_list() is not defined on an unknown TensorShape.")
        return list(self._dims)

    def num_elements(self) -> int | None:
        """Return the number of elements of a tensor with this shape.

        Returns:
            An int, or None if a dimension is unknown.

        Example:
            >>> import tfpy as tf
            >>> tf.TensorShape([2, 3]).num_elements()
            6
        """
        return prod(self) if self.is_fully_defined() else None

    def is_fully_defined(self) -> bool:
        """Return True if every dimension is known.

        Returns:
            A bool.
        """
        return self._dims is not None and None not in self._dims

    def is_compatible_with(self, other: Dims) -> bool:
        """Return True if one tensor can have both shapes.

        The ranks, and dimensions known in both, must be equal. An unknown rank matches every rank.

        Args:
            other: Shape to compare with.

        Returns:
            A bool.

        Example:
            >>> import tfpy as tf
            >>> shape = tf.TensorShape([None, 3])
            >>> shape.is_compatible_with([2, 3]), shape.is_compatible_with([2, 4])
            (True, False)
        """
        other = TensorShape(other)
        if self.rank is None or other.rank is None:
            return True
        return len(self) == len(other) and all(
            n is None or m is None or n == m for n, m in zip(self, other, strict=True)
        )

    def assert_is_compatible_with(self, other: Dims) -> None:
        """Raise an error if the shapes are not compatible, as `is_compatible_with` defines it.

        Args:
            other: Shape to compare with.

        Raises:
            ValueError: If the shapes are not compatible.
        """
        if not self.is_compatible_with(other):
            raise ValueError(f"Shapes {self} and {other} are incompatible")

    def merge_with(self, other: Dims) -> TensorShape:
        """Return the shape that combines the known dimensions of both shapes.

        Args:
            other: Shape to merge with.

        Returns:
            A `tf.TensorShape`.

        Raises:
            ValueError: If the shapes are not compatible.

        Example:
            >>> import tfpy as tf
            >>> tf.TensorShape([None, 3]).merge_with([2, None])
            TensorShape([2, 3])
        """
        other = TensorShape(other)
        if self.rank is None or other.rank is None:
            return other if self.rank is None else self
        if not self.is_compatible_with(other):
            raise ValueError(f"Shapes {self} and {other} are not compatible")
        return TensorShape(m if n is None else n for n, m in zip(self, other, strict=True))

    def concatenate(self, other: Dims) -> TensorShape:
        """Return the dimensions of this shape, followed by those of `other`.

        Args:
            other: Shape to append.

        Returns:
            A `tf.TensorShape`.

        Example:
            >>> import tfpy as tf
            >>> tf.TensorShape([2]).concatenate([3, None])
            TensorShape([2, 3, None])
        """
        other = TensorShape(other)
        if self.rank is None or other.rank is None:
            return TensorShape(None)
        return known_shape((*self, *other))

    def is_subtype_of(self, other: TensorShape) -> bool:
        """Return True if `other` is the same or a less specific shape.

        Args:
            other: A `tf.TensorShape`.

        Returns:
            A bool.
        """
        return other.rank is None or (
            self.rank == other.rank
            and all(m in (None, n) for n, m in zip(self, other, strict=True))
        )

    def most_specific_compatible_shape(self, other: Dims) -> TensorShape:
        """Return the shape that matches both shapes, with None for the dimensions that differ.

        Args:
            other: Shape to compare with.

        Returns:
            A `tf.TensorShape`, of unknown rank if the ranks differ.

        Example:
            >>> import tfpy as tf
            >>> tf.TensorShape([2, 3]).most_specific_compatible_shape([2, 4])
            TensorShape([2, None])
        """
        other = TensorShape(other)
        if self.rank is None or self.rank != other.rank:
            return TensorShape(None)
        return TensorShape(n if n == m else None for n, m in zip(self, other, strict=True))

    def most_specific_common_supertype(self, others: Sequence[Any]) -> TensorShape | None:
        """Return the most specific shape that this shape and others are subtypes of.

        Args:
            others: Shapes.

        Returns:
            A `tf.TensorShape`, or None if another object is not a shape.

        Example:
            >>> import tfpy as tf
            >>> tf.TensorShape([2, 3]).most_specific_common_supertype([tf.TensorShape([2, 4])])
            TensorShape([2, None])
        """
        if not all(isinstance(other, TensorShape) for other in others):
            return None
        found = self
        for other in others:
            found = found.most_specific_compatible_shape(other)
        return found

    def as_proto(self) -> Any:
        """Return the shape as a message.

        Returns:
            A TensorShapeProto. Sizes that are not known are -1.

        Example:
            >>> import tfpy as tf
            >>> [d.size for d in tf.TensorShape([2, None]).as_proto().dim]
            [2, -1]
        """
        return provided("TensorShape.as_proto")(self)

    def with_rank(self, rank: int) -> TensorShape:
        """Return the shape, after checking that it has the given rank.

        Args:
            rank: Required rank.

        Returns:
            The shape itself, or a shape of unknown dimensions if the rank is unknown.

        Raises:
            ValueError: If the rank differs.

        Example:
            >>> import tfpy as tf
            >>> tf.TensorShape([2, 3]).with_rank(2)
            TensorShape([2, 3])
        """
        if self._dims is None:
            return known_shape((None,) * rank)
        return self._with(len(self._dims) == rank, f"must have rank {rank}")

    def assert_has_rank(self, rank: int) -> None:
        """Raise an error if the shape does not have the given rank.

        Args:
            rank: Required rank.

        Raises:
            ValueError: If the rank differs.
        """
        self.with_rank(rank)

    def assert_same_rank(self, other: Dims) -> None:
        """Raise an error if the ranks differ.

        Args:
            other: Shape to compare with.

        Raises:
            ValueError: If the ranks differ.
        """
        if len({self.rank, TensorShape(other).rank} - {None}) > 1:
            raise ValueError(f"Shapes {self} and {TensorShape(other)} must have the same rank")

    def assert_is_fully_defined(self) -> None:
        """Raise an error if a dimension is unknown.

        Raises:
            ValueError: If a dimension is None.
        """
        self._with(self.is_fully_defined(), "is not fully defined")

    def __bool__(self) -> bool:
        """Return True if the rank is known."""
        return self._dims is not None

    def __len__(self) -> int:
        if self._dims is None:
            raise ValueError("Cannot take the length of shape with unknown rank.")
        return len(self._dims)

    def __iter__(self) -> Iterator[int]:
        if self._dims is None:
            raise ValueError("Cannot iterate over a shape with unknown rank.")
        return iter(self._dims)

    def __eq__(self, other: object) -> bool:
        """Return True if `other` is, or can be converted to, a shape of the same dimensions."""
        if isinstance(other, tuple):
            return bool(self._dims == other)
        if isinstance(other, TensorShape):
            return bool(self._dims == other._dims)
        try:
            return self == TensorShape(other)
        except (TypeError, ValueError):
            return False

    def __hash__(self) -> int:
        return hash(self._dims)

    def __reduce__(self) -> Any:
        return TensorShape, (self.dims,)

    def __add__(self, other):  # type: ignore[no-untyped-def]
        return self.concatenate(other)

    def __radd__(self, other):  # type: ignore[no-untyped-def]
        return TensorShape(other).concatenate(self)

    def __getitem__(self, key):  # type: ignore[no-untyped-def]
        """Return a dimension, or the shape of a slice."""
        if self._dims is None:
            return _unknown_part(key)
        item = self._dims[key]
        return known_shape(item) if isinstance(key, slice) else item

    def __repr__(self) -> str:
        return f"TensorShape({None if self._dims is None else list(self._dims)})"

    def __str__(self) -> str:
        return "<unknown>" if self._dims is None else str(self._dims)


def known_shape(dims: tuple[int | None, ...] | None) -> TensorShape:
    """Return the shape of dimensions that are known to be valid, without checks."""
    shape = object.__new__(TensorShape)
    shape._dims = dims
    return shape


def _unknown_part(key: Any) -> TensorShape | None:
    """Return a dimension or a slice of a shape of unknown rank.

    The rank of a slice is known if both ends are given.
    """
    if not isinstance(key, slice):
        return None
    start, stop = key.start or 0, key.stop
    if stop is None or start < 0 or stop < 0:
        return known_shape(None)
    return known_shape((None,) * max(stop - start, 0))
