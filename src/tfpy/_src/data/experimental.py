"""``tf.data.experimental``: files of values, and older names of what datasets do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfpy._src.base import dtypes
from tfpy._src.core.tensor import Tensor
from tfpy._src.data import structure
from tfpy._src.data.csv import Records
from tfpy._src.data.dataset import DatasetV2
from tfpy._src.data.iterators import Iterator, Optional


class CsvDatasetV2(DatasetV2):
    """The records of files of separated values, a component for each column
    (``tf.data.experimental.CsvDataset``).

    Args:
        filenames: names, or a dataset of these.
        record_defaults: for each column its dtype, if it is required, or what stands for a missing
            value.
        compression_type: "GZIP", "ZLIB" or "".
        header: whether files begin with a line of names, which is left out.
        na_value: a text that counts as missing.
        select_cols, exclude_cols: numbers of the columns that are taken, or left out.

    Raises:
        NotFoundError: when a file is not there, while iterating.
        InvalidArgumentError: when a record does not fit, while iterating.

    Example:
        >>> import tfpy as tf
        >>> tf.io.write_file("flowers.csv", "length,kind\\n5.5,0\\n4.25,1\\n")
        >>> kinds = [tf.float32, tf.int32]
        >>> rows = tf.data.experimental.CsvDataset("flowers.csv", kinds, header=True)
        >>> [(length.numpy().tolist(), kind.numpy().tolist()) for length, kind in rows]
        [(5.5, 0), (4.25, 1)]
    """

    def __init__(
        self,
        filenames: Any,
        record_defaults: Any,
        compression_type: Any = None,
        buffer_size: Any = None,
        header: bool = False,
        field_delim: str = ",",
        use_quote_delim: bool = True,
        na_value: str = "",
        select_cols: Any = None,
        exclude_cols: Any = None,
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
    """``dataset.cardinality()``.

    Example:
        >>> import tfpy as tf
        >>> tf.data.experimental.cardinality(tf.data.Dataset.range(6).batch(4)).numpy().tolist()
        2
    """
    return dataset.cardinality()


def from_list(elements: Any, name: str | None = None) -> DatasetV2:
    """The elements of a list.

    Raises:
        ValueError: for an empty list.
        TypeError: for elements of different structures, dtypes or shapes.

    Example:
        >>> import tfpy as tf
        >>> [x["n"].numpy().tolist() for x in tf.data.experimental.from_list([{"n": 1}, {"n": 2}])]
        [1, 2]
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
    """``iterator.get_next_as_optional()``.

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
    """``dataset.get_single_element()``.

    Example:
        >>> import tfpy as tf
        >>> data = tf.data.Dataset.range(4).batch(4)
        >>> tf.data.experimental.get_single_element(data).numpy().tolist()
        [0, 1, 2, 3]
    """
    return dataset.get_single_element()


def get_structure(dataset_or_iterator: Any) -> Any:
    """The spec of the elements.

    Raises:
        TypeError: for what is no dataset or iterator.

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


def Counter(start: Any = 0, step: Any = 1, dtype: Any = dtypes.int64) -> DatasetV2:  # noqa: N802
    """``Dataset.counter``: numbers without end.

    Example:
        >>> import tfpy as tf
        >>> [int(n) for n in tf.data.experimental.Counter(start=5, step=2).take(3)]
        [5, 7, 9]
    """
    return DatasetV2.counter(start, step, dtype)


def RandomDataset(  # noqa: N802 - TensorFlow's name
    seed: Any = None, rerandomize_each_iteration: bool | None = None, name: str | None = None
) -> DatasetV2:
    """``Dataset.random``: random numbers without end.

    Example:
        >>> import tfpy as tf
        >>> numbers = tf.data.experimental.RandomDataset(seed=4).take(2)
        >>> [int(x) for x in numbers] == [int(x) for x in numbers]
        True
    """
    return DatasetV2.random(seed, rerandomize_each_iteration)


def choose_from_datasets(
    datasets: Any, choice_dataset: Any, stop_on_empty_dataset: bool = False
) -> DatasetV2:
    """``Dataset.choose_from_datasets``, which by default leaves out datasets that have ended.

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
    datasets: Any, weights: Any = None, seed: Any = None, stop_on_empty_dataset: bool = False
) -> DatasetV2:
    """``Dataset.sample_from_datasets``.

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
    path: Any,
    compression: Any = None,
    shard_func: Callable[..., Any] | None = None,
    checkpoint_args: Any = None,
) -> None:
    """``dataset.save``.

    Example:
        >>> import tfpy as tf
        >>> tf.data.experimental.save(tf.data.Dataset.range(3), "saved")
        >>> [int(x) for x in tf.data.Dataset.load("saved")]
        [0, 1, 2]
    """
    dataset.save(path, compression, shard_func)


def load(
    path: Any,
    element_spec: Any = None,
    compression: Any = None,
    reader_func: Callable[..., Any] | None = None,
) -> DatasetV2:
    """``Dataset.load``.

    Example:
        >>> import tfpy as tf
        >>> tf.data.Dataset.range(3).save("saved")
        >>> [int(x) for x in tf.data.experimental.load("saved")]
        [0, 1, 2]
    """
    found: DatasetV2 = DatasetV2.load(path, element_spec, compression, reader_func)
    return found
