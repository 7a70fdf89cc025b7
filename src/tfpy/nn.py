"""``tf.nn``: convolution, pooling, activations, normalisation and losses.

Activations that are primitives (relu, elu, …) are exported from the op table.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfpy import math as m
from tfpy.array import reshape, static_ints, transpose
from tfpy.autodiff import stop_gradient
from tfpy.blocks import depth_to_space, space_to_batch, space_to_depth
from tfpy.convert import as_tensors, convert_to_tensor
from tfpy.errors import invalid
from tfpy.linalg import l2_normalize
from tfpy.ops import elementwise as ew
from tfpy.ops import indexing, window
from tfpy.ops.window import Padding, Pair, same_padding
from tfpy.sorting import in_top_k, top_k
from tfpy.tensor import Tensor

__all__ = [  # made elsewhere
    "depth_to_space",
    "in_top_k",
    "l2_normalize",
    "space_to_batch",
    "space_to_depth",
    "top_k",
]

_NCHW_TO_NHWC = (0, 2, 3, 1)
_NHWC_TO_NCHW = (0, 3, 1, 2)


# Windows


def _spatial(op: str, what: str, value: Any, nchw: bool) -> Pair:
    """Two spatial numbers from an int, a pair, or four in data order."""
    values = static_ints(value)
    if len(values) == 1:
        values = values * 2
    if len(values) == 4:
        if values[0] != 1 or values[1 if nchw else 3] != 1:
            raise invalid(op, f"{what} {list(values)} must be 1 in the batch and depth dimensions")
        values = values[2:] if nchw else values[1:3]
    if len(values) != 2:
        raise ValueError(f"{op}: {what} should be of length 1, 2 or 4 but was {len(values)}")
    return values[0], values[1]


def _padding(
    op: str, padding: Any, nchw: bool, size: Pair, ksize: Pair, strides: Pair, dilations: Pair
) -> Padding:
    """Explicit pads for "SAME", "VALID" or a list of four pairs in data order."""
    if isinstance(padding, str):
        kind = padding.upper()
        if kind == "VALID":
            return (0, 0), (0, 0)
        if kind == "SAME":
            return same_padding(size, ksize, strides, dilations)
        raise ValueError(
            f"{op}: padding must be 'SAME', 'VALID' or a list of pairs, got {padding!r}"
        )
    pairs = [tuple(int(v) for v in p) for p in padding]
    if len(pairs) != 4 or any(len(p) != 2 for p in pairs):
        raise ValueError(f"{op}: explicit padding needs four pairs, got {padding!r}")
    (top, bottom), (left, right) = pairs[2:] if nchw else pairs[1:3]
    return (top, bottom), (left, right)


def _is_nchw(op: str, data_format: str | None) -> bool:
    if data_format not in (None, "NHWC", "NCHW"):
        raise ValueError(f"{op}: data_format must be 'NHWC' or 'NCHW', got {data_format!r}")
    return data_format == "NCHW"


def _image(op: str, x: Tensor, nchw: bool) -> Tensor:
    if x.ndim != 4:
        raise invalid(op, f"input must be 4-dimensional, got shape {list(x.shape)}")
    return transpose(x, _NCHW_TO_NHWC) if nchw else x


def _convolve(
    name: str,
    op: Callable[..., Tensor],
    input: Any,
    filters: Any,
    strides: Any,
    padding: Any,
    data_format: str | None,
    dilations: Any,
) -> Tensor:
    x, f = as_tensors(window.conv2d, (input, filters))
    nchw = _is_nchw(name, data_format)
    x = _image(name, x, nchw)
    if f.ndim != 4:
        raise invalid(name, f"filter must be 4-dimensional, got shape {list(f.shape)}")
    step = _spatial(name, "strides", strides, nchw)
    spread = _spatial(name, "dilations", 1 if dilations is None else dilations, nchw)
    size, ksize = (x.shape[1], x.shape[2]), (f.shape[0], f.shape[1])
    pads = _padding(name, padding, nchw, size, ksize, step, spread)
    y = op(x, f, strides=step, dilations=spread, padding=pads)
    return transpose(y, _NHWC_TO_NCHW) if nchw else y


def conv2d(
    input: Any,
    filters: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """2-D convolution of ``[batch, h, w, c]`` with filters ``[h, w, c / groups, out]``.

    Args:
        padding: "SAME", "VALID" or four pairs in the order of the data format.

    Raises:
        InvalidArgumentError: when depths do not go together or the window exceeds the image.
    """
    return _convolve(
        "conv2d", window.conv2d, input, filters, strides, padding, data_format, dilations
    )


def depthwise_conv2d(
    input: Any,
    filter: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = None,
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """Each channel with its own filters ``[h, w, c, multiplier]``; gives ``c * multiplier``."""
    return _convolve(
        "depthwise_conv2d",
        window.depthwise_conv2d,
        input,
        filter,
        strides,
        padding,
        data_format,
        dilations,
    )


def separable_conv2d(
    input: Any,
    depthwise_filter: Any,
    pointwise_filter: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = None,
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """:func:`depthwise_conv2d`, then a 1x1 convolution."""
    y = depthwise_conv2d(input, depthwise_filter, strides, padding, data_format, dilations)
    return conv2d(y, pointwise_filter, 1, "VALID", data_format or "NHWC")


def conv2d_transpose(
    input: Any,
    filters: Any,
    output_shape: Any,
    strides: Any,
    padding: Any = "SAME",
    data_format: str = "NHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """The gradient of :func:`conv2d` to its input; filters are ``[h, w, out, in]``."""
    x, f = as_tensors(window.conv2d, (input, filters))
    nchw = _is_nchw("conv2d_transpose", data_format)
    x = _image("conv2d_transpose", x, nchw)
    out = static_ints(output_shape)
    if nchw:
        out = tuple(out[i] for i in _NCHW_TO_NHWC)
    step = _spatial("conv2d_transpose", "strides", strides, nchw)
    spread = _spatial("conv2d_transpose", "dilations", dilations or 1, nchw)
    ksize = f.shape[0], f.shape[1]
    pads = _padding("conv2d_transpose", padding, nchw, out[1:3], ksize, step, spread)  # type: ignore[arg-type]
    y = window.conv2d_backprop_input(
        x, f, input_shape=out, strides=step, dilations=spread, padding=pads
    )
    return transpose(y, _NHWC_TO_NCHW) if nchw else y


def _pool(
    name: str,
    op: Callable[..., Tensor],
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str | None,
) -> Tensor:
    nchw = _is_nchw(name, data_format)
    x = _image(name, convert_to_tensor(input), nchw)
    extent = _spatial(name, "ksize", ksize, nchw)
    step = _spatial(name, "strides", strides, nchw)
    pads = _padding(name, padding, nchw, (x.shape[1], x.shape[2]), extent, step, (1, 1))
    y = op(x, ksize=extent, strides=step, dilations=(1, 1), padding=pads)
    return transpose(y, _NHWC_TO_NCHW) if nchw else y


def max_pool2d(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    name: str | None = None,
) -> Tensor:
    """The largest element of each window of ``[batch, h, w, c]``."""
    return _pool("max_pool2d", window.max_pool, input, ksize, strides, padding, data_format)


def avg_pool2d(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    name: str | None = None,
) -> Tensor:
    """The mean of each window of ``[batch, h, w, c]``; padding does not count."""
    return _pool("avg_pool2d", window.avg_pool, input, ksize, strides, padding, data_format)


max_pool = max_pool2d
avg_pool = avg_pool2d


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


def softmax(logits: Any, axis: int = -1, name: str | None = None) -> Tensor:
    """exp(logits) normalised to sum to 1 along an axis."""
    x = convert_to_tensor(logits)
    e = ew.exp(x - stop_gradient(m.reduce_max(x, axis, keepdims=True)))
    return e / m.reduce_sum(e, axis, keepdims=True)


def log_softmax(logits: Any, axis: int = -1, name: str | None = None) -> Tensor:
    """log of :func:`softmax`, without underflow."""
    x = convert_to_tensor(logits)
    shifted = x - stop_gradient(m.reduce_max(x, axis, keepdims=True))
    return shifted - ew.log(m.reduce_sum(ew.exp(shifted), axis, keepdims=True))


def gelu(features: Any, approximate: bool = False, name: str | None = None) -> Tensor:
    """features * P(X <= features) for a standard normal X (Hendrycks and Gimpel, 2016)."""
    x = convert_to_tensor(features)
    if approximate:
        return x * 0.5 * (ew.tanh((x + x * x * x * 0.044715) * 0.7978845608028654) + 1.0)
    return x * 0.5 * (ew.erf(x * 0.7071067811865476) + 1.0)


def silu(features: Any, beta: float = 1.0) -> Tensor:
    """features * sigmoid(beta * features)."""
    x = convert_to_tensor(features)
    return x * ew.sigmoid(x * beta)


swish = silu


def softsign(features: Any, name: str | None = None) -> Tensor:
    """features / (|features| + 1)."""
    x = convert_to_tensor(features)
    return x / (ew.abs_(x) + 1.0)


def moments(
    x: Any, axes: Any, shift: Any = None, keepdims: bool = False, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """Mean and variance over the axes."""
    t = convert_to_tensor(x)
    mean = m.reduce_mean(t, axes, keepdims=True)
    variance = m.reduce_mean(ew.squared_difference(t, stop_gradient(mean)), axes, keepdims)
    return (mean if keepdims else reshape(mean, variance.shape)), variance


def batch_normalization(
    x: Any,
    mean: Any,
    variance: Any,
    offset: Any,
    scale: Any,
    variance_epsilon: float,
    name: str | None = None,
) -> Tensor:
    """(x - mean) / sqrt(variance + epsilon) * scale + offset, with broadcasting."""
    factor = ew.rsqrt(convert_to_tensor(variance) + variance_epsilon)
    if scale is not None:
        factor = factor * scale
    shift = -convert_to_tensor(mean) * factor
    if offset is not None:
        shift = shift + offset
    return convert_to_tensor(x) * factor + shift


def dropout(
    x: Any, rate: Any, noise_shape: Any = None, seed: int | None = None, name: str | None = None
) -> Tensor:
    """Zeroes elements with probability ``rate`` and scales the others by 1 / (1 - rate).

    Raises:
        ValueError: when ``rate`` is not in [0, 1).
    """
    from tfpy import random

    t = convert_to_tensor(x)
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
    rows: Tensor = indexing.gather(params, convert_to_tensor(ids), axis=0, batch_dims=0)
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

    Raises:
        InvalidArgumentError: when the shapes do not broadcast.
    """
    y, x = as_tensors(ew.add, (labels, logits))
    return -m.reduce_sum(y * log_softmax(x, axis), axis)


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


def sigmoid_cross_entropy_with_logits(labels: Any, logits: Any, name: str | None = None) -> Tensor:
    """Cross entropy of independent classes: max(x, 0) - x * z + log(1 + exp(-|x|)).

    Raises:
        ValueError: when the shapes differ.
    """
    z, x = as_tensors(ew.add, (labels, logits))
    if z.shape != x.shape:
        raise ValueError(
            f"`logits` and `labels` must have the same shape, received {x.shape} and {z.shape}"
        )
    return ew.relu(x) - x * z + ew.softplus(-ew.abs_(x))


def l2_loss(t: Any, name: str | None = None) -> Tensor:
    """sum(t ** 2) / 2."""
    return m.reduce_sum(ew.square(t)) * 0.5
