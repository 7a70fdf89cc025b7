"""`tf.compat.v1.ragged.placeholder`: ragged tensors whose rows a run of a session receives."""

from __future__ import annotations

from typing import Any

from tfpy._src.base import dtypes
from tfpy._src.core.tensor_shape import TensorShape
from tfpy._src.core.typing import DTypeLike, ShapeLike
from tfpy._src.functions.graph_mode import placeholders
from tfpy._src.functions.graph_mode.composites import GraphRaggedTensor
from tfpy._src.functions.graph_mode.placeholders import active_graph


def placeholder(
    dtype: DTypeLike,
    ragged_rank: int,
    value_shape: ShapeLike | None = None,
    name: str | None = None,
) -> Any:
    """Create a ragged tensor whose rows a run of a session receives.

    Args:
        dtype: Dtype of the values.
        ragged_rank: Number of ragged axes. If it is 0, the result is a dense placeholder.
        value_shape: Shape of one value, below the ragged axes. Default: any shape.
        name: Prefix of the names of the placeholders. Default: `"RaggedPlaceholder"`.

    Returns:
        A `tf.RaggedTensor` of a graph, or a tensor. Feed it with a
        `tf.compat.v1.ragged.RaggedTensorValue`, such as the result of
        `tf.compat.v1.ragged.constant_value`.

    Raises:
        RuntimeError: If functions execute eagerly.

    Example:
        >>> import tfpy as tf
        >>> with tf.Graph().as_default():
        ...     x = tf.compat.v1.ragged.placeholder(tf.int32, ragged_rank=1)
        ...     y = tf.reduce_sum(x, axis=1)
        ...     with tf.compat.v1.Session() as sess:
        ...         rows = tf.compat.v1.ragged.constant_value([[1, 2], [], [3]])
        ...         print(sess.run(y, {x: rows}))
        [3 0 3]

    See also: `tf.compat.v1.placeholder`, `tf.RaggedTensor`.
    """
    active_graph("ragged.placeholder")
    base = name or "RaggedPlaceholder"
    flat_shape = TensorShape([None]).concatenate(TensorShape(value_shape))
    if not ragged_rank:
        return placeholders.placeholder(dtype, value_shape, name)
    result: Any = placeholders.placeholder(dtype, flat_shape, f"{base}/flat_values")
    for axis in reversed(range(ragged_rank)):
        splits = placeholders.placeholder(dtypes.int64, [None], f"{base}/row_splits_{axis}")
        result = GraphRaggedTensor(result, splits)
    return result
