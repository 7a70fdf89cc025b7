"""``tf.data.Dataset``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfpy._src.base import dtypes
from tfpy._src.data import files, generators, sources, structure
from tfpy._src.data.calling import Calling
from tfpy._src.data.choosing import Choosing
from tfpy._src.data.grouping import Grouping
from tfpy._src.data.node import INFINITE, UNKNOWN
from tfpy._src.data.seeds import seeds_of

AUTOTUNE = -1
INFINITE_CARDINALITY = INFINITE
UNKNOWN_CARDINALITY = UNKNOWN


class DatasetV2(Choosing, Grouping, Calling):
    """Elements, one after the other: nests of tensors (``tf.data.Dataset``).

    Elements are computed by NumPy on the host, one at a time, when they are asked for.

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
    def from_tensors(tensors: Any, name: str | None = None) -> DatasetV2:
        """One element: a nest of tensors; lists are tensors."""
        return DatasetV2(sources.TensorsNode(tensors))

    @staticmethod
    def from_tensor_slices(tensors: Any, name: str | None = None) -> DatasetV2:
        """The rows of a nest of tensors.

        Raises:
            ValueError: for scalars, or tensors of different first sizes.
        """
        return DatasetV2(sources.Slices(tensors))

    @staticmethod
    def from_generator(
        generator: Callable[..., Any],
        output_types: Any = None,
        output_shapes: Any = None,
        args: Any = None,
        output_signature: Any = None,
        name: str | None = None,
    ) -> DatasetV2:
        """What a generator function yields; each iteration calls it anew.

        An asynchronous one (``async def``) makes a dataset for ``async for`` and ``fit_async``.

        Args:
            output_types, output_shapes: nests of dtypes and shapes of what it yields, or
            output_signature: a nest of specs.
            args: tensors, which the function is given as arrays.

        Raises:
            TypeError: when the function is not callable, or the specs are not told in one way.
            InvalidArgumentError: when it yields what does not fit, while iterating.
        """
        if not callable(generator):
            raise TypeError("`generator` must be a Python callable.")
        spec = generators.signature(output_types, output_shapes, output_signature)
        return DatasetV2(generators.GeneratorNode(generator, () if args is None else args, spec))

    @staticmethod
    def range(*args: Any, **kwargs: Any) -> DatasetV2:
        """The numbers from ``start`` (0) to before ``stop``, ``step`` (1) apart.

        Args:
            output_type: int64 unless it is given.

        Raises:
            ValueError: for no arguments or more than three.
            InvalidArgumentError: for a step of 0.
        """
        return DatasetV2(sources.number_range(args, kwargs.get("output_type", dtypes.int64)))

    @staticmethod
    def counter(
        start: Any = 0, step: Any = 1, dtype: Any = dtypes.int64, name: str | None = None
    ) -> DatasetV2:
        """Numbers from ``start``, ``step`` apart, without end."""
        return DatasetV2(sources.Counter(start, step, dtype))

    @staticmethod
    def random(
        seed: Any = None, rerandomize_each_iteration: bool | None = None, name: str | None = None
    ) -> DatasetV2:
        """Random numbers of 32 bits without end, TensorFlow's for the same seeds, as uint32.

        Args:
            rerandomize_each_iteration: whether each iteration has other numbers.
        """
        return DatasetV2(sources.Random(seeds_of(seed), bool(rerandomize_each_iteration)))

    @staticmethod
    def list_files(
        file_pattern: Any, shuffle: bool | None = None, seed: Any = None, name: str | None = None
    ) -> DatasetV2:
        """The names of the files that match patterns, in random order unless ``shuffle`` is False.

        Raises:
            InvalidArgumentError: when there are none.
        """
        found = files.matching(file_pattern)
        dataset = DatasetV2.from_tensor_slices(found)
        return dataset if shuffle is False else dataset.shuffle(len(found), seed)


class TextLineDatasetV2(DatasetV2):
    """The lines of text files, without their ends (``tf.data.TextLineDataset``).

    Args:
        filenames: names, or a dataset of these; in a page also addresses, data sources and the
            browser's File objects, whose lines are awaited.
        compression_type: "GZIP", "ZLIB" or "".

    Raises:
        NotFoundError: when a file is not there, while iterating.

    Example:
        >>> import tfpy as tf
        >>> tf.io.write_file("lines.txt", "one\\ntwo\\n")
        >>> [line.numpy() for line in tf.data.TextLineDataset("lines.txt")]
        [b'one', b'two']
    """

    def __init__(
        self,
        filenames: Any,
        compression_type: Any = None,
        buffer_size: Any = None,
        num_parallel_reads: Any = None,
        name: str | None = None,
    ) -> None:
        super().__init__(
            files.FileContents("TextLineDatasetV2", filenames, compression_type, files.lines)
        )


class TFRecordDatasetV2(DatasetV2):
    """The records of TFRecord files (``tf.data.TFRecordDataset``).

    Args:
        filenames: as of :class:`TextLineDataset`.
        compression_type: "GZIP", "ZLIB" or "".

    Raises:
        NotFoundError: when a file is not there, while iterating.
        DataLossError: where a file is damaged.

    Example:
        >>> import tfpy as tf
        >>> record = "020000000000000078270b34686913d60856"  # a length, "hi", and the sums of both
        >>> tf.io.write_file("hi.tfrecord", bytes.fromhex(record))
        >>> [x.numpy() for x in tf.data.TFRecordDataset("hi.tfrecord")]
        [b'hi']
    """

    def __init__(
        self,
        filenames: Any,
        compression_type: Any = None,
        buffer_size: Any = None,
        num_parallel_reads: Any = None,
        name: str | None = None,
    ) -> None:
        node = files.FileContents("TFRecordDatasetV2", filenames, compression_type, files.records)
        super().__init__(node)


class FixedLengthRecordDatasetV2(DatasetV2):
    """Parts of one length of binary files (``tf.data.FixedLengthRecordDataset``).

    Args:
        filenames: as of :class:`TextLineDataset`.
        header_bytes, footer_bytes: that are left out at both ends of each file.
        compression_type: "GZIP", "ZLIB" or "".

    Raises:
        NotFoundError: when a file is not there, while iterating.
        InvalidArgumentError: when a file does not consist of such parts.

    Example:
        >>> import tfpy as tf
        >>> tf.io.write_file("records.bin", "aabbcc")
        >>> [r.numpy() for r in tf.data.FixedLengthRecordDataset("records.bin", record_bytes=2)]
        [b'aa', b'bb', b'cc']
    """

    def __init__(
        self,
        filenames: Any,
        record_bytes: Any,
        header_bytes: Any = None,
        footer_bytes: Any = None,
        buffer_size: Any = None,
        compression_type: Any = None,
        num_parallel_reads: Any = None,
        name: str | None = None,
    ) -> None:
        header, footer = (
            0 if n is None else sources.whole(n) for n in (header_bytes, footer_bytes)
        )
        read = files.fixed(sources.whole(record_bytes), header, footer)
        node = files.FileContents("FixedLengthRecordDatasetV2", filenames, compression_type, read)
        super().__init__(node)


class WholeFileDataset(DatasetV2):
    """The bytes of files, one file an element (``tf.data.WholeFileDataset``).

    Args:
        filenames: names, addresses or data sources, or a dataset of names and addresses.

    Raises:
        NotFoundError: when a file is not there, while iterating.

    Example:
        ``WholeFileDataset(["https://host/a.png"]).map(tf.io.decode_png)``

        >>> import tfpy as tf
        >>> tf.io.write_file("lines.txt", "one\\ntwo\\n")
        >>> [text.numpy() for text in tf.data.WholeFileDataset(["lines.txt"])]
        [b'one\\ntwo\\n']
    """

    def __init__(self, filenames: Any) -> None:
        super().__init__(files.FileContents("WholeFileDataset", filenames, None, files.whole))


Dataset = DatasetV2
TextLineDataset = TextLineDatasetV2
TFRecordDataset = TFRecordDatasetV2
FixedLengthRecordDataset = FixedLengthRecordDatasetV2
structure.AS_DATASET.append(DatasetV2)
