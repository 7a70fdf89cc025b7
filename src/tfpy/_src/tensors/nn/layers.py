"""Bias and dropout: functions of `tf.nn`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfpy._src.base.dtypes import DType
from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ops import elementwise as ew, logic
from tfpy._src.core.conversion import as_tensors, convert_to_tensor, is_operand
from tfpy._src.core.dispatch import per_value
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import FloatLike, ShapeLike, TensorLike
from tfpy._src.tensors.array.reshaping import reshape
from tfpy._src.tensors.random import stateful
from tfpy._src.tensors.random.stateless import stateless_uniform


def bias_add(
    value: TensorLike, bias: TensorLike, data_format: str | None = None, name: str | None = None
) -> Tensor:
    """Add a bias to the channels of a tensor.

    Args:
        value: Tensor of shape `[batch, ..., channels]`, or `[batch, channels, ...]` for a format
            that begins with `"NC"`.
        bias: Tensor of shape `[channels]` and the dtype of `value`.
        data_format: Order of the axes, `"NHWC"` (default) or `"NCHW"`. Formats for other numbers of
            axes, such as `"NCW"`, are accepted as well.

    Returns:
        Tensor of the shape and dtype of `value`.

    Raises:
        tf.errors.InvalidArgumentError: If `bias` does not have the shape `[channels]`.

    Example:
        >>> import tfpy as tf
        >>> tf.nn.bias_add([[1.0, 2.0], [3.0, 4.0]], [10.0, 20.0]).numpy().tolist()
        [[11.0, 22.0], [13.0, 24.0]]

    See also: `tf.nn.conv2d`, `tf.add`.
    """
    x, b = as_tensors(ew.add, (value, bias))
    channels_first = bool(data_format and data_format.startswith("NC"))
    axis = 1 if channels_first else x.ndim - 1
    if b.ndim != 1 or x.ndim < 2 or b.aval.shape[0] != x.aval.shape[axis]:
        raise invalid(
            "bias_add",
            f"bias of shape {list(b.aval.shape)} must be a vector with the size of axis {axis} of "
            f"value, which has shape {list(x.aval.shape)}",
        )
    if channels_first:
        b = reshape(b, [-1] + [1] * (x.ndim - 2))
    return ew.add(x, b)


@per_value
def dropout(
    x: TensorLike,
    rate: FloatLike,
    noise_shape: ShapeLike | None = None,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Set elements to 0 with probability `rate` and scale the others by `1 / (1 - rate)`.

    The expected sum of the elements stays the same.

    Args:
        x: Float tensor of any shape.
        rate: Probability of dropping an element, a scalar in `[0, 1)`.
        noise_shape: Shape of the random mask, which must broadcast to the shape of `x`. Elements
            that share an entry of the mask are dropped together. Default: the shape of `x`.
        seed: Integer that makes a run of the program reproducible, even without
            `tf.random.set_seed`: successive calls with a seed return different numbers, but the
            same ones in each run. Default: the numbers differ between runs unless
            `tf.random.set_seed` was called.

    Returns:
        Float tensor of the shape and dtype of `x`.

    Raises:
        ValueError: If `x` is not a float tensor or `rate` is not in `[0, 1)`.

    Example:
        >>> import tfpy as tf
        >>> tf.random.set_seed(1)
        >>> tf.nn.dropout(tf.ones([2, 3]), rate=0.5, seed=2).numpy().tolist()
        [[0.0, 2.0, 0.0], [0.0, 0.0, 0.0]]

    See also: `tf.nn.experimental.stateless_dropout`, `tf.random.set_seed`.
    """
    return _dropped(
        x, rate, noise_shape, lambda shape, kind: stateful.uniform(shape, dtype=kind, seed=seed)
    )


def stateless_dropout(
    x: TensorLike,
    rate: FloatLike,
    seed: TensorLike,
    rng_alg: str | int | None = None,
    noise_shape: ShapeLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Apply dropout with a mask that depends only on a seed.

    Inside a `tf.function`, the seed can be a tensor that changes from call to call.

    Args:
        x: Float tensor of any shape.
        rate: Probability of dropping an element, a scalar in `[0, 1)`.
        seed: Integer tensor of shape `[2]` that determines the result.
        rng_alg: Random number algorithm, `"philox"`, `"auto_select"` or None (default). All of them
            select Philox.
        noise_shape: Shape of the random mask, which must broadcast to the shape of `x`. Elements
            that share an entry of the mask are dropped together. Default: the shape of `x`.

    Returns:
        Float tensor of the shape and dtype of `x`.

    Raises:
        ValueError: If `x` is not a float tensor or `rate` is not in `[0, 1)`.
        tf.errors.InvalidArgumentError: If `seed` does not consist of two integers.

    Example:
        >>> import tfpy as tf
        >>> x = tf.ones([2, 3])
        >>> tf.nn.experimental.stateless_dropout(x, rate=0.5, seed=[1, 2]).numpy().tolist()
        [[2.0, 0.0, 2.0], [0.0, 0.0, 2.0]]

    See also: `tf.nn.dropout`.
    """
    alg = "auto_select" if rng_alg is None else rng_alg

    def uniform(shape: Any, kind: DType) -> Tensor:
        return stateless_uniform(shape, seed, dtype=kind, alg=alg)

    return _dropped(x, rate, noise_shape, uniform)


def general_dropout(
    x: TensorLike,
    rate: FloatLike,
    uniform_sampler: Callable[..., TensorLike],
    noise_shape: ShapeLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Apply dropout with random numbers that a function of your own returns.

    Args:
        x: Float tensor of any shape.
        rate: Probability of dropping an element, a scalar in `[0, 1)`.
        uniform_sampler: Function that takes the keyword arguments `shape` and `dtype` and returns a
            tensor of random numbers in `[0, 1)`. An element of `x` is dropped if its number is less
            than `rate`.
        noise_shape: Shape of the random mask, which must broadcast to the shape of `x`. Elements
            that share an entry of the mask are dropped together. Default: the shape of `x`.

    Returns:
        Float tensor of the shape and dtype of `x`.

    Raises:
        ValueError: If `x` is not a float tensor or `rate` is not in `[0, 1)`.

    Example:
        >>> import tfpy as tf
        >>> def sampler(shape, dtype):
        ...     return tf.constant([0.2, 0.7], dtype)
        >>> y = tf.nn.experimental.general_dropout([1.0, 2.0], 0.5, uniform_sampler=sampler)
        >>> y.numpy().tolist()
        [0.0, 4.0]

    See also: `tf.nn.dropout`.
    """

    def uniform(shape: Any, kind: DType) -> Tensor:
        return convert_to_tensor(uniform_sampler(shape=shape, dtype=kind))

    return _dropped(x, rate, noise_shape, uniform)


def _dropped(
    x: Any, rate: Any, noise_shape: Any, uniform: Callable[[Any, DType], Tensor]
) -> Tensor:
    """Apply dropout with numbers from `uniform(shape, dtype)`."""
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
