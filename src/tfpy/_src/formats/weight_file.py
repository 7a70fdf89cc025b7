"""The interface of files of named arrays, which are read one at a time."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from tfpy._src.library.io.checked_json import ModelFileError


class WeightFile(ABC):
    """Named arrays in a file, or in several files."""

    @property
    @abstractmethod
    def names(self) -> Collection[str]:
        """Names of the arrays."""

    @property
    @abstractmethod
    def size(self) -> int:
        """Number of values in all arrays."""

    @abstractmethod
    def shape(self, name: str) -> tuple[int, ...]:
        """Return the shape of an array.

        Raises:
            KeyError: If there is no array with this name.
        """

    @abstractmethod
    def read(self, name: str) -> NDArray[Any]:
        """Return an array. Values of quantized formats are converted to float32.

        Raises:
            KeyError: If there is no array with this name.
            ModelFileError: If the file ends before the end of the array.
        """

    def half(self, name: str) -> str | None:
        """Return "F16" or "BF16" if the values of an array have such a dtype, otherwise None."""
        return None


def size_of(file: BinaryIO) -> int:
    """Return the number of bytes of a file, and move to its beginning."""
    size = file.seek(0, os.SEEK_END)
    file.seek(0)
    return size


def read_bytes(file: BinaryIO, begin: int, count: int, name: str) -> NDArray[np.uint8]:
    """Read a range of a file without copying it again.

    Raises:
        ModelFileError: If the file has become shorter.
    """
    data = np.empty(count, np.uint8)
    file.seek(begin)
    view, done = data.data, 0
    while done < count:
        received = file.readinto(view[done:])  # type: ignore[attr-defined]
        if not received:
            raise ModelFileError(f"the file became shorter while {name!r} was read")
        done += received
    return data


def check_overlaps(ranges: Mapping[str, tuple[int, int]], size: int) -> None:
    """Check the positions of data in a file.

    Args:
        ranges: Begin and end of the data of each array.
        size: Number of bytes of the file.

    Raises:
        ModelFileError: If data overlap or exceed the file.
    """
    before, last = 0, ""
    for name, (begin, end) in sorted(ranges.items(), key=lambda item: item[1]):
        if end > size:
            raise ModelFileError(
                f"the data of {name!r} end at {end}, but the file has {size} bytes. It may be "
                "incomplete; download it again"
            )
        if begin < before and end > begin:
            raise ModelFileError(f"the data of {name!r} and of {last!r} overlap")
        if end > begin:
            before, last = end, name
