"""`tf.compat.v1.train.shuffle_batch` and others: shuffled batches of tensors of a graph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfpy._src.checkpoints.sessions.pipelines.batching import Batching, Structure, batched
from tfpy._src.core.typing import ShapeLike, TensorLike


def shuffle_batch(
    tensors: Structure,
    batch_size: int,
    capacity: int,
    min_after_dequeue: int,
    num_threads: int = 1,
    seed: int | None = None,
    enqueue_many: bool = False,
    shapes: Sequence[ShapeLike] | None = None,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Return shuffled batches of tensors of a graph.

    Args:
        tensors: List or dict of tensors and sparse tensors.
        batch_size: Number of elements of a batch.
        capacity: Capacity of the queue.
        min_after_dequeue: Number of elements that stay in the queue, among which the next ones are
            chosen.
        num_threads: Number of sources that add elements.
        seed: Seed of the order.
        enqueue_many: If True, the tensors contain several elements along their first dimension.
        shapes: Shapes of the elements. Default: the static shapes.
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
        ...     both = one.train.shuffle_batch([row], 2, 8, 0, seed=1)
        ...     threads = one.train.start_queue_runners()
        ...     print(sess.run(both).shape)
        (2,)

    See also: `tf.compat.v1.train.batch`, `tf.data.Dataset.batch`.
    """
    given = Batching(
        name or "shuffle_batch", batch_size, capacity, enqueue_many, shapes, False,
        allow_smaller_final_batch, shared_name, True, min_after_dequeue, seed,
    )  # fmt: skip
    return batched([tensors], num_threads, given)


def maybe_shuffle_batch(
    tensors: Structure,
    batch_size: int,
    capacity: int,
    min_after_dequeue: int,
    keep_input: TensorLike,
    num_threads: int = 1,
    seed: int | None = None,
    enqueue_many: bool = False,
    shapes: Sequence[ShapeLike] | None = None,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Return shuffled batches of some elements of tensors of a graph.

    Args:
        tensors: List or dict of tensors and sparse tensors.
        batch_size: Number of elements of a batch.
        capacity: Capacity of the queue.
        min_after_dequeue: Number of elements that stay in the queue, among which the next ones are
            chosen.
        keep_input: Boolean scalar: True if the element is added. With `enqueue_many`, it may be a
            vector with an element for each row.
        num_threads: Number of sources that add elements.
        seed: Seed of the order.
        enqueue_many: If True, the tensors contain several elements along their first dimension.
        shapes: Shapes of the elements. Default: the static shapes.
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
        ...     both = one.train.maybe_shuffle_batch([row], 2, 8, 0, row > 1)
        ...     threads = one.train.start_queue_runners()
        ...     print(sess.run(both).shape)
        (2,)

    See also: `tf.compat.v1.train.batch`, `tf.data.Dataset.batch`.
    """
    given = Batching(
        name or "maybe_shuffle_batch", batch_size, capacity, enqueue_many, shapes, False,
        allow_smaller_final_batch, shared_name, keep_input, min_after_dequeue, seed,
    )  # fmt: skip
    return batched([tensors], num_threads, given)


def shuffle_batch_join(
    tensors_list: Sequence[Structure],
    batch_size: int,
    capacity: int,
    min_after_dequeue: int,
    seed: int | None = None,
    enqueue_many: bool = False,
    shapes: Sequence[ShapeLike] | None = None,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Return shuffled batches of tensors of a graph from several sources.

    Args:
        tensors_list: List of lists or dicts of tensors. The elements of each one are added to the
            same queue.
        batch_size: Number of elements of a batch.
        capacity: Capacity of the queue.
        min_after_dequeue: Number of elements that stay in the queue, among which the next ones are
            chosen.
        seed: Seed of the order.
        enqueue_many: If True, the tensors contain several elements along their first dimension.
        shapes: Shapes of the elements. Default: the static shapes.
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
        ...     both = one.train.shuffle_batch_join([[row]], 2, 8, 0, seed=1)
        ...     threads = one.train.start_queue_runners()
        ...     print(sess.run(both).shape)
        (2,)

    See also: `tf.compat.v1.train.batch`, `tf.data.Dataset.batch`.
    """
    given = Batching(
        name or "shuffle_batch_join", batch_size, capacity, enqueue_many, shapes, False,
        allow_smaller_final_batch, shared_name, True, min_after_dequeue, seed,
    )  # fmt: skip
    return batched(tensors_list, 1, given)


def maybe_shuffle_batch_join(
    tensors_list: Sequence[Structure],
    batch_size: int,
    capacity: int,
    min_after_dequeue: int,
    keep_input: TensorLike,
    seed: int | None = None,
    enqueue_many: bool = False,
    shapes: Sequence[ShapeLike] | None = None,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Return shuffled batches of some elements of tensors of a graph from several sources.

    Args:
        tensors_list: List of lists or dicts of tensors. The elements of each one are added to the
            same queue.
        batch_size: Number of elements of a batch.
        capacity: Capacity of the queue.
        min_after_dequeue: Number of elements that stay in the queue, among which the next ones are
            chosen.
        keep_input: Boolean scalar: True if the element is added. With `enqueue_many`, it may be a
            vector with an element for each row.
        seed: Seed of the order.
        enqueue_many: If True, the tensors contain several elements along their first dimension.
        shapes: Shapes of the elements. Default: the static shapes.
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
        ...     both = one.train.maybe_shuffle_batch_join([[row]], 2, 8, 0, row > 1)
        ...     threads = one.train.start_queue_runners()
        ...     print(sess.run(both).shape)
        (2,)

    See also: `tf.compat.v1.train.batch`, `tf.data.Dataset.batch`.
    """
    given = Batching(
        name or "maybe_shuffle_batch_join", batch_size, capacity, enqueue_many, shapes, False,
        allow_smaller_final_batch, shared_name, keep_input, min_after_dequeue, seed,
    )  # fmt: skip
    return batched(tensors_list, 1, given)
