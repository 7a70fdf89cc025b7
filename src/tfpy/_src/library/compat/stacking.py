"""`tf.parallel_stack`, which exists only in graphs."""

from __future__ import annotations

from collections.abc import Sequence

from tfpy._src.base import tracing
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import TensorLike
from tfpy._src.functions.graph_mode.tensors import local
from tfpy._src.tensors.array.joining import stack


def parallel_stack(values: Sequence[TensorLike], name: str = "parallel_stack") -> Tensor:
    """Stack tensors along a new first axis, in a `tf.function` or a graph.

    The result is the same as the result of `tf.stack`, which also runs eagerly.

    Args:
        values: Tensors of equal shape and dtype.

    Returns:
        Tensor of shape `[len(values), *shape]`.

    Raises:
        RuntimeError: If functions execute eagerly.

    Example:
        >>> import tfpy as tf
        >>> pairs = tf.function(lambda x: tf.parallel_stack([x, x * 2.0]))
        >>> pairs(tf.constant([1.0, 2.0])).numpy().tolist()
        [[1.0, 2.0], [2.0, 4.0]]

    See also: `tf.stack`.
    """
    if tracing.executing_eagerly() and local.values is None:
        raise RuntimeError("tf.parallel_stack() is not compatible with eager execution.")
    return stack(values)
