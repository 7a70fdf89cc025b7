"""Patches of volumes, dilated operations, and convolutions with arguments of graph operations."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tfpy._src.base.errors import UnimplementedError, invalid_value
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import ShapeLike, TensorLike
from tfpy._src.tensors.array.blocks import (
    batch_to_space_nd,
    required_space_to_batch_paddings,
    space_to_batch_nd,
)
from tfpy._src.tensors.array.joining import concat, pad
from tfpy._src.tensors.array.making import zeros
from tfpy._src.tensors.array.reshaping import reshape
from tfpy._src.tensors.array.static import static_ints
from tfpy._src.tensors.autodiff.gradient_tape import GradientTape
from tfpy._src.tensors.nn.convolution import convolution, depthwise_conv2d
from tfpy._src.tensors.nn.normalization import batch_normalization


def extract_volume_patches(
    input: TensorLike,
    ksizes: Sequence[int],
    strides: Sequence[int],
    padding: str,
    name: str | None = None,
) -> Tensor:
    """Extract patches of volumes and put the elements of each patch into the last dimension.

    Args:
        input: Tensor of shape `[batch, planes, rows, columns, channels]`.
        ksizes: Sizes of the patches, five integers of which the first and last are 1.
        strides: Distances between the patches, five integers of which the first and last are 1.
        padding: `"VALID"`, or `"SAME"` for zeros around the volume.

    Returns:
        Tensor of shape `[batch, planes, rows, columns, patch * channels]`, with the dtype of
        `input`.

    Raises:
        tf.errors.InvalidArgumentError: If the shape or an argument is not valid.

    Example:
        >>> import tfpy as tf
        >>> x = tf.reshape(tf.range(8), [1, 2, 2, 2, 1])
        >>> y = tf.extract_volume_patches(x, [1, 2, 2, 2, 1], [1, 1, 1, 1, 1], "VALID")
        >>> y.numpy().ravel().tolist()
        [0, 1, 2, 3, 4, 5, 6, 7]

    See also: `tf.image.extract_patches`.
    """
    x, op = convert_to_tensor(input), "extract_volume_patches"
    if x.aval.rank != 5 or len(ksizes) != 5 or len(strides) != 5:
        raise invalid_value(
            op, f"input must have rank 5 and ksizes and strides 5 items, got {x.shape}"
        )
    if {ksizes[0], ksizes[4], strides[0], strides[4]} != {1} or min(*ksizes, *strides) < 1:
        raise invalid_value(op, f"ksizes {ksizes} and strides {strides} must begin and end with 1")
    if padding not in ("SAME", "VALID"):
        raise invalid_value(op, f"padding must be 'SAME' or 'VALID', got {padding!r}")
    sizes, steps = ksizes[1:4], strides[1:4]
    if padding == "SAME":
        x = pad(x, [[0, 0], *_same(x.aval.shape[1:4], sizes, steps), [0, 0]])
    counts = [(n - k) // s + 1 for n, k, s in zip(x.aval.shape[1:4], sizes, steps, strict=True)]
    parts = []
    for start in itertools.product(*map(range, sizes)):
        windows = (
            slice(first, first + (count - 1) * step + 1, step)
            for first, count, step in zip(start, counts, steps, strict=True)
        )
        parts.append(x[(slice(None), *windows)])
    return concat(parts, -1)


def _same(shape: Sequence[int], sizes: Sequence[int], steps: Sequence[int]) -> list[list[int]]:
    """Return the padding for as many patches as there are steps."""
    needed = [
        max((-(-n // s) - 1) * s + k - n, 0) for n, k, s in zip(shape, sizes, steps, strict=True)
    ]
    return [[n // 2, n - n // 2] for n in needed]


def with_space_to_batch(
    input: TensorLike,
    dilation_rate: Sequence[int],
    padding: str,
    op: Callable[[Tensor, int, str], Tensor],
    filter_shape: ShapeLike | None = None,
    spatial_dims: Sequence[int] | None = None,
    data_format: str | None = None,
) -> Tensor:
    """Compute an operation on windows with gaps between their elements.

    The operation is computed on images that consist of every `dilation_rate`-th row and column.

    Args:
        input: Tensor of shape `[batch, ..., channels]`.
        dilation_rate: Distances between the elements of a window, one for each spatial dimension.
        padding: `"VALID"` or `"SAME"`.
        op: Function `op(input, number_of_spatial_dims, padding)` that returns a tensor.
        filter_shape: Size of the windows of `op`. Required for `"SAME"`.
        spatial_dims: Numbers of the spatial dimensions. Default: those after the batch.
        data_format: A name that begins with `"NC"` if the channels are the second dimension.

    Returns:
        Tensor with the result.

    Raises:
        ValueError: If an argument is not valid.

    Example:
        >>> import tfpy as tf
        >>> x = tf.reshape(tf.range(9.0), [1, 3, 3, 1])
        >>> def largest(x, dimensions, padding):
        ...     return tf.nn.max_pool2d(x, 2, 1, padding)
        >>> tf.nn.with_space_to_batch(x, [2, 2], "VALID", largest).numpy().tolist()
        [[[[8.0]]]]

    See also: `tf.nn.atrous_conv2d`, `tf.space_to_batch`.
    """
    x, rates = convert_to_tensor(input), static_ints(dilation_rate)
    count = len(rates)
    first = 2 if data_format is not None and data_format.startswith("NC") else 1
    dims = sorted(range(first, first + count) if spatial_dims is None else spatial_dims)
    if len(dims) != count or min(rates, default=1) < 1 or dims[0] < 1:
        raise ValueError(
            f"dilation_rate {list(rates)} must have a positive rate for each of {dims}"
        )
    if padding not in ("SAME", "VALID"):
        raise ValueError(f"padding must be 'SAME' or 'VALID', got {padding!r}")
    if all(rate == 1 for rate in rates):
        return op(x, count, padding)
    base = np.zeros([count, 2], np.int32)
    if padding == "SAME":
        if filter_shape is None:
            raise ValueError("filter_shape must be specified for SAME padding")
        extra = (np.array(static_ints(filter_shape)[:count]) - 1) * np.array(rates)
        base = np.stack([extra // 2, extra - extra // 2], 1)
    shape = [x.aval.shape[d] for d in dims]
    paddings, crops = required_space_to_batch_paddings(shape, rates, base)
    blocks = np.ones(dims[-1], np.int32)
    around, cut = np.zeros([2, dims[-1], 2], np.int32)
    for d, rate, wide, narrow in zip(
        dims, rates, np.asarray(paddings), np.asarray(crops), strict=True
    ):
        blocks[d - 1], around[d - 1], cut[d - 1] = rate, wide, narrow
    return batch_to_space_nd(op(space_to_batch_nd(x, blocks, around), count, "VALID"), blocks, cut)


def conv(
    input: TensorLike,
    filter: TensorLike,
    strides: Sequence[int],
    padding: str,
    explicit_paddings: Sequence[int] = (),
    data_format: str = "CHANNELS_LAST",
    dilations: Sequence[int] = (),
    batch_dims: int = 1,
    groups: int = 1,
    name: str | None = None,
) -> Tensor:
    """Convolve images or volumes with filters.

    Args:
        input: Tensor with `batch_dims` dimensions, 2 or 3 spatial dimensions, and channels.
        filter: Tensor of shape `[..., channels / groups, filters]`.
        strides: Step in each dimension of `input` after all but one of the batch dimensions.
        padding: `"SAME"`, `"VALID"` or `"EXPLICIT"`.
        explicit_paddings: Zeros before and after each dimension, as a flat list.
        data_format: `"CHANNELS_LAST"`. The other format is not supported.
        dilations: Distances between the elements of a window, one for each dimension.
        batch_dims: Number of batch dimensions.
        groups: Number of groups of channels. It follows from the shapes.

    Returns:
        Tensor with the result.

    Raises:
        tf.errors.InvalidArgumentError: If the rank is not supported.
        tf.errors.UnimplementedError: If the channels are not the last dimension.

    Example:
        >>> import tfpy as tf
        >>> x, filters = tf.ones([1, 3, 3, 1]), tf.ones([2, 2, 1, 1])
        >>> tf.conv(x, filters, [1, 1, 1, 1], "VALID").numpy().ravel().tolist()
        [4.0, 4.0, 4.0, 4.0]

    See also: `tf.nn.convolution`, `tf.nn.conv2d`.
    """
    x, filters = convert_to_tensor(input), convert_to_tensor(filter)
    spatial = x.aval.rank - batch_dims - 1
    if spatial not in (2, 3):
        raise invalid_value(
            "conv", f"The input must have 2 or 3 spatial dimensions but got {spatial}"
        )
    if data_format != "CHANNELS_LAST":
        raise UnimplementedError(
            None, "conv", f"conv: data_format must be CHANNELS_LAST, got {data_format}"
        )
    batch, rest = x.aval.shape[:batch_dims], x.aval.shape[batch_dims:]
    flat = reshape(x, [-1, *rest])
    if padding == "EXPLICIT":
        flat = pad(flat, np.array(explicit_paddings, np.int32).reshape(-1, 2))
        padding = "VALID"
    found = convolution(
        flat, filters, list(strides[1:-1]), padding, dilations=list(dilations[1:-1]) or None
    )
    return reshape(found, [*batch, *found.aval.shape[1:]])


def depthwise_conv2d_backprop_input(
    input_sizes: TensorLike,
    filter: TensorLike,
    out_backprop: TensorLike,
    strides: Sequence[int],
    padding: str,
    data_format: str = "NHWC",
    dilations: Sequence[int] = (1, 1, 1, 1),
    name: str | None = None,
) -> Tensor:
    """Compute the gradient of `tf.nn.depthwise_conv2d` with respect to its input.

    Args:
        input_sizes: Shape of the input, four integers.
        filter: Tensor of shape `[height, width, channels, multiplier]`.
        out_backprop: Gradient with respect to the output.
        strides, padding, data_format, dilations: Arguments of the convolution.

    Returns:
        Tensor of shape `input_sizes`.

    Example:
        >>> import tfpy as tf
        >>> g = tf.nn.depthwise_conv2d_backprop_input(
        ...     [1, 3, 3, 1], tf.ones([2, 2, 1, 1]), tf.ones([1, 2, 2, 1]), [1, 1, 1, 1], "VALID"
        ... )
        >>> g.numpy()[0, :, :, 0].tolist()
        [[1.0, 2.0, 1.0], [2.0, 4.0, 2.0], [1.0, 2.0, 1.0]]

    See also: `tf.nn.depthwise_conv2d`, `tf.GradientTape`.
    """
    filters = convert_to_tensor(filter)
    start = zeros(static_ints(input_sizes), filters.dtype)
    return _slope(
        start,
        lambda x: _depthwise(x, filters, strides, padding, data_format, dilations),
        out_backprop,
    )


def depthwise_conv2d_backprop_filter(
    input: TensorLike,
    filter_sizes: TensorLike,
    out_backprop: TensorLike,
    strides: Sequence[int],
    padding: str,
    data_format: str = "NHWC",
    dilations: Sequence[int] = (1, 1, 1, 1),
    name: str | None = None,
) -> Tensor:
    """Compute the gradient of `tf.nn.depthwise_conv2d` with respect to its filters.

    Args:
        input: Tensor of four dimensions.
        filter_sizes: Shape of the filters, four integers.
        out_backprop: Gradient with respect to the output.
        strides, padding, data_format, dilations: Arguments of the convolution.

    Returns:
        Tensor of shape `filter_sizes`.

    Example:
        >>> import tfpy as tf
        >>> g = tf.nn.depthwise_conv2d_backprop_filter(
        ...     tf.ones([1, 3, 3, 1]), [2, 2, 1, 1], tf.ones([1, 2, 2, 1]), [1, 1, 1, 1], "VALID"
        ... )
        >>> g.numpy().ravel().tolist()
        [4.0, 4.0, 4.0, 4.0]

    See also: `tf.nn.depthwise_conv2d`, `tf.GradientTape`.
    """
    images = convert_to_tensor(input)
    start = zeros(static_ints(filter_sizes), images.dtype)
    return _slope(
        start,
        lambda filters: _depthwise(images, filters, strides, padding, data_format, dilations),
        out_backprop,
    )


def _depthwise(
    x: Tensor, filters: Tensor, strides: Any, padding: Any, layout: str, d: Any
) -> Tensor:
    rates = [d[2], d[3]] if layout == "NCHW" else [d[1], d[2]]
    return depthwise_conv2d(x, filters, list(strides), padding, layout, rates)


def _slope(start: Tensor, function: Callable[[Tensor], Tensor], upstream: TensorLike) -> Tensor:
    """Return the gradient of a linear function."""
    with GradientTape() as tape:
        tape.watch(start)
        y = function(start)
    found: Tensor = tape.gradient(y, start, convert_to_tensor(upstream))
    return found


def batch_norm_with_global_normalization(
    input: TensorLike,
    mean: TensorLike,
    variance: TensorLike,
    beta: TensorLike,
    gamma: TensorLike,
    variance_epsilon: float,
    scale_after_normalization: bool,
    name: str | None = None,
) -> Tensor:
    """Normalize with a given mean and variance, as `tf.nn.batch_normalization` does.

    Args:
        input: Float tensor.
        mean, variance: Mean and variance, tensors that broadcast to `input`.
        beta: Tensor that is added to the result.
        gamma: Tensor by which the normalized values are multiplied.
        variance_epsilon: Number that is added to the variance.
        scale_after_normalization: If False, `gamma` is not used.

    Returns:
        Tensor with the shape and dtype of `input`.

    Example:
        >>> import tfpy as tf
        >>> y = tf.nn.batch_norm_with_global_normalization([3.0], 1.0, 4.0, 0.5, 2.0, 0.0, True)
        >>> y.numpy().tolist()
        [2.5]

    See also: `tf.nn.batch_normalization`.
    """
    scale = gamma if scale_after_normalization else None
    return batch_normalization(input, mean, variance, beta, scale, variance_epsilon)
