"""`tf.compat.v1.placeholder`: tensors whose values a run of a session receives."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfpy._src.base import dtypes, tracing
from tfpy._src.compiler.ir.sizes import OpenSize
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.sizes import as_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.tensor_shape import TensorShape
from tfpy._src.core.typing import DTypeLike, ShapeLike, TensorLike
from tfpy._src.functions.graph_mode.composites import GraphSparseTensor
from tfpy._src.functions.graph_mode.graph import Graph
from tfpy._src.functions.graph_mode.inference import aval_of
from tfpy._src.functions.graph_mode.tensors import GraphTensor


def active_graph(name: str) -> Graph:
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
    op = active_graph("placeholder").make(name or "Placeholder", kind="Placeholder")
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


def sparse_placeholder(
    dtype: DTypeLike, shape: ShapeLike | None = None, name: str | None = None
) -> Any:
    """Create a sparse tensor whose components a run of a session receives.

    Args:
        dtype: Dtype of the values.
        shape: Shape of the dense tensor. A dimension of None matches any size. If all dimensions
            are known, the shape is a constant, and the fed one has no effect. Default: any shape.
        name: Prefix of the names of the placeholders. Default: `"Placeholder"`.

    Returns:
        A `tf.SparseTensor` of a graph. Feed it with a `tf.compat.v1.SparseTensorValue`, or with a
        tuple of the indices, the values and the shape.

    Raises:
        RuntimeError: If functions execute eagerly.

    Example:
        >>> import tfpy as tf
        >>> with tf.Graph().as_default():
        ...     x = tf.compat.v1.sparse_placeholder(tf.float32)
        ...     y = tf.sparse.reduce_sum(x)
        ...     with tf.compat.v1.Session() as sess:
        ...         print(sess.run(y, {x: ([[0, 1], [2, 0]], [5.0, 7.0], [3, 2])}))
        12.0

    See also: `tf.compat.v1.placeholder`, `tf.SparseTensor`.
    """
    active_graph("sparse_placeholder")
    static, base = TensorShape(shape), name or "Placeholder"
    values = placeholder(dtype, [None], f"{base}/values")
    indices = placeholder(dtypes.int64, [None, static.rank], f"{base}/indices")
    sizes: Any
    if static.is_fully_defined():
        sizes = np.array(static.as_list(), np.int64)
    else:
        sizes = placeholder(dtypes.int64, [static.rank], f"{base}/shape")
        if static.rank is not None:
            likely = tuple(OpenSize(12) if n is None else n for n in static.as_list())
            sizes.known = as_tensor(likely, sizes.dtype)
    return GraphSparseTensor(indices, values, sizes)
