"""Dirichlet distributions, and the base class of distributions of vectors."""

from __future__ import annotations

from typing import Any

from tfpy._src.base import dtypes
from tfpy._src.core.name_scope import name_scope
from tfpy._src.core.tensor_shape import TensorShape
from tfpy._src.core.typing import TensorLike
from tfpy._src.library.distributions import functions as f
from tfpy._src.library.distributions.base import FULLY_REPARAMETERIZED, Distribution
from tfpy._src.library.distributions.divergences import RegisterKL


class VectorDistribution(Distribution):
    """A distribution of vectors."""

    def _of_all(self) -> Any:
        """Return a tensor of the batch shape, followed by the shape of events."""
        raise NotImplementedError

    def _batch_shape(self) -> TensorShape:
        return TensorShape(self._of_all().shape).with_rank_at_least(1)[:-1]

    def _batch_shape_tensor(self) -> Any:
        return f.shape(self._of_all())[:-1]

    def _event_shape(self) -> TensorShape:
        return TensorShape(self._of_all().shape).with_rank_at_least(1)[-1:]

    def _event_shape_tensor(self) -> Any:
        return f.shape(self._of_all())[-1:]

    def _size(self) -> Any:
        """Return the number of elements of an event, an integer if it is known."""
        known = self.event_shape
        return known.as_list()[0] if known.is_fully_defined() else self.event_shape_tensor()[0]

    def _all_sizes(self, n: Any) -> Any:
        """Return the shape of `n` samples."""
        known = self.batch_shape.concatenate(self.event_shape)
        rest = known if known.is_fully_defined() else f.shape(self._of_all())
        return f.joined([n] if isinstance(n, int) else f.reshape(n, [1]), rest)


class Dirichlet(VectorDistribution):
    """Dirichlet distributions of vectors of k probabilities.

    Args:
        concentration: Positive concentrations, a float tensor of shape `[..., k]`.
        validate_args: If True, parameters and values are checked. Default: False.
        allow_nan_stats: If False, undefined statistics raise an error. Default: True.
        name: Name of the distribution.

    Raises:
        tf.errors.InvalidArgumentError: If `validate_args` is True and a concentration is not
            positive, or k is 1.

    Example:
        >>> import tfpy as tf
        >>> dirichlet = tf.compat.v1.distributions.Dirichlet([1.0, 2.0, 1.0])
        >>> dirichlet.mean().numpy().tolist()
        [0.25, 0.5, 0.25]

    See also: `tf.compat.v1.distributions.Beta`, `tf.compat.v1.distributions.DirichletMultinomial`.
    """

    def __init__(
        self, concentration: TensorLike, validate_args: bool = False, allow_nan_stats: bool = True,
        name: str = "Dirichlet",
    ) -> None:  # fmt: skip
        parameters = dict(locals())
        with name_scope(name) as scope:
            found = f.convert_to_tensor(concentration)
            if validate_args:
                found = f.checked(_assertions(found), found)
            self._concentration = found
            self._total_concentration = f.reduce_sum(found, -1)
        super().__init__(
            found.dtype, FULLY_REPARAMETERIZED, validate_args, allow_nan_stats, parameters,
            [found, self._total_concentration], scope,
        )  # fmt: skip

    @property
    def concentration(self) -> Any:
        """Concentrations."""
        return self._concentration

    @property
    def total_concentration(self) -> Any:
        """Sums of the concentrations of each distribution."""
        return self._total_concentration

    def _of_all(self) -> Any:
        return self._concentration

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        sizes = f.reshape(n, [1]) if not isinstance(n, int) else [n]
        drawn = f.random_gamma(sizes, self.concentration, dtype=self.dtype, seed=seed)
        return drawn / f.reduce_sum(drawn, -1, keepdims=True)

    def _log_prob(self, x: Any) -> Any:
        if self.validate_args:
            x = f.checked(self._assertions_about(x), x)
        powers = f.reduce_sum(f.xlogy(self.concentration - 1.0, x), -1)
        return powers - f.lbeta(self.concentration)

    def _assertions_about(self, x: Any) -> list[Any]:
        total = f.reduce_sum(x, -1)
        message = "sample last-dimension must sum to `1`"
        return [
            f.assert_positive(x, message="samples must be positive"),
            f.assert_near(f.ones([], dtype=self.dtype), total, message=message),
        ]

    def _entropy(self) -> Any:
        total = self.total_concentration
        ends = f.reduce_sum((self.concentration - 1.0) * f.digamma(self.concentration), -1)
        count = f.cast(self._size(), self.dtype)
        return f.lbeta(self.concentration) + (total - count) * f.digamma(total) - ends

    def _mean(self) -> Any:
        return self.concentration / self.total_concentration[..., None]

    def _variance(self) -> Any:
        scale = self._spread()
        part = scale * self._mean()
        return part * (scale - part)

    def _spread(self) -> Any:
        return f.rsqrt(1.0 + self.total_concentration[..., None])

    def _covariance(self) -> Any:
        part = self._spread() * self._mean()
        return f.set_diag(-f.matmul(part[..., None], part[..., None, :]), self._variance())

    def _mode(self) -> Any:
        count = f.cast(self._size(), self.dtype)
        found = (self.concentration - 1.0) / (self.total_concentration[..., None] - count)
        if self.allow_nan_stats:
            is_defined = f.reduce_all(self.concentration > 1.0, -1, keepdims=True)
            return f.where(is_defined, found, f.zeros_like(found) + float("nan"))
        message = "Mode undefined when any concentration <= 1"
        one = f.ones([], dtype=self.dtype)
        return f.checked([f.assert_less(one, self.concentration, message=message)], found)


def _assertions(concentration: Any) -> list[Any]:
    return [
        f.assert_positive(concentration, message="Concentration parameter must be positive."),
        f.assert_rank_at_least(
            concentration, 1, message="Concentration parameter must have >=1 dimensions."
        ),
        f.assert_less(
            f.convert_to_tensor(1, dtype=dtypes.int32), f.shape(concentration)[-1],
            message="Concentration parameter must have event_size >= 2.",
        ),
    ]  # fmt: skip


@RegisterKL(Dirichlet, Dirichlet)
def _divergence_of_dirichlets(a: Dirichlet, b: Dirichlet, name: str | None = None) -> Any:
    total = f.digamma(f.reduce_sum(a.concentration, -1, keepdims=True))
    change = (a.concentration - b.concentration) * (f.digamma(a.concentration) - total)
    return f.reduce_sum(change, -1) - f.lbeta(a.concentration) + f.lbeta(b.concentration)
