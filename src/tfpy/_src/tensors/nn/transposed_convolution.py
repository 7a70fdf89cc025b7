"""Transposed convolutions, which are the gradients of convolutions: functions of `tf.nn`."""

from __future__ import annotations

from typing import Any

from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ops import convolution as primitives
from tfpy._src.core.conversion import as_tensors
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import Padding, ShapeLike, Strides, TensorLike
from tfpy._src.tensors.array.static import static_ints
from tfpy._src.tensors.nn.convolution_ranks import convolve_back
from tfpy._src.tensors.nn.data_format import DataFormat, spatial_rank

__all__ = [
    "atrous_conv2d_transpose",
    "conv1d_transpose",
    "conv2d_transpose",
    "conv3d_transpose",
    "conv_transpose",
]


def _transposed(
    name: str,
    rank: int,
    input: Any,
    filters: Any,
    output_shape: Any,
    strides: Any,
    padding: Any,
    data_format: str | None,
    dilations: Any,
) -> Tensor:
    """Compute a transposed convolution in any data format."""
    x, f = as_tensors(primitives.conv2d, (input, filters))
    form = DataFormat.of(name, rank, data_format)
    x = form.channels_last(x)
    if f.ndim != rank + 2:
        raise invalid(
            name, f"filter must be {rank + 2}-dimensional, got shape {list(f.aval.shape)}"
        )
    out = form.shape_last(static_ints(output_shape))
    window = form.window(out[1:-1], tuple(f.aval.shape[:rank]), strides, padding, dilations)
    return form.original(convolve_back(x, f, out, *window))


def conv1d_transpose(
    input: TensorLike,
    filters: TensorLike,
    output_shape: ShapeLike,
    strides: Strides,
    padding: Padding = "SAME",
    data_format: str = "NWC",
    dilations: Strides | None = None,
    name: str | None = None,
) -> Tensor:
    """Compute a 1-D transposed convolution, which enlarges its input if the strides are above 1.

    The result is the gradient of `tf.nn.conv1d` with respect to its input. `strides`, `padding` and
    `dilations` are those of `tf.nn.conv1d`, and `output_shape` is the shape of its input.

    Args:
        input: Float tensor of shape `[batch, width, in_channels]`, or `[batch, in_channels, width]`
            for `"NCW"`.
        filters: Float tensor of shape `[width, out_channels, in_channels]`.
        output_shape: Shape of the result with its batch and channels, in the order that
            `data_format` specifies.
        strides: Step of the window: one integer, one integer for each spatial axis, or one for each
            axis of the input.
        padding: `"SAME"`, `"VALID"`, or a list of `[before, after]` pairs, one for each axis of the
            input.
        data_format: Order of the axes, `"NWC"` (default) or `"NCW"`.
        dilations: Distance between neighboring elements of the filter, in the same forms as
            `strides`. Default: 1.

    Returns:
        Float tensor of shape `output_shape`.

    Raises:
        tf.errors.InvalidArgumentError: If the convolution of a tensor of shape `output_shape` does
            not have the shape of `input`.

    Example:
        >>> import tfpy as tf
        >>> x = tf.reshape([1.0, 2.0], [1, 2, 1])
        >>> y = tf.nn.conv1d_transpose(x, tf.ones([2, 1, 1]), output_shape=[1, 4, 1], strides=2)
        >>> tf.reshape(y, [4]).numpy().tolist()
        [1.0, 1.0, 2.0, 2.0]

    See also: `tf.nn.conv1d`, `tf.nn.conv_transpose`.
    """
    own = "conv1d_transpose"
    return _transposed(
        own, 1, input, filters, output_shape, strides, padding, data_format, dilations
    )


def conv2d_transpose(
    input: TensorLike,
    filters: TensorLike,
    output_shape: ShapeLike,
    strides: Strides,
    padding: Padding = "SAME",
    data_format: str = "NHWC",
    dilations: Strides | None = None,
    name: str | None = None,
) -> Tensor:
    """Compute a 2-D transposed convolution, which enlarges its input if the strides are above 1.

    The result is the gradient of `tf.nn.conv2d` with respect to its input. `strides`, `padding` and
    `dilations` are those of `tf.nn.conv2d`, and `output_shape` is the shape of its input.

    Args:
        input: Float tensor of shape `[batch, height, width, in_channels]`, or `[batch, in_channels,
            height, width]` for `"NCHW"`.
        filters: Float tensor of shape `[height, width, out_channels, in_channels]`.
        output_shape: Shape of the result with its batch and channels, in the order that
            `data_format` specifies.
        strides: Step of the window: one integer, one integer for each spatial axis, or one for each
            axis of the input.
        padding: `"SAME"`, `"VALID"`, or a list of `[before, after]` pairs, one for each axis of the
            input.
        data_format: Order of the axes, `"NHWC"` (default) or `"NCHW"`.
        dilations: Distance between neighboring elements of the filter, in the same forms as
            `strides`. Default: 1.

    Returns:
        Float tensor of shape `output_shape`.

    Raises:
        tf.errors.InvalidArgumentError: If the convolution of a tensor of shape `output_shape` does
            not have the shape of `input`.

    Example:
        >>> import tfpy as tf
        >>> image, filters = tf.ones([1, 4, 4, 8]), tf.ones([3, 3, 3, 8])
        >>> tf.nn.conv2d_transpose(image, filters, [1, 8, 8, 3], 2).shape
        TensorShape([1, 8, 8, 3])

    See also: `tf.nn.conv2d`, `tf.nn.conv_transpose`.
    """
    own = "conv2d_transpose"
    return _transposed(
        own, 2, input, filters, output_shape, strides, padding, data_format, dilations
    )


def conv3d_transpose(
    input: TensorLike,
    filters: TensorLike,
    output_shape: ShapeLike,
    strides: Strides,
    padding: Padding = "SAME",
    data_format: str = "NDHWC",
    dilations: Strides | None = None,
    name: str | None = None,
) -> Tensor:
    """Compute a 3-D transposed convolution, which enlarges its input if the strides are above 1.

    The result is the gradient of `tf.nn.conv3d` with respect to its input. `strides`, `padding` and
    `dilations` are those of `tf.nn.conv3d`, and `output_shape` is the shape of its input.

    Args:
        input: Float tensor of shape `[batch, depth, height, width, in_channels]`, or `[batch,
            in_channels, depth, height, width]` for `"NCDHW"`.
        filters: Float tensor of shape `[depth, height, width, out_channels, in_channels]`.
        output_shape: Shape of the result with its batch and channels, in the order that
            `data_format` specifies.
        strides: Step of the window: one integer, one integer for each spatial axis, or one for each
            axis of the input.
        padding: `"SAME"`, `"VALID"`, or a list of `[before, after]` pairs, one for each axis of the
            input.
        data_format: Order of the axes, `"NDHWC"` (default) or `"NCDHW"`.
        dilations: Distance between neighboring elements of the filter, in the same forms as
            `strides`. Default: 1.

    Returns:
        Float tensor of shape `output_shape`.

    Raises:
        tf.errors.InvalidArgumentError: If the convolution of a tensor of shape `output_shape` does
            not have the shape of `input`.

    Example:
        >>> import tfpy as tf
        >>> x = tf.ones([1, 2, 2, 2, 1])
        >>> tf.nn.conv3d_transpose(x, tf.ones([2, 2, 2, 5, 1]), [1, 4, 4, 4, 5], strides=2).shape
        TensorShape([1, 4, 4, 4, 5])

    See also: `tf.nn.conv3d`, `tf.nn.conv_transpose`.
    """
    own = "conv3d_transpose"
    return _transposed(
        own, 3, input, filters, output_shape, strides, padding, data_format, dilations
    )


def conv_transpose(
    input: TensorLike,
    filters: TensorLike,
    output_shape: ShapeLike,
    strides: Strides,
    padding: Padding = "SAME",
    data_format: str | None = None,
    dilations: Strides | None = None,
    name: str | None = None,
) -> Tensor:
    """Compute a 1-D, 2-D or 3-D transposed convolution, depending on the length of `output_shape`.

    The result is the gradient of `tf.nn.convolution` with respect to its input. `strides`,
    `padding` and `dilations` are those of `tf.nn.convolution`, and `output_shape` is the shape of
    its input.

    Args:
        input: Float tensor of shape `[batch, *spatial, in_channels]`, or `[batch, in_channels,
            *spatial]` if `data_format` begins with `"NC"`.
        filters: Float tensor of shape `[*spatial, out_channels, in_channels]`.
        output_shape: Shape of the result with its batch and channels, in the order that
            `data_format` specifies.
        strides: Step of the window: one integer, one integer for each spatial axis, or one for each
            axis of the input.
        padding: `"SAME"`, `"VALID"`, or a list of `[before, after]` pairs, one for each axis of the
            input.
        data_format: Order of the axes, such as `"NHWC"` (default) or `"NCHW"` for 2-D images.
        dilations: Distance between neighboring elements of the filter, in the same forms as
            `strides`. Default: 1.

    Returns:
        Float tensor of shape `output_shape`.

    Raises:
        ValueError: If the length of `output_shape` is not 3, 4 or 5.
        tf.errors.InvalidArgumentError: If the convolution of a tensor of shape `output_shape` does
            not have the shape of `input`.

    Example:
        >>> import tfpy as tf
        >>> x = tf.ones([1, 4, 4, 3])
        >>> tf.nn.conv_transpose(x, tf.ones([2, 2, 8, 3]), [1, 8, 8, 8], strides=2).shape
        TensorShape([1, 8, 8, 8])

    See also: `tf.nn.conv1d_transpose`, `tf.nn.conv2d_transpose`, `tf.nn.conv3d_transpose`.
    """
    shape = static_ints(output_shape)
    rank = spatial_rank("conv_transpose", len(shape))
    return _transposed(
        "conv_transpose", rank, input, filters, shape, strides, padding, data_format, dilations
    )


def atrous_conv2d_transpose(
    value: TensorLike,
    filters: TensorLike,
    output_shape: ShapeLike,
    rate: int,
    padding: Padding,
    name: str | None = None,
) -> Tensor:
    """Compute the gradient of `tf.nn.atrous_conv2d` with respect to its input.

    This operation is also called a transposed convolution.

    Args:
        value: Float tensor of shape `[batch, height, width, in_channels]`.
        filters: Float tensor of shape `[height, width, out_channels, in_channels]`.
        output_shape: Shape `[batch, height, width, out_channels]` of the result.
        rate: Distance in pixels between the taps of the filter, an integer.
        padding: `"SAME"`, `"VALID"`, or a list of `[before, after]` pairs, one for each axis of the
            input.

    Returns:
        Float tensor of shape `output_shape`.

    Raises:
        tf.errors.InvalidArgumentError: If the convolution of a tensor of shape `output_shape` does
            not have the shape of `value`.

    Example:
        >>> import tfpy as tf
        >>> x, filters = tf.ones([1, 2, 2, 1]), tf.ones([2, 2, 1, 1])
        >>> y = tf.nn.atrous_conv2d_transpose(x, filters, [1, 4, 4, 1], rate=2, padding="VALID")
        >>> y.shape
        TensorShape([1, 4, 4, 1])

    See also: `tf.nn.atrous_conv2d`, `tf.nn.conv2d_transpose`.
    """
    return conv2d_transpose(value, filters, output_shape, 1, padding, dilations=rate)
