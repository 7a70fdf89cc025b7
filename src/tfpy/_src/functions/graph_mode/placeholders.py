"""`tf.compat.v1.placeholder`: tensors whose values a run of a session receives."""

from __future__ import annotations

from tfpy._src.base import tracing
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import DTypeLike, ShapeLike, TensorLike
from tfpy._src.functions.graph_mode.graph import Graph
from tfpy._src.functions.graph_mode.inference import aval_of
from tfpy._src.functions.graph_mode.tensors import GraphTensor


def _graph(name: str) -> Graph:
    graph = tracing.active_graph()
    if graph is None:
        raise RuntimeError(f"tf.{name}() is not compatible with eager execution.")
    found: Graph = graph
    return found


def placeholder(
    dtype: DTypeLike, shape: ShapeLike | None = None, name: str | None = None
) -> Tensor:
    """Create a tensor whose value a run of a session receives.

    Args:
        dtype: Dtype of the values.
        shape: Shape of the values. A dimension of None matches any size. Default: any shape.
        name: Name of the operation. Default: `"Placeholder"`.

    Returns:
        Tensor of a graph.

    Raises:
        RuntimeError: If functions execute eagerly.

    Example:
        >>> import tfpy as tf
        >>> with tf.Graph().as_default():
        ...     x = tf.compat.v1.placeholder(tf.float32, [None, 2])
        ...     y = x * 2.0
        ...     with tf.compat.v1.Session() as sess:
        ...         print(sess.run(y, {x: [[1.0, 2.0]]}))
        [[2. 4.]]

    See also: `tf.compat.v1.Session`, `tf.compat.v1.placeholder_with_default`.
    """
    op = _graph("placeholder").make(name or "Placeholder", kind="Placeholder")
    op.outputs = [GraphTensor(op, 0, aval_of(shape, dtype))]
    return op.outputs[0]


def placeholder_with_default(
    input: TensorLike, shape: ShapeLike | None, name: str | None = None
) -> Tensor:
    """Create a tensor whose value a run of a session may receive.

    Args:
        input: Value if a run does not receive one.
        shape: Shape of the values. A dimension of None matches any size. None matches any shape.
        name: Name of the operation. Default: `"PlaceholderWithDefault"`.

    Returns:
        Tensor of a graph, with the dtype of `input`. If functions execute eagerly, `input` itself
        as a tensor.

    Example:
        >>> import tfpy as tf
        >>> with tf.Graph().as_default():
        ...     x = tf.compat.v1.placeholder_with_default(1.0, [])
        ...     with tf.compat.v1.Session() as sess:
        ...         print(sess.run(x), sess.run(x, {x: 5.0}))
        1.0 5.0

    See also: `tf.compat.v1.placeholder`.
    """
    value = convert_to_tensor(input)
    graph = tracing.active_graph()
    if graph is None:
        return value
    op = graph.make(
        name or "PlaceholderWithDefault",
        [value] if isinstance(value, GraphTensor) else [],
        "PlaceholderWithDefault",
    )
    op.function, op.args = convert_to_tensor, (value,)
    op.outputs = [GraphTensor(op, 0, aval_of(shape, value.dtype, value.aval.closed.shape))]
    found: Tensor = op.outputs[0]
    return found
