"""`tf.compat.v1.train`: optimizers of TensorFlow 1, for eager execution and for graphs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfpy._src.base import tracing
from tfpy._src.core.name_scope import name_scope
from tfpy._src.functions.control.ordering import control_dependencies, group
from tfpy._src.library.compat.graphs.optimizer import (
    Optimizer,
    cast,
    fill_like,
    number,
    rest,
    sqrt,
    square,
)
from tfpy._src.tensors.variables.variable import Variable


class GradientDescentOptimizer(Optimizer):
    """An optimizer that subtracts the gradient, multiplied by the learning rate.

    Args:
        learning_rate: Learning rate, a number, a scalar float tensor, or a function of no arguments
            that returns it.
        use_locking: Has no effect.
        name: Name of the operations. Default: `"GradientDescent"`.

    Example:
        >>> import tfpy as tf
        >>> v = tf.Variable(3.0)
        >>> optimizer = tf.compat.v1.train.GradientDescentOptimizer(0.1)
        >>> _ = optimizer.minimize(lambda: v * v)
        >>> print(v.numpy().round(3))
        2.4

    See also: `tf.keras.optimizers.SGD`.
    """

    def __init__(
        self, learning_rate: Any, use_locking: bool = False, name: str = "GradientDescent"
    ) -> None:
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate

    def _update(self, gradient: Any, variable: Any) -> Any:
        return variable.assign_sub(gradient * number(self._learning_rate, gradient.dtype))


class MomentumOptimizer(Optimizer):
    """An optimizer that adds up gradients.

    Args:
        learning_rate: Learning rate, a number or scalar float tensor, or a function that returns
            it.
        momentum: Factor of the previous sum of gradients.
        use_locking: Has no effect.
        name: Name of the operations. Default: `"Momentum"`.
        use_nesterov: If True, use Nesterov's variant.

    Example:
        >>> import tfpy as tf
        >>> v = tf.Variable(3.0)
        >>> optimizer = tf.compat.v1.train.MomentumOptimizer(0.1, 0.9)
        >>> _ = optimizer.minimize(lambda: v * v)
        >>> print(v.numpy().round(3))
        2.4

    See also: `tf.keras.optimizers.SGD`.
    """

    _keeps_other_rows = True

    def __init__(
        self,
        learning_rate: Any,
        momentum: Any,
        use_locking: bool = False,
        name: str = "Momentum",
        use_nesterov: bool = False,
    ) -> None:
        super().__init__(use_locking, name)
        self._learning_rate, self._momentum = learning_rate, momentum
        self._use_nesterov = use_nesterov

    def _create_slots(self, variables: Sequence[Any]) -> None:
        for variable in variables:
            self._slot(variable, "momentum")

    def _update(self, gradient: Any, variable: Any) -> Any:
        sums = self._slot(variable, "momentum")
        rate = number(self._learning_rate, gradient.dtype)
        momentum = number(self._momentum, gradient.dtype)
        total = sums * momentum + gradient
        step = gradient + total * momentum if self._use_nesterov else total
        return group_of(self._assign(sums, total), self._subtract(variable, step * rate))


def group_of(*updates: Any) -> Any:
    """Return an operation that runs updates; in eager execution the last result."""
    return group(*updates) or updates[-1]


class AdagradOptimizer(Optimizer):
    """An optimizer that divides by the root of the sum of squared gradients.

    Args:
        learning_rate: Learning rate, a number or scalar float tensor, or a function that returns
            it.
        initial_accumulator_value: Initial value of the sums. Default: 0.1.
        use_locking: Has no effect.
        name: Name of the operations. Default: `"Adagrad"`.

    Raises:
        ValueError: If the initial value is not positive.

    Example:
        >>> import tfpy as tf
        >>> v = tf.Variable(3.0)
        >>> _ = tf.compat.v1.train.AdagradOptimizer(0.1).minimize(lambda: v * v)
        >>> print(v.numpy().round(3))
        2.9

    See also: `tf.keras.optimizers.Adagrad`.
    """

    def __init__(
        self,
        learning_rate: Any,
        initial_accumulator_value: float = 0.1,
        use_locking: bool = False,
        name: str = "Adagrad",
    ) -> None:
        if initial_accumulator_value <= 0.0:
            raise ValueError(
                f"initial_accumulator_value must be positive: {initial_accumulator_value}"
            )
        super().__init__(use_locking, name)
        self._learning_rate, self._initial = learning_rate, initial_accumulator_value

    def _create_slots(self, variables: Sequence[Any]) -> None:
        for variable in variables:
            self._slot(variable, "accumulator", lambda x: fill_like(x, self._initial))

    def _update(self, gradient: Any, variable: Any) -> Any:
        sums = self._slot(variable, "accumulator")
        total = sums + square(gradient)
        step = gradient * number(self._learning_rate, gradient.dtype) / sqrt(total)
        return group_of(sums.assign(total), variable.assign_sub(step))


class RMSPropOptimizer(Optimizer):
    """An optimizer that divides by the root of an average of squared gradients.

    Args:
        learning_rate: Learning rate, a number or scalar float tensor, or a function that returns
            it.
        decay: Factor of the previous average. Default: 0.9.
        momentum: Factor of the previous step. Default: 0.
        epsilon: Number that is added to the average. Default: 1e-10.
        use_locking: Has no effect.
        centered: If True, subtract the square of the average gradient.
        name: Name of the operations. Default: `"RMSProp"`.

    Example:
        >>> import tfpy as tf
        >>> v = tf.Variable(3.0)
        >>> _ = tf.compat.v1.train.RMSPropOptimizer(0.1).minimize(lambda: v * v)
        >>> print(v.numpy().round(3))
        2.717

    See also: `tf.keras.optimizers.RMSprop`.
    """

    _keeps_other_rows = True

    def __init__(
        self,
        learning_rate: Any,
        decay: float = 0.9,
        momentum: float = 0.0,
        epsilon: float = 1e-10,
        use_locking: bool = False,
        centered: bool = False,
        name: str = "RMSProp",
    ) -> None:
        super().__init__(use_locking, name)
        self._learning_rate, self._decay = learning_rate, decay
        self._momentum, self._epsilon, self._centered = momentum, epsilon, centered

    def _create_slots(self, variables: Sequence[Any]) -> None:
        for variable in variables:
            self._slot(variable, "rms", lambda x: fill_like(x, 1.0))
            if self._centered:
                self._slot(variable, "mg")
            self._slot(variable, "momentum")

    def _update(self, gradient: Any, variable: Any) -> Any:
        rate = number(self._learning_rate, gradient.dtype)
        decay = number(self._decay, gradient.dtype)
        squares, steps = self._slot(variable, "rms"), self._slot(variable, "momentum")
        average = squares + (square(gradient) - squares) * rest(decay)
        updates, variance = [self._assign(squares, average)], average
        if self._centered:
            means = self._slot(variable, "mg")
            mean = means + (gradient - means) * rest(decay)
            variance = average - square(mean)
            updates.append(self._assign(means, mean))
        momentum = number(self._momentum, gradient.dtype)
        step = steps * momentum + gradient * rate / sqrt(variance + number(self._epsilon))
        return group_of(*updates, self._assign(steps, step), self._subtract(variable, step))


class AdamOptimizer(Optimizer):
    """The Adam optimizer.

    Args:
        learning_rate: Learning rate, a number or scalar float tensor, or a function that returns
            it. Default: 0.001.
        beta1: Factor of the previous average of gradients. Default: 0.9.
        beta2: Factor of the previous average of squared gradients. Default: 0.999.
        epsilon: Number that is added to the root. Default: 1e-8.
        use_locking: Has no effect.
        name: Name of the operations. Default: `"Adam"`.

    Example:
        >>> import tfpy as tf
        >>> v = tf.Variable(3.0)
        >>> _ = tf.compat.v1.train.AdamOptimizer(0.1).minimize(lambda: v * v)
        >>> print(v.numpy().round(3))
        2.9

    See also: `tf.keras.optimizers.Adam`.
    """

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta1: Any = 0.9,
        beta2: Any = 0.999,
        epsilon: Any = 1e-8,
        use_locking: bool = False,
        name: str = "Adam",
    ) -> None:
        super().__init__(use_locking, name)
        self._learning_rate, self._beta1, self._beta2 = learning_rate, beta1, beta2
        self._epsilon = epsilon
        self._powers: dict[Any, list[Variable]] = {}
        """Powers of the factors, by the graph. The key None is for eager execution."""

    def _create_slots(self, variables: Sequence[Any]) -> None:
        graph = tracing.active_graph()
        if graph not in self._powers:
            with name_scope(""), control_dependencies(None):
                self._powers[graph] = [
                    Variable(number(self._beta1), trainable=False, name="beta1_power"),
                    Variable(number(self._beta2), trainable=False, name="beta2_power"),
                ]
        for variable in variables:
            self._slot(variable, "m")
            self._slot(variable, "v")

    def _prepare(self) -> None:
        first, second = self._powers[tracing.active_graph()]
        self._rate = number(self._learning_rate) * sqrt(1.0 - second) / (1.0 - first)

    def _update(self, gradient: Any, variable: Any) -> Any:
        beta1, beta2 = number(self._beta1), number(self._beta2)
        means, squares = self._slot(variable, "m"), self._slot(variable, "v")
        mean = means + (gradient - means) * rest(beta1)
        average = squares + (square(gradient) - squares) * rest(beta2)
        step = mean * cast(self._rate, gradient.dtype) / (sqrt(average) + number(self._epsilon))
        return group_of(means.assign(mean), squares.assign(average), variable.assign_sub(step))

    def _finish(self, updates: Sequence[Any]) -> Sequence[Any]:
        first, second = self._powers[tracing.active_graph()]
        with control_dependencies(updates if tracing.local.active else None):
            powers = [
                first.assign(first * number(self._beta1)),
                second.assign(second * number(self._beta2)),
            ]
        return [*updates, *powers]

    def _other_variables(self) -> list[Any]:
        return [v for powers in self._powers.values() for v in powers]
