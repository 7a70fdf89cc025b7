"""``tf.TypeSpec``: base of what tells of a value all but its elements."""

from __future__ import annotations


class TypeSpec:
    """Shape, dtype and structure of a tensor or of a value made of several (``tf.TypeSpec``)."""

    __slots__ = ()
