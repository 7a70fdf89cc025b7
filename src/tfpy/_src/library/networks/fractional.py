"""Fractional pooling: regions of random sizes with any mean from 1 upwards.

The regions follow TensorFlow's file `core/kernels/fractional_pool_common.cc`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ir.aval import Array, Aval
from tfpy._src.compiler.ops.reference import philox
from tfpy._src.core.conversion import constant, convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import TensorLike
from tfpy._src.functions.control.effects import on_host
from tfpy._src.tensors.array.making import cast
from tfpy._src.tensors.array.ranges import range as range_
from tfpy._src.tensors.array.reshaping import expand_dims, reshape, squeeze, transpose
from tfpy._src.tensors.array.slicing import gather
from tfpy._src.tensors.math.ordering import argmax
from tfpy._src.tensors.math.reductions import reduce_sum
from tfpy._src.tensors.random.streams import op_seeds
from tfpy._src.tensors.random.word_stream import WordStream

Seeds = tuple[int, int]


class FractionalMaxPool(NamedTuple):
    """The result of `tf.nn.fractional_max_pool`."""

    output: Tensor
    row_pooling_sequence: Tensor
    col_pooling_sequence: Tensor


class FractionalAvgPool(NamedTuple):
    """The result of `tf.nn.fractional_avg_pool`."""

    output: Tensor
    row_pooling_sequence: Tensor
    col_pooling_sequence: Tensor


def fractional_max_pool(
    value: TensorLike,
    pooling_ratio: float | Sequence[float],
    pseudo_random: bool = False,
    overlapping: bool = False,
    seed: int = 0,
    name: str | None = None,
) -> FractionalMaxPool:
    """Compute the maxima of regions. Their mean size does not have to be an integer.

    The height and width are divided into regions of `floor(pooling_ratio)` or one more rows and
    columns, in random order.

    Args:
        value: Numeric tensor of shape `[batch, height, width, channels]`.
        pooling_ratio: Mean size of the regions: one number, one for each spatial axis, or one for
            each axis; the first and the last are then 1. At least 1.
        pseudo_random: If True, the sizes of the regions follow from one random number. Default:
            they are shuffled.
        overlapping: If True, neighboring regions share a row or column.
        seed: Integer that determines the regions. Default: 0, they differ between calls.

    Returns:
        Named tuple of three tensors: `output` of shape `[batch, out_height, out_width, channels]`
        with the dtype of `value`; and `row_pooling_sequence` and `col_pooling_sequence`, int64
        tensors with the starts of the regions and the end of the last one.

    Raises:
        ValueError: If `pooling_ratio` is not valid.

    Example:
        >>> import tfpy as tf
        >>> x = tf.reshape(tf.range(16.0), [1, 4, 4, 1])
        >>> output, rows, columns = tf.nn.fractional_max_pool(x, 1.5, seed=3)
        >>> output.shape, rows.numpy()[-1].item()
        (TensorShape([1, 2, 2, 1]), 4)

    See also: `tf.nn.max_pool2d`, `tf.nn.fractional_avg_pool`.
    """
    _check_ratio(pooling_ratio)
    return FractionalMaxPool(
        *pooled(largest, value, pooling_ratio, pseudo_random, overlapping, _seeds(seed))
    )


def fractional_avg_pool(
    value: TensorLike,
    pooling_ratio: float | Sequence[float],
    pseudo_random: bool = False,
    overlapping: bool = False,
    seed: int = 0,
    name: str | None = None,
) -> FractionalAvgPool:
    """Compute the means of regions. Their mean size does not have to be an integer.

    Args:
        value: Numeric tensor of shape `[batch, height, width, channels]`.
        pooling_ratio: Mean size of the regions, as for `tf.nn.fractional_max_pool`.
        pseudo_random: If True, the sizes of the regions follow from one random number. Default:
            they are shuffled.
        overlapping: If True, neighboring regions share a row or column.
        seed: Integer that determines the regions. Default: 0, they differ between calls.

    Returns:
        Named tuple of three tensors, as `tf.nn.fractional_max_pool` returns it.

    Raises:
        ValueError: If `pooling_ratio` is not valid.

    Example:
        >>> import tfpy as tf
        >>> x = tf.reshape(tf.range(16.0), [1, 4, 4, 1])
        >>> tf.nn.fractional_avg_pool(x, [1, 2, 2, 1]).output.numpy().ravel().tolist()
        [2.5, 4.5, 10.5, 12.5]

    See also: `tf.nn.avg_pool2d`, `tf.nn.fractional_max_pool`.
    """
    _check_ratio(pooling_ratio)
    return FractionalAvgPool(
        *pooled(mean, value, pooling_ratio, pseudo_random, overlapping, _seeds(seed))
    )


def pooled(
    reduce: Callable[..., Tensor],
    value: TensorLike,
    ratio: float | Sequence[float],
    pseudo_random: bool,
    overlapping: bool,
    seeds: Seeds | None,
) -> tuple[Tensor, Tensor, Tensor]:
    """Return the reduced regions, and the sequences of the rows and columns.

    Args:
        reduce: `largest` or `mean`.
        seeds: Seeds that determine the regions, or None for other regions at each call.

    Raises:
        InvalidArgumentError: If `value` is not a batch of images, or is too small.
    """
    x = convert_to_tensor(value)
    if x.aval.rank != 4:
        raise invalid("fractional_pool", f"value must be 4-dimensional, got shape {x.shape}")
    ratios = _spatial(ratio)
    sizes = x.aval.shape[1:3]
    counts = [math.floor(n / r) for n, r in zip(sizes, ratios, strict=True)]
    if min(counts) < 1:
        raise invalid("fractional_pool", f"the output of shape {counts} is empty")

    def drawn() -> list[Tensor]:
        found = _sequences(sizes, counts, pseudo_random, seeds or _random_seeds())
        return [constant(one) for one in found]

    avals = [Aval((n + 1,), dtypes.int32) for n in counts]
    starts = drawn() if seeds else on_host(drawn, [], avals)
    rows, columns = (cast(one, dtypes.int64) for one in starts)
    return reduce(x, *starts, overlapping), rows, columns


def largest(x: Tensor, rows: Tensor, columns: Tensor, overlapping: bool) -> Tensor:
    """Return the maxima of regions; the gradient belongs to the first maximum of each."""
    windows, _ = _windows(x, rows, columns, overlapping)
    first = expand_dims(argmax(windows, -1), -1)
    return squeeze(gather(windows, first, axis=4, batch_dims=4), -1)


def mean(x: Tensor, rows: Tensor, columns: Tensor, overlapping: bool) -> Tensor:
    """Return the means of regions."""
    windows, inside = _windows(x, rows, columns, overlapping)
    weights = expand_dims(cast(inside, x.dtype), 2)
    total = reduce_sum(windows * weights, -1)
    count = reduce_sum(weights, -1)
    return total // count if x.dtype.is_integer else total / count


def _windows(x: Tensor, rows: Tensor, columns: Tensor, overlapping: bool) -> tuple[Tensor, Tensor]:
    """Return the elements [batch, rows, columns, channels, n] of regions, and those that count.

    Smaller regions repeat an element, which does not count.
    """
    batch, height, width, channels = x.aval.shape
    at_rows, is_row = _places(rows, height, overlapping)
    at_columns, is_column = _places(columns, width, overlapping)
    high, wide = at_rows.aval.shape[0], at_columns.aval.shape[0]
    places = reshape(at_rows, [high, 1, -1, 1]) * width + reshape(at_columns, [1, wide, 1, -1])
    inside = reshape(is_row, [high, 1, -1, 1]) & reshape(is_column, [1, wide, 1, -1])
    size = at_rows.aval.shape[1] * at_columns.aval.shape[1]
    pixels = reshape(x, [batch, height * width, channels])
    found = gather(pixels, reshape(places, [high, wide, size]), axis=1)
    return transpose(found, [0, 1, 2, 4, 3]), reshape(inside, [high, wide, size])


def _places(starts: Tensor, size: int, overlapping: bool) -> tuple[Tensor, Tensor]:
    """Return the positions [regions, n] along an axis, and True for those in their region."""
    count = starts.aval.shape[0] - 1
    most = size // count + 2 + overlapping
    first = reshape(starts[:-1], [count, 1])
    last = reshape(starts[1:], [count, 1]) - (0 if overlapping else 1)
    at = first + reshape(range_(most), [1, most])
    inside = (at <= last) & (at < size)
    clipped = at * cast(inside, at.dtype) + first * cast(~inside, at.dtype)
    return clipped, inside


def _sequences(
    sizes: Sequence[int], counts: Sequence[int], pseudo_random: bool, seeds: Seeds
) -> list[Array]:
    """Return the starts of the regions of both axes, from one stream of random numbers."""
    found, used = [], 0
    for size, count in zip(sizes, counts, strict=True):
        state = (*philox.split(seeds[0], 2), *philox.split(used + (seeds[1] << 64), 4))
        words = WordStream(np.array(state, np.uint32).view(np.int32))
        if pseudo_random:
            lengths = _pseudo_random(size, count, words)
            used += 1
        else:
            lengths = _shuffled(size, count, words)
            used += -(-count // 4)
        found.append(np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32))
    return found


def _pseudo_random(size: int, count: int, words: WordStream) -> Array:
    mean_length, least = size / count, size // count
    most = min((least + 2) / mean_length - 1, (size + 1 - least) / mean_length - (count - 1))
    offset = words.number() * most
    inner = [math.ceil(mean_length * (i + offset)) for i in range(1, count)]
    return np.diff([1, *inner, size + 1])


def _shuffled(size: int, count: int, words: WordStream) -> Array:
    lengths = [size // count + (i < size % count) for i in range(count)]
    for i in range(count - 1):
        other = i + words.word() % (count - i)
        lengths[i], lengths[other] = lengths[other], lengths[i]
    return np.array(lengths)


def _random_seeds() -> Seeds:
    first, second = np.random.default_rng().integers(1, 2**31, 2).tolist()
    return int(first), int(second)


def _seeds(seed: int) -> Seeds | None:
    return op_seeds(seed) if seed else None


def _spatial(ratio: Any) -> Sequence[float]:
    numbers = list(ratio) if isinstance(ratio, list | tuple) else [ratio]
    if len(numbers) == 4:
        return numbers[1:3]
    return numbers * 2 if len(numbers) == 1 else numbers


def _check_ratio(ratio: Any) -> None:
    """Check a pooling ratio.

    Raises:
        ValueError: If it is not valid.
    """
    if isinstance(ratio, list | tuple):
        if len(ratio) not in (1, 2, 4):
            raise ValueError(
                f"pooling_ratio should be of length 1, 2 or 4. Received: pooling_ratio={ratio}"
            )
        if len(ratio) == 4 and (ratio[0] != 1.0 or ratio[-1] != 1.0):
            raise ValueError(
                "`pooling_ratio` should have first and last elements with value 1.0. Received: "
                f"pooling_ratio={ratio}"
            )
        if min(ratio) < 1.0:
            raise ValueError(
                f"`pooling_ratio` elements should be >= 1.0. Received: pooling_ratio={ratio}"
            )
    elif not isinstance(ratio, int | float):
        raise ValueError(
            f"`pooling_ratio` should be an int or a list of ints. Received: pooling_ratio={ratio}"
        )
    elif ratio < 1.0:
        raise ValueError(f"`pooling_ratio` should be >= 1.0. Received: pooling_ratio={ratio}")
