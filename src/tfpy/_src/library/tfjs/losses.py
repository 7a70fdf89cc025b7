"""``tf.compat.v1.losses``, which TensorFlow.js has as ``tf.losses``."""

from __future__ import annotations

from typing import Any

from tfpy._src.backends.registry import storable
from tfpy._src.base import dtypes
from tfpy._src.base.dtypes import DType
from tfpy._src.compiler.ops import activation, elementwise as ew, logic
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tape import stop_gradient
from tfpy._src.core.tensor import Tensor
from tfpy._src.tensors.array.making import cast
from tfpy._src.tensors.array.reshaping import broadcast_to
from tfpy._src.tensors.array.static import static_ints
from tfpy._src.tensors.math import reductions
from tfpy._src.tensors.nn import losses as nn_losses


class Reduction:
    """How a loss per element becomes the result.

    Example:
        >>> import tfpy as tf
        >>> mean = tf.compat.v1.losses.Reduction.MEAN
        >>> loss = tf.compat.v1.losses.absolute_difference([1.0, 2.0], [1.5, 4.0], reduction=mean)
        >>> loss.numpy().tolist()
        1.25
    """

    NONE = "none"
    SUM = "weighted_sum"
    MEAN = "weighted_mean"
    SUM_BY_NONZERO_WEIGHTS = "weighted_sum_by_nonzero_weights"

    @classmethod
    def validate(cls, key: str) -> None:
        """Raises ValueError unless ``key`` is one of the four."""
        if key not in (cls.NONE, cls.SUM, cls.MEAN, cls.SUM_BY_NONZERO_WEIGHTS):
            raise ValueError(f"Invalid Reduction Key {key}")


def compute_weighted_loss(
    losses: Any, weights: Any = 1.0, reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS
) -> Tensor:
    """``losses * weights``, reduced.

    Args:
        weights: a number, or a tensor of the rank of ``losses`` whose sizes are 1 or equal.

    Raises:
        ValueError: when the weights do not broadcast or the reduction is not known.

    Example:
        >>> import tfpy as tf
        >>> losses, weights = [1.0, 2.0, 6.0], [1.0, 1.0, 0.0]
        >>> tf.compat.v1.losses.compute_weighted_loss(losses, weights).numpy().tolist()
        1.5
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
    weighted = x * w
    if reduction == Reduction.NONE:
        return weighted
    total = reductions.reduce_sum(weighted)
    if reduction == Reduction.SUM:
        return total
    each = broadcast_to(w, x.aval.shape)
    if reduction == Reduction.SUM_BY_NONZERO_WEIGHTS:
        each = cast(logic.not_equal(each, 0.0), dtypes.float32)
    return ew.divide_no_nan(total, reductions.reduce_sum(each))


def _same_shape(
    name: str, labels: Any, predictions: Any, dtype: DType = dtypes.float32
) -> tuple[Tensor, Tensor]:
    """Both as tensors of one shape and dtype.

    Raises:
        ValueError: when the shapes differ.
    """
    x, y = (cast(convert_to_tensor(v), dtype) for v in (labels, predictions))
    if x.aval.shape != y.aval.shape:
        raise ValueError(
            f"{name}: Shapes {list(y.shape)} and {list(x.shape)} are incompatible: predictions and "
            "labels must have one shape"
        )
    return x, y


def absolute_difference(
    labels: Any,
    predictions: Any,
    weights: Any = 1.0,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """``|predictions - labels|``.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.v1.losses.absolute_difference([1.0, 2.0], [1.5, 4.0]).numpy().tolist()
        1.25
    """
    y, x = _same_shape("absolute_difference", labels, predictions)
    return compute_weighted_loss(ew.abs_(x - y), weights, reduction)


def cosine_distance(
    labels: Any,
    predictions: Any,
    axis: int,
    weights: Any = 1.0,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """1 - sum(labels * predictions) along an axis; both are taken to be of unit length.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.v1.losses.cosine_distance([1.0, 0.0], [0.0, 1.0], axis=0).numpy().tolist()
        1.0
    """
    y, x = _same_shape("cosine_distance", labels, predictions)
    return compute_weighted_loss(
        1 - reductions.reduce_sum(x * y, axis, keepdims=True), weights, reduction
    )


def hinge_loss(
    labels: Any,
    predictions: Any,
    weights: Any = 1.0,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """max(0, 1 - predictions) where the label is 1, max(0, 1 + predictions) where it is 0.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.v1.losses.hinge_loss([1.0, 0.0], [0.5, 0.25]).numpy().tolist()
        0.875
    """
    y, x = _same_shape("hinge_loss", labels, predictions)
    return compute_weighted_loss(activation.relu(1 - (2 * y - 1) * x), weights, reduction)


def huber_loss(
    labels: Any,
    predictions: Any,
    weights: Any = 1.0,
    delta: float = 1.0,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """error**2 / 2 up to ``delta``, then delta * (error - delta / 2).

    Example:
        >>> import tfpy as tf
        >>> tf.compat.v1.losses.huber_loss([0.0, 0.0], [0.5, 3.0], delta=1.0).numpy().tolist()
        1.3125
    """
    y, x = _same_shape("huber_loss", labels, predictions)
    error = ew.abs_(x - y)
    inside = ew.minimum(error, delta)
    return compute_weighted_loss(
        inside * inside * 0.5 + (error - inside) * delta, weights, reduction
    )


def log_loss(
    labels: Any,
    predictions: Any,
    weights: Any = 1.0,
    epsilon: float | None = None,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """-labels * log(predictions) - (1 - labels) * log(1 - predictions).

    Args:
        epsilon: keeps logarithms finite; left out, 1e-7, or 1e-4 where textures hold float16.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.v1.losses.log_loss([1.0, 0.0], [0.9, 0.2]).numpy().round(3)
        np.float32(0.164)
    """
    y, x = _same_shape("log_loss", labels, predictions)
    epsilon = storable(1e-7 if epsilon is None else epsilon)
    losses = -y * ew.log(x + epsilon) - (1 - y) * ew.log(1 - x + epsilon)
    return compute_weighted_loss(losses, weights, reduction)


def mean_squared_error(
    labels: Any,
    predictions: Any,
    weights: Any = 1.0,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """(predictions - labels) ** 2.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.v1.losses.mean_squared_error([1.0, 2.0], [1.5, 4.0]).numpy().tolist()
        2.125
    """
    y, x = _same_shape("mean_squared_error", labels, predictions)
    return compute_weighted_loss(ew.squared_difference(x, y), weights, reduction)


def sigmoid_cross_entropy(
    multi_class_labels: Any,
    logits: Any,
    weights: Any = 1.0,
    label_smoothing: float = 0,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """Cross entropy of independent classes; smoothing moves labels towards 1/2.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.v1.losses.sigmoid_cross_entropy([[1.0, 0.0]], [[2.0, 2.0]]).numpy().round(3)
        np.float32(1.127)
    """
    logits = convert_to_tensor(logits)
    y, x = _same_shape("sigmoid_cross_entropy", multi_class_labels, logits, logits.dtype)
    if label_smoothing > 0:
        y = y * (1 - label_smoothing) + 0.5 * label_smoothing
    losses = nn_losses.sigmoid_cross_entropy_with_logits(labels=y, logits=x)
    return compute_weighted_loss(losses, weights, reduction)


def softmax_cross_entropy(
    onehot_labels: Any,
    logits: Any,
    weights: Any = 1.0,
    label_smoothing: float = 0,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """Cross entropy of exclusive classes; smoothing spreads labels evenly over the classes.

    Labels have no gradient.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.v1.losses.softmax_cross_entropy([[1.0, 0.0]], [[2.0, 0.0]]).numpy().round(3)
        np.float32(0.127)
    """
    logits = convert_to_tensor(logits)
    y, x = _same_shape("softmax_cross_entropy", onehot_labels, logits, logits.dtype)
    y = stop_gradient(y)
    if label_smoothing > 0:
        y = y * (1 - label_smoothing) + label_smoothing / static_ints(y.aval.shape)[1]
    losses = nn_losses.softmax_cross_entropy_with_logits(labels=y, logits=x)
    return compute_weighted_loss(losses, weights, reduction)
