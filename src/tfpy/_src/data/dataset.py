"""`tf.data.Dataset` and the datasets that read files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tfpy._src.base import dtypes
from tfpy._src.core.typing import DTypeLike, IntLike, Nest, TensorLike
from tfpy._src.data import files, generators, sources, structure
from tfpy._src.data.base import DatasetBase
from tfpy._src.data.calling import Calling
from tfpy._src.data.choosing import Choosing
from tfpy._src.data.combining import Combining
from tfpy._src.data.grouping import Grouping
from tfpy._src.data.node import INFINITE, UNKNOWN
from tfpy._src.data.seeds import seeds_of
from tfpy._src.data.storing import Storing

AUTOTUNE = -1
INFINITE_CARDINALITY = INFINITE
UNKNOWN_CARDINALITY = UNKNOWN


class DatasetV2(Choosing, Combining, Storing, Grouping, Calling):
    """A sequence of elements, each of which is a tensor or a nest of tensors.

    Elements are computed with NumPy on the host, one at a time, when they are requested. A dataset
    is iterated over with `for`, or with `async for` in a page. The static methods below make
    datasets; the other methods return a new dataset.

    Example:
        >>> import tfpy as tf
        >>> numbers = tf.data.Dataset.range(5).map(lambda x: x * x).batch(2)
        >>> for batch in numbers:
        ...     print(batch.numpy())
        [0 1]
        [4 9]
        [16]
    """

    @staticmethod
    def from_tensors(tensors: Nest, name: str | None = None) -> DatasetV2:
        """Make a dataset of one element.

        Args:
            tensors: Nest of tensors. Lists are converted to tensors.

        Returns:
            A `tf.data.Dataset`.

        Example:
            >>> import tfpy as tf
            >>> list(tf.data.Dataset.from_tensors([1, 2]).as_numpy_iterator())
            [array([1, 2], dtype=int32)]

        See also: `tf.data.Dataset.from_tensor_slices`.
        """
        return DatasetV2(sources.TensorsNode(tensors))

    @staticmethod
    def from_tensor_slices(tensors: Nest, name: str | None = None) -> DatasetV2:
        """Make a dataset of the slices of tensors along the first axis.

        Args:
            tensors: Nest of tensors with equal first sizes. Lists are converted to tensors.

        Returns:
            A `tf.data.Dataset`.

        Raises:
            ValueError: If a tensor is a scalar, or first sizes differ.

        Example:
            >>> import tfpy as tf
            >>> [int(x) for x in tf.data.Dataset.from_tensor_slices([1, 2, 3])]
            [1, 2, 3]

        See also: `tf.data.Dataset.from_tensors`.
        """
        return DatasetV2(sources.Slices(tensors))

    @staticmethod
    def from_generator(
        generator: Callable[..., Any],
        output_types: Nest = None,
        output_shapes: Nest = None,
        args: Sequence[TensorLike] | None = None,
        output_signature: Nest = None,
        name: str | None = None,
    ) -> DatasetV2:
        """Make a dataset of the values that a generator function yields.

        Each iteration calls the function again. An asynchronous generator (`async def`) makes a
        dataset for `async for` and `fit_async`.

        Args:
            generator: Function that returns an iterator.
            output_types: Nest of dtypes of an element. Use `output_signature` instead in new code.
            output_shapes: Nest of shapes of an element. Default: unknown shapes.
            args: Sequence of tensors that the function receives as NumPy arrays.
            output_signature: Nest of specs of an element, e.g. `tf.TensorSpec`.

        Returns:
            A `tf.data.Dataset`.

        Raises:
            TypeError: If `generator` is not callable, or the specs are missing or passed in both
                forms.
            tf.errors.InvalidArgumentError: If a value does not match the specs; raised while
                iterating.

        Example:
            >>> import tfpy as tf
            >>> def numbers():
            ...     yield from (1, 2, 3)
            >>> spec = tf.TensorSpec([], tf.int32)
            >>> [int(x) for x in tf.data.Dataset.from_generator(numbers, output_signature=spec)]
            [1, 2, 3]
        """
        if not callable(generator):
            raise TypeError("`generator` must be a Python callable.")
        spec = generators.signature(output_types, output_shapes, output_signature)
        return DatasetV2(generators.GeneratorNode(generator, () if args is None else args, spec))

    @staticmethod
    def range(*args: IntLike, **kwargs: DTypeLike) -> DatasetV2:
        """Make a dataset of evenly spaced integers.

        Args:
            *args: `stop`, or `start, stop`, or `start, stop, step`. `start` defaults to 0, `step`
                to 1.
            **kwargs: `output_type`: dtype of the elements. Default: int64.

        Returns:
            A `tf.data.Dataset` of scalars.

        Raises:
            ValueError: If there are no arguments or more than three.
            tf.errors.InvalidArgumentError: If the step is 0.

        Example:
            >>> import tfpy as tf
            >>> [int(x) for x in tf.data.Dataset.range(2, 8, 2)]
            [2, 4, 6]

        See also: `tf.data.Dataset.counter`.
        """
        return DatasetV2(sources.number_range(args, kwargs.get("output_type", dtypes.int64)))

    @staticmethod
    def counter(
        start: TensorLike = 0,
        step: TensorLike = 1,
        dtype: DTypeLike = dtypes.int64,
        name: str | None = None,
    ) -> DatasetV2:
        """Make an infinite dataset of evenly spaced numbers.

        Args:
            start: First number.
            step: Difference between consecutive numbers.
            dtype: Dtype of the elements.

        Returns:
            A `tf.data.Dataset` of scalars.

        Example:
            >>> import tfpy as tf
            >>> [int(x) for x in tf.data.Dataset.counter(5, 2).take(3)]
            [5, 7, 9]

        See also: `tf.data.Dataset.range`.
        """
        return DatasetV2(sources.Counter(start, step, dtype))

    @staticmethod
    def random(
        seed: IntLike | None = None,
        rerandomize_each_iteration: bool | None = None,
        name: str | None = None,
    ) -> DatasetV2:
        """Make an infinite dataset of random 32-bit integers.

        The numbers are TensorFlow's for the same seeds.

        Args:
            seed: Integer that makes the sequence reproducible together with `tf.random.set_seed`.
            rerandomize_each_iteration: If True, each iteration produces different numbers.

        Returns:
            A `tf.data.Dataset` of uint32 scalars (int64 with 64-bit dtypes).

        Example:
            >>> import tfpy as tf
            >>> numbers = tf.data.Dataset.random(seed=4).take(2)
            >>> [int(x) for x in numbers] == [int(x) for x in numbers]
            True
        """
        return DatasetV2(sources.Random(seeds_of(seed), bool(rerandomize_each_iteration)))

    @staticmethod
    def list_files(
        file_pattern: TensorLike,
        shuffle: bool | None = None,
        seed: IntLike | None = None,
        name: str | None = None,
    ) -> DatasetV2:
        """Make a dataset of the names of the files that match glob patterns.

        Args:
            file_pattern: Pattern or list of patterns, e.g. `"images/*.png"`.
            shuffle: If False, keep the names in order. Default: shuffle them.
            seed: Integer that makes the sequence reproducible together with `tf.random.set_seed`.

        Returns:
            A `tf.data.Dataset` of string scalars.

        Raises:
            tf.errors.InvalidArgumentError: If no file matches.

        Example:
            >>> import tfpy as tf
            >>> tf.io.write_file("one.log", "1")
            >>> [x.numpy() for x in tf.data.Dataset.list_files("one.*")]
            [b'one.log']
        """
        found = files.matching(file_pattern)
        dataset = DatasetV2.from_tensor_slices(found)
        return dataset if shuffle is False else dataset.shuffle(len(found), seed)


class TextLineDatasetV2(DatasetV2):
    """A dataset of the lines of text files, without line ends.

    Args:
        filenames: File names, or a dataset of file names. In a page also URLs, data sources and the
            browser's File objects; their lines are awaited.
        compression_type: `"GZIP"`, `"ZLIB"` or `""` (default).
        buffer_size: Has no effect.
        num_parallel_reads: Has no effect.

    Raises:
        tf.errors.NotFoundError: If a file does not exist; raised while iterating.

    Example:
        >>> import tfpy as tf
        >>> tf.io.write_file("lines.txt", "one\\ntwo\\n")
        >>> [line.numpy() for line in tf.data.TextLineDataset("lines.txt")]
        [b'one', b'two']

    See also: `tf.data.TFRecordDataset`, `tf.data.FixedLengthRecordDataset`.
    """

    def __init__(
        self,
        filenames: TensorLike | DatasetBase | Sequence[Any],
        compression_type: str | None = None,
        buffer_size: IntLike | None = None,
        num_parallel_reads: IntLike | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__(
            files.FileContents("TextLineDatasetV2", filenames, compression_type, files.lines)
        )


class TFRecordDatasetV2(DatasetV2):
    """A dataset of the records of TFRecord files.

    Args:
        filenames: File names, or a dataset of file names. In a page also URLs, data sources and the
            browser's File objects; their records are awaited.
        compression_type: `"GZIP"`, `"ZLIB"` or `""` (default).
        buffer_size: Has no effect.
        num_parallel_reads: Has no effect.

    Raises:
        tf.errors.NotFoundError: If a file does not exist; raised while iterating.
        tf.errors.DataLossError: If a file is corrupt; raised while iterating.

    Example:
        >>> import tfpy as tf
        >>> record = "020000000000000078270b34686913d60856"  # a length, "hi", and the sums of both
        >>> tf.io.write_file("hi.tfrecord", bytes.fromhex(record))
        >>> [x.numpy() for x in tf.data.TFRecordDataset("hi.tfrecord")]
        [b'hi']

    See also: `tf.data.TextLineDataset`, `tf.data.FixedLengthRecordDataset`.
    """

    def __init__(
        self,
        filenames: TensorLike | DatasetBase | Sequence[Any],
        compression_type: str | None = None,
        buffer_size: IntLike | None = None,
        num_parallel_reads: IntLike | None = None,
        name: str | None = None,
    ) -> None:
        node = files.FileContents("TFRecordDatasetV2", filenames, compression_type, files.records)
        super().__init__(node)


class FixedLengthRecordDatasetV2(DatasetV2):
    """A dataset of the records of binary files in which all records have the same length.

    Args:
        filenames: File names, or a dataset of file names. In a page also URLs, data sources and the
            browser's File objects; their records are awaited.
        record_bytes: Length of a record in bytes.
        header_bytes: Number of bytes to skip at the start of each file. Default: 0.
        footer_bytes: Number of bytes to ignore at the end of each file. Default: 0.
        buffer_size: Has no effect.
        compression_type: `"GZIP"`, `"ZLIB"` or `""` (default).
        num_parallel_reads: Has no effect.

    Raises:
        tf.errors.NotFoundError: If a file does not exist; raised while iterating.
        tf.errors.InvalidArgumentError: If a file does not consist of complete records; raised
            while iterating.

    Example:
        >>> import tfpy as tf
        >>> tf.io.write_file("records.bin", "aabbcc")
        >>> [r.numpy() for r in tf.data.FixedLengthRecordDataset("records.bin", record_bytes=2)]
        [b'aa', b'bb', b'cc']

    See also: `tf.data.TextLineDataset`, `tf.data.TFRecordDataset`.
    """

    def __init__(
        self,
        filenames: TensorLike | DatasetBase | Sequence[Any],
        record_bytes: IntLike,
        header_bytes: IntLike | None = None,
        footer_bytes: IntLike | None = None,
        buffer_size: IntLike | None = None,
        compression_type: str | None = None,
        num_parallel_reads: IntLike | None = None,
        name: str | None = None,
    ) -> None:
        header, footer = (
            0 if n is None else sources.whole(n) for n in (header_bytes, footer_bytes)
        )
        read = files.fixed(sources.whole(record_bytes), header, footer)
        node = files.FileContents("FixedLengthRecordDatasetV2", filenames, compression_type, read)
        super().__init__(node)


class WholeFileDataset(DatasetV2):
    """A dataset of the contents of files. Each element is one file as a string of bytes.

    Args:
        filenames: File names, URLs or data sources, or a dataset of names and URLs.

    Raises:
        tf.errors.NotFoundError: If a file does not exist; raised while iterating.

    Example:
        `WholeFileDataset(["https://host/a.png"]).map(tf.io.decode_png)` loads images.

        >>> import tfpy as tf
        >>> tf.io.write_file("lines.txt", "one\\ntwo\\n")
        >>> [text.numpy() for text in tf.data.WholeFileDataset(["lines.txt"])]
        [b'one\\ntwo\\n']

    See also: `tf.data.TextLineDataset`, `tf.io.read_file`.
    """

    def __init__(self, filenames: TensorLike | DatasetBase | Sequence[Any]) -> None:
        super().__init__(files.FileContents("WholeFileDataset", filenames, None, files.whole))


Dataset = DatasetV2
TextLineDataset = TextLineDatasetV2
TFRecordDataset = TFRecordDatasetV2
FixedLengthRecordDataset = FixedLengthRecordDatasetV2
structure.AS_DATASET.append(DatasetV2)
