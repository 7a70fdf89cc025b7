"""Values written to a checkpoint's files, by one process or by several together.

A checkpoint is there once its table is: that comes last, at once. Where one of that name is
written anew, its bytes go into files that are numbered otherwise, beside those that the old table
tells of.

Where several processes compute together, each writes what it is the first to hold of each value,
and the first process puts the tables together. Processes that give different names write each a
checkpoint of its own, of values that they hold wholly.
"""

from __future__ import annotations

import glob
import math
import os
import shutil
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from tfpy._src.core.tensor import Tensor
from tfpy._src.errors import FailedPreconditionError, UnavailableError
from tfpy._src.graphs.errors import ModelFileError
from tfpy._src.graphs.tensorflow.bundle import shard_name, shards_of
from tfpy._src.graphs.tensorflow.bundle_writer import ShardWriter, entries_of, merged
from tfpy._src.graphs.tensorflow.values import STORED
from tfpy._src.io.gfile import translated
from tfpy._src.ir.aval import Array
from tfpy._src.runtime.backend import Backend
from tfpy._src.runtime.interface import Shard
from tfpy._src.runtime.registry import active_backend
from tfpy._src.train.files import replace_file, whole_file
from tfpy._src.train.objects import Value

Note = Callable[[str, bool], None]
"""Takes the path of a checkpoint, and whether this process has put it in its place."""


def note_nothing(path: str, own: bool) -> None:
    """Of a checkpoint that is noted nowhere."""


def write(prefix: str, values: Sequence[Value], note: Note = note_nothing) -> None:
    """Writes a checkpoint, and notes it: before any of the processes that write it goes on.

    Raises:
        NotFoundError, PermissionDeniedError: when the folder cannot be made or written to.
        UnavailableError: when another process that computes along is gone, or cannot write.
        FailedPreconditionError: when other processes hold part of the values, and write elsewhere.
    """
    backend = active_backend()
    with translated(prefix):
        os.makedirs(os.path.dirname(prefix) or ".", exist_ok=True)
        names = backend.agree(os.path.abspath(prefix))
        if len(names) > 1 and len(set(names)) == 1:
            _write_together(backend, prefix, values)
            _all_do(backend, lambda: note(prefix, backend.process == 0))
        else:
            _write_alone(backend, prefix, values)
            note(prefix, True)


def _write_alone(backend: Backend, prefix: str, values: Sequence[Value]) -> None:
    base = _free_base(prefix, 1)
    with whole_file(prefix + shard_name(base, base + 1)) as file:
        writer = ShardWriter(file)
        for value in values:
            shards = _held(backend, value)
            if sum(map(_size, shards)) != math.prod(value.value.shape):
                text = f"{value.key}: other processes hold part of it; all must write to {prefix}"
                raise FailedPreconditionError(None, None, text)
            _add(writer, value, shards)
        entries = writer.entries
    _finish(prefix, merged([entries], base), base + 1)


def _write_together(backend: Backend, prefix: str, values: Sequence[Value]) -> None:
    folder = f"{prefix}_temp"

    def part(process: int) -> str:
        return os.path.join(folder, str(process))

    def write_own() -> None:
        os.makedirs(folder, exist_ok=True)
        with whole_file(f"{part(backend.process)}.data") as file:
            writer = ShardWriter(file)
            for value in values:
                _add(writer, value, [shard for shard in _held(backend, value) if shard.first])
        replace_file(f"{part(backend.process)}.index", merged([writer.entries]))

    def put_together() -> None:
        if backend.process:
            return
        count = backend.processes
        base = _free_base(prefix, count)
        tables = []
        for process in range(count):
            with open(f"{part(process)}.index", "rb") as file:
                tables.append(entries_of(file.read()))
            os.replace(f"{part(process)}.data", prefix + shard_name(base + process, base + count))
        _finish(prefix, merged(tables, base), base + count)
        shutil.rmtree(folder, ignore_errors=True)

    _all_do(backend, write_own)
    _all_do(backend, put_together)


def _all_do(backend: Backend, action: Callable[[], None]) -> None:
    """Does something that succeeds in all processes or fails in all."""
    failure: Exception | None = None
    try:
        action()
    except Exception as error:
        failure = error
    texts = backend.agree("" if failure is None else repr(failure))
    if failure is not None:
        raise failure
    for process, text in enumerate(texts):
        if text:
            raise UnavailableError(None, None, f"task {process} could not write: {text}")


def _finish(prefix: str, table: bytes, shards: int) -> None:
    """The table takes its place; files of bytes that it does not tell of go."""
    replace_file(f"{prefix}.index", table)
    for path in glob.glob(f"{glob.escape(prefix)}.data-?????-of-?????"):
        if not path.endswith(f"-of-{shards:05}"):
            with suppress(OSError):
                os.remove(path)


def _free_base(prefix: str, shards: int) -> int:
    """From which number on shards get names that the present table does not use."""
    try:
        with open(f"{prefix}.index", "rb") as file:
            return int(shards_of(file.read()) == shards)
    except (OSError, ModelFileError):
        return 0


def _held(backend: Backend, value: Value) -> list[Shard]:
    """What this process has of a value."""
    found = value.value
    everything = tuple((0, int(size)) for size in found.shape)
    if isinstance(found, Tensor):
        storage = found.storage
        if storage.host is None and storage.backend is not None:
            storage.check()
            return storage.backend.shards(storage.slot, found.aval)
    return [Shard(everything, lambda: _array(found), backend.process == 0)]


def _array(value: Tensor | Array) -> Array:
    return value.host_view() if isinstance(value, Tensor) else value


def _size(shard: Shard) -> int:
    return math.prod(stop - start for start, stop in shard.ranges)


def _add(writer: ShardWriter, value: Value, shards: Sequence[Shard]) -> None:
    sizes: Any = tuple(map(int, value.value.shape))
    for shard in shards:
        array = _as_stored(shard.read(), value.dtype)
        if shard.ranges == tuple((0, size) for size in sizes):
            writer.add(value.key, value.dtype, array)
            continue
        extents = tuple(
            (0, -1) if (start, stop) == (0, size) else (start, stop - start)
            for (start, stop), size in zip(shard.ranges, sizes, strict=True)
        )
        writer.add_part(value.key, value.dtype, array, extents, sizes)


def _as_stored(array: Array, number: int) -> Array:
    """An array as a file has it, which may be wider."""
    if number not in STORED:
        return np.asarray(array)
    return np.asarray(array).astype(STORED[number][0], copy=False)
