"""`tf.compat.v1.zeros_initializer` and others: initializers that store a dtype."""

from __future__ import annotations

import math
from typing import Any, Self

import numpy as np

from tfpy._src.base import dtypes, tracing
from tfpy._src.base.dtypes import DType, as_dtype
from tfpy._src.core import conversion
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.tensor_shape import TensorShape
from tfpy._src.core.typing import DTypeLike, FloatLike, ShapeLike, TensorLike
from tfpy._src.tensors.array import making
from tfpy._src.tensors.random import stateful


class Initializer:
    """The base of initializers of TensorFlow 1.

    Args:
        dtype: Dtype of the values if a call does not specify one.
    """

    is_float = False
    """True if the dtype must be a float dtype."""

    def __init__(self, dtype: DTypeLike = dtypes.float32) -> None:
        self.dtype: DType = as_dtype(dtype)
        if self.is_float and not self.dtype.is_floating:
            raise ValueError(
                f"Argument `dtype` is expected to be floating point. Received: {self.dtype}."
            )

    def get_config(self) -> dict[str, Any]:
        """Return the arguments of the constructor.

        Returns:
            A dict that can be stored as JSON. The dtype is its name.

        Example:
            >>> import tfpy as tf
            >>> tf.compat.v1.zeros_initializer().get_config()
            {'dtype': 'float32'}
        """
        return {"dtype": self.dtype.name}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Self:
        """Create an initializer from the result of `get_config`.

        Args:
            config: Dict with the arguments of the constructor.

        Returns:
            An initializer of this class.

        Example:
            >>> import tfpy as tf
            >>> one = tf.compat.v1
            >>> one.ones_initializer.from_config({"dtype": "int32"})([2]).numpy().tolist()
            [1, 1]
        """
        return cls(**config)

    def _kind(self, dtype: DTypeLike | None) -> DType:
        return self.dtype if dtype is None else as_dtype(dtype)


def sizes_of(shape: Any, partition_info: Any = None) -> list[int]:
    """Return the sizes of the whole value."""
    full = shape if partition_info is None else partition_info.full_shape
    if isinstance(full, TensorShape):
        return [int(n) for n in full]
    return [int(n) for n in np.atleast_1d(np.asarray(full))]


class Zeros(Initializer):
    """An initializer that returns zeros.

    Args:
        dtype: Any dtype of the values if a call does not specify one. Default: float32.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.v1.zeros_initializer()([2]).numpy().tolist()
        [0.0, 0.0]

    See also: `tf.zeros_initializer`.
    """

    def __call__(
        self, shape: ShapeLike, dtype: DTypeLike | None = None, partition_info: Any = None
    ) -> Tensor:
        """Return the initial value.

        Args:
            shape: Shape of the tensor.
            dtype: Dtype of the tensor. Default: the dtype of the initializer.
            partition_info: Has no effect.

        Returns:
            Tensor of shape `shape`.
        """
        return making.zeros(shape, self._kind(dtype))


class Ones(Initializer):
    """An initializer that returns ones.

    Args:
        dtype: Any dtype of the values if a call does not specify one. Default: float32.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.v1.ones_initializer()([2]).numpy().tolist()
        [1.0, 1.0]

    See also: `tf.ones_initializer`.
    """

    def __call__(
        self, shape: ShapeLike, dtype: DTypeLike | None = None, partition_info: Any = None
    ) -> Tensor:
        """Return the initial value.

        Args:
            shape: Shape of the tensor.
            dtype: Dtype of the tensor. Default: the dtype of the initializer.
            partition_info: Has no effect.

        Returns:
            Tensor of shape `shape`.
        """
        return making.ones(shape, self._kind(dtype))


class Constant(Initializer):
    """An initializer that returns given values.

    Args:
        value: A number, list, tuple or NumPy array. A single number fills the tensor. Other values
            must have as many elements as the requested shape; in a graph, the last element is
            repeated if there are fewer. Default: 0.
        dtype: Any dtype of the values if a call does not specify one. Default: float32.
        verify_shape: If True, `value` must have the requested shape.

    Raises:
        TypeError: If `value` is a tensor or another object.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.v1.constant_initializer([1, 2])([2, 1]).numpy().tolist()
        [[1.0], [2.0]]

    See also: `tf.constant_initializer`.
    """

    def __init__(
        self,
        value: TensorLike = 0,
        dtype: DTypeLike = dtypes.float32,
        verify_shape: bool = False,
    ) -> None:
        super().__init__(dtype)
        if not (np.isscalar(value) or isinstance(value, list | tuple | np.ndarray)):
            raise TypeError(
                f"Invalid type for initial value={value!r} of type: {type(value).__name__}. "
                "Expected Python scalar, list or tuple of values, or numpy.ndarray."
            )
        self.value = value
        self._verifies = verify_shape

    def __call__(
        self,
        shape: ShapeLike,
        dtype: DTypeLike | None = None,
        partition_info: Any = None,
        verify_shape: bool | None = None,
    ) -> Tensor:
        """Return the initial value.

        Args:
            shape: Shape of the tensor.
            dtype: Dtype of the tensor. Default: the dtype of the initializer.
            partition_info: Has no effect.
            verify_shape: If True, the value must have the shape `shape`. Default: the argument of
                the constructor.

        Returns:
            Tensor of shape `shape`.

        Raises:
            TypeError: If the number of values does not match `shape`, or the value does not have
                the shape and `verify_shape` is True.
        """
        sizes, kind = sizes_of(shape), self._kind(dtype)
        given = conversion.constant(self.value, kind).host_view()
        if (self._verifies if verify_shape is None else verify_shape) and [*given.shape] != sizes:
            raise TypeError(f"Expected Tensor's shape: {tuple(sizes)}, got {given.shape}.")
        missing = math.prod(sizes) - given.size
        if missing <= 0 or tracing.executing_eagerly():
            return conversion.constant(self.value, kind, sizes)
        values = np.pad(given.reshape(-1), (0, missing), mode="edge")
        return conversion.constant(values.reshape(sizes), kind)

    def get_config(self) -> dict[str, Any]:
        return {"value": self.value, "dtype": self.dtype.name}


class RandomUniform(Initializer):
    """An initializer that draws from a uniform distribution.

    Args:
        minval: Lower bound of the values, inclusive. Default: 0.
        maxval: Upper bound of the values, exclusive. Default: 1 for float dtypes. Required for
            integer dtypes.
        seed: Integer that makes a run of the program reproducible, even without
            `tf.random.set_seed`. Default: the values differ between runs.
        dtype: Float or integer dtype of the values if a call does not specify one. Default:
            float32.

    Example:
        >>> import tfpy as tf
        >>> initial = tf.compat.v1.random_uniform_initializer(seed=1)
        >>> initial([2, 3]).shape
        TensorShape([2, 3])

    See also: `tf.random_uniform_initializer`.
    """

    def __init__(
        self,
        minval: FloatLike = 0.0,
        maxval: FloatLike | None = None,
        seed: int | None = None,
        dtype: DTypeLike = dtypes.float32,
    ) -> None:
        super().__init__(dtype)
        self.minval = minval
        self.maxval = maxval
        self.seed = seed

    def __call__(
        self, shape: ShapeLike, dtype: DTypeLike | None = None, partition_info: Any = None
    ) -> Tensor:
        """Return the initial value.

        Args:
            shape: Shape of the tensor.
            dtype: Dtype of the tensor. Default: the dtype of the initializer.
            partition_info: Has no effect.

        Returns:
            Tensor of shape `shape`.
        """
        return stateful.uniform(shape, self.minval, self.maxval, self._kind(dtype), self.seed)

    def get_config(self) -> dict[str, Any]:
        return {
            "minval": self.minval,
            "maxval": self.maxval,
            "seed": self.seed,
            "dtype": self.dtype.name,
        }


class RandomNormal(Initializer):
    """An initializer that draws from a normal distribution.

    Args:
        mean: Mean of the distribution. Default: 0.
        stddev: Standard deviation of the distribution. Default: 1.
        seed: Integer that makes a run of the program reproducible, even without
            `tf.random.set_seed`. Default: the values differ between runs.
        dtype: Float dtype of the values if a call does not specify one. Default: float32.

    Raises:
        ValueError: If `dtype` is not a float dtype.

    Example:
        >>> import tfpy as tf
        >>> initial = tf.compat.v1.random_normal_initializer(seed=1)
        >>> initial([2, 3]).shape
        TensorShape([2, 3])

    See also: `tf.random_normal_initializer`.
    """

    is_float = True

    def __init__(
        self,
        mean: FloatLike = 0.0,
        stddev: FloatLike = 1.0,
        seed: int | None = None,
        dtype: DTypeLike = dtypes.float32,
    ) -> None:
        super().__init__(dtype)
        self.mean = mean
        self.stddev = stddev
        self.seed = seed

    def __call__(
        self, shape: ShapeLike, dtype: DTypeLike | None = None, partition_info: Any = None
    ) -> Tensor:
        """Return the initial value.

        Args:
            shape: Shape of the tensor.
            dtype: Dtype of the tensor. Default: the dtype of the initializer.
            partition_info: Has no effect.

        Returns:
            Tensor of shape `shape`.
        """
        return stateful.normal(shape, self.mean, self.stddev, self._kind(dtype), self.seed)

    def get_config(self) -> dict[str, Any]:
        return {
            "mean": self.mean,
            "stddev": self.stddev,
            "seed": self.seed,
            "dtype": self.dtype.name,
        }


class TruncatedNormal(Initializer):
    """An initializer that draws from a truncated normal distribution.

    Args:
        mean: Mean of the distribution. Default: 0.
        stddev: Standard deviation of the distribution. Default: 1.
        seed: Integer that makes a run of the program reproducible, even without
            `tf.random.set_seed`. Default: the values differ between runs.
        dtype: Float dtype of the values if a call does not specify one. Default: float32.

    Raises:
        ValueError: If `dtype` is not a float dtype.

    Example:
        >>> import tfpy as tf
        >>> initial = tf.compat.v1.truncated_normal_initializer(seed=1)
        >>> initial([2, 3]).shape
        TensorShape([2, 3])

    See also: `tf.random.truncated_normal`.
    """

    is_float = True

    def __init__(
        self,
        mean: FloatLike = 0.0,
        stddev: FloatLike = 1.0,
        seed: int | None = None,
        dtype: DTypeLike = dtypes.float32,
    ) -> None:
        super().__init__(dtype)
        self.mean = mean
        self.stddev = stddev
        self.seed = seed

    def __call__(
        self, shape: ShapeLike, dtype: DTypeLike | None = None, partition_info: Any = None
    ) -> Tensor:
        """Return the initial value.

        Args:
            shape: Shape of the tensor.
            dtype: Dtype of the tensor. Default: the dtype of the initializer.
            partition_info: Has no effect.

        Returns:
            Tensor of shape `shape`.
        """
        return stateful.truncated_normal(
            shape, self.mean, self.stddev, self._kind(dtype), self.seed
        )

    def get_config(self) -> dict[str, Any]:
        return {
            "mean": self.mean,
            "stddev": self.stddev,
            "seed": self.seed,
            "dtype": self.dtype.name,
        }


zeros_initializer = zeros = Zeros
ones_initializer = ones = Ones
constant_initializer = constant = Constant
random_uniform_initializer = random_uniform = RandomUniform
random_normal_initializer = random_normal = RandomNormal
truncated_normal_initializer = truncated_normal = TruncatedNormal
