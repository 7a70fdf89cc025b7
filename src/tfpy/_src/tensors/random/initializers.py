"""`tf.zeros_initializer` and others: objects that make the initial values of Variables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.dtypes import DType, as_dtype
from tfpy._src.core.conversion import constant
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import DTypeLike, FloatLike, ShapeLike, TensorLike
from tfpy._src.tensors.array.making import ones, zeros
from tfpy._src.tensors.random import stateful, stateless

_PARTITION = ("partition_shape", "partition_offset")


class Initializer:
    """The base of initializers: functions of a shape and a dtype that return a tensor."""

    def get_config(self) -> dict[str, Any]:
        """Return the arguments of the constructor.

        Returns:
            A dict that can be stored as JSON.

        Example:
            >>> import tfpy as tf
            >>> tf.constant_initializer(2).get_config()
            {'value': 2}
        """
        return {}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Self:
        """Create an initializer from the result of `get_config`.

        Args:
            config: Dict with the arguments of the constructor. Its item `"dtype"` is removed.

        Returns:
            An initializer of this class.

        Example:
            >>> import tfpy as tf
            >>> tf.constant_initializer.from_config({"value": 2})([2]).numpy().tolist()
            [2, 2]
        """
        config.pop("dtype", None)
        return cls(**config)

    def _shape(
        self, shape: ShapeLike, partition: Mapping[str, Any], takes_partition: bool = True
    ) -> ShapeLike:
        """Return the shape of the whole value, or of the part that a caller requests."""
        for name in partition:
            if name not in _PARTITION:
                raise TypeError(
                    f"Keyword argument should be one of {[*_PARTITION]}. Received: {name}"
                )
            if not takes_partition:
                raise ValueError(
                    f"{type(self).__name__} initializer doesn't support partition-related arguments"
                )
        found: ShapeLike = partition.get(_PARTITION[0], shape)
        return found


def _countable(dtype: DTypeLike, fits: bool, given: DType) -> DType:
    if not fits:
        raise ValueError(f"Argument `dtype` expected to be numeric or boolean. Received {dtype}.")
    return given


class Zeros(Initializer):
    """An initializer that returns zeros.

    Example:
        >>> import tfpy as tf
        >>> tf.zeros_initializer()([2, 2]).numpy().tolist()
        [[0.0, 0.0], [0.0, 0.0]]

    See also: `tf.ones_initializer`, `tf.zeros`.
    """

    def __call__(
        self, shape: ShapeLike, dtype: DTypeLike = dtypes.float32, **kwargs: Any
    ) -> Tensor:
        """Return a tensor of zeros.

        Args:
            shape: Shape of the tensor.
            dtype: Numeric or bool dtype of the tensor. Default: float32.
            **kwargs: `partition_shape` and `partition_offset`, the shape and the position of the
                part of the value that is requested.

        Returns:
            Tensor of shape `shape`, or `partition_shape`.

        Raises:
            TypeError: If there are other keyword arguments.
            ValueError: If `dtype` is `tf.string`.
        """
        kind = as_dtype(dtype)
        shape = self._shape(shape, kwargs)
        return zeros(shape, _countable(dtype, kind != dtypes.string, kind))


class Ones(Initializer):
    """An initializer that returns ones.

    Example:
        >>> import tfpy as tf
        >>> tf.ones_initializer()([3], dtype=tf.int32).numpy().tolist()
        [1, 1, 1]

    See also: `tf.zeros_initializer`, `tf.ones`.
    """

    def __call__(
        self, shape: ShapeLike, dtype: DTypeLike = dtypes.float32, **kwargs: Any
    ) -> Tensor:
        """Return a tensor of ones.

        Args:
            shape: Shape of the tensor.
            dtype: Numeric or bool dtype of the tensor. Default: float32.
            **kwargs: `partition_shape` and `partition_offset`, the shape and the position of the
                part of the value that is requested.

        Returns:
            Tensor of shape `shape`, or `partition_shape`.

        Raises:
            TypeError: If there are other keyword arguments.
            ValueError: If `dtype` is `tf.string`.
        """
        kind = as_dtype(dtype)
        shape = self._shape(shape, kwargs)
        return ones(shape, _countable(dtype, kind != dtypes.string, kind))


class Constant(Initializer):
    """An initializer that returns given values.

    Args:
        value: A number, list, tuple or NumPy array. A single number fills the tensor; other values
            must have as many elements as the requested shape. Default: 0.
        support_partition: If True, calls accept the shape of a part, which has no effect.

    Raises:
        TypeError: If `value` is a tensor or another object.

    Example:
        >>> import tfpy as tf
        >>> tf.constant_initializer([0, 1, 2, 3])([2, 2], dtype=tf.float32).numpy().tolist()
        [[0.0, 1.0], [2.0, 3.0]]

    See also: `tf.zeros_initializer`, `tf.constant`.
    """

    def __init__(self, value: TensorLike = 0, support_partition: bool = False) -> None:
        if not (np.isscalar(value) or isinstance(value, list | tuple | np.ndarray)):
            raise TypeError(
                f"Invalid type for initial value: {type(value).__name__}. Expected Python scalar, "
                "list or tuple of values, or numpy.ndarray."
            )
        self.value = value
        self.support_partition = support_partition

    def __call__(self, shape: ShapeLike, dtype: DTypeLike | None = None, **kwargs: Any) -> Tensor:
        """Return a tensor with the values.

        Args:
            shape: Shape of the tensor.
            dtype: Dtype of the tensor. Default: the dtype that follows from the value.
            **kwargs: `partition_shape` and `partition_offset`, which have no effect. They are
                accepted if `support_partition` is True.

        Returns:
            Tensor of shape `shape`.

        Raises:
            TypeError: If the number of values does not match `shape`, the values cannot be
                converted to `dtype`, or there are other keyword arguments.
            ValueError: If a part is requested and `support_partition` is False.
        """
        self._shape(shape, kwargs, self.support_partition)
        return constant(self.value, dtype=dtype, shape=shape)

    def get_config(self) -> dict[str, Any]:
        return {"value": self.value}


class RandomUniform(Initializer):
    """An initializer that draws from a uniform distribution.

    Args:
        minval: Lower bound of the values, inclusive. Default: -0.05.
        maxval: Upper bound of the values, exclusive. Default: 0.05.
        seed: Integer. An initializer with a seed returns the same values at each call. Default:
            each call returns other values, which depend on `tf.random.set_seed`.

    Example:
        >>> import tfpy as tf
        >>> initial = tf.random_uniform_initializer(-1.0, 1.0, seed=1)
        >>> initial([2, 3]).shape
        TensorShape([2, 3])

    See also: `tf.random_normal_initializer`, `tf.random.uniform`.
    """

    def __init__(
        self, minval: FloatLike = -0.05, maxval: FloatLike = 0.05, seed: int | None = None
    ) -> None:
        self.minval = minval
        self.maxval = maxval
        self.seed = seed

    def __call__(
        self, shape: ShapeLike, dtype: DTypeLike = dtypes.float32, **kwargs: Any
    ) -> Tensor:
        """Return a tensor of random numbers.

        Args:
            shape: Shape of the tensor.
            dtype: Float or integer dtype of the tensor. Default: float32.
            **kwargs: `partition_shape` and `partition_offset`, the shape and the position of the
                part of the value that is requested.

        Returns:
            Tensor of shape `shape`, or `partition_shape`.

        Raises:
            TypeError: If there are other keyword arguments.
            ValueError: If `dtype` is not a float or integer dtype.
        """
        kind = as_dtype(dtype)
        shape = self._shape(shape, kwargs)
        _countable(dtype, kind.is_floating or kind.is_integer, kind)
        if self.seed is None:
            return stateful.uniform(shape, self.minval, self.maxval, kind)
        return stateless.stateless_uniform(
            shape, [self.seed, 0], self.minval, self.maxval, dtype=kind
        )

    def get_config(self) -> dict[str, Any]:
        return {"minval": self.minval, "maxval": self.maxval, "seed": self.seed}


class RandomNormal(Initializer):
    """An initializer that draws from a normal distribution.

    Args:
        mean: Mean of the distribution. Default: 0.
        stddev: Standard deviation of the distribution. Default: 0.05.
        seed: Integer. An initializer with a seed returns the same values at each call. Default:
            each call returns other values, which depend on `tf.random.set_seed`.

    Example:
        >>> import tfpy as tf
        >>> initial = tf.random_normal_initializer(stddev=0.1, seed=1)
        >>> initial([2, 3]).shape
        TensorShape([2, 3])

    See also: `tf.random_uniform_initializer`, `tf.random.normal`.
    """

    def __init__(
        self, mean: FloatLike = 0.0, stddev: FloatLike = 0.05, seed: int | None = None
    ) -> None:
        self.mean = mean
        self.stddev = stddev
        self.seed = seed

    def __call__(
        self, shape: ShapeLike, dtype: DTypeLike = dtypes.float32, **kwargs: Any
    ) -> Tensor:
        """Return a tensor of random numbers.

        Args:
            shape: Shape of the tensor.
            dtype: Float dtype of the tensor. Default: float32.
            **kwargs: `partition_shape` and `partition_offset`, the shape and the position of the
                part of the value that is requested.

        Returns:
            Tensor of shape `shape`, or `partition_shape`.

        Raises:
            TypeError: If there are other keyword arguments.
            ValueError: If `dtype` is not a float dtype.
        """
        kind = as_dtype(dtype)
        shape = self._shape(shape, kwargs)
        if not kind.is_floating:
            raise ValueError(f"Argument `dtype` expected to be floating point. Received {dtype}.")
        if self.seed is None:
            return stateful.normal(shape, self.mean, self.stddev, kind)
        return stateless.stateless_normal(shape, [self.seed, 0], self.mean, self.stddev, dtype=kind)

    def get_config(self) -> dict[str, Any]:
        return {"mean": self.mean, "stddev": self.stddev, "seed": self.seed}


zeros_initializer = Zeros
ones_initializer = Ones
constant_initializer = Constant
random_uniform_initializer = RandomUniform
random_normal_initializer = RandomNormal
