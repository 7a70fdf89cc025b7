"""`tf.data.experimental.make_batched_features_dataset`: batches of parsed examples."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from tfpy._src.base.errors import DataLossError
from tfpy._src.core.typing import IntLike
from tfpy._src.data import nesting
from tfpy._src.data.dataset import DatasetV2, TFRecordDatasetV2
from tfpy._src.data.iterators import OwnedIterator
from tfpy._src.functions.graph_mode.inference import immediately
from tfpy._src.library.io.records import TFRecordOptions
from tfpy._src.library.protos.features import Feature
from tfpy._src.library.protos.parsing import parse_example


def make_batched_features_dataset(
    file_pattern: str | Sequence[str],
    batch_size: IntLike,
    features: Mapping[str, Feature],
    reader: Callable[..., DatasetV2] | None = None,
    label_key: str | None = None,
    reader_args: Sequence[Any] | None = None,
    num_epochs: int | None = None,
    shuffle: bool = True,
    shuffle_buffer_size: int = 10000,
    shuffle_seed: IntLike | None = None,
    prefetch_buffer_size: IntLike | None = None,
    reader_num_threads: int | None = None,
    parser_num_threads: int | None = None,
    sloppy_ordering: bool = False,
    drop_final_batch: bool = False,
) -> DatasetV2:
    """Make a dataset of batches of the `tf.train.Example` messages in files.

    Args:
        file_pattern: Glob pattern such as `"data/*.tfrecord"`, or a list of patterns.
        batch_size: Number of examples in a batch.
        features: Mapping from the names of features to their configurations, as in
            `tf.io.parse_example`.
        reader: Function that takes the name of a file and `reader_args`, and returns a dataset of
            serialized examples. Default: `tf.data.TFRecordDataset`.
        label_key: Name of the feature that contains the labels. Default: no labels.
        reader_args: List of further arguments of `reader`.
        num_epochs: Number of times to read the files. Default: without end.
        shuffle: If True, shuffle the files and the examples.
        shuffle_buffer_size: Number of examples from which the next one is drawn.
        shuffle_seed: Integer that makes the order reproducible. Default: another order in each run.
        prefetch_buffer_size: Has no effect.
        reader_num_threads: Number of files from which examples are taken in turn. Default: 1.
        parser_num_threads: Has no effect.
        sloppy_ordering: Has no effect.
        drop_final_batch: If True, drop a last batch that is smaller. It is always dropped if
            `num_epochs` is None.

    Returns:
        A `tf.data.Dataset` of dicts from names to tensors, or of pairs of such a dict and the
        labels.

    Raises:
        ValueError: If `label_key` is not one of the features.
        tf.errors.InvalidArgumentError: If no file matches, or an example does not match `features`.

    Example:
        >>> import tfpy as tf
        >>> with tf.io.TFRecordWriter("ages.tfrecord") as file:
        ...     for age in (29, 31):
        ...         example = tf.train.Example()
        ...         example.features.feature["age"].int64_list.value.append(age)
        ...         file.write(example.SerializeToString())
        >>> config = {"age": tf.io.FixedLenFeature([], tf.int64)}
        >>> data = tf.data.experimental.make_batched_features_dataset(
        ...     "ages.tfrecord", 2, config, num_epochs=1, shuffle=False
        ... )
        >>> [batch["age"].numpy().tolist() for batch in data]
        [[29, 31]]

    See also: `tf.io.parse_example`, `tf.data.experimental.make_csv_dataset`.
    """
    if label_key and label_key not in features:
        raise ValueError(
            f"The `label_key` provided ({label_key}) must be one of the `features` keys: "
            f"{features.keys()}."
        )
    make, arguments = reader or TFRecordDatasetV2, list(reader_args or ())
    files = DatasetV2.list_files(file_pattern, shuffle=shuffle, seed=shuffle_seed)
    cycle = 1 if reader_num_threads is None or reader_num_threads < 1 else reader_num_threads
    dataset = DatasetV2(
        nesting.Interleave(files._node, lambda name: make(name, *arguments), cycle, 1)
    )
    if isinstance(dataset.element_spec, tuple) and len(dataset.element_spec) == 2:
        dataset = dataset.map(lambda _, example: example)
    if shuffle:
        dataset = dataset.shuffle(shuffle_buffer_size, shuffle_seed)
    if num_epochs != 1:
        dataset = dataset.repeat(num_epochs)

    def parsed(examples: Any) -> Any:
        found = parse_example(examples, features)
        return (found, found.pop(label_key)) if label_key else found

    drop = drop_final_batch or num_epochs is None
    return dataset.batch(batch_size, drop_remainder=drop).map(parsed).prefetch(1)


def tf_record_iterator(path: str, options: Any = None) -> Iterator[bytes]:
    """Return an iterator of the records of a TFRecord file.

    Args:
        path: Path of the file.
        options: A `tf.io.TFRecordOptions`. Default: no compression.

    Returns:
        Iterator of bytes. After its end, it continues if the file has grown.

    Raises:
        tf.errors.DataLossError: If the file is damaged.

    Example:
        >>> import tfpy as tf
        >>> with tf.io.TFRecordWriter("data.tfrecord") as writer:
        ...     writer.write(b"abc")
        >>> list(tf.compat.v1.io.tf_record_iterator("data.tfrecord"))
        [b'abc']

    See also: `tf.data.TFRecordDataset`, `tf.io.TFRecordWriter`.
    """
    kind = TFRecordOptions.get_compression_type_string(options)
    return _Records(TFRecordDatasetV2(path, kind))


class _Records(Iterator[bytes]):
    """An iterator that continues after its end if the file has grown."""

    def __init__(self, dataset: TFRecordDatasetV2) -> None:
        self._dataset, self._count = dataset, 0
        self._found: Iterator[Any] | None = None

    def __next__(self) -> bytes:
        if self._found is None:
            self._found = islice(at_once(self._dataset), self._count, None)
        try:
            record: bytes = next(self._found).numpy()
        except (StopIteration, DataLossError):
            self._found = None
            raise
        self._count += 1
        return record


def at_once(dataset: DatasetV2) -> Iterator[Any]:
    """Yield the elements, even while a graph is active."""
    with immediately():
        found = OwnedIterator(dataset._node)
    while True:
        with immediately():
            element = next(found, None)
        if element is None:
            return
        yield element
