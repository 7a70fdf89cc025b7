"""Writer of TensorFlow checkpoints: one shard of bytes, and the table of its entries.

`merged` combines the tables of shards that several processes have written.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import BinaryIO

import numpy as np

from tfpy._src.base.dtypes import string
from tfpy._src.compiler.ir.aval import Array
from tfpy._src.formats.encodings.protobuf import read
from tfpy._src.formats.encodings.protobuf_writer import chunk, fixed32, integer
from tfpy._src.formats.tensorflow.checkpoint_files.bundle import ENTRY, Extents, bytes_of_lengths
from tfpy._src.formats.tensorflow.checkpoint_files.ordered_code import slice_key
from tfpy._src.formats.tensorflow.checkpoint_files.table import read_table, write_table
from tfpy._src.library.io.crc import crc32c, masked
from tfpy._src.library.protos.wire import varint

_VERSION = 1  # version of the format


@dataclass(frozen=True)
class Written:
    """The entry of an array or of a part in a shard. An array in parts has no position itself."""

    dtype: int
    shape: tuple[int, ...]
    shard: int = 0
    offset: int = 0
    size: int = 0
    checksum: int = 0
    slices: tuple[Extents, ...] = ()

    def message(self) -> bytes:
        """Encode the entry as a BundleEntryProto."""
        numbers = ((1, self.dtype), (3, self.shard), (4, self.offset), (5, self.size))
        fields = [integer(field, number) for field, number in numbers if number]
        fields.insert(1, chunk(2, b"".join(chunk(2, integer(1, n)) for n in self.shape)))
        if not self.slices:
            fields.append(fixed32(6, self.checksum))
        fields += [chunk(7, _slice(extents)) for extents in self.slices]
        return b"".join(fields)


def _slice(extents: Extents) -> bytes:
    """Encode a part of an array as a TensorSliceProto."""
    return b"".join(
        chunk(1, b"" if length < 0 else integer(1, start) + integer(2, length))
        for start, length in extents
    )


Entries = Mapping[bytes, Written]


class ShardWriter:
    """A writer of arrays, one after another, to the file of a shard.

    Args:
        file: File of the shard.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._offset = 0
        self.entries: dict[bytes, Written] = {}

    def add(self, key: str, dtype: int, array: Array) -> None:
        """Write an array.

        Args:
            key: Key of the array.
            dtype: Number of the dtype.
            array: Values.
        """
        self.entries[key.encode()] = self._write(dtype, array)

    def add_part(
        self, key: str, dtype: int, array: Array, extents: Extents, sizes: tuple[int, ...]
    ) -> None:
        """Write a part of an array of shape `sizes`."""
        self.entries[slice_key(key, extents)] = self._write(dtype, array)
        whole = self.entries.get(key.encode(), Written(dtype, sizes))
        self.entries[key.encode()] = replace(whole, slices=(*whole.slices, extents))

    def _write(self, dtype: int, array: Array) -> Written:
        if dtype == string.as_datatype_enum:
            pieces, checksum = _texts(array)
        else:
            flat = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
            data = flat.data
            pieces, checksum = [data], crc32c(data)
        for piece in pieces:
            self._file.write(piece)
        size = sum(map(len, pieces))
        offset, self._offset = self._offset, self._offset + size
        return Written(dtype, array.shape, 0, offset, size, masked(checksum))


def _texts(array: Array) -> tuple[list[bytes | memoryview], int]:
    """Encode strings, and return their bytes and checksum."""
    texts = [bytes(text) for text in array.reshape(-1).tolist()]
    of_lengths = crc32c(bytes_of_lengths([len(text) for text in texts]))
    tail = masked(of_lengths).to_bytes(4, "little") + b"".join(texts)
    lengths = b"".join(varint(len(text)) for text in texts)
    return [lengths, tail], crc32c(tail, of_lengths)


def entries_of(index: bytes) -> Entries:
    """Return the entries of a table of one shard.

    Raises:
        ModelFileError: If the table is damaged.
    """
    pairs = dict(read_table(memoryview(index)))
    return {key: _entry(value) for key, value in pairs.items() if key}


def _entry(value: memoryview) -> Written:
    found = read(value, ENTRY)
    shard, offset, size, checksum = (
        int(found.get(name, 0)) for name in ("shard_id", "offset", "size", "crc32c")
    )
    sizes = tuple(int(dim.get("size", 0)) for dim in found.get("shape", {"dim": []})["dim"])
    slices = tuple(
        tuple((int(one.get("start", 0)), int(one.get("length", -1))) for one in part["extent"])
        for part in found["slices"]
    )
    return Written(int(found.get("dtype", 0)), sizes, shard, offset, size, checksum, slices)


def merged(tables: Sequence[Entries], base: int = 0) -> bytes:
    """Combine the entries of several shards, in the order of the shards, and return the table.

    Args:
        tables: Entries of each shard.
        base: Number of the first shard. The shards before it do not exist.

    Raises:
        ValueError: If two shards contain the same array.
    """
    found: dict[bytes, Written] = {}
    for shard, entries in enumerate(tables, base):
        for key, entry in entries.items():
            if entry.slices:
                before = found.get(key, replace(entry, slices=()))
                found[key] = replace(before, slices=(*before.slices, *entry.slices))
            elif key in found:
                raise ValueError(f"two processes have written the value {key!r}")
            else:
                found[key] = replace(entry, shard=shard)
    header = integer(1, base + len(tables)) + chunk(3, integer(1, _VERSION))
    return write_table([(b"", header), *((key, found[key].message()) for key in sorted(found))])
