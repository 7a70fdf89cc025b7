"""``tf.TypeSpec``: base of what tells of a value all but its elements."""

from __future__ import annotations


class TypeSpec:
    """Shape, dtype and structure of a tensor or of a value made of several (``tf.TypeSpec``).

    Example:
        >>> import tfpy as tf
        >>> spec = tf.TensorSpec([None, 2], tf.float32)
        >>> isinstance(spec, tf.TypeSpec), spec.is_compatible_with(tf.zeros([5, 2]))
        (True, True)
    """

    __slots__ = ()
