"""`tf.data.experimental`: CSV files, and functions that are now methods of `tf.data.Dataset`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tfpy._src.base import dtypes
from tfpy._src.base.errors import invalid_value
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import DTypeLike, IntLike, Nest, PathLike, TensorLike
from tfpy._src.data import structure
from tfpy._src.data.csv import Records
from tfpy._src.data.dataset import DatasetV2
from tfpy._src.data.iterators import Iterator
from tfpy._src.data.optional import Optional


class CsvDatasetV2(DatasetV2):
    """A dataset of the records of CSV files, with one component for each column.

    Args:
        filenames: Name of a file, or a list or dataset of names.
        record_defaults: List with an item for each column that is read. A dtype means that a value
            is required. Any other item is the value for empty fields, and determines the dtype.
        compression_type: `"GZIP"`, `"ZLIB"`, or `""` (default) for files without compression.
        buffer_size: Must be positive, and has no effect otherwise.
        header: If True, skip the first line of each file.
        field_delim: Character between fields.
        use_quote_delim: If True, fields may be enclosed in double quotation marks. If False, these
            are ordinary characters.
        na_value: String that is treated like an empty field.
        select_cols: Indices of the columns to read, in ascending order. Default: all columns.
        exclude_cols: Indices of the columns to skip, in ascending order. Default: none.

    Raises:
        tf.errors.NotFoundError: If a file does not exist; raised while iterating.
        tf.errors.InvalidArgumentError: If a record has a different number of fields, if a required
            value is missing, or if a field is not a number of the dtype; raised while iterating.
            Also if `buffer_size` is not positive, or both `select_cols` and `exclude_cols` are
            given.

    Example:
        >>> import tfpy as tf
        >>> tf.io.write_file("flowers.csv", "length,kind\\n5.5,0\\n4.25,1\\n")
        >>> kinds = [tf.float32, tf.int32]
        >>> rows = tf.data.experimental.CsvDataset("flowers.csv", kinds, header=True)
        >>> [(length.numpy().tolist(), kind.numpy().tolist()) for length, kind in rows]
        [(5.5, 0), (4.25, 1)]

    See also: `tf.data.experimental.make_csv_dataset`.
    """

    def __init__(
        self,
        filenames: TensorLike | DatasetV2 | Sequence[Any],
        record_defaults: Sequence[TensorLike | DTypeLike],
        compression_type: str | None = None,
        buffer_size: IntLike | None = None,
        header: bool = False,
        field_delim: str = ",",
        use_quote_delim: bool = True,
        na_value: str = "",
        select_cols: Sequence[int] | None = None,
        exclude_cols: Sequence[int] | None = None,
    ) -> None:
        if buffer_size is not None and int(buffer_size) <= 0:
            raise invalid_value("CsvDataset", "buffer_size should be positive")
        super().__init__(
            Records(
                filenames,
                record_defaults,
                compression_type,
                bool(header),
                field_delim,
                use_quote_delim,
                na_value,
                select_cols,
                exclude_cols,
            )
        )


CsvDataset = CsvDatasetV2


def cardinality(dataset: DatasetV2) -> Tensor:
    """Return the number of elements of a dataset, as `tf.data.Dataset.cardinality` does.

    Args:
        dataset: A `tf.data.Dataset`.

    Returns:
        Scalar integer tensor, which may be `tf.data.INFINITE_CARDINALITY` or
        `tf.data.UNKNOWN_CARDINALITY`.

    Example:
        >>> import tfpy as tf
        >>> tf.data.experimental.cardinality(tf.data.Dataset.range(6).batch(4)).numpy().tolist()
        2
    """
    return dataset.cardinality()


def from_list(elements: Sequence[Nest], name: str | None = None) -> DatasetV2:
    """Make a dataset of the items of a list.

    Args:
        elements: Nonempty list of tensors, or of nested structures (tuples or dicts) of tensors.
            All items must have the same structure, dtypes and shapes.

    Returns:
        A `tf.data.Dataset`.

    Raises:
        ValueError: If the list is empty.
        TypeError: If the items have different structures, dtypes or shapes.

    Example:
        >>> import tfpy as tf
        >>> [x["n"].numpy().tolist() for x in tf.data.experimental.from_list([{"n": 1}, {"n": 2}])]
        [1, 2]

    See also: `tf.data.Dataset.from_tensor_slices`.
    """
    if not elements:
        raise ValueError("Empty list of elements. At least one element must be provided.")
    datasets = [DatasetV2.from_tensors(element) for element in elements]
    spec = datasets[0].element_spec
    for i, dataset in enumerate(datasets):
        if dataset.element_spec != spec:
            raise TypeError(f"Element {i} is {dataset.element_spec}, the first one is {spec}.")
    columns = zip(*(structure.flatten(element) for element in elements), strict=True)
    return DatasetV2.from_tensor_slices(structure.pack(elements[0], list(map(list, columns))))


def get_next_as_optional(iterator: Iterator) -> Optional:
    """Return the next element of an iterator as an Optional.

    Args:
        iterator: A `tf.data.Iterator`.

    Returns:
        A `tf.experimental.Optional`. At the end of the dataset it has no value.

    Example:
        >>> import tfpy as tf
        >>> numbers = iter(tf.data.Dataset.range(1))
        >>> first = tf.data.experimental.get_next_as_optional(numbers)
        >>> second = tf.data.experimental.get_next_as_optional(numbers)
        >>> first.get_value().numpy().tolist(), bool(second.has_value())
        (0, False)
    """
    return iterator.get_next_as_optional()


def get_single_element(dataset: DatasetV2) -> Nest:
    """Return the element of a dataset that has exactly one.

    Args:
        dataset: A `tf.data.Dataset` with one element.

    Returns:
        The element, a tensor or nest of tensors.

    Raises:
        tf.errors.InvalidArgumentError: If the dataset is empty or has more than one element.

    Example:
        >>> import tfpy as tf
        >>> data = tf.data.Dataset.range(4).batch(4)
        >>> tf.data.experimental.get_single_element(data).numpy().tolist()
        [0, 1, 2, 3]
    """
    return dataset.get_single_element()


def get_structure(dataset_or_iterator: DatasetV2 | Iterator) -> Nest:
    """Return the type of the elements of a dataset or iterator.

    Args:
        dataset_or_iterator: A `tf.data.Dataset` or `tf.data.Iterator`.

    Returns:
        A `tf.TypeSpec` such as `tf.TensorSpec`, or a nest of these if the elements are nested.

    Raises:
        TypeError: If the argument is neither a dataset nor an iterator.

    Example:
        >>> import tfpy as tf
        >>> data = tf.data.Dataset.from_tensor_slices([1.0, 2.0, 3.0]).batch(2)
        >>> tf.data.experimental.get_structure(data)
        TensorSpec(shape=(None,), dtype=tf.float32, name=None)
    """
    try:
        return dataset_or_iterator.element_spec
    except AttributeError:
        kind = type(dataset_or_iterator)
        raise TypeError(
            "Invalid `dataset_or_iterator`. `dataset_or_iterator` must be a `tf.data.Dataset` or "
            f"tf.data.Iterator object, but got {kind}."
        ) from None


def Counter(  # noqa: N802 - TensorFlow's name
    start: TensorLike = 0, step: TensorLike = 1, dtype: DTypeLike = dtypes.int64
) -> DatasetV2:
    """Make an infinite dataset of evenly spaced numbers, as `tf.data.Dataset.counter` does.

    Args:
        start: First number. Default: 0.
        step: Difference between consecutive numbers. Default: 1.
        dtype: Dtype of the elements. Default: `tf.int64`.

    Returns:
        A `tf.data.Dataset` of scalars.

    Example:
        >>> import tfpy as tf
        >>> [int(n) for n in tf.data.experimental.Counter(start=5, step=2).take(3)]
        [5, 7, 9]
    """
    return DatasetV2.counter(start, step, dtype)


def RandomDataset(  # noqa: N802 - TensorFlow's name
    seed: IntLike | None = None,
    rerandomize_each_iteration: bool | None = None,
    name: str | None = None,
) -> DatasetV2:
    """Make an infinite dataset of random 32-bit integers, as `tf.data.Dataset.random` does.

    Args:
        seed: Integer that makes a run of the program reproducible, even without
            `tf.random.set_seed`. Default: the results differ between runs unless
            `tf.random.set_seed` was called.
        rerandomize_each_iteration: If True, each iteration produces different numbers. If False or
            None (default), all iterations produce the same numbers.

    Returns:
        A `tf.data.Dataset` of uint32 scalars, or of int64 scalars if the environment variable
        `TFPY_ENABLE_X64` is set.

    Example:
        >>> import tfpy as tf
        >>> tf.random.set_seed(1)
        >>> numbers = tf.data.experimental.RandomDataset(seed=4).take(2)
        >>> [int(x) for x in numbers], [int(x) for x in numbers]
        ([3140572256, 1890473413], [3140572256, 1890473413])
    """
    return DatasetV2.random(seed, rerandomize_each_iteration)


def choose_from_datasets(
    datasets: Sequence[DatasetV2], choice_dataset: DatasetV2, stop_on_empty_dataset: bool = False
) -> DatasetV2:
    """Take elements from several datasets, as `tf.data.Dataset.choose_from_datasets` does.

    Args:
        datasets: Nonempty list of datasets whose elements have the same structure and dtypes.
        choice_dataset: Dataset of scalar tensors of the dtype `tf.int64`. Each one is the index of
            the dataset from which the next element is taken.
        stop_on_empty_dataset: If True, stop when one of the datasets ends. If False, continue with
            the others.

    Returns:
        A `tf.data.Dataset`.

    Example:
        >>> import tfpy as tf
        >>> letters = [tf.data.Dataset.from_tensors(c).repeat() for c in ["a", "b"]]
        >>> order = tf.data.Dataset.from_tensor_slices(tf.constant([0, 1, 1], tf.int64))
        >>> [c.numpy() for c in tf.data.experimental.choose_from_datasets(letters, order)]
        [b'a', b'b', b'b']
    """
    found: DatasetV2 = DatasetV2.choose_from_datasets(
        datasets, choice_dataset, stop_on_empty_dataset
    )
    return found


def sample_from_datasets(
    datasets: Sequence[DatasetV2],
    weights: TensorLike | DatasetV2 | None = None,
    seed: IntLike | None = None,
    stop_on_empty_dataset: bool = False,
) -> DatasetV2:
    """Draw from several datasets at random, as `tf.data.Dataset.sample_from_datasets` does.

    Args:
        datasets: Nonempty list of datasets whose elements have the same structure and dtypes.
        weights: Float tensor of shape `[len(datasets)]` with the probability of each dataset, or a
            dataset of such tensors, one for each element. Default: equal probabilities.
        seed: Integer that makes a run of the program reproducible, even without
            `tf.random.set_seed`. Default: the results differ between runs unless
            `tf.random.set_seed` was called.
        stop_on_empty_dataset: If True, stop when one of the datasets ends. If False, continue with
            the others.

    Returns:
        A `tf.data.Dataset`.

    Example:
        >>> import tfpy as tf
        >>> letters = [tf.data.Dataset.from_tensors(c).repeat() for c in ["a", "b"]]
        >>> mixed = tf.data.experimental.sample_from_datasets(letters, weights=[0.0, 1.0])
        >>> [c.numpy() for c in mixed.take(2)]
        [b'b', b'b']
    """
    found: DatasetV2 = DatasetV2.sample_from_datasets(
        datasets, weights, seed, stop_on_empty_dataset
    )
    return found


def save(
    dataset: DatasetV2,
    path: PathLike | TensorLike,
    compression: str | None = None,
    shard_func: Callable[..., TensorLike] | None = None,
    checkpoint_args: dict[str, Any] | None = None,
) -> None:
    """Write the elements of a dataset to a directory, as `tf.data.Dataset.save` does.

    Args:
        dataset: A `tf.data.Dataset`.
        path: Path of the directory. A dataset that it already contains is replaced.
        compression: `"GZIP"`, or None (default) for files without compression.
        shard_func: Function that takes an element, as in `tf.data.Dataset.map`, and returns the
            number of the file to which it is written, a scalar integer tensor. Default: one file.
        checkpoint_args: Has no effect.

    Example:
        >>> import tfpy as tf
        >>> tf.data.experimental.save(tf.data.Dataset.range(3), "saved")
        >>> [int(x) for x in tf.data.Dataset.load("saved")]
        [0, 1, 2]

    See also: `tf.data.Dataset.load`.
    """
    dataset.save(path, compression, shard_func)


def load(
    path: PathLike | TensorLike,
    element_spec: Nest = None,
    compression: str | None = None,
    reader_func: Callable[..., DatasetV2] | None = None,
) -> DatasetV2:
    """Make a dataset of saved elements, as `tf.data.Dataset.load` does.

    Args:
        path: Path of the directory.
        element_spec: Type of the elements, as `tf.data.Dataset.element_spec` of the saved dataset.
            Required only for named tuples, which otherwise are loaded as tuples. Default: the saved
            type.
        compression: Has no effect. The directory records the compression of its files.
        reader_func: Function that takes a dataset whose elements are datasets, one for each file,
            and returns a dataset of the elements. Default: read one file after the other.

    Returns:
        A `tf.data.Dataset`.

    Example:
        >>> import tfpy as tf
        >>> tf.data.Dataset.range(3).save("saved")
        >>> [int(x) for x in tf.data.experimental.load("saved")]
        [0, 1, 2]

    See also: `tf.data.Dataset.save`.
    """
    found: DatasetV2 = DatasetV2.load(path, element_spec, compression, reader_func)
    return found
