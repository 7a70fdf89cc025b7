"""A position in a GGUF file, from which numbers and strings are read within the file's size."""

from __future__ import annotations

from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from tfpy._src.library.io.checked_json import ModelFileError

CHUNK = 1 << 20
"""Number of bytes that are read at once."""
LENGTH = 8
"""Number of bytes of the length of a string."""


class Cursor:
    """A position in a file.

    Args:
        file: The file, at its beginning.
        size: Number of bytes of the file.
    """

    def __init__(self, file: BinaryIO, size: int) -> None:
        self._file, self.size, self.position = file, size, 0
        self._data = b""
        """The beginning of the file, as far as it has been read."""

    @property
    def left(self) -> int:
        """Number of bytes after the position."""
        return self.size - self.position

    def take(self, count: int, what: str) -> bytes:
        """Return the next bytes.

        Raises:
            ModelFileError: If the file ends before them.
        """
        self._load(count, what)
        begin, self.position = self.position, self.position + count
        return self._data[begin : self.position]

    def unsigned(self, count: int, what: str) -> int:
        """Return the next unsigned integer of `count` bytes."""
        return int.from_bytes(self.take(count, what), "little")

    def count(self, smallest: int, what: str) -> int:
        """Return the next integer, which is a number of items.

        Args:
            smallest: Least number of bytes of an item.
            what: The items, for errors.

        Raises:
            ModelFileError: If the file is too small for this number of items.
        """
        count = self.unsigned(LENGTH, f"the number of {what}")
        self.check(count, smallest, what)
        return count

    def check(self, count: int, smallest: int, what: str) -> None:
        """Check that the rest of the file is large enough for `count` items.

        Raises:
            ModelFileError: If it is not.
        """
        if count * smallest > self.left:
            raise ModelFileError(
                f"the file is said to contain {count} {what}, but only {self.left} bytes follow"
            )

    def array(self, dtype: np.dtype[Any], count: int, what: str) -> NDArray[Any]:
        """Return the next numbers as an array."""
        self.check(count, dtype.itemsize, what)
        data = self.take(count * dtype.itemsize, what)
        return np.frombuffer(data, dtype).astype(dtype.newbyteorder("="))

    def text(self, what: str) -> str:
        """Return the next string.

        Raises:
            ModelFileError: If the file ends before the end of the string, or the string is not
                valid UTF-8.
        """
        return self.texts(1, what)[0]

    def texts(self, count: int, what: str) -> list[str]:
        """Return the next strings."""
        self.check(count, LENGTH, what)
        found: list[str] = []
        try:
            for _ in range(count):
                self._load(LENGTH, what)
                begin = self.position + LENGTH
                length = int.from_bytes(self._data[self.position : begin], "little")
                self.position = begin
                self._load(length, what)
                self.position = begin + length
                found.append(self._data[begin : self.position].decode())
        except UnicodeDecodeError as error:
            raise ModelFileError(f"{what} is not valid UTF-8: {error}") from None
        return found

    def _load(self, count: int, what: str) -> None:
        """Read the file at least up to `count` bytes after the position."""
        end = self.position + count
        if end <= len(self._data):
            return
        if end > self.size:
            raise ModelFileError(
                f"the file ends in {what}: {count} bytes are needed and {self.left} are left"
            )
        missing = max(end - len(self._data), CHUNK, len(self._data))
        self._data += self._file.read(min(missing, self.size - len(self._data)))
        if end > len(self._data):
            raise ModelFileError(f"the file became shorter while {what} was read")
