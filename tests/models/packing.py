"""Integers of a few bits in the layouts of GPTQ and AWQ, packed number by number."""

from __future__ import annotations

import numpy as np

AWQ_ORDER = [0, 2, 4, 6, 1, 3, 5, 7]


def packed_rows(codes: np.ndarray, bits: int) -> np.ndarray:
    """Pack consecutive rows number by number, as a stream of bits from the lowest bits on."""
    words = np.zeros((len(codes) * bits // 32, codes.shape[1]), np.uint64)
    for row, numbers in enumerate(codes.astype(np.uint64)):
        word, shift = divmod(row * bits, 32)
        wide = numbers << np.uint64(shift)
        words[word] |= wide & np.uint64(0xFFFFFFFF)
        if shift + bits > 32:
            words[word + 1] |= wide >> np.uint64(32)
    return words.astype(np.uint32).view(np.int32)


def packed_awq(codes: np.ndarray) -> np.ndarray:
    words = np.zeros((len(codes), codes.shape[1] // 8), np.uint32)
    for column in range(words.shape[1]):
        for place, output in enumerate(AWQ_ORDER):
            words[:, column] |= codes[:, 8 * column + output].astype(np.uint32) << (4 * place)
    return words.view(np.int32)
