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

    The file is opened by the first method that needs it.

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
        self._file: IO[Any] | None = None

    @property
    def name(self) -> Path:
        """Path of the file."""
        return self._name

    @property
    def mode(self) -> str:
        """Mode in which the file is opened."""
        return self._mode

    def _opened(self, what: str = "") -> IO[Any]:
        """Open the file if necessary.

        Raises:
            PermissionDeniedError: If the mode does not allow the operation.
        """
        mode = self._mode
        if what and not (what in mode or "+" in mode or (what == "w" and "a" in mode)):
            doing = "read" if what == "r" else "write"
            raise PermissionDeniedError(None, "gfile", f"File isn't open for {doing}ing: {mode!r}")
        if self._file is None:
            with translated(self._name):
                encoding = None if "b" in mode else "utf-8"
                newline = None if "b" in mode else ""
                self._file = open(  # noqa: SIM115 - it is closed by close()
                    self._name, mode, encoding=encoding, newline=newline
                )
        return self._file

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
        return self._opened("r").read(n)

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
        return self._opened("r").readline()

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
        return self._opened("r").readlines()

    def write(self, file_content: str | bytes) -> None:
        """Write text or bytes at the current position.

        Args:
            file_content: A str, or bytes in a binary mode.

        Raises:
            tf.errors.PermissionDeniedError: If the file is not open for writing.

        Example:
            >>> import tfpy as tf
            >>> with tf.io.gfile.GFile("note.txt", "w") as file:
            ...     file.write("hello")
            >>> tf.io.read_file("note.txt").numpy()
            b'hello'
        """
        self._opened("w").write(file_content)

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
        self._opened().seek(offset, whence)

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
        return self._opened().tell()

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
        if self._file is not None and self._mode.replace("b", "") != "r":
            self._file.flush()

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
        if self._file is not None:
            self._file.close()
            self._file = None

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
