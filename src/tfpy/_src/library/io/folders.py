"""Files of the user and archives as a folder, for functions that read folders."""

from __future__ import annotations

import asyncio
import os
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Any

from tfpy._src.backends.awaitable import awaitable
from tfpy._src.backends.javascript.bridge import wait
from tfpy._src.base.atomic_files import replace_file, whole_file
from tfpy._src.base.errors import InvalidArgumentError, ResourceExhaustedError
from tfpy._src.library.io.archives import DAMAGED
from tfpy._src.library.io.gfile import translated
from tfpy._src.library.io.streams import listed, source_of

_LIMIT = 1 << 30


def to_folder(files: Any, folder: str | os.PathLike[str], max_bytes: int = _LIMIT) -> list[str]:
    """Write files of the user or of a server to a folder, so that Python functions can read them.

    In a page, Python's file system does not contain files that the user has selected or files on a
    server. Functions such as `keras.utils.image_dataset_from_directory` can read the folder that
    this function writes. ZIP archives are unpacked.

    Args:
        files: A file or a list of files. A file is a URL, a path, a data source
            (`tf.data.URLDataSource` or `tf.data.FileDataSource`), or a `File` or `Blob` of the
            browser. A `FileList` of the browser is also accepted, and the folders that the user has
            selected are kept.
        folder: Path of the folder, which is created if necessary.
        max_bytes: Largest number of bytes to write, including archives. Default: 1 GiB.

    Returns:
        Sorted list of the paths of the files.

    Raises:
        tf.errors.InvalidArgumentError: If a file would be written outside of the folder, or an
            archive is damaged.
        tf.errors.ResourceExhaustedError: If the files have more than `max_bytes` bytes.
        tf.errors.OpError: If a file cannot be written, for example because a folder has its name.
        RuntimeError: If the browser cannot suspend Python (JSPI) while it loads the files. Use
            `await tf.io.to_folder_async(files, folder)` then.

    Example::

        import tfpy as tf

        paths = tf.io.to_folder("flowers.zip", "/flowers")

    See also: `tf.io.to_folder_async`, `tf.data.FileDataSource`.
    """
    return wait(
        to_folder_async(files, folder, max_bytes),
        "write `await tf.io.to_folder_async(files, folder)`",
    )


@awaitable("tf.io.to_folder_async(files, folder)")
async def to_folder_async(
    files: Any, folder: str | os.PathLike[str], max_bytes: int = _LIMIT
) -> list[str]:
    """Write files of the user or of a server to a folder, without blocking the page.

    In a page, Python's file system does not contain files that the user has selected or files on a
    server. Functions such as `keras.utils.image_dataset_from_directory` can read the folder that
    this function writes. ZIP archives are unpacked.

    Args:
        files: A file or a list of files. A file is a URL, a path, a data source
            (`tf.data.URLDataSource` or `tf.data.FileDataSource`), or a `File` or `Blob` of the
            browser. A `FileList` of the browser is also accepted, and the folders that the user has
            selected are kept.
        folder: Path of the folder, which is created if necessary.
        max_bytes: Largest number of bytes to write, including archives. Default: 1 GiB.

    Returns:
        An awaitable that resolves to the sorted list of the paths of the files.

    Raises:
        tf.errors.InvalidArgumentError: If a file would be written outside of the folder, or an
            archive is damaged.
        tf.errors.ResourceExhaustedError: If the files have more than `max_bytes` bytes.
        tf.errors.OpError: If a file cannot be written, for example because a folder has its name.

    Example::

        import tfpy as tf

        paths = await tf.io.to_folder_async("flowers.zip", "/flowers")

    See also: `tf.io.to_folder`.
    """
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    written: list[str] = []
    left = max_bytes
    for file in listed(files):
        source = source_of(file)
        name = str(getattr(file, "webkitRelativePath", "") or _last_part(source.name))
        path = _inside(target, name)
        if path.suffix.lower() == ".zip":
            # A member of the archive may have its name, so the archive is written elsewhere.
            with tempfile.TemporaryDirectory() as apart:
                archive = Path(apart, path.name)
                left = await _write(source, archive, left)
                left, found = await _unpack(archive, target, left)
            written += found
        else:
            left = await _write(source, path, left)
            written.append(str(path))
    return sorted(written)


def _last_part(name: str) -> str:
    """Return the filename of a URL or path."""
    return PurePosixPath(name.split("?")[0].split("#")[0]).name or "file"


def _inside(folder: Path, name: str) -> Path:
    """Return the path of a name in a folder.

    Raises:
        InvalidArgumentError: If the name leads out of the folder.
    """
    parts = PurePosixPath(name).parts
    if not parts or ".." in parts or parts[0] == "/" or "\\" in name:
        message = f"the name {name!r} leads out of the folder {folder}"
        raise InvalidArgumentError(None, "to_folder", message)
    return folder.joinpath(*parts)


async def _write(source: Any, path: Path, left: int) -> int:
    """Write the bytes of a source to a file.

    Returns:
        The number of bytes that may still be written.

    Raises:
        ResourceExhaustedError: If the source has more bytes than that.
    """
    with translated(path):
        path.parent.mkdir(parents=True, exist_ok=True)
    with translated(path), whole_file(path) as file:
        async for piece in source.pieces():
            left -= len(piece)
            if left < 0:
                raise _too_large(source.name)
            file.write(piece)
    return left


async def _unpack(archive: Path, target: Path, left: int) -> tuple[int, list[str]]:
    """Write the files of an archive.

    Returns:
        The number of bytes that may still be written, and the paths of the files.
    """
    written = []
    with _readable(archive.name):
        found = zipfile.ZipFile(archive)
    with found:
        members = [m for m in found.infolist() if not m.is_dir()]
        if sum(m.file_size for m in members) > left:
            raise _too_large(archive.name)
        for member in members:
            path = _inside(target, member.filename)
            with _readable(archive.name):
                data = found.read(member)
            with translated(path):
                path.parent.mkdir(parents=True, exist_ok=True)
                replace_file(path, data)
            left -= member.file_size
            written.append(str(path))
            await asyncio.sleep(0)
    return left, written


@contextmanager
def _readable(name: str) -> Iterator[None]:
    """Convert the errors of damaged archives."""
    try:
        yield
    except DAMAGED as error:
        message = f"{name} is not a readable ZIP archive: {error}"
        raise InvalidArgumentError(None, "to_folder", message) from error


def _too_large(name: str) -> ResourceExhaustedError:
    """Return the error for files that are too large."""
    return ResourceExhaustedError(None, "to_folder", f"{name} is larger than max_bytes allows")
