"""Readers of TensorFlow 1 for text files, TFRecord files, whole files and records of one length."""

from __future__ import annotations

from tfpy._src.base.errors import InvalidArgumentError
from tfpy._src.data.dataset import (
    DatasetV2,
    FixedLengthRecordDatasetV2,
    TextLineDatasetV2,
    TFRecordDatasetV2,
)
from tfpy._src.data.example_batches import at_once
from tfpy._src.data.graph_readers import ReaderBase, Records
from tfpy._src.library.io.gfile import translated
from tfpy._src.library.io.records import TFRecordOptions


def _numbered(file: bytes, dataset: DatasetV2, first: int) -> Records:
    """Yield elements with keys of the file's name and a number."""
    for i, x in enumerate(at_once(dataset), first):
        yield file + b":%d" % i, x.numpy()


class TextLineReader(ReaderBase):
    """A reader of the lines of text files.

    Args:
        skip_header_lines: Number of lines at the beginning of each file that are skipped.
        name: Name of the operation.

    Raises:
        RuntimeError: In eager execution.

    Example:
        >>> import tfpy as tf
        >>> one = tf.compat.v1
        >>> tf.io.write_file("lines.txt", "a\\nb")
        >>> with tf.Graph().as_default(), one.Session() as sess:
        ...     files = one.train.string_input_producer(["lines.txt"])
        ...     key, value = one.TextLineReader().read(files)
        ...     threads = one.train.start_queue_runners()
        ...     print(sess.run([key, value]))
        [b'lines.txt:1', b'a']

    See also: `tf.data.TextLineDataset`.
    """

    def __init__(self, skip_header_lines: int | None = None, name: str | None = None) -> None:
        skipped = skip_header_lines or 0

        def lines(file: bytes) -> Records:
            return _numbered(file, TextLineDatasetV2(file.decode()).skip(skipped), skipped + 1)

        super().__init__(lines, name or "TextLineReader")


class TFRecordReader(ReaderBase):
    """A reader of the records of TFRecord files.

    Args:
        name: Name of the operation.
        options: A `tf.io.TFRecordOptions`.

    Raises:
        RuntimeError: In eager execution.

    Example:
        >>> import tfpy as tf
        >>> one = tf.compat.v1
        >>> with tf.io.TFRecordWriter("one.tfrecord") as writer:
        ...     writer.write(b"abc")
        >>> with tf.Graph().as_default(), one.Session() as sess:
        ...     files = one.train.string_input_producer(["one.tfrecord"])
        ...     _, value = one.TFRecordReader().read(files)
        ...     threads = one.train.start_queue_runners()
        ...     print(sess.run(value))
        b'abc'

    See also: `tf.data.TFRecordDataset`.
    """

    def __init__(self, name: str | None = None, options: TFRecordOptions | None = None) -> None:
        kind = TFRecordOptions.get_compression_type_string(options)

        def records(file: bytes) -> Records:
            at = 0
            for x in at_once(TFRecordDatasetV2(file.decode(), kind)):
                value = x.numpy()
                yield file + b":%d" % at, value
                at += len(value) + 16

        super().__init__(records, name or "TFRecordReader")


class WholeFileReader(ReaderBase):
    """A reader of whole files.

    Args:
        name: Name of the operation.

    Raises:
        RuntimeError: In eager execution.

    Example:
        >>> import tfpy as tf
        >>> one = tf.compat.v1
        >>> tf.io.write_file("whole.txt", "text")
        >>> with tf.Graph().as_default(), one.Session() as sess:
        ...     files = one.train.string_input_producer(["whole.txt"])
        ...     key, value = one.WholeFileReader().read(files)
        ...     threads = one.train.start_queue_runners()
        ...     print(sess.run([key, value]))
        [b'whole.txt', b'text']

    See also: `tf.io.read_file`.
    """

    def __init__(self, name: str | None = None) -> None:
        def contents(file: bytes) -> Records:
            path = file.decode()
            with translated(path), open(path, "rb") as stream:
                yield file, stream.read()

        super().__init__(contents, name or "WholeFileReader")


class IdentityReader(ReaderBase):
    """A reader that returns the names in the queue as keys and values.

    Args:
        name: Name of the operation.

    Raises:
        RuntimeError: In eager execution.

    Example:
        >>> import tfpy as tf
        >>> one = tf.compat.v1
        >>> with tf.Graph().as_default(), one.Session() as sess:
        ...     names = one.train.string_input_producer(["a"])
        ...     key, value = one.IdentityReader().read(names)
        ...     threads = one.train.start_queue_runners()
        ...     print(sess.run([key, value]))
        [b'a', b'a']

    See also: `tf.compat.v1.WholeFileReader`.
    """

    def __init__(self, name: str | None = None) -> None:
        super().__init__(lambda file: iter([(file, file)]), name or "IdentityReader")


class FixedLengthRecordReader(ReaderBase):
    """A reader of records of one length.

    Args:
        record_bytes: Number of bytes of a record.
        header_bytes: Number of bytes at the beginning of each file that are skipped.
        footer_bytes: Number of bytes at the end of each file that are skipped.
        hop_bytes: Distance of two records. Default: `record_bytes`, the only supported one.
        name: Name of the operation.
        encoding: Compression of the files: None or `"ZLIB"`.

    Raises:
        RuntimeError: In eager execution.
        tf.errors.InvalidArgumentError: If `hop_bytes` is not `record_bytes`.

    Example:
        >>> import tfpy as tf
        >>> one = tf.compat.v1
        >>> tf.io.write_file("pairs.bin", "abcd")
        >>> with tf.Graph().as_default(), one.Session() as sess:
        ...     files = one.train.string_input_producer(["pairs.bin"])
        ...     key, value = one.FixedLengthRecordReader(2).read(files)
        ...     threads = one.train.start_queue_runners()
        ...     print(sess.run([key, value]))
        [b'pairs.bin:0', b'ab']

    See also: `tf.data.FixedLengthRecordDataset`.
    """

    def __init__(
        self,
        record_bytes: int,
        header_bytes: int | None = None,
        footer_bytes: int | None = None,
        hop_bytes: int | None = None,
        name: str | None = None,
        encoding: str | None = None,
    ) -> None:
        if hop_bytes not in (None, 0, record_bytes):
            raise InvalidArgumentError(
                None, "FixedLengthRecordReader", f"hop_bytes must be {record_bytes}: {hop_bytes}"
            )

        def records(file: bytes) -> Records:
            dataset = FixedLengthRecordDatasetV2(
                file.decode(), record_bytes, header_bytes, footer_bytes,
                compression_type=encoding or "",
            )  # fmt: skip
            return _numbered(file, dataset, 0)

        super().__init__(records, name or "FixedLengthRecordReader")
