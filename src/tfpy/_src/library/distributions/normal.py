"""Normal and Laplace distributions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tfpy._src.core.name_scope import name_scope
from tfpy._src.core.typing import TensorLike
from tfpy._src.library.distributions import functions as f
from tfpy._src.library.distributions.base import FULLY_REPARAMETERIZED
from tfpy._src.library.distributions.divergences import RegisterKL
from tfpy._src.library.distributions.gaussian import log_laplace_cdf, log_ndtr, ndtr, quantile
from tfpy._src.library.distributions.scalars import ScalarDistribution, given_tensors


class _LocationScale(ScalarDistribution):
    """A distribution with a location and a scale."""

    _names = ("loc", "scale")

    def __init__(
        self, loc: TensorLike, scale: TensorLike, validate_args: bool, allow_nan_stats: bool,
        name: str, parameters: dict[str, Any],
    ) -> None:  # fmt: skip
        with name_scope(name) as scope:
            checks = [f.assert_positive(scale)] if validate_args else []
            self._loc, self._scale = given_tensors(checks, loc=loc, scale=scale)
        super().__init__(
            self._scale.dtype, FULLY_REPARAMETERIZED, validate_args, allow_nan_stats, parameters,
            [self._loc, self._scale], scope,
        )  # fmt: skip

    @property
    def loc(self) -> Any:
        """Locations."""
        return self._loc

    @property
    def scale(self) -> Any:
        """Scales."""
        return self._scale

    def _z(self, x: Any) -> Any:
        return (x - self.loc) / self.scale

    def _mean(self) -> Any:
        return self.loc + f.zeros_like(self.scale)

    def _mode(self) -> Any:
        return self._mean()


class Normal(_LocationScale):
    """Normal distributions.

    Args:
        loc: Means, a float tensor.
        scale: Positive standard deviations. Its shape broadcasts with the shape of `loc`.
        validate_args: If True, `scale` is checked. Default: False.
        allow_nan_stats: If False, undefined statistics raise an error. Default: True.
        name: Name of the distribution.

    Raises:
        TypeError: If the dtypes differ.
        tf.errors.InvalidArgumentError: If `validate_args` is True and a scale is not positive.

    Example:
        >>> import tfpy as tf
        >>> normal = tf.compat.v1.distributions.Normal(loc=1.0, scale=[1.0, 2.0])
        >>> normal.variance().numpy().tolist(), normal.cdf(1.0).numpy().tolist()
        ([1.0, 4.0], [0.5, 0.5])

    See also: `tf.compat.v1.distributions.Laplace`, `tf.random.normal`.
    """

    def __init__(
        self, loc: TensorLike, scale: TensorLike, validate_args: bool = False,
        allow_nan_stats: bool = True, name: str = "Normal",
    ) -> None:  # fmt: skip
        parameters = dict(locals())
        super().__init__(loc, scale, validate_args, allow_nan_stats, name, parameters)

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        drawn = f.random_normal(self._sizes(n), dtype=self.dtype, seed=seed)
        return drawn * self.scale + self.loc

    def _log_prob(self, x: Any) -> Any:
        normalization = 0.5 * math.log(2.0 * math.pi) + f.log(self.scale)
        return -0.5 * f.square(self._z(x)) - normalization

    def _log_cdf(self, x: Any) -> Any:
        return log_ndtr(self._z(x))

    def _cdf(self, x: Any) -> Any:
        return ndtr(self._z(x))

    def _log_survival_function(self, x: Any) -> Any:
        return log_ndtr(-self._z(x))

    def _survival_function(self, x: Any) -> Any:
        return ndtr(-self._z(x))

    def _quantile(self, p: Any) -> Any:
        return quantile(p) * self.scale + self.loc

    def _entropy(self) -> Any:
        scale = self.scale * f.ones_like(self.loc)
        return 0.5 * math.log(2.0 * math.pi * math.e) + f.log(scale)

    def _stddev(self) -> Any:
        return self.scale * f.ones_like(self.loc)


@RegisterKL(Normal, Normal)
def _divergence_of_normals(a: Normal, b: Normal, name: str | None = None) -> Any:
    ratio = f.square(a.scale / b.scale)
    distance = f.square(a.loc - b.loc) / (2.0 * f.square(b.scale))
    return distance + 0.5 * (ratio - 1.0 - f.log(ratio))


class Laplace(_LocationScale):
    """Laplace distributions.

    Args:
        loc: Means, a float tensor.
        scale: Positive scales. Its shape broadcasts with the shape of `loc`.
        validate_args: If True, `scale` is checked. Default: False.
        allow_nan_stats: If False, undefined statistics raise an error. Default: True.
        name: Name of the distribution.

    Raises:
        TypeError: If the dtypes differ.
        tf.errors.InvalidArgumentError: If `validate_args` is True and a scale is not positive.

    Example:
        >>> import tfpy as tf
        >>> laplace = tf.compat.v1.distributions.Laplace(loc=0.0, scale=[1.0, 2.0])
        >>> laplace.prob(0.0).numpy().tolist()
        [0.5, 0.25]

    See also: `tf.compat.v1.distributions.Normal`.
    """

    def __init__(
        self, loc: TensorLike, scale: TensorLike, validate_args: bool = False,
        allow_nan_stats: bool = True, name: str = "Laplace",
    ) -> None:  # fmt: skip
        parameters = dict(locals())
        super().__init__(loc, scale, validate_args, allow_nan_stats, name, parameters)

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        kind = self.dtype.as_numpy_dtype
        lowest = np.nextafter(kind(-1), kind(0))  # the logarithm of 0 would be infinite
        drawn = f.random_uniform(self._sizes(n), lowest, 1.0, dtype=self.dtype, seed=seed)
        return self.loc - self.scale * f.sign(drawn) * f.log1p(-f.absolute(drawn))

    def _log_prob(self, x: Any) -> Any:
        return -f.absolute(self._z(x)) - (math.log(2.0) + f.log(self.scale))

    def _log_cdf(self, x: Any) -> Any:
        return log_laplace_cdf(self._z(x))

    def _cdf(self, x: Any) -> Any:
        z = self._z(x)
        return 0.5 + 0.5 * f.sign(z) * (1.0 - f.exp(-f.absolute(z)))

    def _log_survival_function(self, x: Any) -> Any:
        return log_laplace_cdf(-self._z(x))

    def _entropy(self) -> Any:
        return math.log(2.0) + 1.0 + f.log(self.scale + f.zeros_like(self.loc))

    def _stddev(self) -> Any:
        return math.sqrt(2.0) * self.scale + f.zeros_like(self.loc)
