"""Initial centers of clusters."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ops.reference import philox
from tfpy._src.core.conversion import constant, host_values
from tfpy._src.core.tensor import Tensor
from tfpy._src.formats.raw_ops.records import op

Array = np.ndarray[Any, Any]
_BLOCKS = 256


def _words(seed: Any) -> Iterator[int]:
    """Yield the words of TensorFlow's generator for a seed."""
    state = (*philox.split(int(host_values(seed).item()), 2), 0, 0, 0, 0)
    start = 0
    while True:
        offsets = np.arange(start, start + _BLOCKS, dtype=np.uint64)
        yield from philox.words_at(state, offsets).reshape(-1).tolist()
        start += _BLOCKS


def _fractions(seed: Any) -> Iterator[np.float32]:
    """Yield float32 numbers in [0, 1) with 23 random bits."""
    return (np.float32((word & 0x7FFFFF) / 2**23) for word in _words(seed))


def _chain(distances: Any, seed: Any) -> Tensor:
    """Return the last state of a Markov chain (Bachem et al., 2016).

    A candidate becomes the next state with the probability min(1, its distance / the distance of
    the present state).
    """
    values = np.asarray(host_values(distances), np.float32)
    if values.ndim != 1 or not values.size:
        raise invalid("KMC2ChainInitialization", "distances must be a vector with elements")
    chosen, fractions = 0, _fractions(seed)
    for i in range(1, values.size):
        if values[i] > next(fractions) * values[chosen]:
            chosen = i
    return constant(chosen, dtypes.int64)


def _plus_plus(points: Any, num_to_sample: Any, seed: Any, num_retries_per_sample: Any) -> Tensor:
    """Return rows of `points`, each drawn with a probability that grows with its distance.

    This is k-means++ (Arthur and Vassilvitskii, 2007). Of several candidates, the one that reduces
    the sum of the squared distances most is used.
    """
    rows = np.asarray(host_values(points), np.float32)
    count, retries = (int(host_values(n).item()) for n in (num_to_sample, num_retries_per_sample))
    if rows.ndim != 2 or not 0 < count <= len(rows):
        raise invalid(
            "KmeansPlusPlusInitialization",
            f"points must be a matrix with at least num_to_sample rows, got {count} of "
            f"{list(rows.shape)}",
        )
    trials = 1 + (int(2 + math.log(count)) if retries < 0 else retries)
    fractions = _fractions(seed)
    chosen = [int(next(fractions) * len(rows))]
    nearest = _squares(rows, rows[chosen[0]])
    for _ in range(1, count):
        sums = np.cumsum(nearest, dtype=np.float64)
        places = [_drawn(sums, float(next(fractions))) for _ in range(trials)]
        options = [np.minimum(nearest, _squares(rows, rows[place])) for place in places]
        best = int(np.argmin([option.sum() for option in options]))
        chosen.append(places[best])
        nearest = options[best]
    return constant(rows[chosen])


def _squares(rows: Array, center: Array) -> Array:
    return np.asarray(((rows - center) ** 2).sum(1))


def _drawn(sums: Array, fraction: float) -> int:
    """Return the row to which a fraction of the sum of all distances belongs."""
    return min(int(np.searchsorted(sums, fraction * sums[-1], "right")), len(sums) - 1)


op("KMC2ChainInitialization(distances, seed) -> index", _chain)
op(
    "KmeansPlusPlusInitialization(points, num_to_sample, seed, num_retries_per_sample) -> samples",
    _plus_plus,
)
