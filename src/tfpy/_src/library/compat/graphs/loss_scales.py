"""`tf.compat.v1.mixed_precision`: factors of losses, and the optimizer that applies them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any

from tfpy._src.base import dtypes, tracing
from tfpy._src.core import nest, primitives
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.indexed_slices import IndexedSlices
from tfpy._src.core.typing import TensorLike
from tfpy._src.functions.control.control_flow import cond
from tfpy._src.functions.control.ordering import group
from tfpy._src.functions.graph_mode.recording import recorded
from tfpy._src.library.compat.graphs.optimizer import Optimizer, cast
from tfpy._src.tensors.array import making
from tfpy._src.tensors.array.slicing import where
from tfpy._src.tensors.math.reductions import reduce_all
from tfpy._src.tensors.variables.variable import Variable


class LossScale(ABC):
    """The factor by which a loss is multiplied, and its gradients are divided.

    A large factor avoids gradients that are too small for float16. A call without arguments returns
    the factor, a scalar float32 tensor.

    Example:
        >>> import tfpy as tf
        >>> scale = tf.compat.v1.mixed_precision.FixedLossScale(8)
        >>> isinstance(scale, tf.compat.v1.mixed_precision.LossScale)
        True

    See also: `tf.compat.v1.mixed_precision.DynamicLossScale`.
    """

    @abstractmethod
    def __call__(self) -> Any:
        """Return the factor as a scalar float32 tensor."""

    @abstractmethod
    def update(self, grads: Any) -> tuple[Any, Any]:
        """Adapt the factor to gradients.

        Args:
            grads: Nest of gradients, which have been divided by the factor. None is ignored.

        Returns:
            Pair of an operation that adapts the factor, and a bool: if it is False, the gradients
            should not be applied.
        """

    @abstractmethod
    def get_config(self) -> dict[str, Any]:
        """Return the arguments of the constructor.

        Returns:
            Dictionary of the arguments.
        """

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> LossScale:
        """Make an object with the arguments that `get_config` has returned.

        Args:
            config: Dictionary of the arguments.

        Returns:
            A `LossScale`.
        """
        return cls(**config)


class FixedLossScale(LossScale):
    """A constant factor of a loss.

    Args:
        loss_scale_value: The factor, an int or float of at least 1.

    Raises:
        ValueError: If the factor is not a number, or is smaller than 1.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.v1.mixed_precision.FixedLossScale(8)
        FixedLossScale(8.0)

    See also: `tf.compat.v1.mixed_precision.DynamicLossScale`.
    """

    def __init__(self, loss_scale_value: float) -> None:
        if not isinstance(loss_scale_value, int | float):
            raise ValueError("loss_scale_value must be a Python int or float.")
        if loss_scale_value < 1:
            raise ValueError("loss_scale_value must be at least 1.")
        self._loss_scale_value = float(loss_scale_value)

    def __call__(self) -> Any:
        """Return the factor as a scalar float32 tensor."""
        return recorded(convert_to_tensor)(self._loss_scale_value)

    def update(self, grads: Any) -> tuple[Any, bool]:
        """Return an operation without effects and True.

        Args:
            grads: Has no effect.

        Returns:
            Pair of an operation and True.
        """
        return group(), True

    def get_config(self) -> dict[str, Any]:
        """Return the arguments of the constructor.

        Returns:
            Dictionary of the arguments.
        """
        return {"loss_scale_value": self._loss_scale_value}

    def __repr__(self) -> str:
        return f"FixedLossScale({self._loss_scale_value})"


class DynamicLossScale(LossScale):
    """A factor of a loss that grows until gradients overflow, and then shrinks.

    Args:
        initial_loss_scale: First factor. Default: 2 ** 15.
        increment_period: Number of consecutive steps with finite gradients after which the factor
            grows. Default: 2000.
        multiplier: Factor of the growth and of the reduction. Default: 2.

    Example:
        >>> import tfpy as tf
        >>> scale = tf.compat.v1.mixed_precision.DynamicLossScale(64, increment_period=1)
        >>> _ = scale.update([tf.constant(1.0)])
        >>> print(float(scale()))
        128.0

    See also: `tf.compat.v1.mixed_precision.MixedPrecisionLossScaleOptimizer`.
    """

    def __init__(
        self,
        initial_loss_scale: float = 2**15,
        increment_period: int = 2000,
        multiplier: float = 2.0,
    ) -> None:
        self.initial_loss_scale = float(initial_loss_scale)
        self.increment_period = int(increment_period)
        self.multiplier = float(multiplier)
        self.current_loss_scale = Variable(
            self.initial_loss_scale,
            trainable=False,
            dtype=dtypes.float32,
            name="current_loss_scale",
        )
        self.good_steps = Variable(0, trainable=False, dtype=dtypes.int64, name="good_steps")

    def __call__(self) -> Any:
        """Return the factor as a scalar float32 tensor."""
        return recorded(convert_to_tensor)(self.current_loss_scale)

    def update(self, grads: Any) -> tuple[Any, Any]:
        """Increase the factor after enough finite gradients, or reduce it.

        Args:
            grads: Nest of gradients, which have been divided by the factor. None is ignored.

        Returns:
            Pair of an operation that adapts the factor, and a scalar bool tensor: True if all
            gradients are finite.
        """
        finite = _all_finite([g for g in nest.flatten(grads) if g is not None])
        values = self.current_loss_scale.value(), self.good_steps.value()
        scale, steps = _adapted(finite, *values, self.increment_period, self.multiplier)
        done = group(self.current_loss_scale.assign(scale), self.good_steps.assign(steps))
        return done, finite

    def get_config(self) -> dict[str, Any]:
        """Return the arguments of the constructor.

        Returns:
            Dictionary of the arguments.
        """
        names = ("initial_loss_scale", "increment_period", "multiplier")
        return {name: getattr(self, name) for name in names}

    def __repr__(self) -> str:
        found = self.get_config()
        if tracing.executing_eagerly():
            found = {
                "current_loss_scale": self.current_loss_scale.numpy(),
                "num_good_steps": self.good_steps.numpy(),
                **found,
            }
        return f"DynamicLossScale({', '.join(f'{k}={v}' for k, v in found.items())})"


@recorded
def _adapted(finite: Any, scale: Any, steps: Any, period: int, multiplier: float) -> Any:
    """Return the next factor, and the number of steps since it has changed."""
    grows = primitives.logical_and(finite, steps + 1 >= period)
    larger, smaller = scale * multiplier, primitives.maximum(scale / multiplier, 1.0)
    larger = where(primitives.is_finite(larger), larger, scale)
    counts = primitives.logical_and(finite, primitives.logical_not(grows))
    return (
        where(finite, where(grows, larger, scale), smaller),
        where(counts, steps + 1, making.zeros_like(steps)),
    )


@recorded
def _all_finite(grads: Sequence[Any]) -> Any:
    values = [g.values if isinstance(g, IndexedSlices) else g for g in grads]
    return reduce_all([reduce_all(primitives.is_finite(v)) for v in values])


def _loss_scale(given: LossScale | float | str) -> LossScale:
    """Return the factor for an argument of an optimizer."""
    if isinstance(given, int | float):
        return FixedLossScale(given)
    if given == "dynamic":
        return DynamicLossScale()
    if given is None:
        raise ValueError("loss_scale cannot be None")
    if not isinstance(given, LossScale):
        raise ValueError(f"Could not interpret loss scale identifier: {given}")
    return given


class MixedPrecisionLossScaleOptimizer(Optimizer):
    """An optimizer that multiplies the loss of another optimizer by a factor.

    The gradients are divided by the factor, so it only avoids gradients that are too small for
    float16. With a dynamic factor, gradients that are not finite are not applied.

    Args:
        opt: A `tf.compat.v1.train.Optimizer`.
        loss_scale: A `LossScale`, a number, or `"dynamic"`.

    Raises:
        ValueError: If `opt` is not an optimizer, or `loss_scale` is something else.

    Example:
        >>> import tfpy as tf
        >>> v = tf.Variable(3.0)
        >>> sgd = tf.compat.v1.train.GradientDescentOptimizer(0.5)
        >>> optimizer = tf.compat.v1.mixed_precision.MixedPrecisionLossScaleOptimizer(sgd, 8)
        >>> _ = optimizer.minimize(lambda: v * v)
        >>> print(v.numpy())
        0.0

    See also: `tf.keras.mixed_precision.LossScaleOptimizer`.
    """

    def __init__(self, opt: Optimizer, loss_scale: LossScale | float | str) -> None:
        if not isinstance(opt, Optimizer):
            raise ValueError(f'"opt" must be an instance of Optimizer, but got: {type(opt)}')
        super().__init__(opt._use_locking, opt.get_name())
        self.base_optimizer = self._optimizer = opt
        self.loss_scale = self._loss_scale = _loss_scale(loss_scale)

    def compute_gradients(
        self,
        loss: Any,
        var_list: Sequence[Any] | None = None,
        gate_gradients: int = Optimizer.GATE_OP,
        aggregation_method: object = None,
        colocate_gradients_with_ops: bool = False,
        grad_loss: TensorLike | None = None,
    ) -> list[tuple[Any, Any]]:
        """Return the gradients of a loss with respect to Variables.

        Args:
            loss: Scalar tensor of a graph. In eager execution, a function without arguments that
                returns the loss.
            var_list: Variables. Default: the trainable Variables of the graph, or those that the
                function reads.
            gate_gradients, aggregation_method, colocate_gradients_with_ops: Has no effect.
            grad_loss: Factor of the gradients, in the shape of the loss. Default: ones.

        Returns:
            List of pairs of a gradient, or None, and a Variable.
        """
        factor = self._loss_scale()

        def scaled(value: Any) -> Any:
            return value * cast(factor, value.dtype)

        given = (lambda: scaled(loss())) if callable(loss) else scaled(loss)
        pairs = self._optimizer.compute_gradients(given, var_list, grad_loss=grad_loss)
        reciprocal = 1.0 / factor
        return [(g if g is None else _times(g, reciprocal), v) for g, v in pairs]

    def apply_gradients(
        self,
        grads_and_vars: Iterable[tuple[Any, Any]],
        global_step: Variable | None = None,
        name: str | None = None,
    ) -> Any:
        """Update Variables with gradients, if all of them are finite.

        Args:
            grads_and_vars: Pairs of a gradient, or None, and a Variable.
            global_step: Variable to which 1 is added.
            name: Name of the operation.

        Returns:
            A `tf.Operation` that updates the Variables. In eager execution, the update has
            happened.
        """
        pairs = tuple(grads_and_vars)
        if not isinstance(self._loss_scale, DynamicLossScale):
            return self._optimizer.apply_gradients(pairs, global_step, name)
        self._optimizer._create_slots([v for g, v in pairs if g is not None])
        adapted, finite = self._loss_scale.update([g for g, _ in pairs])

        def applied() -> bool:
            self._optimizer.apply_gradients(pairs, global_step)
            return True

        done = recorded(cond)(finite, applied, lambda: False)
        return group(done, adapted, name=name or self.get_name())

    def variables(self) -> list[Any]:
        """Return the Variables of the optimizer and of the factor.

        Returns:
            List of Variables.
        """
        own = [x for x in vars(self._loss_scale).values() if isinstance(x, Variable)]
        return [*self._optimizer.variables(), *own]


def _times(gradient: Any, factor: Any) -> Any:
    if isinstance(gradient, IndexedSlices):
        scaled = gradient.values * factor
        return IndexedSlices(scaled, gradient.indices, gradient.dense_shape)
    return gradient * factor
