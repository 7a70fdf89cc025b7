"""``tf.TensorShape``: a tuple of ints that prints as TensorFlow's."""

from __future__ import annotations

import math


class TensorShape(tuple[int, ...]):
    """A static shape. Compares equal to the tuple or list of its sizes.

    Ragged tensors have None where a dimension has no single size.
    """

    __slots__ = ()

    @property
    def rank(self) -> int:
        return len(self)

    @property
    def ndims(self) -> int:
        return len(self)

    @property
    def dims(self) -> tuple[int, ...]:
        return tuple(self)

    def as_list(self) -> list[int]:
        return list(self)

    def num_elements(self) -> int | None:
        return math.prod(self) if self.is_fully_defined() else None

    def is_fully_defined(self) -> bool:
        return None not in self

    def __eq__(self, other: object) -> bool:
        return tuple(self) == (tuple(other) if isinstance(other, list) else other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = tuple.__hash__

    def __add__(self, other):  # type: ignore[no-untyped-def]
        return TensorShape((*self, *other))

    def __radd__(self, other):  # type: ignore[no-untyped-def]
        return TensorShape((*other, *self))

    def __getitem__(self, key):  # type: ignore[no-untyped-def]
        item = tuple.__getitem__(self, key)
        return TensorShape(item) if isinstance(key, slice) else item

    def __repr__(self) -> str:
        return f"TensorShape([{', '.join(map(str, self))}])"

    def __str__(self) -> str:
        return tuple.__repr__(self)
