"""The records of a store: one for each file, complete or not."""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass, replace
from typing import Any

from tfpy._src.library.hub.places import MAX_ADDRESS, FilePlace, checked_digest, checked_path

BLOCK = 1 << 22
"""Number of bytes of a block. Files are stored in blocks, so that each is written completely or not
at all: browsers discard files that are not closed."""
MAX_BLOCKS = 1 << 18
_CONTENT = re.compile(r"[0-9a-f]{32}")


@dataclass(frozen=True)
class FileRecord:
    """A stored file.

    Attributes:
        folder: Folder of its place.
        path: Path of its place.
        query: Query of its place.
        content: Name under which its blocks are stored.
        size: Number of bytes; -1 if it is unknown.
        validator: ETag or date of the server's file; an empty string if the server sends neither.
        blocks: Sorted numbers of the stored blocks.
        digest: SHA-256 of a complete file; an empty string until it is complete.
        used: Time of the last use, in seconds since 1970.
    """

    folder: str
    path: str
    query: str
    content: str
    size: int = -1
    validator: str = ""
    blocks: tuple[int, ...] = ()
    digest: str = ""
    used: float = 0.0

    @property
    def place(self) -> FilePlace:
        """The place of the file."""
        return FilePlace(self.folder, self.path, self.query)

    @property
    def is_complete(self) -> bool:
        """True if all bytes are stored and checked."""
        return bool(self.digest)

    @property
    def key(self) -> str:
        """The name of the record. A partial file does not replace a complete one."""
        return self.place.key if self.is_complete else f"{self.place.key}.part"

    @property
    def stored(self) -> int:
        """Number of stored bytes."""
        return sum(length(self.size, number) for number in self.blocks)

    def with_block(self, number: int) -> FileRecord:
        """Return the record with one more block."""
        return replace(self, blocks=tuple(sorted({*self.blocks, number})))

    def packed(self) -> bytes:
        """Return the record as JSON."""
        return json.dumps(asdict(self)).encode()


def count(size: int) -> int:
    """Return the number of blocks of a file. An empty file has one, which is empty."""
    return max(1, -(-size // BLOCK))


def length(size: int, number: int) -> int:
    """Return the number of bytes of a block of a file; BLOCK if the file's size is unknown."""
    return BLOCK if size < 0 else max(0, min(BLOCK, size - number * BLOCK))


def unpacked(data: bytes) -> FileRecord | None:
    """Return a record from its JSON; None if it is damaged."""
    try:
        record = FileRecord(**json.loads(data))
        return replace(record, blocks=tuple(record.blocks)) if _is_valid(record) else None
    except (ValueError, TypeError, RecursionError):
        return None


def _is_valid(record: FileRecord) -> bool:
    if record.path:
        checked_path(record.path)
    checked_digest(record.digest or None)
    strings = (record.folder, record.query, record.validator)
    are_valid = all(isinstance(s, str) and len(s) <= MAX_ADDRESS for s in strings)
    if not (are_valid and _CONTENT.fullmatch(record.content) and _is_size(record.size)):
        return False
    blocks = record.blocks
    last = count(record.size) if record.size >= 0 else MAX_BLOCKS
    if not all(isinstance(number, int) and 0 <= number < last for number in blocks):
        return False
    is_whole = list(blocks) == list(range(last))
    return isinstance(record.used, int | float) and (is_whole or not record.digest)


def _is_size(size: Any) -> bool:
    return isinstance(size, int) and -1 <= size <= BLOCK * MAX_BLOCKS
