"""Multinomial and Dirichlet-multinomial distributions."""

from __future__ import annotations

from typing import Any

from tfpy._src.base import dtypes
from tfpy._src.core.name_scope import name_scope
from tfpy._src.core.typing import TensorLike
from tfpy._src.library.distributions import checks, functions as f
from tfpy._src.library.distributions.base import NOT_REPARAMETERIZED
from tfpy._src.library.distributions.dirichlet import VectorDistribution


class _Counts(VectorDistribution):
    """A distribution of the numbers of draws of each of k classes."""

    _total_count: Any

    @property
    def total_count(self) -> Any:
        """Numbers of draws of an event."""
        return self._total_count

    def _valid(self, counts: Any, message: str) -> Any:
        """Return counts after a check of their sum, if arguments are validated."""
        if not self.validate_args:
            return counts
        counts = checks.counts(counts)
        total = f.assert_equal(self.total_count, f.reduce_sum(counts, -1), message=message)
        return f.checked([total], counts)


class Multinomial(_Counts):
    """Multinomial distributions: numbers of draws of each of k classes.

    Args:
        total_count: Numbers of draws, a float tensor of the batch shape.
        logits: Unnormalized logarithms of probabilities, a float tensor of shape `[..., k]`.
        probs: Probabilities of shape `[..., k]`. Either `logits` or `probs` is required.
        validate_args: If True, parameters and values are checked. Default: False.
        allow_nan_stats: If False, undefined statistics raise an error. Default: True.
        name: Name of the distribution.

    Raises:
        ValueError: If both or none of `logits` and `probs` are specified.
        tf.errors.InvalidArgumentError: If `validate_args` is True and a parameter is not valid.

    Example:
        >>> import tfpy as tf
        >>> multinomial = tf.compat.v1.distributions.Multinomial(4.0, probs=[0.25, 0.5, 0.25])
        >>> multinomial.mean().numpy().tolist(), round(float(multinomial.prob([1.0, 2.0, 1.0])), 4)
        ([1.0, 2.0, 1.0], 0.1875)

    See also: `tf.compat.v1.distributions.Categorical`.
    """

    def __init__(
        self, total_count: TensorLike, logits: TensorLike | None = None,
        probs: TensorLike | None = None, validate_args: bool = False, allow_nan_stats: bool = True,
        name: str = "Multinomial",
    ) -> None:  # fmt: skip
        parameters = dict(locals())
        with name_scope(name) as scope:
            total = f.convert_to_tensor(total_count)
            self._total_count = checks.counts(total) if validate_args else total
            self._logits, self._probs = checks.logits_and_probs(logits, probs, True, validate_args)
            self._expected = self._total_count[..., None] * self._probs
        super().__init__(
            self._probs.dtype, NOT_REPARAMETERIZED, validate_args, allow_nan_stats, parameters,
            [self._total_count, self._logits, self._probs], scope,
        )  # fmt: skip

    @property
    def logits(self) -> Any:
        """Unnormalized logarithms of probabilities."""
        return self._logits

    @property
    def probs(self) -> Any:
        """Probabilities."""
        return self._probs

    def _of_all(self) -> Any:
        return self._expected

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        size = self._size()
        draws = f.cast(self.total_count, dtypes.int32)
        draws = f.cast(f.ones_like(self.logits[..., 0]), dtypes.int32) * draws
        logits = f.cast(f.ones_like(draws[..., None]), self.logits.dtype) * self.logits
        columns = [[size]] if isinstance(size, int) else [f.reshape(size, [1])]
        rows = f.reshape(logits, f.concat([[-1], *columns], 0))

        def counts(row: Any) -> Any:
            drawn = f.random_categorical(row[0][None], row[1], dtype=dtypes.int32, seed=seed)
            return f.reduce_sum(f.one_hot(f.reshape(drawn, [n, -1]), size, dtype=self.dtype), -2)

        found = f.map_fn(counts, [rows, n * f.reshape(draws, [-1])], fn_output_signature=self.dtype)
        return f.reshape(f.transpose(found, [1, 0, 2]), self._all_sizes(n))

    def _log_prob(self, counts: Any) -> Any:
        counts = self._valid(counts, "counts must sum to `self.total_count`")
        unnormalized = f.reduce_sum(counts * f.log_softmax(self.logits), -1)
        return unnormalized + checks.log_combinations(self.total_count, counts)

    def _mean(self) -> Any:
        return f.identity(self._expected)

    def _variance(self) -> Any:
        return self._expected - self._expected * self._all_probs()

    def _all_probs(self) -> Any:
        return self.probs * f.ones_like(self.total_count)[..., None]

    def _covariance(self) -> Any:
        probs = self._all_probs()
        products = f.matmul(self._expected[..., None], probs[..., None, :])
        return f.set_diag(-products, self._variance())


class DirichletMultinomial(_Counts):
    """Multinomial distributions with probabilities from Dirichlet distributions.

    Args:
        total_count: Numbers of draws, a float tensor of the batch shape.
        concentration: Positive concentrations, a float tensor of shape `[..., k]`.
        validate_args: If True, parameters and values are checked. Default: False.
        allow_nan_stats: If False, undefined statistics raise an error. Default: True.
        name: Name of the distribution.

    Raises:
        tf.errors.InvalidArgumentError: If `validate_args` is True and a parameter is not valid.

    Example:
        >>> import tfpy as tf
        >>> counts = tf.compat.v1.distributions.DirichletMultinomial(4.0, [1.0, 2.0, 1.0])
        >>> counts.mean().numpy().tolist()
        [1.0, 2.0, 1.0]

    See also: `tf.compat.v1.distributions.Dirichlet`, `tf.compat.v1.distributions.Multinomial`.
    """

    def __init__(
        self, total_count: TensorLike, concentration: TensorLike, validate_args: bool = False,
        allow_nan_stats: bool = True, name: str = "DirichletMultinomial",
    ) -> None:  # fmt: skip
        parameters = dict(locals())
        with name_scope(name) as scope:
            total = f.convert_to_tensor(total_count)
            found = f.convert_to_tensor(concentration)
            if validate_args:
                total = checks.counts(total)
                found = checks.at_least_two_events(found)
                message = "Concentration parameter must be positive."
                found = f.checked([f.assert_positive(found, message=message)], found)
            self._total_count, self._concentration = total, found
            self._total_concentration = f.reduce_sum(found, -1)
        super().__init__(
            found.dtype, NOT_REPARAMETERIZED, validate_args, allow_nan_stats, parameters,
            [total, found], scope,
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
        size = self._size()
        sizes = f.reshape(n, [1]) if not isinstance(n, int) else [n]
        drawn = f.random_gamma(sizes, self.concentration, dtype=self.dtype, seed=seed)
        columns = [[size]] if isinstance(size, int) else [f.reshape(size, [1])]
        logits = f.reshape(f.log(drawn), f.concat([[-1], *columns], 0))
        classes = f.random_categorical(
            logits, f.cast(self.total_count, dtypes.int32), dtype=dtypes.int32,
            seed=f.derived_seed(seed, "dirichlet_multinomial"),
        )  # fmt: skip
        found = f.reduce_sum(f.one_hot(classes, size, dtype=self.dtype), -2)
        return f.reshape(found, self._all_sizes(n))

    def _log_prob(self, counts: Any) -> Any:
        counts = self._valid(counts, "counts last-dimension must sum to `self.total_count`")
        ordered = f.lbeta(self.concentration + counts) - f.lbeta(self.concentration)
        return ordered + checks.log_combinations(self.total_count, counts)

    def _mean(self) -> Any:
        return self.total_count * (self.concentration / self.total_concentration[..., None])

    def _variance(self) -> Any:
        scale = self._spread()
        part = scale * self._mean()
        return part * (self.total_count * scale - part)

    def _spread(self) -> Any:
        total = self.total_concentration[..., None]
        return f.sqrt((1.0 + total / self.total_count) / (1.0 + total))

    def _covariance(self) -> Any:
        part = self._spread() * self._mean()
        return f.set_diag(-f.matmul(part[..., None], part[..., None, :]), self._variance())
