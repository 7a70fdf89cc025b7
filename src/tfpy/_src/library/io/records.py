"""``tf.io.TFRecordWriter``: files of records, each with checksums of its length and its bytes."""

from __future__ import annotations

import struct
import zlib
from typing import IO, Any, Self

from tfpy._src.base.errors import FailedPreconditionError
from tfpy._src.library.io.crc import masked_crc
from tfpy._src.library.io.gfile import Path, path_text, translated

WINDOWS = {"ZLIB": 15, "GZIP": 31}
"""How zlib is told the formats of compressed files."""


class TFRecordOptions:
    """How the files of a :class:`TFRecordWriter` are compressed (``tf.io.TFRecordOptions``).

    Args:
        compression_type: "GZIP", "ZLIB", or "" or None for none.
        flush_mode: zlib's, for ``flush()``; without one that writes what is complete.
        input_buffer_size: taken, and of no effect, as is ``output_buffer_size``.
        window_bits: zlib's, as are the arguments after it.

    Raises:
        ValueError: for another type.

    Example:
        >>> import tfpy as tf
        >>> tf.io.TFRecordOptions("GZIP", compression_level=9).compression_type
        'GZIP'
    """

    def __init__(
        self,
        compression_type: str | None = None,
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
    def get_compression_type_string(cls, options: Any) -> str:
        """The type of options, or of its name: "GZIP", "ZLIB" or "".

        Raises:
            ValueError: for another one.
        """
        kind = options.compression_type if isinstance(options, cls) else options
        if kind not in (None, "", *WINDOWS):
            raise ValueError(f'Not a valid compression_type: "{kind}"; use "GZIP", "ZLIB" or ""')
        return kind or ""

    def _packer(self) -> Any:
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
    """Writes a file of records, which ``tf.data.TFRecordDataset`` reads (``tf.io.TFRecordWriter``).

    Args:
        path: of the file; what it held is lost.
        options: :class:`TFRecordOptions`, or the name of a compression.

    Raises:
        ValueError: for a compression that there is not.
        NotFoundError: when the folder is not there.

    Example:
        >>> import tfpy as tf
        >>> with tf.io.TFRecordWriter("words.tfrecord") as file:
        ...     for word in (b"one", b"two"):
        ...         file.write(word)
        >>> [x.numpy() for x in tf.data.TFRecordDataset("words.tfrecord")]
        [b'one', b'two']
    """

    def __init__(self, path: Path, options: TFRecordOptions | str | None = None) -> None:
        if not isinstance(options, TFRecordOptions):
            options = TFRecordOptions(options)
        self._packer, self._flush_mode = options._packer(), options.flush_mode
        self._file: IO[bytes] | None
        with translated(path):
            self._file = open(path_text(path), "wb")  # noqa: SIM115 - it is closed by close()

    def write(self, record: bytes | bytearray | str) -> None:
        """Appends a record.

        Raises:
            TypeError: for what is no bytes; texts are written in UTF-8.
            FailedPreconditionError: when the file is closed.
        """
        if not isinstance(record, (bytes, bytearray, str)):
            raise TypeError(
                f"TFRecordWriter.write takes bytes, got {type(record).__name__}: write the bytes "
                "of a tensor of strings by x.numpy(), of an Example by SerializeToString()"
            )
        data = record.encode() if isinstance(record, str) else bytes(record)
        length = struct.pack("<Q", len(data))
        for part, checksum in ((length, masked_crc(length)), (data, masked_crc(data))):
            self._put(part + struct.pack("<I", checksum))

    def _put(self, data: bytes) -> None:
        self._opened().write(data if self._packer is None else self._packer.compress(data))

    def _opened(self) -> IO[bytes]:
        if self._file is None:
            raise FailedPreconditionError(None, "TFRecordWriter", "Writer is closed.")
        return self._file

    def flush(self) -> None:
        """Writes what waits.

        Raises:
            FailedPreconditionError: when the file is closed.
        """
        file = self._opened()
        if self._packer is not None and self._flush_mode:
            file.write(self._packer.flush(self._flush_mode))
        file.flush()

    def close(self) -> None:
        """Closes the file; once is enough."""
        if self._file is not None:
            with self._file as file:
                if self._packer is not None:
                    file.write(self._packer.flush())
            self._file = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()
