"""Norms, and clipping by norms."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from tfpy._src.compiler.ops import elementwise as ew, logic
from tfpy._src.compiler.ops.families import infer
from tfpy._src.core.conversion import constant, convert_to_tensor
from tfpy._src.core.dispatch import dispatchable
from tfpy._src.core.indexed_slices import IndexedSlices
from tfpy._src.core.tensor import Tensor
from tfpy._src.tensors.array.complex_numbers import conj, real
from tfpy._src.tensors.array.reshaping import reshape, squeeze, transpose
from tfpy._src.tensors.array.static import static_ints
from tfpy._src.tensors.linalg.decompositions import svd
from tfpy._src.tensors.math.arithmetic import add_n
from tfpy._src.tensors.math.reductions import reduce_max, reduce_sum
from tfpy._src.tensors.math.statistics import reduce_euclidean_norm


def norm(
    tensor: Any,
    ord: Any = "euclidean",
    axis: Any = None,
    keepdims: bool = False,
    name: str | None = None,
) -> Tensor:
    """Vector norm of order 1, 2, any positive number or infinity, or the Frobenius norm.

    Two axes make a matrix norm: Frobenius, 1 (largest column sum), 2 (largest singular value) or
    infinity (largest row sum).

    Args:
        axis: an axis or several, negative ones counted from the end; all by default.
        keepdims: whether reduced axes stay, of size 1.

    Raises:
        ValueError: for an order that is none of these, or axes that are not one or two.

    Example:
        >>> import tfpy as tf
        >>> tf.norm([[3.0, 4.0], [6.0, 8.0]], axis=1).numpy().tolist()
        [5.0, 10.0]
    """
    x = convert_to_tensor(tensor)
    matrix = isinstance(axis, list | tuple)
    if matrix and (len(axis) != 2 or axis[0] == axis[1]):
        raise ValueError(
            f"norm: 'axis' must be None, an integer, or a tuple of 2 unique integers, got {axis}"
        )
    if ord == "euclidean" or (ord == 2 and not matrix) or (ord == "fro" and matrix):
        infer.check_dtype("norm", x.aval, infer.FLOAT_COMPLEX, "tensor")
        return reduce_euclidean_norm(x, axis, keepdims)
    if ord == 2 and matrix:
        return _spectral_norm(x, axis, keepdims)
    if ord in (1, float("inf")) and matrix:
        rows, columns = (infer.normalize_axis("norm", a, x.ndim) for a in static_ints(axis))
        summed, over = (rows, columns) if ord == 1 else (columns, rows)
        sums = reduce_sum(ew.abs_(x), summed, keepdims=True)
        largest = reduce_max(sums, over, keepdims=True)
        return largest if keepdims else squeeze(largest, [rows, columns])
    if ord == 1:
        return reduce_sum(ew.abs_(x), axis, keepdims)
    if ord == float("inf"):
        return reduce_max(ew.abs_(x), axis, keepdims)
    if isinstance(ord, int | float) and ord > 0 and not matrix:
        return ew.power(reduce_sum(ew.power(ew.abs_(x), ord), axis, keepdims), 1.0 / ord)
    raise ValueError(
        f"norm: ord must be 'euclidean', 'fro', a positive number or inf (for matrices 'fro', 1, "
        f"2 or inf), got {ord!r}"
    )


def _spectral_norm(x: Tensor, axis: Any, keepdims: bool) -> Tensor:
    """The largest singular value of the matrices in two dimensions."""
    rows, columns = (infer.normalize_axis("norm", a, x.ndim) for a in static_ints(axis))
    lead = [i for i in range(x.ndim) if i not in (rows, columns)]
    values = svd(transpose(x, [*lead, rows, columns]), compute_uv=False)
    largest = reduce_max(values, -1)
    if not keepdims:
        return largest
    return reshape(largest, [1 if i in (rows, columns) else n for i, n in enumerate(x.aval.shape)])


def normalize(
    tensor: Any, ord: Any = "euclidean", axis: Any = None, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """``tensor`` divided by its norm, and the norm.

    Args:
        axis: an axis or several, negative ones counted from the end; all by default.

    Example:
        >>> import tfpy as tf
        >>> unit, norm = tf.linalg.normalize([3.0, 4.0])
        >>> unit.numpy().round(3), norm.numpy().tolist()
        (array([0.6, 0.8], dtype=float32), [5.0])
    """
    x = convert_to_tensor(tensor)
    length = norm(x, ord, axis, keepdims=True)
    return x / length, length


def global_norm(t_list: Sequence[Any], name: str | None = None) -> Tensor:
    """The euclidean norm of all elements of all tensors; None entries do not count.

    Of ``tf.IndexedSlices`` the values count as they are.

    Raises:
        TypeError: when ``t_list`` is a single tensor or not a sequence.

    Example:
        >>> import tfpy as tf
        >>> tf.linalg.global_norm([tf.constant([3.0]), tf.constant([0.0, 4.0])]).numpy().tolist()
        5.0
    """
    totals = [_squared_norm(t) for t in _sequence(t_list) if t is not None]
    return ew.sqrt(add_n(totals)) if totals else constant(0.0)


def _sequence(t_list: Any) -> list[Any]:
    if not isinstance(t_list, Sequence) or isinstance(t_list, str):
        raise TypeError(f"`t_list` should be a sequence of tensors. Received {type(t_list)}.")
    return list(t_list)


def _squared_norm(t: Any) -> Tensor:
    x = convert_to_tensor(t.values if isinstance(t, IndexedSlices) else t)
    return reduce_sum(real(x * conj(x)))


@dispatchable
def clip_by_norm(t: Any, clip_norm: Any, axes: Any = None, name: str | None = None) -> Tensor:
    """``t`` scaled down so that its euclidean norm (over ``axes``) is at most ``clip_norm``.

    A negative ``clip_norm`` counts as 0.

    Raises:
        InvalidArgumentError: for integers and complex numbers.
        ValueError: when ``clip_norm`` has more elements than ``t``.

    Example:
        >>> import tfpy as tf
        >>> tf.clip_by_norm([6.0, 8.0], clip_norm=5.0).numpy().round(3)
        array([3., 4.], dtype=float32)
    """
    x = convert_to_tensor(t)
    infer.check_dtype("clip_by_norm", x.aval, infer.FLOAT, "t")
    bound = ew.maximum(convert_to_tensor(clip_norm, x.dtype), 0)
    squares = reduce_sum(x * x, axes, keepdims=True)
    positive = squares > 0
    length = logic.select(positive, ew.sqrt(logic.select(positive, squares, 1.0)), squares)
    clipped: Tensor = x * bound / ew.maximum(length, bound)
    if clipped.aval.shape != x.aval.shape:
        raise ValueError(
            f"clip_by_norm: clip_norm {list(bound.aval.shape)} makes {list(clipped.aval.shape)} of "
            f"shape {list(x.aval.shape)}; give one number"
        )
    return clipped


def clip_by_average_norm(t: Any, clip_norm: Any, name: str | None = None) -> Tensor:
    """``t`` scaled down so that its norm divided by its size is at most ``clip_norm``.

    Example:
        >>> import tfpy as tf
        >>> tf.clip_by_average_norm([6.0, 8.0], clip_norm=2.5).numpy().round(3)
        array([3., 4.], dtype=float32)
    """
    x = convert_to_tensor(t)
    average = ew.sqrt(reduce_sum(x * x)) * (1 / max(x.size, 1))
    clipped: Tensor = x * clip_norm / ew.maximum(average, clip_norm)
    return clipped


def clip_by_global_norm(
    t_list: Sequence[Any], clip_norm: Any, use_norm: Any = None, name: str | None = None
) -> tuple[list[Any], Any]:
    """All tensors scaled by one factor so that their global norm is at most ``clip_norm``.

    A negative ``clip_norm`` changes nothing.

    Args:
        use_norm: the global norm, if it is known.

    Returns:
        The list and the norm before clipping; NaN everywhere when that is not finite.

    Raises:
        TypeError: when ``t_list`` is a single tensor or not a sequence.

    Example:
        >>> import tfpy as tf
        >>> gradients = [tf.constant([3.0]), tf.constant([0.0, 4.0])]
        >>> clipped, norm = tf.clip_by_global_norm(gradients, clip_norm=2.5)
        >>> norm.numpy().tolist(), [x.numpy().tolist() for x in clipped]
        (5.0, [[1.5], [0.0, 2.0]])
    """
    tensors = _sequence(t_list)
    length = global_norm(tensors) if use_norm is None else convert_to_tensor(use_norm)
    bound = convert_to_tensor(clip_norm, length.dtype)
    factor = logic.select(bound < 0, 1.0, bound / ew.maximum(length, bound))
    factor = logic.select(logic.is_finite(length), factor, math.nan)
    return [_scaled(t, factor) for t in tensors], length


def _scaled(t: Any, factor: Tensor) -> Any:
    if t is None:
        return None
    if isinstance(t, IndexedSlices):
        return t.with_differentiable(t.values * factor)
    return convert_to_tensor(t) * factor
