"""Grayscale morphology of images: functions of `tf.nn`."""

from __future__ import annotations

from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ops import convolution
from tfpy._src.compiler.ops.patches import at_first_maximum, padded_windows
from tfpy._src.core.conversion import as_tensors
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import Strides, TensorLike
from tfpy._src.tensors.array.reordering import reverse
from tfpy._src.tensors.array.reshaping import reshape
from tfpy._src.tensors.array.static import attribute_ints
from tfpy._src.tensors.nn.data_format import DataFormat
from tfpy._src.tensors.nn.pooling_windows import lowest

__all__ = [
    "dilation2d",
    "erosion2d",
]


def dilation2d(
    input: TensorLike,
    filters: TensorLike,
    strides: Strides,
    padding: str,
    data_format: str,
    dilations: Strides,
    name: str | None = None,
) -> Tensor:
    """Compute a grayscale dilation, the maximum of `input + filters` in each window.

    Args:
        input: Float or integer tensor of shape `[batch, height, width, channels]`.
        filters: Tensor of shape `[height, width, channels]` and the dtype of `input`.
        strides: Step of the window, four integers, one for each axis of the input. The first and
            the last one must be 1.
        padding: `"SAME"` or `"VALID"`.
        data_format: Order of the axes. Only `"NHWC"` is supported.
        dilations: Distance between the taps of the filter, in the same form as `strides`.

    Returns:
        Tensor of shape `[batch, out_height, out_width, channels]` and the dtype of `input`.

    Raises:
        ValueError: If `data_format` is not `"NHWC"`.
        tf.errors.InvalidArgumentError: If the numbers of channels differ, or if `strides` or
            `dilations` does not have four integers.

    Example:
        >>> import tfpy as tf
        >>> x = tf.reshape(tf.range(9.0), [1, 3, 3, 1])
        >>> ones = [1, 1, 1, 1]
        >>> y = tf.nn.dilation2d(x, tf.zeros([2, 2, 1]), ones, "VALID", "NHWC", dilations=ones)
        >>> tf.reshape(y, [2, 2]).numpy().tolist()
        [[4.0, 5.0], [7.0, 8.0]]

    See also: `tf.nn.erosion2d`, `tf.nn.max_pool2d`.
    """
    if data_format != "NHWC":
        raise ValueError("dilation2d: Data formats other than NHWC are not yet supported")
    for what, value in (("strides", strides), ("dilations", dilations)):
        if len(attribute_ints(value)) != 4:
            raise invalid("dilation2d", f"{what} must have 4 numbers, got {value}")
    x, f = as_tensors(convolution.conv2d, (input, filters))
    form = DataFormat.of("dilation2d", 2, data_format)
    x = form.channels_last(x)
    if f.ndim != 3 or f.aval.shape[2] != x.aval.shape[3]:
        raise invalid(
            "dilation2d",
            f"filter must have shape [h, w, {x.shape[3]}] for an input of shape {list(x.shape)}, "
            f"got {list(f.shape)}",
        )
    ksize = tuple(f.aval.shape[:2])
    step, spread, pads = form.window(tuple(x.aval.shape[1:3]), ksize, strides, padding, dilations)
    sums = padded_windows(x, ksize, step, spread, pads, lowest(x))
    sums = sums + reshape(f, [ksize[0] * ksize[1], f.aval.shape[2]])
    largest: Tensor = at_first_maximum(sums, sums)
    return largest


def erosion2d(
    value: TensorLike,
    filters: TensorLike,
    strides: Strides,
    padding: str,
    data_format: str,
    dilations: Strides,
    name: str | None = None,
) -> Tensor:
    """Compute a grayscale erosion, the minimum of `value - filters` in each window.

    The filters are reversed along height and width, so that erosion is the dual of
    `tf.nn.dilation2d`.

    Args:
        value: Float or integer tensor of shape `[batch, height, width, channels]`.
        filters: Tensor of shape `[height, width, channels]` and the dtype of `value`.
        strides: Step of the window, four integers, one for each axis of the input. The first and
            the last one must be 1.
        padding: `"SAME"` or `"VALID"`.
        data_format: Order of the axes. Only `"NHWC"` is supported.
        dilations: Distance between the taps of the filter, in the same form as `strides`.

    Returns:
        Tensor of shape `[batch, out_height, out_width, channels]` and the dtype of `value`.

    Raises:
        ValueError: If `data_format` is not `"NHWC"`.
        tf.errors.InvalidArgumentError: If the numbers of channels differ, or if `strides` or
            `dilations` does not have four integers.

    Example:
        >>> import tfpy as tf
        >>> x = tf.reshape(tf.range(1.0, 10.0), [1, 3, 3, 1])
        >>> ones = [1, 1, 1, 1]
        >>> y = tf.nn.erosion2d(x, tf.zeros([2, 2, 1]), ones, "VALID", "NHWC", dilations=ones)
        >>> tf.reshape(y, [2, 2]).numpy().tolist()
        [[1.0, 2.0], [4.0, 5.0]]

    See also: `tf.nn.dilation2d`.
    """
    x, f = as_tensors(convolution.conv2d, (value, filters))
    return -dilation2d(-x, reverse(f, [0, 1]), strides, padding, data_format, dilations)
