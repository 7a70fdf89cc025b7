"""Files of the user's and archives as a folder of Python's, for functions that read folders."""

from __future__ import annotations

import asyncio
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Any

from tfpy._src.backends.awaitable import awaitable
from tfpy._src.backends.javascript.bridge import wait
from tfpy._src.base.atomic_files import replace_file, whole_file
from tfpy._src.base.errors import InvalidArgumentError, ResourceExhaustedError
from tfpy._src.library.io.archives import DAMAGED
from tfpy._src.library.io.gfile import translated
from tfpy._src.library.io.streams import source_of

_LIMIT = 1 << 30


def to_folder(files: Any, folder: Any, max_bytes: int = _LIMIT) -> list[str]:
    """Writes files to a folder of Python's, which is made; the paths that were written, sorted.

    Such a folder is what ``keras.utils.image_dataset_from_directory`` and its like read.

    Args:
        files: an address, a data source, a File or Blob of the browser, or several of them (a list
            or a FileList, whose folders are kept). Of a file NAME.zip what it contains is written.
        max_bytes: how many bytes may be written, archives included.

    Raises:
        InvalidArgumentError: for a name that leads out of the folder, or a damaged archive.
        ResourceExhaustedError: when the files are larger than ``max_bytes``.
        OpError: If a file cannot be written, for example where a folder has its name.

    Example:
        ``paths = tf.io.to_folder("flowers.zip", "/flowers")``
    """
    return wait(
        to_folder_async(files, folder, max_bytes),
        "write `await tf.io.to_folder_async(files, folder)`",
    )


@awaitable("tf.io.to_folder_async(files, folder)")
async def to_folder_async(files: Any, folder: Any, max_bytes: int = _LIMIT) -> list[str]:
    """Await what :func:`to_folder` returns.

    Args and errors are those of :func:`to_folder`.
    """
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    written: list[str] = []
    left = max_bytes
    for file in _listed(files):
        source = source_of(file)
        name = str(getattr(file, "webkitRelativePath", "") or _last_part(source.name))
        path = _inside(target, name)
        if path.suffix.lower() == ".zip":
            with tempfile.TemporaryDirectory() as apart:  # a member may have the archive's name
                archive = Path(apart, path.name)
                left = await _write(source, archive, left)
                left, found = await _unpack(archive, target, left)
            written += found
        else:
            left = await _write(source, path, left)
            written.append(str(path))
    return sorted(written)


def _listed(files: Any) -> Sequence[Any]:
    """The files of a list of Python's or of the browser's, or the one that is given."""
    if isinstance(files, list | tuple):
        return files
    return list(files) if hasattr(files, "item") and hasattr(files, "length") else [files]


def _last_part(name: str) -> str:
    """A file's name by its address or path."""
    return PurePosixPath(name.split("?")[0].split("#")[0]).name or "file"


def _inside(folder: Path, name: str) -> Path:
    """The path of a name in a folder.

    Raises:
        InvalidArgumentError: when it leads out of it.
    """
    parts = PurePosixPath(name).parts
    if not parts or ".." in parts or parts[0] == "/" or "\\" in name:
        message = f"the name {name!r} leads out of the folder {folder}"
        raise InvalidArgumentError(None, "to_folder", message)
    return folder.joinpath(*parts)


async def _write(source: Any, path: Path, left: int) -> int:
    """Writes the bytes of a source; how many more may be written.

    Raises:
        ResourceExhaustedError: when there are more than are left.
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
    """Writes the files of an archive: how many more bytes may be written, and their paths."""
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
        message = f"{name} is no ZIP archive that can be read: {error}"
        raise InvalidArgumentError(None, "to_folder", message) from error


def _too_large(name: str) -> ResourceExhaustedError:
    return ResourceExhaustedError(None, "to_folder", f"{name} is larger than max_bytes allows")
