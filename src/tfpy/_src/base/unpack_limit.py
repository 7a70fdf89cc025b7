"""The limit on the decompressed size of files, for all readers.

Compressed and repeated data can be thousands of times larger than its file. Each reader computes
the number of bytes of its values before it allocates them, and rejects a file that needs too many.
"""

from __future__ import annotations

from dataclasses import dataclass

from tfpy._src.base.flags.environment import env

FLAG = "TFPY_MAX_UNPACKED_BYTES"
RATIO = 64
"""Bytes that each byte of a file may unpack to, if that is more than the flag allows."""


@dataclass
class Room:
    """The number of bytes that the values of one file may take.

    Attributes:
        size: Number of bytes of the file.
        taken: Number of bytes that are in use.
    """

    size: int = 0
    taken: int = 0

    @property
    def limit(self) -> int:
        """Number of bytes that the file may unpack to."""
        return max(int(env().get_number(FLAG)), RATIO * self.size)

    def refusal(self, what: str, needed: int) -> str | None:
        """Reserve bytes if the limit permits it.

        Args:
            what: The value that needs them, for the error.
            needed: Number of bytes.

        Returns:
            The reason for a rejection; None if the bytes were reserved.
        """
        if self.taken + needed > self.limit:
            before = f" and {self.taken} bytes before" if self.taken else ""
            file = f"a file of {self.size} bytes" if self.size else "a file"
            return (
                f"{what} needs {needed} bytes{before}; {file} may unpack to {self.limit} bytes. "
                f'If you trust the file, raise the limit: tf.env().set("{FLAG}", bytes)'
            )
        self.taken += needed
        return None
