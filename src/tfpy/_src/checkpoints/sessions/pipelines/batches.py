"""`tf.compat.v1.train.batch` and others: batches of tensors of a graph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfpy._src.checkpoints.sessions.pipelines.batching import Batching, Structure, batched
from tfpy._src.core.typing import ShapeLike, TensorLike


def batch(
    tensors: Structure,
    batch_size: int,
    num_threads: int = 1,
    capacity: int = 32,
    enqueue_many: bool = False,
    shapes: Sequence[ShapeLike] | None = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Return batches of tensors of a graph.

    Args:
        tensors: List or dict of tensors and sparse tensors.
        batch_size: Number of elements of a batch.
        num_threads: Number of sources that add elements.
        capacity: Capacity of the queue.
        enqueue_many: If True, the tensors contain several elements along their first dimension.
        shapes: Shapes of the elements. Default: the static shapes.
        dynamic_pad: If True, elements of different sizes are padded.
        allow_smaller_final_batch: If True, the last batch may have fewer elements.
        shared_name: Has no effect.
        name: Name of the operations.

    Returns:
        Tensors with an additional first dimension, in the form of the argument. A list of one
        tensor becomes the tensor.

    Raises:
        ValueError: If the shape of a tensor is not known.
        RuntimeError: In eager execution.

    Example:
        >>> import tfpy as tf
        >>> one = tf.compat.v1
        >>> with tf.Graph().as_default(), one.Session() as sess:
        ...     (row,) = one.train.slice_input_producer([[1, 2, 3]], shuffle=False)
        ...     both = one.train.batch([row], batch_size=2)
        ...     threads = one.train.start_queue_runners()
        ...     print(sess.run(both))
        [1 2]

    See also: `tf.compat.v1.train.shuffle_batch`, `tf.data.Dataset.batch`.
    """
    given = Batching(
        name or "batch", batch_size, capacity, enqueue_many, shapes, dynamic_pad,
        allow_smaller_final_batch, shared_name, True,
    )  # fmt: skip
    return batched([tensors], num_threads, given)


def maybe_batch(
    tensors: Structure,
    keep_input: TensorLike,
    batch_size: int,
    num_threads: int = 1,
    capacity: int = 32,
    enqueue_many: bool = False,
    shapes: Sequence[ShapeLike] | None = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Return batches of some elements of tensors of a graph.

    Args:
        tensors: List or dict of tensors and sparse tensors.
        keep_input: Boolean scalar: True if the element is added. With `enqueue_many`, it may be a
            vector with an element for each row.
        batch_size: Number of elements of a batch.
        num_threads: Number of sources that add elements.
        capacity: Capacity of the queue.
        enqueue_many: If True, the tensors contain several elements along their first dimension.
        shapes: Shapes of the elements. Default: the static shapes.
        dynamic_pad: If True, elements of different sizes are padded.
        allow_smaller_final_batch: If True, the last batch may have fewer elements.
        shared_name: Has no effect.
        name: Name of the operations.

    Returns:
        Tensors with an additional first dimension, in the form of the argument. A list of one
        tensor becomes the tensor.

    Raises:
        ValueError: If the shape of a tensor is not known.
        RuntimeError: In eager execution.

    Example:
        >>> import tfpy as tf
        >>> one = tf.compat.v1
        >>> with tf.Graph().as_default(), one.Session() as sess:
        ...     (row,) = one.train.slice_input_producer([[1, 2, 3]], shuffle=False)
        ...     both = one.train.maybe_batch([row], row > 1, batch_size=2)
        ...     threads = one.train.start_queue_runners()
        ...     print(sess.run(both))
        [2 3]

    See also: `tf.compat.v1.train.batch`, `tf.data.Dataset.batch`.
    """
    given = Batching(
        name or "maybe_batch", batch_size, capacity, enqueue_many, shapes, dynamic_pad,
        allow_smaller_final_batch, shared_name, keep_input,
    )  # fmt: skip
    return batched([tensors], num_threads, given)


def batch_join(
    tensors_list: Sequence[Structure],
    batch_size: int,
    capacity: int = 32,
    enqueue_many: bool = False,
    shapes: Sequence[ShapeLike] | None = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Return batches of tensors of a graph from several sources.

    Args:
        tensors_list: List of lists or dicts of tensors. The elements of each one are added to the
            same queue.
        batch_size: Number of elements of a batch.
        capacity: Capacity of the queue.
        enqueue_many: If True, the tensors contain several elements along their first dimension.
        shapes: Shapes of the elements. Default: the static shapes.
        dynamic_pad: If True, elements of different sizes are padded.
        allow_smaller_final_batch: If True, the last batch may have fewer elements.
        shared_name: Has no effect.
        name: Name of the operations.

    Returns:
        Tensors with an additional first dimension, in the form of the argument. A list of one
        tensor becomes the tensor.

    Raises:
        ValueError: If the shape of a tensor is not known.
        RuntimeError: In eager execution.

    Example:
        >>> import tfpy as tf
        >>> one = tf.compat.v1
        >>> with tf.Graph().as_default(), one.Session() as sess:
        ...     (row,) = one.train.slice_input_producer([[1, 2, 3]], shuffle=False)
        ...     both = one.train.batch_join([[row], [row]], batch_size=2)
        ...     threads = one.train.start_queue_runners()
        ...     print(sess.run(both))
        [1 2]

    See also: `tf.compat.v1.train.batch`, `tf.data.Dataset.batch`.
    """
    given = Batching(
        name or "batch_join", batch_size, capacity, enqueue_many, shapes, dynamic_pad,
        allow_smaller_final_batch, shared_name, True,
    )  # fmt: skip
    return batched(tensors_list, 1, given)


def maybe_batch_join(
    tensors_list: Sequence[Structure],
    keep_input: TensorLike,
    batch_size: int,
    capacity: int = 32,
    enqueue_many: bool = False,
    shapes: Sequence[ShapeLike] | None = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Return batches of some elements of tensors of a graph from several sources.

    Args:
        tensors_list: List of lists or dicts of tensors. The elements of each one are added to the
            same queue.
        keep_input: Boolean scalar: True if the element is added. With `enqueue_many`, it may be a
            vector with an element for each row.
        batch_size: Number of elements of a batch.
        capacity: Capacity of the queue.
        enqueue_many: If True, the tensors contain several elements along their first dimension.
        shapes: Shapes of the elements. Default: the static shapes.
        dynamic_pad: If True, elements of different sizes are padded.
        allow_smaller_final_batch: If True, the last batch may have fewer elements.
        shared_name: Has no effect.
        name: Name of the operations.

    Returns:
        Tensors with an additional first dimension, in the form of the argument. A list of one
        tensor becomes the tensor.

    Raises:
        ValueError: If the shape of a tensor is not known.
        RuntimeError: In eager execution.

    Example:
        >>> import tfpy as tf
        >>> one = tf.compat.v1
        >>> with tf.Graph().as_default(), one.Session() as sess:
        ...     (row,) = one.train.slice_input_producer([[1, 2, 3]], shuffle=False)
        ...     both = one.train.maybe_batch_join([[row], [row]], row > 1, batch_size=2)
        ...     threads = one.train.start_queue_runners()
        ...     print(sess.run(both))
        [2 3]

    See also: `tf.compat.v1.train.batch`, `tf.data.Dataset.batch`.
    """
    given = Batching(
        name or "maybe_batch_join", batch_size, capacity, enqueue_many, shapes, dynamic_pad,
        allow_smaller_final_batch, shared_name, keep_input,
    )  # fmt: skip
    return batched(tensors_list, 1, given)
