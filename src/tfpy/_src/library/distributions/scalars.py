"""Distributions of scalars."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfpy._src.base import dtypes
from tfpy._src.core.tensor_shape import TensorShape
from tfpy._src.library.debugging.assertions import assert_same_float_dtype
from tfpy._src.library.distributions import functions as f
from tfpy._src.library.distributions.base import Distribution


def given_tensors(checks: Sequence[Any], **parameters: Any) -> list[Any]:
    """Return parameters as tensors of one float dtype, after checks.

    Raises:
        ValueError: If the dtypes differ or are not float dtypes.
    """
    found = [f.checked(checks, value) for value in parameters.values()]
    assert_same_float_dtype(found)
    return found


def joint_shape(parts: Sequence[Any]) -> TensorShape:
    """Return the shape to which the shapes of parameters broadcast, as far as it is known."""
    found: Any = TensorShape(parts[0].shape)
    for part in parts[1:]:
        found = f.broadcast_static_shape(found, part.shape)
    return found


def joint_sizes(parts: Sequence[Any]) -> Any:
    """Return the shape to which the shapes of parameters broadcast, as a tensor."""
    found = f.shape(parts[0])
    for part in parts[1:]:
        found = f.broadcast_dynamic_shape(found, f.shape(part))
    return found


class ScalarDistribution(Distribution):
    """A distribution of scalars with parameters that broadcast with each other."""

    _names: tuple[str, ...] = ()
    """Names of the parameters that have the batch shape."""

    @classmethod
    def _param_shapes(cls, sample_shape: Any) -> dict[str, Any]:
        return dict.fromkeys(cls._names, sample_shape)

    def _parts(self) -> list[Any]:
        return [getattr(self, name) for name in self._names]

    def _batch_shape(self) -> TensorShape:
        return joint_shape(self._parts())

    def _batch_shape_tensor(self) -> Any:
        return joint_sizes(self._parts())

    def _event_shape(self) -> TensorShape:
        return TensorShape([])

    def _event_shape_tensor(self) -> Any:
        return f.convert_to_tensor([], dtype=dtypes.int32)

    def _sizes(self, n: Any) -> Any:
        """Return the shape of `n` samples."""
        known = self.batch_shape
        batch = known if known.is_fully_defined() else self.batch_shape_tensor()
        return f.joined([n] if isinstance(n, int) else f.reshape(n, [1]), batch)

    def _batch_of(self, value: float) -> Any:
        """Return a constant of the batch shape."""
        known = self.batch_shape
        sizes = known.as_list() if known.is_fully_defined() else self.batch_shape_tensor()
        return f.fill(sizes, f.convert_to_tensor(value, dtype=self.dtype))

    def _defined(self, found: Any, is_defined: Any, conditions: Sequence[tuple[Any, str]]) -> Any:
        """Return statistics with NaN where they are undefined, or assert that they are defined.

        Args:
            found: DistributionStatistics.
            is_defined: Bool tensor.
            conditions: Parameters that must exceed 1, each with the message of the error.
        """
        if self.allow_nan_stats:
            return f.where(is_defined, found, self._batch_of(float("nan")))
        one = f.ones([], dtype=self.dtype)
        return f.checked([f.assert_less(one, x, message=text) for x, text in conditions], found)
