"""Running totals along an axis: ``tf.cumsum`` and its relatives in ``tf.math``."""

from __future__ import annotations

from typing import Any

from tfpy._src.compiler.ir.op import Op
from tfpy._src.compiler.ops import scan
from tfpy._src.compiler.ops.failing import failing
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.dispatch import dispatchable
from tfpy._src.core.tensor import Tensor
from tfpy._src.tensors.array.static import static_int


def _scan(op: Op, x: Any, axis: Any, exclusive: bool, reverse: bool) -> Tensor:
    tensor = convert_to_tensor(x)
    at, rank = static_int(axis), tensor.ndim
    if not -rank <= at < rank:
        message = f"Expected scan axis in the range [{-rank}, {rank}), but got {at}"
        found: Tensor = failing(op.name, message, (tensor,), tensor.aval.shape, tensor.dtype)
        return found
    return op(tensor, axis=at % rank, exclusive=bool(exclusive), reverse=bool(reverse))


@dispatchable
def cumsum(
    x: Any, axis: int = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None
) -> Tensor:
    """Sum of the elements up to each place along an axis.

    Args:
        exclusive: leaves out the element at the place itself.
        reverse: counts from the end.

    Raises:
        InvalidArgumentError: for a scalar, a bool tensor or an axis out of range.

    Example:
        >>> import tfpy as tf
        >>> tf.cumsum([1, 2, 3]).numpy().tolist()
        [1, 3, 6]
    """
    return _scan(scan.cumsum, x, axis, exclusive, reverse)


def cumprod(
    x: Any, axis: int = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None
) -> Tensor:
    """Product of the elements up to each place along an axis; arguments as :func:`cumsum`.

    Example:
        >>> import tfpy as tf
        >>> tf.math.cumprod([1, 2, 3, 4]).numpy().tolist()
        [1, 2, 6, 24]
        >>> tf.math.cumprod([1, 2, 3, 4], exclusive=True).numpy().tolist()
        [1, 1, 2, 6]
    """
    return _scan(scan.cumprod, x, axis, exclusive, reverse)


def cumulative_logsumexp(
    x: Any, axis: int = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None
) -> Tensor:
    """log(sum(exp(x))) up to each place along an axis; arguments as :func:`cumsum`.

    Example:
        >>> import tfpy as tf
        >>> tf.math.cumulative_logsumexp([0.0, 0.0, 0.0]).numpy().round(3)
        array([0.   , 0.693, 1.099], dtype=float32)
    """
    return _scan(scan.cumulative_logsumexp, x, axis, exclusive, reverse)
