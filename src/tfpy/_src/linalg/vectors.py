"""Lengths, clipping by length, and small products: functions of ``tf.linalg`` and ``tf``."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from tfpy._src.array.complex_numbers import conj, real
from tfpy._src.array.joining import stack, unstack
from tfpy._src.array.making import transpose
from tfpy._src.array.slicing import gather
from tfpy._src.core.conversion import as_tensors, constant, convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.errors import FailedPreconditionError, invalid
from tfpy._src.math.arithmetic import add_n
from tfpy._src.math.reductions import reduce_sum
from tfpy._src.ops import elementwise as ew


def adjoint(matrix: Any, name: str | None = None) -> Tensor:
    """The last two dimensions swapped, and complex numbers conjugated."""
    x = convert_to_tensor(matrix)
    order = [*range(x.ndim - 2), x.ndim - 1, x.ndim - 2]
    return transpose(x, order, conjugate=True)


def cross(a: Any, b: Any, name: str | None = None) -> Tensor:
    """Cross product of vectors of 3 along the last dimension.

    Raises:
        InvalidArgumentError: when the shapes differ or are empty.
        FailedPreconditionError: when the last dimension is not 3.
    """
    x, y = as_tensors(ew.multiply, (a, b))
    if x.shape != y.shape or not x.ndim:
        raise invalid(
            "cross",
            f"Both inputs must be of same shape: {list(x.shape)} vs. {list(y.shape)}",
        )
    if x.shape[-1] != 3:
        raise FailedPreconditionError(
            None,
            "cross",
            f"cross: Cross-products are only defined for 3-element vectors: {list(x.shape)}",
        )
    after, before = [1, 2, 0], [2, 0, 1]
    return _pick(x, after) * _pick(y, before) - _pick(x, before) * _pick(y, after)


def _pick(x: Tensor, order: list[int]) -> Tensor:
    return gather(x, order, axis=-1)


def normalize(
    tensor: Any, ord: Any = "euclidean", axis: Any = None, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """``tensor`` divided by its norm, and the norm."""
    from tfpy._src.linalg.products import norm

    x = convert_to_tensor(tensor)
    length = norm(x, ord, axis, keepdims=True)
    return x / length, length


def global_norm(t_list: Sequence[Any], name: str | None = None) -> Tensor:
    """The euclidean norm of all elements of all tensors; None entries do not count.

    Raises:
        TypeError: when ``t_list`` is a single tensor or not a sequence.
    """
    totals = [_squared_norm(t) for t in _sequence(t_list) if t is not None]
    return ew.sqrt(add_n(totals)) if totals else constant(0.0)


def _sequence(t_list: Any) -> list[Any]:
    if not isinstance(t_list, Sequence) or isinstance(t_list, str):
        raise TypeError(f"`t_list` should be a sequence of tensors. Received {type(t_list)}.")
    return list(t_list)


def _squared_norm(t: Any) -> Tensor:
    x = convert_to_tensor(t)
    return reduce_sum(real(x * conj(x)))


def clip_by_norm(t: Any, clip_norm: Any, axes: Any = None, name: str | None = None) -> Tensor:
    """``t`` scaled down so that its euclidean norm (over ``axes``) is at most ``clip_norm``."""
    x = convert_to_tensor(t)
    squares = reduce_sum(x * x, axes, keepdims=True)
    positive = squares > 0
    length = ew.select(positive, ew.sqrt(ew.select(positive, squares, 1.0)), squares)
    clipped: Tensor = x * clip_norm / ew.maximum(length, clip_norm)
    return clipped


def clip_by_average_norm(t: Any, clip_norm: Any, name: str | None = None) -> Tensor:
    """``t`` scaled down so that its norm divided by its size is at most ``clip_norm``."""
    x = convert_to_tensor(t)
    average = ew.sqrt(reduce_sum(x * x)) * (1 / max(x.size, 1))
    clipped: Tensor = x * clip_norm / ew.maximum(average, clip_norm)
    return clipped


def clip_by_global_norm(
    t_list: Sequence[Any], clip_norm: Any, use_norm: Any = None, name: str | None = None
) -> tuple[list[Tensor | None], Any]:
    """All tensors scaled by one factor so that their global norm is at most ``clip_norm``.

    Args:
        use_norm: the global norm, if it is known.

    Returns:
        The list and the norm before clipping; NaN everywhere when that is not finite.

    Raises:
        TypeError: when ``t_list`` is a single tensor or not a sequence.
    """
    tensors = _sequence(t_list)
    length = global_norm(tensors) if use_norm is None else convert_to_tensor(use_norm)
    factor = clip_norm / ew.maximum(length, clip_norm)
    factor = ew.select(ew.is_finite(length), factor, math.nan)
    return [t if t is None else convert_to_tensor(t) * factor for t in tensors], length


def gram_schmidt(xs: Any) -> Any:
    """TensorFlow.js's ``gramSchmidt``: orthonormal rows that span what ``xs`` spans.

    Args:
        xs: a matrix, or a list of vectors of one length; the result is of the same kind.

    Raises:
        ValueError: when there are more vectors than dimensions, or lengths differ.
    """
    listed = isinstance(xs, list | tuple)
    rows = [convert_to_tensor(x) for x in xs] if listed else unstack(convert_to_tensor(xs))
    if not rows:
        raise ValueError("gram_schmidt: xs is empty; give at least one vector")
    if len({r.aval.shape for r in rows}) > 1 or rows[0].ndim != 1:
        raise ValueError(
            f"gram_schmidt: vectors of one length are needed, got {[list(r.shape) for r in rows]}"
        )
    if len(rows) > rows[0].shape[0]:
        raise ValueError(
            f"gram_schmidt: {len(rows)} vectors of length {rows[0].shape[0]} are dependent"
        )
    found: list[Tensor] = []
    for row in rows:
        for other in found:
            row = row - reduce_sum(row * other) * other
        found.append(row / ew.sqrt(reduce_sum(row * row)))
    return found if listed else stack(found)
