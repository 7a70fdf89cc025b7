"""Checkpoints of TensorFlow: a table of entries (``.index``) and shards of bytes (``.data-…``).

The table is LevelDB's: blocks of sorted keys, each key without what it shares with the one before.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from tfpy._src.graphs.errors import ModelFileError
from tfpy._src.graphs.tensorflow.messages import SHAPE
from tfpy._src.graphs.tensorflow.ordered_code import slice_key
from tfpy._src.graphs.tensorflow.values import MAX_BYTES, STORED, shape
from tfpy._src.graphs.wire import INT, Message, many, read
from tfpy._src.ir.aval import Array

_HEADER = Message("BundleHeaderProto", {1: ("num_shards", INT), 2: ("endianness", INT)})
_EXTENT = Message("TensorSliceProto.Extent", {1: ("start", INT), 2: ("length", INT)})
_SLICE = Message("TensorSliceProto", {1: ("extent", many(_EXTENT))})
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
_PLACE = re.compile(r"-|(\d{1,18}),(\d{1,18})")
_MAGIC = bytes.fromhex("57fb808b247547db")
_FOOTER = 48
_TRAILER = 5  # of a block: how it is compressed, and a checksum
_MAX_ENTRIES = 1 << 20
_STRING, _BFLOAT16 = 7, 14


Extents = tuple[tuple[int, int], ...]
"""The part of an array: for each axis where it starts and how long it is, (0, -1) for all of it."""


@dataclass(frozen=True)
class Entry:
    """Where an array lies."""

    dtype: int
    shape: tuple[int, ...]
    shard: int
    offset: int
    size: int
    slices: tuple[Extents, ...] = ()
    """Its parts, if it lies in parts, which have entries of their own."""


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
        found = {key: self._entry(value, key) for key, value in pairs.items()}
        self._parts = {key: entry for key, entry in found.items() if key.startswith(b"\0")}
        self.entries: Mapping[str, Entry] = {
            key.decode("utf-8", "replace"): entry
            for key, entry in found.items()
            if key not in self._parts
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
        return self._whole(entry, key) if entry.slices else self._array(entry, key)

    def _whole(self, entry: Entry, key: str) -> Array:
        """An array of its parts.

        Raises:
            ModelFileError: when parts are missing, or do not fit.
        """
        found: Array | None = None
        covered = np.zeros(entry.shape, bool)
        for extents in entry.slices:
            where = tuple(
                slice(start, None if length < 0 else start + length) for start, length in extents
            )
            part = self._parts.get(slice_key(key, extents))
            if part is None or part.slices or part.dtype != entry.dtype:
                raise ModelFileError(f"{key!r}: the checkpoint has no part {extents}")
            if covered[where].any():
                raise ModelFileError(f"{key!r}: its parts lie upon each other")
            if covered[where].shape != part.shape:
                raise ModelFileError(f"{key!r}: the part {extents} has the shape {part.shape}")
            values = self._array(part, key)
            found = np.empty(entry.shape, values.dtype) if found is None else found
            found[where] = values
            covered[where] = True
        if found is None or not covered.all():
            raise ModelFileError(f"{key!r}: its parts are not all of it")
        return found

    def _array(self, entry: Entry, key: str) -> Array:
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
        known = tuple(size for size in sizes if size is not None)
        number, offset, size, shard = (
            int(found.get(k, 0)) for k in ("dtype", "offset", "size", "shard_id")
        )
        if number not in STORED and number not in (_STRING, _BFLOAT16):
            raise ModelFileError(f"{what} is of dtype {number}, which is not read")
        width = 2 if number == _BFLOAT16 else np.dtype(STORED.get(number, ("u1",))[0]).itemsize
        slices = tuple(_extents(one, known, what) for one in found["slices"])
        if slices:
            size = math.prod(known) * width
        right = number == _STRING or size == math.prod(known) * width
        if not right or offset < 0 or not 0 <= size <= MAX_BYTES or not 0 <= shard < self._shards:
            raise ModelFileError(f"{what} says sizes that do not go together")
        return Entry(number, known, shard, offset, size, slices)


def part_of(array: Array, wanted: str) -> Array:
    """The part that a text says, as "10 3 0,4:-" does four of ten rows; "" is the whole.

    Raises:
        ModelFileError: when it is no part of that array.
    """
    *sizes, places = wanted.split(" ")
    found = [_PLACE.fullmatch(place) for place in places.split(":")] if wanted else []
    where: list[slice] = []
    for size, match in zip(array.shape, found, strict=False):
        start, length = (int(n or 0) for n in match.groups()) if match else (0, -1)
        if not match or start + length > size:
            break
        where.append(slice(start, start + length) if match[1] else slice(None))
    axes = array.ndim if wanted else 0
    if sizes != [str(n) for n in array.shape[:axes]] or not len(where) == len(found) == axes:
        raise ModelFileError(f"{wanted!r} is no part of an array {list(array.shape)}")
    return array[tuple(where)]


def _extents(message: Mapping[str, Any], sizes: tuple[int, ...], what: str) -> Extents:
    """A part's places on the axes of a whole.

    Raises:
        ModelFileError: when it is not within the whole.
    """
    found = tuple(
        (int(one.get("start", 0)), int(one.get("length", -1))) for one in message["extent"]
    )
    inside = len(found) == len(sizes) and all(
        (start, length) == (0, -1) or (start >= 0 and 0 <= length <= size - start)
        for (start, length), size in zip(found, sizes, strict=False)
    )
    if not inside:
        raise ModelFileError(f"{what} has a part {found} that is not within {list(sizes)}")
    return found


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
