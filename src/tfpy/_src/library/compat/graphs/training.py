"""`tf.compat.v1.train`: the global step, and learning rates that depend on it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from tfpy._src.base import dtypes, tracing
from tfpy._src.core import primitives
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.typing import FloatLike, TensorLike
from tfpy._src.functions.graph_mode.collections import GraphKeys
from tfpy._src.functions.graph_mode.defaults import get_default_graph
from tfpy._src.functions.graph_mode.recording import recorded
from tfpy._src.library.compat.graphs.scoped_variables import get_variable
from tfpy._src.library.compat.initializers import Zeros
from tfpy._src.tensors.array import making, slicing


def get_global_step(graph: Any = None) -> Any:
    """Return the Variable that counts training steps.

    Args:
        graph: Graph. Default: the default graph.

    Returns:
        An integer Variable, or None if there is none.

    Raises:
        TypeError: If the Variable is not a scalar integer.

    Example:
        >>> import tfpy as tf
        >>> with tf.Graph().as_default():
        ...     print(tf.compat.v1.train.get_global_step())
        None

    See also: `tf.compat.v1.train.get_or_create_global_step`.
    """
    found = (graph or get_default_graph()).get_collection(GraphKeys.GLOBAL_STEP)
    if not found:
        return None
    step = found[0]
    if not step.dtype.is_integer:
        raise TypeError(f'Existing "global_step" does not have integer type: {step.dtype}')
    if step.shape.rank not in (0, None):
        raise TypeError(f'Existing "global_step" is not scalar: {step.shape}')
    return step


def create_global_step(graph: Any = None) -> Any:
    """Make the Variable that counts training steps.

    Args:
        graph: Graph. Default: the default graph.

    Returns:
        An int64 Variable with the value 0.

    Raises:
        ValueError: If there is one already.

    Example:
        >>> import tfpy as tf
        >>> with tf.Graph().as_default():
        ...     print(tf.compat.v1.train.create_global_step().name)
        global_step:0

    See also: `tf.compat.v1.train.get_global_step`.
    """
    found = graph or get_default_graph()
    if get_global_step(found) is not None:
        raise ValueError('"global_step" already exists.')
    keys = [GraphKeys.GLOBAL_VARIABLES, GraphKeys.GLOBAL_STEP]
    if tracing.executing_eagerly():
        step = _step(keys)
        found.add_to_collection(GraphKeys.GLOBAL_STEP, step)
        return step
    with found.as_default(), found.name_scope(None):
        return _step(keys)


def _step(keys: list[str]) -> Any:
    return get_variable(
        GraphKeys.GLOBAL_STEP, [], dtypes.int64, Zeros(), trainable=False, collections=keys
    )


def get_or_create_global_step(graph: Any = None) -> Any:
    """Return the Variable that counts training steps, and make it if it does not exist.

    Args:
        graph: Graph. Default: the default graph.

    Returns:
        An int64 Variable.

    Example:
        >>> import tfpy as tf
        >>> with tf.Graph().as_default():
        ...     print(tf.compat.v1.train.get_or_create_global_step().name)
        global_step:0

    See also: `tf.compat.v1.train.get_global_step`.
    """
    found = get_global_step(graph)
    return create_global_step(graph) if found is None else found


def global_step(sess: Any, global_step_tensor: Any) -> int:
    """Return the number of training steps in a session.

    Args:
        sess: Session. In eager execution None.
        global_step_tensor: Variable or tensor.

    Returns:
        An int.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.v1.train.global_step(None, tf.Variable(7))
        7

    See also: `tf.compat.v1.train.get_global_step`.
    """
    if tracing.executing_eagerly():
        return int(global_step_tensor.numpy())
    return int(sess.run(global_step_tensor))


_power = recorded(primitives.pow)
_exp = recorded(primitives.exp)
_floor = recorded(primitives.floor)
_cos = recorded(primitives.cos)
_minimum = recorded(primitives.minimum)
_ceil = recorded(primitives.ceil)
_equal = recorded(primitives.equal)
_cast = recorded(making.cast)
_where = recorded(slicing.where)


def _scheduled(compute: Callable[[], Any]) -> Any:
    return compute if tracing.executing_eagerly() else compute()


def _steps(step: Any, dtype: Any) -> Any:
    return _cast(step, dtype)


def exponential_decay(
    learning_rate: FloatLike,
    global_step: TensorLike,
    decay_steps: FloatLike,
    decay_rate: FloatLike,
    staircase: bool = False,
    name: str | None = None,
) -> Any:
    """Compute `learning_rate * decay_rate ** (global_step / decay_steps)`.

    Args:
        learning_rate: Initial learning rate, a number or a scalar float tensor.
        global_step: Number of training steps, a number, an integer tensor or a Variable.
        decay_steps: Number of steps after which the rate has been multiplied by `decay_rate`.
        decay_rate: Factor.
        staircase: If True, the exponent is rounded down.

    Returns:
        Scalar float tensor of a graph. In eager execution a function without arguments that returns
        it for the present step.

    Example:
        >>> import tfpy as tf
        >>> rate = tf.compat.v1.train.exponential_decay(0.1, 20, 10, 0.5)
        >>> print(rate().numpy().round(4))
        0.025

    See also: `tf.keras.optimizers.schedules.ExponentialDecay`.
    """

    def compute() -> Any:
        rate = convert_to_tensor(learning_rate)
        exponent = _steps(global_step, rate.dtype) / _steps(decay_steps, rate.dtype)
        factor = _cast(decay_rate, rate.dtype)
        return rate * _power(factor, _floor(exponent) if staircase else exponent)

    return _scheduled(compute)


def natural_exp_decay(
    learning_rate: FloatLike,
    global_step: TensorLike,
    decay_steps: FloatLike,
    decay_rate: FloatLike,
    staircase: bool = False,
    name: str | None = None,
) -> Any:
    """Compute `learning_rate * exp(-decay_rate * global_step / decay_steps)`.

    Args:
        learning_rate: Initial learning rate, a number or a scalar float tensor.
        global_step: Number of training steps, a number, an integer tensor or a Variable.
        decay_steps: Number of steps of a period.
        decay_rate: Factor of the exponent.
        staircase: If True, the number of periods is rounded down.

    Returns:
        Scalar float tensor of a graph. In eager execution a function without arguments that returns
        it for the present step.

    Example:
        >>> import tfpy as tf
        >>> rate = tf.compat.v1.train.natural_exp_decay(0.1, 10, 10, 0.5)
        >>> print(rate().numpy().round(4))
        0.0607

    See also: `tf.compat.v1.train.exponential_decay`.
    """

    def compute() -> Any:
        rate = convert_to_tensor(learning_rate)
        periods = _steps(global_step, rate.dtype) / _steps(decay_steps, rate.dtype)
        factor = _cast(decay_rate, rate.dtype)
        return rate * _exp(-factor * (_floor(periods) if staircase else periods))

    return _scheduled(compute)


def inverse_time_decay(
    learning_rate: FloatLike,
    global_step: TensorLike,
    decay_steps: FloatLike,
    decay_rate: FloatLike,
    staircase: bool = False,
    name: str | None = None,
) -> Any:
    """Compute `learning_rate / (1 + decay_rate * global_step / decay_steps)`.

    Args:
        learning_rate: Initial learning rate, a number or a scalar float tensor.
        global_step: Number of training steps, a number, an integer tensor or a Variable.
        decay_steps: Number of steps of a period.
        decay_rate: Factor of the number of periods.
        staircase: If True, the number of periods is rounded down.

    Returns:
        Scalar float tensor of a graph. In eager execution a function without arguments that returns
        it for the present step.

    Example:
        >>> import tfpy as tf
        >>> rate = tf.compat.v1.train.inverse_time_decay(0.1, 10, 10, 1.0)
        >>> print(rate().numpy().round(4))
        0.05

    See also: `tf.compat.v1.train.exponential_decay`.
    """

    def compute() -> Any:
        rate = convert_to_tensor(learning_rate)
        periods = _steps(global_step, rate.dtype) / _steps(decay_steps, rate.dtype)
        factor = _cast(decay_rate, rate.dtype)
        return rate / (factor * (_floor(periods) if staircase else periods) + 1.0)

    return _scheduled(compute)


def polynomial_decay(
    learning_rate: FloatLike,
    global_step: TensorLike,
    decay_steps: FloatLike,
    end_learning_rate: FloatLike = 0.0001,
    power: FloatLike = 1.0,
    cycle: bool = False,
    name: str | None = None,
) -> Any:
    """Compute a learning rate that decreases to an end value as a polynomial.

    Args:
        learning_rate: Initial learning rate, a number or a scalar float tensor.
        global_step: Number of training steps, a number, an integer tensor or a Variable.
        decay_steps: Number of steps until the end value.
        end_learning_rate: End value. Default: 0.0001.
        power: Degree of the polynomial. Default: 1.
        cycle: If True, begin again after the end value, with a multiple of `decay_steps`.

    Returns:
        Scalar float tensor of a graph. In eager execution a function without arguments that returns
        it for the present step.

    Example:
        >>> import tfpy as tf
        >>> rate = tf.compat.v1.train.polynomial_decay(0.1, 5, 10, 0.0)
        >>> print(rate().numpy().round(4))
        0.05

    See also: `tf.compat.v1.train.exponential_decay`.
    """

    def compute() -> Any:
        rate = convert_to_tensor(learning_rate)
        step, count = _steps(global_step, rate.dtype), _steps(decay_steps, rate.dtype)
        if cycle:
            times = _ceil(step / count)
            count = count * _where(_equal(step, 0.0), _cast(1.0, rate.dtype), times)
        else:
            step = _minimum(step, count)
        end = _cast(end_learning_rate, rate.dtype)
        share = 1.0 - step / count
        return (rate - end) * _power(share, _cast(power, rate.dtype)) + end

    return _scheduled(compute)


def cosine_decay(
    learning_rate: FloatLike,
    global_step: TensorLike,
    decay_steps: FloatLike,
    alpha: float = 0.0,
    name: str | None = None,
) -> Any:
    """Compute a learning rate that decreases as half a period of a cosine.

    Args:
        learning_rate: Initial learning rate, a number or a scalar float tensor.
        global_step: Number of training steps, a number, an integer tensor or a Variable.
        decay_steps: Number of steps until the end value.
        alpha: End value as a fraction of `learning_rate`. Default: 0.

    Returns:
        Scalar float tensor of a graph. In eager execution a function without arguments that returns
        it for the present step.

    Example:
        >>> import tfpy as tf
        >>> rate = tf.compat.v1.train.cosine_decay(0.1, 5, 10)
        >>> print(rate().numpy().round(4))
        0.05

    See also: `tf.keras.optimizers.schedules.CosineDecay`.
    """

    def compute() -> Any:
        rate = convert_to_tensor(learning_rate)
        count = _steps(decay_steps, rate.dtype)
        done = _minimum(_steps(global_step, rate.dtype), count) / count
        return rate * ((1.0 - alpha) * 0.5 * (1.0 + _cos(math.pi * done)) + alpha)

    return _scheduled(compute)


def piecewise_constant(
    x: TensorLike,
    boundaries: Sequence[float],
    values: Sequence[float],
    name: str | None = None,
) -> Any:
    """Select a value by the interval that contains a number.

    Args:
        x: Number, such as the global step. A scalar tensor or a Variable.
        boundaries: Upper bounds of the intervals (inclusive), which increase.
        values: Values, one more than boundaries.

    Returns:
        Scalar tensor of a graph. In eager execution a function without arguments that returns it
        for the present step.

    Raises:
        ValueError: If there is not one value more than boundaries.

    Example:
        >>> import tfpy as tf
        >>> rate = tf.compat.v1.train.piecewise_constant(150, [100, 200], [1.0, 0.5, 0.1])
        >>> print(rate().numpy())
        0.5

    See also: `tf.keras.optimizers.schedules.PiecewiseConstantDecay`.
    """
    if len(boundaries) != len(values) - 1:
        raise ValueError("The length of boundaries should be 1 less than the length of values")

    def compute() -> Any:
        number = convert_to_tensor(x)
        found = convert_to_tensor(values[-1])
        for bound, value in [*zip(boundaries, values[:-1], strict=True)][::-1]:
            found = _where(number <= _cast(bound, number.dtype), convert_to_tensor(value), found)
        return found

    return _scheduled(compute)


piecewise_constant_decay = piecewise_constant
