"""`tf.io.gfile`: the file system; in a page, Pyodide's file system."""

from __future__ import annotations

import contextlib
import errno
import glob as patterns
import os
import shutil
from collections.abc import Callable, Iterator
from typing import NamedTuple

from tfpy._src.base.errors import (
    AlreadyExistsError,
    FailedPreconditionError,
    InvalidArgumentError,
    NotFoundError,
    PermissionDeniedError,
)
from tfpy._src.core.typing import PathLike

Path = PathLike
Walk = tuple[str, list[str], list[str]]


def path_text(path: Path) -> str:
    """Return a path as a string."""
    found = os.fspath(path)
    return found.decode() if isinstance(found, bytes) else found


@contextlib.contextmanager
def translated(path: Path) -> Iterator[None]:
    """Convert operating system errors to TensorFlow's errors."""
    where = path_text(path)
    try:
        yield
    except FileNotFoundError:
        raise NotFoundError(None, "gfile", f"{where}; No such file or directory") from None
    except FileExistsError:
        raise AlreadyExistsError(None, "gfile", f"{where}; File exists") from None
    except PermissionError:
        raise PermissionDeniedError(None, "gfile", f"{where}; Permission denied") from None
    except (IsADirectoryError, NotADirectoryError) as error:
        raise FailedPreconditionError(None, "gfile", f"{where}; {error.strerror}") from None
    except OSError as error:
        if error.errno != errno.ENAMETOOLONG:
            raise
        raise InvalidArgumentError(None, "gfile", f"{where}; File name too long") from None


class FileStatistics(NamedTuple):
    """The result of `tf.io.gfile.stat`.

    Attributes:
        length: Size in bytes.
        mtime_nsec: Time of the last change in nanoseconds.
        is_directory: True for a folder.
    """

    length: int
    mtime_nsec: int
    is_directory: bool


def exists(path: Path) -> bool:
    """Return True if a file or folder exists.

    Args:
        path: Path of the file or folder.

    Returns:
        A bool.

    Example:
        >>> import tfpy as tf
        >>> tf.io.write_file("note.txt", "hello")
        >>> tf.io.gfile.exists("note.txt"), tf.io.gfile.exists("nothing.txt")
        (True, False)

    See also: `tf.io.gfile.isdir`.
    """
    return os.path.exists(path)


def isdir(path: Path) -> bool:
    """Return True if a path is that of an existing folder.

    Args:
        path: Path of a file or folder.

    Returns:
        A bool.

    Example:
        >>> import tfpy as tf
        >>> tf.io.gfile.makedirs("parts")
        >>> tf.io.gfile.isdir("parts"), tf.io.gfile.isdir("nothing")
        (True, False)

    See also: `tf.io.gfile.exists`.
    """
    return os.path.isdir(path)


def glob(pattern: Path | list[Path] | tuple[Path, ...]) -> list[str]:
    """Return the paths of the files and folders that match a pattern.

    Args:
        pattern: Pattern with the wildcards `*`, `?` and `[...]`, or a list or tuple of patterns.

    Returns:
        List of paths, which are sorted separately for each pattern.

    Example:
        >>> import tfpy as tf
        >>> tf.io.write_file("parts/a.txt", "")
        >>> tf.io.write_file("parts/b.txt", "")
        >>> tf.io.gfile.glob("parts/*.txt")
        ['parts/a.txt', 'parts/b.txt']

    See also: `tf.io.gfile.listdir`, `tf.io.gfile.walk`.
    """
    listed = pattern if isinstance(pattern, list | tuple) else [pattern]
    return [found for p in listed for found in sorted(patterns.glob(path_text(p)))]


def listdir(path: Path) -> list[str]:
    """Return the names of the files and folders in a folder.

    Args:
        path: Path of the folder.

    Returns:
        List of names in arbitrary order.

    Raises:
        tf.errors.NotFoundError: If the folder does not exist.

    Example:
        >>> import tfpy as tf
        >>> tf.io.write_file("listed/a.txt", "")
        >>> tf.io.write_file("listed/b.txt", "")
        >>> sorted(tf.io.gfile.listdir("listed"))
        ['a.txt', 'b.txt']

    See also: `tf.io.gfile.walk`, `tf.io.gfile.glob`.
    """
    if not isdir(path):
        raise NotFoundError(None, "gfile", f"Could not find directory {path_text(path)}")
    return os.listdir(path_text(path))


def mkdir(path: Path) -> None:
    """Create a folder inside an existing folder.

    If the folder already exists, nothing happens.

    Args:
        path: Path of the folder.

    Raises:
        tf.errors.NotFoundError: If the parent folder does not exist.

    Example:
        >>> import tfpy as tf
        >>> tf.io.gfile.mkdir("empty")
        >>> tf.io.gfile.listdir("empty")
        []
        >>> tf.io.gfile.rmtree("empty")

    See also: `tf.io.gfile.makedirs`.
    """
    with translated(path), contextlib.suppress(FileExistsError):
        os.mkdir(path)


def makedirs(path: Path) -> None:
    """Create a folder and its parent folders.

    Folders that already exist are kept.

    Args:
        path: Path of the folder.

    Raises:
        tf.errors.AlreadyExistsError: If the path is that of a file.

    Example:
        >>> import tfpy as tf
        >>> tf.io.gfile.makedirs("models/digits")
        >>> tf.io.gfile.isdir("models/digits")
        True

    See also: `tf.io.gfile.mkdir`.
    """
    with translated(path):
        os.makedirs(path, exist_ok=True)


def copy(src: Path, dst: Path, overwrite: bool = False) -> None:
    """Copy a file.

    Args:
        src: Path of the file to copy.
        dst: Path of the new file.
        overwrite: If True, replace a file that already exists at `dst`. Default: raise an error.

    Raises:
        tf.errors.NotFoundError: If `src` does not exist.
        tf.errors.AlreadyExistsError: If `dst` exists and `overwrite` is False.

    Example:
        >>> import tfpy as tf
        >>> tf.io.write_file("note.txt", "hello")
        >>> tf.io.gfile.copy("note.txt", "copy.txt", overwrite=True)
        >>> tf.io.read_file("copy.txt").numpy()
        b'hello'

    See also: `tf.io.gfile.rename`.
    """
    _check_free(dst, overwrite)
    with translated(src):
        shutil.copyfile(src, dst)


def rename(src: Path, dst: Path, overwrite: bool = False) -> None:
    """Rename or move a file or folder.

    Args:
        src: Current path.
        dst: New path.
        overwrite: If True, replace a file that already exists at `dst`. Default: raise an error.

    Raises:
        tf.errors.NotFoundError: If `src` does not exist.
        tf.errors.AlreadyExistsError: If `dst` exists and `overwrite` is False.

    Example:
        >>> import tfpy as tf
        >>> tf.io.write_file("note.txt", "hello")
        >>> tf.io.gfile.rename("note.txt", "letter.txt", overwrite=True)
        >>> tf.io.gfile.exists("note.txt"), tf.io.gfile.exists("letter.txt")
        (False, True)

    See also: `tf.io.gfile.copy`.
    """
    _check_free(dst, overwrite)
    with translated(src):
        os.replace(src, dst)


def _check_free(path: Path, overwrite: bool) -> None:
    """Raise AlreadyExistsError if a path exists and may not be overwritten."""
    if not overwrite and exists(path):
        raise AlreadyExistsError(None, "gfile", f"file already exists: {path_text(path)}")


def remove(path: Path) -> None:
    """Delete a file.

    Args:
        path: Path of the file.

    Raises:
        tf.errors.NotFoundError: If the file does not exist.

    Example:
        >>> import tfpy as tf
        >>> tf.io.write_file("note.txt", "hello")
        >>> tf.io.gfile.remove("note.txt")
        >>> tf.io.gfile.exists("note.txt")
        False

    See also: `tf.io.gfile.rmtree`.
    """
    with translated(path):
        os.remove(path)


def rmtree(path: Path) -> None:
    """Delete a folder and everything in it.

    Args:
        path: Path of the folder.

    Raises:
        tf.errors.NotFoundError: If the folder does not exist.

    Example:
        >>> import tfpy as tf
        >>> tf.io.write_file("old/note.txt", "hello")
        >>> tf.io.gfile.rmtree("old")
        >>> tf.io.gfile.exists("old")
        False

    See also: `tf.io.gfile.remove`.
    """
    with translated(path):
        shutil.rmtree(path)


def stat(path: Path) -> FileStatistics:
    """Return the size of a file or folder, and the time of its last change.

    Args:
        path: Path of the file or folder.

    Returns:
        A named tuple of `length`, the number of bytes; `mtime_nsec`, the time of the last change in
        nanoseconds since 1970; and `is_directory`, a bool.

    Raises:
        tf.errors.NotFoundError: If the path does not exist.

    Example:
        >>> import tfpy as tf
        >>> tf.io.write_file("note.txt", "hello")
        >>> tf.io.gfile.stat("note.txt").length
        5

    See also: `tf.io.gfile.exists`.
    """
    with translated(path):
        found = os.stat(path)
    return FileStatistics(found.st_size, found.st_mtime_ns, isdir(path))


def join(path: str | os.PathLike[str], *paths: str | os.PathLike[str]) -> str:
    """Join the parts of a path.

    Args:
        path: First part.
        *paths: Further parts. If a part is an absolute path, the parts before it are ignored.

    Returns:
        A str.

    Example:
        >>> import tfpy as tf
        >>> tf.io.gfile.join("models", "digits", "weights.bin")
        'models/digits/weights.bin'
    """
    return os.path.join(path, *paths)


def get_registered_schemes() -> list[str]:
    """Return the schemes of the paths that `tf.io.gfile` accepts.

    Returns:
        List of strings. The empty one represents paths without a scheme.

    Example:
        >>> import tfpy as tf
        >>> "" in tf.io.gfile.get_registered_schemes()
        True
    """
    return ["file", ""]


def walk(
    top: Path, topdown: bool = True, onerror: Callable[[OSError], object] | None = None
) -> Iterator[Walk]:
    """Traverse a folder with all its subfolders.

    Args:
        top: Path of the folder.
        topdown: If True, yield a folder before its subfolders; if False, after them.
        onerror: Function that takes an `OSError` and is called if a folder cannot be read. Default:
            such folders are skipped.

    Yields:
        A tuple for each folder: its path, the names of its subfolders, and the names of its files.

    Example:
        >>> import tfpy as tf
        >>> tf.io.write_file("tree/below/note.txt", "hello")
        >>> [(str(folder), names) for folder, _, names in tf.io.gfile.walk("tree")]
        [('tree', []), ('tree/below', ['note.txt'])]

    See also: `tf.io.gfile.listdir`, `tf.io.gfile.glob`.
    """
    return iter(os.walk(path_text(top), topdown, onerror))
