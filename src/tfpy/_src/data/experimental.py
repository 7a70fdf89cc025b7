"""``tf.data.experimental``: what ``Dataset.apply`` takes, files of values, and older names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfpy._src import dtypes
from tfpy._src.core.tensor import Tensor
from tfpy._src.data import structure
from tfpy._src.data.csv import Records
from tfpy._src.data.dataset import DatasetV2
from tfpy._src.data.iterators import Iterator, Optional
from tfpy._src.data.selection import AssertCardinality
from tfpy._src.data.sources import whole

Transformation = Callable[[Any], Any]


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


def assert_cardinality(expected_cardinality: Any) -> Transformation:
    """The elements, which must be so many: FailedPreconditionError while iterating otherwise."""
    expected = whole(expected_cardinality)
    return lambda dataset: DatasetV2(AssertCardinality(dataset._node, expected))


def cardinality(dataset: DatasetV2) -> Tensor:
    """``dataset.cardinality()``."""
    return dataset.cardinality()


def from_list(elements: Any, name: str | None = None) -> DatasetV2:
    """The elements of a list.

    Raises:
        ValueError: for an empty list.
        TypeError: for elements of different structures, dtypes or shapes.
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
    """``iterator.get_next_as_optional()``."""
    return iterator.get_next_as_optional()


def get_single_element(dataset: DatasetV2) -> Any:
    """``dataset.get_single_element()``."""
    return dataset.get_single_element()


def get_structure(dataset_or_iterator: Any) -> Any:
    """The spec of the elements.

    Raises:
        TypeError: for what is no dataset or iterator.
    """
    try:
        return dataset_or_iterator.element_spec
    except AttributeError:
        kind = type(dataset_or_iterator)
        raise TypeError(
            "Invalid `dataset_or_iterator`. `dataset_or_iterator` must be a `tf.data.Dataset` or "
            f"tf.data.Iterator object, but got {kind}."
        ) from None


def _applying(name: str) -> Callable[..., Transformation]:
    """A function that gives a transformation: a method of datasets with its arguments."""
    method = getattr(DatasetV2, name)

    def transformation(*args: Any, **kwargs: Any) -> Transformation:
        return lambda dataset: method(dataset, *args, **kwargs)

    transformation.__name__ = transformation.__qualname__ = name
    transformation.__doc__ = f"``Dataset.{name}`` of these arguments, for ``Dataset.apply``."
    return transformation


bucket_by_sequence_length = _applying("bucket_by_sequence_length")
dense_to_ragged_batch = _applying("ragged_batch")
dense_to_sparse_batch = _applying("sparse_batch")
enumerate_dataset = _applying("enumerate")
group_by_window = _applying("group_by_window")
ignore_errors = _applying("ignore_errors")
rejection_resample = _applying("rejection_resample")
scan = _applying("scan")
snapshot = _applying("snapshot")
take_while = _applying("take_while")
unbatch = _applying("unbatch")
unique = _applying("unique")


def copy_to_device(target_device: str, source_device: str = "/cpu:0") -> Transformation:
    """The same elements: they cross to the device when a step takes them."""
    return lambda dataset: dataset


def prefetch_to_device(device: str, buffer_size: Any = None) -> Transformation:
    """The same elements: they cross to the device when a step takes them."""
    return lambda dataset: dataset


def map_and_batch(
    map_func: Callable[..., Any],
    batch_size: Any,
    num_parallel_batches: Any = None,
    drop_remainder: bool = False,
    num_parallel_calls: Any = None,
) -> Transformation:
    """``map``, then ``batch``, for ``Dataset.apply``."""
    return lambda dataset: dataset.map(map_func).batch(batch_size, drop_remainder)


def parallel_interleave(
    map_func: Callable[..., Any],
    cycle_length: Any,
    block_length: Any = 1,
    sloppy: bool = False,
    buffer_output_elements: Any = None,
    prefetch_input_elements: Any = None,
) -> Transformation:
    """``interleave``, for ``Dataset.apply``."""
    return lambda dataset: dataset.interleave(map_func, cycle_length, block_length)


def shuffle_and_repeat(buffer_size: Any, count: Any = None, seed: Any = None) -> Transformation:
    """``shuffle``, then ``repeat``, for ``Dataset.apply``."""
    return lambda dataset: dataset.shuffle(buffer_size, seed).repeat(count)


def Counter(start: Any = 0, step: Any = 1, dtype: Any = dtypes.int64) -> DatasetV2:  # noqa: N802
    """``Dataset.counter``: numbers without end."""
    return DatasetV2.counter(start, step, dtype)


def RandomDataset(  # noqa: N802 - TensorFlow's name
    seed: Any = None, rerandomize_each_iteration: bool | None = None, name: str | None = None
) -> DatasetV2:
    """``Dataset.random``: random numbers without end."""
    return DatasetV2.random(seed, rerandomize_each_iteration)


def choose_from_datasets(
    datasets: Any, choice_dataset: Any, stop_on_empty_dataset: bool = False
) -> DatasetV2:
    """``Dataset.choose_from_datasets``, which by default leaves out datasets that have ended."""
    found: DatasetV2 = DatasetV2.choose_from_datasets(
        datasets, choice_dataset, stop_on_empty_dataset
    )
    return found


def sample_from_datasets(
    datasets: Any, weights: Any = None, seed: Any = None, stop_on_empty_dataset: bool = False
) -> DatasetV2:
    """``Dataset.sample_from_datasets``."""
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
    """``dataset.save``."""
    dataset.save(path, compression, shard_func)


def load(
    path: Any,
    element_spec: Any = None,
    compression: Any = None,
    reader_func: Callable[..., Any] | None = None,
) -> DatasetV2:
    """``Dataset.load``."""
    found: DatasetV2 = DatasetV2.load(path, element_spec, compression, reader_func)
    return found
