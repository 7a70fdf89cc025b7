"""Files with the methods of Python's files and TensorFlow's errors."""

from __future__ import annotations

from typing import IO, Any, Self

from tfpy._src.base.errors import (
    InvalidArgumentError,
    PermissionDeniedError,
)
from tfpy._src.library.io.gfile import Path, stat, translated


class GFile:
    """A file object like that of Python's `open`, which raises the errors of `tf.errors`.

    The file is opened by the first method that needs it. Reading begins at the start of the file,
    also after writing. The first write in a mode with `"r"` or `"w"` replaces the file.

    Args:
        name: Path of the file.
        mode: `"r"` to read (default), `"w"` to overwrite, `"a"` to append, or `"r+"`, `"w+"` or
            `"a+"` to do both. Text is encoded as UTF-8. With an additional `"b"`, as in `"rb"`, the
            file contains bytes.

    Raises:
        tf.errors.InvalidArgumentError: If the mode is not one of these.

    Example:
        >>> import tfpy as tf
        >>> with tf.io.gfile.GFile("/tmp/words.txt", "w") as file:
        ...     file.write("a b")
        >>> with tf.io.gfile.GFile("/tmp/words.txt") as file:
        ...     file.read()
        'a b'

    See also: `tf.io.read_file`, `tf.io.write_file`.
    """

    def __init__(self, name: Path, mode: str = "r") -> None:
        if mode.replace("b", "") not in ("r", "w", "a", "r+", "w+", "a+"):
            raise InvalidArgumentError(
                None, "gfile", f"mode is not 'r' or 'w' or 'a' or 'r+' or 'w+' or 'a+': {mode!r}"
            )
        self._name, self._mode = name, mode
        self._reader: IO[Any] | None = None
        self._writer: IO[Any] | None = None

    @property
    def name(self) -> Path:
        """Path of the file."""
        return self._name

    @property
    def mode(self) -> str:
        """Mode in which the file is opened."""
        return self._mode

    def _reading(self) -> IO[Any]:
        """Open the file for reading if necessary.

        Raises:
            PermissionDeniedError: If the mode does not allow to read.
        """
        if not self._reads:
            raise PermissionDeniedError(
                None, "gfile", f"File isn't open for reading: {self._mode!r}"
            )
        if self._reader is None:
            self._reader = self._opened("r")
        return self._reader

    def _writing(self) -> IO[Any]:
        """Open the file for writing if necessary.

        Raises:
            PermissionDeniedError: If the mode does not allow to write.
        """
        if self._mode.replace("b", "") == "r":
            raise PermissionDeniedError(
                None, "gfile", f"File isn't open for writing: {self._mode!r}"
            )
        if self._writer is None:
            self._writer = self._opened("a" if "a" in self._mode else "w")
        return self._writer

    def _opened(self, mode: str) -> IO[Any]:
        is_binary = "b" in self._mode
        with translated(self._name):
            return open(
                self._name,
                f"{mode}b" if is_binary else mode,
                encoding=None if is_binary else "utf-8",
                newline=None if is_binary else "",
            )

    @property
    def _reads(self) -> bool:
        return "r" in self._mode or "+" in self._mode

    def size(self) -> int:
        """Return the number of bytes in the file.

        Returns:
            An int.

        Raises:
            tf.errors.NotFoundError: If the file does not exist.

        Example:
            >>> import tfpy as tf
            >>> tf.io.write_file("note.txt", "hello")
            >>> tf.io.gfile.GFile("note.txt").size()
            5
        """
        self.flush()
        return stat(self._name).length

    def read(self, n: int = -1) -> str | bytes:
        """Read characters or bytes from the current position.

        Args:
            n: Largest number of characters, or of bytes in a binary mode. Default: up to the end of
                the file.

        Returns:
            A str, or bytes in a binary mode.

        Raises:
            tf.errors.PermissionDeniedError: If the file is not open for reading.
            tf.errors.NotFoundError: If the file does not exist.

        Example:
            >>> import tfpy as tf
            >>> tf.io.write_file("note.txt", "hello")
            >>> with tf.io.gfile.GFile("note.txt") as file:
            ...     file.read(2)
            'he'
        """
        if n < -1:
            raise InvalidArgumentError(None, "gfile", f"Cannot read {n} bytes")
        return self._reading().read(n)

    def readline(self) -> str | bytes:
        r"""Read the next line, including its line break.

        Returns:
            A str, or bytes in a binary mode. It is empty at the end of the file.

        Raises:
            tf.errors.PermissionDeniedError: If the file is not open for reading.
            tf.errors.NotFoundError: If the file does not exist.

        Example:
            >>> import tfpy as tf
            >>> tf.io.write_file("list.txt", "one\ntwo")
            >>> with tf.io.gfile.GFile("list.txt") as file:
            ...     file.readline()
            'one\n'
        """
        return self._reading().readline()

    def readlines(self) -> list[str] | list[bytes]:
        r"""Read all remaining lines, including their line breaks.

        Returns:
            List of str, or of bytes in a binary mode.

        Raises:
            tf.errors.PermissionDeniedError: If the file is not open for reading.
            tf.errors.NotFoundError: If the file does not exist.

        Example:
            >>> import tfpy as tf
            >>> tf.io.write_file("list.txt", "one\ntwo")
            >>> with tf.io.gfile.GFile("list.txt") as file:
            ...     file.readlines()
            ['one\n', 'two']
        """
        return self._reading().readlines()

    def write(self, file_content: str | bytes) -> None:
        """Write text or bytes at the current position.

        Args:
            file_content: A str or bytes. Text is encoded as UTF-8.

        Raises:
            tf.errors.PermissionDeniedError: If the file is not open for writing.

        Example:
            >>> import tfpy as tf
            >>> with tf.io.gfile.GFile("note.txt", "w") as file:
            ...     file.write("hello")
            >>> tf.io.read_file("note.txt").numpy()
            b'hello'
        """
        data = file_content.encode() if isinstance(file_content, str) else bytes(file_content)
        self._writing().write(data if "b" in self._mode else data.decode())

    def seek(self, offset: int, whence: int = 0) -> None:
        """Change the current position in the file.

        Args:
            offset: Number of bytes from the start position that `whence` selects.
            whence: 0 (default) to count from the beginning, 1 from the current position, 2 from the
                end.

        Example:
            >>> import tfpy as tf
            >>> tf.io.write_file("note.txt", "hello")
            >>> with tf.io.gfile.GFile("note.txt") as file:
            ...     file.seek(3)
            ...     file.read()
            'lo'
        """
        if whence not in (0, 1, 2):
            raise InvalidArgumentError(None, "gfile", f"whence must be 0, 1 or 2, got {whence}")
        file = self._reading()
        start = (0, file.tell() if whence == 1 else 0, self.size() if whence == 2 else 0)[whence]
        if start + offset < 0:
            raise InvalidArgumentError(None, "gfile", f"Cannot seek to {start + offset}")
        file.seek(start + offset)

    def seekable(self) -> bool:
        """Return True, because the position can be changed in every file.

        Returns:
            A bool.

        Example:
            >>> import tfpy as tf
            >>> tf.io.gfile.GFile("note.txt", "w").seekable()
            True
        """
        return True

    def tell(self) -> int:
        """Return the current position in the file.

        Returns:
            An int.

        Example:
            >>> import tfpy as tf
            >>> tf.io.write_file("note.txt", "hello")
            >>> with tf.io.gfile.GFile("note.txt", "rb") as file:
            ...     file.read(2), file.tell()
            (b'he', 2)
        """
        return (self._reading() if self._reads else self._writing()).tell()

    def flush(self) -> None:
        """Write buffered data to the file.

        Example:
            >>> import tfpy as tf
            >>> with tf.io.gfile.GFile("note.txt", "w") as file:
            ...     file.write("hello")
            ...     file.flush()
            ...     tf.io.read_file("note.txt").numpy()
            b'hello'
        """
        if self._writer is not None:
            self._writer.flush()

    def close(self) -> None:
        """Close the file. A later method call opens it again.

        Example:
            >>> import tfpy as tf
            >>> file = tf.io.gfile.GFile("note.txt", "w")
            >>> file.write("hello")
            >>> file.close()
            >>> tf.io.read_file("note.txt").numpy()
            b'hello'
        """
        for file in (self._reader, self._writer):
            if file is not None:
                file.close()
        self._reader = self._writer = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> str | bytes:
        line = self.readline()
        if not line:
            raise StopIteration
        return line
