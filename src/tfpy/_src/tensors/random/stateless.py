"""``tf.random.stateless_*``: numbers that are a function of a seed of two integers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tfpy._src.base import dtypes, tracing
from tfpy._src.base.dtypes import as_dtype
from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ops import distributions, random as primitives
from tfpy._src.compiler.ops.reference import philox
from tfpy._src.core import nest
from tfpy._src.core.conversion import convert_to_tensor, host_values, is_operand
from tfpy._src.core.tensor import Tensor
from tfpy._src.tensors.array.joining import stack, unstack
from tfpy._src.tensors.array.making import cast
from tfpy._src.tensors.random import sampling
from tfpy._src.tensors.random.algorithm import philox_only
from tfpy._src.tensors.random.sampling import State


def seed_numbers(op: str, seed: Any) -> tuple[int, int]:
    """The two integers of a seed.

    Raises:
        InvalidArgumentError: when it is not two integers.
    """
    array = np.asarray(host_values(seed) if is_operand(seed) else seed)
    if array.dtype.kind not in "iu":
        raise invalid(op, f"seed must be two integers, got dtype {array.dtype}")
    if array.shape != (2,):
        raise invalid(op, f"seed must have shape [2], not {list(array.shape)}")
    return int(array[0]), int(array[1])


def state_of(op: str, seed: Any, alg: Any = "philox") -> State:
    """The state that a seed of two integers stands for."""
    philox_only(alg)
    if tracing.local.active and any(map(_is_unknown, nest.flatten(seed))):
        return _state_while_traced(op, convert_to_tensor(seed))
    return philox.scramble(seed_numbers(op, seed))


def _is_unknown(value: Any) -> bool:
    """Whether it is a tensor of a trace, or a Variable."""
    return is_operand(value) and type(value) is not Tensor


def _state_while_traced(op: str, seed: Tensor) -> State:
    """The state of a seed that each run of a compiled function gives anew."""
    if not seed.dtype.is_integer:
        raise invalid(op, f"seed must be two integers, got dtype {seed.dtype.name}")
    if seed.aval.shape != (2,):
        raise invalid(op, f"seed must have shape [2], not {list(seed.aval.shape)}")
    return primitives.random_state_of_seed(*unstack(cast(seed, dtypes.int32)))


def stateless_uniform(
    shape: Any,
    seed: Any,
    minval: Any = 0,
    maxval: Any = None,
    dtype: Any = dtypes.float32,
    name: str | None = None,
    alg: Any = "auto_select",
) -> Tensor:
    """Uniform numbers in ``[minval, maxval)``; for integers both may be None: the whole range.

    Args:
        seed: two numbers; the same ones give the same numbers.
        dtype: of the result; int64 and float64 have 32 bits without ``TFPY_ENABLE_X64``.

    Raises:
        ValueError: when only one of them is None, for integers.
        InvalidArgumentError: when the range is empty.

    Example:
        >>> import tfpy as tf
        >>> tf.random.stateless_uniform([3], seed=[1, 2]).numpy().round(3)
        array([0.844, 0.192, 0.996], dtype=float32)
        >>> tf.random.stateless_uniform([5], [1, 2], 0, 10, dtype=tf.int32).numpy().tolist()
        [0, 9, 4, 9, 7]
    """
    kind = sampling.number_dtype(dtype)
    sampling.check_bounds(kind, minval, maxval)
    if kind.is_unsigned and minval is not None:
        raise ValueError(
            f"Argument `dtype` got invalid value {kind} when argument `minval` is not None. "
            "Please don't use unsigned integers in this case."
        )
    return sampling.uniform(state_of("stateless_uniform", seed, alg), shape, minval, maxval, kind)


def stateless_normal(
    shape: Any,
    seed: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = dtypes.float32,
    name: str | None = None,
    alg: Any = "auto_select",
) -> Tensor:
    """Normal numbers.

    Args:
        seed: two numbers; the same ones give the same numbers.
        dtype: of the result; int64 and float64 have 32 bits without ``TFPY_ENABLE_X64``.

    Example:
        >>> import tfpy as tf
        >>> tf.random.stateless_normal([3], seed=[1, 2]).numpy().round(3)
        array([0.544, 0.207, 0.074], dtype=float32)
    """
    return sampling.normal(state_of("stateless_normal", seed, alg), shape, mean, stddev, dtype)


def stateless_truncated_normal(
    shape: Any,
    seed: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = dtypes.float32,
    name: str | None = None,
    alg: Any = "auto_select",
) -> Tensor:
    """Normal numbers within two deviations of the mean.

    Args:
        seed: two numbers; the same ones give the same numbers.
        dtype: of the result; int64 and float64 have 32 bits without ``TFPY_ENABLE_X64``.

    Example:
        >>> import tfpy as tf
        >>> tf.random.stateless_truncated_normal([3], seed=[1, 2]).numpy().round(3)
        array([0.544, 0.207, 0.074], dtype=float32)
    """
    state = state_of("stateless_truncated_normal", seed, alg)
    return sampling.normal(state, shape, mean, stddev, dtype, truncated=True)


def stateless_gamma(
    shape: Any,
    seed: Any,
    alpha: Any,
    beta: Any = None,
    dtype: Any = dtypes.float32,
    name: str | None = None,
) -> Tensor:
    """Gamma numbers; ``shape`` ends with the common shape of ``alpha`` and the rate ``beta``.

    Args:
        seed: two numbers; the same ones give the same numbers.
        dtype: of the result; int64 and float64 have 32 bits without ``TFPY_ENABLE_X64``.

    Example:
        >>> import tfpy as tf
        >>> tf.random.stateless_gamma([3], seed=[1, 2], alpha=2.0).numpy().round(2)
        array([2.82, 1.92, 3.34], dtype=float32)
    """
    concentration, rate = sampling.gamma_parameters(alpha, beta, dtype)
    lead = sampling.leading("stateless_gamma", shape, [concentration])
    return sampling.gamma(state_of("stateless_gamma", seed), lead, concentration, rate)


def stateless_poisson(
    shape: Any, seed: Any, lam: Any, dtype: Any = dtypes.int32, name: str | None = None
) -> Tensor:
    """Poisson numbers; ``shape`` ends with the shape of the rate ``lam``.

    Args:
        seed: two numbers; the same ones give the same numbers.
        lam: 0 and less give 0; infinity gives itself in floats and 0 in integers. TensorFlow does
            not return from NaN, nor from numbers above the dtype's highest: here they are NaN (0 in
            integers) and the highest one.
        dtype: of the result; int64 and float64 have 32 bits without ``TFPY_ENABLE_X64``.

    Example:
        >>> import tfpy as tf
        >>> tf.random.stateless_poisson([5], seed=[1, 2], lam=4.0).numpy().tolist()
        [6, 5, 6, 6, 4]
    """
    rate = convert_to_tensor(lam)
    lead = sampling.leading("stateless_poisson", shape, [rate])
    state = state_of("stateless_poisson", seed)
    return sampling.sampled(
        distributions.random_poisson, state, lead, [rate], dtype=as_dtype(dtype)
    )


def stateless_binomial(
    shape: Any,
    seed: Any,
    counts: Any,
    probs: Any,
    output_dtype: Any = dtypes.int32,
    name: str | None = None,
) -> Tensor:
    """Numbers of successes in ``counts`` trials; ``shape`` ends with the parameters' shape.

    Args:
        seed: two numbers; the same ones give the same numbers.

    Example:
        >>> import tfpy as tf
        >>> tf.random.stateless_binomial([4], seed=[1, 2], counts=10.0, probs=0.5).numpy().tolist()
        [6, 6, 7, 7]
    """
    p = convert_to_tensor(probs, dtype_hint=dtypes.float32)
    n = convert_to_tensor(counts, dtype_hint=p.dtype)
    parameters = sampling.broadcast("stateless_binomial", n, p)
    lead = sampling.leading("stateless_binomial", shape, parameters)
    state = state_of("stateless_binomial", seed)
    return sampling.sampled(
        distributions.random_binomial, state, lead, parameters, dtype=as_dtype(output_dtype)
    )


def stateless_categorical(
    logits: Any,
    num_samples: Any,
    seed: Any,
    dtype: Any = dtypes.int64,
    name: str | None = None,
) -> Tensor:
    """Class numbers [batch, num_samples] with probabilities softmax(logits).

    Args:
        seed: two numbers; the same ones give the same numbers.
        dtype: of the result; int64 and float64 have 32 bits without ``TFPY_ENABLE_X64``.

    Example:
        >>> import tfpy as tf
        >>> logits = tf.constant([[0.0, 0.0, 0.0]])
        >>> tf.random.stateless_categorical(logits, num_samples=5, seed=[1, 2]).numpy().tolist()
        [[2, 2, 0, 2, 1]]
    """
    return sampling.categorical(state_of("stateless_categorical", seed), logits, num_samples, dtype)


def stateless_shuffle(
    value: Any, seed: Any, alg: Any = "auto_select", name: str | None = None
) -> Tensor:
    """The rows of ``value`` in random order.

    Args:
        seed: two numbers; the same ones give the same numbers.

    Example:
        >>> import tfpy as tf
        >>> tf.random.experimental.stateless_shuffle(tf.range(5), seed=[1, 2]).numpy().tolist()
        [0, 2, 1, 4, 3]
    """
    return sampling.shuffled(state_of("stateless_shuffle", seed, alg), value)


def split(seed: Any, num: int = 2, alg: Any = "auto_select") -> Tensor:
    """``num`` new seeds [num, 2] made of one.

    Example:
        >>> import tfpy as tf
        >>> first, second = tf.random.split([1, 2])
        >>> tf.random.stateless_uniform([2], first).numpy().round(3)
        array([0.528, 0.589], dtype=float32)
    """
    return stateless_uniform([num, 2], seed, None, None, dtypes.int32, alg=alg)


def fold_in(seed: Any, data: Any, alg: Any = "auto_select") -> Tensor:
    """A new seed made of a seed and an integer.

    Example:
        >>> import tfpy as tf
        >>> seeds = [tf.random.fold_in([1, 2], step) for step in range(2)]  # one for each step
        >>> [tf.random.stateless_uniform([], s, 0, 100, tf.int32).numpy().item() for s in seeds]
        [69, 68]
    """
    number = convert_to_tensor(data)
    return stack([stateless_uniform([], seed, None, None, number.dtype, alg=alg), number])


_SIMON_CONSTANT, _SIMON_SEQUENCE = 0xFFFFFFFC, 0x7369F885192C0EF5
_SALT = 498247692


def index_shuffle(index: Any, seed: Any, max_index: int) -> Tensor:
    """The place of ``index`` in a random order of 0 to ``max_index``, without making the order.

    Args:
        seed: two integers.

    Example:
        >>> import tfpy as tf
        >>> shuffle = tf.random.experimental.index_shuffle
        >>> [int(shuffle(i, seed=[1, 2], max_index=4)) for i in range(5)]
        [2, 0, 1, 4, 3]
    """
    position = convert_to_tensor(index)
    key = np.asarray(host_values(seed) if is_operand(seed) else seed).reshape(-1)
    cipher = _cipher([_SALT, *(int(k) for k in key)], int(max_index))
    places = [cipher(int(i)) for i in position.host_view().reshape(-1)]
    return convert_to_tensor(np.array(places, np.int32).reshape(position.aval.shape))


def _cipher(key: Sequence[int], last: int) -> Any:
    """Simon, a block cipher, applied until the number is in range: a permutation of 0 to last."""
    bits = max(16, (last - 1).bit_length() + (last - 1).bit_length() % 2) // 2
    low = (1 << bits) - 1

    def left(x: int, by: int) -> int:
        return ((x << by) | (x >> (bits - by))) & low

    def mix(x: int) -> int:
        return (left(x, 1) & left(x, 8)) ^ left(x, 2)

    keys = [k & low for k in key[:3]]
    sequence = _SIMON_SEQUENCE & low
    last_key = keys[-1]
    turned = left(last_key, bits - 3) ^ left(last_key, bits - 4)
    keys.append((_SIMON_CONSTANT & low) ^ (sequence & 1) ^ keys[0] ^ turned)

    def place(number: int) -> int:
        while True:
            upper, lower = number >> bits, number & low
            for first, second in (keys[:2], keys[2:]):
                upper ^= mix(lower) ^ first
                lower ^= mix(upper) ^ second
            number = upper << bits | lower
            if number <= last:
                return number

    return place
