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
    "avg_pool",
    "avg_pool1d",
    "avg_pool2d",
    "avg_pool3d",
    "max_pool",
    "max_pool1d",
    "max_pool2d",
    "max_pool3d",
    "pool",
]


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
        input: Tensor of shape `[batch, width, channels]`, or with the channels first.
        ksize: Size of the window, in the forms of `strides`.
        strides: Step of the window: one integer, one per spatial axis, or one per axis of the
            input.
        padding: `"SAME"`, `"VALID"`, or explicit sizes before and after each axis.
        data_format: Position of the channels, `"NWC"` (default) or `"NCW"`.

    Returns:
        Tensor of shape `[batch, out_width, channels]`, in the order of `data_format`.

    Raises:
        tf.errors.InvalidArgumentError: If the window does not fit into the padded input.

    Example:
        >>> import tfpy as tf
        >>> x = tf.reshape([1.0, 3.0, 9.0, 5.0], [1, 4, 1])
        >>> y = tf.nn.max_pool1d(x, ksize=2, strides=2, padding="VALID")
        >>> tf.reshape(y, [2]).numpy().tolist()
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
        input: Tensor of shape `[batch, height, width, channels]`, or with the channels first.
        ksize: Size of the window, in the forms of `strides`.
        strides: Step of the window: one integer, one per spatial axis, or one per axis of the
            input.
        padding: `"SAME"`, `"VALID"`, or explicit sizes before and after each axis.
        data_format: Position of the channels, `"NHWC"` (default) or `"NCHW"`.

    Returns:
        Tensor of shape `[batch, out_height, out_width, channels]`, in the order of `data_format`.

    Raises:
        tf.errors.InvalidArgumentError: If the window does not fit into the padded input.

    Example:
        >>> import tfpy as tf
        >>> image = tf.reshape(tf.range(16.0), [1, 4, 4, 1])
        >>> tf.reshape(tf.nn.max_pool2d(image, 2, 2, "VALID"), [2, 2]).numpy().tolist()
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
        input: Tensor of shape `[batch, depth, height, width, channels]`, or with the channels
            first.
        ksize: Size of the window, in the forms of `strides`.
        strides: Step of the window: one integer, one per spatial axis, or one per axis of the
            input.
        padding: `"SAME"`, `"VALID"`, or explicit sizes before and after each axis.
        data_format: Position of the channels, `"NDHWC"` (default) or `"NCDHW"`.

    Returns:
        Tensor of shape `[batch, out_depth, out_height, out_width, channels]`, in the order of
        `data_format`.

    Raises:
        tf.errors.InvalidArgumentError: If the window does not fit into the padded input.

    Example:
        >>> import tfpy as tf
        >>> x = tf.reshape(tf.range(8.0), [1, 2, 2, 2, 1])
        >>> y = tf.nn.max_pool3d(x, ksize=2, strides=2, padding="VALID")
        >>> tf.reshape(y, [1]).numpy().tolist()
        [7.0]

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
    """Compute the mean of each 1-D window; padding is not counted.

    Args:
        input: Float tensor of shape `[batch, width, channels]`, or with the channels first.
        ksize: Size of the window, in the forms of `strides`.
        strides: Step of the window: one integer, one per spatial axis, or one per axis of the
            input.
        padding: `"SAME"`, `"VALID"`, or explicit sizes before and after each axis.
        data_format: Position of the channels, `"NWC"` (default) or `"NCW"`.

    Returns:
        Float tensor of shape `[batch, out_width, channels]`, in the order of `data_format`.

    Raises:
        tf.errors.InvalidArgumentError: If the window does not fit into the padded input.

    Example:
        >>> import tfpy as tf
        >>> x = tf.reshape([1.0, 3.0, 5.0, 9.0], [1, 4, 1])
        >>> y = tf.nn.avg_pool1d(x, ksize=2, strides=2, padding="VALID")
        >>> tf.reshape(y, [2]).numpy().tolist()
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
    """Compute the mean of each 2-D window; padding is not counted.

    Args:
        input: Float tensor of shape `[batch, height, width, channels]`, or with the channels first.
        ksize: Size of the window, in the forms of `strides`.
        strides: Step of the window: one integer, one per spatial axis, or one per axis of the
            input.
        padding: `"SAME"`, `"VALID"`, or explicit sizes before and after each axis.
        data_format: Position of the channels, `"NHWC"` (default) or `"NCHW"`.

    Returns:
        Float tensor of shape `[batch, out_height, out_width, channels]`, in the order of
        `data_format`.

    Raises:
        tf.errors.InvalidArgumentError: If the window does not fit into the padded input.

    Example:
        >>> import tfpy as tf
        >>> image = tf.reshape(tf.range(16.0), [1, 4, 4, 1])
        >>> tf.reshape(tf.nn.avg_pool2d(image, 2, 2, "VALID"), [2, 2]).numpy().tolist()
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
    """Compute the mean of each 3-D window; padding is not counted.

    Args:
        input: Float tensor of shape `[batch, depth, height, width, channels]`, or with the channels
            first.
        ksize: Size of the window, in the forms of `strides`.
        strides: Step of the window: one integer, one per spatial axis, or one per axis of the
            input.
        padding: `"SAME"`, `"VALID"`, or explicit sizes before and after each axis.
        data_format: Position of the channels, `"NDHWC"` (default) or `"NCDHW"`.

    Returns:
        Float tensor of shape `[batch, out_depth, out_height, out_width, channels]`, in the order of
        `data_format`.

    Raises:
        tf.errors.InvalidArgumentError: If the window does not fit into the padded input.

    Example:
        >>> import tfpy as tf
        >>> x = tf.reshape(tf.range(8.0), [1, 2, 2, 2, 1])
        >>> y = tf.nn.avg_pool3d(x, ksize=2, strides=2, padding="VALID")
        >>> tf.reshape(y, [1]).numpy().tolist()
        [3.5]

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
    """Compute the maximum of each window, in 1, 2 or 3 spatial dimensions.

    Args:
        input: Tensor of shape `[batch, *spatial, channels]`, or with the channels first.
        ksize: Size of the window, in the forms of `strides`.
        strides: Step of the window: one integer, one per spatial axis, or one per axis of the
            input.
        padding: `"SAME"`, `"VALID"`, or explicit sizes before and after each axis.
        data_format: Position of the channels: last (e.g. `"NHWC"`, the default) or first (e.g.
            `"NCHW"`).

    Returns:
        Tensor of shape `[batch, *out_spatial, channels]`, in the order of `data_format`.

    Raises:
        ValueError: If the rank of the input is not 3, 4 or 5.
        tf.errors.InvalidArgumentError: If the window does not fit into the padded input.

    Example:
        >>> import tfpy as tf
        >>> x = tf.reshape(tf.range(16.0), [1, 4, 4, 1])
        >>> y = tf.nn.max_pool(x, ksize=2, strides=2, padding="VALID")
        >>> tf.reshape(y, [2, 2]).numpy().tolist()
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
    """Compute the mean of each window, in 1, 2 or 3 spatial dimensions; padding is not counted.

    Args:
        input: Float tensor of shape `[batch, *spatial, channels]`, or with the channels first.
        ksize: Size of the window, in the forms of `strides`.
        strides: Step of the window: one integer, one per spatial axis, or one per axis of the
            input.
        padding: `"SAME"`, `"VALID"`, or explicit sizes before and after each axis.
        data_format: Position of the channels: last (e.g. `"NHWC"`, the default) or first (e.g.
            `"NCHW"`).

    Returns:
        Float tensor of shape `[batch, *out_spatial, channels]`, in the order of `data_format`.

    Raises:
        ValueError: If the rank of the input is not 3, 4 or 5.
        tf.errors.InvalidArgumentError: If the window does not fit into the padded input.

    Example:
        >>> import tfpy as tf
        >>> x = tf.reshape(tf.range(16.0), [1, 4, 4, 1])
        >>> y = tf.nn.avg_pool(x, ksize=2, strides=2, padding="VALID")
        >>> tf.reshape(y, [2, 2]).numpy().tolist()
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
    """Compute the maximum or mean of each window, which may be dilated.

    Args:
        input: Tensor of shape `[batch, *spatial, channels]`, or with the channels first.
        window_shape: Size of the window, one integer per spatial axis.
        pooling_type: `"MAX"` or `"AVG"`.
        strides: Step of the window: one integer, one per spatial axis, or one per axis of the
            input. Default: 1.
        padding: `"SAME"`, `"VALID"`, or explicit sizes before and after each axis.
        data_format: Position of the channels: last (e.g. `"NHWC"`, the default) or first (e.g.
            `"NCHW"`).
        dilations: Dilation rate, in the forms of `strides`. Default: 1.

    Returns:
        Tensor of shape `[batch, *out_spatial, channels]`, in the order of `data_format`.

    Raises:
        ValueError: If `pooling_type` is unknown, or dilations above 1 are combined with strides
            above 1 or padding `"SAME"`.

    Example:
        >>> import tfpy as tf
        >>> x = tf.reshape([1.0, 3.0, 9.0, 5.0], [1, 4, 1])
        >>> tf.reshape(tf.nn.pool(x, [2], "MAX", strides=[2]), [2]).numpy().tolist()
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
        "pool",
        rank,
        ops[pooling_type.upper()],
        input,
        window_shape,
        step,
        padding,
        data_format,
        spread,
    )
