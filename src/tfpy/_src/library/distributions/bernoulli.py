"""Bernoulli and categorical distributions."""

from __future__ import annotations

from typing import Any

from tfpy._src.base import dtypes
from tfpy._src.core.name_scope import name_scope
from tfpy._src.core.tensor_shape import TensorShape
from tfpy._src.core.typing import DTypeLike, TensorLike
from tfpy._src.library.distributions import checks, functions as f
from tfpy._src.library.distributions.base import NOT_REPARAMETERIZED
from tfpy._src.library.distributions.divergences import RegisterKL
from tfpy._src.library.distributions.scalars import ScalarDistribution


class Bernoulli(ScalarDistribution):
    """Bernoulli distributions: 1 with a probability, otherwise 0.

    Args:
        logits: Logarithms of the odds of 1, a float tensor.
        probs: Probabilities of 1. Either `logits` or `probs` is required.
        dtype: Dtype of the samples. Default: int32.
        validate_args: If True, `probs` and values are checked. Default: False.
        allow_nan_stats: If False, undefined statistics raise an error. Default: True.
        name: Name of the distribution.

    Raises:
        ValueError: If both or none of `logits` and `probs` are specified.
        tf.errors.InvalidArgumentError: If `validate_args` is True and a probability is not in
            `[0, 1]`.

    Example:
        >>> import tfpy as tf
        >>> bernoulli = tf.compat.v1.distributions.Bernoulli(probs=[0.25, 0.75])
        >>> bernoulli.prob(1).numpy().tolist(), bernoulli.mode().numpy().tolist()
        ([0.25, 0.75], [0, 1])

    See also: `tf.compat.v1.distributions.Categorical`.
    """

    _names = ("logits",)

    def __init__(
        self, logits: TensorLike | None = None, probs: TensorLike | None = None,
        dtype: DTypeLike = dtypes.int32, validate_args: bool = False, allow_nan_stats: bool = True,
        name: str = "Bernoulli",
    ) -> None:  # fmt: skip
        parameters = dict(locals())
        with name_scope(name) as scope:
            self._logits, self._probs = checks.logits_and_probs(logits, probs, False, validate_args)
        super().__init__(
            dtype, NOT_REPARAMETERIZED, validate_args, allow_nan_stats, parameters,
            [self._logits, self._probs], scope,
        )  # fmt: skip

    @property
    def logits(self) -> Any:
        """Logarithms of the odds of 1."""
        return self._logits

    @property
    def probs(self) -> Any:
        """Probabilities of 1."""
        return self._probs

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        drawn = f.random_uniform(self._sizes(n), dtype=self.probs.dtype, seed=seed)
        return f.cast(drawn < self.probs, self.dtype)

    def _log_prob(self, event: Any) -> Any:
        if self.validate_args:
            event = checks.events(event, dtypes.bool)
        event = f.cast(event, self.logits.dtype)
        logits = f.ones_like(event) * self.logits
        event = f.ones_like(self.logits) * event
        return -f.sigmoid_cross_entropy(labels=event, logits=logits)

    def _entropy(self) -> Any:
        return -self.logits * (f.sigmoid(self.logits) - 1.0) + f.softplus(-self.logits)

    def _mean(self) -> Any:
        return f.identity(self.probs)

    def _variance(self) -> Any:
        return self.probs * (1.0 - self.probs)

    def _mode(self) -> Any:
        return f.cast(self.probs > 0.5, self.dtype)


@RegisterKL(Bernoulli, Bernoulli)
def _divergence_of_bernoullis(a: Bernoulli, b: Bernoulli, name: str | None = None) -> Any:
    of_one = f.softplus(-b.logits) - f.softplus(-a.logits)
    of_zero = f.softplus(b.logits) - f.softplus(a.logits)
    return f.sigmoid(a.logits) * of_one + f.sigmoid(-a.logits) * of_zero


class Categorical(ScalarDistribution):
    """Categorical distributions of the classes `0, …, k - 1`.

    Args:
        logits: Unnormalized logarithms of probabilities, a float tensor of shape `[..., k]`.
        probs: Probabilities of shape `[..., k]`. Either `logits` or `probs` is required.
        dtype: Dtype of the samples. Default: int32.
        validate_args: If True, parameters and values are checked. Default: False.
        allow_nan_stats: If False, undefined statistics raise an error. Default: True.
        name: Name of the distribution.

    Raises:
        ValueError: If both or none of `logits` and `probs` are specified.
        tf.errors.InvalidArgumentError: If `validate_args` is True and probabilities are negative
            or do not add up to 1.

    Example:
        >>> import tfpy as tf
        >>> categorical = tf.compat.v1.distributions.Categorical(probs=[0.25, 0.5, 0.25])
        >>> categorical.prob([0, 1]).numpy().tolist(), int(categorical.mode())
        ([0.25, 0.5], 1)

    See also: `tf.random.categorical`, `tf.compat.v1.distributions.Multinomial`.
    """

    def __init__(
        self, logits: TensorLike | None = None, probs: TensorLike | None = None,
        dtype: DTypeLike = dtypes.int32, validate_args: bool = False, allow_nan_stats: bool = True,
        name: str = "Categorical",
    ) -> None:  # fmt: skip
        parameters = dict(locals())
        with name_scope(name) as scope:
            self._logits, self._probs = checks.logits_and_probs(logits, probs, True, validate_args)
            if validate_args:
                self._logits = checks.at_least_two_events(self._logits)
        super().__init__(
            dtype, NOT_REPARAMETERIZED, validate_args, allow_nan_stats, parameters,
            [self._logits, self._probs], scope,
        )  # fmt: skip

    @classmethod
    def _param_shapes(cls, sample_shape: Any) -> dict[str, Any]:
        raise NotImplementedError("_param_shapes not implemented")

    @property
    def event_size(self) -> Any:
        """Number of classes, an int32 scalar."""
        known = TensorShape(self.logits.shape)
        if known.rank is None or known.as_list()[-1] is None:
            return f.shape(self.logits)[-1]
        return f.convert_to_tensor(known.as_list()[-1], dtype=dtypes.int32)

    @property
    def logits(self) -> Any:
        """Unnormalized logarithms of probabilities."""
        return self._logits

    @property
    def probs(self) -> Any:
        """Probabilities."""
        return self._probs

    def _batch_shape(self) -> TensorShape:
        known = TensorShape(self.logits.shape)
        return known if known.rank is None else known[:-1]

    def _batch_shape_tensor(self) -> Any:
        return f.shape(self.logits)[:-1]

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        rows = f.reshape(self.logits, f.concat([[-1], f.shape(self.logits)[-1:]], 0))
        kind = dtypes.int64 if self.dtype.size > 4 else dtypes.int32
        drawn = f.random_categorical(rows, n, dtype=kind, seed=seed)
        return f.cast(f.reshape(f.transpose(drawn), self._sizes(n)), self.dtype)

    def _log_prob(self, k: Any) -> Any:
        k, logits = self._broadcast(k, self.logits)
        return -f.sparse_cross_entropy(labels=k, logits=logits)

    def _cdf(self, k: Any) -> Any:
        k, probs = self._broadcast(k, self.probs)
        below = f.sequence_mask(k, self.event_size)
        return f.reduce_sum(f.where(below, probs, f.zeros_like(probs)), -1)

    def _broadcast(self, k: Any, parameters: Any) -> tuple[Any, Any]:
        """Return classes and parameters with the same batch shape."""
        if self.validate_args:
            k = checks.events(k, dtypes.int32)
        if not k.dtype.is_integer:
            k = f.cast(k, dtypes.int32)
        one = f.ones_like(k[..., None])
        parameters = parameters * f.cast(one, parameters.dtype)
        return k * f.ones_like(f.cast(parameters[..., 0], k.dtype)), parameters

    def _entropy(self) -> Any:
        return -f.reduce_sum(f.log_softmax(self.logits) * self.probs, -1)

    def _mode(self) -> Any:
        return f.cast(f.argmax(self.logits, -1), self.dtype)


@RegisterKL(Categorical, Categorical)
def _divergence_of_categoricals(a: Categorical, b: Categorical, name: str | None = None) -> Any:
    change = f.log_softmax(a.logits) - f.log_softmax(b.logits)
    return f.reduce_sum(f.softmax(a.logits) * change, -1)
