"""`tf.data.experimental`: CSV files, and functions that are now methods of `tf.data.Dataset`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tfpy._src.base import dtypes
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import DTypeLike, IntLike, Nest, PathLike, TensorLike
from tfpy._src.data import structure
from tfpy._src.data.csv import Records
from tfpy._src.data.dataset import DatasetV2
from tfpy._src.data.iterators import Iterator, Optional


class CsvDatasetV2(DatasetV2):
    """A dataset of the records of CSV files, with one component for each column.

    Args:
        filenames: File names, or a dataset of file names.
        record_defaults: List with one item for each column: the dtype of a required column, or the
            default for a missing value.
        compression_type: `"GZIP"`, `"ZLIB"` or `""` (default).
        buffer_size: Has no effect.
        header: If True, skip the first line of each file.
        field_delim: Character between fields.
        use_quote_delim: If True, quotation marks enclose fields. Otherwise they are ordinary
            characters.
        na_value: String that is treated as a missing value, in addition to an empty field.
        select_cols: Sorted indices of the columns to read. Default: all columns.
        exclude_cols: Sorted indices of the columns to skip.

    Raises:
        tf.errors.NotFoundError: If a file does not exist; raised while iterating.
        tf.errors.InvalidArgumentError: If a record does not match the columns; raised while
            iterating.

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
    """Return `dataset.cardinality()`.

    Args:
        dataset: A `tf.data.Dataset`.

    Returns:
        Scalar int64 tensor.

    Example:
        >>> import tfpy as tf
        >>> tf.data.experimental.cardinality(tf.data.Dataset.range(6).batch(4)).numpy().tolist()
        2
    """
    return dataset.cardinality()


def from_list(elements: Sequence[Nest], name: str | None = None) -> DatasetV2:
    """Make a dataset of the items of a list.

    Args:
        elements: Nonempty list of nests of tensors with the same structure, dtypes and shapes.

    Returns:
        A `tf.data.Dataset`.

    Raises:
        ValueError: If the list is empty.
        TypeError: If the structure, dtypes or shapes of items differ.

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
    """Return `iterator.get_next_as_optional()`.

    Args:
        iterator: A `tf.data.Iterator`.

    Returns:
        A `tf.experimental.Optional`, without a value at the end.

    Example:
        >>> import tfpy as tf
        >>> numbers = iter(tf.data.Dataset.range(1))
        >>> first = tf.data.experimental.get_next_as_optional(numbers)
        >>> second = tf.data.experimental.get_next_as_optional(numbers)
        >>> first.get_value().numpy().tolist(), bool(second.has_value())
        (0, False)
    """
    return iterator.get_next_as_optional()


def get_single_element(dataset: DatasetV2) -> Any:
    """Return `dataset.get_single_element()`.

    Args:
        dataset: A `tf.data.Dataset` with one element.

    Returns:
        Nest of tensors.

    Example:
        >>> import tfpy as tf
        >>> data = tf.data.Dataset.range(4).batch(4)
        >>> tf.data.experimental.get_single_element(data).numpy().tolist()
        [0, 1, 2, 3]
    """
    return dataset.get_single_element()


def get_structure(dataset_or_iterator: DatasetV2 | Iterator) -> Any:
    """Return the spec of the elements of a dataset or iterator.

    Args:
        dataset_or_iterator: A `tf.data.Dataset` or `tf.data.Iterator`.

    Returns:
        Nest of specs.

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
    """Make an infinite dataset of evenly spaced numbers, as `tf.data.Dataset.counter`.

    Args:
        start: First number.
        step: Difference between consecutive numbers.
        dtype: Dtype of the elements.

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
    """Make an infinite dataset of random integers, as `tf.data.Dataset.random`.

    Args:
        seed: Integer that makes the sequence reproducible together with `tf.random.set_seed`.
        rerandomize_each_iteration: If True, each iteration produces different numbers.

    Returns:
        A `tf.data.Dataset` of scalars.

    Example:
        >>> import tfpy as tf
        >>> numbers = tf.data.experimental.RandomDataset(seed=4).take(2)
        >>> [int(x) for x in numbers] == [int(x) for x in numbers]
        True
    """
    return DatasetV2.random(seed, rerandomize_each_iteration)


def choose_from_datasets(
    datasets: Sequence[DatasetV2], choice_dataset: DatasetV2, stop_on_empty_dataset: bool = False
) -> DatasetV2:
    """Select elements from several datasets, as `tf.data.Dataset.choose_from_datasets`.

    Args:
        datasets: Nonempty list of datasets with compatible elements.
        choice_dataset: Dataset of int64 scalars, the number of the dataset for each element.
        stop_on_empty_dataset: If True, stop when a dataset ends. Otherwise continue with the
            others.

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
    """Sample elements at random from several datasets, as `tf.data.Dataset.sample_from_datasets`.

    Args:
        datasets: Nonempty list of datasets with compatible elements.
        weights: Float tensor of shape `[len(datasets)]`, or a dataset of such tensors. Default:
            equal weights.
        seed: Integer that makes the sequence reproducible together with `tf.random.set_seed`.
        stop_on_empty_dataset: If True, stop when a dataset ends. Otherwise continue with the
            others.

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
    shard_func: Callable[..., Any] | None = None,
    checkpoint_args: dict[str, Any] | None = None,
) -> None:
    """Write the elements of a dataset to a directory, as `tf.data.Dataset.save`.

    Args:
        dataset: A `tf.data.Dataset`.
        path: Path of the directory.
        compression: `"GZIP"` or None.
        shard_func: Function of an element that returns the number of its file.
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
    reader_func: Callable[..., Any] | None = None,
) -> DatasetV2:
    """Make a dataset of saved elements, as `tf.data.Dataset.load`.

    Args:
        path: Path of the directory.
        element_spec: Nest of specs. Necessary only for named tuples, which are saved as tuples.
        compression: Has no effect: files record their compression.
        reader_func: Function from a dataset of the datasets of files to a dataset of elements.

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
