"""Reader of TensorFlow checkpoints: a table of entries (`.index`) and shards (`.data-…`)."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from tfpy._src.backends.interface import Ranges
from tfpy._src.base.dtypes import as_dtype
from tfpy._src.compiler.ir.aval import Array
from tfpy._src.formats.encodings.protobuf import FIXED32, INT, Message, many, read
from tfpy._src.formats.tensorflow.checkpoint_files.ordered_code import slice_key
from tfpy._src.formats.tensorflow.checkpoint_files.table import read_table, read_varint
from tfpy._src.formats.tensorflow.reader.messages import SHAPE
from tfpy._src.formats.tensorflow.reader.values import MAX_BYTES, STORED, shape
from tfpy._src.library.io.checked_json import ModelFileError
from tfpy._src.library.io.crc import crc32c, masked

_HEADER = Message("BundleHeaderProto", {1: ("num_shards", INT), 2: ("endianness", INT)})
_EXTENT = Message("TensorSliceProto.Extent", {1: ("start", INT), 2: ("length", INT)})
_SLICE = Message("TensorSliceProto", {1: ("extent", many(_EXTENT))})
ENTRY = Message(
    "BundleEntryProto",
    {
        1: ("dtype", INT),
        2: ("shape", SHAPE),
        3: ("shard_id", INT),
        4: ("offset", INT),
        5: ("size", INT),
        6: ("crc32c", FIXED32),
        7: ("slices", many(_SLICE)),
    },
)
MAX_SHARDS = 1 << 16
_PLACE = re.compile(r"-|(\d{1,18}),(\d{1,18})")
_STRING, _BFLOAT16 = 7, 14
_SMALL = range(24, 34)
"""Numbers of the dtypes of at most one byte that NumPy does not have."""
_FEW_BYTES = 1 << 16
"""Number of bytes that are faster to read than to skip."""


Extents = tuple[tuple[int, int], ...]
"""A part of an array: start and length on each axis. (0, -1) is the whole axis."""
Source = Callable[[int, int, int, int], "bytes | memoryview"]
"""A function (shard, number of shards, offset, size) that returns bytes of a shard, and fewer at
its end."""


def shard_name(number: int, count: int) -> str:
    """Return the suffix of a shard's file name."""
    return f".data-{number:05}-of-{count:05}"


@dataclass(frozen=True)
class BundleEntry:
    """The location of an array in a checkpoint."""

    dtype: int
    shape: tuple[int, ...]
    shard: int
    offset: int
    size: int
    checksum: int
    slices: tuple[Extents, ...] = ()
    """Parts of the array, which have their own entries. Empty if the array is in one piece."""


class Bundle:
    """The arrays of a checkpoint, by key.

    Args:
        index: Bytes of the table.
        source: Function that returns bytes of the shards.
        max_bytes: Maximum number of bytes of an array.

    Raises:
        ModelFileError: If the table is damaged.
    """

    def __init__(self, index: bytes, source: Source, max_bytes: int = MAX_BYTES) -> None:
        pairs = dict(read_table(memoryview(index)))
        if b"" not in pairs:
            raise ModelFileError("the checkpoint's table has no header")
        self._shards = _count(pairs.pop(b""))
        self._source = source
        self._max_bytes = max_bytes
        found = {key: self._entry(value, key) for key, value in pairs.items()}
        self._parts = {key: entry for key, entry in found.items() if key.startswith(b"\0")}
        self.entries: Mapping[str, BundleEntry] = {
            key.decode("utf-8", "replace"): entry
            for key, entry in found.items()
            if key not in self._parts
        }

    @property
    def shards(self) -> int:
        """Number of shards."""
        return self._shards

    def __getitem__(self, key: str) -> Array:
        """Read an array.

        Raises:
            ModelFileError: If the key does not exist, or the bytes are damaged.
        """
        return self.part(key)

    def part(self, key: str, ranges: Ranges | None = None) -> Array:
        """Read a part of an array, and few bytes more than that.

        Args:
            key: Key of the array.
            ranges: Start and end on each axis. Default: the whole array.

        Raises:
            ModelFileError: If the key does not exist, or the bytes are damaged.
        """
        if key not in self.entries:
            raise ModelFileError(f"the checkpoint does not contain the value {key!r}")
        entry = self.entries[key]
        wanted = _all(entry.shape) if ranges is None else ranges
        return self._joined(entry, wanted, key) if entry.slices else self._read(entry, wanted, key)

    def _joined(self, entry: BundleEntry, wanted: Ranges, key: str) -> Array:
        """Read a range of an array that is stored in parts.

        Raises:
            ModelFileError: If parts are missing, overlap, or do not match the array.
        """
        found: Array | None = None
        covered = np.zeros([stop - start for start, stop in wanted], bool)
        for extents in entry.slices:
            place = tuple(
                (start, size if length < 0 else start + length)
                for (start, length), size in zip(extents, entry.shape, strict=True)
            )
            part = self._parts.get(slice_key(key, extents))
            if part is None or part.slices or part.dtype != entry.dtype:
                raise ModelFileError(f"{key!r}: the checkpoint does not contain the part {extents}")
            if part.shape != tuple(stop - start for start, stop in place):
                raise ModelFileError(
                    f"{key!r}: the part {extents} has the shape {part.shape}, which does not match"
                )
            common = _common(place, wanted)
            if common is None:
                continue
            where = tuple(map(_slice, _within(common, wanted)))
            if covered[where].any():
                raise ModelFileError(f"{key!r}: its parts overlap")
            values = self._read(part, _within(common, place), key)
            found = np.empty(covered.shape, values.dtype) if found is None else found
            found[where] = values
            covered[where] = True
        if found is None or not covered.all():
            raise ModelFileError(f"{key!r}: its parts do not cover the whole array")
        return found

    def _read(self, entry: BundleEntry, wanted: Ranges, key: str) -> Array:
        """Read a range of an array that is stored in one piece."""
        if entry.dtype == _STRING:
            data = self._bytes(entry, key)
            found = _strings(data, math.prod(entry.shape), entry.checksum, key)
            where: tuple[Any, ...] = (*map(_slice, wanted), ...)
            return found.reshape(entry.shape)[where]
        if wanted == _all(entry.shape):
            data = self._bytes(entry, key)
            if masked(crc32c(data)) != entry.checksum:
                raise ModelFileError(f"{key!r} is damaged: its checksum does not match")
            return _numbers(data, entry.dtype).reshape(entry.shape)
        found = np.empty([stop - start for start, stop in wanted], _numbers(b"", entry.dtype).dtype)
        for place, pieces, sizes in _pieces(entry.shape, wanted, found.itemsize):
            width = entry.size // max(1, math.prod(entry.shape))
            data = self._bytes(entry, key, place * width, math.prod(sizes) * width)
            part = _numbers(data, entry.dtype).reshape(sizes)
            found[pieces] = part[(slice(None), *map(_slice, wanted[len(pieces) :]))]
        return found

    def _bytes(
        self, entry: BundleEntry, key: str, start: int = 0, size: int | None = None
    ) -> memoryview:
        """Read bytes of an array, from `start` on. Default: all bytes."""
        size = entry.size if size is None else size
        found = self._source(entry.shard, self._shards, entry.offset + start, size)
        if len(found) < size:
            raise ModelFileError(f"{key!r} is damaged: its file ends too early")
        return memoryview(found).cast("B")

    def _entry(self, value: memoryview, key: bytes) -> BundleEntry:
        found = read(value, ENTRY)
        what = f"{key[:60]!r} in the checkpoint"
        sizes = shape(found.get("shape", {"dim": []}), what)
        if sizes is None or None in sizes:
            raise ModelFileError(f"{what} does not have a known shape")
        known = tuple(size for size in sizes if size is not None)
        number, offset, size, shard = (
            int(found.get(k, 0)) for k in ("dtype", "offset", "size", "shard_id")
        )
        width = _width(number)
        if width is None:
            raise ModelFileError(f"{what} has the dtype number {number}, which is not supported")
        slices = tuple(_extents(one, known, what) for one in found["slices"])
        if slices:
            size = math.prod(known) * width
        right = number == _STRING or size == math.prod(known) * width
        if not (
            right
            and offset >= 0
            and 0 <= size <= self._max_bytes
            and math.prod(known) <= self._max_bytes
            and 0 <= shard < self._shards
        ):
            raise ModelFileError(f"{what} has a shape, size or position that is not consistent")
        return BundleEntry(number, known, shard, offset, size, int(found.get("crc32c", 0)), slices)


def shards_of(index: bytes) -> int:
    """Return the number of shards that a table specifies.

    Raises:
        ModelFileError: If the table is damaged.
    """
    for key, value in read_table(memoryview(index)):
        if not key:
            return _count(value)
    raise ModelFileError("the checkpoint's table has no header")


def _count(header: memoryview) -> int:
    found = read(header, _HEADER)
    count = int(found.get("num_shards", 1))
    if found.get("endianness") or not 0 < count <= MAX_SHARDS:
        raise ModelFileError("the checkpoint's header is not supported")
    return count


def part_of(array: Array, wanted: str) -> Array:
    """Return the part of an array that a string describes.

    For example, "10 3 0,4:-" is four of ten rows. An empty string is the whole array.

    Raises:
        ModelFileError: If the string does not describe a part of that array.
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
        raise ModelFileError(f"{wanted!r} is not a part of an array of shape {list(array.shape)}")
    return array[tuple(where)]


def _all(sizes: Sequence[int]) -> Ranges:
    return tuple((0, size) for size in sizes)


def _slice(range_: tuple[int, int]) -> slice:
    return slice(*range_)


def _common(one: Ranges, other: Ranges) -> Ranges | None:
    """Return the intersection of two parts of an array, or None if it is empty."""
    pairs = zip(one, other, strict=True)
    found = tuple((max(a, c), min(b, d)) for (a, b), (c, d) in pairs)
    return None if any(start >= stop for start, stop in found) else found


def _within(part: Ranges, whole: Ranges) -> Ranges:
    """Return the position of a part inside a larger part that contains it."""
    return tuple((a - first, b - first) for (a, b), (first, _) in zip(part, whole, strict=True))


def _pieces(
    sizes: Sequence[int], wanted: Ranges, width: int
) -> Iterator[tuple[int, tuple[Any, ...], list[int]]]:
    """Yield the pieces to read for a part of an array.

    A piece is the number of its first element, its position in the part on the first axes, and its
    sizes on the last of these axes and the axes that follow.
    """
    axis = len(sizes) - 1
    while axis > 0 and (
        wanted[axis] == (0, sizes[axis]) or math.prod(sizes[axis:]) * width < _FEW_BYTES
    ):
        axis -= 1
    start, stop = wanted[axis]
    inner = math.prod(sizes[axis + 1 :])
    rows = max(1, _BLOCK_BYTES // max(1, inner * width))
    steps = [math.prod(sizes[i + 1 :]) for i in range(axis)]
    for outer in product(*(range(*one) for one in wanted[:axis])):
        before = sum(i * step for i, step in zip(outer, steps, strict=True))
        place = tuple(i - first for i, (first, _) in zip(outer, wanted, strict=False))
        for row in range(start, stop, rows):
            end = min(row + rows, stop)
            where = (*place, slice(row - start, end - start))
            yield before + row * inner, where, [end - row, *sizes[axis + 1 :]]


_BLOCK_BYTES = 1 << 24
"""Number of bytes to read at once if only a part of an array is needed."""


def _width(number: int) -> int | None:
    """Return the bytes of an element by the number of its dtype, or None if it is unsupported."""
    if number in (_STRING, *_SMALL):
        return 1
    if number == _BFLOAT16:
        return 2
    return np.dtype(STORED[number][0]).itemsize if number in STORED else None


def _numbers(data: bytes | memoryview, number: int) -> Array:
    """Decode bytes as numbers. Numbers of bfloat16 become float32, which is exact."""
    if number == _BFLOAT16:
        return (np.frombuffer(data, "<u2").astype(np.uint32) << 16).view(np.float32)
    if number in _SMALL:
        return np.frombuffer(data, as_dtype(number).as_numpy_dtype).copy()
    stored, made, _ = STORED[number]
    return np.frombuffer(data, stored).astype(made)


def _extents(message: Mapping[str, Any], sizes: tuple[int, ...], what: str) -> Extents:
    """Return the position of a part on each axis of an array.

    Raises:
        ModelFileError: If the part is not inside the array.
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


def _strings(data: memoryview, count: int, checksum: int, key: str) -> Array:
    """Decode strings: their lengths, a checksum of the lengths, and then their bytes.

    The checksum treats a length as a number of four bytes, or of eight bytes if it needs them.
    """
    at, lengths = 0, []
    if count > len(data):
        raise ModelFileError(f"{key!r} is damaged: it has fewer bytes than strings")
    for _ in range(count):
        length, at = read_varint(data, at)
        lengths.append(length)
    at += 4
    if at + sum(lengths) != len(data):
        raise ModelFileError(f"{key!r} is damaged: its size does not match its strings")
    if masked(crc32c(data[at - 4 :], crc32c(bytes_of_lengths(lengths)))) != checksum:
        raise ModelFileError(f"{key!r} is damaged: its checksum does not match")
    found = np.empty(count, object)
    for i, length in enumerate(lengths):
        found[i] = bytes(data[at : at + length])
        at += length
    return found


def bytes_of_lengths(lengths: Sequence[int]) -> bytes:
    """Return the bytes of the lengths of strings, as checksums need them."""
    return b"".join(n.to_bytes(4 if n < 1 << 32 else 8, "little") for n in lengths)
