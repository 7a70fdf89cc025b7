"""Draws of candidate classes, with the random numbers of TensorFlow's kernels.

The numbers follow TensorFlow's files `core/lib/random/simple_philox.cc`, `distribution_sampler.cc`
and `core/kernels/range_sampler.cc`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from tfpy._src.base.errors import invalid_value
from tfpy._src.tensors.random.word_stream import WordStream

Array = np.ndarray[Any, Any]

COUNTERS = 512
"""Number of Philox counters that TensorFlow reserves for each candidate."""


class ClassDistribution(NamedTuple):
    """A distribution over the classes from 0 to `size - 1`."""

    size: int
    draw: Callable[[WordStream], int]
    """Function that draws one class."""
    probability: Callable[[Array], Array]
    """Function from classes to their probabilities."""
    update: Callable[[Array], None] = lambda labels: None
    """Function that receives the labels after each draw."""


def uniform(size: int) -> ClassDistribution:
    """Return the distribution in which all classes have the same probability."""
    return ClassDistribution(
        size, lambda words: words.long_below(size), lambda ids: np.full(ids.shape, 1.0 / size)
    )


def log_uniform(size: int) -> ClassDistribution:
    """Return the approximation of Zipf's law, in which frequent classes have low numbers."""
    scale = np.log1p(size)
    return ClassDistribution(
        size,
        lambda words: (int(np.exp(words.number() * scale)) - 1) % size,
        lambda ids: np.log((ids + 2.0) / (ids + 1.0)) / scale,
    )


def weighted(weights: Array) -> ClassDistribution:
    """Return the distribution with the given weights, which is sampled by Vose's alias method."""
    size, total = len(weights), weights.sum(dtype=np.float64)
    share, other = weights.astype(np.float64) * size / total, np.arange(size)
    low, high = [list(np.flatnonzero(part)) for part in (share < 1.0, share >= 1.0)]
    while low and high:
        small, large = low.pop(), high.pop()
        other[small] = large
        share[large] -= 1.0 - share[small]
        (low if share[large] < 1.0 else high).append(large)
    share[[*low, *high]] = 1.0  # rounding errors

    def draw(words: WordStream) -> int:
        chance, place = words.short_number(), words.below(size)
        return place if chance < np.float32(share[place]) else int(other[place])

    def probability(ids: Array) -> Array:
        inside = (ids >= 0) & (ids < size)
        return np.where(inside, weights[np.where(inside, ids, 0)] / total, 0.0)

    return ClassDistribution(size, draw, probability)


def learned(size: int) -> ClassDistribution:
    """Return the distribution of the labels of all draws before."""
    weights = np.ones(size, np.int64)

    def draw(words: WordStream) -> int:
        sums = np.cumsum(weights)
        return int(np.searchsorted(sums, words.below(int(sums[-1])), side="right"))

    def update(labels: Array) -> None:
        np.add.at(weights, labels.reshape(-1), 1)

    return ClassDistribution(size, draw, lambda ids: weights[ids] / weights.sum(), update)


def candidates(
    distribution: ClassDistribution, state: Any, labels: Array, count: int, unique: bool
) -> tuple[Array, Array, Array]:
    """Draw classes.

    Returns:
        The classes, and the expected numbers of the labels and of the classes in such a draw.

    Raises:
        InvalidArgumentError: If a label is not one of the classes.
    """
    if labels.size and not 0 <= labels.min() <= labels.max() < distribution.size:
        raise invalid_value(
            "candidate_sampler",
            f"true_classes contains labels from {labels.min()} to {labels.max()}, but there are "
            f"{distribution.size} classes",
        )
    words, found, tries = WordStream(state), dict[int, None](), count
    if unique:
        tries = 0
        while len(found) < count:
            tries += 1
            found[distribution.draw(words)] = None
        drawn = np.array([*found], np.int64)
    else:
        drawn = np.array([distribution.draw(words) for _ in range(count)], np.int64)

    def expected(ids: Array) -> Array:
        chance = distribution.probability(ids.astype(np.int64))
        often = chance * count if tries == count else -np.expm1(tries * np.log1p(-chance))
        return np.asarray(often, np.float32)

    found_counts = drawn, expected(labels), expected(drawn)
    distribution.update(labels)
    return found_counts
