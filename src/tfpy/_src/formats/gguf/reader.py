"""GGUF files: metadata, and tensors that are read one at a time.

A file consists of a header, the metadata, descriptions of the tensors, and their data. A large
model can be split into several files, each with some of the tensors.

Source: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
"""

from __future__ import annotations

import copy
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from tfpy._src.compiler.ops.block_formats import BlockFormat
from tfpy._src.formats.gguf.blocks import FORMATS
from tfpy._src.formats.gguf.cursor import LENGTH, Cursor
from tfpy._src.formats.gguf.metadata import Metadata, name_of, read_metadata
from tfpy._src.formats.weight_file import WeightFile, check_overlaps, read_bytes, size_of
from tfpy._src.library.io.checked_json import ModelFileError

MAGIC = b"GGUF"
VERSIONS = (2, 3)
ALIGNMENT = "general.alignment"
DEFAULT_ALIGNMENT = 32
MAX_RANK = 4
PART, PARTS, COUNT = "split.no", "split.count", "split.tensors.count"
"""Metadata of files of a split model: the number of the file, and of all files and tensors."""
MOST_PARTS = 99999
DIMENSIONS = 4
"""Number of bytes of the number of dimensions, and of the number of a block format."""
SMALLEST = 2 * LENGTH + 1 + 2 * DIMENSIONS
"""Least number of bytes of the description of a tensor."""
AT_ONCE = 1 << 19
"""Number of values that are decoded at once, which limits the memory of intermediate results."""


@dataclass(frozen=True)
class TensorEntry:
    """The description of a tensor.

    Attributes:
        shape: Sizes of the dimensions, the last one varies fastest.
        blocks: Format of the data.
        file: File with the data.
        begin: Position of the data in the file.
    """

    shape: tuple[int, ...]
    blocks: BlockFormat
    file: BinaryIO
    begin: int

    @property
    def bytes(self) -> int:
        """Number of bytes of the data."""
        return prod(self.shape) // self.blocks.size * self.blocks.layout.itemsize

    @property
    def end(self) -> int:
        """Position after the data."""
        return self.begin + self.bytes


class GgufFile(WeightFile):
    """A GGUF file.

    Args:
        file: The file, which must stay open.

    Raises:
        ModelFileError: If the file is damaged, or has another version or an unknown format.
    """

    def __init__(self, file: BinaryIO) -> None:
        cursor = Cursor(file, size_of(file))
        _check_version(cursor)
        tensors = cursor.unsigned(LENGTH, "the number of tensors")
        values = cursor.unsigned(LENGTH, "the number of metadata values")
        cursor.check(tensors, SMALLEST, "tensors")
        self.metadata: Metadata = read_metadata(cursor, values)
        self.tensors = _read_tensors(cursor, tensors, _alignment(self.metadata), file)

    @property
    def parts(self) -> int:
        """Number of files into which the model is split."""
        count = self.metadata.get(PARTS, 1)
        if type(count) is not int or not 0 < count <= MOST_PARTS:
            raise ModelFileError(f"{PARTS} must be a number up to {MOST_PARTS}, got {count!r:.80}")
        return count

    def joined(self, others: Sequence[GgufFile]) -> GgufFile:
        """Return the model in this file, which is the first one of several, and in the others.

        Raises:
            ModelFileError: If the files are not the parts of one model in their order.
        """
        whole = copy.copy(self)
        whole.tensors = {}
        for number, part in enumerate((self, *others)):
            if part.metadata.get(PART) != number or part.parts != len(others) + 1:
                raise ModelFileError(
                    f"file {number + 1} of {len(others) + 1} is part "
                    f"{part.metadata.get(PART)!r:.80} of {part.parts} according to its metadata"
                )
            twice = [name for name in part.tensors if name in whole.tensors]
            if twice:
                raise ModelFileError(f"the tensor {twice[0]!r} is in two of the files")
            whole.tensors |= part.tensors
        expected = self.metadata.get(COUNT, len(whole.tensors))
        if expected != len(whole.tensors):
            raise ModelFileError(
                f"the files contain {len(whole.tensors)} tensors, not {expected!r:.80}"
            )
        return whole

    @property
    def names(self) -> Collection[str]:
        return self.tensors.keys()

    @property
    def size(self) -> int:
        return sum(prod(tensor.shape) for tensor in self.tensors.values())

    def blocks(self, name: str) -> NDArray[Any]:
        """Return a tensor in its block format, as a vector of blocks."""
        tensor = self.tensors[name]
        data = read_bytes(tensor.file, tensor.begin, tensor.bytes, name)
        return data.view(tensor.blocks.layout)

    def shape(self, name: str) -> tuple[int, ...]:
        return self.tensors[name].shape

    def read(self, name: str) -> NDArray[Any]:
        tensor = self.tensors[name]
        blocks, how = self.blocks(name), tensor.blocks
        if how.decode is None:
            return blocks.astype(how.result, copy=False).reshape(tensor.shape)
        values = np.empty((len(blocks), how.size), how.result)
        step = max(AT_ONCE // how.size, 1)
        with np.errstate(all="ignore"):  # scales may be infinite or NaN
            for begin in range(0, len(blocks), step):
                values[begin : begin + step] = how.decode(blocks[begin : begin + step])
        return values.reshape(tensor.shape)


def _check_version(cursor: Cursor) -> None:
    """Read the beginning of a file.

    Raises:
        ModelFileError: If the version or the order of bytes is not supported.
    """
    if cursor.take(len(MAGIC), "the header") != MAGIC:
        raise ModelFileError("the file is not a GGUF file: it does not begin with b'GGUF'")
    data = cursor.take(4, "the header")
    version = int.from_bytes(data, "little")
    if int.from_bytes(data, "big") in VERSIONS:
        raise ModelFileError("big-endian GGUF files are not supported; convert it to little-endian")
    if version not in VERSIONS:
        raise ModelFileError(f"GGUF version {version} is not supported; versions 2 and 3 are")


def _alignment(metadata: Metadata) -> int:
    value = metadata.get(ALIGNMENT, DEFAULT_ALIGNMENT)
    if type(value) is not int or not 0 < value <= 1 << 31 or value & (value - 1):
        raise ModelFileError(f"{ALIGNMENT} must be a power of 2, got {str(value)[:80]}")
    return value


def names_of_parts(name: str, count: int) -> list[str]:
    """Return the names of the files into which a model is split, given the first one.

    Raises:
        ModelFileError: If the name is not the name of the first file.
    """
    found = re.fullmatch(rf"(.*)-00001-of-{count:05d}\.gguf", name, re.DOTALL)
    if found is None:
        raise ModelFileError(
            f"the model is split into {count} files. Load the first one, with a name that ends "
            f"with -00001-of-{count:05d}.gguf, and keep the others next to it; got {name!r:.80}"
        )
    return [f"{found[1]}-{number:05d}-of-{count:05d}.gguf" for number in range(1, count + 1)]


def _read_tensors(
    cursor: Cursor, count: int, alignment: int, file: BinaryIO
) -> dict[str, TensorEntry]:
    """Read the descriptions of tensors, and check that their data are in the file.

    Raises:
        ModelFileError: If a description is damaged, or if data overlap or exceed the file.
    """
    described: dict[str, tuple[tuple[int, ...], BlockFormat, int]] = {}
    for _ in range(count):
        name = name_of(cursor, "the name of a tensor")
        if name in described:
            raise ModelFileError(f"the file contains the tensor {name!r} twice")
        described[name] = _described(cursor, f"the tensor {name!r}", alignment)
    data = -(-cursor.position // alignment) * alignment
    tensors = {
        name: TensorEntry(shape, blocks, file, data + offset)
        for name, (shape, blocks, offset) in described.items()
    }
    check_overlaps({name: (t.begin, t.end) for name, t in tensors.items()}, cursor.size)
    return tensors


def _described(
    cursor: Cursor, what: str, alignment: int
) -> tuple[tuple[int, ...], BlockFormat, int]:
    """Read the shape, the format and the offset of a tensor."""
    rank = cursor.unsigned(DIMENSIONS, what)
    if rank > MAX_RANK:
        raise ModelFileError(f"{what} has {rank} dimensions; at most {MAX_RANK} are legal")
    shape = tuple(cursor.unsigned(LENGTH, what) for _ in range(rank))[::-1]
    if 0 in shape:
        raise ModelFileError(f"{what} has the shape {shape}, which has no elements")
    number = cursor.unsigned(DIMENSIONS, what)
    if number not in FORMATS:
        raise ModelFileError(
            f"{what} has the unknown format {number}. tfpy reads the formats "
            f"{', '.join(record.name for record in FORMATS.values())}"
        )
    blocks, offset = FORMATS[number], cursor.unsigned(LENGTH, what)
    row = shape[-1] if shape else 1
    if row % blocks.size:
        raise ModelFileError(
            f"{what} has rows of {row} values, not of a multiple of {blocks.size}, which is the "
            f"size of a block of {blocks.name}"
        )
    if offset % alignment:
        raise ModelFileError(f"{what} begins at {offset}, not at a multiple of {alignment}")
    return shape, blocks, offset
