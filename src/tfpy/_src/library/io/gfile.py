"""``tf.io.gfile``: the files of the system; in a page, those of Pyodide."""

from __future__ import annotations

import contextlib
import errno
import glob as patterns
import os
import shutil
from collections.abc import Iterator
from typing import IO, Any, NamedTuple, Self

from tfpy._src.base.errors import (
    AlreadyExistsError,
    FailedPreconditionError,
    InvalidArgumentError,
    NotFoundError,
    PermissionDeniedError,
)

Path = Any  # a str, bytes or os.PathLike, as TensorFlow takes them
Walk = tuple[str, list[str], list[str]]


def path_text(path: Path) -> str:
    """A path as text."""
    found = os.fspath(path)
    return found.decode() if isinstance(found, bytes) else found


@contextlib.contextmanager
def translated(path: Path) -> Iterator[None]:
    """Errors of the system as TensorFlow's."""
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


class GFile:
    """A file, as Python's ``open`` gives, with TensorFlow's errors (``tf.io.gfile.GFile``).

    Args:
        name: its path.
        mode: "r", "w", "a", "r+", "w+" or "a+", for texts; with "b" for bytes.

    Raises:
        InvalidArgumentError: for another mode. The file is opened when it is first used.

    Example:
        >>> import tfpy as tf
        >>> with tf.io.gfile.GFile("/tmp/words.txt", "w") as file:
        ...     file.write("a b")
        >>> tf.io.gfile.exists("/tmp/words.txt")
        True
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
        """The path."""
        return self._name

    @property
    def mode(self) -> str:
        """The mode."""
        return self._mode

    def _opened(self, what: str = "") -> IO[Any]:
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
        """The number of bytes."""
        self.flush()
        return stat(self._name).length

    def read(self, n: int = -1) -> Any:
        """Up to ``n`` characters or bytes, or all that there are.

        Raises:
            PermissionDeniedError: when the file is not opened for reading.
        """
        return self._opened("r").read(n)

    def readline(self) -> Any:
        """The next line, with its end; nothing after the last one."""
        return self._opened("r").readline()

    def readlines(self) -> list[Any]:
        """All lines that are left."""
        return self._opened("r").readlines()

    def write(self, file_content: Any) -> None:
        """Appends to the file.

        Raises:
            PermissionDeniedError: when the file is not opened for writing.
        """
        self._opened("w").write(file_content)

    def seek(self, offset: int, whence: int = 0) -> None:
        """Goes to a place: from the beginning (0), from here (1) or from the end (2)."""
        self._opened().seek(offset, whence)

    def seekable(self) -> bool:
        """True."""
        return True

    def tell(self) -> int:
        """The place."""
        return self._opened().tell()

    def flush(self) -> None:
        """Writes what waits."""
        if self._file is not None and self._mode.replace("b", "") != "r":
            self._file.flush()

    def close(self) -> None:
        """Closes the file."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Any:
        line = self.readline()
        if not line:
            raise StopIteration
        return line


class FileStatistics(NamedTuple):
    """What :func:`stat` gives."""

    length: int
    mtime_nsec: int
    is_directory: bool


def exists(path: Path) -> bool:
    """Whether there is a file or folder.

    Example:
        >>> import tfpy as tf
        >>> tf.io.write_file("note.txt", "hello")
        >>> tf.io.gfile.exists("note.txt"), tf.io.gfile.exists("nothing.txt")
        (True, False)
    """
    return os.path.exists(path)


def isdir(path: Path) -> bool:
    """Whether it is a folder.

    Example:
        >>> import tfpy as tf
        >>> tf.io.gfile.makedirs("parts")
        >>> tf.io.gfile.isdir("parts"), tf.io.gfile.isdir("nothing")
        (True, False)
    """
    return os.path.isdir(path)


def glob(pattern: Any) -> list[str]:
    """The paths that a pattern, or one of a list, matches; in order.

    Example:
        >>> import tfpy as tf
        >>> tf.io.write_file("parts/a.txt", "")
        >>> tf.io.write_file("parts/b.txt", "")
        >>> sorted(tf.io.gfile.glob("parts/*.txt"))
        ['parts/a.txt', 'parts/b.txt']
    """
    listed = pattern if isinstance(pattern, list | tuple) else [pattern]
    return [found for p in listed for found in sorted(patterns.glob(path_text(p)))]


def listdir(path: Path) -> list[str]:
    """The names in a folder.

    Raises:
        NotFoundError: when there is none.

    Example:
        >>> import tfpy as tf
        >>> tf.io.write_file("listed/a.txt", "")
        >>> tf.io.write_file("listed/b.txt", "")
        >>> sorted(tf.io.gfile.listdir("listed"))
        ['a.txt', 'b.txt']
    """
    if not isdir(path):
        raise NotFoundError(None, "gfile", f"Could not find directory {path_text(path)}")
    return os.listdir(path_text(path))


def mkdir(path: Path) -> None:
    """Makes a folder in one that exists, if it is not there.

    Raises:
        NotFoundError: when the folder around it is not there.

    Example:
        >>> import tfpy as tf
        >>> tf.io.gfile.mkdir("empty")
        >>> tf.io.gfile.listdir("empty")
        []
        >>> tf.io.gfile.rmtree("empty")
    """
    with translated(path), contextlib.suppress(FileExistsError):
        os.mkdir(path)


def makedirs(path: Path) -> None:
    """Makes a folder and those around it, where they are not there.

    Example:
        >>> import tfpy as tf
        >>> tf.io.gfile.makedirs("models/digits")
        >>> tf.io.gfile.isdir("models/digits")
        True
    """
    with translated(path):
        os.makedirs(path, exist_ok=True)


def copy(src: Path, dst: Path, overwrite: bool = False) -> None:
    """Copies a file.

    Raises:
        NotFoundError: when it is not there.
        AlreadyExistsError: when the copy is, and is not to be overwritten.

    Example:
        >>> import tfpy as tf
        >>> tf.io.write_file("note.txt", "hello")
        >>> tf.io.gfile.copy("note.txt", "copy.txt", overwrite=True)
        >>> tf.io.read_file("copy.txt").numpy()
        b'hello'
    """
    _check_free(dst, overwrite)
    with translated(src):
        shutil.copyfile(src, dst)


def rename(src: Path, dst: Path, overwrite: bool = False) -> None:
    """Moves a file or folder; errors as :func:`copy`.

    Example:
        >>> import tfpy as tf
        >>> tf.io.write_file("note.txt", "hello")
        >>> tf.io.gfile.rename("note.txt", "letter.txt", overwrite=True)
        >>> tf.io.gfile.exists("note.txt"), tf.io.gfile.exists("letter.txt")
        (False, True)
    """
    _check_free(dst, overwrite)
    with translated(src):
        os.replace(src, dst)


def _check_free(path: Path, overwrite: bool) -> None:
    if not overwrite and exists(path):
        raise AlreadyExistsError(None, "gfile", f"file already exists: {path_text(path)}")


def remove(path: Path) -> None:
    """Deletes a file.

    Raises:
        NotFoundError: when it is not there.

    Example:
        >>> import tfpy as tf
        >>> tf.io.write_file("note.txt", "hello")
        >>> tf.io.gfile.remove("note.txt")
        >>> tf.io.gfile.exists("note.txt")
        False
    """
    with translated(path):
        os.remove(path)


def rmtree(path: Path) -> None:
    """Deletes a folder with all that is in it.

    Raises:
        NotFoundError: when it is not there.

    Example:
        >>> import tfpy as tf
        >>> tf.io.write_file("old/note.txt", "hello")
        >>> tf.io.gfile.rmtree("old")
        >>> tf.io.gfile.exists("old")
        False
    """
    with translated(path):
        shutil.rmtree(path)


def stat(path: Path) -> FileStatistics:
    """Length in bytes, time of the last change in nanoseconds, whether it is a folder.

    Raises:
        NotFoundError: when it is not there.

    Example:
        >>> import tfpy as tf
        >>> tf.io.write_file("note.txt", "hello")
        >>> tf.io.gfile.stat("note.txt").length
        5
    """
    with translated(path):
        found = os.stat(path)
    return FileStatistics(found.st_size, found.st_mtime_ns, isdir(path))


def join(path: Path, *paths: Path) -> Any:
    """Parts of a path, joined; an absolute one begins anew.

    Example:
        >>> import tfpy as tf
        >>> tf.io.gfile.join("models", "digits", "weights.bin")
        'models/digits/weights.bin'
    """
    return os.path.join(path, *paths)


def walk(top: Path, topdown: bool = True, onerror: Any = None) -> Iterator[Walk]:
    """Of a folder and all in it: its path, the names of its folders, those of its files.

    Example:
        >>> import tfpy as tf
        >>> tf.io.write_file("tree/below/note.txt", "hello")
        >>> [(str(folder), names) for folder, _, names in tf.io.gfile.walk("tree")]
        [('tree', []), ('tree/below', ['note.txt'])]
    """
    return iter(os.walk(path_text(top), topdown, onerror))
