"""Pooling in one, two and three dimensions: functions of ``tf.nn``."""

from __future__ import annotations

import math
from typing import Any

from tfpy._src.base.errors import UnimplementedError
from tfpy._src.compiler.ir.op import Op
from tfpy._src.compiler.ops import pooling as primitives
from tfpy._src.compiler.ops.concatenation import without_elements
from tfpy._src.compiler.ops.window import Window
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.tensors.array.reshaping import reshape
from tfpy._src.tensors.array.static import attribute_ints
from tfpy._src.tensors.math.reductions import reduce_max
from tfpy._src.tensors.nn.data_format import DataFormat, spatial_rank

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


def _pool(
    name: str,
    rank: int,
    op: Op,
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str | None,
    dilations: Any = None,
) -> Tensor:
    form = DataFormat.of(name, rank, data_format)
    x = form.channels_last(convert_to_tensor(input))
    if op is primitives.max_pool and form.depth(ksize) > 1:
        return _max_of_channels(form, x, ksize, strides)
    extent = form.spatial("ksize", ksize)
    step, spread, pads = form.window(tuple(x.aval.shape[1:-1]), extent, strides, padding, dilations)
    batch, *spatial, depth = x.aval.shape
    out = Window(step, spread, pads).out_size(name, tuple(spatial), extent)
    if 0 in out:
        return form.original(without_elements((batch, *out, depth), x))
    return form.original(op(x, ksize=extent, strides=step, dilations=spread, padding=pads))


def _max_of_channels(form: DataFormat, x: Tensor, ksize: Any, strides: Any) -> Tensor:
    """Windows over the channels alone, side by side; TensorFlow has no others."""
    sizes, window = attribute_ints(ksize), form.depth(ksize)
    if form.rank == 3 or form.channels_first:
        problem = f"data_format must be channels last and of an image, not of {list(x.aval.shape)}"
    elif max(sizes[:-1]) > 1:
        problem = f"ksize {list(sizes)} must be 1 in the batch and spatial dimensions"
    elif form.depth(strides) != window:
        problem = f"ksize {list(sizes)} and strides {strides} must be equal for the depth"
    elif x.aval.shape[-1] % window:
        problem = f"the depth of ksize {list(sizes)} must divide the input's, {x.aval.shape[-1]}"
    else:
        return reduce_max(reshape(x, [*x.aval.shape[:-1], x.aval.shape[-1] // window, window]), -1)
    raise UnimplementedError(None, form.op, f"{form.op} over the depth: {problem}")


def max_pool1d(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NWC",
    name: str | None = None,
) -> Tensor:
    """The largest element of each window of ``[batch, w, c]``.

    Args:
        ksize: sizes of the window, as ``strides``.
        strides: steps of the window: one number, one for each spatial dimension, or one for each
            dimension.
        padding: "SAME", "VALID", or (before, after) for each dimension in the order of the data
            format.
        data_format: "NWC", or "NCW" with the channels first.

    Example:
        >>> import tfpy as tf
        >>> x = tf.reshape([1.0, 3.0, 9.0, 5.0], [1, 4, 1])
        >>> y = tf.nn.max_pool1d(x, ksize=2, strides=2, padding="VALID")
        >>> tf.reshape(y, [2]).numpy().tolist()
        [3.0, 9.0]
    """
    return _pool("max_pool1d", 1, primitives.max_pool, input, ksize, strides, padding, data_format)


def max_pool2d(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    name: str | None = None,
) -> Tensor:
    """The largest element of each window of ``[batch, h, w, c]``.

    Args:
        ksize: sizes of the window, as ``strides``.
        strides: steps of the window: one number, one for each spatial dimension, or one for each
            dimension.
        padding: "SAME", "VALID" or four pairs in the order of the data format.
        data_format: "NHWC", or "NCHW" with the channels first.

    Example:
        >>> import tfpy as tf
        >>> image = tf.reshape(tf.range(16.0), [1, 4, 4, 1])
        >>> tf.reshape(tf.nn.max_pool2d(image, 2, 2, "VALID"), [2, 2]).numpy().tolist()
        [[5.0, 7.0], [13.0, 15.0]]
    """
    return _pool("max_pool2d", 2, primitives.max_pool, input, ksize, strides, padding, data_format)


def max_pool3d(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NDHWC",
    name: str | None = None,
) -> Tensor:
    """The largest element of each window of ``[batch, d, h, w, c]``.

    Args:
        ksize: sizes of the window, as ``strides``.
        strides: steps of the window: one number, one for each spatial dimension, or one for each
            dimension.
        padding: "SAME", "VALID", or (before, after) for each dimension in the order of the data
            format.
        data_format: "NDHWC", or "NCDHW" with the channels first.

    Example:
        >>> import tfpy as tf
        >>> x = tf.reshape(tf.range(8.0), [1, 2, 2, 2, 1])
        >>> y = tf.nn.max_pool3d(x, ksize=2, strides=2, padding="VALID")
        >>> tf.reshape(y, [1]).numpy().tolist()
        [7.0]
    """
    return _pool("max_pool3d", 3, primitives.max_pool, input, ksize, strides, padding, data_format)


def avg_pool1d(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NWC",
    name: str | None = None,
) -> Tensor:
    """The mean of each window of ``[batch, w, c]``; padding does not count.

    Args:
        ksize: sizes of the window, as ``strides``.
        strides: steps of the window: one number, one for each spatial dimension, or one for each
            dimension.
        padding: "SAME", "VALID", or (before, after) for each dimension in the order of the data
            format.
        data_format: "NWC", or "NCW" with the channels first.

    Example:
        >>> import tfpy as tf
        >>> x = tf.reshape([1.0, 3.0, 5.0, 9.0], [1, 4, 1])
        >>> y = tf.nn.avg_pool1d(x, ksize=2, strides=2, padding="VALID")
        >>> tf.reshape(y, [2]).numpy().tolist()
        [2.0, 7.0]
    """
    return _pool("avg_pool1d", 1, primitives.avg_pool, input, ksize, strides, padding, data_format)


def avg_pool2d(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    name: str | None = None,
) -> Tensor:
    """The mean of each window of ``[batch, h, w, c]``; padding does not count.

    Args:
        ksize: sizes of the window, as ``strides``.
        strides: steps of the window: one number, one for each spatial dimension, or one for each
            dimension.
        padding: "SAME", "VALID", or (before, after) for each dimension in the order of the data
            format.
        data_format: "NHWC", or "NCHW" with the channels first.

    Example:
        >>> import tfpy as tf
        >>> image = tf.reshape(tf.range(16.0), [1, 4, 4, 1])
        >>> tf.reshape(tf.nn.avg_pool2d(image, 2, 2, "VALID"), [2, 2]).numpy().tolist()
        [[2.5, 4.5], [10.5, 12.5]]
    """
    return _pool("avg_pool2d", 2, primitives.avg_pool, input, ksize, strides, padding, data_format)


def avg_pool3d(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NDHWC",
    name: str | None = None,
) -> Tensor:
    """The mean of each window of ``[batch, d, h, w, c]``; padding does not count.

    Args:
        ksize: sizes of the window, as ``strides``.
        strides: steps of the window: one number, one for each spatial dimension, or one for each
            dimension.
        padding: "SAME", "VALID", or (before, after) for each dimension in the order of the data
            format.
        data_format: "NDHWC", or "NCDHW" with the channels first.

    Example:
        >>> import tfpy as tf
        >>> x = tf.reshape(tf.range(8.0), [1, 2, 2, 2, 1])
        >>> y = tf.nn.avg_pool3d(x, ksize=2, strides=2, padding="VALID")
        >>> tf.reshape(y, [1]).numpy().tolist()
        [3.5]
    """
    return _pool("avg_pool3d", 3, primitives.avg_pool, input, ksize, strides, padding, data_format)


def max_pool(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The largest element of each window of an image of 1, 2 or 3 spatial dimensions.

    Args:
        ksize: sizes of the window, as ``strides``.
        strides: steps of the window: one number, one for each spatial dimension, or one for each
            dimension.
        padding: "SAME", "VALID", or (before, after) for each dimension in the order of the data
            format.
        data_format: channels last ("NHWC") or first ("NCHW"), with the letters of the rank.

    Example:
        >>> import tfpy as tf
        >>> x = tf.reshape(tf.range(16.0), [1, 4, 4, 1])
        >>> y = tf.nn.max_pool(x, ksize=2, strides=2, padding="VALID")
        >>> tf.reshape(y, [2, 2]).numpy().tolist()
        [[5.0, 7.0], [13.0, 15.0]]
    """
    x = convert_to_tensor(input)
    rank = spatial_rank("max_pool", x.ndim)
    return _pool("max_pool", rank, primitives.max_pool, x, ksize, strides, padding, data_format)


def avg_pool(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The mean of each window of an image of 1, 2 or 3 spatial dimensions.

    Args:
        ksize: sizes of the window, as ``strides``.
        strides: steps of the window: one number, one for each spatial dimension, or one for each
            dimension.
        padding: "SAME", "VALID", or (before, after) for each dimension in the order of the data
            format.
        data_format: channels last ("NHWC") or first ("NCHW"), with the letters of the rank.

    Example:
        >>> import tfpy as tf
        >>> x = tf.reshape(tf.range(16.0), [1, 4, 4, 1])
        >>> y = tf.nn.avg_pool(x, ksize=2, strides=2, padding="VALID")
        >>> tf.reshape(y, [2, 2]).numpy().tolist()
        [[2.5, 4.5], [10.5, 12.5]]
    """
    x = convert_to_tensor(input)
    rank = spatial_rank("avg_pool", x.ndim)
    return _pool("avg_pool", rank, primitives.avg_pool, x, ksize, strides, padding, data_format)


def pool(
    input: Any,
    window_shape: Any,
    pooling_type: str,
    strides: Any = None,
    padding: Any = "VALID",
    data_format: str | None = None,
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """Pooling of kind "MAX" or "AVG" with windows of 1, 2 or 3 dimensions and dilations.

    Args:
        window_shape: sizes of the window, one for each spatial dimension.
        pooling_type: "MAX" or "AVG".
        strides: steps of the window: one number, one for each spatial dimension, or one for each
            dimension.
        padding: "SAME", "VALID", or (before, after) for each dimension in the order of the data
            format.
        data_format: channels last ("NHWC") or first ("NCHW"), with the letters of the rank.
        dilations: distances between the elements of a window, as ``strides``; 1 by default.

    Raises:
        ValueError: for another kind, or dilations above 1 with strides above 1 or "SAME".

    Example:
        >>> import tfpy as tf
        >>> x = tf.reshape([1.0, 3.0, 9.0, 5.0], [1, 4, 1])
        >>> tf.reshape(tf.nn.pool(x, [2], "MAX", strides=[2]), [2]).numpy().tolist()
        [3.0, 9.0]
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
    return _pool(
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


def lowest(x: Tensor) -> float:
    """What no element of a tensor is below."""
    return -math.inf if x.dtype.is_floating else x.dtype.min
