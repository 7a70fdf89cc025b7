"""Activations of `tf.nn` that are composed from primitives."""

from __future__ import annotations

import math
from typing import Any

from tfpy._src.base import dtypes
from tfpy._src.compiler.ops import activation, elementwise as ew, special, trigonometry
from tfpy._src.compiler.ops.families import infer
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.dispatch import dispatchable, implements, per_value
from tfpy._src.core.tape import stop_gradient
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import FloatLike, TensorLike
from tfpy._src.tensors.array.joining import concat
from tfpy._src.tensors.array.making import cast
from tfpy._src.tensors.array.static import static_int
from tfpy._src.tensors.autodiff.custom import custom_gradient
from tfpy._src.tensors.composite.ragged.tensor import RaggedTensor
from tfpy._src.tensors.math import reductions


def _logits(op: str, logits: Any) -> Tensor:
    """Convert logits to a float tensor."""
    x = convert_to_tensor(logits)
    infer.check_dtype(op, x.aval, infer.FLOAT, "logits")
    return x


def _one_axis(axis: Any) -> int:
    """Return the axis of a softmax, the last one if `axis` is None.

    Raises:
        TypeError: If `axis` is a list.
    """
    return -1 if axis is None else static_int(axis)


@dispatchable
def softmax(logits: TensorLike, axis: int | None = -1, name: str | None = None) -> Tensor:
    """Compute the softmax, `exp(logits) / sum(exp(logits))`, along an axis.

    The maximum along the axis is subtracted first, so large logits do not overflow. A
    `tf.RaggedTensor` is normalized along its last axis.

    Args:
        logits: Float tensor of shape `[..., classes]` (for the default `axis`).
        axis: Axis of the classes. Negative values count from the end. Default: the last axis.

    Returns:
        Float tensor of the shape and dtype of `logits`.

    Raises:
        tf.errors.InvalidArgumentError: If `logits` are not floats.
        TypeError: If `axis` is not a single integer.

    Example:
        >>> import tfpy as tf
        >>> tf.nn.softmax([1.0, 2.0, 3.0]).numpy().round(3)
        array([0.09 , 0.245, 0.665], dtype=float32)

    See also: `tf.nn.log_softmax`, `tf.nn.softmax_cross_entropy_with_logits`.
    """
    result: Tensor = _softmax(_logits("softmax", logits), axis=_one_axis(axis))
    return result


@custom_gradient
def _softmax(logits: Tensor, axis: int) -> Any:
    """Compute a softmax with a gradient that needs only its result."""
    e = ew.exp(logits - reductions.reduce_max(logits, axis, keepdims=True))
    y = e / reductions.reduce_sum(e, axis, keepdims=True)

    def grad(g: Tensor) -> Tensor:
        return (g - reductions.reduce_sum(g * y, axis, keepdims=True)) * y

    return y, grad


@implements(softmax, RaggedTensor)
def _ragged_softmax(logits: Any, axis: Any = None, name: str | None = None) -> Any:
    """Compute the softmax over the innermost ragged axis; absent values count as minus infinity."""
    if axis not in (None, -1, logits.ndim - 1):
        raise ValueError("softmax: the axis of a RaggedTensor must be its last one; omit it.")
    peak = stop_gradient(reductions.reduce_max(logits, -1, True))
    powers = ew.exp(logits - peak)
    return powers / reductions.reduce_sum(powers, -1, True)


def log_softmax(logits: TensorLike, axis: int | None = -1, name: str | None = None) -> Tensor:
    """Compute the logarithm of the softmax in a numerically stable way.

    Unlike `tf.math.log(tf.nn.softmax(logits))`, the result is finite even for probabilities that
    are rounded to 0.

    Args:
        logits: Float tensor of shape `[..., classes]` (for the default `axis`).
        axis: Axis of the classes. Negative values count from the end. Default: the last axis.

    Returns:
        Float tensor of the shape and dtype of `logits`.

    Raises:
        tf.errors.InvalidArgumentError: If `logits` are not floats.
        TypeError: If `axis` is not a single integer.

    Example:
        >>> import tfpy as tf
        >>> tf.nn.log_softmax([0.0, 1000.0]).numpy().tolist()
        [-1000.0, 0.0]

    See also: `tf.nn.softmax`.
    """
    x, axis = _logits("log_softmax", logits), _one_axis(axis)
    shifted = x - stop_gradient(reductions.reduce_max(x, axis, keepdims=True))
    return shifted - ew.log(reductions.reduce_sum(ew.exp(shifted), axis, keepdims=True))


@per_value
def gelu(features: TensorLike, approximate: bool = False, name: str | None = None) -> Tensor:
    """Compute the Gaussian error linear unit (GELU).

    The result is `features * P(X <= features)`, where `X` has the standard normal distribution. See
    Hendrycks and Gimpel, "Gaussian Error Linear Units" (2016).

    Args:
        features: Float tensor of any shape.
        approximate: If True, use an approximation with `tanh`. If False (default), use the exact
            formula.

    Returns:
        Float tensor of the shape and dtype of `features`.

    Raises:
        ValueError: If `features` are not floats.

    Example:
        >>> import tfpy as tf
        >>> tf.nn.gelu([-1.0, 0.0, 1.0]).numpy().round(3)
        array([-0.159,  0.   ,  0.841], dtype=float32)

    See also: `tf.nn.relu`, `tf.nn.silu`.
    """
    x = convert_to_tensor(features)
    if not x.dtype.is_floating:
        raise ValueError(
            f"`features.dtype` must be a floating point tensor. Received: {x.dtype!r}; use tf.cast"
        )
    if approximate:
        return (
            x
            * 0.5
            * (trigonometry.tanh((x + x * x * x * 0.044715) * math.sqrt(2.0 / math.pi)) + 1.0)
        )
    return x * 0.5 * special.erfc(x * -math.sqrt(0.5))


@per_value
def silu(features: TensorLike, beta: FloatLike = 1.0) -> Tensor:
    """Compute `features * sigmoid(beta * features)`, which is also called Swish.

    Args:
        features: Float tensor of any shape.
        beta: Factor of the argument of the sigmoid, a scalar. Default: 1.

    Returns:
        Float tensor of the shape and dtype of `features`.

    Example:
        >>> import tfpy as tf
        >>> tf.nn.silu([-1.0, 0.0, 1.0]).numpy().round(3)
        array([-0.269,  0.   ,  0.731], dtype=float32)

    See also: `tf.nn.sigmoid`, `tf.nn.gelu`.
    """
    x = convert_to_tensor(features)
    return x * activation.sigmoid(x * cast(beta, x.dtype))


swish = silu


@per_value
def leaky_relu(features: TensorLike, alpha: float = 0.2, name: str | None = None) -> Tensor:
    """Compute `features` where they are positive and `alpha * features` elsewhere.

    Args:
        features: Float or integer tensor of any shape. Integers are converted to float32.
        alpha: Slope for negative features. Default: 0.2.

    Returns:
        Float tensor of the shape of `features`.

    Example:
        >>> import tfpy as tf
        >>> tf.nn.leaky_relu([-2.0, 0.0, 3.0], alpha=0.5).numpy().tolist()
        [-1.0, 0.0, 3.0]

    See also: `tf.nn.relu`, `tf.nn.elu`.
    """
    x = convert_to_tensor(features)
    if x.dtype.is_integer:
        x = cast(x, dtypes.float32)
    return activation.leaky_relu(x, alpha=alpha)


def softsign(features: TensorLike, name: str | None = None) -> Tensor:
    """Compute `features / (abs(features) + 1)`.

    Args:
        features: Float tensor of any shape.

    Returns:
        Float tensor of the shape and dtype of `features`.

    Raises:
        tf.errors.InvalidArgumentError: If `features` is not a float tensor.

    Example:
        >>> import tfpy as tf
        >>> tf.nn.softsign([-3.0, 0.0, 1.0]).numpy().tolist()
        [-0.75, 0.0, 0.5]

    See also: `tf.nn.softplus`, `tf.nn.tanh`.
    """
    x = convert_to_tensor(features)
    infer.check_dtype("softsign", x.aval, infer.FLOAT, "features")
    result: Tensor = _softsign(x)
    return result


@custom_gradient
def _softsign(x: Tensor) -> Any:
    """Compute softsign with a gradient that is 0 at infinity."""
    scale = ew.abs_(x) + 1.0
    return x / scale, lambda g: g / ew.square(scale)  # 0 at infinity; x / scale is NaN


@per_value
def crelu(features: TensorLike, axis: int = -1, name: str | None = None) -> Tensor:
    """Concatenate `relu(features)` and `relu(-features)` along an axis.

    Args:
        features: Float tensor of any shape.
        axis: Axis to concatenate along. Negative values count from the end. Default: the last axis.

    Returns:
        Float tensor of the dtype of `features` and, except for `axis`, of the shape of `features`.
        The dimension of `axis` is doubled.

    Example:
        >>> import tfpy as tf
        >>> tf.nn.crelu([-1.0, 2.0]).numpy().tolist()
        [0.0, 2.0, 1.0, 0.0]

    See also: `tf.nn.relu`.
    """
    x = convert_to_tensor(features)
    return activation.relu(concat([x, -x], axis))
