"""The interface of a model's files, and the progress of reading them."""

from __future__ import annotations

import fnmatch
import io
from collections.abc import Callable, Coroutine, Iterable, Sequence
from typing import Any, BinaryIO, Protocol, runtime_checkable

from tfpy._src.library.io.checked_json import ModelFileError

MODEL = "model.json"

Progress = Callable[[float], None]
"""A function that receives a fraction from 0 to 1."""


def increasing(progress: Progress) -> Progress:
    """Return a function that reports a fraction only if it is larger than all before it."""
    most = -1.0

    def report(fraction: float) -> None:
        nonlocal most
        if fraction > most:
            most = fraction
            progress(fraction)

    return report


class ProgressCounter:
    """A counter of received bytes that reports the received fraction.

    Args:
        progress: Function that receives the fraction.
        total: Number of bytes to receive. None: the response to a request specifies it.
    """

    def __init__(self, progress: Progress, total: int | None = None) -> None:
        self._done, self._total, self._progress = 0, total, progress

    def expect(self, total: int | None) -> None:
        """Set the number of bytes to receive from a response, unless it is known."""
        if self._total is None:
            self._total = total

    def __call__(self, count: int) -> None:
        self._done += count
        if self._total is not None:
            self._progress(min(self._done / max(self._total, 1), 1.0))


@runtime_checkable
class ModelFiles(Protocol):
    """The files of a model, by their paths relative to the folder of `model.json`."""

    model: str
    heard: Callable[[int], None] = staticmethod(lambda count: None)
    """Callback for the number of bytes of each received part."""

    def where(self, path: str) -> str:
        """Return the name of a file for error messages."""
        return path

    async def read(self, path: str, limit: int) -> bytes:
        """Return the bytes of a file.

        Raises:
            ModelFileError: If the file does not exist or is larger than `limit` bytes.
        """

    async def open(self, path: str, limit: int) -> BinaryIO:
        """Open a file for reading in parts.

        Raises:
            ModelFileError: If the file does not exist or is larger than `limit` bytes.
        """
        return io.BytesIO(await self.read(path, limit))

    def expect(self, groups: Iterable[tuple[str, ...]]) -> None:
        """Start to fetch files that will probably be read, and drop those expected before."""
        return

    def begin(self, paths: tuple[str, ...], limit: int) -> Coroutine[Any, Any, list[bytes]]:
        """Start to fetch some files and return a coroutine for their bytes.

        Raises:
            ModelFileError: If a file does not exist, or all together exceed `limit` bytes.
        """
        return self._read_all(paths, limit)

    def close(self) -> None:
        """Cancel all requests that are not complete."""
        return

    async def _read_all(self, paths: tuple[str, ...], limit: int) -> list[bytes]:
        found: list[bytes] = []
        for path in paths:
            found.append(await self.read(path, limit))
            limit -= len(found[-1])
            self.heard(len(found[-1]))
        return found


def model_among(files: list[str], names: Sequence[str]) -> str:
    """Return the file that has the first matching name, or is the only one with the suffix.

    Raises:
        ModelFileError: If there is no such file, or several.
    """
    for name in names:
        found = [file for file in files if file == name or file.endswith(f"/{name}")]
        if name.startswith("."):
            found = [file for file in files if file.endswith(name)]
        if "*" in name:
            found = fnmatch.filter(files, name)
        found.sort(key=lambda file: file.count("/"))
        if found and (len(found) == 1 or found[0].count("/") < found[1].count("/")):
            return found[0]
    raise ModelFileError(f"there must be one {names[0]} among the files {sorted(files)[:20]}")


def within(size: int, path: str, limit: int) -> None:
    """Check the size of a file.

    Raises:
        ModelFileError: If it has more than `limit` bytes.
    """
    if size > limit:
        raise ModelFileError(f"{path} has more than the {limit} bytes that are expected")


def missing(path: str, error: OSError | None = None) -> ModelFileError:
    """Return an error for a file that does not exist."""
    why = f": {error.strerror}" if error and error.strerror else ""
    return ModelFileError(f"the model's file {path!r} is not there{why}")
