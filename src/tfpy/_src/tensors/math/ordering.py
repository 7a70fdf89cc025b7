"""The positions of extremes, and whether elements ascend."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfpy._src.base import dtypes
from tfpy._src.compiler.ops import logic, reduction
from tfpy._src.compiler.ops.families.infer import normalize_axis
from tfpy._src.core.conversion import constant, convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.tensors.array.making import cast
from tfpy._src.tensors.array.reshaping import reshape
from tfpy._src.tensors.array.static import static_int
from tfpy._src.tensors.math.reductions import reduce_all


def argmax(
    input: Any, axis: int | None = None, output_type: Any = dtypes.int64, name: str | None = None
) -> Tensor:
    """Index of the largest element along an axis (0 by default), the first one on ties; int32.

    Example:
        >>> import tfpy as tf
        >>> tf.argmax([[1, 5], [7, 2]], axis=1).numpy().tolist()
        [1, 0]
    """
    x = convert_to_tensor(input)
    at = normalize_axis("argmax", 0 if axis is None else static_int(axis), x.ndim)
    return cast(reduction.argmax(_ordered(x), axis=at), output_type)


def argmin(
    input: Any, axis: int | None = None, output_type: Any = dtypes.int64, name: str | None = None
) -> Tensor:
    """Index of the smallest element along an axis (0 by default), the first one on ties; int32.

    Example:
        >>> import tfpy as tf
        >>> tf.argmin([[1, 5], [7, 2]], axis=1).numpy().tolist()
        [0, 1]
    """
    x = convert_to_tensor(input)
    at = normalize_axis("argmin", 0 if axis is None else static_int(axis), x.ndim)
    return cast(reduction.argmin(_ordered(x), axis=at), output_type)


def _ordered(x: Tensor) -> Tensor:
    """Bools as ints: devices find the extremes of numbers."""
    return cast(x, dtypes.int32) if x.dtype.is_bool else x


def _ascends(compare: Callable[[Tensor, Tensor], Tensor], x: Any) -> Tensor:
    """Whether a comparison holds for all neighbours in row-major order.

    Raises:
        TypeError: for strings and bools.
    """
    t = convert_to_tensor(x)
    if not t.dtype.is_numeric:
        raise TypeError(f"Expected x to be numeric, instead found: {t.dtype.name}")
    if t.size < 2:  # complex numbers too, of which there are no two to compare
        return constant(True)
    flat = reshape(t, [t.size])
    return reduce_all(compare(flat[:-1], flat[1:]))


def is_strictly_increasing(x: Any, name: str | None = None) -> Tensor:
    """Whether each element, in row-major order, is larger than the one before it.

    Example:
        >>> import tfpy as tf
        >>> tf.math.is_strictly_increasing([1, 1, 2]).numpy().tolist()
        False
    """
    return _ascends(logic.less, x)


def is_non_decreasing(x: Any, name: str | None = None) -> Tensor:
    """Whether no element, in row-major order, is smaller than the one before it.

    Example:
        >>> import tfpy as tf
        >>> tf.math.is_non_decreasing([1, 1, 2]).numpy().tolist()
        True
    """
    return _ascends(logic.less_equal, x)
