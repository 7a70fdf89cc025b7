"""The values of blocks: bits of several values, and the scales that these values share.

Every operation on the values is the same as in the package gguf, in the same order, so that the
results are equal in all bits.

Source: https://github.com/ggml-org/llama.cpp/blob/master/ggml/src/ggml-common.h
"""

from __future__ import annotations

import numpy as np

from tfpy._src.compiler.ops.reference.parts import (
    Blocks,
    Bytes,
    Floats,
    column,
    parts,
    scaled,
    signed,
)


def _with_fifth_bits(low: Bytes, high: Bytes) -> Bytes:
    return low | (high << np.uint8(4))


def bf16(blocks: Blocks) -> Floats:
    return (blocks.astype(np.uint32) << np.uint32(16)).view(np.float32)[:, None]


def f16_32(blocks: Blocks) -> Floats:
    found: Floats = blocks["qs"].view(np.float16).astype(np.float32)
    return found


def bf16_32(blocks: Blocks) -> Floats:
    found: Floats = (blocks["qs"].astype(np.uint32) << np.uint32(16)).view(np.float32)
    return found


def int4(blocks: Blocks) -> Floats:
    numbers = signed(parts(blocks["qs"], 4, 16), 8)
    return column(blocks["d"]) * (numbers - column(blocks["z"]))


def int8(blocks: Blocks) -> Floats:
    return column(blocks["d"]) * (blocks["qs"].astype(np.float32) - column(blocks["z"]))


def q4_0(blocks: Blocks) -> Floats:
    return column(blocks["d"]) * signed(parts(blocks["qs"], 4, 16), 8)


def q4_1(blocks: Blocks) -> Floats:
    values = parts(blocks["qs"], 4, 16).astype(np.float32)
    return column(blocks["d"]) * values + column(blocks["m"])


def _q5(blocks: Blocks) -> Bytes:
    high = np.unpackbits(blocks["qh"], axis=1, bitorder="little")
    return _with_fifth_bits(parts(blocks["qs"], 4, 16), high)


def q5_0(blocks: Blocks) -> Floats:
    return column(blocks["d"]) * signed(_q5(blocks), 16)


def q5_1(blocks: Blocks) -> Floats:
    return column(blocks["d"]) * _q5(blocks).astype(np.float32) + column(blocks["m"])


def q8_0(blocks: Blocks) -> Floats:
    return blocks["qs"].astype(np.float32) * column(blocks["d"])


def _minus_minimums(scales: Floats, values: Bytes, minimums: Floats) -> Floats:
    groups = values.astype(np.float32).reshape(*scales.shape, -1)
    return (scales[..., None] * groups - minimums[..., None]).reshape(len(values), -1)


def q2_k(blocks: Blocks) -> Floats:
    scales = column(blocks["d"]) * (blocks["scales"] & 0xF).astype(np.float32)
    minimums = column(blocks["dmin"]) * (blocks["scales"] >> 4).astype(np.float32)
    return _minus_minimums(scales, parts(blocks["qs"], 2, 32), minimums)


def q3_k(blocks: Blocks) -> Floats:
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


def q4_k(blocks: Blocks) -> Floats:
    scales, minimums = _scales_and_minimums(blocks)
    return _minus_minimums(scales, parts(blocks["qs"], 4, 32), minimums)


def q5_k(blocks: Blocks) -> Floats:
    scales, minimums = _scales_and_minimums(blocks)
    values = _with_fifth_bits(parts(blocks["qs"], 4, 32), parts(blocks["qh"], 1, 32))
    return _minus_minimums(scales, values, minimums)


def q6_k(blocks: Blocks) -> Floats:
    scales = column(blocks["d"]) * blocks["scales"].astype(np.float32)
    values = _with_fifth_bits(parts(blocks["ql"], 4, 64), parts(blocks["qh"], 2, 32))
    return scaled(scales, signed(values, 32))


def _ternary_digits(data: Bytes, width: int, digits: int) -> Bytes:
    """Multiply bytes by powers of 3, so that each digit is moved to the front once."""
    powers = np.array([3**place for place in range(digits)], np.uint8)[:, None]
    return (data.reshape(len(data), -1, 1, width) * powers).reshape(len(data), -1)


def tq1_0(blocks: Blocks) -> Floats:
    """Decode ternary values. A byte is a fraction with five digits in base 3."""
    qs = blocks["qs"]
    moved = [
        _ternary_digits(qs[:, :32], 32, 5),
        _ternary_digits(qs[:, 32:], 16, 5),
        _ternary_digits(blocks["qh"], 4, 4),
    ]
    digits = (np.concatenate(moved, axis=1).astype(np.uint16) * 3) >> 8
    return column(blocks["d"]) * signed(digits.astype(np.uint8), 1)


def tq2_0(blocks: Blocks) -> Floats:
    return column(blocks["d"]) * signed(parts(blocks["qs"], 2, 32), 1)


FP4 = np.array([0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12], np.float32)
"""Twice the values of floating-point numbers of four bits."""
NONLINEAR = np.array(
    [-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113], np.float32
)


def mxfp4(blocks: Blocks) -> Floats:
    """Decode values of four bits with a power of 2 as their scale, which is halved for FP4."""
    exponents = blocks["e"].astype(np.uint32)[:, None]
    small = np.uint32(0x00200000) << np.minimum(exponents, 1)
    bits = np.where(exponents < 2, small, (exponents - np.uint32(1)) << np.uint32(23))
    return bits.view(np.float32) * FP4[parts(blocks["qs"], 4, 16)]


def nvfp4(blocks: Blocks) -> Floats:
    """Decode values of four bits. Each 16 of them have a scale of eight bits, without a sign."""
    scales = blocks["d"]
    exponents = ((scales >> 3) & 0xF).astype(np.float32)
    fractions = (scales & 7).astype(np.float32)
    normal = (1.0 + fractions / 8.0) * 2.0 ** (exponents - 7)
    raw = np.where(exponents == 0, fractions * 2**-9, normal)
    halves = np.where((scales == 0) | (scales == 0x7F), 0.0, raw * 0.5)
    return scaled(halves.astype(np.float32), FP4[parts(blocks["qs"], 4, 8)])


def iq4_nl(blocks: Blocks) -> Floats:
    return column(blocks["d"]) * NONLINEAR[parts(blocks["qs"], 4, 16)]


def iq4_xs(blocks: Blocks) -> Floats:
    high = parts(blocks["scales_h"], 2, 1)
    low = parts(blocks["scales_l"], 4, 1)
    scales = column(blocks["d"]) * signed(_with_fifth_bits(low, high), 32)
    return scaled(scales, NONLINEAR[parts(blocks["qs"], 4, 16)])
