"""The streams of the stateful random functions, and the seeds that determine them.

As in TensorFlow, the global seed and the op's seed form the Philox key and the upper half of its
counter. Calls of one kind with the same seeds continue one stream, which `set_seed` restarts. In a
compiled function each op has its own stream; ops without a seed use their index in the function as
the seed.
"""

from __future__ import annotations

import random as python_random
from collections.abc import Callable
from typing import Any

import numpy as np

from tfpy._src.base import tracing
from tfpy._src.base.dtypes import as_dtype
from tfpy._src.compiler.ir import drawing
from tfpy._src.compiler.ops.reference import philox
from tfpy._src.tensors.array.static import static_ints
from tfpy._src.tensors.random import sampling
from tfpy._src.tensors.random.sampling import State

Seed = int | tuple[int, int] | None
"""The seed of an op, or its global part and the op's part, as in attributes of graph nodes."""

_DEFAULT_GLOBAL_SEED = 87654321
_MAX_SEED = 2**31 - 1


class _Seeds:
    """The global seed, the source of the seeds of unseeded ops, and the position of each stream."""

    seed: int | None = None
    is_required = False
    times_set = 0
    draws = python_random.Random()
    used: dict[tuple[str, str, int, int], int] = {}  # noqa: RUF012 - one for the program


def set_seed(seed: int | None) -> None:
    """Set the global seed, which makes the random numbers of all later calls reproducible.

    Functions such as `tf.random.uniform` also have an argument `seed`. The global seed and this
    argument together determine the sequence of results, and calls that do not pass the argument
    receive different seeds derived from the global one. Each call of `set_seed` restarts all
    sequences. `tf.random.Generator` and the stateless functions do not use the global seed.

    Args:
        seed: Global seed, an integer. None removes the global seed, so that calls without the
            argument `seed` return numbers that differ between runs.

    Example:
        >>> import tfpy as tf
        >>> tf.random.set_seed(1)
        >>> print(tf.random.uniform([2]).numpy().round(3), tf.random.uniform([2]).numpy().round(3))
        [0.165 0.901] [0.51  0.444]
        >>> tf.random.set_seed(1)
        >>> print(tf.random.uniform([2]).numpy().round(3))
        [0.165 0.901]

    See also: `tf.random.Generator`, `tf.keras.utils.set_random_seed`.
    """
    _Seeds.seed = None if seed is None else int(seed)
    _Seeds.draws = python_random.Random(_Seeds.seed)
    _Seeds.used.clear()
    _Seeds.times_set += 1


def global_seed() -> int | None:
    """Return the global seed, or None if there is none."""
    return _Seeds.seed


def enable_op_determinism() -> None:
    """Make functions that draw random numbers without any seed raise an error, as in TensorFlow.

    Results of tfpy do not differ between runs of the same program on one device, except for random
    numbers without a seed.

    Example::

        tf.random.set_seed(1)
        tf.config.experimental.enable_op_determinism()

    See also: `tf.random.set_seed`.
    """
    _Seeds.is_required = True


def op_seeds(op_seed: Seed) -> tuple[int, int] | None:
    """Return the global part and the op's part of a seed; None if nothing is seeded.

    As in TensorFlow, two zeros mean that there is no seed.
    """
    if isinstance(op_seed, tuple):
        return op_seed if any(op_seed) else None
    if _Seeds.seed is None:
        if op_seed is None and _Seeds.is_required:
            raise RuntimeError(
                "Random ops require a seed to be set when determinism is enabled. Please set a "
                "seed before running the op, e.g. by calling tf.random.set_seed(1)."
            )
        return None if op_seed is None else (_DEFAULT_GLOBAL_SEED, int(op_seed) % _MAX_SEED)
    own = _drawn() if op_seed is None else int(op_seed)
    seeds = (_Seeds.seed % _MAX_SEED, own % _MAX_SEED)
    return (0, _MAX_SEED) if seeds == (0, 0) else seeds


def times_set() -> int:
    """Return how often `set_seed` was called."""
    return _Seeds.times_set


def reserve(kind: str, dtype: Any, seed: Seed, blocks: int) -> State:
    """Return the state of a call, which uses the next `blocks` counters."""
    seeds = op_seeds(seed)
    if seeds is None:
        return sampling.reserved(lambda: _fresh)
    if tracing.local.active:
        return sampling.reserved(lambda: _Place(seeds, blocks).advance)
    places = tracing.local.places
    if places is not None:
        return places.found(seed, lambda: _Place(seeds, blocks)).advance(blocks)
    key = (kind, as_dtype(dtype).name, *seeds)
    start = _Seeds.used.get(key, 0)
    _Seeds.used[key] = start + blocks
    return _state(seeds, start)


def _drawn() -> int:
    """Draw the seed of an op without a seed."""
    graph = tracing.current() or tracing.local.places
    if graph is None:
        return _Seeds.draws.randint(0, _MAX_SEED)
    graph.unseeded += 1
    number: int = graph.unseeded - 1
    return number


def _state(seeds: tuple[int, int], start: int) -> tuple[int, ...]:
    """Return the Philox key and counter of a stream at position `start`."""
    return (*philox.split(seeds[0], 2), *philox.split(start + (seeds[1] << 64), 4))


def _fresh() -> tuple[int, ...]:
    """Return a state with a random key."""
    first, second = np.random.SeedSequence().generate_state(2)
    return _state((int(first) + 1, int(second)), 0)


class _Place:
    """The stream of one random op of a compiled function."""

    def __init__(self, seeds: tuple[int, int], blocks: int) -> None:
        self._seeds, self.blocks = seeds, blocks
        self._start, self._began = 0, _Seeds.times_set

    def advance(self, blocks: int | None = None) -> tuple[int, ...]:
        """Return the state of the next call and advance the stream.

        Args:
            blocks: Number of counters that the call uses. Default: as many as the first call.
        """
        if self._began != _Seeds.times_set:
            self._start, self._began = 0, _Seeds.times_set
        start = self._start
        self._start += self.blocks if blocks is None else blocks
        return _state(self._seeds, start)


def beginning(advance: Callable[[], tuple[int, ...]]) -> tuple[tuple[int, ...], int] | None:
    """Return the state at which a stream begins and the number of counters of a call.

    The result is None for unseeded ops, which start at a random state at each call.

    Args:
        advance: The function by which the feed of a stream advances, not yet called.
    """
    place = getattr(advance, "__self__", None)
    return (advance(), place.blocks) if isinstance(place, _Place) else None


def reserve_outputs(kind: str, dtype: Any, seed: Seed, *shapes: Any) -> State:
    """Return the state of a call with results of the given shapes."""
    count = int(np.prod([n for shape in shapes for n in static_ints(shape)], dtype=np.int64))
    return reserve(kind, dtype, seed, max(count, 0) * drawing.RESERVED)
