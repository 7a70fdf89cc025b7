"""Probabilities and statistics of distributions. Those that are missing follow from others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import TensorLike
from tfpy._src.library.distributions import divergences, functions as f


class DistributionStatistics:
    """The methods of a distribution that compute probabilities and statistics."""

    dtype: Any
    _allow_nan_stats: bool
    _name_scope: Callable[..., Any]

    def _missing(self, name: str) -> NotImplementedError:
        return NotImplementedError(f"{name} is not implemented: {type(self).__name__}")

    def _of_value(
        self, name: str, own: Callable[[Any], Any], value: TensorLike,
        other: Callable[[Any], Any] | None = None,
    ) -> Any:  # fmt: skip
        """Compute a function of values, or its equivalent if a subclass does not define it."""
        with self._name_scope(name):
            found = f.convert_to_tensor(value, dtype_hint=self.dtype)
            try:
                return own(found)
            except NotImplementedError:
                if other is None:
                    raise
                try:
                    return other(found)
                except NotImplementedError:
                    pass
                raise

    def _log_prob(self, value: Any) -> Any:
        raise self._missing("log_prob")

    def log_prob(self, value: TensorLike, name: str = "log_prob") -> Tensor:
        """Compute the logarithm of the probability density, or of probabilities.

        Discrete distributions have probabilities, and continuous ones have densities.

        Args:
            value: Values, a tensor that broadcasts with the batch and event shapes.
            name: Name of the operations.

        Returns:
            Tensor of the batch shape, broadcast with the shape of the values.

        Raises:
            NotImplementedError: If the class does not define the function.
        """
        return self._of_value(name, self._log_prob, value, lambda x: f.log(self._prob(x)))

    def _prob(self, value: Any) -> Any:
        raise self._missing("prob")

    def prob(self, value: TensorLike, name: str = "prob") -> Tensor:
        """Compute the probability density, or the probability of discrete values.

        Args:
            value: Values, a tensor that broadcasts with the batch and event shapes.
            name: Name of the operations.

        Returns:
            Tensor of the batch shape, broadcast with the shape of the values.

        Raises:
            NotImplementedError: If the class does not define the function.
        """
        return self._of_value(name, self._prob, value, lambda x: f.exp(self._log_prob(x)))

    def _log_cdf(self, value: Any) -> Any:
        raise self._missing("log_cdf")

    def log_cdf(self, value: TensorLike, name: str = "log_cdf") -> Tensor:
        """Compute the logarithm of the cumulative distribution function.

        Args:
            value: Values, a tensor that broadcasts with the batch and event shapes.
            name: Name of the operations.

        Returns:
            Tensor of the batch shape, broadcast with the shape of the values.

        Raises:
            NotImplementedError: If the class does not define the function.
        """
        return self._of_value(name, self._log_cdf, value, lambda x: f.log(self._cdf(x)))

    def _cdf(self, value: Any) -> Any:
        raise self._missing("cdf")

    def cdf(self, value: TensorLike, name: str = "cdf") -> Tensor:
        """Compute the cumulative distribution function: the probability of values up to `value`.

        Args:
            value: Values, a tensor that broadcasts with the batch and event shapes.
            name: Name of the operations.

        Returns:
            Tensor of the batch shape, broadcast with the shape of the values.

        Raises:
            NotImplementedError: If the class does not define the function.
        """
        return self._of_value(name, self._cdf, value, lambda x: f.exp(self._log_cdf(x)))

    def _log_survival_function(self, value: Any) -> Any:
        raise self._missing("log_survival_function")

    def log_survival_function(
        self, value: TensorLike, name: str = "log_survival_function"
    ) -> Tensor:
        """Compute the logarithm of the probability of values above `value`.

        Args:
            value: Values, a tensor that broadcasts with the batch and event shapes.
            name: Name of the operations.

        Returns:
            Tensor of the batch shape, broadcast with the shape of the values.

        Raises:
            NotImplementedError: If the class does not define the function.
        """
        return self._of_value(
            name, self._log_survival_function, value, lambda x: f.log1p(-self.cdf(x))
        )

    def _survival_function(self, value: Any) -> Any:
        raise self._missing("survival_function")

    def survival_function(self, value: TensorLike, name: str = "survival_function") -> Tensor:
        """Compute the probability of values above `value`.

        Args:
            value: Values, a tensor that broadcasts with the batch and event shapes.
            name: Name of the operations.

        Returns:
            Tensor of the batch shape, broadcast with the shape of the values.

        Raises:
            NotImplementedError: If the class does not define the function.
        """
        return self._of_value(name, self._survival_function, value, lambda x: 1.0 - self.cdf(x))

    def _quantile(self, value: Any) -> Any:
        raise self._missing("quantile")

    def quantile(self, value: TensorLike, name: str = "quantile") -> Tensor:
        """Compute the inverse of the cumulative distribution function.

        Args:
            value: Probabilities, a tensor that broadcasts with the batch shape.
            name: Name of the operations.

        Returns:
            Tensor of the batch shape, broadcast with the shape of the values.

        Raises:
            NotImplementedError: If the class does not define the function.
        """
        return self._of_value(name, self._quantile, value)

    def _entropy(self) -> Any:
        raise self._missing("entropy")

    def entropy(self, name: str = "entropy") -> Tensor:
        """Compute the entropy in nats.

        Args:
            name: Name of the operations.

        Returns:
            Float tensor of the batch shape.

        Raises:
            NotImplementedError: If the class does not define the function.
        """
        with self._name_scope(name):
            return self._entropy()

    def _mean(self) -> Any:
        raise self._missing("mean")

    def mean(self, name: str = "mean") -> Tensor:
        """Compute the mean.

        Args:
            name: Name of the operations.

        Returns:
            Tensor of the batch shape, followed by the shape of events.

        Raises:
            NotImplementedError: If the class does not define the function.
        """
        with self._name_scope(name):
            return self._mean()

    def _variance(self) -> Any:
        raise self._missing("variance")

    def variance(self, name: str = "variance") -> Tensor:
        """Compute the variance.

        Args:
            name: Name of the operations.

        Returns:
            Tensor of the batch shape, followed by the shape of events.

        Raises:
            NotImplementedError: If the class does not define the function.
        """
        with self._name_scope(name):
            try:
                return self._variance()
            except NotImplementedError:
                try:
                    return f.square(self._stddev())
                except NotImplementedError:
                    pass
                raise

    def _stddev(self) -> Any:
        raise self._missing("stddev")

    def stddev(self, name: str = "stddev") -> Tensor:
        """Compute the standard deviation.

        Args:
            name: Name of the operations.

        Returns:
            Tensor of the batch shape, followed by the shape of events.

        Raises:
            NotImplementedError: If the class does not define the function.
        """
        with self._name_scope(name):
            try:
                return self._stddev()
            except NotImplementedError:
                try:
                    return f.sqrt(self._variance())
                except NotImplementedError:
                    pass
                raise

    def _covariance(self) -> Any:
        raise self._missing("covariance")

    def covariance(self, name: str = "covariance") -> Tensor:
        """Compute the matrix of covariances of the elements of events.

        Args:
            name: Name of the operations.

        Returns:
            Float tensor of the batch shape, followed by `[k, k]` for events of shape `[k]`.

        Raises:
            NotImplementedError: If the class does not define the function.
        """
        with self._name_scope(name):
            return self._covariance()

    def _mode(self) -> Any:
        raise self._missing("mode")

    def mode(self, name: str = "mode") -> Tensor:
        """Compute the value with the largest probability density.

        Args:
            name: Name of the operations.

        Returns:
            Tensor of the batch shape, followed by the shape of events.

        Raises:
            NotImplementedError: If the class does not define the function.
        """
        with self._name_scope(name):
            return self._mode()

    def _cross_entropy(self, other: Any) -> Any:
        return divergences.cross_entropy(self, other, allow_nan_stats=self._allow_nan_stats)

    def cross_entropy(self, other: DistributionStatistics, name: str = "cross_entropy") -> Tensor:
        """Compute the cross entropy of this distribution and another one.

        Args:
            other: The other distribution, a `tf.compat.v1.distributions.Distribution`.
            name: Name of the operations.

        Returns:
            Float tensor of the batch shape.

        Raises:
            NotImplementedError: If no function is registered for the two classes.
        """
        with self._name_scope(name):
            return self._cross_entropy(other)

    def _kl_divergence(self, other: Any) -> Any:
        return divergences.kl_divergence(self, other, allow_nan_stats=self._allow_nan_stats)

    def kl_divergence(self, other: DistributionStatistics, name: str = "kl_divergence") -> Tensor:
        """Compute the Kullback-Leibler divergence from this distribution to another one.

        Args:
            other: The other distribution, a `tf.compat.v1.distributions.Distribution`.
            name: Name of the operations.

        Returns:
            Float tensor of the batch shape.

        Raises:
            NotImplementedError: If no function is registered for the two classes.
        """
        with self._name_scope(name):
            return self._kl_divergence(other)
