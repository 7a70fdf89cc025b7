"""Files that are there whole or not at all, also when several processes write them.

A file is written under a name of its own beside its place, and takes its place at once. What a
process leaves that ends meanwhile is told from what another one is writing by a lock.
"""

from __future__ import annotations

import contextlib
import glob
import os
import secrets
import time
from collections.abc import Iterator, Mapping
from typing import BinaryIO

try:
    import fcntl
except ImportError:  # Windows, pages
    fcntl = None  # type: ignore[assignment]

_PARTIAL = ".partial"
_ABANDONED_SECONDS = 24 * 3600.0
"""Without locks, a file that nothing was written to for so long is abandoned."""

Path = str | bytes | os.PathLike[str]


@contextlib.contextmanager
def whole_file(path: Path, durable: bool = False) -> Iterator[BinaryIO]:
    """Open a file for writing; it takes its place when the context ends without an error.

    Links are followed, and the permissions of a file that is there are kept. A device or a pipe,
    and a file in a folder that cannot be written to, are written in place.

    Args:
        path: Path of the file.
        durable: Whether the bytes must be on the disk before the file takes its place.
    """
    place = os.path.realpath(os.fsdecode(path))
    there = os.path.exists(place)
    file = None if there and not os.path.isfile(place) else _beside(place)
    if file is None:
        with open(place, "wb") as direct:
            yield direct
        return
    try:
        with file:
            yield file
            file.flush()
            if durable:
                os.fsync(file.fileno())
            if there:
                os.chmod(file.name, os.stat(place).st_mode & 0o7777)
            if fcntl is None:
                file.close()  # Windows does not move open files
            os.replace(file.name, place)
    except BaseException:
        with contextlib.suppress(OSError):
            os.remove(file.name)
        raise


def replace_file(path: Path, data: bytes, durable: bool = False) -> None:
    """Write a file in place of the one that may be there; see :func:`whole_file`."""
    with whole_file(path, durable) as file:
        file.write(data)


def replace_files(folder: str | os.PathLike[str], files: Mapping[str, bytes]) -> None:
    """Write files of a folder, which is created; all are written before the first takes its place.

    Args:
        folder: Path of the folder.
        files: Contents by name. The files take their places in this order, so that the last one
            can name the others.
    """
    os.makedirs(folder, exist_ok=True)
    with contextlib.ExitStack() as stack:
        for name, data in reversed([*files.items()]):
            file = stack.enter_context(whole_file(os.path.join(folder, name)))
            file.write(data)
            file.flush()


def remove_abandoned(prefix: str) -> None:
    """Remove partial files whose names begin with a prefix and that no process writes any more."""
    for path in glob.glob(f"{glob.escape(prefix)}*{_PARTIAL}"):
        with contextlib.suppress(OSError):
            _remove_if_abandoned(path)


def partial_files(prefix: str) -> list[str]:
    """Return the partial files whose names begin with a prefix."""
    return glob.glob(f"{glob.escape(prefix)}*{_PARTIAL}")


def is_old(path: str) -> bool:
    """Return True if nothing was written to a file for a day, so that no process writes it."""
    return time.time() - os.stat(path).st_mtime > _ABANDONED_SECONDS


def _remove_if_abandoned(path: str) -> None:
    if fcntl is None:
        if is_old(path):
            os.remove(path)
        return
    with open(path, "rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)  # fails while it is written
        os.remove(path)


def _beside(place: str) -> BinaryIO | None:
    """Return a new file beside a place, locked; None where only the place can be written to."""
    while True:
        partial = f"{place}.{secrets.token_hex(8)}{_PARTIAL}"
        try:
            file = open(partial, "xb")  # noqa: SIM115 - the caller closes it
        except PermissionError:
            if os.access(place, os.W_OK):
                return None
            raise
        if fcntl is not None:
            with contextlib.suppress(OSError):  # not every file system has locks
                fcntl.flock(file, fcntl.LOCK_EX)
        if os.path.exists(partial):  # another process may have taken it for an abandoned one
            return file
        file.close()
