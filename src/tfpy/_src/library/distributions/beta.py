"""Beta distributions."""

from __future__ import annotations

from typing import Any

from tfpy._src.core.name_scope import name_scope
from tfpy._src.core.typing import TensorLike
from tfpy._src.library.debugging.assertions import assert_same_float_dtype
from tfpy._src.library.distributions import functions as f
from tfpy._src.library.distributions.base import FULLY_REPARAMETERIZED
from tfpy._src.library.distributions.divergences import RegisterKL
from tfpy._src.library.distributions.scalars import ScalarDistribution


class Beta(ScalarDistribution):
    """Beta distributions.

    Args:
        concentration1: Positive concentrations at 1, a float tensor.
        concentration0: Positive concentrations at 0. The shapes broadcast with each other.
        validate_args: If True, parameters and values are checked. Default: False.
        allow_nan_stats: If False, undefined statistics raise an error. Default: True.
        name: Name of the distribution.

    Raises:
        TypeError: If the dtypes differ.
        tf.errors.InvalidArgumentError: If `validate_args` is True and a parameter is not positive.

    Example:
        >>> import tfpy as tf
        >>> beta = tf.compat.v1.distributions.Beta([1.0, 3.0], [1.0, 1.0])
        >>> beta.mean().numpy().tolist()
        [0.5, 0.75]

    See also: `tf.compat.v1.distributions.Dirichlet`.
    """

    _names = ("concentration1", "concentration0")

    def __init__(
        self, concentration1: TensorLike, concentration0: TensorLike, validate_args: bool = False,
        allow_nan_stats: bool = True, name: str = "Beta",
    ) -> None:  # fmt: skip
        parameters = dict(locals())
        with name_scope(name) as scope:
            self._concentration1 = _concentration(concentration1, validate_args)
            self._concentration0 = _concentration(concentration0, validate_args)
            assert_same_float_dtype([self._concentration1, self._concentration0])
            self._total_concentration = self._concentration1 + self._concentration0
        parents = [self._concentration1, self._concentration0, self._total_concentration]
        super().__init__(
            self._total_concentration.dtype, FULLY_REPARAMETERIZED, validate_args, allow_nan_stats,
            parameters, parents, scope,
        )  # fmt: skip

    @property
    def concentration1(self) -> Any:
        """Concentrations at 1."""
        return self._concentration1

    @property
    def concentration0(self) -> Any:
        """Concentrations at 0."""
        return self._concentration0

    @property
    def total_concentration(self) -> Any:
        """Sums of both concentrations."""
        return self._total_concentration

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        one = f.ones_like(self.total_concentration)
        sizes = f.reshape(n, [1]) if not isinstance(n, int) else [n]
        seeds = (seed, f.derived_seed(seed, "beta"))
        first, second = (
            f.random_gamma(sizes, one * alpha, dtype=self.dtype, seed=own)
            for alpha, own in zip((self.concentration1, self.concentration0), seeds, strict=True)
        )
        return first / (first + second)

    def _log_prob(self, x: Any) -> Any:
        x = self._inside(x)
        left = f.xlogy(self.concentration1 - 1.0, x)
        right = (self.concentration0 - 1.0) * f.log1p(-x)
        return left + right - self._log_normalization()

    def _cdf(self, x: Any) -> Any:
        return f.betainc(self.concentration1, self.concentration0, x)

    def _log_normalization(self) -> Any:
        ends = f.lgamma(self.concentration1) + f.lgamma(self.concentration0)
        return ends - f.lgamma(self.total_concentration)

    def _inside(self, x: Any) -> Any:
        if not self.validate_args:
            return x
        found = [
            f.assert_positive(x, message="sample must be positive"),
            f.assert_less(x, f.ones([], dtype=self.dtype), message="sample must be less than `1`."),
        ]
        return f.checked(found, x)

    def _entropy(self) -> Any:
        a, b, total = self.concentration1, self.concentration0, self.total_concentration
        ends = (a - 1.0) * f.digamma(a) + (b - 1.0) * f.digamma(b)
        return self._log_normalization() - ends + (total - 2.0) * f.digamma(total)

    def _mean(self) -> Any:
        return self.concentration1 / self.total_concentration

    def _variance(self) -> Any:
        mean = self._mean()
        return mean * (1.0 - mean) / (1.0 + self.total_concentration)

    def _mode(self) -> Any:
        found = (self.concentration1 - 1.0) / (self.total_concentration - 2.0)
        is_defined = f.logical_and(self.concentration1 > 1.0, self.concentration0 > 1.0)
        conditions = [
            (self.concentration1, "Mode undefined for concentration1 <= 1."),
            (self.concentration0, "Mode undefined for concentration0 <= 1."),
        ]
        return self._defined(found, is_defined, conditions)


def _concentration(value: TensorLike, validate: bool) -> Any:
    found = f.convert_to_tensor(value)
    if not validate:
        return found
    message = "Concentration parameter must be positive."
    return f.checked([f.assert_positive(found, message=message)], found)


@RegisterKL(Beta, Beta)
def _divergence_of_betas(a: Beta, b: Beta, name: str | None = None) -> Any:
    found = b._log_normalization() - a._log_normalization()
    found -= f.digamma(a.concentration1) * (b.concentration1 - a.concentration1)
    found -= f.digamma(a.concentration0) * (b.concentration0 - a.concentration0)
    change = b.total_concentration - a.total_concentration
    return found + f.digamma(a.total_concentration) * change
