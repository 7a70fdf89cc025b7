"""Atomic writes of files, also by several processes.

A file is written under a temporary name in the same folder and then renamed. A lock distinguishes
files that another process writes from files that an ended process has left.
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
    from fcntl import LOCK_EX, LOCK_NB, flock
except ImportError:  # Windows, pages, and JupyterLite, whose module fcntl is empty
    flock = None  # type: ignore[assignment]

_PARTIAL = ".partial"
_ABANDONED_SECONDS = 24 * 3600.0
"""Without locks, a partial file without writes during this time is abandoned."""

Path = str | bytes | os.PathLike[str]


@contextlib.contextmanager
def whole_file(path: Path, durable: bool = False) -> Iterator[BinaryIO]:
    """Open a file for writing that replaces the target when the context ends without an error.

    Links are followed, and the permissions of an existing file are kept. Devices, pipes, and files
    in folders without write permission are written directly.

    Args:
        path: Path of the file.
        durable: If True, the bytes must be on the disk before the file replaces the target.
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
            if flock is None:
                file.close()  # Windows does not move open files
            os.replace(file.name, place)
    except BaseException:
        with contextlib.suppress(OSError):
            os.remove(file.name)
        raise


def replace_file(path: Path, data: bytes, durable: bool = False) -> None:
    """Write a file and replace an existing one; see `whole_file`."""
    with whole_file(path, durable) as file:
        file.write(data)


def replace_files(folder: str | os.PathLike[str], files: Mapping[str, bytes]) -> None:
    """Write files to a folder, which is created. All are written before the first one is renamed.

    Args:
        folder: Path of the folder.
        files: Contents by name. The files are renamed in this order, so that the last one can name
            the others.
    """
    os.makedirs(folder, exist_ok=True)
    with contextlib.ExitStack() as stack:
        for name, data in reversed([*files.items()]):
            file = stack.enter_context(whole_file(os.path.join(folder, name)))
            file.write(data)
            file.flush()


def remove_abandoned(prefix: str) -> None:
    """Remove partial files with a prefix that no process writes any more."""
    for path in glob.glob(f"{glob.escape(prefix)}*{_PARTIAL}"):
        with contextlib.suppress(OSError):
            _remove_if_abandoned(path)


def partial_files(prefix: str) -> list[str]:
    """Return the partial files with a prefix."""
    return glob.glob(f"{glob.escape(prefix)}*{_PARTIAL}")


def is_old(path: str) -> bool:
    """Return True if a file had no writes for a day, so that no process is writing it."""
    return time.time() - os.stat(path).st_mtime > _ABANDONED_SECONDS


def _remove_if_abandoned(path: str) -> None:
    if flock is None:
        if is_old(path):
            os.remove(path)
        return
    with open(path, "rb") as file:
        flock(file, LOCK_EX | LOCK_NB)  # fails while another process writes it
        os.remove(path)


def _beside(place: str) -> BinaryIO | None:
    """Return a new locked file in the same folder; None if only the target itself is writable."""
    while True:
        partial = f"{place}.{secrets.token_hex(8)}{_PARTIAL}"
        try:
            file = open(partial, "xb")  # noqa: SIM115 - the caller closes it
        except PermissionError:
            if os.access(place, os.W_OK):
                return None
            raise
        if flock is not None:
            with contextlib.suppress(OSError):  # not every file system has locks
                flock(file, LOCK_EX)
        if os.path.exists(partial):  # another process may have removed it as abandoned
            return file
        file.close()
