"""The base class of distributions: parameters, shapes and samples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tfpy._src.base import dtypes, tracing
from tfpy._src.base.dtypes import DType, as_dtype
from tfpy._src.core.name_scope import name_scope
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.tensor_shape import TensorShape
from tfpy._src.core.typing import DTypeLike, ShapeLike
from tfpy._src.library.distributions import functions as f
from tfpy._src.library.distributions.statistics import DistributionStatistics


class ReparameterizationType:
    """A statement of whether gradients flow from the samples of a distribution to its parameters.

    The constants `tf.compat.v1.distributions.FULLY_REPARAMETERIZED` and
    `tf.compat.v1.distributions.NOT_REPARAMETERIZED` are the usual instances.

    Args:
        rep_type: Name of the type.

    Example:
        >>> import tfpy as tf
        >>> tfd = tf.compat.v1.distributions
        >>> tfd.Normal(0.0, 1.0).reparameterization_type == tfd.FULLY_REPARAMETERIZED
        True
    """

    def __init__(self, rep_type: str) -> None:
        self._rep_type = rep_type

    def __repr__(self) -> str:
        return f"<Reparameterization Type: {self._rep_type}>"


FULLY_REPARAMETERIZED = ReparameterizationType("FULLY_REPARAMETERIZED")
NOT_REPARAMETERIZED = ReparameterizationType("NOT_REPARAMETERIZED")


class Distribution(DistributionStatistics):
    """The base class of probability distributions.

    A distribution has parameters of the batch shape `[B1, ..., Bb]`. Each element of the batch is
    an independent distribution of events, which have the shape `[E1, ..., Ee]`. Samples have the
    shape `[S1, ..., Ss, B1, ..., Bb, E1, ..., Ee]`.

    A subclass defines `_log_prob` or `_prob`, and usually `_sample_n(n, seed)`, `_batch_shape`,
    `_batch_shape_tensor`, `_event_shape` and `_event_shape_tensor`. It can also define `_mean`,
    `_entropy` and the other methods of statistics, each with a leading underscore.

    Args:
        dtype: Dtype of the events.
        reparameterization_type: Instance of `tf.compat.v1.distributions.ReparameterizationType`.
        validate_args: If True, parameters and values are checked.
        allow_nan_stats: If False, undefined statistics raise an error instead of being NaN.
        parameters: Arguments of the constructor of the subclass, by name.
        graph_parents: Tensors on which the distribution depends.
        name: Name of the distribution. Default: the name of the class.

    Example:
        >>> import tfpy as tf
        >>> tfd = tf.compat.v1.distributions
        >>> class Logistic(tfd.Distribution):
        ...     def __init__(self, loc):
        ...         super().__init__(tf.float32, tfd.FULLY_REPARAMETERIZED, False, True)
        ...         self.loc = loc
        ...
        ...     def _cdf(self, value):
        ...         return tf.sigmoid(value - self.loc)
        >>> float(Logistic(1.0).survival_function(1.0))
        0.5

    See also: `tf.compat.v1.distributions.Normal`.
    """

    def __init__(
        self,
        dtype: DTypeLike,
        reparameterization_type: ReparameterizationType,
        validate_args: bool,
        allow_nan_stats: bool,
        parameters: Mapping[str, Any] | None = None,
        graph_parents: Sequence[Tensor] | None = None,
        name: str | None = None,
    ) -> None:
        if not name or not name.endswith("/"):
            with name_scope(name or type(self).__name__) as scope:
                name = scope
        self._name = None if tracing.current() is None else name
        self._dtype = as_dtype(dtype)
        self._reparameterization_type = reparameterization_type
        self._allow_nan_stats = allow_nan_stats
        self._validate_args = validate_args
        self._graph_parents = list(graph_parents or ())
        self._parameters: Mapping[str, Any] = dict(parameters or {})

    @property
    def name(self) -> str | None:
        """Name scope of the operations in a graph. It is None outside of graphs."""
        return self._name

    @property
    def dtype(self) -> DType:
        """Dtype of the events."""
        return self._dtype

    @property
    def parameters(self) -> dict[str, Any]:
        """Arguments of the constructor, by name."""
        hidden = ("self", "__class__")
        return {name: v for name, v in self._parameters.items() if name not in hidden}

    @property
    def reparameterization_type(self) -> ReparameterizationType:
        """`FULLY_REPARAMETERIZED` if gradients flow from samples to the parameters."""
        return self._reparameterization_type

    @property
    def allow_nan_stats(self) -> bool:
        """True if undefined statistics are NaN, and False if they raise an error."""
        return self._allow_nan_stats

    @property
    def validate_args(self) -> bool:
        """True if parameters and values are checked."""
        return self._validate_args

    def copy(self, **override_parameters_kwargs: Any) -> Distribution:
        """Create a distribution of the same class with other arguments.

        Args:
            **override_parameters_kwargs: Arguments of the constructor that change.

        Returns:
            The new distribution.
        """
        return type(self)(**{**self.parameters, **override_parameters_kwargs})

    # Shapes of parameters

    @classmethod
    def param_shapes(
        cls, sample_shape: ShapeLike, name: str = "DistributionParamShapes"
    ) -> dict[str, Tensor]:
        """Return the shapes of parameters for samples of a shape.

        Args:
            sample_shape: Shape of the result of `sample()`.
            name: Name of the operations.

        Returns:
            Dict from names of parameters to integer vectors.
        """
        with name_scope(name):
            return cls._param_shapes(f.convert_to_tensor(sample_shape, dtype=dtypes.int32))

    @classmethod
    def param_static_shapes(cls, sample_shape: ShapeLike) -> dict[str, TensorShape]:
        """Return the shapes of parameters for samples of a known shape.

        Args:
            sample_shape: Shape of the result of `sample()`.

        Returns:
            Dict from names of parameters to `tf.TensorShape`.

        Raises:
            ValueError: If the shape is not fully defined.
        """
        if isinstance(sample_shape, TensorShape):
            if not sample_shape.is_fully_defined():
                raise ValueError("TensorShape sample_shape must be fully defined")
            sample_shape = sample_shape.as_list()
        known = {}
        for name, found in cls.param_shapes(sample_shape).items():
            sizes = f.get_static_value(found)
            if sizes is None:
                raise ValueError("sample_shape must be a fully-defined TensorShape or list/tuple")
            known[name] = TensorShape(sizes)
        return known

    @classmethod
    def _param_shapes(cls, sample_shape: Any) -> dict[str, Any]:
        raise NotImplementedError("_param_shapes not implemented")

    # Shapes

    def _batch_shape_tensor(self) -> Any:
        raise NotImplementedError(f"batch_shape_tensor is not implemented: {type(self).__name__}")

    def _batch_shape(self) -> Any:
        return TensorShape(None)

    def _event_shape_tensor(self) -> Any:
        raise NotImplementedError(f"event_shape_tensor is not implemented: {type(self).__name__}")

    def _event_shape(self) -> Any:
        return TensorShape(None)

    @property
    def batch_shape(self) -> TensorShape:
        """Batch shape, as far as it is known."""
        return TensorShape(self._batch_shape())

    @property
    def event_shape(self) -> TensorShape:
        """Shape of an event, as far as it is known."""
        return TensorShape(self._event_shape())

    def batch_shape_tensor(self, name: str = "batch_shape_tensor") -> Tensor:
        """Return the batch shape as a tensor.

        Args:
            name: Name of the operation.

        Returns:
            Int32 vector.
        """
        return self._as_vector(self.batch_shape, self._batch_shape_tensor, name)

    def event_shape_tensor(self, name: str = "event_shape_tensor") -> Tensor:
        """Return the shape of an event as a tensor.

        Args:
            name: Name of the operation.

        Returns:
            Int32 vector.
        """
        return self._as_vector(self.event_shape, self._event_shape_tensor, name)

    def _as_vector(self, known: TensorShape, compute: Any, name: str) -> Any:
        with self._name_scope(name):
            if known.is_fully_defined():
                return f.convert_to_tensor(known.as_list(), dtype=dtypes.int32)
            return compute()

    def is_scalar_event(self, name: str = "is_scalar_event") -> Tensor:
        """Return True if the events are scalars.

        Args:
            name: Name of the operation.

        Returns:
            Bool scalar.
        """
        with self._name_scope(name):
            return _is_empty(self.event_shape, self.event_shape_tensor)

    def is_scalar_batch(self, name: str = "is_scalar_batch") -> Tensor:
        """Return True if the batch consists of a single distribution.

        Args:
            name: Name of the operation.

        Returns:
            Bool scalar.
        """
        with self._name_scope(name):
            return _is_empty(self.batch_shape, self.batch_shape_tensor)

    # Samples

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        raise NotImplementedError(f"sample_n is not implemented: {type(self).__name__}")

    def sample(
        self, sample_shape: ShapeLike = (), seed: int | None = None, name: str = "sample"
    ) -> Tensor:
        """Draw samples.

        Args:
            sample_shape: Shape of the samples, an integer or a vector of integers. Default: one
                sample.
            seed: Seed of the random operations. Default: none.
            name: Name of the operations.

        Returns:
            Tensor of the shape `[*sample_shape, *batch_shape, *event_shape]`.
        """
        with self._name_scope(name):
            sizes = f.convert_to_tensor(sample_shape, dtype=dtypes.int32)
            drawn = self._sample_n(_product(sizes), seed)
            lead = _vector(sizes)
            rest = TensorShape(drawn.shape)
            tail = rest[1:] if rest.rank is not None else TensorShape(None)
            if not tail.is_fully_defined():
                tail = f.shape(drawn)[1:]
            found: Any = f.reshape(drawn, f.joined(lead, tail))
            return self._with_known_shape(found, lead)

    def _with_known_shape(self, drawn: Any, lead: Any) -> Any:
        """Add sizes of the batch and of events that are known, although others are not."""
        if TensorShape(drawn.shape).is_fully_defined():
            return drawn
        first = TensorShape(lead) if isinstance(lead, list) else TensorShape(None)
        drawn.set_shape(first.concatenate(self.batch_shape).concatenate(self.event_shape))
        return drawn

    def _name_scope(self, name: str | None = None) -> Any:
        return name_scope(f"{self._name or ''}{name}/" if name else self._name or "")

    def __str__(self) -> str:
        parts = [f'"{self.name}"']
        if self.batch_shape.rank is not None:
            parts.append(f"batch_shape={self.batch_shape}")
        if self.event_shape.rank is not None:
            parts.append(f"event_shape={self.event_shape}")
        parts.append(f"dtype={self.dtype.name}")
        return f"tfp.distributions.{type(self).__name__}({', '.join(parts)})"

    def __repr__(self) -> str:
        return (
            f"<tfp.distributions.{type(self).__name__} '{self.name}' batch_shape="
            f"{self.batch_shape} event_shape={self.event_shape} dtype={self.dtype.name}>"
        )


def _is_empty(known: TensorShape, compute: Any) -> Any:
    if known.rank is not None:
        return f.convert_to_tensor(known.rank == 0)
    return f.equal(f.shape(compute())[0], 0)


def _product(sizes: Any) -> Any:
    known = f.get_static_value(sizes)
    return f.reduce_prod(sizes) if known is None else int(np.prod(known))


def _vector(sizes: Any) -> Any:
    """Return the sizes of samples, a list if they are known.

    Raises:
        ValueError: If the shape of samples is a matrix.
    """
    order = TensorShape(sizes.shape).rank
    if order is not None and order > 1:
        raise ValueError("Input is neither scalar nor vector.")
    known = f.get_static_value(sizes)
    return f.reshape(sizes, [-1]) if known is None else np.reshape(known, [-1]).tolist()
