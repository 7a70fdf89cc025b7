"""``tf.nn``: activations, normalisation and losses, and the windows of ``tfpy.convolution``.

Activations that are primitives (relu, elu, …) are exported from the op table.
"""

from __future__ import annotations

import math as _math
from typing import Any

from tfpy import dtypes
from tfpy import math as m
from tfpy.array.blocks import depth_to_space, space_to_batch, space_to_depth
from tfpy.array.joining import concat
from tfpy.array.making import broadcast_to, cast, expand_dims, reshape
from tfpy.array.sorting import in_top_k, top_k
from tfpy.autodiff import custom_gradient
from tfpy.core.conversion import as_tensors, convert_to_tensor
from tfpy.core.tape import stop_gradient
from tfpy.core.tensor import Tensor
from tfpy.errors import invalid
from tfpy.math import l2_normalize
from tfpy.math.counting import zero_fraction
from tfpy.nn.convolution import (
    atrous_conv2d,
    atrous_conv2d_transpose,
    conv1d,
    conv1d_transpose,
    conv2d,
    conv2d_transpose,
    conv3d,
    conv3d_transpose,
    conv_transpose,
    convolution,
    depthwise_conv2d,
    separable_conv2d,
)
from tfpy.nn.normalization import (
    batch_normalization,
    fused_batch_norm,
    local_response_normalization,
    lrn,
    moments,
    normalize_moments,
    sufficient_statistics,
    weighted_moments,
)
from tfpy.nn.pooling import (
    avg_pool,
    avg_pool1d,
    avg_pool2d,
    avg_pool3d,
    dilation2d,
    erosion2d,
    max_pool,
    max_pool1d,
    max_pool2d,
    max_pool3d,
    max_pool_with_argmax,
    pool,
)
from tfpy.ops import activation, indexing
from tfpy.ops import elementwise as ew
from tfpy.ops.families import infer

__all__ = [  # made elsewhere
    "atrous_conv2d",
    "atrous_conv2d_transpose",
    "avg_pool",
    "avg_pool1d",
    "avg_pool2d",
    "avg_pool3d",
    "batch_normalization",
    "conv1d",
    "conv1d_transpose",
    "conv2d",
    "conv2d_transpose",
    "conv3d",
    "conv3d_transpose",
    "conv_transpose",
    "convolution",
    "depth_to_space",
    "depthwise_conv2d",
    "dilation2d",
    "erosion2d",
    "fused_batch_norm",
    "in_top_k",
    "l2_normalize",
    "local_response_normalization",
    "lrn",
    "max_pool",
    "max_pool1d",
    "max_pool2d",
    "max_pool3d",
    "max_pool_with_argmax",
    "moments",
    "normalize_moments",
    "pool",
    "separable_conv2d",
    "space_to_batch",
    "space_to_depth",
    "sufficient_statistics",
    "top_k",
    "weighted_moments",
    "zero_fraction",
]

# Activations and normalisation


def bias_add(
    value: Any, bias: Any, data_format: str | None = None, name: str | None = None
) -> Tensor:
    """Adds a vector along the last dimension (the second for a format that begins with "NC").

    Raises:
        InvalidArgumentError: when ``bias`` is not a vector of the channel size.
    """
    x, b = as_tensors(ew.add, (value, bias))
    channels_first = bool(data_format and data_format.startswith("NC"))
    axis = 1 if channels_first else x.ndim - 1
    if b.ndim != 1 or x.ndim < 2 or b.shape[0] != x.shape[axis]:
        raise invalid(
            "bias_add",
            f"bias {list(b.shape)} must be a vector of the size of dimension {axis} of "
            f"value {list(x.shape)}",
        )
    if channels_first:
        b = reshape(b, [-1] + [1] * (x.ndim - 2))
    return ew.add(x, b)


def softmax(logits: Any, axis: int | None = -1, name: str | None = None) -> Tensor:
    """exp(logits) normalised to sum to 1 along an axis."""
    x, axis = convert_to_tensor(logits), -1 if axis is None else axis
    e = ew.exp(x - stop_gradient(m.reduce_max(x, axis, keepdims=True)))
    return e / m.reduce_sum(e, axis, keepdims=True)


def log_softmax(logits: Any, axis: int | None = -1, name: str | None = None) -> Tensor:
    """log of :func:`softmax`, without underflow."""
    x, axis = convert_to_tensor(logits), -1 if axis is None else axis
    shifted = x - stop_gradient(m.reduce_max(x, axis, keepdims=True))
    return shifted - ew.log(m.reduce_sum(ew.exp(shifted), axis, keepdims=True))


def gelu(features: Any, approximate: bool = False, name: str | None = None) -> Tensor:
    """features * P(X <= features) for a standard normal X (Hendrycks and Gimpel, 2016)."""
    x = convert_to_tensor(features)
    if not x.dtype.is_floating:
        raise ValueError(
            f"`features.dtype` must be a floating point tensor. Received: {x.dtype!r}; use tf.cast"
        )
    if approximate:
        return x * 0.5 * (ew.tanh((x + x * x * x * 0.044715) * 0.7978845608028654) + 1.0)
    return x * 0.5 * (ew.erf(x * 0.7071067811865476) + 1.0)


def silu(features: Any, beta: float = 1.0) -> Tensor:
    """features * sigmoid(beta * features)."""
    x = convert_to_tensor(features)
    return x * ew.sigmoid(x * cast(beta, x.dtype))


swish = silu


def leaky_relu(features: Any, alpha: float = 0.2, name: str | None = None) -> Tensor:
    """features above 0, alpha * features below; integers become float32."""
    x = convert_to_tensor(features)
    if x.dtype.is_integer:
        x = cast(x, dtypes.float32)
    return activation.leaky_relu(x, alpha=alpha)


def softsign(features: Any, name: str | None = None) -> Tensor:
    """features / (|features| + 1)."""
    x = convert_to_tensor(features)
    return x / (ew.abs_(x) + 1.0)


def crelu(features: Any, axis: int = -1, name: str | None = None) -> Tensor:
    """relu of features and of -features, side by side along an axis."""
    x = convert_to_tensor(features)
    return activation.relu(concat([x, -x], axis))


def dropout(
    x: Any, rate: Any, noise_shape: Any = None, seed: int | None = None, name: str | None = None
) -> Tensor:
    """Zeroes elements with probability ``rate`` and scales the others by 1 / (1 - rate).

    Raises:
        ValueError: when ``rate`` is not in [0, 1).
    """
    from tfpy import random

    t = convert_to_tensor(x)
    if not t.dtype.is_floating:
        raise ValueError(f"dropout: x must be a floating point tensor, got {t.dtype.name}")
    if not 0 <= rate < 1:
        raise ValueError(f"dropout: rate must be a float in the range [0, 1), got {rate}")
    if rate == 0:
        return t
    noise = random.uniform(t.shape if noise_shape is None else noise_shape, seed=seed)
    return ew.select(noise >= rate, t * (1 / (1 - rate)), 0.0)


def embedding_lookup(
    params: Any, ids: Any, max_norm: Any = None, name: str | None = None
) -> Tensor:
    """Rows of ``params`` at ``ids``, scaled down to ``max_norm`` if given."""
    rows: Tensor = indexing.gather(
        convert_to_tensor(params), convert_to_tensor(ids), axis=0, batch_dims=0
    )
    if max_norm is None:
        return rows
    length = ew.sqrt(m.reduce_sum(ew.square(rows), -1, keepdims=True))
    scale: Tensor = max_norm / ew.maximum(length, max_norm)
    return rows * scale


# Losses


def softmax_cross_entropy_with_logits(
    labels: Any, logits: Any, axis: int = -1, name: str | None = None
) -> Tensor:
    """-sum(labels * log_softmax(logits)) along an axis.

    The gradient of the logits is softmax(logits) - labels, as if each row's labels had the sum 1.

    Raises:
        InvalidArgumentError: when the shapes do not broadcast.
    """
    x, y = as_tensors(ew.add, (logits, labels))
    if y.shape != x.shape:
        shape = infer.broadcast_shapes(
            "softmax_cross_entropy_with_logits", y.aval.shape, x.aval.shape
        )
        y, x = broadcast_to(y, shape), broadcast_to(x, shape)
    loss: Tensor = _cross_entropy(y, x, axis=axis)
    return loss


@custom_gradient
def _cross_entropy(labels: Tensor, logits: Tensor, axis: int) -> Any:
    scores = log_softmax(logits, axis)

    def grad(g: Tensor) -> tuple[Tensor, Tensor]:
        upstream = expand_dims(g, axis)
        return -(upstream * scores), upstream * (ew.exp(scores) - labels)

    return -m.reduce_sum(labels * scores, axis), grad


def sparse_softmax_cross_entropy_with_logits(
    labels: Any, logits: Any, name: str | None = None
) -> Tensor:
    """Cross entropy of integer labels ``[...]`` and logits ``[..., classes]``.

    Raises:
        ValueError: when the shapes do not go together.
    """
    ids, x = convert_to_tensor(labels), convert_to_tensor(logits)
    if tuple(ids.shape) != tuple(x.shape[:-1]):
        raise ValueError(
            "`labels.shape` must equal `logits.shape` except for the last dimension. "
            f"Received: labels.shape={ids.shape} and logits.shape={x.shape}"
        )
    scores = reshape(log_softmax(x), [-1, x.shape[-1]])
    picked = (
        indexing.gather(scores, reshape(ids, [-1]), axis=1, batch_dims=0)
        if x.ndim == 1
        else (indexing.gather(scores, reshape(ids, [ids.size, 1]), axis=1, batch_dims=1))
    )
    return -reshape(picked, ids.shape)


def _of_one_shape(**operands: Any) -> tuple[Tensor, Tensor]:
    """What is wanted and what is predicted as tensors."""
    wanted, predicted = as_tensors(ew.add, tuple(operands.values()))
    if wanted.shape != predicted.shape:
        first, second = operands
        raise ValueError(
            f"`{second}` and `{first}` must have the same shape, received {predicted.shape} and "
            f"{wanted.shape}"
        )
    return wanted, predicted


def sigmoid_cross_entropy_with_logits(labels: Any, logits: Any, name: str | None = None) -> Tensor:
    """Cross entropy of independent classes: log(1 + exp(x)) - x * z.

    Raises:
        ValueError: when the shapes differ.
    """
    z, x = _of_one_shape(labels=labels, logits=logits)
    return activation.softplus(x) - x * z


def l2_loss(t: Any, name: str | None = None) -> Tensor:
    """sum(t ** 2) / 2.

    Raises:
        InvalidArgumentError: when ``t`` is not of floats.
    """
    x = convert_to_tensor(t)
    infer.check_dtype("l2_loss", x.aval, infer.FLOAT, "t")
    return m.reduce_sum(ew.square(x)) * 0.5


def weighted_cross_entropy_with_logits(
    labels: Any, logits: Any, pos_weight: Any, name: str | None = None
) -> Tensor:
    """Sigmoid cross entropy in which positive labels count ``pos_weight`` times.

    Raises:
        ValueError: when the shapes differ.
    """
    z, x = _of_one_shape(labels=labels, logits=logits)
    weight = 1 + (pos_weight - 1) * z
    return ew.add((1 - z) * x, weight * (ew.log1p(ew.exp(-ew.abs_(x))) + activation.relu(-x)))


def log_poisson_loss(
    targets: Any, log_input: Any, compute_full_loss: bool = False, name: str | None = None
) -> Tensor:
    """exp(log_input) - targets * log_input, and Stirling's log(targets!) if asked for.

    Raises:
        ValueError: when the shapes differ.
    """
    z, x = _of_one_shape(targets=targets, log_input=log_input)
    loss = ew.exp(x) - x * z
    if not compute_full_loss:
        return loss
    small = ew.logical_and(z >= 0, z <= 1)
    safe = ew.select(small, 1.0, z)
    factorial = safe * ew.log(safe) - safe + 0.5 * ew.log(2 * _math.pi * safe)
    return loss + ew.select(small, 0.0, factorial)


def compute_average_loss(
    per_example_loss: Any, sample_weight: Any = None, global_batch_size: int | None = None
) -> Tensor:
    """Sum of weighted losses divided by the batch size."""
    loss = cast(per_example_loss, dtypes.float32)
    if sample_weight is not None:
        weight = convert_to_tensor(sample_weight, dtypes.float32)
        extra = [1] * (loss.ndim - weight.ndim)
        loss = loss * reshape(weight, [*weight.shape, *extra])
    count = loss.shape[0] if global_batch_size is None and loss.ndim else global_batch_size or 1
    return m.reduce_sum(loss) / float(count)
