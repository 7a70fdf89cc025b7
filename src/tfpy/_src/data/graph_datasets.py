"""`tf.compat.v1.data.Dataset`: datasets with iterators of TensorFlow 1."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from tfpy._src.core.typing import Nest
from tfpy._src.data import structure
from tfpy._src.data.dataset import (
    DatasetV2,
    FixedLengthRecordDatasetV2,
    TextLineDatasetV2,
    TFRecordDatasetV2,
)
from tfpy._src.data.graph_iterators import make_initializable_iterator, make_one_shot_iterator
from tfpy._src.data.node import DatasetNode
from tfpy._src.data.placeholders import PlaceholderNode
from tfpy._src.functions.graph_mode.inference import leaves
from tfpy._src.functions.graph_mode.tensors import GraphTensor


class DatasetV1(DatasetV2):
    """A `tf.data.Dataset` with the methods of TensorFlow 1.

    Its arguments can be placeholders of a graph, if the iterator is made with
    `make_initializable_iterator`.

    Example:
        >>> import tfpy as tf
        >>> with tf.Graph().as_default(), tf.compat.v1.Session() as sess:
        ...     x = tf.compat.v1.placeholder(tf.float32, [None])
        ...     dataset = tf.compat.v1.data.Dataset.from_tensor_slices(x).batch(2)
        ...     iterator = dataset.make_initializable_iterator()
        ...     pair = iterator.get_next()
        ...     sess.run(iterator.initializer, {x: [1.0, 2.0, 3.0]})
        ...     print(sess.run(pair))
        [1. 2.]

    See also: `tf.data.Dataset`.
    """

    def _with(self, node: DatasetNode) -> Any:
        return DatasetV1(node)

    def make_one_shot_iterator(self) -> Any:
        """Return an iterator that starts automatically.

        Returns:
            A `tf.compat.v1.data.Iterator`. In eager execution, the iterator `iter(dataset)`.
        """
        return make_one_shot_iterator(self)

    def make_initializable_iterator(self, shared_name: str | None = None) -> Any:
        """Return an iterator that an operation starts.

        Args:
            shared_name: Has no effect.

        Returns:
            A `tf.compat.v1.data.Iterator`.
        """
        return make_initializable_iterator(self, shared_name)

    @property
    def output_types(self) -> Nest:
        """Dtype of each component of an element."""
        return structure.map_structure(lambda spec: spec.dtype, self.element_spec)

    @property
    def output_shapes(self) -> Nest:
        """Shape of each component of an element."""
        return structure.map_structure(lambda spec: spec.shape, self.element_spec)

    @property
    def output_classes(self) -> Nest:
        """Class of each component of an element, such as `tf.Tensor`."""
        return structure.map_structure(lambda spec: spec.value_type, self.element_spec)


def _is_open(value: Any) -> bool:
    return isinstance(value, GraphTensor) and value.constant is None


def _deferred(plain: Callable[..., Any], takes_self: bool) -> Callable[..., Any]:
    """Return a method that keeps arguments which are placeholders for the initializer."""

    @functools.wraps(plain)
    def call(*args: Any, **kwargs: Any) -> Any:
        if not any(map(_is_open, leaves([args, kwargs]))):
            found = plain(*args, **kwargs)
            is_other = isinstance(found, DatasetV2) and not isinstance(found, DatasetV1)
            return DatasetV1(found._node) if is_other else found
        inputs = [args[0]._node] if takes_self else []
        return DatasetV1(PlaceholderNode(make, (args, kwargs), *inputs))

    def make(args: Any, kwargs: Any) -> Any:
        return plain(*args, **kwargs)

    return call


_CREATORS = (
    *("choose_from_datasets", "from_generator", "from_tensor_slices", "from_tensors", "list_files"),
    *("random", "range", "sample_from_datasets", "zip"),
)
_CHANGES = (
    *(
        "batch",
        "concatenate",
        "enumerate",
        "interleave",
        "flat_map",
        "filter",
        "map",
        "padded_batch",
    ),
    *("prefetch", "repeat", "shard", "shuffle", "skip", "take", "window", "unbatch", "cache"),
)
for _name in _CREATORS:
    setattr(DatasetV1, _name, staticmethod(_deferred(getattr(DatasetV2, _name), False)))
for _name in _CHANGES:
    setattr(DatasetV1, _name, _deferred(getattr(DatasetV2, _name), True))


class TextLineDatasetV1(DatasetV1):
    """A dataset of the lines of files. The file names can be a placeholder of a graph.

    Args:
        filenames: Scalar or 1-D string tensor, or a dataset of file names.
        compression_type: `""` (default), `"GZIP"` or `"ZLIB"`.
        buffer_size, num_parallel_reads: Has no effect.

    Example:
        >>> import tfpy as tf
        >>> tf.io.write_file("lines.txt", "one\\ntwo")
        >>> dataset = tf.compat.v1.data.TextLineDataset("lines.txt")
        >>> list(dataset.as_numpy_iterator())
        [b'one', b'two']

    See also: `tf.data.TextLineDataset`.
    """

    def __init__(
        self,
        filenames: Any,
        compression_type: str | None = None,
        buffer_size: int | None = None,
        num_parallel_reads: int | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__(_node_of(TextLineDatasetV2, filenames, compression_type))


class TFRecordDatasetV1(DatasetV1):
    """A dataset of the records of TFRecord files. The file names can be a placeholder of a graph.

    Args:
        filenames: Scalar or 1-D string tensor, or a dataset of file names.
        compression_type: `""` (default), `"GZIP"` or `"ZLIB"`.
        buffer_size, num_parallel_reads: Has no effect.

    Example:
        >>> import tfpy as tf
        >>> with tf.io.TFRecordWriter("data.tfrecord") as writer:
        ...     writer.write(b"abc")
        >>> list(tf.compat.v1.data.TFRecordDataset("data.tfrecord").as_numpy_iterator())
        [b'abc']

    See also: `tf.data.TFRecordDataset`.
    """

    def __init__(
        self,
        filenames: Any,
        compression_type: str | None = None,
        buffer_size: int | None = None,
        num_parallel_reads: int | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__(_node_of(TFRecordDatasetV2, filenames, compression_type))


class FixedLengthRecordDatasetV1(DatasetV1):
    """A dataset of records of the same length. The file names can be a placeholder of a graph.

    Args:
        filenames: Scalar or 1-D string tensor, or a dataset of file names.
        record_bytes: Length of a record in bytes.
        header_bytes: Number of bytes that are skipped at the start of a file. Default: 0.
        footer_bytes: Number of bytes that are skipped at the end of a file. Default: 0.
        buffer_size, num_parallel_reads: Has no effect.
        compression_type: `""` (default), `"GZIP"` or `"ZLIB"`.

    Example:
        >>> import tfpy as tf
        >>> tf.io.write_file("records.bin", "aabb")
        >>> dataset = tf.compat.v1.data.FixedLengthRecordDataset("records.bin", 2)
        >>> list(dataset.as_numpy_iterator())
        [b'aa', b'bb']

    See also: `tf.data.FixedLengthRecordDataset`.
    """

    def __init__(
        self,
        filenames: Any,
        record_bytes: Any,
        header_bytes: int | None = None,
        footer_bytes: int | None = None,
        buffer_size: int | None = None,
        compression_type: str | None = None,
        num_parallel_reads: int | None = None,
        name: str | None = None,
    ) -> None:
        lengths = record_bytes, header_bytes, footer_bytes, buffer_size
        found = _node_of(FixedLengthRecordDatasetV2, filenames, *lengths, compression_type)
        super().__init__(found)


def _node_of(kind: type[DatasetV2], *args: Any) -> DatasetNode:
    made: DatasetV1 = _deferred(kind, False)(*args)
    return made._node


Dataset = DatasetV1
TextLineDataset = TextLineDatasetV1
TFRecordDataset = TFRecordDatasetV1
FixedLengthRecordDataset = FixedLengthRecordDatasetV1
