"""Weights and reductions of losses."""

from __future__ import annotations

from tfpy._src.base import dtypes
from tfpy._src.compiler.ops import elementwise as ew, logic
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import TensorLike
from tfpy._src.tensors.array.making import cast
from tfpy._src.tensors.array.reshaping import broadcast_to
from tfpy._src.tensors.math import reductions


class Reduction:
    """The names of the reductions of `tf.compat.v1.losses`.

    Attributes:
        NONE: No reduction; the result is the weighted loss of each element. The name is `"none"`.
        SUM: Sum of the weighted losses. The name is `"weighted_sum"`.
        MEAN: Sum of the weighted losses, divided by the sum of the weights. The name is
            `"weighted_mean"`.
        SUM_BY_NONZERO_WEIGHTS: Sum of the weighted losses, divided by the number of weights that
            are not 0. The name is `"weighted_sum_by_nonzero_weights"`.
        SUM_OVER_NONZERO_WEIGHTS: Another name of `SUM_BY_NONZERO_WEIGHTS`.
        SUM_OVER_BATCH_SIZE: Sum of the weighted losses, divided by the number of losses. The name
            is `"weighted_sum_over_batch_size"`.

    Example:
        >>> import tfpy as tf
        >>> mean = tf.compat.v1.losses.Reduction.MEAN
        >>> loss = tf.compat.v1.losses.absolute_difference([1.0, 2.0], [1.5, 4.0], reduction=mean)
        >>> loss.numpy().tolist()
        1.25

    See also: `tf.compat.v1.losses.compute_weighted_loss`.
    """

    NONE = "none"
    SUM = "weighted_sum"
    MEAN = "weighted_mean"
    SUM_BY_NONZERO_WEIGHTS = "weighted_sum_by_nonzero_weights"
    SUM_OVER_NONZERO_WEIGHTS = SUM_BY_NONZERO_WEIGHTS
    SUM_OVER_BATCH_SIZE = "weighted_sum_over_batch_size"

    @classmethod
    def all(cls) -> tuple[str, ...]:
        """Return the names of all reductions.

        Returns:
            Tuple of strings.

        Example:
            >>> import tfpy as tf
            >>> tf.compat.v1.losses.Reduction.all()[:2]
            ('none', 'weighted_sum')
        """
        names = (cls.NONE, cls.SUM, cls.MEAN, cls.SUM_OVER_BATCH_SIZE)
        return (*names, cls.SUM_OVER_NONZERO_WEIGHTS, cls.SUM_BY_NONZERO_WEIGHTS)

    @classmethod
    def validate(cls, key: str) -> None:
        """Check that a name is the name of a reduction.

        Args:
            key: Name to check.

        Raises:
            ValueError: If the name is unknown.

        Example:
            >>> import tfpy as tf
            >>> tf.compat.v1.losses.Reduction.validate("weighted_sum")
        """
        if key not in cls.all():
            raise ValueError(f"Invalid Reduction Key {key}")


def compute_weighted_loss(
    losses: TensorLike, weights: TensorLike = 1.0, reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS
) -> Tensor:
    """Multiply losses by weights and reduce them.

    Args:
        losses: Tensor with the loss of each element.
        weights: Weight of each loss, a scalar or a tensor of the same rank as `losses`. Each
            dimension of the tensor is 1 or equal to the corresponding dimension of `losses`.
            Default: 1.
        reduction: Reduction of the losses, `"none"`, `"weighted_sum"`, `"weighted_mean"`,
            `"weighted_sum_over_batch_size"` or `"weighted_sum_by_nonzero_weights"` (default). See
            `tf.compat.v1.losses.Reduction`.

    Returns:
        Tensor with the dtype of `losses`. It is a scalar, unless `reduction` is `"none"`.

    Raises:
        ValueError: If `weights` cannot be broadcast to `losses`, or `reduction` is unknown.

    Example:
        >>> import tfpy as tf
        >>> losses, weights = [1.0, 2.0, 6.0], [1.0, 1.0, 0.0]
        >>> tf.compat.v1.losses.compute_weighted_loss(losses, weights).numpy().tolist()
        1.5

    See also: `tf.compat.v1.losses.Reduction`.
    """
    Reduction.validate(reduction)
    kind = convert_to_tensor(losses).dtype
    x, w = (cast(v, dtypes.float32) for v in (losses, weights))
    fits = len(w.aval.shape) == len(x.aval.shape) and all(
        b in (1, a) for a, b in zip(x.aval.shape, w.aval.shape, strict=True)
    )
    if w.ndim and not fits:
        raise ValueError(
            f"weights can not be broadcast to values: {list(w.aval.shape)} and {list(x.aval.shape)}"
        )
    return cast(_reduced(x, w, reduction), kind)


def _reduced(x: Tensor, w: Tensor, reduction: str) -> Tensor:
    """Multiply losses by weights and reduce them."""
    weighted = x * w
    if reduction == Reduction.NONE:
        return weighted
    total = reductions.reduce_sum(weighted)
    if reduction == Reduction.SUM:
        return total
    if reduction == Reduction.SUM_OVER_BATCH_SIZE:
        return ew.divide_no_nan(total, float(x.size))
    each = broadcast_to(w, x.aval.shape)
    if reduction == Reduction.SUM_BY_NONZERO_WEIGHTS:
        each = cast(logic.not_equal(each, 0.0), dtypes.float32)
    return ew.divide_no_nan(total, reductions.reduce_sum(each))
