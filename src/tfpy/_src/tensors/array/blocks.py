"""Functions that move blocks of pixels into the channels or the batch and back."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tfpy._src.base.errors import invalid
from tfpy._src.core.conversion import constant, convert_to_tensor, host_values
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import ShapeLike, TensorLike
from tfpy._src.tensors.array.joining import pad
from tfpy._src.tensors.array.reshaping import reshape, transpose
from tfpy._src.tensors.array.slicing import slice
from tfpy._src.tensors.array.static import static_ints


def _image(
    op: str, input: TensorLike, block_size: Any, data_format: str
) -> tuple[Tensor, int, bool]:
    """Return the image tensor, the block size, and True if the channels precede the pixels."""
    if data_format not in ("NHWC", "NCHW"):
        raise ValueError(f"{op}: data_format must be 'NHWC' or 'NCHW', got {data_format!r}")
    x, size = convert_to_tensor(input), int(block_size)
    if x.ndim != 4:
        raise invalid(op, f"Input rank should be 4 instead of {x.ndim}")
    if size < 2:
        raise invalid(op, f"Block size should be > 1, but was: {size}")
    return x, size, data_format == "NCHW"


def depth_to_space(
    input: TensorLike, block_size: int, data_format: str = "NHWC", name: str | None = None
) -> Tensor:
    """Move the channels of each pixel into a block of `block_size` by `block_size` pixels.

    Args:
        input: Tensor of shape `[batch, height, width, channels]`, or
            `[batch, channels, height, width]` if `data_format` is `"NCHW"`.
        block_size: Height and width of a block, at least 2.
        data_format: `"NHWC"` (default) or `"NCHW"`, the order of the dimensions of `input` and of
            the result.

    Returns:
        Tensor with the dtype of `input` and the shape `[batch, height * block_size, width *
        block_size, channels / block_size**2]`, or `[batch, channels / block_size**2, height *
        block_size, width * block_size]` if `data_format` is `"NCHW"`.

    Raises:
        ValueError: If `data_format` is neither `"NHWC"` nor `"NCHW"`.
        tf.errors.InvalidArgumentError: If `input` does not have rank 4, `block_size` is less than
            2, or the number of channels is not a multiple of `block_size**2`.

    Example:
        >>> import tfpy as tf
        >>> x = tf.reshape(tf.range(4), [1, 1, 1, 4])
        >>> tf.nn.depth_to_space(x, block_size=2).numpy()[0, :, :, 0].tolist()
        [[0, 1], [2, 3]]

    See also: `tf.nn.space_to_depth`, `tf.batch_to_space`.
    """
    x, size, nchw = _image("depth_to_space", input, block_size, data_format)
    channels = x.aval.shape[1 if nchw else 3]
    if channels % size**2:
        raise invalid(
            "depth_to_space",
            f"Input depth dimension {channels} should be divisible by: {size**2}",
        )
    depth = channels // size**2
    if nchw:
        b, _, h, w = x.aval.shape
        blocks = transpose(reshape(x, [b, size, size, depth, h, w]), [0, 3, 4, 1, 5, 2])
        return reshape(blocks, [b, depth, h * size, w * size])
    b, h, w, _ = x.aval.shape
    blocks = transpose(reshape(x, [b, h, w, size, size, depth]), [0, 1, 3, 2, 4, 5])
    return reshape(blocks, [b, h * size, w * size, depth])


def space_to_depth(
    input: TensorLike, block_size: int, data_format: str = "NHWC", name: str | None = None
) -> Tensor:
    """Move each block of `block_size` by `block_size` pixels into the channels of one pixel.

    This is the inverse of `tf.nn.depth_to_space`.

    Args:
        input: Tensor of shape `[batch, height, width, channels]`, or
            `[batch, channels, height, width]` if `data_format` is `"NCHW"`.
        block_size: Height and width of a block, at least 2.
        data_format: `"NHWC"` (default) or `"NCHW"`, the order of the dimensions of `input` and of
            the result.

    Returns:
        Tensor with the dtype of `input` and the shape `[batch, height / block_size, width /
        block_size, channels * block_size**2]`, or `[batch, channels * block_size**2, height /
        block_size, width / block_size]` if `data_format` is `"NCHW"`.

    Raises:
        ValueError: If `data_format` is neither `"NHWC"` nor `"NCHW"`.
        tf.errors.InvalidArgumentError: If `input` does not have rank 4, `block_size` is less than
            2, or the height or width is not a multiple of `block_size`.

    Example:
        >>> import tfpy as tf
        >>> x = tf.reshape(tf.range(4), [1, 2, 2, 1])
        >>> tf.nn.space_to_depth(x, block_size=2).numpy().tolist()
        [[[[0, 1, 2, 3]]]]

    See also: `tf.nn.depth_to_space`, `tf.space_to_batch`.
    """
    x, size, nchw = _image("space_to_depth", input, block_size, data_format)
    h, w = x.aval.shape[2:] if nchw else x.aval.shape[1:3]
    if h % size or w % size:
        raise invalid(
            "space_to_depth",
            f"Image width {w} and height {h} should be divisible by block_size: {size}",
        )
    h, w = h // size, w // size
    if nchw:
        b, c = x.aval.shape[:2]
        blocks = transpose(reshape(x, [b, c, h, size, w, size]), [0, 3, 5, 1, 2, 4])
        return reshape(blocks, [b, c * size**2, h, w])
    b, c = x.aval.shape[0], x.aval.shape[3]
    blocks = transpose(reshape(x, [b, h, size, w, size, c]), [0, 1, 3, 2, 4, 5])
    return reshape(blocks, [b, h, w, c * size**2])


def _block(
    op: str, x: Tensor, block_shape: Any, margins: TensorLike, what: str
) -> tuple[tuple[int, ...], list[tuple[int, int]]]:
    """Return the block sizes and the pairs of margins, one per dimension after the batch."""
    blocks = static_ints(block_shape)
    flat = static_ints(np.asarray(margins).reshape(-1))
    pairs = list(zip(flat[::2], flat[1::2], strict=True))
    shaped = np.ndim(block_shape) == 1 and len(pairs) == len(blocks) < x.ndim
    if not shaped or min(flat, default=0) < 0 or min(blocks, default=1) < 1:
        raise invalid(
            op,
            f"block_shape {list(blocks)} must be a vector of positive integers, and {what} "
            f"{[list(p) for p in pairs]} must have one pair of non-negative integers for each of "
            f"them, for an input of shape {list(x.aval.shape)}",
        )
    return blocks, pairs


def space_to_batch(
    input: TensorLike, block_shape: ShapeLike, paddings: TensorLike, name: str | None = None
) -> Tensor:
    """Divide dimensions 1 to M into blocks and move the positions within a block into the batch.

    M is the length of `block_shape`. The dimensions are first padded with zeros. Each element of
    the resulting batch then consists of the elements that have the same position in their blocks.

    Args:
        input: Tensor of shape `[batch, ...]` with at least M + 1 dimensions.
        block_shape: Vector of M integers, the sizes of a block along the dimensions 1 to M.
        paddings: Integers of shape `[M, 2]`, the numbers of zeros to add before and after each of
            the dimensions 1 to M.

    Returns:
        Tensor with the dtype of `input` and the shape `[batch * prod(block_shape), padded_1 /
        block_shape[0], ..., padded_M / block_shape[M - 1], ...]`, where `padded_i` is dimension i
        after padding.

    Raises:
        tf.errors.InvalidArgumentError: If a padded dimension is not a multiple of the size of its
            block, or `block_shape` and `paddings` do not match.

    Example:
        >>> import tfpy as tf
        >>> x = tf.reshape(tf.range(4), [1, 2, 2, 1])
        >>> y = tf.space_to_batch(x, block_shape=[2, 2], paddings=[[0, 0], [0, 0]])
        >>> y.shape, tf.reshape(y, [4]).numpy().tolist()
        (TensorShape([4, 1, 1, 1]), [0, 1, 2, 3])

    See also: `tf.batch_to_space`, `tf.required_space_to_batch_paddings`, `tf.nn.space_to_depth`.
    """
    x = convert_to_tensor(input)
    blocks, pairs = _block("space_to_batch", x, block_shape, paddings, "paddings")
    for n, (before, after), block in zip(x.aval.shape[1:], pairs, blocks, strict=False):
        if (n + before + after) % block:
            raise invalid(
                "space_to_batch",
                f"padded_shape {n + before + after} is not divisible by block_shape {block}",
            )
    if any(any(p) for p in pairs):
        x = pad(x, [(0, 0), *pairs, *[(0, 0)] * (x.ndim - 1 - len(pairs))])
    for axis, block in reversed(list(enumerate(blocks, 1))):
        shape = list(x.aval.shape)
        size = shape[axis] // block
        middle = math.prod(shape[1:axis])
        rest = math.prod(shape[axis + 1 :])
        moved = transpose(reshape(x, [shape[0] * middle, size, block, rest]), [2, 0, 1, 3])
        x = reshape(moved, [block * shape[0], *shape[1:axis], size, *shape[axis + 1 :]])
    return x


space_to_batch_nd = space_to_batch


def batch_to_space(
    input: TensorLike, block_shape: ShapeLike, crops: TensorLike, name: str | None = None
) -> Tensor:
    """Move parts of the batch into blocks of dimensions 1 to M, and crop these dimensions.

    M is the length of `block_shape`. This is the inverse of `tf.space_to_batch`.

    Args:
        input: Tensor of shape `[batch, ...]` with at least M + 1 dimensions.
        block_shape: Vector of M integers, the sizes of a block along the dimensions 1 to M.
        crops: Integers of shape `[M, 2]`, the numbers of elements to remove at the start and at the
            end of each of the dimensions 1 to M.

    Returns:
        Tensor with the dtype of `input` and the shape
        `[batch / prod(block_shape), cropped_1, ..., cropped_M, ...]`, where `cropped_i` is
        `input.shape[i] * block_shape[i - 1] - sum(crops[i - 1])`.

    Raises:
        tf.errors.InvalidArgumentError: If the first dimension is not a multiple of the product of
            `block_shape`, the crops of a dimension exceed its size, or `block_shape` and `crops` do
            not match.

    Example:
        >>> import tfpy as tf
        >>> x = tf.reshape(tf.range(4), [4, 1, 1, 1])
        >>> y = tf.batch_to_space(x, block_shape=[2, 2], crops=[[0, 0], [0, 0]])
        >>> y.shape, tf.reshape(y, [2, 2]).numpy().tolist()
        (TensorShape([1, 2, 2, 1]), [[0, 1], [2, 3]])

    See also: `tf.space_to_batch`, `tf.nn.depth_to_space`.
    """
    x = convert_to_tensor(input)
    blocks, pairs = _block("batch_to_space", x, block_shape, crops, "crops")
    if x.aval.shape[0] % math.prod(blocks):
        raise invalid(
            "batch_to_space",
            f"Input batch dimension ({x.aval.shape[0]}) is not divisible by product of block sizes "
            f"({math.prod(blocks)})",
        )
    for axis, block in enumerate(blocks, 1):
        shape = list(x.aval.shape)
        batch, size = shape[0] // block, shape[axis]
        middle = math.prod(shape[1:axis])
        rest = math.prod(shape[axis + 1 :])
        moved = transpose(reshape(x, [block, batch * middle, size, rest]), [1, 2, 0, 3])
        x = reshape(moved, [batch, *shape[1:axis], size * block, *shape[axis + 1 :]])
    if not any(any(p) for p in pairs):
        return x
    begin = [0, *(before for before, _ in pairs), *[0] * (x.ndim - 1 - len(pairs))]
    size_ = list(x.aval.shape)
    for axis, (before, after) in enumerate(pairs, 1):
        size_[axis] -= before + after
        if size_[axis] < 0:
            raise invalid(
                "batch_to_space",
                f"crops {(before, after)} exceed size {x.aval.shape[axis]} of dimension {axis}",
            )
    return slice(x, begin, size_)


batch_to_space_nd = batch_to_space


def required_space_to_batch_paddings(
    input_shape: ShapeLike,
    block_shape: ShapeLike,
    base_paddings: TensorLike | None = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """Compute paddings that make dimensions multiples of block sizes, and the matching crops.

    Args:
        input_shape: Integers of shape `[n]`, the dimensions to divide into blocks.
        block_shape: Integers of shape `[n]`, the size of a block along each dimension.
        base_paddings: Integers of shape `[n, 2]`, the smallest paddings to add before and after
            each dimension. Default: zeros.

    Returns:
        A tuple `(paddings, crops)` of int32 tensors of shape `[n, 2]`, for `tf.space_to_batch` and
        `tf.batch_to_space`. The crops remove only what the paddings add to `base_paddings`.

    Example:
        >>> import tfpy as tf
        >>> pads, crops = tf.required_space_to_batch_paddings([5, 6], block_shape=[2, 2])
        >>> pads.numpy().tolist(), crops.numpy().tolist()
        ([[0, 1], [0, 0]], [[0, 1], [0, 0]])

    See also: `tf.space_to_batch`, `tf.batch_to_space`.
    """
    sizes, blocks = (np.asarray(host_values(x), np.int64) for x in (input_shape, block_shape))
    given = [[0, 0]] * sizes.size if base_paddings is None else base_paddings
    base = np.asarray(host_values(given), np.int64).reshape(-1, 2)
    extra = -(sizes + base.sum(1)) % blocks
    paddings = np.stack([base[:, 0], base[:, 1] + extra], 1)
    crops = np.stack([np.zeros_like(extra), extra], 1)
    return constant(paddings.astype(np.int32)), constant(crops.astype(np.int32))
