"""Tables of checkpoints, which are LevelDB's: sorted keys and values in blocks.

A block has its entries, each key without what it shares with the one before, then the places
where a key stands whole, and their number. Behind it are how it is compressed and a checksum. The
block of the index has the place of each other one; the footer has that of the index.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tfpy._src.base.unpack_limit import Room
from tfpy._src.formats.encodings.protobuf_writer import varint
from tfpy._src.library.io.checked_json import ModelFileError
from tfpy._src.library.io.crc import crc32c, masked

MAX_ENTRIES = 1 << 20
_MAGIC = bytes.fromhex("57fb808b247547db")
_FOOTER = 48
_TRAILER = 5  # of a block: how it is compressed, and a checksum
_BLOCK = 1 << 18  # bytes from which a block is full
_WHOLE_EVERY = 16  # keys


def write_table(pairs: Iterable[tuple[bytes, bytes]]) -> bytes:
    """A table of keys and values, which come in the order of the keys."""
    out = bytearray()
    index = _Block(1)
    block = _Block(_WHOLE_EVERY)
    for key, value in pairs:
        block.add(key, value)
        if len(block.data) >= _BLOCK:
            index.add(block.last, _place(block, out))
            block = _Block(_WHOLE_EVERY)
    if block.data:
        index.add(block.last, _place(block, out))
    footer = _place(_Block(1), out) + _place(index, out)
    return bytes(out + footer.ljust(_FOOTER - len(_MAGIC), b"\0") + _MAGIC)


class _Block:
    """A block that is written; every so manieth key is whole."""

    def __init__(self, whole_every: int) -> None:
        self.data = bytearray()
        self.last = b""
        self._whole_every = whole_every
        self._places = [0]
        self._count = 0

    def add(self, key: bytes, value: bytes) -> None:
        shared = 0
        if self._count and self._count % self._whole_every == 0:
            self._places.append(len(self.data))
        else:
            shared = _shared(self.last, key)
        self.data += varint(shared) + varint(len(key) - shared) + varint(len(value))
        self.data += key[shared:] + value
        self.last = key
        self._count += 1

    def finished(self) -> bytes:
        """Its bytes, with the places of whole keys."""
        numbers = [*self._places, len(self._places)]
        return bytes(self.data) + b"".join(n.to_bytes(4, "little") for n in numbers)


def _shared(one: bytes, other: bytes) -> int:
    """How many bytes are the same at their beginnings."""
    shorter = min(len(one), len(other))
    return next((i for i in range(shorter) if one[i] != other[i]), shorter)


def _place(block: _Block, out: bytearray) -> bytes:
    """Appends a block; where it is."""
    data = block.finished()
    place = varint(len(out)) + varint(len(data))
    out += data + b"\0" + masked(crc32c(data + b"\0")).to_bytes(4, "little")
    return place


def read_table(data: memoryview) -> Iterator[tuple[bytes, memoryview]]:
    """The keys and values of a table.

    Raises:
        ModelFileError: when it is broken or compressed.
    """
    if len(data) < _FOOTER or bytes(data[-8:]) != _MAGIC:
        raise ModelFileError("this is no table of a checkpoint")
    footer = data[-_FOOTER:]
    _, at = _handle(footer, 0)
    where, _ = _handle(footer, at)
    room = Room(len(data))
    entries = end = 0
    for _, handle in _block(data, where, room):
        place, _ = _handle(handle, 0)
        if place[0] < end:
            raise ModelFileError("blocks of the checkpoint's table lie upon each other")
        end = sum(place)
        for key, value in _block(data, place, room):
            entries += 1
            if entries > MAX_ENTRIES:
                raise ModelFileError(f"the checkpoint has more than {MAX_ENTRIES} values")
            yield key, value


def _block(
    data: memoryview, where: tuple[int, int], room: Room
) -> Iterator[tuple[bytes, memoryview]]:
    """Read the keys and values of a block.

    Args:
        room: For the keys of all blocks, which may share most of their bytes in the file.
    """
    offset, size = where
    if offset + size + _TRAILER > len(data) or size < 4:
        raise ModelFileError("a block of the checkpoint's table lies beyond its end")
    if data[offset + size]:
        raise ModelFileError("the checkpoint's table is compressed, which is not read")
    sum_at = offset + size + 1
    if masked(crc32c(data[offset:sum_at])) != int.from_bytes(data[sum_at : sum_at + 4], "little"):
        raise ModelFileError("a block of the checkpoint's table has another checksum: it is broken")
    block = data[offset : offset + size]
    restarts = int.from_bytes(block[-4:], "little")
    end = size - 4 - 4 * restarts
    if end < 0:
        raise ModelFileError("a block of the checkpoint's table is broken")
    at, key = 0, b""
    while at < end:
        shared, at = read_varint(block, at)
        more, at = read_varint(block, at)
        length, at = read_varint(block, at)
        if shared > len(key) or at + more + length > end:
            raise ModelFileError("a block of the checkpoint's table is broken")
        too_long = room.refusal(f"a key of {shared + more} bytes", shared + more)
        if too_long is not None:
            raise ModelFileError(f"the keys of the checkpoint's table are too long: {too_long}")
        key = key[:shared] + bytes(block[at : at + more])
        at += more
        yield key, block[at : at + length]
        at += length


def _handle(data: memoryview, at: int) -> tuple[tuple[int, int], int]:
    offset, at = read_varint(data, at)
    size, at = read_varint(data, at)
    return (offset, size), at


def read_varint(data: memoryview, at: int) -> tuple[int, int]:
    """A number, and where the next thing begins.

    Raises:
        ModelFileError: when the bytes end within it.
    """
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
