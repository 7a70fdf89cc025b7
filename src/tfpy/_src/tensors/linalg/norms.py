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
from tfpy._src.core.typing import Axis, FloatLike, TensorLike
from tfpy._src.tensors.array.complex_numbers import conj, real
from tfpy._src.tensors.array.making import cast
from tfpy._src.tensors.array.reshaping import reshape, squeeze, transpose
from tfpy._src.tensors.array.static import static_ints
from tfpy._src.tensors.linalg.decompositions import svd
from tfpy._src.tensors.math.arithmetic import add_n
from tfpy._src.tensors.math.reductions import reduce_max, reduce_sum
from tfpy._src.tensors.math.statistics import reduce_euclidean_norm


def norm(
    tensor: TensorLike,
    ord: str | float = "euclidean",
    axis: Axis = None,
    keepdims: bool = False,
    name: str | None = None,
) -> Tensor:
    """Compute the norm of vectors or matrices.

    If `axis` is a list or tuple of two axes, the norms of matrices are computed. Otherwise, the
    norms of vectors are computed, and without `axis` the tensor is treated as one vector.

    Args:
        tensor: Float or complex tensor.
        ord: Order of the norm. For vectors, `"euclidean"` (default), a positive number, or
            `float("inf")`, which is the largest absolute value. For matrices, `"euclidean"` or the
            equivalent `"fro"`, 1 (largest column sum), 2 (largest singular value) or `float("inf")`
            (largest row sum).
        axis: Axis of the vectors, or a pair of axes of the matrices. Negative values count from the
            end. Default: all axes, as one vector.
        keepdims: If True, keep the reduced axes as dimensions of size 1.

    Returns:
        Tensor with the dtype of `tensor`, without the reduced axes unless `keepdims` is True.

    Raises:
        ValueError: If `ord` is not supported, or `axis` is a list that does not contain two
            different axes.

    Example:
        >>> import tfpy as tf
        >>> tf.norm([[3.0, 4.0], [6.0, 8.0]], axis=1).numpy().tolist()  # norm of each row
        [5.0, 10.0]
        >>> tf.norm([[3.0, 4.0], [6.0, 8.0]], ord=1, axis=[0, 1]).numpy().tolist()
        12.0

    See also: `tf.linalg.normalize`, `tf.linalg.global_norm`, `tf.math.reduce_euclidean_norm`.
    """
    x = convert_to_tensor(tensor)
    pair: Any = axis
    matrix = isinstance(pair, list | tuple)
    if matrix and (len(pair) != 2 or pair[0] == pair[1]):
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
    """Return the largest singular value of the matrices in two axes."""
    rows, columns = (infer.normalize_axis("norm", a, x.ndim) for a in static_ints(axis))
    lead = [i for i in range(x.ndim) if i not in (rows, columns)]
    values = svd(transpose(x, [*lead, rows, columns]), compute_uv=False)
    largest = reduce_max(values, -1)
    if not keepdims:
        return largest
    return reshape(largest, [1 if i in (rows, columns) else n for i, n in enumerate(x.aval.shape)])


def normalize(
    tensor: TensorLike, ord: str | float = "euclidean", axis: Axis = None, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """Divide a tensor by its norm.

    Args:
        tensor: Float or complex tensor.
        ord: Order of the norm, as in `tf.norm`. Default: `"euclidean"`.
        axis: Axis of the vectors, or a pair of axes of the matrices, as in `tf.norm`. Negative
            values count from the end. Default: all axes, as one vector.

    Returns:
        A pair of tensors: the normalized tensor with the shape of `tensor`, and the norm, in which
        the reduced axes are dimensions of size 1.

    Raises:
        ValueError: If `ord` is not supported, or `axis` is a list that does not contain two
            different axes.

    Example:
        >>> import tfpy as tf
        >>> unit, norm = tf.linalg.normalize([3.0, 4.0])
        >>> unit.numpy().round(3), norm.numpy().tolist()
        (array([0.6, 0.8], dtype=float32), [5.0])

    See also: `tf.norm`, `tf.math.l2_normalize`.
    """
    x = convert_to_tensor(tensor)
    length = norm(x, ord, axis, keepdims=True)
    return x / length, length


def global_norm(
    t_list: Sequence[TensorLike | IndexedSlices | None], name: str | None = None
) -> Tensor:
    """Compute the Euclidean norm of all elements of a list of tensors together.

    Args:
        t_list: List of float or complex tensors, `tf.IndexedSlices` or None. None is ignored. Of
            `tf.IndexedSlices`, the norm includes all values, even if an index occurs twice.

    Returns:
        Scalar float tensor.

    Raises:
        TypeError: If `t_list` is not a sequence.

    Example:
        >>> import tfpy as tf
        >>> tf.linalg.global_norm([tf.constant([3.0]), tf.constant([0.0, 4.0])]).numpy().tolist()
        5.0

    See also: `tf.clip_by_global_norm`, `tf.norm`.
    """
    totals = [_squared_norm(t) for t in _sequence(t_list) if t is not None]
    return ew.sqrt(add_n(totals)) if totals else constant(0.0)


def _sequence(t_list: Any) -> list[Any]:
    """Return the tensors as a list."""
    if not isinstance(t_list, Sequence) or isinstance(t_list, str):
        raise TypeError(f"`t_list` should be a sequence of tensors. Received {type(t_list)}.")
    return list(t_list)


def _squared_norm(t: Any) -> Tensor:
    x = convert_to_tensor(t.values if isinstance(t, IndexedSlices) else t)
    return reduce_sum(real(x * conj(x)))


@dispatchable
def clip_by_norm(
    t: TensorLike, clip_norm: FloatLike, axes: Axis = None, name: str | None = None
) -> Tensor:
    """Scale a tensor down so that its Euclidean norm does not exceed a bound.

    Args:
        t: Float tensor.
        clip_norm: Maximum norm, a scalar. A negative number is treated as 0.
        axes: Axis or axes over which the norm is computed. Negative values count from the end.
            Default: all axes.

    Returns:
        Tensor with the shape and dtype of `t`.

    Raises:
        tf.errors.InvalidArgumentError: If `t` is an integer or complex tensor.
        ValueError: If `clip_norm` does not broadcast to the shape of `t`.

    Example:
        >>> import tfpy as tf
        >>> tf.clip_by_norm([6.0, 8.0], clip_norm=5.0).numpy().round(3).tolist()  # norm 10
        [3.0, 4.0]

    See also: `tf.clip_by_global_norm`, `tf.clip_by_value`, `tf.norm`.
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
            f"clip_by_norm: clip_norm of shape {list(bound.aval.shape)} broadcasts the tensor of "
            f"shape {list(x.aval.shape)} to {list(clipped.aval.shape)}; use a scalar"
        )
    return clipped


def clip_by_average_norm(t: TensorLike, clip_norm: FloatLike, name: str | None = None) -> Tensor:
    """Scale a tensor down so that its average norm does not exceed a bound.

    The average norm is the Euclidean norm divided by the number of elements.

    Args:
        t: Float tensor.
        clip_norm: Maximum average norm, a scalar.

    Returns:
        Tensor with the shape and dtype of `t`.

    Example:
        >>> import tfpy as tf
        >>> tf.clip_by_average_norm([6.0, 8.0], clip_norm=2.5).numpy().round(3).tolist()
        [3.0, 4.0]

    See also: `tf.clip_by_norm`.
    """
    x = convert_to_tensor(t)
    average = ew.sqrt(reduce_sum(x * x)) * (1 / max(x.size, 1))
    clipped: Tensor = x * clip_norm / ew.maximum(average, clip_norm)
    return clipped


def clip_by_global_norm(
    t_list: Sequence[TensorLike | IndexedSlices | None],
    clip_norm: FloatLike,
    use_norm: FloatLike | None = None,
    name: str | None = None,
) -> tuple[list[Any], Tensor]:
    """Scale a list of tensors by one factor so that their global norm does not exceed a bound.

    The global norm is the Euclidean norm of all elements of all tensors together. Gradients are
    clipped in this way to keep a training step from becoming too large.

    Args:
        t_list: List of float tensors, `tf.IndexedSlices` or None. None stays None.
        clip_norm: Maximum global norm, a scalar. With a negative number, nothing is clipped.
        use_norm: Global norm of `t_list` if it is already known, a scalar. Default: it is computed
            by `tf.linalg.global_norm`.

    Returns:
        A pair: the list of scaled tensors, and the global norm before clipping. If this norm is NaN
        or infinite, all elements of the scaled tensors are NaN.

    Raises:
        TypeError: If `t_list` is not a sequence.

    Example:
        >>> import tfpy as tf
        >>> gradients = [tf.constant([3.0]), tf.constant([0.0, 4.0])]
        >>> clipped, norm = tf.clip_by_global_norm(gradients, clip_norm=2.5)
        >>> norm.numpy().tolist(), [x.numpy().tolist() for x in clipped]
        (5.0, [[1.5], [0.0, 2.0]])

    See also: `tf.linalg.global_norm`, `tf.clip_by_norm`.
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
        return t.with_differentiable(t.values * cast(factor, t.dtype))
    tensor = convert_to_tensor(t)
    return tensor * cast(factor, tensor.dtype)
