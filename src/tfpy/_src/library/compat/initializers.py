"""`tf.compat.v1`: functions that draw the initial values of Variables."""

from __future__ import annotations

from collections.abc import Callable

from tfpy._src.base import dtypes
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import DTypeLike, FloatLike, ShapeLike
from tfpy._src.tensors.random import stateful


def random_normal_initializer(
    mean: FloatLike = 0.0,
    stddev: FloatLike = 1.0,
    seed: int | None = None,
    dtype: DTypeLike = dtypes.float32,
) -> Callable[..., Tensor]:
    """Create a function that draws initial values from a normal distribution.

    Args:
        mean: Mean of the distribution.
        stddev: Standard deviation of the distribution.
        seed: Integer that makes a run of the program reproducible, even without
            `tf.random.set_seed`: successive calls with a seed return different numbers, but the
            same ones in each run. Default: the numbers differ between runs unless
            `tf.random.set_seed` was called.
        dtype: Dtype of the values. Default: float32.

    Returns:
        Function that takes a shape, and optionally a dtype, and returns a tensor.

    Example:
        >>> import tfpy as tf
        >>> initial = tf.compat.v1.random_normal_initializer(stddev=0.1, seed=1)
        >>> initial([2, 3]).shape
        TensorShape([2, 3])

    See also: `tf.random.normal`, `tf.compat.v1.random_uniform_initializer`.
    """

    def initializer(
        shape: ShapeLike, dtype: DTypeLike = dtype, partition_info: object = None
    ) -> Tensor:
        return stateful.normal(shape, mean, stddev, dtype, seed)

    return initializer


def random_uniform_initializer(
    minval: FloatLike = 0.0,
    maxval: FloatLike | None = None,
    seed: int | None = None,
    dtype: DTypeLike = dtypes.float32,
) -> Callable[..., Tensor]:
    """Create a function that draws initial values from a uniform distribution.

    Args:
        minval: Lower bound of the values, inclusive.
        maxval: Upper bound of the values, exclusive. Default: 1 for float dtypes. Required for
            integer dtypes.
        seed: Integer that makes a run of the program reproducible, even without
            `tf.random.set_seed`: successive calls with a seed return different numbers, but the
            same ones in each run. Default: the numbers differ between runs unless
            `tf.random.set_seed` was called.
        dtype: Dtype of the values. Default: float32.

    Returns:
        Function that takes a shape, and optionally a dtype, and returns a tensor.

    Example:
        >>> import tfpy as tf
        >>> initial = tf.compat.v1.random_uniform_initializer(minval=0.0, maxval=1.0, seed=1)
        >>> initial([2, 3]).shape
        TensorShape([2, 3])

    See also: `tf.random.uniform`, `tf.compat.v1.random_normal_initializer`.
    """

    def initializer(
        shape: ShapeLike, dtype: DTypeLike = dtype, partition_info: object = None
    ) -> Tensor:
        return stateful.uniform(shape, minval, maxval, dtype, seed)

    return initializer
