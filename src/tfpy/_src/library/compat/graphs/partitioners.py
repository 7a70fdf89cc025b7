"""`tf.compat.v1`: functions that divide the axes of Variables, and the empty regularizer."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from tfpy._src.base.dtypes import as_dtype
from tfpy._src.core.tensor_shape import TensorShape
from tfpy._src.core.typing import DTypeLike, ShapeLike


def no_regularizer(_: object) -> None:
    """Return None: a regularizer that replaces the one of the scope by none.

    Args:
        _: Variable.

    Returns:
        None.

    Example:
        >>> import tfpy as tf
        >>> print(tf.compat.v1.no_regularizer(1.0))
        None

    See also: `tf.compat.v1.get_variable`.
    """


def fixed_size_partitioner(num_shards: int, axis: int = 0) -> Callable[..., list[int]]:
    """Return a function that divides an axis into a number of parts.

    Args:
        num_shards: Number of parts.
        axis: Axis.

    Returns:
        Function of a shape and a dtype that returns the number of parts of each axis. Variables of
        tfpy are never divided.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.v1.fixed_size_partitioner(3)(shape=tf.TensorShape([8, 2]), dtype=tf.float32)
        [3, 1]

    See also: `tf.compat.v1.get_variable`.
    """

    def partitioner(shape: ShapeLike, **_: Any) -> list[int]:
        sizes = TensorShape(shape).as_list()
        found = [1] * len(sizes)
        found[axis] = min(num_shards, sizes[axis] or 1)
        return found

    return partitioner


def _row_bytes(shape: TensorShape, dtype: DTypeLike, axis: int, string_bytes: int) -> int:
    kind = as_dtype(dtype)
    size = string_bytes if kind.name == "string" else kind.size
    rows = [n or 1 for i, n in enumerate(shape.as_list()) if i != axis]
    return size * math.prod(rows)


def variable_axis_size_partitioner(
    max_shard_bytes: int,
    axis: int = 0,
    bytes_per_string_element: int = 16,
    max_shards: int | None = None,
) -> Callable[..., list[int]]:
    """Return a function that divides an axis into parts of limited size.

    Args:
        max_shard_bytes: Largest number of bytes of a part.
        axis: Axis.
        bytes_per_string_element: Number of bytes of a string.
        max_shards: Largest number of parts.

    Returns:
        Function of a shape and a dtype that returns the number of parts of each axis. Variables of
        tfpy are never divided.

    Raises:
        ValueError: If a number is not positive.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.v1.variable_axis_size_partitioner(16)(tf.TensorShape([8, 2]), tf.float32)
        [4, 1]

    See also: `tf.compat.v1.fixed_size_partitioner`.
    """
    if max_shard_bytes < 1 or bytes_per_string_element < 1:
        raise ValueError(
            "Both max_shard_bytes and bytes_per_string_element must be positive. Currently, "
            f"max_shard_bytes is {max_shard_bytes} and bytes_per_string_element is "
            f"{bytes_per_string_element}"
        )
    if max_shards is not None and max_shards < 1:
        raise ValueError("max_shards must be positive.")

    def partitioner(shape: TensorShape, dtype: DTypeLike) -> list[int]:
        rows = max(1, max_shard_bytes // _row_bytes(shape, dtype, axis, bytes_per_string_element))
        found = [1] * len(shape.as_list())
        parts = -(-(shape.as_list()[axis] or 1) // rows)
        found[axis] = parts if max_shards is None else min(parts, max_shards)
        return found

    return partitioner


def min_max_variable_partitioner(
    max_partitions: int = 1,
    axis: int = 0,
    min_slice_size: int = 256 << 10,
    bytes_per_string_element: int = 16,
) -> Callable[..., list[int]]:
    """Return a function that divides an axis into as many parts as a least size permits.

    Args:
        max_partitions: Largest number of parts.
        axis: Axis.
        min_slice_size: Least number of bytes of a part.
        bytes_per_string_element: Number of bytes of a string.

    Returns:
        Function of a shape and a dtype that returns the number of parts of each axis. Variables of
        tfpy are never divided.

    Example:
        >>> import tfpy as tf
        >>> partitioner = tf.compat.v1.min_max_variable_partitioner(4, min_slice_size=16)
        >>> partitioner(tf.TensorShape([8, 1]), tf.float32)
        [2, 1]

    See also: `tf.compat.v1.fixed_size_partitioner`.
    """

    def partitioner(shape: TensorShape, dtype: DTypeLike) -> list[int]:
        sizes = shape.as_list()
        found = [1] * len(sizes)
        row = _row_bytes(shape, dtype, axis, bytes_per_string_element)
        parts = max(1, (sizes[axis] or 1) * row // min_slice_size)
        found[axis] = max(1, min(sizes[axis] or 1, max_partitions, parts))
        return found

    return partitioner
