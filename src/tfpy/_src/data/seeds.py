"""TensorFlow's seeds and random words for datasets: Philox streams, word by word."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tfpy._src.compiler.ir.aval import Array
from tfpy._src.compiler.ops.reference import philox
from tfpy._src.tensors.random.streams import op_seeds

_WORDS = 256  # number of words that are computed together

Seeds = tuple[int, int]


def seeds_of(seed: Any) -> Seeds:
    """Return the two seeds of a dataset from the global seed and its own.

    The seeds are random if neither is set.
    """
    found = op_seeds(None if seed is None else int(seed))
    if found is None or found == (0, 0):
        first, second = np.random.SeedSequence().generate_state(2)
        return int(first) + 1, int(second)
    return found


class Words:
    """The stream of 32-bit words for two seeds."""

    def __init__(self, seeds: Seeds) -> None:
        self._key, self._next = philox.split(seeds[0], 2), seeds[1] << 64
        self._held = np.empty(0, np.uint32)

    def __iter__(self) -> Iterator[int]:
        while True:
            yield from self.take(_WORDS).tolist()

    def ahead(self, count: int) -> Array:
        """Return the next words without consuming them."""
        missing = -(-max(count - len(self._held), 0) // 4) * 4
        if missing:
            state = (*self._key, *philox.split(self._next, 4))
            self._held = np.concatenate([self._held, philox.stream(state, missing)])
            self._next += missing // 4
        return self._held[:count]

    def skip(self, count: int) -> None:
        """Consume words without returning them."""
        self._held = self._held[count:]

    def take(self, count: int) -> Array:
        """Return and consume the next words."""
        found = self.ahead(count)
        self.skip(count)
        return found


class SeedSource:
    """A source of seeds for iterations: always the same seeds, or the next ones of a stream."""

    def __init__(self, seeds: Seeds, anew: bool) -> None:
        self._seeds = seeds
        self._words = Words(seeds) if anew else None

    def next(self) -> Seeds:
        """Return the seeds for a new iteration."""
        if self._words is None:
            return self._seeds
        first, second = self._words.take(2).tolist()
        return first, second
