"""Max pooling with the positions of the maxima."""

from __future__ import annotations

from typing import NamedTuple

from tfpy._src.base import dtypes
from tfpy._src.compiler.ops import elementwise as ew, pooling as primitives, reduction
from tfpy._src.compiler.ops.concatenation import without_elements
from tfpy._src.compiler.ops.patches import padded_windows
from tfpy._src.compiler.ops.window import Window
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import DTypeLike, Strides, TensorLike
from tfpy._src.tensors.array.making import cast
from tfpy._src.tensors.array.ranges import range
from tfpy._src.tensors.array.reshaping import reshape
from tfpy._src.tensors.nn.data_format import DataFormat
from tfpy._src.tensors.nn.pooling_windows import lowest


class MaxPoolWithArgmax(NamedTuple):
    """The result of `tf.nn.max_pool_with_argmax`."""

    output: Tensor
    argmax: Tensor


def max_pool_with_argmax(
    input: TensorLike,
    ksize: Strides,
    strides: Strides,
    padding: str,
    data_format: str = "NHWC",
    output_dtype: DTypeLike = dtypes.int64,
    include_batch_in_index: bool = False,
    name: str | None = None,
) -> MaxPoolWithArgmax:
    """Compute the maximum of each 2-D window and the position of the maximum.

    A position is a flat index into the image, `(row * width + column) * channels + channel`.

    Args:
        input: Tensor of shape `[batch, height, width, channels]`.
        ksize: Size of the window, in the same forms as `strides`.
        strides: Step of the window: one integer, one integer for each spatial axis, or one for each
            axis of the input.
        padding: `"SAME"` or `"VALID"`.
        data_format: Order of the axes. Only `"NHWC"` is supported.
        output_dtype: Dtype of the positions, int32 or int64. Default: int64, which is int32 unless
            the environment variable TFPY_ENABLE_X64 is set.
        include_batch_in_index: If True, the positions are flat indices into the whole batch. If
            False (default), they are flat indices into one image.

    Returns:
        Named tuple `(output, argmax)` of the maxima and their positions, two tensors of shape
        `[batch, out_height, out_width, channels]`. The maxima have the dtype of `input`.

    Raises:
        ValueError: If `data_format` is not `"NHWC"`.

    Example:
        >>> import tfpy as tf
        >>> x = tf.reshape([1.0, 7.0, 3.0, 5.0], [1, 2, 2, 1])
        >>> largest, place = tf.nn.max_pool_with_argmax(x, ksize=2, strides=2, padding="VALID")
        >>> largest.numpy().item(), place.numpy().item()
        (7.0, 1)

    See also: `tf.nn.max_pool2d`.
    """
    if data_format != "NHWC":
        raise ValueError(f"max_pool_with_argmax: data_format must be 'NHWC', got {data_format!r}")
    form = DataFormat.of("max_pool_with_argmax", 2, data_format)
    x = form.channels_last(convert_to_tensor(input))
    extent = form.spatial("ksize", ksize)
    batch, height, width, depth = x.aval.shape
    step, spread, pads = form.window((height, width), extent, strides, padding)
    out = Window(step, spread, pads).out_size(form.op, (height, width), extent)
    if 0 in out:
        nothing = without_elements((batch, *out, depth), x)
        return MaxPoolWithArgmax(nothing, cast(nothing, output_dtype))
    y = primitives.max_pool(x, ksize=extent, strides=step, dilations=spread, padding=pads)
    windows = padded_windows(x, extent, step, spread, pads, lowest(x))
    tap = reduction.argmax(windows, axis=3)

    def along(axis: int, n: int, factor: int = 1, first: int = 0) -> Tensor:
        shape = [n if i == axis else 1 for i in (0, 1, 2, 3)]
        return reshape(range(n) * factor + first, shape)

    row = ew.floor_div(tap, extent[1]) + along(1, y.aval.shape[1], step[0], -pads[0][0])
    column = ew.floor_mod(tap, extent[1]) + along(2, y.aval.shape[2], step[1], -pads[1][0])
    index = (row * width + column) * depth + along(3, depth)
    if include_batch_in_index:
        index = index + along(0, batch, height * width * depth)
    return MaxPoolWithArgmax(y, cast(index, output_dtype))
