"""Functions of `tf.data.experimental` that reduce, pad, parse, index and store datasets."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from tfpy._src.base import dtypes
from tfpy._src.base.dtypes import as_dtype
from tfpy._src.base.errors import OutOfRangeError, UnimplementedError
from tfpy._src.core import nest
from tfpy._src.core.conversion import constant
from tfpy._src.core.typing import DTypeLike, IntLike, Nest, PathLike, TensorLike
from tfpy._src.data.dataset import DatasetV2
from tfpy._src.data.sources import whole
from tfpy._src.data.transformations import Transformation
from tfpy._src.library.io.records import TFRecordWriter as RecordWriter
from tfpy._src.library.lookup.initializers import KeyValueTensorInitializer
from tfpy._src.library.lookup.tables import StaticHashTable, StaticVocabularyTable
from tfpy._src.library.protos.features import Feature
from tfpy._src.library.protos.parsing import parse_example
from tfpy._src.tensors.array.joining import stack
from tfpy._src.tensors.array.making import zeros

SHARD_HINT = -1
"""Value that stands for the number of workers in distributed datasets."""


class Reducer:
    """Functions that reduce elements to one: an initial state, a step, and a final function.

    Args:
        init_func: Function of the key that returns the initial state.
        reduce_func: Function of the state and an element that returns the next state.
        finalize_func: Function of the last state that returns an element.

    Example:
        >>> import tfpy as tf
        >>> total = tf.data.experimental.Reducer(
        ...     lambda key: tf.constant(0, tf.int64), lambda s, x: s + x, lambda s: s
        ... )
        >>> by_parity = tf.data.experimental.group_by_reducer(lambda x: x % 2, total)
        >>> [int(x) for x in tf.data.Dataset.range(5).apply(by_parity)]
        [6, 4]

    See also: `tf.data.experimental.group_by_reducer`.
    """

    def __init__(
        self,
        init_func: Callable[..., Nest],
        reduce_func: Callable[..., Nest],
        finalize_func: Callable[..., Nest],
    ) -> None:
        self.init_func = init_func
        self.reduce_func = reduce_func
        self.finalize_func = finalize_func


def group_by_reducer(key_func: Callable[..., TensorLike], reducer: Reducer) -> Transformation:
    """Return a function that groups the elements of a dataset and reduces each group.

    Args:
        key_func: Function of an element that returns the key of its group, an int64 scalar.
        reducer: A `tf.data.experimental.Reducer`.

    Returns:
        A function that takes a dataset and returns a dataset, for `tf.data.Dataset.apply`. The
        result has one element for each group, in the order of the keys.

    Raises:
        ValueError: If the key is not an int64 scalar. The function raises it.

    Example:
        >>> import tfpy as tf
        >>> count = tf.data.experimental.Reducer(lambda key: 0, lambda n, x: n + 1, lambda n: n)
        >>> by_size = tf.data.experimental.group_by_reducer(lambda x: x // 4, count)
        >>> [int(x) for x in tf.data.Dataset.range(10).apply(by_size)]
        [4, 4, 2]

    See also: `tf.data.experimental.Reducer`, `tf.data.Dataset.group_by_window`.
    """

    def apply(dataset: DatasetV2) -> DatasetV2:
        keys = dataset.map(key_func)
        spec = keys.element_spec
        if getattr(spec, "dtype", None) != dtypes.int64 or spec.shape.rank != 0:
            raise ValueError(
                "Invalid `key_func`. Expected `key_func` to return a scalar tf.int64 tensor, but "
                f"instead `key_func` has the spec {spec}."
            )
        finals = keys.map(reducer.init_func).map(reducer.finalize_func)

        def groups() -> Iterator[Any]:
            states: dict[int, Any] = {}
            for element in dataset:
                args = element if isinstance(element, tuple) else (element,)
                key = key_func(*args)
                number = whole(key)
                if number not in states:
                    states[number] = reducer.init_func(key)
                states[number] = reducer.reduce_func(states[number], element)
            for _, state in sorted(states.items()):
                yield _called(reducer.finalize_func, state)

        return DatasetV2.from_generator(groups, output_signature=finals.element_spec)

    return apply


def _called(function: Callable[..., Any], state: Any) -> Any:
    return function(*state) if isinstance(state, tuple) else function(state)


def at(dataset: DatasetV2, index: IntLike) -> Nest:
    """Return the element of a dataset with a number.

    The elements before it are computed too.

    Args:
        dataset: A `tf.data.Dataset` with a known number of elements.
        index: Number of the element, which begins at 0.

    Returns:
        The element.

    Raises:
        tf.errors.OutOfRangeError: If the dataset has no such element.
        tf.errors.UnimplementedError: If the number of elements is unknown.

    Example:
        >>> import tfpy as tf
        >>> int(tf.data.experimental.at(tf.data.Dataset.range(5), 3))
        3

    See also: `tf.data.Dataset.skip`.
    """
    size, number = whole(dataset.cardinality()), whole(index)
    if size == -2:  # tf.data.UNKNOWN_CARDINALITY
        raise UnimplementedError(
            None, None, f"Random access is not implemented for {dataset}, whose size is unknown."
        )
    if number < 0 or 0 <= size <= number:
        raise OutOfRangeError(None, None, f"Index out of range [0, {size}):{number}")
    return next(iter(dataset.skip(number).take(1)))


def pad_to_cardinality(cardinality: IntLike, mask_key: str = "valid") -> Transformation:
    """Return a function that appends zeros to a dataset until it has a given size.

    Args:
        cardinality: Number of elements of the result.
        mask_key: Name of a new component, which is True for the original elements and False for the
            appended ones.

    Returns:
        A function that takes a dataset of dicts and returns a dataset, for `tf.data.Dataset.apply`.

    Raises:
        ValueError: If the elements are not dicts, or the size is unknown or too large. The function
            raises it.

    Example:
        >>> import tfpy as tf
        >>> data = tf.data.Dataset.from_tensor_slices({"x": [1, 2]})
        >>> padded = data.apply(tf.data.experimental.pad_to_cardinality(3))
        >>> [(int(e["x"]), bool(e["valid"])) for e in padded]
        [(1, True), (2, True), (0, False)]

    See also: `tf.data.Dataset.padded_batch`.
    """
    target = whole(cardinality)

    def apply(dataset: DatasetV2) -> DatasetV2:
        spec, size = dataset.element_spec, whole(dataset.cardinality())
        if not isinstance(spec, dict):
            raise ValueError("`pad_to_cardinality` requires its input dataset to be a dictionary.")
        if size < 0:
            raise ValueError(
                "The dataset passed into `pad_to_cardinality` must have a known cardinalty, but "
                f"has cardinality {size}"
            )
        if size > target:
            raise ValueError(
                "The dataset passed into `pad_to_cardinality` must have a cardinalty less than the "
                f"target cardinality ({target}), but has cardinality {size}"
            )
        filler: dict[str, Any] = nest.map_structure(lambda s: zeros(s.shape, s.dtype), spec)
        filler[mask_key] = constant(False)
        marked = dataset.map(lambda element: {**element, mask_key: constant(True)})
        return marked.concatenate(DatasetV2.from_tensors(filler).repeat(target - size))

    return apply


def parse_example_dataset(
    features: Mapping[str, Feature],
    num_parallel_calls: IntLike | None = 1,
    deterministic: bool | None = None,
) -> Transformation:
    """Return a function that parses batches of serialized `tf.train.Example` messages.

    Args:
        features: Mapping from the names of features to their configurations, as in
            `tf.io.parse_example`.
        num_parallel_calls, deterministic: Has no effect.

    Returns:
        A function that takes a dataset and returns a dataset, for `tf.data.Dataset.apply`.

    Raises:
        ValueError: If `features` is None.
        TypeError: If the elements are not vectors of strings. The function raises it.

    Example:
        >>> import tfpy as tf
        >>> ids = tf.train.Feature(int64_list=tf.train.Int64List(value=[7]))
        >>> example = tf.train.Example(features=tf.train.Features(feature={"id": ids}))
        >>> data = tf.data.Dataset.from_tensor_slices([example.SerializeToString()]).batch(1)
        >>> features = {"id": tf.io.FixedLenFeature([], tf.int64)}
        >>> parsed = data.apply(tf.data.experimental.parse_example_dataset(features))
        >>> [batch["id"].numpy().tolist() for batch in parsed]
        [[7]]

    See also: `tf.io.parse_example`.
    """
    if features is None:
        raise ValueError("Argument `features` is required, but not specified.")

    def apply(dataset: DatasetV2) -> DatasetV2:
        spec = dataset.element_spec
        if getattr(spec, "dtype", None) != dtypes.string or spec.shape.rank != 1:
            raise TypeError(
                f"Input dataset should be a dataset of vectors of strings. Instead it is `{spec}`."
            )
        return dataset.map(lambda batch: parse_example(batch, features))

    return apply


class TFRecordWriter:
    """A writer of datasets of strings to a TFRecord file.

    Args:
        filename: Path of the file.
        compression_type: `""`, `"ZLIB"` or `"GZIP"`. Default: no compression.

    Example:
        >>> import tfpy as tf
        >>> writer = tf.data.experimental.TFRecordWriter("texts.tfrecord")
        >>> writer.write(tf.data.Dataset.from_tensor_slices(["a", "b"]))
        >>> [x.numpy() for x in tf.data.TFRecordDataset("texts.tfrecord")]
        [b'a', b'b']

    See also: `tf.io.TFRecordWriter`.
    """

    def __init__(self, filename: PathLike, compression_type: str | None = None) -> None:
        self._filename = filename
        self._compression = compression_type or ""

    def write(self, dataset: DatasetV2) -> None:
        """Write all elements of a dataset to the file, which is replaced.

        Args:
            dataset: A `tf.data.Dataset` of string scalars.

        Raises:
            TypeError: If `dataset` is not a dataset of string scalars.
        """
        if not isinstance(dataset, DatasetV2):
            raise TypeError(
                f"Invalid `dataset.` Expected a `tf.data.Dataset` object but got {type(dataset)}."
            )
        spec = dataset.element_spec
        if getattr(spec, "dtype", None) != dtypes.string or spec.shape.rank != 0:
            raise TypeError(
                "Invalid `dataset`. Expected a`dataset` that produces scalar `tf.string` elements, "
                f"but got elements with the spec {spec}."
            )
        with RecordWriter(self._filename, self._compression) as writer:
            for element in dataset:
                writer.write(element.numpy())


def table_from_dataset(
    dataset: DatasetV2 | None = None,
    num_oov_buckets: int = 0,
    vocab_size: int | None = None,
    default_value: Any = None,
    hasher_spec: object = None,
    key_dtype: DTypeLike = dtypes.string,
    name: str | None = None,
) -> StaticHashTable | StaticVocabularyTable:
    """Make a lookup table of the pairs in a dataset.

    Args:
        dataset: A `tf.data.Dataset` of pairs of a key and a value.
        num_oov_buckets: Number of additional values for keys that are not in the dataset.
        vocab_size: Number of pairs, if it is known. It is checked.
        default_value: Value of other keys, if there are no additional values.
        hasher_spec: Has no effect: keys that are not in the dataset are hashed by fingerprints.
        key_dtype: Dtype of the keys: string or an integer.

    Returns:
        A `tf.lookup.StaticHashTable`, or a `tf.lookup.StaticVocabularyTable` if there are
        additional values.

    Raises:
        ValueError: If `dataset` is missing or `vocab_size` is wrong.

    Example:
        >>> import tfpy as tf
        >>> data = tf.data.Dataset.from_tensor_slices((["a", "b"], tf.constant([5, 6], tf.int64)))
        >>> table = tf.data.experimental.table_from_dataset(data, default_value=-1)
        >>> table.lookup(tf.constant(["b", "c"])).numpy().tolist()
        [6, -1]

    See also: `tf.data.experimental.index_table_from_dataset`, `tf.lookup.StaticHashTable`.
    """
    if dataset is None:
        raise ValueError("table_from_dataset: the argument `dataset` is required.")
    keys, values = zip(*dataset, strict=True)
    if vocab_size is not None and vocab_size != len(keys):
        raise ValueError(f"the dataset has {len(keys)} elements, but vocab_size is {vocab_size}")
    pairs = KeyValueTensorInitializer(stack(keys), stack(values), as_dtype(key_dtype))
    if num_oov_buckets:
        return StaticVocabularyTable(pairs, num_oov_buckets, lookup_key_dtype=as_dtype(key_dtype))
    if default_value is None:
        default_value = "" if values[0].dtype == dtypes.string else 0
    return StaticHashTable(pairs, default_value)


def index_table_from_dataset(
    dataset: DatasetV2 | None = None,
    num_oov_buckets: int = 0,
    vocab_size: int | None = None,
    default_value: int = -1,
    hasher_spec: object = None,
    key_dtype: DTypeLike = dtypes.string,
    name: str | None = None,
) -> StaticHashTable | StaticVocabularyTable:
    """Make a lookup table of the positions of the elements of a dataset.

    Args:
        dataset: A `tf.data.Dataset` of keys.
        num_oov_buckets: Number of additional positions for keys that are not in the dataset.
        vocab_size: Number of elements, if it is known. It is checked.
        default_value: Value of other keys, if there are no additional positions.
        hasher_spec: Has no effect: keys that are not in the dataset are hashed by fingerprints.
        key_dtype: Dtype of the keys: string or an integer.

    Returns:
        A `tf.lookup.StaticHashTable`, or a `tf.lookup.StaticVocabularyTable` if there are
        additional positions.

    Raises:
        ValueError: If `dataset` is missing or `vocab_size` is wrong.

    Example:
        >>> import tfpy as tf
        >>> words = tf.data.Dataset.from_tensor_slices(["a", "b"])
        >>> table = tf.data.experimental.index_table_from_dataset(words)
        >>> table.lookup(tf.constant(["b", "c"])).numpy().tolist()
        [1, -1]

    See also: `tf.data.experimental.table_from_dataset`.
    """
    if dataset is None:
        raise ValueError("index_table_from_dataset: the argument `dataset` is required.")
    pairs = dataset.enumerate().map(lambda number, key: (key, number))
    return table_from_dataset(
        pairs, num_oov_buckets, vocab_size, default_value, hasher_spec, key_dtype
    )
