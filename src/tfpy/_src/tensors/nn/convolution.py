"""Convolutions of one, two and three spatial dimensions: functions of `tf.nn`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ops import convolution as primitives
from tfpy._src.compiler.ops.concatenation import without_elements
from tfpy._src.compiler.ops.failing import failing
from tfpy._src.compiler.ops.window import Window
from tfpy._src.core.conversion import as_tensors
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import Padding, Strides, TensorLike
from tfpy._src.tensors.array.reshaping import reshape
from tfpy._src.tensors.nn.convolution_ranks import convolve
from tfpy._src.tensors.nn.data_format import DataFormat, flat_batch, spatial_rank

__all__ = [
    "atrous_conv2d", "conv1d", "conv2d", "conv3d", "convolution", "depthwise_conv2d",
    "separable_conv2d",
]  # fmt: skip


def _convolve(
    name: str,
    rank: int,
    op: Callable[..., Tensor],
    input: Any,
    filters: Any,
    strides: Any,
    padding: Any,
    data_format: str | None,
    dilations: Any,
) -> Tensor:
    """Compute a convolution in any data format, with any leading axes if the channels are last."""
    x, f = as_tensors(primitives.conv2d, (input, filters))
    form = DataFormat.of(name, rank, data_format)
    if f.ndim != rank + 2:
        raise invalid(
            name, f"filter must be {rank + 2}-dimensional, got shape {list(f.aval.shape)}"
        )
    if x.ndim > rank + 2 and not form.channels_first:
        x, lead = flat_batch(x, rank)
    else:
        lead = ()
    x = form.channels_last(x)
    spatial, ksize = tuple(x.aval.shape[1:-1]), tuple(f.aval.shape[:rank])
    step, spread, pads = form.window(spatial, ksize, strides, padding, dilations)
    if 0 in ksize and f.aval.shape[-2] and op is not primitives.depthwise_conv2d:
        same = isinstance(padding, str) and padding.upper() == "SAME"
        y = _without_filter(name, x, f, Window(step, spread, pads), same)
        return form.original(y)
    out = Window(step, spread, pads).out_size(name, spatial, ksize)
    filters = f.aval.shape[-1] * (f.aval.shape[-2] if op is primitives.depthwise_conv2d else 1)
    if 0 in (*out, filters):
        y = without_elements((x.aval.shape[0], *out, filters), x, f)
    else:
        y = op(x, f, strides=step, dilations=spread, padding=pads)
    y = form.original(y)
    return reshape(y, [*lead, *y.aval.shape[1:]]) if lead else y


def _without_filter(name: str, x: Tensor, f: Tensor, window: Window, same: bool) -> Tensor:
    """Return a failing tensor of the result's shape, for a filter with a dimension of 0."""
    ksize = f.aval.shape[:-2]
    more = [int(not n and not same) for n in ksize]
    pads = tuple((low, high + n) for (low, high), n in zip(window.padding, more, strict=True))
    taps = tuple(n or 1 for n in ksize)
    out = window._replace(padding=pads).out_size(name, x.aval.shape[1:-1], taps)
    message = f"filter must not have zero elements, got shape {list(f.aval.shape)}"
    return failing(name, message, (x, f), (x.aval.shape[0], *out, f.aval.shape[-1]), x.dtype)


def conv1d(
    input: TensorLike,
    filters: TensorLike,
    stride: Strides,
    padding: Padding,
    data_format: str = "NWC",
    dilations: Strides | None = None,
    name: str | None = None,
) -> Tensor:
    """Compute a 1-D convolution.

    Args:
        input: Float tensor of shape `[batch, ..., width, in_channels]`, or `[batch, in_channels,
            width]` for `"NCW"`.
        filters: Float tensor of shape `[width, in_channels / groups, out_channels]`. See
            `tf.nn.conv2d` for `groups`.
        stride: Step of the window: one integer, one integer for each spatial axis, or one for each
            axis of the input.
        padding: `"SAME"`, `"VALID"`, or a list of `[before, after]` pairs, one for each axis of the
            input.
        data_format: Order of the axes, `"NWC"` (default) or `"NCW"`.
        dilations: Distance between neighboring elements of the filter, in the same forms as
            `stride`. Default: 1.

    Returns:
        Float tensor of shape `[batch, ..., out_width, out_channels]`, or `[batch, out_channels,
        out_width]` for `"NCW"`.

    Raises:
        tf.errors.InvalidArgumentError: If the channels of the input and of the filters do not
            match, or if the window is too large for the padded input.

    Example:
        >>> import tfpy as tf
        >>> tf.nn.conv1d(tf.ones([1, 5, 2]), tf.ones([3, 2, 4]), 1, "VALID").shape
        TensorShape([1, 3, 4])

    See also: `tf.nn.conv2d`, `tf.nn.conv1d_transpose`.
    """
    return _convolve("conv1d", 1, convolve, input, filters, stride, padding, data_format, dilations)


def conv2d(
    input: TensorLike,
    filters: TensorLike,
    strides: Strides,
    padding: Padding,
    data_format: str = "NHWC",
    dilations: Strides | None = None,
    name: str | None = None,
) -> Tensor:
    """Compute a 2-D convolution.

    If the third dimension of `filters` is smaller than `in_channels`, the convolution is grouped.
    The number of groups is `in_channels` divided by that dimension. The channels of the input are
    split into groups, and so are the filters. Each group of channels is convolved with the filters
    of its group.

    Args:
        input: Float or int32 tensor of shape `[batch, ..., height, width, in_channels]`, or
            `[batch, in_channels, height, width]` for `"NCHW"`.
        filters: Tensor of shape `[height, width, in_channels / groups, out_channels]` and the dtype
            of `input`.
        strides: Step of the window: one integer, one integer for each spatial axis, or one for each
            axis of the input.
        padding: `"SAME"`, `"VALID"`, or a list of `[before, after]` pairs, one for each axis of the
            input.
        data_format: Order of the axes, `"NHWC"` (default) or `"NCHW"`.
        dilations: Distance between neighboring elements of the filter, in the same forms as
            `strides`. Default: 1.

    Returns:
        Tensor of shape `[batch, ..., out_height, out_width, out_channels]`, or `[batch,
        out_channels, out_height, out_width]` for `"NCHW"`, with the dtype of `input`.

    Raises:
        tf.errors.InvalidArgumentError: If the channels of the input and of the filters do not
            match, or if the window is too large for the padded input.

    Example:
        >>> import tfpy as tf
        >>> image, filters = tf.ones([1, 8, 8, 3]), tf.ones([3, 3, 3, 16])
        >>> tf.nn.conv2d(image, filters, 2, "SAME").shape
        TensorShape([1, 4, 4, 16])

    See also: `tf.nn.depthwise_conv2d`, `tf.nn.separable_conv2d`, `tf.nn.conv2d_transpose`.
    """
    return _convolve(
        "conv2d", 2, convolve, input, filters, strides, padding, data_format, dilations
    )


def conv3d(
    input: TensorLike,
    filters: TensorLike,
    strides: Strides,
    padding: Padding,
    data_format: str = "NDHWC",
    dilations: Strides | None = None,
    name: str | None = None,
) -> Tensor:
    """Compute a 3-D convolution.

    Args:
        input: Float tensor of shape `[batch, ..., depth, height, width, in_channels]`, or `[batch,
            in_channels, depth, height, width]` for `"NCDHW"`.
        filters: Float tensor of shape `[depth, height, width, in_channels / groups, out_channels]`.
            See `tf.nn.conv2d` for `groups`.
        strides: Step of the window: one integer, one integer for each spatial axis, or one for each
            axis of the input.
        padding: `"SAME"`, `"VALID"`, or a list of `[before, after]` pairs, one for each axis of the
            input.
        data_format: Order of the axes, `"NDHWC"` (default) or `"NCDHW"`.
        dilations: Distance between neighboring elements of the filter, in the same forms as
            `strides`. Default: 1.

    Returns:
        Float tensor of shape `[batch, ..., out_depth, out_height, out_width, out_channels]`, or
        `[batch, out_channels, out_depth, out_height, out_width]` for `"NCDHW"`.

    Raises:
        tf.errors.InvalidArgumentError: If the channels of the input and of the filters do not
            match, or if the window is too large for the padded input.

    Example:
        >>> import tfpy as tf
        >>> x, filters = tf.ones([1, 4, 4, 4, 1]), tf.ones([2, 2, 2, 1, 3])
        >>> tf.nn.conv3d(x, filters, strides=[1, 1, 1, 1, 1], padding="VALID").shape
        TensorShape([1, 3, 3, 3, 3])

    See also: `tf.nn.conv2d`, `tf.nn.conv3d_transpose`.
    """
    return _convolve(
        "conv3d", 3, convolve, input, filters, strides, padding, data_format, dilations
    )


def depthwise_conv2d(
    input: TensorLike,
    filter: TensorLike,
    strides: Strides,
    padding: Padding,
    data_format: str | None = None,
    dilations: Strides | None = None,
    name: str | None = None,
) -> Tensor:
    """Compute a 2-D convolution that applies separate filters to each channel.

    Args:
        input: Float tensor of shape `[batch, ..., height, width, channels]`, or `[batch, channels,
            height, width]` for `"NCHW"`.
        filter: Float tensor of shape `[height, width, channels, multiplier]`.
        strides: Step of the window: one integer, one integer for each spatial axis, or one for each
            axis of the input.
        padding: `"SAME"`, `"VALID"`, or a list of `[before, after]` pairs, one for each axis of the
            input.
        data_format: Order of the axes, `"NHWC"` (default) or `"NCHW"`.
        dilations: Distance between neighboring elements of the filter, in the same forms as
            `strides`. Default: 1.

    Returns:
        Float tensor of shape `[batch, ..., out_height, out_width, channels * multiplier]`, or
        `[batch, channels * multiplier, out_height, out_width]` for `"NCHW"`.

    Raises:
        tf.errors.InvalidArgumentError: If the channels of the input and of the filters do not
            match, or if the window is too large for the padded input.

    Example:
        >>> import tfpy as tf
        >>> image, filters = tf.ones([1, 8, 8, 3]), tf.ones([3, 3, 3, 2])
        >>> tf.nn.depthwise_conv2d(image, filters, [1, 1, 1, 1], "SAME").shape
        TensorShape([1, 8, 8, 6])

    See also: `tf.nn.separable_conv2d`, `tf.nn.conv2d`.
    """
    return _convolve(
        "depthwise_conv2d",
        2,
        primitives.depthwise_conv2d,
        input,
        filter,
        strides,
        padding,
        data_format,
        dilations,
    )


def separable_conv2d(
    input: TensorLike,
    depthwise_filter: TensorLike,
    pointwise_filter: TensorLike,
    strides: Strides,
    padding: Padding,
    data_format: str | None = None,
    dilations: Strides | None = None,
    name: str | None = None,
) -> Tensor:
    """Compute a depthwise convolution followed by a pointwise (1x1) convolution.

    Args:
        input: Float tensor of shape `[batch, ..., height, width, channels]`, or `[batch, channels,
            height, width]` for `"NCHW"`.
        depthwise_filter: Float tensor of shape `[height, width, channels, multiplier]`.
        pointwise_filter: Float tensor of shape `[1, 1, channels * multiplier, out_channels]`.
        strides: Step of the window: one integer, one integer for each spatial axis, or one for each
            axis of the input.
        padding: `"SAME"`, `"VALID"`, or a list of `[before, after]` pairs, one for each axis of the
            input.
        data_format: Order of the axes, `"NHWC"` (default) or `"NCHW"`.
        dilations: Distance between neighboring elements of the filter, in the same forms as
            `strides`. Default: 1.

    Returns:
        Float tensor of shape `[batch, ..., out_height, out_width, out_channels]`, or `[batch,
        out_channels, out_height, out_width]` for `"NCHW"`.

    Raises:
        ValueError: If the pointwise filter is not 1x1.
        tf.errors.InvalidArgumentError: If the channels of the input and of the filters do not
            match, or if the window is too large for the padded input.

    Example:
        >>> import tfpy as tf
        >>> x = tf.ones([1, 4, 4, 2])
        >>> depthwise, pointwise = tf.ones([3, 3, 2, 1]), tf.ones([1, 1, 2, 8])
        >>> y = tf.nn.separable_conv2d(x, depthwise, pointwise, [1, 1, 1, 1], padding="VALID")
        >>> y.shape, y.numpy()[0, 0, 0, 0].tolist()
        (TensorShape([1, 2, 2, 8]), 18.0)

    See also: `tf.nn.depthwise_conv2d`, `tf.nn.conv2d`.
    """
    point = as_tensors(primitives.conv2d, (pointwise_filter,))[0].aval.shape
    if point[:2] != (1, 1):
        raise ValueError(
            "separable_conv2d: pointwise_filter must have shape [1, 1, depth, out], got "
            f"{list(point)}"
        )
    y = depthwise_conv2d(input, depthwise_filter, strides, padding, data_format, dilations)
    return conv2d(y, pointwise_filter, 1, "VALID", data_format or "NHWC")


def convolution(
    input: TensorLike,
    filters: TensorLike,
    strides: Strides | None = None,
    padding: Padding = "VALID",
    data_format: str | None = None,
    dilations: Strides | None = None,
    name: str | None = None,
) -> Tensor:
    """Compute a 1-D, 2-D or 3-D convolution, depending on the rank of the filters.

    Args:
        input: Float tensor of shape `[batch, ..., *spatial, in_channels]`, or `[batch, in_channels,
            *spatial]` if `data_format` begins with `"NC"`.
        filters: Float tensor of shape `[*spatial, in_channels / groups, out_channels]`. See
            `tf.nn.conv2d` for `groups`.
        strides: Step of the window: one integer, one integer for each spatial axis, or one for each
            axis of the input. Default: 1.
        padding: `"SAME"`, `"VALID"`, or a list of `[before, after]` pairs, one for each axis of the
            input.
        data_format: Order of the axes, such as `"NHWC"` (default) or `"NCHW"` for 2-D images.
        dilations: Distance between neighboring elements of the filter, in the same forms as
            `strides`. Default: 1.

    Returns:
        Float tensor of shape `[batch, ..., *out_spatial, out_channels]`, or `[batch, out_channels,
        *out_spatial]` if `data_format` begins with `"NC"`.

    Raises:
        ValueError: If the rank of the filters is not 3, 4 or 5, or if strides and dilations are
            both above 1.
        tf.errors.InvalidArgumentError: If the channels of the input and of the filters do not
            match, or if the window is too large for the padded input.

    Example:
        >>> import tfpy as tf
        >>> x = tf.reshape([1.0, 2.0, 3.0, 4.0], [1, 4, 1])
        >>> y = tf.nn.convolution(x, tf.reshape([1.0, -1.0], [2, 1, 1]), padding="VALID")
        >>> tf.reshape(y, [3]).numpy().tolist()
        [-1.0, -1.0, -1.0]

    See also: `tf.nn.conv1d`, `tf.nn.conv2d`, `tf.nn.conv3d`, `tf.nn.conv_transpose`.
    """
    rank = spatial_rank("convolution", as_tensors(primitives.conv2d, (filters,))[0].ndim)
    form = DataFormat.of("convolution", rank, data_format)
    if max(form.spatial("strides", strides)) > 1 and max(form.spatial("dilations", dilations)) > 1:
        raise ValueError("convolution: strides > 1 not supported in conjunction with dilations > 1")
    return _convolve(
        "convolution", rank, convolve, input, filters, strides, padding, data_format, dilations
    )


def atrous_conv2d(
    value: TensorLike, filters: TensorLike, rate: int, padding: Padding, name: str | None = None
) -> Tensor:
    """Compute a 2-D convolution with dilated filters and a stride of 1.

    Args:
        value: Float tensor of shape `[batch, ..., height, width, in_channels]`.
        filters: Float tensor of shape `[height, width, in_channels / groups, out_channels]`. See
            `tf.nn.conv2d` for `groups`.
        rate: Distance in pixels between the taps of the filter, an integer.
        padding: `"SAME"`, `"VALID"`, or a list of `[before, after]` pairs, one for each axis of the
            input.

    Returns:
        Float tensor of shape `[batch, ..., out_height, out_width, out_channels]`.

    Raises:
        tf.errors.InvalidArgumentError: If the channels of the input and of the filters do not
            match, or if the window is too large for the padded input.

    Example:
        >>> import tfpy as tf
        >>> x = tf.reshape(tf.range(25.0), [1, 5, 5, 1])
        >>> tf.nn.atrous_conv2d(x, tf.ones([2, 2, 1, 1]), rate=3, padding="VALID").shape
        TensorShape([1, 2, 2, 1])

    See also: `tf.nn.conv2d`, `tf.nn.atrous_conv2d_transpose`.
    """
    return conv2d(value, filters, 1, padding, dilations=rate)
