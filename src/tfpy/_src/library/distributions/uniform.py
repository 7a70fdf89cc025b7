"""Uniform distributions."""

from __future__ import annotations

import math
from typing import Any

from tfpy._src.core.name_scope import name_scope
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import TensorLike
from tfpy._src.library.distributions import functions as f
from tfpy._src.library.distributions.base import FULLY_REPARAMETERIZED
from tfpy._src.library.distributions.scalars import ScalarDistribution, given_tensors


class Uniform(ScalarDistribution):
    """Uniform distributions on intervals `[low, high)`.

    Args:
        low: Lower bounds, a float tensor. Default: 0.
        high: Upper bounds. Its shape broadcasts with the shape of `low`. Default: 1.
        validate_args: If True, the bounds are checked. Default: False.
        allow_nan_stats: If False, undefined statistics raise an error. Default: True.
        name: Name of the distribution.

    Raises:
        TypeError: If the dtypes differ.
        tf.errors.InvalidArgumentError: If `validate_args` is True and `low` is not below `high`.

    Example:
        >>> import tfpy as tf
        >>> uniform = tf.compat.v1.distributions.Uniform(low=0.0, high=[2.0, 4.0])
        >>> uniform.cdf(1.0).numpy().tolist()
        [0.5, 0.25]

    See also: `tf.random.uniform`.
    """

    _names = ("low", "high")

    def __init__(
        self, low: TensorLike = 0.0, high: TensorLike = 1.0, validate_args: bool = False,
        allow_nan_stats: bool = True, name: str = "Uniform",
    ) -> None:  # fmt: skip
        parameters = dict(locals())
        with name_scope(name) as scope:
            message = "uniform not defined when low >= high."
            checks = [f.assert_less(low, high, message=message)] if validate_args else []
            self._low, self._high = given_tensors(checks, low=low, high=high)
        super().__init__(
            self._low.dtype, FULLY_REPARAMETERIZED, validate_args, allow_nan_stats, parameters,
            [self._low, self._high], scope,
        )  # fmt: skip

    @property
    def low(self) -> Any:
        """Lower bounds."""
        return self._low

    @property
    def high(self) -> Any:
        """Upper bounds."""
        return self._high

    def range(self, name: str = "range") -> Tensor:
        """Return the lengths of the intervals.

        Args:
            name: Name of the operation.

        Returns:
            Float tensor of the batch shape.
        """
        with self._name_scope(name):
            return self.high - self.low

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        drawn = f.random_uniform(self._sizes(n), dtype=self.dtype, seed=seed)
        return self.low + self.range() * drawn

    def _prob(self, x: Any) -> Any:
        x = x * self._batch_of(1.0)
        outside = f.logical_or(x < self.low, x >= self.high)
        density = f.where(outside, f.zeros_like(x), f.ones_like(x) / self.range())
        return f.where(f.is_nan(x), x, density)

    def _cdf(self, x: Any) -> Any:
        x = x + 0.0 * self._batch_of(1.0)
        inside = (x - self.low) / self.range()
        found = f.where(x < self.low, f.zeros_like(x), inside)
        return f.where(x >= self.high, f.ones_like(x), found)

    def _entropy(self) -> Any:
        return f.log(self.range())

    def _mean(self) -> Any:
        return (self.low + self.high) / 2.0

    def _variance(self) -> Any:
        return f.square(self.range()) / 12.0

    def _stddev(self) -> Any:
        return self.range() / math.sqrt(12.0)
