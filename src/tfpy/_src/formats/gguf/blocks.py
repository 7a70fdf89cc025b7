"""The block formats of tensors in GGUF files.

A block contains the bits of several values and the scales that these values share. Each record of
`FORMATS` contains all facts about a format. Every operation on the values is the same as in the
package gguf, in the same order, so that the results are equal in all bits.

Source: https://github.com/ggml-org/llama.cpp/blob/master/ggml/src/ggml-common.h
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from tfpy._src.formats.gguf import grid_blocks
from tfpy._src.formats.gguf.parts import Blocks, Bytes, Floats, column, parts, scaled, signed

WIDE = 256
"""Number of values in a block of the formats that share scales of several groups."""


@dataclass(frozen=True)
class BlockFormat:
    """A block format.

    Attributes:
        name: Name in the specification.
        number: Number in files.
        size: Number of values in a block.
        layout: Layout of a block.
        decode: Function that returns the values of blocks with the shape [blocks, size]; None if
            `layout` is the dtype of single values, which need no conversion.
    """

    name: str
    number: int
    size: int
    layout: np.dtype[Any]
    decode: Callable[[Blocks], Floats] | None

    @property
    def result(self) -> np.dtype[Any]:
        """Dtype of the values."""
        if self.decode is None:
            return self.layout.newbyteorder("=")
        return np.dtype(np.float32)


def _layout(**fields: Any) -> np.dtype[Any]:
    """Return the layout of blocks with these fields: dtypes, or numbers of bytes."""
    return np.dtype(
        [
            (name, np.uint8, (kind,)) if isinstance(kind, int) else (name, kind)
            for name, kind in fields.items()
        ]
    )


def _with_fifth_bits(low: Bytes, high: Bytes) -> Bytes:
    return low | (high << np.uint8(4))


def _bf16(blocks: Blocks) -> Floats:
    return (blocks.astype(np.uint32) << np.uint32(16)).view(np.float32)[:, None]


def _q4_0(blocks: Blocks) -> Floats:
    return column(blocks["d"]) * signed(parts(blocks["qs"], 4, 16), 8)


def _q4_1(blocks: Blocks) -> Floats:
    values = parts(blocks["qs"], 4, 16).astype(np.float32)
    return column(blocks["d"]) * values + column(blocks["m"])


def _q5(blocks: Blocks) -> Bytes:
    high = np.unpackbits(blocks["qh"], axis=1, bitorder="little")
    return _with_fifth_bits(parts(blocks["qs"], 4, 16), high)


def _q5_0(blocks: Blocks) -> Floats:
    return column(blocks["d"]) * signed(_q5(blocks), 16)


def _q5_1(blocks: Blocks) -> Floats:
    return column(blocks["d"]) * _q5(blocks).astype(np.float32) + column(blocks["m"])


def _q8_0(blocks: Blocks) -> Floats:
    return blocks["qs"].astype(np.float32) * column(blocks["d"])


def _minus_minimums(scales: Floats, values: Bytes, minimums: Floats) -> Floats:
    groups = values.astype(np.float32).reshape(*scales.shape, -1)
    return (scales[..., None] * groups - minimums[..., None]).reshape(len(values), -1)


def _q2_k(blocks: Blocks) -> Floats:
    scales = column(blocks["d"]) * (blocks["scales"] & 0xF).astype(np.float32)
    minimums = column(blocks["dmin"]) * (blocks["scales"] >> 4).astype(np.float32)
    return _minus_minimums(scales, parts(blocks["qs"], 2, 32), minimums)


def _q3_k(blocks: Blocks) -> Floats:
    """Decode values of two bits. A third bit, if it is 0, subtracts 4."""
    low = parts(blocks["scales"][:, :8], 4, 8)
    high = parts(blocks["scales"][:, 8:], 2, 4)
    scales = column(blocks["d"]) * signed(_with_fifth_bits(low, high), 32)
    missing = parts(blocks["hmask"], 1, 32) ^ np.uint8(1)
    values = parts(blocks["qs"], 2, 32).astype(np.int8) - (missing << 2).astype(np.int8)
    return scaled(scales, values.astype(np.float32))


def _scales_and_minimums(blocks: Blocks) -> tuple[Floats, Floats]:
    """Unpack eight scales and eight minimums of six bits each from twelve bytes.

    The last four bytes contain the low bits of the last four numbers of both. The highest two bits
    of the first eight bytes contain their high bits.
    """
    scales, minimums, rest = np.split(blocks["scales"], 3, axis=1)
    upper = [(scales, rest & 0x0F), (minimums, rest >> 4)]
    first, second = (
        np.concatenate([packed & 0x3F, low | ((packed >> 2) & 0x30)], axis=1)
        for packed, low in upper
    )
    return (
        column(blocks["d"]) * first.astype(np.float32),
        column(blocks["dmin"]) * second.astype(np.float32),
    )


def _q4_k(blocks: Blocks) -> Floats:
    scales, minimums = _scales_and_minimums(blocks)
    return _minus_minimums(scales, parts(blocks["qs"], 4, 32), minimums)


def _q5_k(blocks: Blocks) -> Floats:
    scales, minimums = _scales_and_minimums(blocks)
    values = _with_fifth_bits(parts(blocks["qs"], 4, 32), parts(blocks["qh"], 1, 32))
    return _minus_minimums(scales, values, minimums)


def _q6_k(blocks: Blocks) -> Floats:
    scales = column(blocks["d"]) * blocks["scales"].astype(np.float32)
    values = _with_fifth_bits(parts(blocks["ql"], 4, 64), parts(blocks["qh"], 2, 32))
    return scaled(scales, signed(values, 32))


def _ternary_digits(data: Bytes, width: int, digits: int) -> Bytes:
    """Multiply bytes by powers of 3, so that each digit is moved to the front once."""
    powers = np.array([3**place for place in range(digits)], np.uint8)[:, None]
    return (data.reshape(len(data), -1, 1, width) * powers).reshape(len(data), -1)


def _tq1_0(blocks: Blocks) -> Floats:
    """Decode ternary values. A byte is a fraction with five digits in base 3."""
    qs = blocks["qs"]
    moved = [
        _ternary_digits(qs[:, :32], 32, 5),
        _ternary_digits(qs[:, 32:], 16, 5),
        _ternary_digits(blocks["qh"], 4, 4),
    ]
    digits = (np.concatenate(moved, axis=1).astype(np.uint16) * 3) >> 8
    return column(blocks["d"]) * signed(digits.astype(np.uint8), 1)


def _tq2_0(blocks: Blocks) -> Floats:
    return column(blocks["d"]) * signed(parts(blocks["qs"], 2, 32), 1)


_FP4 = np.array([0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12], np.float32)
"""Twice the values of floating-point numbers of four bits."""
_NONLINEAR = np.array(
    [-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113], np.float32
)


def _mxfp4(blocks: Blocks) -> Floats:
    """Decode values of four bits with a power of 2 as their scale, which is halved for _FP4."""
    exponents = blocks["e"].astype(np.uint32)[:, None]
    small = np.uint32(0x00200000) << np.minimum(exponents, 1)
    bits = np.where(exponents < 2, small, (exponents - np.uint32(1)) << np.uint32(23))
    return bits.view(np.float32) * _FP4[parts(blocks["qs"], 4, 16)]


def _nvfp4(blocks: Blocks) -> Floats:
    """Decode values of four bits. Each 16 of them have a scale of eight bits, without a sign."""
    scales = blocks["d"]
    exponents = ((scales >> 3) & 0xF).astype(np.float32)
    fractions = (scales & 7).astype(np.float32)
    normal = (1.0 + fractions / 8.0) * 2.0 ** (exponents - 7)
    raw = np.where(exponents == 0, fractions * 2**-9, normal)
    halves = np.where((scales == 0) | (scales == 0x7F), 0.0, raw * 0.5)
    return scaled(halves.astype(np.float32), _FP4[parts(blocks["qs"], 4, 8)])


def _iq4_nl(blocks: Blocks) -> Floats:
    return column(blocks["d"]) * _NONLINEAR[parts(blocks["qs"], 4, 16)]


def _iq4_xs(blocks: Blocks) -> Floats:
    high = parts(blocks["scales_h"], 2, 1)
    low = parts(blocks["scales_l"], 4, 1)
    scales = column(blocks["d"]) * signed(_with_fifth_bits(low, high), 32)
    return scaled(scales, _NONLINEAR[parts(blocks["qs"], 4, 16)])


def _plain(name: str, number: int, dtype: str) -> BlockFormat:
    return BlockFormat(name, number, 1, np.dtype(dtype), None)


_HALF = "<f2"
_WORDS = {"qs": ("<u2", 32)}
_K_SCALES = {"d": _HALF, "dmin": _HALF, "scales": 12}
_LIST = [
    _plain("F32", 0, "<f4"),
    BlockFormat("F16", 1, 1, np.dtype(_HALF), column),
    BlockFormat("Q4_0", 2, 32, _layout(d=_HALF, qs=16), _q4_0),
    BlockFormat("Q4_1", 3, 32, _layout(d=_HALF, m=_HALF, qs=16), _q4_1),
    BlockFormat("Q5_0", 6, 32, _layout(d=_HALF, qh=4, qs=16), _q5_0),
    BlockFormat("Q5_1", 7, 32, _layout(d=_HALF, m=_HALF, qh=4, qs=16), _q5_1),
    BlockFormat("Q8_0", 8, 32, _layout(d=_HALF, qs=("i1", 32)), _q8_0),
    BlockFormat("Q2_K", 10, WIDE, _layout(scales=16, qs=64, d=_HALF, dmin=_HALF), _q2_k),
    BlockFormat("Q3_K", 11, WIDE, _layout(hmask=32, qs=64, scales=12, d=_HALF), _q3_k),
    BlockFormat("Q4_K", 12, WIDE, _layout(**_K_SCALES, qs=128), _q4_k),
    BlockFormat("Q5_K", 13, WIDE, _layout(**_K_SCALES, qh=32, qs=128), _q5_k),
    BlockFormat("Q6_K", 14, WIDE, _layout(ql=128, qh=64, scales=("i1", 16), d=_HALF), _q6_k),
    BlockFormat("IQ2_XXS", 16, WIDE, _layout(d=_HALF, qs=("<u4", 16)), grid_blocks.iq2_xxs),
    BlockFormat("IQ2_XS", 17, WIDE, _layout(d=_HALF, **_WORDS, scales=8), grid_blocks.iq2_xs),
    BlockFormat(
        "IQ3_XXS", 18, WIDE, _layout(d=_HALF, qs=64, scales=("<u4", 8)), grid_blocks.iq3_xxs
    ),
    BlockFormat("IQ1_S", 19, WIDE, _layout(d=_HALF, qs=32, qh=("<u2", 8)), grid_blocks.iq1_s),
    BlockFormat("IQ4_NL", 20, 32, _layout(d=_HALF, qs=16), _iq4_nl),
    BlockFormat(
        "IQ3_S", 21, WIDE, _layout(d=_HALF, qs=64, qh=8, signs=32, scales=4), grid_blocks.iq3_s
    ),
    BlockFormat(
        "IQ2_S", 22, WIDE, _layout(d=_HALF, qs=32, signs=32, qh=8, scales=8), grid_blocks.iq2_s
    ),
    BlockFormat("IQ4_XS", 23, WIDE, _layout(d=_HALF, scales_h=2, scales_l=4, qs=128), _iq4_xs),
    _plain("I8", 24, "i1"),
    _plain("I16", 25, "<i2"),
    _plain("I32", 26, "<i4"),
    _plain("I64", 27, "<i8"),
    _plain("F64", 28, "<f8"),
    BlockFormat("IQ1_M", 29, WIDE, _layout(qs=32, qh=16, scales=("<u2", 4)), grid_blocks.iq1_m),
    BlockFormat("BF16", 30, 1, np.dtype("<u2"), _bf16),
    BlockFormat("TQ1_0", 34, WIDE, _layout(qs=48, qh=4, d=_HALF), _tq1_0),
    BlockFormat("TQ2_0", 35, WIDE, _layout(qs=64, d=_HALF), _tq2_0),
    BlockFormat("MXFP4", 39, 32, _layout(e="u1", qs=16), _mxfp4),
    BlockFormat("NVFP4", 40, 64, _layout(d=4, qs=32), _nvfp4),
]
FORMATS = {record.number: record for record in _LIST}
"""All formats, by their numbers in files."""
