"""Reductions over any axes, and what is made of them: ``tf.reduce_*``, ``tf.argmax``."""

from __future__ import annotations

from typing import Any

from tfpy._src.backends.registry import storable
from tfpy._src.base import dtypes
from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ir.op import Op
from tfpy._src.compiler.ops import elementwise as ew, logic, reduction, special
from tfpy._src.compiler.ops.families.infer import normalize_axis
from tfpy._src.core.conversion import convert_to_tensor, is_operand
from tfpy._src.core.dispatch import dispatchable
from tfpy._src.core.tape import stop_gradient
from tfpy._src.core.tensor import Tensor
from tfpy._src.tensors.array.complex_numbers import conj, real
from tfpy._src.tensors.array.making import cast
from tfpy._src.tensors.array.reshaping import identity, squeeze
from tfpy._src.tensors.array.static import static_ints


def _axes(op: str, x: Tensor, axis: Any) -> tuple[int, ...]:
    if axis is None:
        return tuple(range(x.ndim))
    axes = tuple(normalize_axis(op, a, x.ndim) for a in static_ints(axis))
    if len(set(axes)) != len(axes):
        raise invalid(op, f"Invalid reduction arguments: Axes contains duplicate dimension: {axes}")
    return axes


def _reduce(op: Op, input_tensor: Any, axis: Any, keepdims: bool) -> Tensor:
    x = convert_to_tensor(input_tensor, None if is_operand(input_tensor) else op.only)
    axes = _axes(op.name, x, axis)
    if not axes:
        op.infer(x.aval, axes=(0, 0))  # the dtype is checked even when nothing is to be reduced
        return identity(x)
    reduced: Tensor = reduction.reduce_axes(op, x, axes, keepdims)
    return reduced


@dispatchable
def reduce_sum(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """Sum over the axes (all by default).

    Args:
        axis: an axis or several, negative ones counted from the end; all by default.
        keepdims: whether reduced axes stay, of size 1.

    Example:
        >>> import tfpy as tf
        >>> x = tf.constant([[1.0, 2.0], [3.0, 5.0]])
        >>> tf.reduce_sum(x, axis=1).numpy().tolist()
        [3.0, 8.0]
    """
    return _reduce(reduction.reduce_sum, input_tensor, axis, keepdims)


@dispatchable
def reduce_prod(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """Product over the axes (all by default).

    Args:
        axis: an axis or several, negative ones counted from the end; all by default.
        keepdims: whether reduced axes stay, of size 1.

    Example:
        >>> import tfpy as tf
        >>> x = tf.constant([[1.0, 2.0], [3.0, 5.0]])
        >>> tf.reduce_prod(x, axis=0).numpy().tolist()
        [3.0, 10.0]
    """
    return _reduce(reduction.reduce_prod, input_tensor, axis, keepdims)


@dispatchable
def reduce_max(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """Largest element over the axes (all by default).

    Args:
        axis: an axis or several, negative ones counted from the end; all by default.
        keepdims: whether reduced axes stay, of size 1.

    Example:
        >>> import tfpy as tf
        >>> x = tf.constant([[1.0, 2.0], [3.0, 5.0]])
        >>> tf.reduce_max(x, axis=1, keepdims=True).numpy().tolist()
        [[2.0], [5.0]]
    """
    return _reduce(reduction.reduce_max, input_tensor, axis, keepdims)


@dispatchable
def reduce_min(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """Smallest element over the axes (all by default).

    Args:
        axis: an axis or several, negative ones counted from the end; all by default.
        keepdims: whether reduced axes stay, of size 1.

    Example:
        >>> import tfpy as tf
        >>> x = tf.constant([[1.0, 2.0], [3.0, 5.0]])
        >>> tf.reduce_min(x, axis=0).numpy().tolist()
        [1.0, 2.0]
    """
    return _reduce(reduction.reduce_min, input_tensor, axis, keepdims)


@dispatchable
def reduce_any(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """Logical or over the axes (all by default).

    Args:
        axis: an axis or several, negative ones counted from the end; all by default.
        keepdims: whether reduced axes stay, of size 1.

    Example:
        >>> import tfpy as tf
        >>> tf.reduce_any([[True, False], [False, False]], axis=1).numpy().tolist()
        [True, False]
    """
    return _reduce(reduction.reduce_any, input_tensor, axis, keepdims)


@dispatchable
def reduce_all(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """Logical and over the axes (all by default).

    Args:
        axis: an axis or several, negative ones counted from the end; all by default.
        keepdims: whether reduced axes stay, of size 1.

    Example:
        >>> import tfpy as tf
        >>> tf.reduce_all([[True, False], [True, True]], axis=1).numpy().tolist()
        [False, True]
    """
    return _reduce(reduction.reduce_all, input_tensor, axis, keepdims)


@dispatchable
def reduce_mean(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """Mean over the axes (all by default); integer means truncate, as TensorFlow's.

    Args:
        axis: an axis or several, negative ones counted from the end; all by default.
        keepdims: whether reduced axes stay, of size 1.

    Example:
        >>> import tfpy as tf
        >>> x = tf.constant([[1.0, 2.0], [3.0, 5.0]])
        >>> tf.reduce_mean(x, axis=0).numpy().tolist()
        [2.0, 3.5]
    """
    x = convert_to_tensor(input_tensor)
    if x.dtype.is_integer:
        return _integer_mean(x, axis, keepdims)
    total = reduce_sum(x, axis, keepdims)
    count = x.size // max(total.size, 1) if x.size else 0
    return total * (1.0 / count if count else 0.0 if x.dtype.is_complex else float("nan"))


def _integer_mean(x: Tensor, axis: Any, keepdims: bool) -> Tensor:
    """The mean of quotients and remainders, whose sums stay in range where that of x does not."""
    if x.dtype.size == 1:
        return cast(_integer_mean(cast(x, dtypes.int32), axis, keepdims), x.dtype)
    if x.dtype == dtypes.uint64:  # TensorFlow's sums of these wrap
        total = reduce_sum(x, axis, keepdims)
        return ew.floor_div(total, max(x.size // max(total.size, 1), 1))
    reduced = _reduce(reduction.reduce_max, x, axis, keepdims)
    count = max(x.size // max(reduced.size, 1), 1)
    quotients = special.truncatediv(x, count)
    rest = reduce_sum(x - quotients * count, axis, keepdims)
    mean = reduce_sum(quotients, axis, keepdims) + special.truncatediv(rest, count)
    rest = special.truncatemod(rest, count)
    up, down = logic.logical_and(mean < 0, rest > 0), logic.logical_and(mean > 0, rest < 0)
    return mean + cast(up, x.dtype) - cast(down, x.dtype)


@dispatchable
def reduce_variance(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """Variance over the axes (all by default), without Bessel's correction.

    Args:
        axis: an axis or several, negative ones counted from the end; all by default.
        keepdims: whether reduced axes stay, of size 1.

    Raises:
        TypeError: for integers.

    Example:
        >>> import tfpy as tf
        >>> x = tf.constant([[1.0, 2.0], [3.0, 5.0]])
        >>> tf.math.reduce_variance(x, axis=1).numpy().tolist()
        [0.25, 1.0]
    """
    x = convert_to_tensor(input_tensor)
    if x.dtype.is_integer:
        raise TypeError(
            f"Input must be either real or complex. Received integer type {x.dtype.name}."
        )
    return reduce_mean(_squared_length(x - reduce_mean(x, axis, True)), axis, keepdims)


def _squared_length(x: Tensor) -> Tensor:
    """|x|**2, real."""
    return real(x * conj(x)) if x.dtype.is_complex else ew.square(x)


@dispatchable
def reduce_std(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """Standard deviation over the axes (all by default).

    Args:
        axis: an axis or several, negative ones counted from the end; all by default.
        keepdims: whether reduced axes stay, of size 1.

    Example:
        >>> import tfpy as tf
        >>> x = tf.constant([[1.0, 2.0], [3.0, 5.0]])
        >>> tf.math.reduce_std(x, axis=1).numpy().tolist()
        [0.5, 1.0]
    """
    return ew.sqrt(reduce_variance(input_tensor, axis, keepdims))


@dispatchable
def reduce_logsumexp(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """log(sum(exp(x))) over the axes, without overflow.

    Args:
        axis: an axis or several, negative ones counted from the end; all by default.
        keepdims: whether reduced axes stay, of size 1.

    Example:
        >>> import tfpy as tf
        >>> tf.reduce_logsumexp([[0.0, 0.0], [1000.0, 0.0]], axis=1).numpy().tolist()
        [0.6931471824645996, 1000.0]
    """
    x = convert_to_tensor(input_tensor)
    peak = stop_gradient(reduce_max(x, axis, True))
    peak = logic.select(logic.is_finite(peak), peak, 0.0)
    total = ew.log(reduce_sum(ew.exp(x - peak), axis, True)) + peak
    axes = _axes("reduce_logsumexp", x, axis)
    return squeeze(total, axes) if axes and not keepdims else total


def reduce_euclidean_norm(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """sqrt(sum(x**2)) over the axes.

    Args:
        axis: an axis or several, negative ones counted from the end; all by default.
        keepdims: whether reduced axes stay, of size 1.

    Example:
        >>> import tfpy as tf
        >>> tf.math.reduce_euclidean_norm([[3.0, 4.0], [0.0, 5.0]], axis=1).numpy().tolist()
        [5.0, 5.0]
    """
    x = convert_to_tensor(input_tensor)
    total = reduce_sum(_squared_length(x), axis, keepdims)
    if x.dtype.is_integer:
        total = cast(total, dtypes.float64)
    return cast(ew.sqrt(total), x.dtype)


def count_nonzero(
    input: Any,
    axis: Any = None,
    keepdims: bool = False,
    dtype: Any = dtypes.int64,
    name: str | None = None,
) -> Tensor:
    """Number of elements that are not 0 (False).

    Args:
        axis: an axis or several, negative ones counted from the end; all by default.
        keepdims: whether reduced axes stay, of size 1.
        dtype: of the result; int64 and float64 have 32 bits without ``TFPY_ENABLE_X64``.

    Example:
        >>> import tfpy as tf
        >>> tf.math.count_nonzero([[0, 1, 2], [0, 0, 3]], axis=1).numpy().tolist()
        [2, 1]
    """
    x = convert_to_tensor(input)
    hit = x if x.dtype.is_bool else logic.not_equal(x, "" if x.dtype == dtypes.string else 0)
    return cast(reduce_sum(cast(hit, dtypes.int64), axis, keepdims), dtype)


def l2_normalize(
    x: Any, axis: Any = None, epsilon: float = 1e-12, name: str | None = None
) -> Tensor:
    """``x`` divided by its euclidean norm over the axes; ``epsilon`` bounds the squared norm.

    Where textures hold float16, ``epsilon`` is at least 1e-4.

    Args:
        axis: an axis or several, negative ones counted from the end; all by default.

    Example:
        >>> import tfpy as tf
        >>> tf.math.l2_normalize([[3.0, 4.0], [0.0, 5.0]], axis=1).numpy().round(3)
        array([[0.6, 0.8],
               [0. , 1. ]], dtype=float32)
    """
    t = convert_to_tensor(x)
    total = reduce_sum(_squared_length(t), axis, keepdims=True)
    return t * cast(ew.rsqrt(ew.maximum(total, storable(epsilon))), t.dtype)
