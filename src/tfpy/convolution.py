"""Convolution and pooling of ``tf.nn``: padding names, data formats and forms of strides."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfpy.array import static_ints, transpose
from tfpy.convert import as_tensors, convert_to_tensor
from tfpy.errors import invalid
from tfpy.ops import pooling, window
from tfpy.ops.window import Padding, Pair, same_padding
from tfpy.tensor import Tensor

_NCHW_TO_NHWC = (0, 2, 3, 1)
_NHWC_TO_NCHW = (0, 3, 1, 2)


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
        raise invalid(op, f"padding must be 'SAME', 'VALID' or a list of pairs, got {padding!r}")
    pairs = [tuple(int(v) for v in p) for p in padding]
    if len(pairs) != 4 or any(len(p) != 2 for p in pairs):
        raise ValueError(f"{op}: explicit padding needs four pairs, got {padding!r}")
    (top, bottom), (left, right) = pairs[2:] if nchw else pairs[1:3]
    return (top, bottom), (left, right)


def _is_nchw(op: str, data_format: str | None) -> bool:
    if data_format not in (None, "NHWC", "NCHW"):
        raise invalid(op, f"data_format must be 'NHWC' or 'NCHW', got {data_format!r}")
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
    return _pool("max_pool2d", pooling.max_pool, input, ksize, strides, padding, data_format)


def avg_pool2d(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    name: str | None = None,
) -> Tensor:
    """The mean of each window of ``[batch, h, w, c]``; padding does not count."""
    return _pool("avg_pool2d", pooling.avg_pool, input, ksize, strides, padding, data_format)


max_pool = max_pool2d
avg_pool = avg_pool2d
