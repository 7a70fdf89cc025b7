"""Block formats: the layouts of values of a few bits that share scales.

Each record contains all facts about a format: the layout of a block in files, the function that
decodes blocks with NumPy, and for the formats that devices read, how they compute the values.

On devices, equal fields of all blocks are next to each other, in the order of the layout. Each
field begins at a multiple of 16 bytes. So an array has as many bytes as in a file, and at most 15
more for each field.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from tfpy._src.compiler.ir.aval import Array
from tfpy._src.compiler.ops.reference import blocks as decoders
from tfpy._src.compiler.ops.reference.parts import Blocks, Floats

ALIGNMENT = 16
"""Divisor of the first byte of a field on devices."""
WIDE = 256
"""Number of values in a block of the formats with scales of scales."""
BYTE = 8
"""Number of bits of a byte."""
SIZES = (32, 64, 128, 256)
"""Numbers of values in a block of the formats of integers with zero points."""


class Bits(NamedTuple):
    """Bits of the values of a block, in the order of :func:`~..reference.parts.parts`."""

    field: str
    bits: int
    """Number of bits of a value. Eight bits are a signed number, to which 128 is added, and sixteen
    bits are a float."""
    width: int
    """Number of bytes after which the order repeats."""
    place: int = 0
    """Position of the bits in the value."""


@dataclass(frozen=True)
class Packing:
    """The computation of a value on devices: `scale * number + minimum`.

    Attributes:
        bits: Bits of the numbers.
        group: Number of values that share a scale and a minimum.
        scale: Name of the rule for scales and minimums. Each device has a function for it. For
            floats, it is the name of their dtype.
        scales: Fields that the rule reads. Floats have none.
        offset: Integer that is subtracted from the bits.
        table: The numbers for all bits, or empty if the bits are the number.
    """

    bits: tuple[Bits, ...]
    group: int
    scale: str
    scales: tuple[str, ...]
    offset: int = 0
    table: tuple[int, ...] = ()

    @property
    def has_minimum(self) -> bool:
        """True if the minimums are not zeros."""
        return not {"m", "dmin", "z"}.isdisjoint(self.scales)


@dataclass(frozen=True)
class BlockFormat:
    """A block format.

    Attributes:
        name: Name in the specification of GGUF. Formats of other files have names of tfpy.
        size: Number of values in a block.
        layout: Layout of a block.
        decode: Function that returns the values of blocks with the shape [blocks, size]; None if
            `layout` is the dtype of single values, which need no conversion.
        packing: How devices read the blocks, or None if they do not.
    """

    name: str
    size: int
    layout: np.dtype[Any]
    decode: Callable[[Blocks], Floats] | None
    packing: Packing | None = None

    @property
    def result(self) -> np.dtype[Any]:
        """Dtype of the values."""
        if self.decode is None:
            return self.layout.newbyteorder("=")
        return np.dtype(np.float32)


def layout_of(**fields: Any) -> np.dtype[Any]:
    """Return the layout of blocks with these fields: dtypes, or numbers of bytes."""
    return np.dtype(
        [
            (name, np.uint8, (kind,)) if isinstance(kind, int) else (name, kind)
            for name, kind in fields.items()
        ]
    )


def begins_of(how: BlockFormat, count: int) -> tuple[Mapping[str, int], int]:
    """Return the first byte of each field of `count` blocks on devices, and the number of bytes."""
    begins, end = {}, 0
    assert how.layout.fields is not None
    for name, (dtype, *_) in how.layout.fields.items():
        begins[name] = end
        end += -(-count * dtype.itemsize // ALIGNMENT) * ALIGNMENT
    return begins, end


def by_fields(how: BlockFormat, blocks: Blocks) -> Array:
    """Return blocks in the order of devices."""
    begins, size = begins_of(how, len(blocks))
    found = np.zeros(size, np.uint8)
    for name, begin in begins.items():
        data = np.ascontiguousarray(blocks[name]).reshape(-1).view(np.uint8)
        found[begin : begin + data.size] = data
    return found.view(np.int8)


def by_blocks(how: BlockFormat, data: Array, count: int) -> Blocks:
    """Return `count` blocks from the order of devices."""
    begins, _ = begins_of(how, count)
    blocks = np.empty(count, how.layout)
    for name, begin in begins.items():
        field = blocks[name]
        size = count * how.layout[name].itemsize
        part = np.ascontiguousarray(data[begin : begin + size])
        blocks[name] = part.view(field.dtype).reshape(field.shape)
    return blocks


HALF = "<f2"
_K_SCALES = {"d": HALF, "dmin": HALF, "scales": 12}
_FP4 = (0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12)
_NONLINEAR = (-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113)


def _low(width: int, bits: int = 4, field: str = "qs") -> Bits:
    return Bits(field, bits, width)


def _halves(*bits: Bits, offset: int = 0, table: tuple[int, ...] = ()) -> Packing:
    return Packing(bits, 32, "half", ("d",), offset, table)


def _with_minimum(*bits: Bits) -> Packing:
    return Packing(bits, 32, "half_minimum", ("d", "m"))


def _k(group: int, scale: str, scales: str, *bits: Bits, offset: int = 0) -> Packing:
    return Packing(bits, group, scale, tuple(scales.split()), offset)


def integers(bits: int, size: int) -> BlockFormat:
    """Return the format of integers with a zero point `z`, which is subtracted from them.

    Half of the largest integer is subtracted from the integers and the zero points. Every value is
    `d * (integer - z)` without rounding, because `d` has 11 significant bits.
    """
    qs = ("i1", size) if bits == BYTE else size * bits // BYTE
    width = 32 if bits == BYTE else 16
    return BlockFormat(
        f"INT{bits}_{size}",
        size,
        layout_of(d=HALF, z=HALF, qs=qs),
        decoders.int8 if bits == BYTE else decoders.int4,
        Packing((_low(width, bits),), 32, "half_zero", ("d", "z"), 1 << (bits - 1)),
    )


def _floats(name: str, dtype: str, decode: Callable[[Blocks], Floats]) -> BlockFormat:
    packing = Packing((_low(64, 16),), 32, dtype, ())
    return BlockFormat(name, 32, layout_of(qs=("<u2", 32)), decode, packing)


_LIST = [
    BlockFormat("Q4_0", 32, layout_of(d=HALF, qs=16), decoders.q4_0, _halves(_low(16), offset=8)),
    BlockFormat(
        "Q4_1", 32, layout_of(d=HALF, m=HALF, qs=16), decoders.q4_1, _with_minimum(_low(16))
    ),
    BlockFormat(
        "Q5_0",
        32,
        layout_of(d=HALF, qh=4, qs=16),
        decoders.q5_0,
        _halves(_low(16), Bits("qh", 1, 1, 4), offset=16),
    ),
    BlockFormat(
        "Q5_1",
        32,
        layout_of(d=HALF, m=HALF, qh=4, qs=16),
        decoders.q5_1,
        _with_minimum(_low(16), Bits("qh", 1, 1, 4)),
    ),
    BlockFormat(
        "Q8_0",
        32,
        layout_of(d=HALF, qs=("i1", 32)),
        decoders.q8_0,
        _halves(_low(32, 8), offset=128),
    ),
    BlockFormat(
        "Q2_K",
        WIDE,
        layout_of(scales=16, qs=64, d=HALF, dmin=HALF),
        decoders.q2_k,
        _k(16, "q2_k", "d dmin scales", _low(32, 2)),
    ),
    BlockFormat(
        "Q3_K",
        WIDE,
        layout_of(hmask=32, qs=64, scales=12, d=HALF),
        decoders.q3_k,
        _k(16, "q3_k", "d scales", _low(32, 2), Bits("hmask", 1, 32, 2), offset=4),
    ),
    BlockFormat(
        "Q4_K",
        WIDE,
        layout_of(**_K_SCALES, qs=128),
        decoders.q4_k,
        _k(32, "q4_k", "d dmin scales", _low(32)),
    ),
    BlockFormat(
        "Q5_K",
        WIDE,
        layout_of(**_K_SCALES, qh=32, qs=128),
        decoders.q5_k,
        _k(32, "q4_k", "d dmin scales", _low(32), Bits("qh", 1, 32, 4)),
    ),
    BlockFormat(
        "Q6_K",
        WIDE,
        layout_of(ql=128, qh=64, scales=("i1", 16), d=HALF),
        decoders.q6_k,
        _k(16, "q6_k", "d scales", _low(64, 4, "ql"), Bits("qh", 2, 32, 4), offset=32),
    ),
    BlockFormat(
        "IQ4_NL", 32, layout_of(d=HALF, qs=16), decoders.iq4_nl, _halves(_low(16), table=_NONLINEAR)
    ),
    BlockFormat(
        "TQ2_0", WIDE, layout_of(qs=64, d=HALF), decoders.tq2_0, _halves(_low(32, 2), offset=1)
    ),
    BlockFormat(
        "MXFP4",
        32,
        layout_of(e="u1", qs=16),
        decoders.mxfp4,
        Packing((_low(16),), 32, "e8m0", ("e",), 0, _FP4),
    ),
    *(integers(bits, size) for bits in (4, BYTE) for size in SIZES),
    _floats("F16", "float16", decoders.f16_32),
    _floats("BF16", "bfloat16", decoders.bf16_32),
]
ON_DEVICES = {record.name: record for record in _LIST}
"""The formats that devices read, by their names."""
