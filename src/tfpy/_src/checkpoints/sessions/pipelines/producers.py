"""`tf.compat.v1.train.string_input_producer` and others: queues of the rows of a tensor."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tfpy._src.base import dtypes, tracing
from tfpy._src.base.errors import InvalidArgumentError
from tfpy._src.checkpoints.sessions.pipelines.runners import QueueRunner, add_queue_runner
from tfpy._src.core.conversion import constant, convert_to_tensor
from tfpy._src.core.name_scope import name_scope
from tfpy._src.core.primitives import maximum
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.tensor_shape import TensorShape
from tfpy._src.core.typing import ShapeLike, TensorLike
from tfpy._src.formats.summary.graph_summaries import scalar
from tfpy._src.functions.graph_mode.collections import GraphKeys
from tfpy._src.functions.graph_mode.defaults import get_default_graph
from tfpy._src.functions.graph_mode.tensors import GraphTensor
from tfpy._src.functions.graph_mode.variables import GraphVariable
from tfpy._src.library.queues.base import QueueBase
from tfpy._src.library.queues.kinds import FIFOQueue
from tfpy._src.tensors.array.making import cast
from tfpy._src.tensors.array.ranges import range as numbers
from tfpy._src.tensors.array.reshaping import identity, shape as shape_of
from tfpy._src.tensors.array.slicing import gather
from tfpy._src.tensors.random.stateful import shuffle as shuffled


def require_graph(name: str) -> Any:
    """Return the active graph.

    Raises:
        RuntimeError: In eager execution.
    """
    if tracing.executing_eagerly():
        raise RuntimeError(
            f"tf.compat.v1.train.{name} is not supported when eager execution is enabled. Use "
            "`tf.data` instead."
        )
    return get_default_graph()


def graph_tensor(value: Any, dtype: Any = None) -> Any:
    """Return a value as a tensor of the graph."""
    if isinstance(value, GraphTensor):
        return value
    graph = get_default_graph()
    found = convert_to_tensor(value, dtype)
    return found if isinstance(found, GraphTensor) else graph.record(constant, (found,), {})


def limit_epochs(
    tensor: TensorLike, num_epochs: int | None = None, name: str | None = None
) -> Tensor:
    """Return a tensor that can be read a limited number of times.

    Args:
        tensor: Tensor of any shape and dtype.
        num_epochs: Number of times. Default: no limit. A local Variable counts them, so that
            `tf.compat.v1.local_variables_initializer` must run first.
        name: Name of the operations.

    Returns:
        The tensor. After the last time, a run raises `tf.errors.OutOfRangeError`.

    Raises:
        ValueError: If `num_epochs` is not positive.

    Example:
        >>> import tfpy as tf
        >>> one = tf.compat.v1
        >>> with tf.Graph().as_default(), one.Session() as sess:
        ...     twice = one.train.limit_epochs(tf.constant(7), num_epochs=2)
        ...     sess.run(one.local_variables_initializer())
        ...     print(sess.run(twice), sess.run(twice))
        7 7

    See also: `tf.compat.v1.train.input_producer`.
    """
    if num_epochs is None:
        return convert_to_tensor(tensor)
    if num_epochs <= 0:
        raise ValueError(f"num_epochs must be > 0 not {num_epochs}.")
    graph = require_graph("limit_epochs")
    with name_scope(name or "limit_epochs"):
        epochs = GraphVariable(
            lambda: constant(0, dtypes.int64), trainable=False, name="epochs",
            collections=[GraphKeys.LOCAL_VARIABLES],
        )  # fmt: skip
        value = graph_tensor(tensor)
        with graph.control_dependencies([epochs.count_up_to(num_epochs)]):
            found: Tensor = graph.record(identity, (value,), {})
    return found


def input_producer(
    input_tensor: TensorLike,
    element_shape: ShapeLike | None = None,
    num_epochs: int | None = None,
    shuffle: bool = True,
    seed: int | None = None,
    capacity: int = 32,
    shared_name: str | None = None,
    summary_name: str | None = None,
    name: str | None = None,
    cancel_op: Any = None,
) -> QueueBase:
    """Return a queue of the rows of a tensor.

    Args:
        input_tensor: Tensor of rank 1 or more.
        element_shape: Shape of a row. Default: the static shape.
        num_epochs: Number of times that each row is added. Default: no limit.
        shuffle: If True, the rows of each epoch have a random order.
        seed: Seed of the order.
        capacity: Capacity of the queue.
        shared_name: Has no effect.
        summary_name: Name of the summary of the queue's size.
        name: Name of the operations.
        cancel_op: Operation that runs if the coordinator stops.

    Returns:
        A `tf.compat.v1.FIFOQueue`.

    Raises:
        ValueError: If the shape of a row is not known.
        RuntimeError: In eager execution.

    Example:
        >>> import tfpy as tf
        >>> one = tf.compat.v1
        >>> with tf.Graph().as_default(), one.Session() as sess:
        ...     rows = one.train.input_producer([[1, 2], [3, 4]], shuffle=False).dequeue()
        ...     threads = one.train.start_queue_runners()
        ...     print(sess.run(rows), sess.run(rows))
        [1 2] [3 4]

    See also: `tf.compat.v1.train.slice_input_producer`, `tf.data.Dataset.from_tensor_slices`.
    """
    graph = require_graph("input_producer")
    with name_scope(name or "input_producer"):
        given = graph_tensor(input_tensor)
        shape = given.shape[1:] if given.shape.rank is not None else TensorShape(None)
        shape = shape.merge_with(TensorShape(element_shape))
        if not shape.is_fully_defined():
            raise ValueError(
                "Either `input_tensor` must have a fully defined shape or `element_shape` must be "
                "specified"
            )
        if shuffle:
            given = graph.record(shuffled, (given,), {"seed": seed})
        limited = limit_epochs(given, num_epochs)
        queue = FIFOQueue(
            capacity, [limited.dtype], [shape], shared_name=shared_name, name=name or "queue"
        )
        adding = queue.enqueue_many([limited])
        runner = QueueRunner(queue, [adding], cancel_op=cancel_op)
        add_queue_runner(runner)
        what = summary_name or f"fraction_of_{capacity}_full"
        scalar(what, graph.record(share_of(capacity), (queue.size(),), {}, "fraction"))
    return queue


def share_of(capacity: int, least: int = 0) -> Callable[[Tensor], Tensor]:
    """Return a function from the size of a queue to the used share of its capacity."""

    def share(size: Tensor) -> Tensor:
        return maximum(cast(size, dtypes.float32) - float(least), 0.0) / float(capacity - least)

    return share


def string_input_producer(
    string_tensor: TensorLike,
    num_epochs: int | None = None,
    shuffle: bool = True,
    seed: int | None = None,
    capacity: int = 32,
    shared_name: str | None = None,
    name: str | None = None,
    cancel_op: Any = None,
) -> QueueBase:
    """Return a queue of strings, such as names of files for a reader.

    Args:
        string_tensor: String vector.
        num_epochs: Number of times that each string is added. Default: no limit.
        shuffle: If True, the strings of each epoch have a random order.
        seed: Seed of the order.
        capacity: Capacity of the queue.
        shared_name: Has no effect.
        name: Name of the operations.
        cancel_op: Operation that runs if the coordinator stops.

    Returns:
        A `tf.compat.v1.FIFOQueue`.

    Raises:
        ValueError: If the list is empty.
        RuntimeError: In eager execution.

    Example:
        >>> import tfpy as tf
        >>> one = tf.compat.v1
        >>> with tf.Graph().as_default(), one.Session() as sess:
        ...     name = one.train.string_input_producer(["a.txt"]).dequeue()
        ...     threads = one.train.start_queue_runners()
        ...     print(sess.run(name))
        b'a.txt'

    See also: `tf.compat.v1.TextLineReader`.
    """
    message = "string_input_producer requires a non-null input tensor"
    if not isinstance(string_tensor, Tensor) and not np.size(np.asarray(string_tensor)):
        raise ValueError(message)
    graph = require_graph("string_input_producer")

    def checked(names: Tensor) -> Tensor:
        if not names.aval.size:
            raise InvalidArgumentError(None, None, message)
        return names

    with name_scope(name or "input_producer"):
        given = graph_tensor(string_tensor, dtypes.string)
        (names,) = graph.add(checked, [given], [given.aval], "Identity")
        names.op.is_dynamic = True
        return input_producer(
            names, [], num_epochs, shuffle, seed, capacity, shared_name,
            f"fraction_of_{capacity}_full", name, cancel_op,
        )  # fmt: skip


def range_input_producer(
    limit: TensorLike,
    num_epochs: int | None = None,
    shuffle: bool = True,
    seed: int | None = None,
    capacity: int = 32,
    shared_name: str | None = None,
    name: str | None = None,
) -> QueueBase:
    """Return a queue of the integers from 0 to `limit - 1`.

    Args:
        limit: Integer scalar.
        num_epochs: Number of times that each integer is added. Default: no limit.
        shuffle: If True, the integers of each epoch have a random order.
        seed: Seed of the order.
        capacity: Capacity of the queue.
        shared_name: Has no effect.
        name: Name of the operations.

    Returns:
        A `tf.compat.v1.FIFOQueue`.

    Raises:
        RuntimeError: In eager execution.

    Example:
        >>> import tfpy as tf
        >>> one = tf.compat.v1
        >>> with tf.Graph().as_default(), one.Session() as sess:
        ...     three = one.train.range_input_producer(3, shuffle=False).dequeue_many(3)
        ...     threads = one.train.start_queue_runners()
        ...     print(sess.run(three))
        [0 1 2]

    See also: `tf.compat.v1.train.slice_input_producer`.
    """
    graph = require_graph("range_input_producer")
    with name_scope(name or "input_producer"):
        rows = graph_tensor(graph.record(numbers, (limit,), {}))
        return input_producer(
            rows, [], num_epochs, shuffle, seed, capacity, shared_name,
            f"fraction_of_{capacity}_full", name,
        )  # fmt: skip


def slice_input_producer(
    tensor_list: Sequence[TensorLike],
    num_epochs: int | None = None,
    shuffle: bool = True,
    seed: int | None = None,
    capacity: int = 32,
    shared_name: str | None = None,
    name: str | None = None,
) -> list[Tensor]:
    """Return the same row of several tensors, another one in each run.

    Args:
        tensor_list: List of tensors with the same first dimension.
        num_epochs: Number of times that each row is returned. Default: no limit.
        shuffle: If True, the rows of each epoch have a random order.
        seed: Seed of the order.
        capacity: Capacity of the queue.
        shared_name: Has no effect.
        name: Name of the operations.

    Returns:
        List of tensors without the first dimension.

    Raises:
        ValueError: If `tensor_list` is empty.
        RuntimeError: In eager execution.

    Example:
        >>> import tfpy as tf
        >>> one = tf.compat.v1
        >>> with tf.Graph().as_default(), one.Session() as sess:
        ...     row = one.train.slice_input_producer([["a", "b"], [1, 2]], shuffle=False)
        ...     threads = one.train.start_queue_runners()
        ...     print(sess.run(row))
        [b'a', np.int32(1)]

    See also: `tf.compat.v1.train.batch`, `tf.data.Dataset.from_tensor_slices`.
    """
    graph = require_graph("slice_input_producer")
    if not tensor_list:
        raise ValueError("Expected at least one tensor in slice_input_producer().")
    with name_scope(name or "input_producer"):
        tensors = [graph_tensor(x) for x in tensor_list]
        rows = graph.record(lambda x: shape_of(x)[0], (tensors[0],), {}, "strided_slice")
        queue = range_input_producer(rows, num_epochs, shuffle, seed, capacity, shared_name)
        at = queue.dequeue()
        return [graph.record(gather, (x, at), {}) for x in tensors]
