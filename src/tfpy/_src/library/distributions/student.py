"""Student's t distributions."""

from __future__ import annotations

import math
from typing import Any

from tfpy._src.core.name_scope import name_scope
from tfpy._src.core.typing import TensorLike
from tfpy._src.library.distributions import functions as f
from tfpy._src.library.distributions.base import FULLY_REPARAMETERIZED
from tfpy._src.library.distributions.scalars import ScalarDistribution, given_tensors


class StudentT(ScalarDistribution):
    """Student's t distributions.

    Args:
        df: Positive degrees of freedom, a float tensor.
        loc: Centers.
        scale: Scales. The shapes of the parameters broadcast with each other.
        validate_args: If True, `df` is checked. Default: False.
        allow_nan_stats: If False, undefined statistics raise an error. Default: True.
        name: Name of the distribution.

    Raises:
        TypeError: If the dtypes differ.
        tf.errors.InvalidArgumentError: If `validate_args` is True and `df` is not positive.

    Example:
        >>> import tfpy as tf
        >>> student = tf.compat.v1.distributions.StudentT(df=[3.0, 4.0], loc=0.0, scale=1.0)
        >>> student.variance().numpy().tolist()
        [3.0, 2.0]

    See also: `tf.compat.v1.distributions.Normal`.
    """

    _names = ("df", "loc", "scale")

    def __init__(
        self, df: TensorLike, loc: TensorLike, scale: TensorLike, validate_args: bool = False,
        allow_nan_stats: bool = True, name: str = "StudentT",
    ) -> None:  # fmt: skip
        parameters = dict(locals())
        with name_scope(name) as scope:
            checks = [f.assert_positive(df)] if validate_args else []
            self._df, self._loc, self._scale = given_tensors(checks, df=df, loc=loc, scale=scale)
        super().__init__(
            self._scale.dtype, FULLY_REPARAMETERIZED, validate_args, allow_nan_stats, parameters,
            [self._df, self._loc, self._scale], scope,
        )  # fmt: skip

    @property
    def df(self) -> Any:
        """Degrees of freedom."""
        return self._df

    @property
    def loc(self) -> Any:
        """Centers."""
        return self._loc

    @property
    def scale(self) -> Any:
        """Scales."""
        return self._scale

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        drawn = f.random_normal(self._sizes(n), dtype=self.dtype, seed=seed)
        df = self.df * self._batch_of(1.0)
        sizes = f.reshape(n, [1]) if not isinstance(n, int) else [n]
        spread = f.random_gamma(
            sizes, 0.5 * df, 0.5, dtype=self.dtype, seed=f.derived_seed(seed, "student_t")
        )
        return drawn * f.rsqrt(spread / df) * self.scale + self.loc

    def _log_prob(self, x: Any) -> Any:
        y = (x - self.loc) / self.scale
        return -0.5 * (self.df + 1.0) * f.log1p(f.square(y) / self.df) - self._log_normalization()

    def _log_normalization(self) -> Any:
        scale = f.log(f.absolute(self.scale)) + 0.5 * f.log(self.df) + 0.5 * math.log(math.pi)
        return scale + f.lgamma(0.5 * self.df) - f.lgamma(0.5 * (self.df + 1.0))

    def _cdf(self, x: Any) -> Any:
        y = (x - self.loc) / f.absolute(self.scale)
        tail = 0.5 * f.betainc(
            0.5 * self.df, f.convert_to_tensor(0.5, dtype=self.dtype),
            self.df / (f.square(y) + self.df),
        )  # fmt: skip
        return f.where(y < 0.0, tail, 1.0 - tail)

    def _entropy(self) -> Any:
        one = self._batch_of(1.0)[..., None]
        arguments = f.concat([one * self.df[..., None], one], -1) / 2.0
        scale = f.log(f.absolute(self.scale)) + 0.5 * f.log(self.df) + f.lbeta(arguments)
        half = 0.5 * (self.df + 1.0)
        return scale + half * (f.digamma(half) - f.digamma(0.5 * self.df))

    def _mean(self) -> Any:
        message = "mean not defined for components of df <= 1"
        found = self.loc * self._batch_of(1.0)
        return self._defined(found, self.df > self._batch_of(1.0), [(self.df, message)])

    def _variance(self) -> Any:
        message = "variance not defined for components of df <= 1"
        excess = f.where(self.df > 2.0, self.df - 2.0, f.ones_like(self.df))
        found = self._batch_of(1.0) * f.square(self.scale) * self.df / excess
        found = f.where(self.df > self._batch_of(2.0), found, self._batch_of(float("inf")))
        return self._defined(found, self.df > self._batch_of(1.0), [(self.df, message)])

    def _mode(self) -> Any:
        return f.identity(self.loc)
