"""Files that are there whole or not at all."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import BinaryIO

_PARTIAL = ".partial"
"""Behind the name of a file that is being written; the next attempt writes over it."""


@contextmanager
def whole_file(path: str) -> Iterator[BinaryIO]:
    """A file to be written, which takes its place when all of it is on the disk."""
    partial = path + _PARTIAL
    try:
        with open(partial, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(partial, path)
    except Exception:
        with suppress(OSError):
            os.remove(partial)
        raise


def files_of(prefix: str) -> list[str]:
    """The files of a checkpoint, the table first: without it the others are nothing."""
    start = glob.escape(prefix)
    patterns = (".index", ".data-?????-of-?????", f".index{_PARTIAL}", f".data-*{_PARTIAL}")
    return [path for pattern in patterns for path in glob.glob(start + pattern)]


def replace_file(path: str, data: bytes) -> None:
    """Writes a file in place of the one that may be there."""
    with whole_file(path) as file:
        file.write(data)
