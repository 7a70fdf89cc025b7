"""Bias and dropout: functions of ``tf.nn``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfpy._src.base.dtypes import DType
from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ops import elementwise as ew, logic
from tfpy._src.core.conversion import as_tensors, convert_to_tensor, is_operand
from tfpy._src.core.dispatch import per_value
from tfpy._src.core.tensor import Tensor
from tfpy._src.tensors.array.reshaping import reshape
from tfpy._src.tensors.random import stateful
from tfpy._src.tensors.random.stateless import stateless_uniform


def bias_add(
    value: Any, bias: Any, data_format: str | None = None, name: str | None = None
) -> Tensor:
    """Adds a vector along the last dimension (the second for a format that begins with "NC").

    Args:
        data_format: "NHWC" and its like, or "NCHW" with the channels first.

    Raises:
        InvalidArgumentError: when ``bias`` is not a vector of the channel size.

    Example:
        >>> import tfpy as tf
        >>> tf.nn.bias_add([[1.0, 2.0], [3.0, 4.0]], [10.0, 20.0]).numpy().tolist()
        [[11.0, 22.0], [13.0, 24.0]]
    """
    x, b = as_tensors(ew.add, (value, bias))
    channels_first = bool(data_format and data_format.startswith("NC"))
    axis = 1 if channels_first else x.ndim - 1
    if b.ndim != 1 or x.ndim < 2 or b.aval.shape[0] != x.aval.shape[axis]:
        raise invalid(
            "bias_add",
            f"bias {list(b.aval.shape)} must be a vector of the size of dimension {axis} of "
            f"value {list(x.aval.shape)}",
        )
    if channels_first:
        b = reshape(b, [-1] + [1] * (x.ndim - 2))
    return ew.add(x, b)


@per_value
def dropout(
    x: Any, rate: Any, noise_shape: Any = None, seed: int | None = None, name: str | None = None
) -> Tensor:
    """Zeroes elements with probability ``rate`` and scales the others by 1 / (1 - rate).

    Args:
        seed: with ``tf.random.set_seed``, what makes the numbers repeatable; each call goes on from
            the last one.

    Raises:
        ValueError: when ``rate`` is not in [0, 1).

    Example:
        >>> import tfpy as tf
        >>> tf.nn.dropout(tf.ones([2, 3]), rate=0.5).shape
        TensorShape([2, 3])
    """
    return _dropped(
        x, rate, noise_shape, lambda shape, kind: stateful.uniform(shape, dtype=kind, seed=seed)
    )


def stateless_dropout(
    x: Any,
    rate: Any,
    seed: Any,
    rng_alg: Any = None,
    noise_shape: Any = None,
    name: str | None = None,
) -> Tensor:
    """:func:`dropout` whose choice is a function of a seed of two integers.

    Args:
        seed: int32 [2]; within ``tf.function`` it may be a tensor that differs from call to call.
        rng_alg: "philox" or None.

    Raises:
        ValueError: when ``rate`` is not in [0, 1).
        InvalidArgumentError: when ``seed`` is not two integers.

    Example:
        >>> import tfpy as tf
        >>> x = tf.ones([2, 3])
        >>> tf.nn.experimental.stateless_dropout(x, rate=0.5, seed=[1, 2]).numpy().tolist()
        [[2.0, 0.0, 2.0], [0.0, 0.0, 2.0]]
    """
    alg = "auto_select" if rng_alg is None else rng_alg

    def uniform(shape: Any, kind: DType) -> Tensor:
        return stateless_uniform(shape, seed, dtype=kind, alg=alg)

    return _dropped(x, rate, noise_shape, uniform)


def general_dropout(
    x: Any, rate: Any, uniform_sampler: Any, noise_shape: Any = None, name: str | None = None
) -> Tensor:
    """:func:`dropout` with ``uniform_sampler(shape, dtype)`` in place of random numbers.

    Args:
        rate: the share of elements that become zero, from 0 to 1.

    Example:
        >>> import tfpy as tf
        >>> def sampler(shape, dtype):
        ...     return tf.constant([0.2, 0.7], dtype)
        >>> y = tf.nn.experimental.general_dropout([1.0, 2.0], 0.5, uniform_sampler=sampler)
        >>> y.numpy().tolist()
        [0.0, 4.0]
    """

    def uniform(shape: Any, kind: DType) -> Tensor:
        return convert_to_tensor(uniform_sampler(shape=shape, dtype=kind))

    return _dropped(x, rate, noise_shape, uniform)


def _dropped(
    x: Any, rate: Any, noise_shape: Any, uniform: Callable[[Any, DType], Tensor]
) -> Tensor:
    t = convert_to_tensor(x)
    if not t.dtype.is_floating:
        raise ValueError(f"dropout: x must be a floating point tensor, got {t.dtype.name}")
    if is_operand(rate):
        rate = convert_to_tensor(rate, t.dtype)
    elif not 0 <= rate < 1:
        raise ValueError(f"dropout: rate must be a float in the range [0, 1), got {rate}")
    elif rate == 0:
        return t
    noise = uniform(t.aval.shape if noise_shape is None else noise_shape, t.dtype)
    return logic.select(noise >= rate, t * (1 / (1 - rate)), 0.0)
