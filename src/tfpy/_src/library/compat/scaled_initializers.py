"""`tf.compat.v1.variance_scaling_initializer` and others, which scale values with the shape."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from tfpy._src.base import dtypes
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import DTypeLike, ShapeLike
from tfpy._src.library.compat.initializers import Initializer, sizes_of
from tfpy._src.tensors.random import stateful

_TRUNCATED = 0.87962566103423978
"""Standard deviation of a standard normal distribution that is truncated at 2."""


def fans(sizes: Sequence[int]) -> tuple[int, int]:
    """Return the numbers of inputs and outputs of a unit with weights of this shape."""
    if len(sizes) < 2:
        return (sizes[0], sizes[0]) if sizes else (1, 1)
    field = math.prod(sizes[:-2])
    return sizes[-2] * field, sizes[-1] * field


class VarianceScaling(Initializer):
    """An initializer that adapts the scale of random values to the shape of the weights.

    Args:
        scale: Positive factor of the variance. Default: 1.
        mode: Number by which the variance is divided: `"fan_in"` (inputs), `"fan_out"` (outputs) or
            `"fan_avg"` (their mean).
        distribution: `"truncated_normal"` or its alias `"normal"`, `"untruncated_normal"`, or
            `"uniform"`.
        seed: Integer that makes a run of the program reproducible, even without
            `tf.random.set_seed`. Default: the values differ between runs.
        dtype: Float dtype of the values if a call does not specify one. Default: float32.

    Raises:
        ValueError: If an argument is not one of these values.

    Example:
        >>> import tfpy as tf
        >>> initial = tf.compat.v1.variance_scaling_initializer(mode="fan_avg", seed=1)
        >>> initial([2, 3]).shape
        TensorShape([2, 3])

    See also: `tf.compat.v1.glorot_uniform_initializer`.
    """

    is_float = True

    def __init__(
        self,
        scale: float = 1.0,
        mode: str = "fan_in",
        distribution: str = "truncated_normal",
        seed: int | None = None,
        dtype: DTypeLike = dtypes.float32,
    ) -> None:
        if scale <= 0:
            raise ValueError(f"Argument `scale` must be a positive float. Received: {scale}")
        if mode not in {"fan_in", "fan_out", "fan_avg"}:
            raise ValueError(
                "Argument `mode` should be one of ('fan_in', 'fan_out', 'fan_avg'). "
                f"Received: {mode}"
            )
        distribution = distribution.lower()
        if distribution not in {"normal", "uniform", "truncated_normal", "untruncated_normal"}:
            raise ValueError(
                "Argument `distribution` should be one of ('normal', 'uniform', "
                f"'truncated_normal', 'untruncated_normal'). Received: {distribution}"
            )
        super().__init__(dtype)
        self.scale, self.mode, self.distribution, self.seed = scale, mode, distribution, seed

    def __call__(
        self, shape: ShapeLike, dtype: DTypeLike | None = None, partition_info: Any = None
    ) -> Tensor:
        """Return the initial value.

        Args:
            shape: Shape of the tensor.
            dtype: Dtype of the tensor. Default: the dtype of the initializer.
            partition_info: Object with the shape of the whole value as `full_shape`. Default: None,
                and the whole value is requested.

        Returns:
            Tensor of shape `shape`.
        """
        inputs, outputs = fans(sizes_of(shape, partition_info))
        divisors = {"fan_in": inputs, "fan_out": outputs, "fan_avg": (inputs + outputs) / 2}
        scale = self.scale / max(1.0, divisors[self.mode])
        kind = self._kind(dtype)
        if self.distribution == "uniform":
            limit = math.sqrt(3.0 * scale)
            return stateful.uniform(shape, -limit, limit, kind, self.seed)
        if self.distribution == "untruncated_normal":
            return stateful.normal(shape, 0.0, math.sqrt(scale), kind, self.seed)
        deviation = math.sqrt(scale) / _TRUNCATED
        return stateful.truncated_normal(shape, 0.0, deviation, kind, self.seed)

    def get_config(self) -> dict[str, Any]:
        return {
            "scale": self.scale,
            "mode": self.mode,
            "distribution": self.distribution,
            "seed": self.seed,
            "dtype": self.dtype.name,
        }


class GlorotUniform(VarianceScaling):
    """An initializer by Glorot and Bengio, with a uniform distribution.

    Args:
        seed: Integer that makes a run of the program reproducible, even without
            `tf.random.set_seed`. Default: the values differ between runs.
        dtype: Float dtype of the values if a call does not specify one. Default: float32.

    Raises:
        ValueError: If `dtype` is not a float dtype.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.v1.glorot_uniform_initializer(seed=1)([2, 3]).shape
        TensorShape([2, 3])

    See also: `tf.compat.v1.variance_scaling_initializer`.
    """

    def __init__(self, seed: int | None = None, dtype: DTypeLike = dtypes.float32) -> None:
        super().__init__(1.0, "fan_avg", "uniform", seed, dtype)

    def get_config(self) -> dict[str, Any]:
        return {"seed": self.seed, "dtype": self.dtype.name}


class GlorotNormal(VarianceScaling):
    """An initializer by Glorot and Bengio, with a truncated normal distribution.

    Args:
        seed: Integer that makes a run of the program reproducible, even without
            `tf.random.set_seed`. Default: the values differ between runs.
        dtype: Float dtype of the values if a call does not specify one. Default: float32.

    Raises:
        ValueError: If `dtype` is not a float dtype.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.v1.glorot_normal_initializer(seed=1)([2, 3]).shape
        TensorShape([2, 3])

    See also: `tf.compat.v1.variance_scaling_initializer`.
    """

    def __init__(self, seed: int | None = None, dtype: DTypeLike = dtypes.float32) -> None:
        super().__init__(1.0, "fan_avg", "truncated_normal", seed, dtype)

    def get_config(self) -> dict[str, Any]:
        return {"seed": self.seed, "dtype": self.dtype.name}


class UniformUnitScaling(Initializer):
    """An initializer that draws from a uniform distribution whose bounds depend on the shape.

    Args:
        factor: Factor of the values. Default: 1.
        seed: Integer that makes a run of the program reproducible, even without
            `tf.random.set_seed`. Default: the values differ between runs.
        dtype: Float dtype of the values if a call does not specify one. Default: float32.

    Raises:
        ValueError: If `dtype` is not a float dtype.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.v1.uniform_unit_scaling_initializer(seed=1)([2, 3]).shape
        TensorShape([2, 3])

    See also: `tf.compat.v1.variance_scaling_initializer`.
    """

    is_float = True

    def __init__(
        self, factor: float = 1.0, seed: int | None = None, dtype: DTypeLike = dtypes.float32
    ) -> None:
        super().__init__(dtype)
        self.factor, self.seed = factor, seed

    def __call__(
        self, shape: ShapeLike, dtype: DTypeLike | None = None, partition_info: Any = None
    ) -> Tensor:
        """Return the initial value.

        Args:
            shape: Shape of the tensor.
            dtype: Dtype of the tensor. Default: the dtype of the initializer.
            partition_info: Object with the shape of the whole value as `full_shape`. Default: None,
                and the whole value is requested.

        Returns:
            Tensor of shape `shape`.
        """
        size = max(float(math.prod(sizes_of(shape, partition_info)[:-1])), 1.0)
        limit = math.sqrt(3 / size) * self.factor
        return stateful.uniform(shape, -limit, limit, self._kind(dtype), self.seed)

    def get_config(self) -> dict[str, Any]:
        return {"factor": self.factor, "seed": self.seed, "dtype": self.dtype.name}


def he_normal(seed: int | None = None) -> VarianceScaling:
    """Create an initializer by He et al., with a truncated normal distribution.

    Args:
        seed: Integer that makes a run of the program reproducible. Default: the values differ
            between runs.

    Returns:
        An initializer: a function of a shape and a dtype.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.v1.initializers.he_normal(seed=1)([2, 3]).shape
        TensorShape([2, 3])

    See also: `tf.compat.v1.variance_scaling_initializer`.
    """
    return VarianceScaling(2.0, "fan_in", "truncated_normal", seed)


def he_uniform(seed: int | None = None) -> VarianceScaling:
    """Create an initializer by He et al., with a uniform distribution.

    Args:
        seed: Integer that makes a run of the program reproducible. Default: the values differ
            between runs.

    Returns:
        An initializer: a function of a shape and a dtype.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.v1.initializers.he_uniform(seed=1)([2, 3]).shape
        TensorShape([2, 3])

    See also: `tf.compat.v1.variance_scaling_initializer`.
    """
    return VarianceScaling(2.0, "fan_in", "uniform", seed)


def lecun_normal(seed: int | None = None) -> VarianceScaling:
    """Create an initializer by LeCun et al., with a truncated normal distribution.

    Args:
        seed: Integer that makes a run of the program reproducible. Default: the values differ
            between runs.

    Returns:
        An initializer: a function of a shape and a dtype.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.v1.initializers.lecun_normal(seed=1)([2, 3]).shape
        TensorShape([2, 3])

    See also: `tf.compat.v1.variance_scaling_initializer`.
    """
    return VarianceScaling(1.0, "fan_in", "truncated_normal", seed)


def lecun_uniform(seed: int | None = None) -> VarianceScaling:
    """Create an initializer by LeCun et al., with a uniform distribution.

    Args:
        seed: Integer that makes a run of the program reproducible. Default: the values differ
            between runs.

    Returns:
        An initializer: a function of a shape and a dtype.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.v1.initializers.lecun_uniform(seed=1)([2, 3]).shape
        TensorShape([2, 3])

    See also: `tf.compat.v1.variance_scaling_initializer`.
    """
    return VarianceScaling(1.0, "fan_in", "uniform", seed)


variance_scaling_initializer = variance_scaling = VarianceScaling
glorot_uniform_initializer = glorot_uniform = GlorotUniform
glorot_normal_initializer = glorot_normal = GlorotNormal
uniform_unit_scaling_initializer = uniform_unit_scaling = UniformUnitScaling
