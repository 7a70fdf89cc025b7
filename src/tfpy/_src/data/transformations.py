"""Functions of `tf.data.experimental` whose results are arguments of `Dataset.apply`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfpy._src.core.typing import IntLike
from tfpy._src.data.dataset import DatasetV2
from tfpy._src.data.selection import AssertCardinality
from tfpy._src.data.sources import whole

Transformation = Callable[[DatasetV2], DatasetV2]


def assert_cardinality(expected_cardinality: IntLike) -> Transformation:
    """Return a function that declares the number of elements of a dataset.

    `tf.data.Dataset.cardinality` then returns this number. Iterating over the dataset raises a
    `tf.errors.FailedPreconditionError` if the number is wrong.

    Args:
        expected_cardinality: Number of elements, or `tf.data.INFINITE_CARDINALITY`.

    Returns:
        A function that takes a dataset and returns a dataset, for `tf.data.Dataset.apply`.

    Example:
        >>> import tfpy as tf
        >>> data = tf.data.Dataset.range(6).filter(lambda x: x % 2 == 0)
        >>> data = data.apply(tf.data.experimental.assert_cardinality(3))
        >>> data.cardinality().numpy().tolist()
        3
    """
    expected = whole(expected_cardinality)
    return lambda dataset: DatasetV2(AssertCardinality(dataset._node, expected))


def _applying(name: str, example: str) -> Callable[..., Transformation]:
    """Return a function that takes a method's arguments and returns a transformation."""
    method = getattr(DatasetV2, name)

    def transformation(*args: Any, **kwargs: Any) -> Transformation:
        return lambda dataset: method(dataset, *args, **kwargs)

    transformation.__name__ = transformation.__qualname__ = name
    transformation.__doc__ = f"""Return a function that calls `tf.data.Dataset.{name}`.

    Args:
        *args: Positional arguments of `tf.data.Dataset.{name}`.
        **kwargs: Keyword arguments of `tf.data.Dataset.{name}`.

    Returns:
        A function that takes a dataset and returns a dataset, for `tf.data.Dataset.apply`.

    Example:
        >>> import tfpy as tf{example}"""
    return transformation


bucket_by_sequence_length = _applying(
    "bucket_by_sequence_length",
    """
        >>> data = tf.data.Dataset.range(1, 4).map(lambda n: tf.fill([n], n))
        >>> buckets = tf.data.experimental.bucket_by_sequence_length(tf.size, [3], [2, 2])
        >>> [x.numpy().tolist() for x in data.apply(buckets)]
        [[[1, 0], [2, 2]], [[3, 3, 3]]]
    """,
)
dense_to_ragged_batch = _applying(
    "ragged_batch",
    """
        >>> data = tf.data.Dataset.range(3).map(lambda n: tf.range(n))
        >>> [x.to_list() for x in data.apply(tf.data.experimental.dense_to_ragged_batch(3))]
        [[[], [0], [0, 1]]]
    """,
)
dense_to_sparse_batch = _applying(
    "sparse_batch",
    """
        >>> data = tf.data.Dataset.range(1, 3).map(lambda n: tf.range(n) + 1)
        >>> batches = data.apply(tf.data.experimental.dense_to_sparse_batch(2, row_shape=[3]))
        >>> [tf.sparse.to_dense(x).numpy().tolist() for x in batches]
        [[[1, 0, 0], [1, 2, 0]]]
    """,
)
enumerate_dataset = _applying(
    "enumerate",
    """
        >>> data = tf.data.Dataset.from_tensor_slices(["a", "b"])
        >>> pairs = data.apply(tf.data.experimental.enumerate_dataset(start=1))
        >>> [(int(i), c.numpy()) for i, c in pairs]
        [(1, b'a'), (2, b'b')]
    """,
)
group_by_window = _applying(
    "group_by_window",
    """
        >>> windows = tf.data.experimental.group_by_window(
        ...     key_func=lambda x: x % 2, reduce_func=lambda key, part: part.batch(2), window_size=2
        ... )
        >>> [x.numpy().tolist() for x in tf.data.Dataset.range(6).apply(windows)]
        [[0, 2], [1, 3], [4], [5]]
    """,
)
ignore_errors = _applying(
    "ignore_errors",
    """
        >>> data = tf.data.Dataset.from_tensor_slices(["1", "two", "3"]).map(tf.strings.to_number)
        >>> [x.numpy().tolist() for x in data.apply(tf.data.experimental.ignore_errors())]
        [1.0, 3.0]
    """,
)
rejection_resample = _applying(
    "rejection_resample",
    """
        >>> data = tf.data.Dataset.from_tensor_slices([0, 0, 0, 1]).repeat()
        >>> tf.random.set_seed(1)
        >>> even = tf.data.experimental.rejection_resample(lambda x: x, [0.5, 0.5], seed=1)
        >>> sum([int(kind) for kind, _ in data.apply(even).take(200)])  # about half are ones
        95
    """,
)
scan = _applying(
    "scan",
    """
        >>> total = tf.data.experimental.scan(tf.constant(0, tf.int64), lambda s, x: (s + x, s + x))
        >>> [int(x) for x in tf.data.Dataset.range(5).apply(total)]
        [0, 1, 3, 6, 10]
    """,
)
snapshot = _applying(
    "snapshot",
    """
        >>> data = tf.data.Dataset.range(3).apply(tf.data.experimental.snapshot("snapshots"))
        >>> [int(x) for x in data]
        [0, 1, 2]
    """,
)
take_while = _applying(
    "take_while",
    """
        >>> data = tf.data.Dataset.range(9).apply(tf.data.experimental.take_while(lambda x: x < 3))
        >>> [int(x) for x in data]
        [0, 1, 2]
    """,
)
unbatch = _applying(
    "unbatch",
    """
        >>> data = tf.data.Dataset.from_tensors([1, 2, 3]).apply(tf.data.experimental.unbatch())
        >>> [int(x) for x in data]
        [1, 2, 3]
    """,
)
unique = _applying(
    "unique",
    """
        >>> data = tf.data.Dataset.from_tensor_slices([1, 2, 1, 3])
        >>> [int(x) for x in data.apply(tf.data.experimental.unique())]
        [1, 2, 3]
    """,
)


def copy_to_device(target_device: str, source_device: str = "/cpu:0") -> Transformation:
    """Return a function that returns its dataset unchanged.

    Tensors are copied to the GPU when a computation uses them, not in advance.

    Args:
        target_device: Has no effect.
        source_device: Has no effect.

    Returns:
        A function that takes a dataset and returns a dataset, for `tf.data.Dataset.apply`.

    Example:
        >>> import tfpy as tf
        >>> data = tf.data.Dataset.range(3).apply(tf.data.experimental.copy_to_device("/cpu:0"))
        >>> [int(x) for x in data]
        [0, 1, 2]
    """
    return lambda dataset: dataset


def prefetch_to_device(device: str, buffer_size: IntLike | None = None) -> Transformation:
    """Return a function that returns its dataset unchanged.

    Tensors are copied to the GPU when a computation uses them, not in advance.

    Args:
        device: Has no effect.
        buffer_size: Has no effect.

    Returns:
        A function that takes a dataset and returns a dataset, for `tf.data.Dataset.apply`.

    Example:
        >>> import tfpy as tf
        >>> data = tf.data.Dataset.range(3).apply(tf.data.experimental.prefetch_to_device("/cpu:0"))
        >>> [int(x) for x in data]
        [0, 1, 2]
    """
    return lambda dataset: dataset


def map_and_batch(
    map_func: Callable[..., Any],
    batch_size: IntLike,
    num_parallel_batches: IntLike | None = None,
    drop_remainder: bool = False,
    num_parallel_calls: IntLike | None = None,
) -> Transformation:
    """Return a function that calls `tf.data.Dataset.map` and then `tf.data.Dataset.batch`.

    Args:
        map_func: Function that takes an element, as in `tf.data.Dataset.map`, and returns a tensor
            or nested structure (tuple or dict) of tensors.
        batch_size: Number of elements in a batch.
        num_parallel_batches: Has no effect.
        drop_remainder: If True, drop the last batch if it has fewer than `batch_size` elements.
        num_parallel_calls: Has no effect.

    Returns:
        A function that takes a dataset and returns a dataset, for `tf.data.Dataset.apply`.

    Example:
        >>> import tfpy as tf
        >>> batches = tf.data.experimental.map_and_batch(lambda x: x * x, batch_size=2)
        >>> [x.numpy().tolist() for x in tf.data.Dataset.range(4).apply(batches)]
        [[0, 1], [4, 9]]

    See also: `tf.data.Dataset.map`, `tf.data.Dataset.batch`.
    """
    return lambda dataset: dataset.map(map_func).batch(batch_size, drop_remainder)


def parallel_interleave(
    map_func: Callable[..., DatasetV2],
    cycle_length: IntLike,
    block_length: IntLike = 1,
    sloppy: bool = False,
    buffer_output_elements: IntLike | None = None,
    prefetch_input_elements: IntLike | None = None,
) -> Transformation:
    """Return a function that calls `tf.data.Dataset.interleave`.

    Args:
        map_func: Function that takes an element, as in `tf.data.Dataset.map`, and returns a
            `tf.data.Dataset`.
        cycle_length: Number of datasets that are read in turn.
        block_length: Number of consecutive elements to take from a dataset before the next one is
            read. Default: 1.
        sloppy: Has no effect.
        buffer_output_elements: Has no effect.
        prefetch_input_elements: Has no effect.

    Returns:
        A function that takes a dataset and returns a dataset, for `tf.data.Dataset.apply`.

    Example:
        >>> import tfpy as tf
        >>> parts = tf.data.experimental.parallel_interleave(
        ...     lambda x: tf.data.Dataset.from_tensors(x).repeat(2), cycle_length=2
        ... )
        >>> [int(x) for x in tf.data.Dataset.range(2).apply(parts)]
        [0, 1, 0, 1]

    See also: `tf.data.Dataset.interleave`.
    """
    return lambda dataset: dataset.interleave(map_func, cycle_length, block_length)


def shuffle_and_repeat(
    buffer_size: IntLike, count: IntLike | None = None, seed: IntLike | None = None
) -> Transformation:
    """Return a function that calls `tf.data.Dataset.shuffle` and then `tf.data.Dataset.repeat`.

    Args:
        buffer_size: Number of elements in the buffer from which elements are drawn.
        count: Number of times that the elements are produced. If it is None (default) or -1, they
            are repeated without end.
        seed: Integer that makes a run of the program reproducible, even without
            `tf.random.set_seed`. Default: the results differ between runs unless
            `tf.random.set_seed` was called.

    Returns:
        A function that takes a dataset and returns a dataset, for `tf.data.Dataset.apply`.

    Example:
        >>> import tfpy as tf
        >>> twice = tf.data.experimental.shuffle_and_repeat(buffer_size=3, count=2)
        >>> sorted(int(x) for x in tf.data.Dataset.range(3).apply(twice))
        [0, 0, 1, 1, 2, 2]

    See also: `tf.data.Dataset.shuffle`, `tf.data.Dataset.repeat`.
    """
    return lambda dataset: dataset.shuffle(buffer_size, seed).repeat(count)
