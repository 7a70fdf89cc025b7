"""The positions of extremes, and checks of the order of elements."""

from __future__ import annotations

from collections.abc import Callable

from tfpy._src.base import dtypes
from tfpy._src.compiler.ops import logic, reduction
from tfpy._src.compiler.ops.families.infer import normalize_axis
from tfpy._src.core.conversion import constant, convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import DTypeLike, IntLike, TensorLike
from tfpy._src.tensors.array.making import cast
from tfpy._src.tensors.array.reshaping import reshape
from tfpy._src.tensors.array.static import static_int
from tfpy._src.tensors.math.reductions import reduce_all


def argmax(
    input: TensorLike,
    axis: IntLike | None = None,
    output_type: DTypeLike = dtypes.int64,
    name: str | None = None,
) -> Tensor:
    """Return the index of the largest element along an axis.

    If several elements are equal, the first index is returned. NaN is ignored.

    Args:
        input: Numeric or boolean tensor of rank 1 or more.
        axis: Axis to search along. Negative values count from the end. Default: 0.
        output_type: Integer dtype of the result. Default: int64, which is int32 unless the
            environment variable `TFPY_ENABLE_X64` is set.

    Returns:
        Integer tensor with the shape of `input` without `axis`.

    Raises:
        tf.errors.InvalidArgumentError: If the axis is out of range.

    Example:
        >>> import tfpy as tf
        >>> tf.argmax([[1, 5], [7, 2]], axis=1).numpy().tolist()
        [1, 0]

    See also: `tf.argmin`, `tf.reduce_max`, `tf.math.top_k`.
    """
    x = convert_to_tensor(input)
    at = normalize_axis("argmax", 0 if axis is None else static_int(axis), x.ndim)
    return cast(reduction.argmax(_ordered(x), axis=at), output_type)


def argmin(
    input: TensorLike,
    axis: IntLike | None = None,
    output_type: DTypeLike = dtypes.int64,
    name: str | None = None,
) -> Tensor:
    """Return the index of the smallest element along an axis.

    If several elements are equal, the first index is returned. NaN is ignored.

    Args:
        input: Numeric or boolean tensor of rank 1 or more.
        axis: Axis to search along. Negative values count from the end. Default: 0.
        output_type: Integer dtype of the result. Default: int64, which is int32 unless the
            environment variable `TFPY_ENABLE_X64` is set.

    Returns:
        Integer tensor with the shape of `input` without `axis`.

    Raises:
        tf.errors.InvalidArgumentError: If the axis is out of range.

    Example:
        >>> import tfpy as tf
        >>> tf.argmin([[1, 5], [7, 2]], axis=1).numpy().tolist()
        [0, 1]

    See also: `tf.argmax`, `tf.reduce_min`.
    """
    x = convert_to_tensor(input)
    at = normalize_axis("argmin", 0 if axis is None else static_int(axis), x.ndim)
    return cast(reduction.argmin(_ordered(x), axis=at), output_type)


def _ordered(x: Tensor) -> Tensor:
    """Cast booleans to int32, because devices find extremes of numbers only."""
    return cast(x, dtypes.int32) if x.dtype.is_bool else x


def _ascends(compare: Callable[[Tensor, Tensor], Tensor], x: TensorLike) -> Tensor:
    """Return True if a comparison holds for all neighbors in row-major order.

    Raises:
        TypeError: If `x` is a string or boolean tensor.
    """
    t = convert_to_tensor(x)
    if not t.dtype.is_numeric:
        raise TypeError(f"Expected x to be numeric, instead found: {t.dtype.name}")
    if t.size < 2:  # also for complex numbers, because no comparison is needed
        return constant(True)
    flat = reshape(t, [t.size])
    return reduce_all(compare(flat[:-1], flat[1:]))


def is_strictly_increasing(x: TensorLike, name: str | None = None) -> Tensor:
    """Return True if each element is larger than the one before it, in row-major order.

    Args:
        x: Numeric tensor of any shape.

    Returns:
        Boolean scalar. It is True if `x` has fewer than two elements.

    Raises:
        TypeError: If `x` is a string or boolean tensor.

    Example:
        >>> import tfpy as tf
        >>> tf.math.is_strictly_increasing([1, 1, 2]).numpy().tolist()
        False

    See also: `tf.math.is_non_decreasing`, `tf.sort`.
    """
    return _ascends(logic.less, x)


def is_non_decreasing(x: TensorLike, name: str | None = None) -> Tensor:
    """Return True if no element is smaller than the one before it, in row-major order.

    Args:
        x: Numeric tensor of any shape.

    Returns:
        Boolean scalar. It is True if `x` has fewer than two elements.

    Raises:
        TypeError: If `x` is a string or boolean tensor.

    Example:
        >>> import tfpy as tf
        >>> tf.math.is_non_decreasing([1, 1, 2]).numpy().tolist()
        True

    See also: `tf.math.is_strictly_increasing`, `tf.sort`.
    """
    return _ascends(logic.less_equal, x)
