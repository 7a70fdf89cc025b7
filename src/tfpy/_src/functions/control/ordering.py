"""Functions that order operations in graphs of TensorFlow. Here, ops run in program order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from tfpy._src.base import tracing


@contextmanager
def control_dependencies(control_inputs: Iterable[object] | None) -> Iterator[None]:
    """Return a context manager for code that must run after other ops, as in TensorFlow.

    Side effects always happen in program order, in a `tf.function` too. The context manager
    therefore only calls the inputs that are functions.

    Args:
        control_inputs: List of tensors, ops or functions that must run first, or None.

    Returns:
        A context manager.

    Example:
        >>> import tfpy as tf
        >>> x = tf.Variable(1)
        >>> @tf.function
        ... def count():
        ...     with tf.control_dependencies([x.assign_add(5)]):
        ...         return tf.identity(x)
        >>> count().numpy().tolist()
        6

    See also: `tf.group`.
    """
    graph = tracing.active_graph()
    if graph is not None:
        with graph.control_dependencies(control_inputs):
            yield
        return
    for value in control_inputs or ():
        if callable(value):
            value()
    yield


def group(*inputs: object, name: str | None = None) -> Any:
    """Group ops, as in TensorFlow. This does nothing, because ops always run in program order.

    Args:
        *inputs: Tensors or operations, which have been computed before the call.

    Returns:
        None. While a `tf.Graph` is active, a `tf.Operation` that runs the operations.

    Example:
        >>> import tfpy as tf
        >>> x, y = tf.Variable(1), tf.Variable(2)
        >>> @tf.function
        ... def both():
        ...     tf.group(x.assign_add(10), y.assign_add(10))
        >>> both()
        >>> x.numpy().tolist(), y.numpy().tolist()
        (11, 12)

    See also: `tf.control_dependencies`, `tf.no_op`.
    """
    graph = tracing.active_graph()
    return graph.group(inputs, name) if graph is not None else None


def no_op(name: str | None = None) -> Any:
    """Do nothing, for example as a branch of `tf.cond`.

    Returns:
        None. While a `tf.Graph` is active, a `tf.Operation` without effects.

    Example:
        >>> import tfpy as tf
        >>> @tf.function
        ... def increase(x, really):
        ...     tf.cond(really, lambda: tf.group(x.assign_add(1)), tf.no_op)
        >>> x = tf.Variable(1)
        >>> increase(x, tf.constant(False))
        >>> x.numpy().tolist()
        1

    See also: `tf.group`.
    """
    graph = tracing.active_graph()
    return graph.group((), name or "NoOp") if graph is not None else None


def tuple(
    tensors: Iterable[Any],
    control_inputs: Iterable[object] | None = None,
    name: str | None = None,
) -> list[Any]:
    """Return tensors after all of them are computed, which is always the case in tfpy.

    Args:
        tensors: List of tensors. An item can be None.
        control_inputs: Operations that run first, which have no effect on the values.

    Returns:
        List of the tensors.

    Example:
        >>> import tfpy as tf
        >>> x, y = tf.tuple([tf.constant(1), tf.constant(2)])
        >>> print(x.numpy(), y.numpy())
        1 2

    See also: `tf.group`, `tf.control_dependencies`.
    """
    return list(tensors)
