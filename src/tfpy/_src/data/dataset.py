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
    """A sequence of elements, each of which is a tensor or nested structure of tensors.

    The structure may consist of tuples and dicts, and its components may also be ragged tensors,
    sparse tensors or datasets. Elements are computed one at a time, when they are requested, with
    NumPy on every backend. Iterate over a dataset with `for`, or in a page with `async for`, which
    lets the page react between elements. The static methods make datasets; the other methods
    return a new dataset.

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
        """Make a dataset with one element.

        Args:
            tensors: The element, a tensor or nested structure (tuple or dict) of tensors. A list is
                converted to one tensor.

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
        """Make a dataset whose elements are the slices of tensors along their first axis.

        Args:
            tensors: Tensor or nested structure (tuple or dict) of tensors with the same first
                dimension. A list is converted to one tensor.

        Returns:
            A `tf.data.Dataset`. Its elements have the structure of `tensors`.

        Raises:
            ValueError: If there are no tensors, if one is a scalar, or if their first dimensions
                differ.

        Example:
            >>> import tfpy as tf
            >>> [int(x) for x in tf.data.Dataset.from_tensor_slices([1, 2, 3])]
            [1, 2, 3]
            >>> rows = tf.data.Dataset.from_tensor_slices(([1.5, 2.5], ["a", "b"]))
            >>> [(float(x), name.numpy()) for x, name in rows]
            [(1.5, b'a'), (2.5, b'b')]

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

        Each iteration calls the function again. If the function is asynchronous (`async def`), read
        the elements with `async for` or Keras's `fit_async`.

        Args:
            generator: Function that returns an iterator over the elements.
            output_types: Dtype of each component, in the structure of an element. In new code, use
                `output_signature` instead.
            output_shapes: Shape of each component, in the structure of an element; used with
                `output_types`. Default: unknown shapes.
            args: Arguments of `generator`, which it receives as NumPy arrays. Default: none.
            output_signature: `tf.TensorSpec` of each component, in the structure of an element.

        Returns:
            A `tf.data.Dataset`.

        Raises:
            TypeError: If `generator` is not callable, if neither `output_signature` nor
                `output_types` is given, or if both are.
            tf.errors.InvalidArgumentError: If a value does not match `output_signature` or
                `output_types`; raised while iterating.

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
            *args: One to three integers, with the meaning that they have in Python's `range`.
            **kwargs: `output_type` is the dtype of the elements. Default: `tf.int64`.

        Returns:
            A `tf.data.Dataset` of scalars.

        Raises:
            ValueError: If there are no positional arguments or more than three.
            tf.errors.InvalidArgumentError: If the third integer, the step, is 0.

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
            start: First number. Default: 0.
            step: Difference between consecutive numbers. Default: 1.
            dtype: Dtype of the elements. Default: `tf.int64`.

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

        TensorFlow produces the same numbers for the same seeds.

        Args:
            seed: Integer that makes a run of the program reproducible, even without
                `tf.random.set_seed`. Default: the results differ between runs unless
                `tf.random.set_seed` was called.
            rerandomize_each_iteration: If True, each iteration produces different numbers. If False
                or None (default), all iterations produce the same numbers.

        Returns:
            A `tf.data.Dataset` of uint32 scalars, or of int64 scalars if the environment variable
            `TFPY_ENABLE_X64` is set.

        Example:
            >>> import tfpy as tf
            >>> tf.random.set_seed(1)
            >>> numbers = tf.data.Dataset.random(seed=4).take(2)
            >>> [int(x) for x in numbers], [int(x) for x in numbers]
            ([3140572256, 1890473413], [3140572256, 1890473413])
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
            file_pattern: Glob pattern such as `"images/*.png"`, or a list of patterns.
            shuffle: If False, sort the names. If True or None (default), shuffle them.
            seed: Integer that makes a run of the program reproducible, even without
                `tf.random.set_seed`. Default: the results differ between runs unless
                `tf.random.set_seed` was called.

        Returns:
            A `tf.data.Dataset` of scalar string tensors.

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
    """A dataset of the lines of text files, without the characters that end a line.

    Args:
        filenames: Name of a file, or a list or dataset of names. In a page, URLs, data sources such
            as `tf.data.URLDataSource` and the browser's File objects are accepted too; read these
            with `async for`.
        compression_type: `"GZIP"`, `"ZLIB"`, or `""` (default) for files without compression.
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
        filenames: Name of a file, or a list or dataset of names. In a page, URLs, data sources such
            as `tf.data.URLDataSource` and the browser's File objects are accepted too; read these
            with `async for`.
        compression_type: `"GZIP"`, `"ZLIB"`, or `""` (default) for files without compression.
        buffer_size: Has no effect.
        num_parallel_reads: Has no effect.

    Raises:
        tf.errors.NotFoundError: If a file does not exist; raised while iterating.
        tf.errors.DataLossError: If a file is corrupt; raised while iterating.

    Example:
        >>> import tfpy as tf
        >>> record = "020000000000000078270b34686913d60856"  # length, checksum, "hi", checksum
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
        filenames: Name of a file, or a list or dataset of names. In a page, URLs, data sources such
            as `tf.data.URLDataSource` and the browser's File objects are accepted too; read these
            with `async for`.
        record_bytes: Length of a record in bytes.
        header_bytes: Number of bytes to skip at the beginning of each file. Default: 0.
        footer_bytes: Number of bytes to skip at the end of each file. Default: 0.
        buffer_size: Has no effect.
        compression_type: `"GZIP"`, `"ZLIB"`, or `""` (default) for files without compression.
        num_parallel_reads: Has no effect.

    Raises:
        tf.errors.NotFoundError: If a file does not exist; raised while iterating.
        tf.errors.InvalidArgumentError: If the length of a file without its header and footer is
            not a multiple of `record_bytes`; raised while iterating.

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
    """A dataset of the contents of files. Each element is a whole file, as a string of bytes.

    For example, `WholeFileDataset(urls).map(tf.io.decode_png)` loads images.

    Args:
        filenames: Name of a file, or a list or dataset of names. In a page, URLs, data sources such
            as `tf.data.URLDataSource` and the browser's File objects are accepted too; read these
            with `async for`.

    Raises:
        tf.errors.NotFoundError: If a file does not exist; raised while iterating.

    Example:
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
