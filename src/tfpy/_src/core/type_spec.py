"""`tf.TypeSpec`: base of the descriptions of values."""

from __future__ import annotations


class TypeSpec:
    """Base class of the objects that describe the dtype and shape of tensors and similar values.

    Signatures of functions and elements of datasets are described by instances of the subclasses,
    such as `tf.TensorSpec`.

    Example:
        >>> import tfpy as tf
        >>> spec = tf.TensorSpec([None, 2], tf.float32)
        >>> isinstance(spec, tf.TypeSpec), spec.is_compatible_with(tf.zeros([5, 2]))
        (True, True)

    See also: `tf.TensorSpec`, `tf.RaggedTensorSpec`, `tf.SparseTensorSpec`.
    """

    __slots__ = ()
