"""`tf.TypeSpec`: base of the descriptions of values."""

from __future__ import annotations


class TypeSpec:
    """Base of specs, which describe the dtype, shape and structure of a tensor or composite value.

    Example:
        >>> import tfpy as tf
        >>> spec = tf.TensorSpec([None, 2], tf.float32)
        >>> isinstance(spec, tf.TypeSpec), spec.is_compatible_with(tf.zeros([5, 2]))
        (True, True)

    See also: `tf.TensorSpec`, `tf.RaggedTensorSpec`, `tf.SparseTensorSpec`.
    """

    __slots__ = ()
