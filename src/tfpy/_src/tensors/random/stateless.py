"""`tf.random.stateless_*`: random numbers that depend only on a seed of two integers."""

from __future__ import annotations

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
from tfpy._src.core.typing import DTypeLike, IntLike, ShapeLike, TensorLike
from tfpy._src.tensors.array.joining import stack, unstack
from tfpy._src.tensors.array.making import cast
from tfpy._src.tensors.random import sampling
from tfpy._src.tensors.random.algorithm import AlgorithmLike, philox_only
from tfpy._src.tensors.random.sampling import State


def seed_numbers(op: str, seed: Any) -> tuple[int, int]:
    """Return the two integers of a seed.

    Raises:
        InvalidArgumentError: If the seed is not two integers.
    """
    array = np.asarray(host_values(seed) if is_operand(seed) else seed)
    if array.dtype.kind not in "iu":
        raise invalid(op, f"seed must be two integers, got dtype {array.dtype}")
    if array.shape != (2,):
        raise invalid(op, f"seed must have shape [2], not {list(array.shape)}")
    return int(array[0]), int(array[1])


def state_of(op: str, seed: Any, alg: Any = "philox") -> State:
    """Return the state of a seed of two integers."""
    philox_only(alg)
    if tracing.local.active and any(map(_is_unknown, nest.flatten(seed))):
        return _state_while_traced(op, convert_to_tensor(seed))
    return philox.scramble(seed_numbers(op, seed))


def _is_unknown(value: Any) -> bool:
    """Return True if `value` is a symbolic tensor or a Variable."""
    return is_operand(value) and type(value) is not Tensor


def _state_while_traced(op: str, seed: Tensor) -> State:
    """Return the state of a symbolic seed, which has a value only when the function runs."""
    if not seed.dtype.is_integer:
        raise invalid(op, f"seed must be two integers, got dtype {seed.dtype.name}")
    if seed.aval.shape != (2,):
        raise invalid(op, f"seed must have shape [2], not {list(seed.aval.shape)}")
    return primitives.random_state_of_seed(*unstack(cast(seed, dtypes.int32)))


def stateless_uniform(
    shape: ShapeLike,
    seed: TensorLike,
    minval: TensorLike | None = 0,
    maxval: TensorLike | None = None,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
    alg: AlgorithmLike = "auto_select",
) -> Tensor:
    """Draw uniform random numbers, determined by `seed`, in `[minval, maxval)`.

    The same seed always produces the same numbers.

    Args:
        shape: Shape of the result.
        seed: Two integers that determine the result, as an integer tensor of shape `[2]`.
        minval: Lower bound (inclusive), a scalar or tensor that broadcasts to `shape`. Default: 0.
        maxval: Upper bound (exclusive), in the same form. Default: 1 for float dtypes. For integer
            dtypes, pass both bounds, or None for both to draw from all values of the dtype.
        dtype: Dtype of the result. Default: float32.
        alg: Random number algorithm, `"philox"` or the equivalent `"auto_select"` (default).

    Returns:
        Tensor of shape `shape`.

    Raises:
        ValueError: If only one of `minval` and `maxval` is None, for an integer dtype.
        tf.errors.InvalidArgumentError: If `minval` is not less than `maxval`, for an integer dtype,
            or `seed` is not two integers.

    Example:
        >>> import tfpy as tf
        >>> tf.random.stateless_uniform([3], seed=[1, 2]).numpy().round(3)
        array([0.844, 0.192, 0.996], dtype=float32)
        >>> tf.random.stateless_uniform([5], [1, 2], 0, 10, dtype=tf.int32).numpy().tolist()
        [0, 9, 4, 9, 7]

    See also: `tf.random.uniform`, `tf.random.split`, `tf.random.fold_in`.
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
    shape: ShapeLike,
    seed: TensorLike,
    mean: TensorLike = 0.0,
    stddev: TensorLike = 1.0,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
    alg: AlgorithmLike = "auto_select",
) -> Tensor:
    """Draw random numbers, determined by `seed`, from a normal distribution.

    Args:
        shape: Shape of the result.
        seed: Two integers that determine the result, as an integer tensor of shape `[2]`.
        mean: Mean, a scalar or a tensor that broadcasts to `shape`. Default: 0.
        stddev: Standard deviation, a scalar or a tensor that broadcasts to `shape`. Default: 1.
        dtype: Dtype of the result. Default: float32.
        alg: Random number algorithm, `"philox"` or the equivalent `"auto_select"` (default).

    Returns:
        Float tensor of shape `shape`.

    Raises:
        tf.errors.InvalidArgumentError: If `seed` is not two integers.

    Example:
        >>> import tfpy as tf
        >>> tf.random.stateless_normal([3], seed=[1, 2]).numpy().round(3)
        array([0.544, 0.207, 0.074], dtype=float32)

    See also: `tf.random.normal`.
    """
    return sampling.normal(state_of("stateless_normal", seed, alg), shape, mean, stddev, dtype)


def stateless_truncated_normal(
    shape: ShapeLike,
    seed: TensorLike,
    mean: TensorLike = 0.0,
    stddev: TensorLike = 1.0,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
    alg: AlgorithmLike = "auto_select",
) -> Tensor:
    """Draw random numbers, determined by `seed`, from a truncated normal distribution.

    All numbers are within two standard deviations of the mean.

    Args:
        shape: Shape of the result.
        seed: Two integers that determine the result, as an integer tensor of shape `[2]`.
        mean: Mean, a scalar or a tensor that broadcasts to `shape`. Default: 0.
        stddev: Standard deviation, a scalar or a tensor that broadcasts to `shape`. Default: 1.
        dtype: Dtype of the result. Default: float32.
        alg: Random number algorithm, `"philox"` or the equivalent `"auto_select"` (default).

    Returns:
        Float tensor of shape `shape`.

    Raises:
        tf.errors.InvalidArgumentError: If `seed` is not two integers.

    Example:
        >>> import tfpy as tf
        >>> tf.random.stateless_truncated_normal([3], seed=[1, 2]).numpy().round(3)
        array([0.544, 0.207, 0.074], dtype=float32)

    See also: `tf.random.truncated_normal`.
    """
    state = state_of("stateless_truncated_normal", seed, alg)
    return sampling.normal(state, shape, mean, stddev, dtype, truncated=True)


def stateless_gamma(
    shape: ShapeLike,
    seed: TensorLike,
    alpha: TensorLike,
    beta: TensorLike | None = None,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
) -> Tensor:
    """Draw random numbers, determined by `seed`, from a gamma distribution.

    Args:
        shape: Shape of the result. It must end with the broadcast shape of `alpha` and `beta`.
        seed: Two integers that determine the result, as an integer tensor of shape `[2]`.
        alpha: Shape parameters of the distribution, a float tensor.
        beta: Rates (inverse scales), a float tensor that broadcasts with `alpha`. Default: 1.
        dtype: Dtype of the result. Default: float32.

    Returns:
        Float tensor of shape `shape`.

    Raises:
        tf.errors.InvalidArgumentError: If `shape` does not end with the shape of the parameters, or
            `seed` is not two integers.

    Example:
        >>> import tfpy as tf
        >>> tf.random.stateless_gamma([3], seed=[1, 2], alpha=2.0).numpy().round(2)
        array([2.82, 1.92, 3.34], dtype=float32)

    See also: `tf.random.gamma`.
    """
    concentration, rate = sampling.gamma_parameters(alpha, beta, dtype)
    lead = sampling.leading("stateless_gamma", shape, [concentration])
    return sampling.gamma(state_of("stateless_gamma", seed), lead, concentration, rate)


def stateless_poisson(
    shape: ShapeLike,
    seed: TensorLike,
    lam: TensorLike,
    dtype: DTypeLike = dtypes.int32,
    name: str | None = None,
) -> Tensor:
    """Draw random numbers, determined by `seed`, from a Poisson distribution.

    A rate of 0 or less results in 0. With a float dtype, an infinite rate results in infinity and a
    NaN rate in NaN. With an integer dtype, both result in 0, and a rate above the maximum of the
    dtype results in the maximum.

    Args:
        shape: Shape of the result. It must end with the shape of `lam`.
        seed: Two integers that determine the result, as an integer tensor of shape `[2]`.
        lam: Rates, which are the means of the distribution, a float tensor.
        dtype: Dtype of the result. Default: int32.

    Returns:
        Tensor of shape `shape`.

    Raises:
        tf.errors.InvalidArgumentError: If `shape` does not end with the shape of the parameters, or
            `seed` is not two integers.

    Example:
        >>> import tfpy as tf
        >>> tf.random.stateless_poisson([5], seed=[1, 2], lam=4.0).numpy().tolist()
        [6, 5, 6, 6, 4]

    See also: `tf.random.poisson`.
    """
    rate = convert_to_tensor(lam)
    lead = sampling.leading("stateless_poisson", shape, [rate])
    state = state_of("stateless_poisson", seed)
    return sampling.sampled(
        distributions.random_poisson, state, lead, [rate], dtype=as_dtype(dtype)
    )


def stateless_binomial(
    shape: ShapeLike,
    seed: TensorLike,
    counts: TensorLike,
    probs: TensorLike,
    output_dtype: DTypeLike = dtypes.int32,
    name: str | None = None,
) -> Tensor:
    """Draw random numbers, determined by `seed`, from a binomial distribution.

    Args:
        shape: Shape of the result. It must end with the broadcast shape of `counts` and `probs`.
        seed: Two integers that determine the result, as an integer tensor of shape `[2]`.
        counts: Numbers of trials, a numeric tensor.
        probs: Probabilities of success, between 0 and 1, a float tensor.
        output_dtype: Dtype of the result. Default: int32.

    Returns:
        Numbers of successes, a tensor of shape `shape`.

    Raises:
        tf.errors.InvalidArgumentError: If `shape` does not end with the shape of the parameters, or
            `seed` is not two integers.

    Example:
        >>> import tfpy as tf
        >>> tf.random.stateless_binomial([4], seed=[1, 2], counts=10.0, probs=0.5).numpy().tolist()
        [6, 6, 7, 7]

    See also: `tf.random.Generator.binomial`.
    """
    p = convert_to_tensor(probs, dtype_hint=dtypes.float32)
    n = convert_to_tensor(counts, dtype_hint=p.dtype)
    parameters = sampling.trials("stateless_binomial", n, p)
    lead = sampling.leading("stateless_binomial", shape, parameters)
    state = state_of("stateless_binomial", seed)
    return sampling.sampled(
        distributions.random_binomial, state, lead, parameters, dtype=as_dtype(output_dtype)
    )


def stateless_categorical(
    logits: TensorLike,
    num_samples: IntLike,
    seed: TensorLike,
    dtype: DTypeLike = dtypes.int64,
    name: str | None = None,
) -> Tensor:
    """Draw class indices, determined by `seed`, with the probabilities `softmax(logits)`.

    Args:
        logits: Unnormalized log probabilities, a float tensor of shape `[batch, classes]`.
        num_samples: Number of indices to draw for each row, a scalar integer.
        seed: Two integers that determine the result, as an integer tensor of shape `[2]`.
        dtype: Dtype of the result, int32 or int64. Default: int64. Unless the environment variable
            `TFPY_ENABLE_X64` is set, `tf.int64` is another name of `tf.int32`.

    Returns:
        Integer tensor of shape `[batch, num_samples]`.

    Raises:
        tf.errors.InvalidArgumentError: If `logits` is not a float tensor with two dimensions, or
            `seed` is not two integers.

    Example:
        >>> import tfpy as tf
        >>> logits = tf.constant([[0.0, 0.0, 0.0]])
        >>> tf.random.stateless_categorical(logits, num_samples=5, seed=[1, 2]).numpy().tolist()
        [[2, 2, 0, 2, 1]]

    See also: `tf.random.categorical`.
    """
    return sampling.categorical(state_of("stateless_categorical", seed), logits, num_samples, dtype)


def stateless_shuffle(
    value: TensorLike, seed: TensorLike, alg: AlgorithmLike = "auto_select", name: str | None = None
) -> Tensor:
    """Return the rows of a tensor in a random order that is determined by `seed`.

    Args:
        value: Tensor of shape `[rows, ...]`. A scalar is returned unchanged.
        seed: Two integers that determine the result, as an integer tensor of shape `[2]`.
        alg: Random number algorithm, `"philox"` or the equivalent `"auto_select"` (default).

    Returns:
        Tensor with the shape and dtype of `value`.

    Example:
        >>> import tfpy as tf
        >>> tf.random.experimental.stateless_shuffle(tf.range(5), seed=[1, 2]).numpy().tolist()
        [0, 2, 1, 4, 3]

    See also: `tf.random.shuffle`, `tf.random.experimental.index_shuffle`.
    """
    return sampling.shuffled(state_of("stateless_shuffle", seed, alg), value)


def split(seed: TensorLike, num: int = 2, alg: AlgorithmLike = "auto_select") -> Tensor:
    """Derive independent seeds from one seed.

    Args:
        seed: Two integers that determine the result, as an integer tensor of shape `[2]`.
        num: Number of seeds. Default: 2.
        alg: Random number algorithm, `"philox"` or the equivalent `"auto_select"` (default).

    Returns:
        Tensor of shape `[num, 2]` with the dtype of `seed`. Each row is a seed.

    Example:
        >>> import tfpy as tf
        >>> first, second = tf.random.split([1, 2])
        >>> tf.random.stateless_uniform([2], first).numpy().round(3)
        array([0.528, 0.589], dtype=float32)

    See also: `tf.random.fold_in`.
    """
    return stateless_uniform([num, 2], seed, None, None, convert_to_tensor(seed).dtype, alg=alg)


def fold_in(seed: TensorLike, data: IntLike, alg: AlgorithmLike = "auto_select") -> Tensor:
    """Derive a new seed from a seed and an integer, such as the number of a training step.

    Args:
        seed: Two integers that determine the result, as an integer tensor of shape `[2]`.
        data: Integer to combine with the seed, a scalar integer tensor or Python integer.
        alg: Random number algorithm, `"philox"` or the equivalent `"auto_select"` (default).

    Returns:
        New seed, a tensor of shape `[2]` with the dtype of `data`.

    Example:
        >>> import tfpy as tf
        >>> seeds = [tf.random.fold_in([1, 2], step) for step in range(2)]  # one for each step
        >>> [tf.random.stateless_uniform([], s, 0, 100, tf.int32).numpy().item() for s in seeds]
        [69, 68]

    See also: `tf.random.split`.
    """
    number = convert_to_tensor(data)
    return stack([stateless_uniform([], seed, None, None, number.dtype, alg=alg), number])
