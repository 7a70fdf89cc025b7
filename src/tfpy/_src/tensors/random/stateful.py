"""`tf.random.uniform` and similar functions: new numbers at each call, reproducible with seeds."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.dtypes import as_dtype
from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ops import distributions, elementwise as ew
from tfpy._src.core.conversion import constant, convert_to_tensor
from tfpy._src.core.dispatch import dispatchable
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import DTypeLike, IntLike, ShapeLike, TensorLike
from tfpy._src.tensors.array.making import cast
from tfpy._src.tensors.array.reshaping import reshape
from tfpy._src.tensors.array.static import static_int
from tfpy._src.tensors.random import sampling
from tfpy._src.tensors.random.streams import Seed, reserve, reserve_outputs


def uniform(
    shape: ShapeLike,
    minval: TensorLike = 0,
    maxval: TensorLike | None = None,
    dtype: DTypeLike = dtypes.float32,
    seed: Seed = None,
    name: str | None = None,
) -> Tensor:
    """Draw uniform random numbers in `[minval, maxval)`.

    Args:
        shape: Shape of the result.
        minval: Lower bound (inclusive), a scalar or tensor that broadcasts to `shape`. Default: 0.
        maxval: Upper bound (exclusive), a scalar or a tensor that broadcasts to `shape`. Default: 1
            for float dtypes. Required for integer dtypes.
        dtype: Dtype of the result. Default: float32.
        seed: Integer that makes a run of the program reproducible, even without
            `tf.random.set_seed`: successive calls with a seed return different numbers, but the
            same ones in each run. Default: the numbers differ between runs unless
            `tf.random.set_seed` was called.

    Returns:
        Tensor of shape `shape`.

    Raises:
        ValueError: If `maxval` is missing for an integer dtype.
        tf.errors.InvalidArgumentError: If `minval` is not less than `maxval`, for an integer dtype.

    Example:
        >>> import tfpy as tf
        >>> tf.random.set_seed(1)
        >>> print(tf.random.uniform([3]).numpy().round(3))
        [0.165 0.901 0.631]
        >>> tf.random.set_seed(1)
        >>> tf.random.uniform([3], maxval=10, dtype=tf.int32).numpy().tolist()
        [2, 9, 7]

    See also: `tf.random.normal`, `tf.random.stateless_uniform`.
    """
    kind = sampling.number_dtype(dtype)
    if kind.is_integer and maxval is None:
        raise ValueError(f"Must specify maxval for integer dtype {kind!r}")
    stream = "uniform_int" if kind.is_integer else "uniform"
    state = reserve_outputs(stream, kind, seed, shape)
    return sampling.uniform(state, shape, minval, maxval, kind)


def normal(
    shape: ShapeLike,
    mean: TensorLike = 0.0,
    stddev: TensorLike = 1.0,
    dtype: DTypeLike = dtypes.float32,
    seed: Seed = None,
    name: str | None = None,
) -> Tensor:
    """Draw random numbers from a normal distribution.

    Args:
        shape: Shape of the result.
        mean: Mean, a scalar or a tensor that broadcasts to `shape`. Default: 0.
        stddev: Standard deviation, a scalar or a tensor that broadcasts to `shape`. Default: 1.
        dtype: Dtype of the result. Default: float32.
        seed: Integer that makes a run of the program reproducible, even without
            `tf.random.set_seed`: successive calls with a seed return different numbers, but the
            same ones in each run. Default: the numbers differ between runs unless
            `tf.random.set_seed` was called.

    Returns:
        Float tensor of shape `shape`.

    Example:
        >>> import tfpy as tf
        >>> tf.random.set_seed(1)
        >>> print(tf.random.normal([3]).numpy().round(3))
        [-1.101  1.546  0.384]

    See also: `tf.random.truncated_normal`, `tf.random.stateless_normal`.
    """
    state = reserve_outputs("normal", dtype, seed, shape)
    return sampling.normal(state, shape, mean, stddev, dtype)


def truncated_normal(
    shape: ShapeLike,
    mean: TensorLike = 0.0,
    stddev: TensorLike = 1.0,
    dtype: DTypeLike = dtypes.float32,
    seed: Seed = None,
    name: str | None = None,
) -> Tensor:
    """Draw random numbers from a normal distribution, truncated at two standard deviations.

    Args:
        shape: Shape of the result.
        mean: Mean, a scalar or a tensor that broadcasts to `shape`. Default: 0.
        stddev: Standard deviation, a scalar or a tensor that broadcasts to `shape`. Default: 1.
        dtype: Dtype of the result. Default: float32.
        seed: Integer that makes a run of the program reproducible, even without
            `tf.random.set_seed`: successive calls with a seed return different numbers, but the
            same ones in each run. Default: the numbers differ between runs unless
            `tf.random.set_seed` was called.

    Returns:
        Float tensor of shape `shape`.

    Example:
        >>> import tfpy as tf
        >>> x = tf.random.truncated_normal([1000], stddev=0.5, seed=1)
        >>> tf.math.ceil(tf.reduce_max(x)).numpy().tolist()  # no number is above 2 * stddev
        1.0

    See also: `tf.random.normal`, `tf.random.stateless_truncated_normal`.
    """
    state = reserve_outputs("truncated_normal", dtype, seed, shape)
    return sampling.normal(state, shape, mean, stddev, dtype, truncated=True)


def gamma(
    shape: ShapeLike,
    alpha: TensorLike,
    beta: TensorLike | None = None,
    dtype: DTypeLike = dtypes.float32,
    seed: Seed = None,
    name: str | None = None,
) -> Tensor:
    """Draw random numbers from a gamma distribution.

    Args:
        shape: Shape of the samples to draw for each pair of parameters.
        alpha: Shape parameters of the distribution, a float tensor.
        beta: Rates (inverse scales), a float tensor that broadcasts with `alpha`. Default: 1.
        dtype: Dtype of the result. Default: float32.
        seed: Integer that makes a run of the program reproducible, even without
            `tf.random.set_seed`: successive calls with a seed return different numbers, but the
            same ones in each run. Default: the numbers differ between runs unless
            `tf.random.set_seed` was called.

    Returns:
        Float tensor of shape `[*shape, ...]`, where `...` is the broadcast shape of `alpha` and
        `beta`.

    Example:
        >>> import tfpy as tf
        >>> x = tf.random.gamma([1000], alpha=[1.0, 3.0], seed=1)
        >>> x.shape, tf.round(tf.reduce_mean(x, axis=0)).numpy().tolist()
        (TensorShape([1000, 2]), [1.0, 3.0])

    See also: `tf.random.stateless_gamma`, `tf.random.poisson`.
    """
    concentration, rate = sampling.gamma_parameters(alpha, beta, dtype)
    state = reserve_outputs("gamma", dtype, seed, shape, concentration.aval.shape)
    return sampling.gamma(state, sampling.sizes("gamma", shape), concentration, rate)


def poisson(
    shape: ShapeLike,
    lam: TensorLike,
    dtype: DTypeLike = dtypes.float32,
    seed: Seed = None,
    name: str | None = None,
) -> Tensor:
    """Draw random numbers from a Poisson distribution.

    A rate of 0 or less results in 0. With a float dtype, an infinite rate results in infinity and a
    NaN rate in NaN. With an integer dtype, both result in 0, and a rate above the maximum of the
    dtype results in the maximum.

    Args:
        shape: Shape of the samples to draw for each rate.
        lam: Rates, which are the means of the distribution, a float tensor.
        dtype: Dtype of the result. Default: float32.
        seed: Integer that makes a run of the program reproducible, even without
            `tf.random.set_seed`: successive calls with a seed return different numbers, but the
            same ones in each run. Default: the numbers differ between runs unless
            `tf.random.set_seed` was called.

    Returns:
        Tensor of shape `[*shape, *lam.shape]`.

    Example:
        >>> import tfpy as tf
        >>> x = tf.random.poisson([1000], lam=[1.0, 8.0], seed=1)
        >>> x.shape, tf.round(tf.reduce_mean(x, axis=0)).numpy().tolist()
        (TensorShape([1000, 2]), [1.0, 8.0])

    See also: `tf.random.stateless_poisson`, `tf.random.gamma`.
    """
    rate = convert_to_tensor(lam)
    state = reserve_outputs("poisson", dtype, seed, shape, rate.aval.shape)
    lead = sampling.sizes("poisson", shape)
    return sampling.sampled(
        distributions.random_poisson, state, lead, [rate], dtype=as_dtype(dtype)
    )


def categorical(
    logits: TensorLike,
    num_samples: IntLike,
    dtype: DTypeLike | None = None,
    seed: Seed = None,
    name: str | None = None,
) -> Tensor:
    """Draw random class indices with the probabilities `softmax(logits)`.

    Args:
        logits: Unnormalized log probabilities, a float tensor of shape `[batch, classes]`.
        num_samples: Number of indices to draw for each row, a scalar integer.
        dtype: Dtype of the result, int32 or int64. Default: int64. Unless the environment variable
            `TFPY_ENABLE_X64` is set, `tf.int64` is another name of `tf.int32`.
        seed: Integer that makes a run of the program reproducible, even without
            `tf.random.set_seed`: successive calls with a seed return different numbers, but the
            same ones in each run. Default: the numbers differ between runs unless
            `tf.random.set_seed` was called.

    Returns:
        Integer tensor of shape `[batch, num_samples]`.

    Raises:
        tf.errors.InvalidArgumentError: If `logits` is not a float tensor with two dimensions.

    Example:
        >>> import tfpy as tf
        >>> logits = tf.constant([[0.0, 100.0], [100.0, 0.0]])  # the second class, then the first
        >>> tf.random.categorical(logits, num_samples=3).numpy().tolist()
        [[1, 1, 1], [0, 0, 0]]

    See also: `tf.random.stateless_categorical`.
    """
    values = convert_to_tensor(logits)
    rows = values.aval.shape[0] if values.ndim else 0
    padded = -(-static_int(num_samples) // 4) * 4
    state = reserve_outputs("categorical", values.dtype, seed, [rows, padded, 2])
    return sampling.categorical(state, values, num_samples, dtype)


@dispatchable
def shuffle(value: TensorLike, seed: Seed = None, name: str | None = None) -> Tensor:
    """Return the rows of a tensor in random order.

    Args:
        value: Tensor of shape `[rows, ...]`. A scalar is returned unchanged.
        seed: Integer that makes a run of the program reproducible, even without
            `tf.random.set_seed`: successive calls with a seed return different numbers, but the
            same ones in each run. Default: the numbers differ between runs unless
            `tf.random.set_seed` was called.

    Returns:
        Tensor with the shape and dtype of `value`.

    Example:
        >>> import tfpy as tf
        >>> tf.random.set_seed(1)
        >>> tf.random.shuffle([1, 2, 3, 4, 5]).numpy().tolist()
        [3, 1, 2, 5, 4]

    See also: `tf.random.experimental.stateless_shuffle`.
    """
    x = convert_to_tensor(value)
    blocks = -(-(x.aval.shape[0] - 1) // 4) if x.ndim and x.size > 1 else 0
    return sampling.shuffled(reserve("shuffle", x.dtype, seed, blocks), x)


def multinomial(
    logits: TensorLike, num_samples: IntLike, seed: Seed = None, normalized: bool = False
) -> Tensor:
    """Draw random class indices, as `tf.random.categorical` does.

    Unlike that function, this one also accepts a vector. Equivalent to `tf.multinomial` in
    TensorFlow.js.

    Args:
        logits: Unnormalized log probabilities, a float tensor of shape `[classes]` or
            `[batch, classes]`.
        num_samples: Number of indices to draw for each row, a scalar integer.
        seed: Integer that makes a run of the program reproducible, even without
            `tf.random.set_seed`: successive calls with a seed return different numbers, but the
            same ones in each run. Default: the numbers differ between runs unless
            `tf.random.set_seed` was called.
        normalized: If True, `logits` contains probabilities instead of their logarithms. Default:
            False.

    Returns:
        Int64 tensor of shape `[num_samples]` or `[batch, num_samples]`. Unless the environment
        variable `TFPY_ENABLE_X64` is set, `tf.int64` is another name of `tf.int32`.

    Raises:
        tf.errors.InvalidArgumentError: If the rank of `logits` is neither 1 nor 2.

    Example:
        >>> import tfpy as tf
        >>> tf.random.set_seed(1)
        >>> tf.multinomial([0.0, 0.0], num_samples=5).numpy().tolist()
        [0, 0, 0, 1, 0]

    See also: `tf.random.categorical`.
    """
    values = convert_to_tensor(logits)
    if values.ndim not in (1, 2):
        raise invalid("multinomial", f"logits must have 1 or 2 dimensions, got {values.shape}")
    rows = ew.log(values) if normalized else values
    drawn = categorical(reshape(rows, [-1, values.aval.shape[-1]]), num_samples, seed=seed)
    return reshape(drawn, [-1]) if values.ndim == 1 else drawn


def rand(
    shape: ShapeLike, rand_function: Callable[[], float], dtype: DTypeLike = dtypes.float32
) -> Tensor:
    """Create a tensor by calling a Python function once for each element.

    Equivalent to `tf.rand` in TensorFlow.js.

    Args:
        shape: Shape of the result.
        rand_function: Function without arguments that returns a number, such as `random.random`.
        dtype: Dtype of the result. Default: float32.

    Returns:
        Tensor of shape `shape`.

    Example:
        >>> import tfpy as tf
        >>> tf.rand([2], lambda: 0.5).numpy().tolist()
        [0.5, 0.5]

    See also: `tf.random.uniform`.
    """
    sizes = sampling.sizes("rand", shape)
    values = [rand_function() for _ in range(int(np.prod(sizes)))]
    return cast(reshape(constant(np.array(values, np.float32)), sizes), dtype)
