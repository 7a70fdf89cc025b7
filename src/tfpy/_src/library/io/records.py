"""TFRecord files: records with checksums of their lengths and their bytes."""

from __future__ import annotations

import struct
import zlib
from typing import IO, Any, Self

from tfpy._src.base.errors import FailedPreconditionError
from tfpy._src.library.io.crc import masked_crc
from tfpy._src.library.io.gfile import Path, path_text, translated

WINDOWS = {"ZLIB": 15, "GZIP": 31}
"""The zlib parameter `wbits` for each format of compressed files."""


class TFRecordCompressionType:
    """Numbers of the compressions of TFRecord files.

    Attributes:
        NONE: No compression.
        ZLIB: Compression with ZLIB.
        GZIP: Compression with GZIP.

    Example:
        >>> import tfpy as tf
        >>> options = tf.io.TFRecordOptions(tf.compat.v1.io.TFRecordCompressionType.GZIP)
        >>> tf.io.TFRecordOptions.get_compression_type_string(options)
        'GZIP'

    See also: `tf.io.TFRecordOptions`.
    """

    NONE, ZLIB, GZIP = range(3)


_NUMBERED = ("", "ZLIB", "GZIP")
"""Compression types by their numbers."""


class TFRecordOptions:
    """The compression of the files that a `tf.io.TFRecordWriter` writes.

    Most arguments are options of zlib. If one is None, zlib's default is used, unless stated
    otherwise.

    Args:
        compression_type: `"GZIP"`, `"ZLIB"`, or `""` or None (default) for no compression.
        flush_mode: Flush mode for `TFRecordWriter.flush`, such as `zlib.Z_SYNC_FLUSH`. Default:
            `flush` writes only complete compressed blocks.
        input_buffer_size: Has no effect.
        output_buffer_size: Has no effect.
        window_bits: Size and format of the window (`wbits` of `zlib.compressobj`). Default: 31 for
            GZIP, 15 for ZLIB.
        compression_level: Compression level from 0 (none) to 9 (smallest file).
        compression_method: Compression method. zlib supports only 8.
        mem_level: Amount of memory to use, from 1 to 9.
        compression_strategy: Compression strategy, such as `zlib.Z_FILTERED`.

    Raises:
        ValueError: If the compression type is unknown.

    Example:
        >>> import tfpy as tf
        >>> options = tf.io.TFRecordOptions("GZIP", compression_level=9)
        >>> with tf.io.TFRecordWriter("words.gz", options) as file:
        ...     file.write(b"hello")
        >>> [x.numpy() for x in tf.data.TFRecordDataset("words.gz", "GZIP")]
        [b'hello']

    See also: `tf.io.TFRecordWriter`.
    """

    def __init__(
        self,
        compression_type: str | int | TFRecordOptions | None = None,
        flush_mode: int | None = None,
        input_buffer_size: int | None = None,
        output_buffer_size: int | None = None,
        window_bits: int | None = None,
        compression_level: int | None = None,
        compression_method: int | None = None,
        mem_level: int | None = None,
        compression_strategy: int | None = None,
    ) -> None:
        self.get_compression_type_string(compression_type)
        self.compression_type = compression_type
        self.flush_mode = flush_mode
        self.input_buffer_size = input_buffer_size
        self.output_buffer_size = output_buffer_size
        self.window_bits = window_bits
        self.compression_level = compression_level
        self.compression_method = compression_method
        self.mem_level = mem_level
        self.compression_strategy = compression_strategy

    @classmethod
    def get_compression_type_string(cls, options: TFRecordOptions | str | int | None) -> str:
        """Return the compression type of an options object, or check a compression type.

        Args:
            options: A `tf.io.TFRecordOptions`, a compression type, or None.

        Returns:
            `"GZIP"`, `"ZLIB"`, or `""` for no compression.

        Raises:
            ValueError: If the compression type is unknown.

        Example:
            >>> import tfpy as tf
            >>> tf.io.TFRecordOptions.get_compression_type_string(tf.io.TFRecordOptions("GZIP"))
            'GZIP'
        """
        kind = options
        while isinstance(kind, cls):
            kind = kind.compression_type
        if isinstance(kind, int) and 0 <= kind < len(_NUMBERED):
            kind = _NUMBERED[kind]
        if kind not in (None, "", *WINDOWS):
            raise ValueError(f'Not a valid compression_type: "{kind}"; use "GZIP", "ZLIB" or ""')
        return kind or ""

    def _packer(self) -> Any:
        """Return a compressor of zlib, or None without compression."""

        def chosen(value: int | None, default: int) -> int:
            return default if value is None else value

        kind = self.get_compression_type_string(self)
        if not kind:
            return None
        return zlib.compressobj(
            chosen(self.compression_level, zlib.Z_DEFAULT_COMPRESSION),
            chosen(self.compression_method, zlib.DEFLATED),
            chosen(self.window_bits, WINDOWS[kind]),
            chosen(self.mem_level, zlib.DEF_MEM_LEVEL),
            chosen(self.compression_strategy, zlib.Z_DEFAULT_STRATEGY),
        )


class TFRecordWriter:
    """A writer of TFRecord files, which `tf.data.TFRecordDataset` reads.

    A TFRecord file is a sequence of records, which are byte strings of any length. Use the writer
    in a `with` statement or call its method `close`.

    Args:
        path: Path of the file. An existing file is overwritten.
        options: A `tf.io.TFRecordOptions`, or a compression type (`"GZIP"` or `"ZLIB"`). Default:
            no compression.

    Raises:
        ValueError: If the compression type is unknown.
        tf.errors.NotFoundError: If the folder does not exist.

    Example:
        >>> import tfpy as tf
        >>> with tf.io.TFRecordWriter("words.tfrecord") as file:
        ...     for word in (b"one", b"two"):
        ...         file.write(word)
        >>> [x.numpy() for x in tf.data.TFRecordDataset("words.tfrecord")]
        [b'one', b'two']

    See also: `tf.data.TFRecordDataset`, `tf.io.TFRecordOptions`.
    """

    def __init__(self, path: Path, options: TFRecordOptions | str | None = None) -> None:
        if not isinstance(options, TFRecordOptions):
            options = TFRecordOptions(options)
        self._packer, self._flush_mode = options._packer(), options.flush_mode
        self._file: IO[bytes] | None
        with translated(path):
            self._file = open(path_text(path), "wb")  # noqa: SIM115 - it is closed by close()

    def write(self, record: bytes | bytearray | str) -> None:
        """Append a record to the file.

        Args:
            record: Bytes of the record. A str is encoded as UTF-8.

        Raises:
            TypeError: If the record is neither bytes nor a str.
            tf.errors.FailedPreconditionError: If the writer is closed.

        Example:
            >>> import tfpy as tf
            >>> with tf.io.TFRecordWriter("one.tfrecord") as writer:
            ...     writer.write(b"hello")
            >>> [x.numpy() for x in tf.data.TFRecordDataset("one.tfrecord")]
            [b'hello']
        """
        if not isinstance(record, (bytes, bytearray, str)):
            raise TypeError(
                f"TFRecordWriter.write() accepts bytes, got {type(record).__name__}. Pass "
                "x.numpy() of a scalar string tensor x, or example.SerializeToString()."
            )
        data = record.encode() if isinstance(record, str) else bytes(record)
        length = struct.pack("<Q", len(data))
        for part, checksum in ((length, masked_crc(length)), (data, masked_crc(data))):
            self._put(part + struct.pack("<I", checksum))

    def _put(self, data: bytes) -> None:
        """Write bytes, compressed if required."""
        self._opened().write(data if self._packer is None else self._packer.compress(data))

    def _opened(self) -> IO[bytes]:
        """Return the open file."""
        if self._file is None:
            raise FailedPreconditionError(None, "TFRecordWriter", "Writer is closed.")
        return self._file

    def flush(self) -> None:
        """Write buffered records to the file, without closing it.

        Raises:
            tf.errors.FailedPreconditionError: If the writer is closed.

        Example:
            >>> import tfpy as tf
            >>> with tf.io.TFRecordWriter("one.tfrecord") as writer:
            ...     writer.write(b"hello")
            ...     writer.flush()
            ...     print(tf.io.gfile.stat("one.tfrecord").length)
            21
        """
        file = self._opened()
        if self._packer is not None and self._flush_mode:
            file.write(self._packer.flush(self._flush_mode))
        file.flush()

    def close(self) -> None:
        """Write buffered records and close the file. Further calls have no effect.

        Example:
            >>> import tfpy as tf
            >>> writer = tf.io.TFRecordWriter("one.tfrecord")
            >>> writer.write(b"hello")
            >>> writer.close()
            >>> [x.numpy() for x in tf.data.TFRecordDataset("one.tfrecord")]
            [b'hello']
        """
        if self._file is not None:
            with self._file as file:
                if self._packer is not None:
                    file.write(self._packer.flush())
            self._file = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()
