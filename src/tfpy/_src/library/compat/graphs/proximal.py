"""`tf.compat.v1.train`: optimizers with penalties, and Adadelta."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfpy._src.core import primitives
from tfpy._src.functions.graph_mode.recording import recorded
from tfpy._src.library.compat.graphs.optimizer import (
    Optimizer,
    cast,
    fill_like,
    number,
    rest,
    sqrt,
    square,
)
from tfpy._src.library.compat.graphs.optimizers import group_of
from tfpy._src.tensors.array.slicing import where
from tfpy._src.tensors.math.arithmetic import sign


@recorded
def _shrunk(value: Any, rate: Any, l1: float, l2: float) -> Any:
    """Return a value after a proximal step: its magnitude is reduced, and it is scaled."""
    if l1 > 0.0:
        value = sign(value) * primitives.maximum(primitives.abs(value) - rate * l1, 0.0)
    return value / (1.0 + rate * l2)


@recorded
def _selected(linear: Any, quadratic: Any, l1: float) -> Any:
    found = (l1 * sign(linear) - linear) / quadratic
    return where(primitives.abs(linear) > l1, found, 0.0 * linear)


power = recorded(primitives.pow)


class AdadeltaOptimizer(Optimizer):
    """The Adadelta optimizer.

    Args:
        learning_rate: Learning rate, a number or scalar float tensor, or a function that returns
            it. Default: 0.001.
        rho: Factor of the previous averages. Default: 0.95.
        epsilon: Number that is added to the averages. Default: 1e-8.
        use_locking: Has no effect.
        name: Name of the operations. Default: `"Adadelta"`.

    Example:
        >>> import tfpy as tf
        >>> v = tf.Variable(3.0)
        >>> optimizer = tf.compat.v1.train.AdadeltaOptimizer(1.0, epsilon=0.01)
        >>> _ = optimizer.minimize(lambda: v * v)
        >>> print(v.numpy().round(3))
        2.554

    See also: `tf.keras.optimizers.Adadelta`.
    """

    _keeps_other_rows = True

    def __init__(
        self,
        learning_rate: Any = 0.001,
        rho: Any = 0.95,
        epsilon: Any = 1e-8,
        use_locking: bool = False,
        name: str = "Adadelta",
    ) -> None:
        super().__init__(use_locking, name)
        self._lr, self._rho, self._epsilon = learning_rate, rho, epsilon

    def _create_slots(self, variables: Sequence[Any]) -> None:
        for variable in variables:
            self._slot(variable, "accum")
            self._slot(variable, "accum_update")

    def _update(self, gradient: Any, variable: Any) -> Any:
        rho, epsilon = number(self._rho), number(self._epsilon)
        squares, steps = self._slot(variable, "accum"), self._slot(variable, "accum_update")
        average = squares * rho + square(gradient) * rest(rho)
        step = sqrt(steps + epsilon) / sqrt(average + epsilon) * gradient
        return group_of(
            self._assign(squares, average),
            self._assign(steps, steps * rho + square(step) * rest(rho)),
            self._subtract(variable, step * cast(number(self._lr), gradient.dtype)),
        )


class ProximalGradientDescentOptimizer(Optimizer):
    """An optimizer of gradient descent with penalties that can make weights zero.

    Args:
        learning_rate: Learning rate, a number or scalar float tensor.
        l1_regularization_strength: Factor of the penalty of absolute values. Default: 0.
        l2_regularization_strength: Factor of the penalty of squares. Default: 0.
        use_locking: Has no effect.
        name: Name of the operations. Default: `"ProximalGradientDescent"`.

    Example:
        >>> import tfpy as tf
        >>> v = tf.Variable(3.0)
        >>> optimizer = tf.compat.v1.train.ProximalGradientDescentOptimizer(0.1, 1.0)
        >>> _ = optimizer.minimize(lambda: v * v)
        >>> print(v.numpy().round(3))
        2.3

    See also: `tf.compat.v1.train.GradientDescentOptimizer`.
    """

    _keeps_other_rows = True

    def __init__(
        self,
        learning_rate: Any,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        use_locking: bool = False,
        name: str = "ProximalGradientDescent",
    ) -> None:
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._l1, self._l2 = l1_regularization_strength, l2_regularization_strength

    def _update(self, gradient: Any, variable: Any) -> Any:
        rate = cast(number(self._learning_rate), gradient.dtype)
        return self._assign(variable, _shrunk(variable - gradient * rate, rate, self._l1, self._l2))


class ProximalAdagradOptimizer(Optimizer):
    """The Adagrad optimizer with penalties that can make weights zero.

    Args:
        learning_rate: Learning rate, a number or scalar float tensor.
        initial_accumulator_value: Initial value of the sums of squares. Default: 0.1.
        l1_regularization_strength: Factor of the penalty of absolute values. Default: 0.
        l2_regularization_strength: Factor of the penalty of squares. Default: 0.
        use_locking: Has no effect.
        name: Name of the operations. Default: `"ProximalAdagrad"`.

    Raises:
        ValueError: If the initial value is not positive.

    Example:
        >>> import tfpy as tf
        >>> v = tf.Variable(3.0)
        >>> optimizer = tf.compat.v1.train.ProximalAdagradOptimizer(0.1)
        >>> _ = optimizer.minimize(lambda: v * v)
        >>> print(v.numpy().round(3))
        2.9

    See also: `tf.compat.v1.train.AdagradOptimizer`.
    """

    _keeps_other_rows = True

    def __init__(
        self,
        learning_rate: Any,
        initial_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        use_locking: bool = False,
        name: str = "ProximalAdagrad",
    ) -> None:
        _check_positive(initial_accumulator_value)
        super().__init__(use_locking, name)
        self._learning_rate, self._initial = learning_rate, initial_accumulator_value
        self._l1, self._l2 = l1_regularization_strength, l2_regularization_strength

    def _create_slots(self, variables: Sequence[Any]) -> None:
        for variable in variables:
            self._slot(variable, "accumulator", lambda x: fill_like(x, self._initial))

    def _update(self, gradient: Any, variable: Any) -> Any:
        sums = self._slot(variable, "accumulator")
        total = sums + square(gradient)
        rate = cast(number(self._learning_rate), gradient.dtype) / sqrt(total)
        value = _shrunk(variable - gradient * rate, rate, self._l1, self._l2)
        return group_of(self._assign(sums, total), self._assign(variable, value))


def _check_positive(value: float) -> None:
    if value <= 0.0:
        raise ValueError(f"initial_accumulator_value must be positive: {value}")


class FtrlOptimizer(Optimizer):
    """The FTRL optimizer ("follow the regularized leader").

    Args:
        learning_rate: Learning rate, a number or scalar float tensor.
        learning_rate_power: Power of the sums of squares, at most 0. Default: -0.5.
        initial_accumulator_value: Initial value of the sums of squares. Default: 0.1.
        l1_regularization_strength: Factor of the penalty of absolute values. Default: 0.
        l2_regularization_strength: Factor of the penalty of squares. Default: 0.
        use_locking: Has no effect.
        name: Name of the operations. Default: `"Ftrl"`.
        accum_name: Name of the Variable with the sums of squares.
        linear_name: Name of the Variable with the linear sums.
        l2_shrinkage_regularization_strength: Factor of the Variable in the gradient. Default: 0.
        beta: Addend of the penalty of squares, multiplied by the learning rate.

    Raises:
        ValueError: If a strength is negative, or the power is positive.

    Example:
        >>> import tfpy as tf
        >>> v = tf.Variable(3.0)
        >>> _ = tf.compat.v1.train.FtrlOptimizer(0.1).minimize(lambda: v * v)
        >>> print(v.numpy().round(3))
        2.742

    See also: `tf.keras.optimizers.Ftrl`.
    """

    _keeps_other_rows = True

    def __init__(
        self,
        learning_rate: Any,
        learning_rate_power: float = -0.5,
        initial_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        use_locking: bool = False,
        name: str = "Ftrl",
        accum_name: str | None = None,
        linear_name: str | None = None,
        l2_shrinkage_regularization_strength: float = 0.0,
        beta: float | None = None,
    ) -> None:
        super().__init__(use_locking, name)
        for what, value in (
            ("initial_accumulator_value", initial_accumulator_value),
            ("l1_regularization_strength", l1_regularization_strength),
            ("l2_regularization_strength", l2_regularization_strength),
            ("l2_shrinkage_regularization_strength", l2_shrinkage_regularization_strength),
        ):
            if value < 0.0:
                raise ValueError(f"{what} {value} needs to be positive or zero")
        if learning_rate_power > 0.0:
            raise ValueError(
                f"learning_rate_power {learning_rate_power} needs to be negative or zero"
            )
        self._learning_rate, self._power = learning_rate, -learning_rate_power
        self._initial, self._shrinkage = (
            initial_accumulator_value,
            l2_shrinkage_regularization_strength,
        )
        self._l1, self._l2 = l1_regularization_strength, l2_regularization_strength
        self._beta = beta or 0.0

    def _create_slots(self, variables: Sequence[Any]) -> None:
        for variable in variables:
            self._slot(variable, "accum", lambda x: fill_like(x, self._initial))
            self._slot(variable, "linear")

    def _update(self, gradient: Any, variable: Any) -> Any:
        sums, linear = self._slot(variable, "accum"), self._slot(variable, "linear")
        rate = cast(number(self._learning_rate), gradient.dtype)
        total = sums + square(gradient)
        shrunk = gradient + variable * (2.0 * self._shrinkage) if self._shrinkage else gradient
        scaled = power(total, self._power) / rate
        change = scaled - power(sums.value(), self._power) / rate
        new = linear + shrunk - change * variable
        l2 = self._l2 + self._beta / (2.0 * rate)
        value = _selected(new, scaled + 2.0 * l2, self._l1)
        return group_of(
            self._assign(sums, total), self._assign(linear, new), self._assign(variable, value)
        )


class AdagradDAOptimizer(Optimizer):
    """The Adagrad optimizer with dual averaging, for sparse linear models.

    Args:
        learning_rate: Learning rate, a number or scalar float tensor.
        global_step: Variable that counts training steps.
        initial_gradient_squared_accumulator_value: Initial value of the sums of squares. Default:
            0.1.
        l1_regularization_strength: Factor of the penalty of absolute values. Default: 0.
        l2_regularization_strength: Factor of the penalty of squares. Default: 0.
        use_locking: Has no effect.
        name: Name of the operations. Default: `"AdagradDA"`.

    Raises:
        ValueError: If the initial value is not positive.

    Example:
        >>> import tfpy as tf
        >>> v, step = tf.Variable(3.0), tf.Variable(0, dtype=tf.int64)
        >>> optimizer = tf.compat.v1.train.AdagradDAOptimizer(0.1, step)
        >>> _ = optimizer.minimize(lambda: v * v)
        >>> print(v.numpy().round(3))
        -0.1

    See also: `tf.compat.v1.train.AdagradOptimizer`.
    """

    _keeps_other_rows = True

    def __init__(
        self,
        learning_rate: Any,
        global_step: Any,
        initial_gradient_squared_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        use_locking: bool = False,
        name: str = "AdagradDA",
    ) -> None:
        if initial_gradient_squared_accumulator_value <= 0.0:
            raise ValueError(
                "initial_gradient_squared_accumulator_value must be positive: "
                f"{initial_gradient_squared_accumulator_value}"
            )
        super().__init__(use_locking, name)
        self._learning_rate, self._global_step = learning_rate, global_step
        self._initial = initial_gradient_squared_accumulator_value
        self._l1, self._l2 = l1_regularization_strength, l2_regularization_strength

    def _create_slots(self, variables: Sequence[Any]) -> None:
        for variable in variables:
            self._slot(variable, "gradient_accumulator")
            self._slot(
                variable, "gradient_squared_accumulator", lambda x: fill_like(x, self._initial)
            )

    def _update(self, gradient: Any, variable: Any) -> Any:
        sums = self._slot(variable, "gradient_accumulator")
        squares = self._slot(variable, "gradient_squared_accumulator")
        total, square_total = sums + gradient, squares + square(gradient)
        rate = cast(number(self._learning_rate), gradient.dtype)
        step = cast(self._global_step + 1, gradient.dtype)
        kept = _shrunk(total, step, self._l1, 0.0)
        value = -rate * kept / (step * rate * self._l2 + sqrt(square_total))
        return group_of(
            self._assign(sums, total),
            self._assign(squares, square_total),
            self._assign(variable, value),
        )
