"""``tf.random.uniform`` and its siblings: other numbers at each call, repeatable by seeds.

As in TensorFlow, the global seed and the op's seed make the Philox key and the upper half of its
counter; calls of one kind with the same seeds go on where the last one stopped, and
:func:`set_seed` begins anew. In a compiled function each op goes on by itself, and those without a
seed take their number among these as one.
"""

from __future__ import annotations

import random as python_random
from collections.abc import Callable
from typing import Any

import numpy as np

from tfpy._src.base import dtypes, tracing
from tfpy._src.base.dtypes import as_dtype
from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ir import drawing
from tfpy._src.compiler.ops import distributions, elementwise as ew
from tfpy._src.compiler.ops.reference import philox
from tfpy._src.core.conversion import constant, convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.tensors.array.making import cast
from tfpy._src.tensors.array.reshaping import reshape
from tfpy._src.tensors.array.static import static_int, static_ints
from tfpy._src.tensors.random import sampling
from tfpy._src.tensors.random.sampling import State

Seed = int | tuple[int, int] | None
"""An op's seed; or the global part and the op's, as operations of graphs have them."""

_DEFAULT_GLOBAL_SEED = 87654321
_MAX_SEED = 2**31 - 1


class _Seeds:
    """The global seed, the seeds that unseeded ops draw from it, and how far each stream is."""

    seed: int | None = None
    times_set = 0
    draws = python_random.Random()
    used: dict[tuple[str, str, int, int], int] = {}  # noqa: RUF012 - one for the program


def set_seed(seed: Any) -> None:
    """Makes the numbers that follow repeatable (``tf.random.set_seed``); None ends that.

    Example:
        >>> import tfpy as tf
        >>> tf.random.set_seed(7)
        >>> first = tf.random.uniform([3])
        >>> tf.random.set_seed(7)
        >>> bool(tf.reduce_all(first == tf.random.uniform([3])))
        True
    """
    _Seeds.seed = None if seed is None else int(seed)
    _Seeds.draws = python_random.Random(_Seeds.seed)
    _Seeds.used.clear()
    _Seeds.times_set += 1


def op_seeds(op_seed: Seed) -> tuple[int, int] | None:
    """The global and the op's part of the seed; None where nothing is seeded.

    Two zeros are no seed.
    """
    if isinstance(op_seed, tuple):
        return op_seed if any(op_seed) else None
    if _Seeds.seed is None:
        return None if op_seed is None else (_DEFAULT_GLOBAL_SEED, int(op_seed) % _MAX_SEED)
    own = _drawn() if op_seed is None else int(op_seed)
    seeds = (_Seeds.seed % _MAX_SEED, own % _MAX_SEED)
    return (0, _MAX_SEED) if seeds == (0, 0) else seeds


def _reserve(kind: str, dtype: Any, seed: Seed, blocks: int) -> State:
    """The state at which a call begins; ``blocks`` counters belong to it."""
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
    """The seed of an op that has none."""
    graph = tracing.current() or tracing.local.places
    if graph is None:
        return _Seeds.draws.randint(0, _MAX_SEED)
    graph.unseeded += 1
    number: int = graph.unseeded - 1
    return number


def _state(seeds: tuple[int, int], start: int) -> tuple[int, ...]:
    return (*philox.split(seeds[0], 2), *philox.split(start + (seeds[1] << 64), 4))


def _fresh() -> tuple[int, ...]:
    first, second = np.random.SeedSequence().generate_state(2)
    return _state((int(first) + 1, int(second)), 0)


class _Place:
    """The stream of one random op of a compiled function."""

    def __init__(self, seeds: tuple[int, int], blocks: int) -> None:
        self._seeds, self.blocks = seeds, blocks
        self._start, self._began = 0, _Seeds.times_set

    def advance(self, blocks: int | None = None) -> tuple[int, ...]:
        """Return the state of the next call, which takes ``blocks`` counters (else as many as the
        first one)."""
        if self._began != _Seeds.times_set:
            self._start, self._began = 0, _Seeds.times_set
        start = self._start
        self._start += self.blocks if blocks is None else blocks
        return _state(self._seeds, start)


def beginning(advance: Callable[[], tuple[int, ...]]) -> tuple[tuple[int, ...], int] | None:
    """The state at which a stream begins, and the counters that a call takes; None where each call
    begins anew at a place that nobody knows.

    Args:
        advance: what a stream's feed moves on by, not yet called.
    """
    place = getattr(advance, "__self__", None)
    return (advance(), place.blocks) if isinstance(place, _Place) else None


def _reserve_outputs(kind: str, dtype: Any, seed: Seed, *shapes: Any) -> State:
    count = int(np.prod([n for shape in shapes for n in static_ints(shape)], dtype=np.int64))
    return _reserve(kind, dtype, seed, max(count, 0) * drawing.RESERVED)


def uniform(
    shape: Any,
    minval: Any = 0,
    maxval: Any = None,
    dtype: Any = dtypes.float32,
    seed: Seed = None,
    name: str | None = None,
) -> Tensor:
    """Uniform numbers in ``[minval, maxval)``.

    Args:
        dtype: of the result; int64 and float64 have 32 bits without ``TFPY_ENABLE_X64``.
        seed: with ``tf.random.set_seed``, what makes the numbers repeatable; each call goes on from
            the last one.

    Raises:
        ValueError: when ``maxval`` is missing for integers.
        InvalidArgumentError: when the range is empty.

    Example:
        >>> import tfpy as tf
        >>> tf.random.set_seed(1)
        >>> a = tf.random.uniform([2])
        >>> tf.random.set_seed(1)
        >>> b = tf.random.uniform([2])
        >>> bool(tf.reduce_all(a == b))
        True
    """
    kind = sampling.number_dtype(dtype)
    if kind.is_integer and maxval is None:
        raise ValueError(f"Must specify maxval for integer dtype {kind!r}")
    stream = "uniform_int" if kind.is_integer else "uniform"
    state = _reserve_outputs(stream, kind, seed, shape)
    return sampling.uniform(state, shape, minval, maxval, kind)


def normal(
    shape: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = dtypes.float32,
    seed: Seed = None,
    name: str | None = None,
) -> Tensor:
    """Normal numbers.

    Args:
        dtype: of the result; int64 and float64 have 32 bits without ``TFPY_ENABLE_X64``.
        seed: with ``tf.random.set_seed``, what makes the numbers repeatable; each call goes on from
            the last one.

    Example:
        >>> import tfpy as tf
        >>> tf.random.set_seed(1)
        >>> a = tf.random.normal([2])
        >>> tf.random.set_seed(1)
        >>> b = tf.random.normal([2])
        >>> bool(tf.reduce_all(a == b))
        True
    """
    state = _reserve_outputs("normal", dtype, seed, shape)
    return sampling.normal(state, shape, mean, stddev, dtype)


def truncated_normal(
    shape: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = dtypes.float32,
    seed: Seed = None,
    name: str | None = None,
) -> Tensor:
    """Normal numbers within two standard deviations; what lies outside is drawn again.

    Args:
        dtype: of the result; int64 and float64 have 32 bits without ``TFPY_ENABLE_X64``.
        seed: with ``tf.random.set_seed``, what makes the numbers repeatable; each call goes on from
            the last one.

    Example:
        >>> import tfpy as tf
        >>> x = tf.random.truncated_normal([1000], stddev=0.5)
        >>> bool(tf.reduce_max(tf.abs(x)) <= 1.0)  # two deviations
        True
    """
    state = _reserve_outputs("truncated_normal", dtype, seed, shape)
    return sampling.normal(state, shape, mean, stddev, dtype, truncated=True)


def gamma(
    shape: Any,
    alpha: Any,
    beta: Any = None,
    dtype: Any = dtypes.float32,
    seed: Seed = None,
    name: str | None = None,
) -> Tensor:
    """Gamma numbers: ``shape`` of them for each element of ``alpha`` and the rate ``beta``.

    Args:
        dtype: of the result; int64 and float64 have 32 bits without ``TFPY_ENABLE_X64``.
        seed: with ``tf.random.set_seed``, what makes the numbers repeatable; each call goes on from
            the last one.

    Example:
        >>> import tfpy as tf
        >>> x = tf.random.gamma([1000], alpha=3.0, seed=1)
        >>> x.shape, bool(2.5 < tf.reduce_mean(x) < 3.5)
        (TensorShape([1000]), True)
    """
    concentration, rate = sampling.gamma_parameters(alpha, beta, dtype)
    state = _reserve_outputs("gamma", dtype, seed, shape, concentration.aval.shape)
    return sampling.gamma(state, sampling.sizes("gamma", shape), concentration, rate)


def poisson(
    shape: Any,
    lam: Any,
    dtype: Any = dtypes.float32,
    seed: Seed = None,
    name: str | None = None,
) -> Tensor:
    """Poisson numbers: ``shape`` of them for each element of the rate ``lam``.

    Args:
        lam: 0 and less give 0; infinity gives itself in floats and 0 in integers. TensorFlow does
            not return from NaN, nor from numbers above the dtype's highest: here they are NaN (0 in
            integers) and the highest one.
        dtype: of the result; int64 and float64 have 32 bits without ``TFPY_ENABLE_X64``.
        seed: with ``tf.random.set_seed``, what makes the numbers repeatable; each call goes on from
            the last one.

    Example:
        >>> import tfpy as tf
        >>> x = tf.random.poisson([1000], lam=[1.0, 8.0], seed=1)
        >>> x.shape, tf.round(tf.reduce_mean(x, axis=0)).numpy().tolist()
        (TensorShape([1000, 2]), [1.0, 8.0])
    """
    rate = convert_to_tensor(lam)
    state = _reserve_outputs("poisson", dtype, seed, shape, rate.aval.shape)
    lead = sampling.sizes("poisson", shape)
    return sampling.sampled(
        distributions.random_poisson, state, lead, [rate], dtype=as_dtype(dtype)
    )


def categorical(
    logits: Any,
    num_samples: Any,
    dtype: Any = None,
    seed: Seed = None,
    name: str | None = None,
) -> Tensor:
    """Class numbers [batch, num_samples] with probabilities softmax(logits).

    Args:
        dtype: of the result; int64 and float64 have 32 bits without ``TFPY_ENABLE_X64``.
        seed: with ``tf.random.set_seed``, what makes the numbers repeatable; each call goes on from
            the last one.

    Example:
        >>> import tfpy as tf
        >>> logits = tf.constant([[0.0, 100.0], [100.0, 0.0]])  # the second class, then the first
        >>> tf.random.categorical(logits, num_samples=3).numpy().tolist()
        [[1, 1, 1], [0, 0, 0]]
    """
    values = convert_to_tensor(logits)
    rows = values.aval.shape[0] if values.ndim else 0
    padded = -(-static_int(num_samples) // 4) * 4
    state = _reserve_outputs("categorical", values.dtype, seed, [rows, padded, 2])
    return sampling.categorical(state, values, num_samples, dtype)


def shuffle(value: Any, seed: Seed = None, name: str | None = None) -> Tensor:
    """The rows of ``value`` in random order.

    Args:
        seed: with ``tf.random.set_seed``, what makes the numbers repeatable; each call goes on from
            the last one.

    Example:
        >>> import tfpy as tf
        >>> tf.random.set_seed(1)
        >>> a = tf.random.shuffle([1, 2, 3])
        >>> tf.random.set_seed(1)
        >>> b = tf.random.shuffle([1, 2, 3])
        >>> bool(tf.reduce_all(a == b))
        True
    """
    x = convert_to_tensor(value)
    blocks = -(-(x.aval.shape[0] - 1) // 4) if x.ndim and x.size > 1 else 0
    return sampling.shuffled(_reserve("shuffle", x.dtype, seed, blocks), x)


def multinomial(
    logits: Any, num_samples: int, seed: Seed = None, normalized: bool = False
) -> Tensor:
    """TensorFlow.js's ``multinomial``: :func:`categorical` that also takes one row of logits.

    Args:
        seed: with ``tf.random.set_seed``, what makes the numbers repeatable; each call goes on from
            the last one.
        normalized: ``logits`` are probabilities.

    Raises:
        InvalidArgumentError: when the logits are not [classes] or [batch, classes].

    Example:
        >>> import tfpy as tf
        >>> tf.multinomial(tf.constant([[0.0, 0.0]]), num_samples=5).shape
        TensorShape([1, 5])
    """
    values = convert_to_tensor(logits)
    if values.ndim not in (1, 2):
        raise invalid("multinomial", f"logits must have 1 or 2 dimensions, got {values.shape}")
    rows = ew.log(values) if normalized else values
    drawn = categorical(reshape(rows, [-1, values.aval.shape[-1]]), num_samples, seed=seed)
    return reshape(drawn, [-1]) if values.ndim == 1 else drawn


def rand(shape: Any, rand_function: Callable[[], float], dtype: Any = dtypes.float32) -> Tensor:
    """TensorFlow.js's ``rand``: each element is a call of ``rand_function``.

    Args:
        dtype: of the result; int64 and float64 have 32 bits without ``TFPY_ENABLE_X64``.

    Example:
        >>> import tfpy as tf
        >>> tf.rand([2], lambda: 0.5).numpy().tolist()
        [0.5, 0.5]
    """
    sizes = sampling.sizes("rand", shape)
    values = [rand_function() for _ in range(int(np.prod(sizes)))]
    return cast(reshape(constant(np.array(values, np.float32)), sizes), dtype)
