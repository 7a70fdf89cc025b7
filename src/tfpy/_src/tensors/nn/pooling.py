"""Pooling in one, two and three dimensions: functions of `tf.nn`."""

from __future__ import annotations

from collections.abc import Sequence

from tfpy._src.compiler.ops import pooling as primitives
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import Padding, Strides, TensorLike
from tfpy._src.tensors.nn.data_format import DataFormat, spatial_rank
from tfpy._src.tensors.nn.pooling_windows import pool_windows

__all__ = [
    "avg_pool", "avg_pool1d", "avg_pool2d", "avg_pool3d",
    "max_pool", "max_pool1d", "max_pool2d", "max_pool3d", "pool",
]  # fmt: skip


def max_pool1d(
    input: TensorLike,
    ksize: Strides,
    strides: Strides,
    padding: Padding,
    data_format: str = "NWC",
    name: str | None = None,
) -> Tensor:
    """Compute the maximum of each 1-D window.

    Args:
        input: Tensor of shape `[batch, width, channels]` (`[batch, channels, width]` for `"NCW"`).
        ksize: Size of the window, in the same forms as `strides`.
        strides: Step of the window: one integer, one integer for each spatial axis, or one for each
            axis of the input.
        padding: `"SAME"`, `"VALID"`, or a list of `[before, after]` pairs, one for each axis of the
            input.
        data_format: Order of the axes, `"NWC"` (default) or `"NCW"`.

    Returns:
        Tensor of shape `[batch, out_width, channels]` (`[batch, channels, out_width]` for `"NCW"`).

    Raises:
        tf.errors.InvalidArgumentError: If the window is too large for the padded input.

    Example:
        >>> import tfpy as tf
        >>> x = tf.reshape([1.0, 3.0, 9.0, 5.0], [1, 4, 1])
        >>> tf.squeeze(tf.nn.max_pool1d(x, 2, 2, padding="VALID")).numpy().tolist()
        [3.0, 9.0]

    See also: `tf.nn.max_pool`, `tf.nn.avg_pool1d`.
    """
    return pool_windows(
        "max_pool1d", 1, primitives.max_pool, input, ksize, strides, padding, data_format
    )


def max_pool2d(
    input: TensorLike,
    ksize: Strides,
    strides: Strides,
    padding: Padding,
    data_format: str = "NHWC",
    name: str | None = None,
) -> Tensor:
    """Compute the maximum of each 2-D window.

    Args:
        input: Tensor of shape `[batch, height, width, channels]`, or `[batch, channels, height,
            width]` for `"NCHW"`.
        ksize: Size of the window, in the same forms as `strides`.
        strides: Step of the window: one integer, one integer for each spatial axis, or one for each
            axis of the input.
        padding: `"SAME"`, `"VALID"`, or a list of `[before, after]` pairs, one for each axis of the
            input.
        data_format: Order of the axes, `"NHWC"` (default) or `"NCHW"`.

    Returns:
        Tensor of shape `[batch, out_height, out_width, channels]`, or `[batch, channels,
        out_height, out_width]` for `"NCHW"`.

    Raises:
        tf.errors.InvalidArgumentError: If the window is too large for the padded input.

    Example:
        >>> import tfpy as tf
        >>> image = tf.reshape(tf.range(16.0), [1, 4, 4, 1])
        >>> tf.squeeze(tf.nn.max_pool2d(image, 2, 2, padding="VALID")).numpy().tolist()
        [[5.0, 7.0], [13.0, 15.0]]

    See also: `tf.nn.max_pool`, `tf.nn.max_pool_with_argmax`, `tf.nn.avg_pool2d`.
    """
    return pool_windows(
        "max_pool2d", 2, primitives.max_pool, input, ksize, strides, padding, data_format
    )


def max_pool3d(
    input: TensorLike,
    ksize: Strides,
    strides: Strides,
    padding: Padding,
    data_format: str = "NDHWC",
    name: str | None = None,
) -> Tensor:
    """Compute the maximum of each 3-D window.

    Args:
        input: Tensor of shape `[batch, depth, height, width, channels]`, or `[batch, channels,
            depth, height, width]` for `"NCDHW"`.
        ksize: Size of the window, in the same forms as `strides`.
        strides: Step of the window: one integer, one integer for each spatial axis, or one for each
            axis of the input.
        padding: `"SAME"`, `"VALID"`, or a list of `[before, after]` pairs, one for each axis of the
            input.
        data_format: Order of the axes, `"NDHWC"` (default) or `"NCDHW"`.

    Returns:
        Tensor of shape `[batch, out_depth, out_height, out_width, channels]`, or `[batch, channels,
        out_depth, out_height, out_width]` for `"NCDHW"`.

    Raises:
        tf.errors.InvalidArgumentError: If the window is too large for the padded input.

    Example:
        >>> import tfpy as tf
        >>> x = tf.reshape(tf.range(8.0), [1, 2, 2, 2, 1])
        >>> tf.squeeze(tf.nn.max_pool3d(x, 2, 2, padding="VALID")).numpy().tolist()
        7.0

    See also: `tf.nn.max_pool`, `tf.nn.avg_pool3d`.
    """
    return pool_windows(
        "max_pool3d", 3, primitives.max_pool, input, ksize, strides, padding, data_format
    )


def avg_pool1d(
    input: TensorLike,
    ksize: Strides,
    strides: Strides,
    padding: Padding,
    data_format: str = "NWC",
    name: str | None = None,
) -> Tensor:
    """Compute the mean of each 1-D window, ignoring the padding.

    Args:
        input: Float tensor of shape `[batch, width, channels]` (`[batch, channels, width]` for
            `"NCW"`).
        ksize: Size of the window, in the same forms as `strides`.
        strides: Step of the window: one integer, one integer for each spatial axis, or one for each
            axis of the input.
        padding: `"SAME"`, `"VALID"`, or a list of `[before, after]` pairs, one for each axis of the
            input.
        data_format: Order of the axes, `"NWC"` (default) or `"NCW"`.

    Returns:
        Float tensor of shape `[batch, out_width, channels]` (`[batch, channels, out_width]` for
        `"NCW"`).

    Raises:
        tf.errors.InvalidArgumentError: If the window is too large for the padded input.

    Example:
        >>> import tfpy as tf
        >>> x = tf.reshape([1.0, 3.0, 5.0, 9.0], [1, 4, 1])
        >>> tf.squeeze(tf.nn.avg_pool1d(x, 2, 2, padding="VALID")).numpy().tolist()
        [2.0, 7.0]

    See also: `tf.nn.avg_pool`, `tf.nn.max_pool1d`.
    """
    return pool_windows(
        "avg_pool1d", 1, primitives.avg_pool, input, ksize, strides, padding, data_format
    )


def avg_pool2d(
    input: TensorLike,
    ksize: Strides,
    strides: Strides,
    padding: Padding,
    data_format: str = "NHWC",
    name: str | None = None,
) -> Tensor:
    """Compute the mean of each 2-D window, ignoring the padding.

    Args:
        input: Float tensor of shape `[batch, height, width, channels]`, or `[batch, channels,
            height, width]` for `"NCHW"`.
        ksize: Size of the window, in the same forms as `strides`.
        strides: Step of the window: one integer, one integer for each spatial axis, or one for each
            axis of the input.
        padding: `"SAME"`, `"VALID"`, or a list of `[before, after]` pairs, one for each axis of the
            input.
        data_format: Order of the axes, `"NHWC"` (default) or `"NCHW"`.

    Returns:
        Float tensor of shape `[batch, out_height, out_width, channels]`, or `[batch, channels,
        out_height, out_width]` for `"NCHW"`.

    Raises:
        tf.errors.InvalidArgumentError: If the window is too large for the padded input.

    Example:
        >>> import tfpy as tf
        >>> image = tf.reshape(tf.range(16.0), [1, 4, 4, 1])
        >>> tf.squeeze(tf.nn.avg_pool2d(image, 2, 2, padding="VALID")).numpy().tolist()
        [[2.5, 4.5], [10.5, 12.5]]

    See also: `tf.nn.avg_pool`, `tf.nn.max_pool2d`.
    """
    return pool_windows(
        "avg_pool2d", 2, primitives.avg_pool, input, ksize, strides, padding, data_format
    )


def avg_pool3d(
    input: TensorLike,
    ksize: Strides,
    strides: Strides,
    padding: Padding,
    data_format: str = "NDHWC",
    name: str | None = None,
) -> Tensor:
    """Compute the mean of each 3-D window, ignoring the padding.

    Args:
        input: Float tensor of shape `[batch, depth, height, width, channels]`, or `[batch,
            channels, depth, height, width]` for `"NCDHW"`.
        ksize: Size of the window, in the same forms as `strides`.
        strides: Step of the window: one integer, one integer for each spatial axis, or one for each
            axis of the input.
        padding: `"SAME"`, `"VALID"`, or a list of `[before, after]` pairs, one for each axis of the
            input.
        data_format: Order of the axes, `"NDHWC"` (default) or `"NCDHW"`.

    Returns:
        Float tensor of shape `[batch, out_depth, out_height, out_width, channels]`, or `[batch,
        channels, out_depth, out_height, out_width]` for `"NCDHW"`.

    Raises:
        tf.errors.InvalidArgumentError: If the window is too large for the padded input.

    Example:
        >>> import tfpy as tf
        >>> x = tf.reshape(tf.range(8.0), [1, 2, 2, 2, 1])
        >>> tf.squeeze(tf.nn.avg_pool3d(x, 2, 2, padding="VALID")).numpy().tolist()
        3.5

    See also: `tf.nn.avg_pool`, `tf.nn.max_pool3d`.
    """
    return pool_windows(
        "avg_pool3d", 3, primitives.avg_pool, input, ksize, strides, padding, data_format
    )


def max_pool(
    input: TensorLike,
    ksize: Strides,
    strides: Strides,
    padding: Padding,
    data_format: str | None = None,
    name: str | None = None,
) -> Tensor:
    """Compute the maximum of each window in 1, 2 or 3 spatial dimensions.

    Args:
        input: Tensor of shape `[batch, *spatial, channels]`, or `[batch, channels, *spatial]` if
            `data_format` begins with `"NC"`.
        ksize: Size of the window, in the same forms as `strides`.
        strides: Step of the window: one integer, one integer for each spatial axis, or one for each
            axis of the input.
        padding: `"SAME"`, `"VALID"`, or a list of `[before, after]` pairs, one for each axis of the
            input.
        data_format: Order of the axes, such as `"NHWC"` (default) or `"NCHW"` for 2-D images.

    Returns:
        Tensor of shape `[batch, *out_spatial, channels]`, or `[batch, channels, *out_spatial]` if
        `data_format` begins with `"NC"`.

    Raises:
        ValueError: If the rank of the input is not 3, 4 or 5.
        tf.errors.InvalidArgumentError: If the window is too large for the padded input.

    Example:
        >>> import tfpy as tf
        >>> x = tf.reshape(tf.range(16.0), [1, 4, 4, 1])
        >>> tf.squeeze(tf.nn.max_pool(x, 2, 2, padding="VALID")).numpy().tolist()
        [[5.0, 7.0], [13.0, 15.0]]

    See also: `tf.nn.max_pool1d`, `tf.nn.max_pool2d`, `tf.nn.max_pool3d`, `tf.nn.avg_pool`.
    """
    x = convert_to_tensor(input)
    rank = spatial_rank("max_pool", x.ndim)
    return pool_windows(
        "max_pool", rank, primitives.max_pool, x, ksize, strides, padding, data_format
    )


def avg_pool(
    input: TensorLike,
    ksize: Strides,
    strides: Strides,
    padding: Padding,
    data_format: str | None = None,
    name: str | None = None,
) -> Tensor:
    """Compute the mean of each window in 1, 2 or 3 spatial dimensions, ignoring the padding.

    Args:
        input: Float tensor of shape `[batch, *spatial, channels]`, or `[batch, channels, *spatial]`
            if `data_format` begins with `"NC"`.
        ksize: Size of the window, in the same forms as `strides`.
        strides: Step of the window: one integer, one integer for each spatial axis, or one for each
            axis of the input.
        padding: `"SAME"`, `"VALID"`, or a list of `[before, after]` pairs, one for each axis of the
            input.
        data_format: Order of the axes, such as `"NHWC"` (default) or `"NCHW"` for 2-D images.

    Returns:
        Float tensor of shape `[batch, *out_spatial, channels]`, or `[batch, channels,
        *out_spatial]` if `data_format` begins with `"NC"`.

    Raises:
        ValueError: If the rank of the input is not 3, 4 or 5.
        tf.errors.InvalidArgumentError: If the window is too large for the padded input.

    Example:
        >>> import tfpy as tf
        >>> x = tf.reshape(tf.range(16.0), [1, 4, 4, 1])
        >>> tf.squeeze(tf.nn.avg_pool(x, 2, 2, padding="VALID")).numpy().tolist()
        [[2.5, 4.5], [10.5, 12.5]]

    See also: `tf.nn.avg_pool1d`, `tf.nn.avg_pool2d`, `tf.nn.avg_pool3d`, `tf.nn.max_pool`.
    """
    x = convert_to_tensor(input)
    rank = spatial_rank("avg_pool", x.ndim)
    return pool_windows(
        "avg_pool", rank, primitives.avg_pool, x, ksize, strides, padding, data_format
    )


def pool(
    input: TensorLike,
    window_shape: Sequence[int],
    pooling_type: str,
    strides: Strides | None = None,
    padding: Padding = "VALID",
    data_format: str | None = None,
    dilations: Strides | None = None,
    name: str | None = None,
) -> Tensor:
    """Compute the maximum or the mean of each window, which can be dilated.

    Args:
        input: Tensor of shape `[batch, *spatial, channels]`, or `[batch, channels, *spatial]` if
            `data_format` begins with `"NC"`.
        window_shape: Size of the window, one integer for each spatial axis.
        pooling_type: `"MAX"` for the maximum or `"AVG"` for the mean, which ignores the padding.
        strides: Step of the window: one integer, one integer for each spatial axis, or one for each
            axis of the input. Default: 1.
        padding: `"SAME"`, `"VALID"`, or a list of `[before, after]` pairs, one for each axis of the
            input.
        data_format: Order of the axes, such as `"NHWC"` (default) or `"NCHW"` for 2-D images.
        dilations: Distance between the pixels of a window, in the same forms as `strides`. Default:
            1.

    Returns:
        Tensor of shape `[batch, *out_spatial, channels]`, or `[batch, channels, *out_spatial]` if
        `data_format` begins with `"NC"`.

    Raises:
        ValueError: If `pooling_type` is unknown, or if dilations above 1 are combined with strides
            above 1 or padding `"SAME"`.

    Example:
        >>> import tfpy as tf
        >>> x = tf.reshape([1.0, 3.0, 9.0, 5.0], [1, 4, 1])
        >>> tf.squeeze(tf.nn.pool(x, [2], "MAX", strides=[2])).numpy().tolist()
        [3.0, 9.0]

    See also: `tf.nn.max_pool`, `tf.nn.avg_pool`.
    """
    ops = {"MAX": primitives.max_pool, "AVG": primitives.avg_pool}
    if pooling_type.upper() not in ops:
        raise ValueError(f"pool: pooling_type must be 'MAX' or 'AVG', got {pooling_type!r}")
    rank = len(window_shape)
    form = DataFormat.of("pool", rank, data_format)
    spread, step = form.spatial("dilations", dilations), form.spatial("strides", strides)
    if max(spread) > 1 and max(step) > 1:
        raise ValueError("pool: strides > 1 not supported in conjunction with dilations > 1")
    if max(spread) > 1 and padding == "SAME":
        raise ValueError("pool: padding 'SAME' is not supported in conjunction with dilations > 1")
    return pool_windows(
        "pool", rank, ops[pooling_type.upper()], input, window_shape, step, padding, data_format,
        spread,
    )  # fmt: skip
