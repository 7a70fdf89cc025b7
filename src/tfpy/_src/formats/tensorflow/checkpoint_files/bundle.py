"""Checkpoints of TensorFlow: a table of entries (``.index``) and shards of bytes (``.data-…``)."""

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
"""dtypes of a byte or less that NumPy has not."""
_FEW_BYTES = 1 << 16
"""It is quicker to read so many than to leave them out."""


Extents = tuple[tuple[int, int], ...]
"""The part of an array: for each axis where it starts and how long it is, (0, -1) for all of it."""
Source = Callable[[int, int, int, int], "bytes | memoryview"]
"""(shard, number of shards, offset, size): those bytes of a shard, fewer at its end."""


def shard_name(number: int, count: int) -> str:
    """What a shard's name has behind the checkpoint's."""
    return f".data-{number:05}-of-{count:05}"


@dataclass(frozen=True)
class BundleEntry:
    """Where an array lies."""

    dtype: int
    shape: tuple[int, ...]
    shard: int
    offset: int
    size: int
    checksum: int
    slices: tuple[Extents, ...] = ()
    """Its parts, if it lies in parts, which have entries of their own."""


class Bundle:
    """The arrays of a checkpoint, by their keys.

    Args:
        index: the bytes of the table.
        source: gives bytes of the shards.
        max_bytes: what no array has more of.

    Raises:
        ModelFileError: when the table is broken.
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
        """How many files of bytes there are."""
        return self._shards

    def __getitem__(self, key: str) -> Array:
        """An array.

        Raises:
            ModelFileError: when there is none of that key, or its bytes are not what was written.
        """
        return self.part(key)

    def part(self, key: str, ranges: Ranges | None = None) -> Array:
        """Part of an array, of which little more than that is read; the whole without ``ranges``.

        Raises:
            ModelFileError: when there is none of that key, or its bytes are not what was written.
        """
        if key not in self.entries:
            raise ModelFileError(f"the checkpoint has no value {key!r}")
        entry = self.entries[key]
        wanted = _all(entry.shape) if ranges is None else ranges
        return self._joined(entry, wanted, key) if entry.slices else self._read(entry, wanted, key)

    def _joined(self, entry: BundleEntry, wanted: Ranges, key: str) -> Array:
        """What is wanted of an array, of its parts.

        Raises:
            ModelFileError: when parts are missing, or do not fit.
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
                raise ModelFileError(f"{key!r}: the checkpoint has no part {extents}")
            if part.shape != tuple(stop - start for start, stop in place):
                raise ModelFileError(f"{key!r}: the part {extents} has the shape {part.shape}")
            common = _common(place, wanted)
            if common is None:
                continue
            where = tuple(map(_slice, _within(common, wanted)))
            if covered[where].any():
                raise ModelFileError(f"{key!r}: its parts lie upon each other")
            values = self._read(part, _within(common, place), key)
            found = np.empty(covered.shape, values.dtype) if found is None else found
            found[where] = values
            covered[where] = True
        if found is None or not covered.all():
            raise ModelFileError(f"{key!r}: its parts are not all of it")
        return found

    def _read(self, entry: BundleEntry, wanted: Ranges, key: str) -> Array:
        """What is wanted of an array that lies in one piece."""
        if entry.dtype == _STRING:
            data = self._bytes(entry, key)
            found = _strings(data, math.prod(entry.shape), entry.checksum, key)
            where: tuple[Any, ...] = (*map(_slice, wanted), ...)
            return found.reshape(entry.shape)[where]
        if wanted == _all(entry.shape):
            data = self._bytes(entry, key)
            if masked(crc32c(data)) != entry.checksum:
                raise ModelFileError(f"{key!r} has another checksum than was written: it is broken")
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
        """So many bytes of an array, from one of them on; all by default."""
        size = entry.size if size is None else size
        found = self._source(entry.shard, self._shards, entry.offset + start, size)
        if len(found) < size:
            raise ModelFileError(f"{key!r} lies beyond the end of its file")
        return memoryview(found).cast("B")

    def _entry(self, value: memoryview, key: bytes) -> BundleEntry:
        found = read(value, ENTRY)
        what = f"{key[:60]!r} in the checkpoint"
        sizes = shape(found.get("shape", {"dim": []}), what)
        if sizes is None or None in sizes:
            raise ModelFileError(f"{what} has no known shape")
        known = tuple(size for size in sizes if size is not None)
        number, offset, size, shard = (
            int(found.get(k, 0)) for k in ("dtype", "offset", "size", "shard_id")
        )
        width = _width(number)
        if width is None:
            raise ModelFileError(f"{what} is of dtype {number}, which is not read")
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
            raise ModelFileError(f"{what} says sizes that do not go together")
        return BundleEntry(number, known, shard, offset, size, int(found.get("crc32c", 0)), slices)


def shards_of(index: bytes) -> int:
    """How many shards a table says that there are.

    Raises:
        ModelFileError: when it is broken.
    """
    for key, value in read_table(memoryview(index)):
        if not key:
            return _count(value)
    raise ModelFileError("the checkpoint's table has no header")


def _count(header: memoryview) -> int:
    found = read(header, _HEADER)
    count = int(found.get("num_shards", 1))
    if found.get("endianness") or not 0 < count <= MAX_SHARDS:
        raise ModelFileError("the checkpoint's header is not one that is read")
    return count


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


def _all(sizes: Sequence[int]) -> Ranges:
    return tuple((0, size) for size in sizes)


def _slice(range_: tuple[int, int]) -> slice:
    return slice(*range_)


def _common(one: Ranges, other: Ranges) -> Ranges | None:
    """What two parts of an array have in common; None when that is nothing."""
    pairs = zip(one, other, strict=True)
    found = tuple((max(a, c), min(b, d)) for (a, b), (c, d) in pairs)
    return None if any(start >= stop for start, stop in found) else found


def _within(part: Ranges, whole: Ranges) -> Ranges:
    """Where a part lies in a larger one that it is in."""
    return tuple((a - first, b - first) for (a, b), (first, _) in zip(part, whole, strict=True))


def _pieces(
    sizes: Sequence[int], wanted: Ranges, width: int
) -> Iterator[tuple[int, tuple[Any, ...], list[int]]]:
    """What is read of an array in order to have part of it.

    Gives, of each piece: with which element it begins, where it belongs in what is wanted, on the
    first axes, and its sizes on the last of these and all others.
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
"""Read at a time where less than all of it is wanted."""


def _width(number: int) -> int | None:
    """How many bytes an element has by its dtype's number; None for one that is not read."""
    if number in (_STRING, *_SMALL):
        return 1
    if number == _BFLOAT16:
        return 2
    return np.dtype(STORED[number][0]).itemsize if number in STORED else None


def _numbers(data: bytes | memoryview, number: int) -> Array:
    """Bytes as numbers of a dtype; those of bfloat16 as float32, which holds them."""
    if number == _BFLOAT16:
        return (np.frombuffer(data, "<u2").astype(np.uint32) << 16).view(np.float32)
    if number in _SMALL:
        return np.frombuffer(data, as_dtype(number).as_numpy_dtype).copy()
    stored, made, _ = STORED[number]
    return np.frombuffer(data, stored).astype(made)


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


def _strings(data: memoryview, count: int, checksum: int, key: str) -> Array:
    """Texts: their lengths, a checksum of these, and then their bytes.

    The checksums are of the lengths as numbers of four bytes, or of eight where they need these.
    """
    at, lengths = 0, []
    if count > len(data):
        raise ModelFileError(f"{key!r} has fewer bytes than texts")
    for _ in range(count):
        length, at = read_varint(data, at)
        lengths.append(length)
    at += 4
    if at + sum(lengths) != len(data):
        raise ModelFileError(f"the texts of {key!r} do not take the bytes that they have")
    if masked(crc32c(data[at - 4 :], crc32c(bytes_of_lengths(lengths)))) != checksum:
        raise ModelFileError(f"{key!r} has another checksum than was written: it is broken")
    found = np.empty(count, object)
    for i, length in enumerate(lengths):
        found[i] = bytes(data[at : at + length])
        at += length
    return found


def bytes_of_lengths(lengths: Sequence[int]) -> bytes:
    """What checksums of texts take of their lengths."""
    return b"".join(n.to_bytes(4 if n < 1 << 32 else 8, "little") for n in lengths)
