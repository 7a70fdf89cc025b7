"""`tf.compat.v1.train`: learning rates that follow a cosine, with restarts and with noise."""

from __future__ import annotations

import math
from typing import Any

from tfpy._src.base import dtypes, tracing
from tfpy._src.core import primitives
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.typing import FloatLike, TensorLike
from tfpy._src.functions.graph_mode.recording import recorded
from tfpy._src.tensors.array.making import cast
from tfpy._src.tensors.random.stateful import normal

_cast = recorded(cast)
_normal = recorded(normal)


def _scheduled(compute: Any, rate: FloatLike, *numbers: Any) -> Any:
    """Return the rate multiplied by a function of numbers; in eager execution a function."""

    def scheduled() -> Any:
        found = convert_to_tensor(rate)
        return found * recorded(compute)(*[_cast(x, found.dtype) for x in numbers])

    return scheduled if tracing.executing_eagerly() else scheduled()


def cosine_decay_restarts(
    learning_rate: FloatLike,
    global_step: TensorLike,
    first_decay_steps: FloatLike,
    t_mul: float = 2.0,
    m_mul: float = 1.0,
    alpha: float = 0.0,
    name: str | None = None,
) -> Any:
    """Compute a learning rate that decreases as half a period of a cosine, again and again.

    Args:
        learning_rate: Initial learning rate, a number or a scalar float tensor.
        global_step: Number of training steps, a number, an integer tensor or a Variable.
        first_decay_steps: Number of steps of the first period.
        t_mul: Factor of the length of each period. Default: 2.
        m_mul: Factor of the initial rate of each period. Default: 1.
        alpha: End value as a fraction of `learning_rate`. Default: 0.

    Returns:
        Scalar float tensor of a graph. In eager execution a function without arguments that returns
        it for the present step.

    Example:
        >>> import tfpy as tf
        >>> rate = tf.compat.v1.train.cosine_decay_restarts(0.1, 10, 10)
        >>> print(rate().numpy().round(4))
        0.1

    See also: `tf.compat.v1.train.cosine_decay`.
    """

    def compute(step: Any, first: Any) -> Any:
        done = step / first
        if t_mul == 1.0:
            number = primitives.floor(done)
            done = done - number
        else:
            ratio = primitives.log(1.0 - done * (1.0 - t_mul)) / math.log(t_mul)
            number = primitives.floor(ratio)
            scale = primitives.pow(cast(t_mul, step.dtype), number)
            done = (done - (1.0 - scale) / (1.0 - t_mul)) / scale
        factor = primitives.pow(cast(m_mul, step.dtype), number)
        wave = 0.5 * factor * (1.0 + primitives.cos(math.pi * done))
        return (1.0 - alpha) * wave + alpha

    return _scheduled(compute, learning_rate, global_step, first_decay_steps)


def linear_cosine_decay(
    learning_rate: FloatLike,
    global_step: TensorLike,
    decay_steps: FloatLike,
    num_periods: float = 0.5,
    alpha: float = 0.0,
    beta: float = 0.001,
    name: str | None = None,
) -> Any:
    """Compute a learning rate that is the product of a line and a cosine.

    Args:
        learning_rate: Initial learning rate, a number or a scalar float tensor.
        global_step: Number of training steps, a number, an integer tensor or a Variable.
        decay_steps: Number of steps until the end value.
        num_periods: Number of periods of the cosine. Default: 0.5.
        alpha: Addend of the line. Default: 0.
        beta: Addend of the product. Default: 0.001.

    Returns:
        Scalar float tensor of a graph. In eager execution a function without arguments that returns
        it for the present step.

    Example:
        >>> import tfpy as tf
        >>> rate = tf.compat.v1.train.linear_cosine_decay(0.1, 5, 10)
        >>> print(rate().numpy().round(4))
        0.0251

    See also: `tf.compat.v1.train.cosine_decay`.
    """

    def compute(step: Any, count: Any) -> Any:
        step = primitives.minimum(step, count)
        line, part = (count - step) / count, 2.0 * num_periods * step / count
        return (alpha + line) * 0.5 * (1.0 + primitives.cos(math.pi * part)) + beta

    return _scheduled(compute, learning_rate, global_step, decay_steps)


def noisy_linear_cosine_decay(
    learning_rate: FloatLike,
    global_step: TensorLike,
    decay_steps: FloatLike,
    initial_variance: float = 1.0,
    variance_decay: float = 0.55,
    num_periods: float = 0.5,
    alpha: float = 0.0,
    beta: float = 0.001,
    name: str | None = None,
) -> Any:
    """Compute a learning rate that is the product of a line with noise and a cosine.

    Args:
        learning_rate: Initial learning rate, a number or a scalar float tensor.
        global_step: Number of training steps, a number, an integer tensor or a Variable.
        decay_steps: Number of steps until the end value.
        initial_variance: Variance of the noise at the first step. Default: 1.
        variance_decay: Power with which the variance decreases. Default: 0.55.
        num_periods: Number of periods of the cosine. Default: 0.5.
        alpha: Addend of the line. Default: 0.
        beta: Addend of the product. Default: 0.001.

    Returns:
        Scalar float tensor of a graph. In eager execution a function without arguments that returns
        it for the present step.

    Example:
        >>> import tfpy as tf
        >>> rate = tf.compat.v1.train.noisy_linear_cosine_decay(0.1, 5, 10, initial_variance=0.0)
        >>> print(rate().numpy().round(4))
        0.0251

    See also: `tf.compat.v1.train.linear_cosine_decay`.
    """

    def compute(step: Any, count: Any) -> Any:
        step = primitives.minimum(step, count)
        variance = initial_variance / primitives.pow(1.0 + step, variance_decay)
        noise = normal([], dtype=dtypes.float32) * primitives.sqrt(variance)
        line = (count - step) / count + cast(noise, step.dtype)
        part = 2.0 * num_periods * step / count
        return (alpha + line) * 0.5 * (1.0 + primitives.cos(math.pi * part)) + beta

    return _scheduled(compute, learning_rate, global_step, decay_steps)
