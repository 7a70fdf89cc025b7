"""The random numbers that TensorFlow's kernels draw one after the other from a Philox stream."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from tfpy._src.compiler.ir.aval import Array
from tfpy._src.compiler.ops.reference import philox

_AT_ONCE = 256
_BITS_32, _BITS_64 = 1 << 32, 1 << 64


class WordStream:
    """The 32-bit words of a Philox stream, in order.

    Args:
        state: Six int32 words: key and counter.
    """

    def __init__(self, state: Sequence[int] | Array) -> None:
        self._words = self._stream(np.asarray(state).astype(np.int64).astype(np.uint32))

    def _stream(self, state: Array) -> Iterator[int]:
        start = 0
        while True:
            offsets = np.arange(start, start + _AT_ONCE, dtype=np.uint64)
            yield from philox.words_at([*state.view(np.int32)], offsets).reshape(-1).tolist()
            start += _AT_ONCE

    def word(self) -> int:
        """Return the next word."""
        return next(self._words)

    def number(self) -> float:
        """Return a float64 in [0, 1)."""
        high, low = next(self._words), next(self._words)
        return ((high & 0xFFFFF) << 32 | low) / 2**52

    def short_number(self) -> float:
        """Return a float32 in [0, 1)."""
        return (next(self._words) & 0x7FFFFF) / 2**23

    def below(self, limit: int) -> int:
        """Return an integer below a limit, from one word for each attempt."""
        return self._below(limit, _BITS_32, lambda: next(self._words))

    def long_below(self, limit: int) -> int:
        """Return an integer below a limit, from two words for each attempt."""
        return self._below(limit, _BITS_64, lambda: next(self._words) | next(self._words) << 32)

    def _below(self, limit: int, count: int, draw: Callable[[], int]) -> int:
        if limit & (limit - 1) == 0:
            return draw() & (limit - 1)
        rest = (count - 1) % limit + 1
        while (found := draw()) < rest:
            pass
        return found % limit
