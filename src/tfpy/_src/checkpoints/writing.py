"""Writing a checkpoint's files, by one process or by several processes together.

A checkpoint becomes valid when its table is written, which happens last and atomically. The data
files have numbers that no other checkpoint of that name uses, not even one that another program is
writing, so a table and its data always belong together. The program that writes its table last
wins.

If several processes compute together, each one writes the parts of each value that it holds first,
and the first process merges the tables. Processes that pass different names each write their own
checkpoint, of values that they hold completely.
"""

from __future__ import annotations

import glob
import math
import os
import secrets
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import numpy as np

from tfpy._src.backends.devices import Devices, devices_of
from tfpy._src.backends.interface import SlotShard
from tfpy._src.backends.registry import active_backend
from tfpy._src.base.atomic_files import is_old, remove_abandoned, replace_file, whole_file
from tfpy._src.base.errors import FailedPreconditionError, UnavailableError
from tfpy._src.checkpoints.objects import TrackedValue
from tfpy._src.compiler.ir.aval import Array
from tfpy._src.core.tensor import Tensor
from tfpy._src.formats.tensorflow.checkpoint_files.bundle import shard_name, shards_of
from tfpy._src.formats.tensorflow.checkpoint_files.bundle_writer import (
    ShardWriter,
    entries_of,
    merged,
)
from tfpy._src.formats.tensorflow.reader.values import STORED
from tfpy._src.library.io.checked_json import ModelFileError
from tfpy._src.library.io.gfile import translated

Note = Callable[[str, bool], None]
"""A function that takes the path of a checkpoint, and True if this process wrote the table."""


def note_nothing(path: str, own: bool) -> None:
    """Do nothing: the checkpoint is not recorded anywhere."""


def write(prefix: str, values: Sequence[TrackedValue], note: Note = note_nothing) -> None:
    """Write a checkpoint and call `note` before any of the writing processes continues.

    Raises:
        NotFoundError: If the folder cannot be created.
        PermissionDeniedError: If the folder is not writable.
        UnavailableError: If another participating process has ended or cannot write.
        FailedPreconditionError: If other processes hold part of the values, but write elsewhere.
    """
    devices = devices_of(active_backend())
    with translated(prefix):
        os.makedirs(os.path.dirname(prefix) or ".", exist_ok=True)
        names = devices.agree(os.path.abspath(prefix))
        if len(names) > 1 and len(set(names)) == 1:
            _write_together(devices, prefix, values)
            _all_do(devices, lambda: note(prefix, devices.process == 0))
        else:
            _write_alone(devices, prefix, values)
            note(prefix, True)


def _write_alone(devices: Devices, prefix: str, values: Sequence[TrackedValue]) -> None:
    with _claimed(prefix, 1) as base:
        with whole_file(prefix + shard_name(base, base + 1), durable=True) as file:
            writer = ShardWriter(file)
            for value in values:
                shards = _held(devices, value)
                if sum(map(_size, shards)) != math.prod(value.value.shape):
                    text = (
                        f"Other processes hold part of {value.key}. All processes must write to "
                        f"{prefix}."
                    )
                    raise FailedPreconditionError(None, None, text)
                _add(writer, value, shards)
            entries = writer.entries
        _put_in_place(prefix, merged([entries], base))


def _write_together(devices: Devices, prefix: str, values: Sequence[TrackedValue]) -> None:
    token = devices.agree(secrets.token_hex(8))[0]
    folder = f"{prefix}_temp_{token}"

    def part(process: int) -> str:
        return os.path.join(folder, str(process))

    def write_own() -> None:
        os.makedirs(folder, exist_ok=True)
        with whole_file(f"{part(devices.process)}.data", durable=True) as file:
            writer = ShardWriter(file)
            for value in values:
                _add(writer, value, [shard for shard in _held(devices, value) if shard.first])
        replace_file(f"{part(devices.process)}.index", merged([writer.entries]))

    def put_together() -> None:
        if devices.process:
            return
        count = devices.processes
        with _claimed(prefix, count) as base:
            tables = []
            for process in range(count):
                with open(f"{part(process)}.index", "rb") as file:
                    tables.append(entries_of(file.read()))
                shard = shard_name(base + process, base + count)
                os.replace(f"{part(process)}.data", prefix + shard)
            _put_in_place(prefix, merged(tables, base))

    try:
        _all_do(devices, write_own)
        _all_do(devices, put_together)
    finally:
        if not devices.process:
            shutil.rmtree(folder, ignore_errors=True)
            _remove_abandoned_folders(os.path.dirname(prefix))


def _remove_abandoned_folders(directory: str) -> None:
    """Remove the temporary folders of programs that ended while saving, a day ago or earlier."""
    name = "*_temp_" + "[0-9a-f]" * 16
    for folder in glob.glob(os.path.join(glob.escape(directory), name)):
        with suppress(OSError):
            if is_old(folder):
                shutil.rmtree(folder)


def _all_do(devices: Devices, action: Callable[[], None]) -> None:
    """Run an action that succeeds in all processes or fails in all."""
    failure: Exception | None = None
    try:
        action()
    except Exception as error:
        failure = error
    texts = devices.agree("" if failure is None else repr(failure))
    if failure is not None:
        raise failure
    for process, text in enumerate(texts):
        if text:
            raise UnavailableError(None, None, f"Task {process} could not write: {text}")


def _put_in_place(prefix: str, table: bytes) -> None:
    """Replace the table of a checkpoint and remove the data files of the previous one."""
    before = _shards_in(f"{prefix}.index")
    replace_file(f"{prefix}.index", table, durable=True)
    now = shards_of(table)
    for path in glob.glob(f"{glob.escape(prefix)}.data-?????-of-?????"):
        with suppress(OSError):
            ending = int(path[-5:])
            if ending != now and (ending == before or is_old(path)):
                os.remove(path)
    remove_abandoned(f"{prefix}.")


@contextmanager
def _claimed(prefix: str, count: int) -> Iterator[int]:
    """Claim shard numbers that no other table uses; release them after an error.

    The name of the last shard is the claim, since every table with that many shards has it.
    """
    for base in range(_MAX_SHARDS - count):
        last = prefix + shard_name(base + count - 1, base + count)
        try:
            with open(last, "xb"):
                break
        except FileExistsError:
            continue
    else:
        text = f"No shard number is free for {prefix}. Remove the files {prefix}.data-*."
        raise FailedPreconditionError(None, None, text)
    try:
        yield base
    except BaseException:
        for path in glob.glob(f"{glob.escape(prefix)}.data-?????-of-{base + count:05}"):
            with suppress(OSError):
                os.remove(path)
        raise


_MAX_SHARDS = 100_000
"""Limit of the five digits in file names."""


def _shards_in(path: str) -> int | None:
    """Return the number of shards of the table in a file, or None if there is no complete table."""
    try:
        with open(path, "rb") as file:
            return shards_of(file.read())
    except (OSError, ModelFileError):
        return None


def _held(devices: Devices, value: TrackedValue) -> list[SlotShard]:
    """Return the parts of a value that this process holds."""
    found = value.value
    everything = tuple((0, int(size)) for size in found.shape)
    if isinstance(found, Tensor):
        storage = found.storage
        if storage.host is None and storage.backend is not None:
            storage.check()
            return devices_of(storage.backend).shards(storage.slot, found.aval)
    return [SlotShard(everything, lambda: _array(found), devices.process == 0)]


def _array(value: Tensor | Array) -> Array:
    return value.host_view() if isinstance(value, Tensor) else value


def _size(shard: SlotShard) -> int:
    return math.prod(stop - start for start, stop in shard.ranges)


def _add(writer: ShardWriter, value: TrackedValue, shards: Sequence[SlotShard]) -> None:
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
    """Convert an array to the dtype of the file, which may be wider."""
    if number not in STORED:
        return np.asarray(array)
    return np.asarray(array).astype(STORED[number][0], copy=False)
