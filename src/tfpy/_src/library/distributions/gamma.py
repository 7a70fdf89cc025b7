"""Gamma and exponential distributions."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfpy._src.core.name_scope import name_scope
from tfpy._src.core.typing import TensorLike
from tfpy._src.library.distributions import functions as f
from tfpy._src.library.distributions.base import FULLY_REPARAMETERIZED
from tfpy._src.library.distributions.divergences import RegisterKL
from tfpy._src.library.distributions.scalars import ScalarDistribution, given_tensors


class Gamma(ScalarDistribution):
    """Gamma distributions.

    Args:
        concentration: Positive shape parameters, a float tensor.
        rate: Positive rates (inverse scales). The shapes broadcast with each other.
        validate_args: If True, parameters and values are checked. Default: False.
        allow_nan_stats: If False, undefined statistics raise an error. Default: True.
        name: Name of the distribution.

    Raises:
        TypeError: If the dtypes differ.
        tf.errors.InvalidArgumentError: If `validate_args` is True and a parameter is not positive.

    Example:
        >>> import tfpy as tf
        >>> gamma = tf.compat.v1.distributions.Gamma(concentration=2.0, rate=[1.0, 2.0])
        >>> gamma.mean().numpy().tolist(), gamma.mode().numpy().tolist()
        ([2.0, 1.0], [1.0, 0.5])

    See also: `tf.compat.v1.distributions.Exponential`, `tf.random.gamma`.
    """

    _names: tuple[str, ...] = ("concentration", "rate")

    def __init__(
        self, concentration: TensorLike, rate: TensorLike, validate_args: bool = False,
        allow_nan_stats: bool = True, name: str = "Gamma",
    ) -> None:  # fmt: skip
        parameters = dict(locals())
        with name_scope(name) as scope:
            given = (concentration, rate)
            checks = [f.assert_positive(x) for x in given] if validate_args else []
            self._concentration, self._rate = given_tensors(
                checks, concentration=concentration, rate=rate
            )
        super().__init__(
            self._concentration.dtype, FULLY_REPARAMETERIZED, validate_args, allow_nan_stats,
            parameters, [self._concentration, self._rate], scope,
        )  # fmt: skip

    @property
    def concentration(self) -> Any:
        """Shape parameters."""
        return self._concentration

    @property
    def rate(self) -> Any:
        """Rates (inverse scales)."""
        return self._rate

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        sizes = f.reshape(n, [1]) if not isinstance(n, int) else [n]
        return f.random_gamma(sizes, self.concentration, self.rate, dtype=self.dtype, seed=seed)

    def _log_prob(self, x: Any) -> Any:
        x = self._positive(x)
        unnormalized = f.xlogy(self.concentration - 1.0, x) - self.rate * x
        return unnormalized - (f.lgamma(self.concentration) - self.concentration * f.log(self.rate))

    def _cdf(self, x: Any) -> Any:
        return f.igamma(self.concentration, self.rate * self._positive(x))

    def _positive(self, x: Any) -> Any:
        return f.checked([f.assert_positive(x)], x) if self.validate_args else x

    def _entropy(self) -> Any:
        k = self.concentration
        return k - f.log(self.rate) + f.lgamma(k) + (1.0 - k) * f.digamma(k)

    def _mean(self) -> Any:
        return self.concentration / self.rate

    def _variance(self) -> Any:
        return self.concentration / f.square(self.rate)

    def _stddev(self) -> Any:
        return f.sqrt(self.concentration) / self.rate

    def _mode(self) -> Any:
        message = "mode not defined when any concentration <= 1"
        found = (self.concentration - 1.0) / self.rate
        return self._defined(found, self.concentration > 1.0, [(self.concentration, message)])


@RegisterKL(Gamma, Gamma)
def _divergence_of_gammas(a: Gamma, b: Gamma, name: str | None = None) -> Any:
    shapes = (a.concentration - b.concentration) * f.digamma(a.concentration)
    normalization = f.lgamma(b.concentration) - f.lgamma(a.concentration)
    rates = b.concentration * (f.log(a.rate) - f.log(b.rate))
    return shapes + normalization + rates + a.concentration * (b.rate / a.rate - 1.0)


class Exponential(Gamma):
    """Exponential distributions.

    Args:
        rate: Positive rates (inverse means), a float tensor.
        validate_args: If True, parameters and values are checked. Default: False.
        allow_nan_stats: If False, undefined statistics raise an error. Default: True.
        name: Name of the distribution.

    Raises:
        tf.errors.InvalidArgumentError: If `validate_args` is True and a rate is not positive.

    Example:
        >>> import tfpy as tf
        >>> exponential = tf.compat.v1.distributions.Exponential(rate=[1.0, 2.0])
        >>> exponential.mean().numpy().tolist()
        [1.0, 0.5]

    See also: `tf.compat.v1.distributions.Gamma`.
    """

    _names = ("rate",)

    def __init__(
        self, rate: TensorLike, validate_args: bool = False, allow_nan_stats: bool = True,
        name: str = "Exponential",
    ) -> None:  # fmt: skip
        parameters = dict(locals())
        with name_scope(name) as scope:
            rate = f.convert_to_tensor(rate)
        one = f.ones([], dtype=rate.dtype)
        super().__init__(one, rate, validate_args, allow_nan_stats, scope)
        self._parameters = parameters

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        tiny = np.finfo(self.dtype.as_numpy_dtype).tiny  # the logarithm of 0 would be infinite
        drawn = f.random_uniform(self._sizes(n), tiny, 1.0, dtype=self.dtype, seed=seed)
        return -f.log(drawn) / self.rate

    def _log_survival_function(self, x: Any) -> Any:
        return self._log_prob(x) - f.log(self.rate)
