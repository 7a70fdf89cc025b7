"""Blocks with vectors of a grid as their values: each number in a block selects one vector.

Source: https://github.com/ggml-org/llama.cpp/blob/master/ggml/src/ggml-quants.c
"""

from __future__ import annotations

import functools
import importlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tfpy._src.compiler.ops.reference.parts import Blocks, Bytes, Floats, column, parts, scaled

DELTA = np.float32(0.125)
"""Distance of the vectors of one bit from the grid."""
_SEVEN = np.arange(128, dtype=np.uint8)
_IS_ODD = np.bitwise_xor.reduce(np.unpackbits(_SEVEN[:, None], axis=1), axis=1)
_SIGNS = _SEVEN | (_IS_ODD << np.uint8(7))
"""Eight signs by the first seven of them: the number of negative ones is even."""


@functools.cache
def _grid(name: str) -> Floats:
    """Return the vectors of a grid. The module with the grids is large and rarely needed."""
    found: Floats = importlib.import_module("tfpy._src.formats.gguf.grids").grid(name)
    return found


def _vectors(name: str, numbers: NDArray[Any]) -> Floats:
    """Return the vectors for the numbers of each block, joined."""
    return _grid(name)[numbers].reshape(len(numbers), -1)


def _with_signs(values: Floats, signs: Bytes) -> Floats:
    """Negate the values for which a bit is set."""
    bits = np.unpackbits(signs, axis=1, bitorder="little")
    return values * np.where(bits == 0, np.float32(1), np.float32(-1))


def _shifted(words: NDArray[Any], step: int, bits: int) -> NDArray[Any]:
    """Split words into four numbers of some bits, at multiples of `step`."""
    shifts = np.arange(0, 4 * step, step, dtype=words.dtype)
    mask = words.dtype.type((1 << bits) - 1)
    return ((words[..., None] >> shifts) & mask).reshape(len(words), -1)


def _high(numbers: Bytes, high: NDArray[Any]) -> NDArray[np.uint16]:
    """Add a ninth and further bits to bytes."""
    return numbers.astype(np.uint16) | (high.astype(np.uint16) << np.uint16(8))


def _halved(blocks: Blocks, scales: NDArray[Any], factor: float) -> Floats:
    halves = np.float32(0.5) + scales.astype(np.float32)
    return column(blocks["d"]) * halves * np.float32(factor)


def iq2_xxs(blocks: Blocks) -> Floats:
    """Decode pairs of words: four numbers, and their signs below a scale of four bits."""
    words = blocks["qs"].reshape(len(blocks), -1, 2)
    numbers = words[..., 0].copy().view(np.uint8)
    scales = _halved(blocks, words[..., 1] >> 28, 0.25)
    signs = _SIGNS[_shifted(words[..., 1], 7, 7)]
    return _with_signs(scaled(scales, _vectors("IQ2_XXS", numbers)), signs)


def iq2_xs(blocks: Blocks) -> Floats:
    """Decode words of nine bits for a number and seven bits for signs."""
    words = blocks["qs"]
    scales = _halved(blocks, parts(blocks["scales"], 4, 1), 0.25)
    values = scaled(scales, _vectors("IQ2_XS", words & np.uint16(511)))
    return _with_signs(values, _SIGNS[words >> 9])


def iq2_s(blocks: Blocks) -> Floats:
    """Decode numbers of ten bits. Their upper two bits are stored separately."""
    scales = _halved(blocks, parts(blocks["scales"], 4, 1), 0.25)
    numbers = _high(blocks["qs"], parts(blocks["qh"], 2, 1))
    return _with_signs(scaled(scales, _vectors("IQ2_S", numbers)), blocks["signs"])


def iq3_xxs(blocks: Blocks) -> Floats:
    """Decode bytes that select four values. Words contain signs below a scale of four bits."""
    words = blocks["scales"]
    values = scaled(_halved(blocks, words >> 28, 0.5), _vectors("IQ3_XXS", blocks["qs"]))
    return _with_signs(values, _SIGNS[_shifted(words, 7, 7)])


def iq3_s(blocks: Blocks) -> Floats:
    """Decode numbers of nine bits. Their highest bit is stored separately."""
    scales = column(blocks["d"]) * (1 + 2 * parts(blocks["scales"], 4, 1)).astype(np.float32)
    numbers = _high(blocks["qs"], parts(blocks["qh"], 1, 1))
    return _with_signs(scaled(scales, _vectors("IQ3_S", numbers)), blocks["signs"])


def iq1_s(blocks: Blocks) -> Floats:
    """Decode numbers of eleven bits. A word contains the upper ones, a scale and a direction."""
    words = blocks["qh"]
    scales = column(blocks["d"]) * (2 * ((words >> 12) & 7) + 1).astype(np.float32)
    numbers = _high(blocks["qs"], _shifted(words, 3, 3))
    deltas = np.where((words & np.uint16(0x8000)) == 0, DELTA, -DELTA)
    return scaled(scales, _moved(_vectors("IQ1_S", numbers), deltas))


def iq1_m(blocks: Blocks) -> Floats:
    """Decode numbers of eleven bits. The scale of the block is spread over four words."""
    words = blocks["scales"]
    quarters = (words & np.uint16(0xF000)) >> np.array([12, 8, 4, 0], np.uint16)
    whole = np.bitwise_or.reduce(quarters, axis=1).view(np.float16)
    scales = column(whole) * (2 * _shifted(words, 3, 3) + 1).astype(np.float32)
    high = parts(blocks["qh"], 4, 1)
    numbers = _high(blocks["qs"], high & 7)
    deltas = np.where((high & 8) == 0, DELTA, -DELTA)
    return scaled(scales, _moved(_vectors("IQ1_S", numbers), deltas))


def _moved(values: Floats, deltas: Floats) -> Floats:
    """Add a number to each group of values."""
    groups = values.reshape(*deltas.shape, -1)
    return (groups + deltas[..., None]).reshape(len(values), -1)
