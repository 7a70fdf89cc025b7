"""Reader and writer of the tables of checkpoints: LevelDB tables of sorted keys and values.

A block consists of its entries, the positions of restart points (where a key is stored completely),
and the number of these. Other keys are stored without the prefix that they share with the previous
key. The compression type and a checksum follow each block. The index block has the positions of the
other blocks, and the footer has the position of the index block.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tfpy._src.base.unpack_limit import Room
from tfpy._src.library.io.checked_json import ModelFileError
from tfpy._src.library.io.crc import crc32c, masked
from tfpy._src.library.protos.wire import varint

MAX_ENTRIES = 1 << 20
_MAGIC = bytes.fromhex("57fb808b247547db")
_FOOTER = 48
_TRAILER = 5  # bytes after a block: compression type and checksum
_BLOCK = 1 << 18  # bytes after which a block is full
_WHOLE_EVERY = 16  # keys per restart point


def write_table(pairs: Iterable[tuple[bytes, bytes]]) -> bytes:
    """Write a table of keys and values, which are sorted by key."""
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
    """A block that is being written."""

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
        """Return the bytes of the block, with the positions of its restart points."""
        numbers = [*self._places, len(self._places)]
        return bytes(self.data) + b"".join(n.to_bytes(4, "little") for n in numbers)


def _shared(one: bytes, other: bytes) -> int:
    """Return the length of the common prefix."""
    shorter = min(len(one), len(other))
    return next((i for i in range(shorter) if one[i] != other[i]), shorter)


def _place(block: _Block, out: bytearray) -> bytes:
    """Append a block to `out` and return its encoded position."""
    data = block.finished()
    place = varint(len(out)) + varint(len(data))
    out += data + b"\0" + masked(crc32c(data + b"\0")).to_bytes(4, "little")
    return place


def read_table(data: memoryview) -> Iterator[tuple[bytes, memoryview]]:
    """Read the keys and values of a table.

    Raises:
        ModelFileError: If the table is damaged or compressed.
    """
    if len(data) < _FOOTER or bytes(data[-8:]) != _MAGIC:
        raise ModelFileError("the file is not a table of a checkpoint")
    footer = data[-_FOOTER:]
    _, at = _handle(footer, 0)
    where, _ = _handle(footer, at)
    room = Room(len(data))
    entries = end = 0
    for _, handle in _block(data, where, room):
        place, _ = _handle(handle, 0)
        if place[0] < end:
            raise ModelFileError("blocks of the checkpoint's table overlap")
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
        data: The table.
        where: Position and size of the block.
        room: Limit for the keys of all blocks, which may share most of their bytes in the file.
    """
    offset, size = where
    if offset + size + _TRAILER > len(data) or size < 4:
        raise ModelFileError("the checkpoint's table is damaged: it ends within a block")
    if data[offset + size]:
        raise ModelFileError("the checkpoint's table is compressed, which is not supported")
    sum_at = offset + size + 1
    if masked(crc32c(data[offset:sum_at])) != int.from_bytes(data[sum_at : sum_at + 4], "little"):
        raise ModelFileError("the checkpoint's table is damaged: a checksum does not match")
    block = data[offset : offset + size]
    restarts = int.from_bytes(block[-4:], "little")
    end = size - 4 - 4 * restarts
    if end < 0:
        raise ModelFileError("a block of the checkpoint's table is damaged")
    at, key = 0, b""
    while at < end:
        shared, at = read_varint(block, at)
        more, at = read_varint(block, at)
        length, at = read_varint(block, at)
        if shared > len(key) or at + more + length > end:
            raise ModelFileError("a block of the checkpoint's table is damaged")
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
    """Read a number. Also return the position after it.

    Raises:
        ModelFileError: If the bytes end within the number.
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
