"""Checkpoints of TensorFlow: a table of entries (``.index``) and shards of bytes (``.data-…``).

The table is LevelDB's: blocks of sorted keys, each key without what it shares with the one before.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from tfpy._src.graphs.errors import ModelFileError
from tfpy._src.graphs.tensorflow.messages import SHAPE
from tfpy._src.graphs.tensorflow.values import MAX_BYTES, STORED, shape
from tfpy._src.graphs.wire import INT, Message, many, read
from tfpy._src.ir.aval import Array

_HEADER = Message("BundleHeaderProto", {1: ("num_shards", INT), 2: ("endianness", INT)})
_SLICE = Message("TensorSliceProto")
_ENTRY = Message(
    "BundleEntryProto",
    {
        1: ("dtype", INT),
        2: ("shape", SHAPE),
        3: ("shard_id", INT),
        4: ("offset", INT),
        5: ("size", INT),
        7: ("slices", many(_SLICE)),
    },
)
_MAGIC = bytes.fromhex("57fb808b247547db")
_FOOTER = 48
_TRAILER = 5  # of a block: how it is compressed, and a checksum
_MAX_ENTRIES = 1 << 20
_STRING, _BFLOAT16 = 7, 14


@dataclass(frozen=True)
class Entry:
    """Where an array lies."""

    dtype: int
    shape: tuple[int, ...]
    shard: int
    offset: int
    size: int


class Bundle:
    """The arrays of a checkpoint, by their keys.

    Args:
        index: the bytes of the table.
        shard: gives the bytes of a shard by its number and the number of them all.

    Raises:
        ModelFileError: when the table is broken.
    """

    def __init__(self, index: bytes, shard: Callable[[int, int], bytes]) -> None:
        pairs = dict(_table(memoryview(index)))
        if b"" not in pairs:
            raise ModelFileError("the checkpoint's table has no header")
        header = read(pairs.pop(b""), _HEADER)
        self._shards = int(header.get("num_shards", 1))
        if header.get("endianness") or not 0 < self._shards <= 1 << 16:
            raise ModelFileError("the checkpoint's header is not one that is read")
        self._shard = shard
        self.entries: Mapping[str, Entry] = {
            key.decode("utf-8", "replace"): self._entry(value, key) for key, value in pairs.items()
        }

    @property
    def shards(self) -> int:
        """How many files of bytes there are."""
        return self._shards

    def __getitem__(self, key: str) -> Array:
        """An array.

        Raises:
            ModelFileError: when there is none of that key, or its shard is too short.
        """
        if key not in self.entries:
            raise ModelFileError(f"the checkpoint has no value {key!r}")
        entry = self.entries[key]
        data = self._shard(entry.shard, self._shards)
        if entry.offset + entry.size > len(data):
            raise ModelFileError(f"{key!r} lies beyond the end of its file")
        part = memoryview(data)[entry.offset : entry.offset + entry.size]
        if entry.dtype == _STRING:
            return _strings(part, math.prod(entry.shape), key).reshape(entry.shape)
        if entry.dtype == _BFLOAT16:
            upper = np.frombuffer(part, "<u2").astype(np.uint32) << 16
            return upper.view(np.float32).reshape(entry.shape)
        stored, made, _ = STORED[entry.dtype]
        return np.frombuffer(part, stored).astype(made).reshape(entry.shape)

    def _entry(self, value: memoryview, key: bytes) -> Entry:
        found = read(value, _ENTRY)
        what = f"{key[:60]!r} in the checkpoint"
        sizes = shape(found.get("shape", {"dim": []}), what)
        if sizes is None or None in sizes:
            raise ModelFileError(f"{what} has no known shape")
        if found["slices"]:
            raise ModelFileError(f"{what} is cut into slices, which are not read")
        known = tuple(size for size in sizes if size is not None)
        number, offset, size, shard = (
            int(found.get(k, 0)) for k in ("dtype", "offset", "size", "shard_id")
        )
        if number not in STORED and number not in (_STRING, _BFLOAT16):
            raise ModelFileError(f"{what} is of dtype {number}, which is not read")
        width = 2 if number == _BFLOAT16 else np.dtype(STORED.get(number, ("u1",))[0]).itemsize
        right = number == _STRING or size == math.prod(known) * width
        if not right or offset < 0 or not 0 <= size <= MAX_BYTES or not 0 <= shard < self._shards:
            raise ModelFileError(f"{what} says sizes that do not go together")
        return Entry(number, known, shard, offset, size)


def _strings(data: memoryview, count: int, key: str) -> Array:
    """Texts: their lengths, a checksum of these, and then their bytes."""
    at, lengths = 0, []
    if count > len(data):
        raise ModelFileError(f"{key!r} has fewer bytes than texts")
    for _ in range(count):
        length, at = _varint(data, at)
        lengths.append(length)
    at += 4
    if at + sum(lengths) != len(data):
        raise ModelFileError(f"the texts of {key!r} do not take the bytes that they have")
    found = np.empty(count, object)
    for i, length in enumerate(lengths):
        found[i] = bytes(data[at : at + length])
        at += length
    return found


def _table(data: memoryview) -> Iterator[tuple[bytes, memoryview]]:
    """The keys and values of a LevelDB table."""
    if len(data) < _FOOTER or bytes(data[-8:]) != _MAGIC:
        raise ModelFileError("this is no table of a checkpoint")
    footer = data[-_FOOTER:]
    _, at = _handle(footer, 0)
    where, _ = _handle(footer, at)
    left = _MAX_ENTRIES
    for _, handle in _block(data, where):
        for pair in _block(data, _handle(handle, 0)[0]):
            left -= 1
            if left < 0:
                raise ModelFileError(f"the checkpoint has more than {_MAX_ENTRIES} values")
            yield pair


def _block(data: memoryview, where: tuple[int, int]) -> Iterator[tuple[bytes, memoryview]]:
    offset, size = where
    if offset + size + _TRAILER > len(data) or size < 4:
        raise ModelFileError("a block of the checkpoint's table lies beyond its end")
    if data[offset + size]:
        raise ModelFileError("the checkpoint's table is compressed, which is not read")
    block = data[offset : offset + size]
    restarts = int.from_bytes(block[-4:], "little")
    end = size - 4 - 4 * restarts
    if end < 0:
        raise ModelFileError("a block of the checkpoint's table is broken")
    at, key = 0, b""
    while at < end:
        shared, at = _varint(block, at)
        more, at = _varint(block, at)
        length, at = _varint(block, at)
        if shared > len(key) or at + more + length > end:
            raise ModelFileError("a block of the checkpoint's table is broken")
        key = key[:shared] + bytes(block[at : at + more])
        at += more
        yield key, block[at : at + length]
        at += length


def _handle(data: memoryview, at: int) -> tuple[tuple[int, int], int]:
    offset, at = _varint(data, at)
    size, at = _varint(data, at)
    return (offset, size), at


def _varint(data: memoryview, at: int) -> tuple[int, int]:
    number = 0
    for shift in range(0, 70, 7):
        if at >= len(data):
            break
        byte = data[at]
        at += 1
        number |= (byte & 0x7F) << shift
        if byte < 0x80:
            return number, at
    raise ModelFileError("the checkpoint ends within a number")
