"""`tf.compat.v1.losses`, which TensorFlow.js provides as `tf.losses`."""

from __future__ import annotations

from tfpy._src.backends.registry import storable
from tfpy._src.base import dtypes
from tfpy._src.base.dtypes import DType
from tfpy._src.compiler.ops import activation, elementwise as ew
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tape import stop_gradient
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import TensorLike
from tfpy._src.library.tfjs.weighting import Reduction, compute_weighted_loss
from tfpy._src.tensors.array.making import cast
from tfpy._src.tensors.array.static import static_ints
from tfpy._src.tensors.math import reductions
from tfpy._src.tensors.nn import losses as nn_losses


def _same_shape(
    name: str, labels: TensorLike, predictions: TensorLike, dtype: DType = dtypes.float32
) -> tuple[Tensor, Tensor]:
    """Convert labels and predictions to tensors of one dtype.

    Raises:
        ValueError: If the shapes differ.
    """
    x, y = (cast(convert_to_tensor(v), dtype) for v in (labels, predictions))
    if x.aval.shape != y.aval.shape:
        raise ValueError(
            f"{name}: Shapes {list(y.shape)} and {list(x.shape)} are incompatible: predictions and "
            "labels must have one shape"
        )
    return x, y


def absolute_difference(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike = 1.0,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """Compute the absolute difference of predictions and labels.

    Args:
        labels: Tensor of labels.
        predictions: Tensor of predictions, of the shape of `labels`.
        weights: Scalar, or tensor of the rank of the losses with sizes that are 1 or equal.
        reduction: One of the names in `tf.compat.v1.losses.Reduction`.

    Returns:
        Scalar, or tensor of the loss of each element for the reduction `NONE`.

    Raises:
        ValueError: If the shapes differ, the weights do not broadcast, or the reduction is unknown.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.v1.losses.absolute_difference([1.0, 2.0], [1.5, 4.0]).numpy().tolist()
        1.25

    See also: `tf.compat.v1.losses.mean_squared_error`.
    """
    y, x = _same_shape("absolute_difference", labels, predictions)
    return compute_weighted_loss(ew.abs_(x - y), weights, reduction)


def cosine_distance(
    labels: TensorLike,
    predictions: TensorLike,
    axis: int,
    weights: TensorLike = 1.0,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """Compute the cosine distance, `1 - sum(labels * predictions)`, along an axis.

    Both tensors must have unit length along the axis.

    Args:
        labels: Tensor of labels.
        predictions: Tensor of predictions, of the shape of `labels`.
        axis: Axis, negative values count from the end.
        weights: Scalar, or tensor of the rank of the losses with sizes that are 1 or equal.
        reduction: One of the names in `tf.compat.v1.losses.Reduction`.

    Returns:
        Scalar, or tensor of the loss of each element for the reduction `NONE`.

    Raises:
        ValueError: If the shapes differ, the weights do not broadcast, or the reduction is unknown.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.v1.losses.cosine_distance([1.0, 0.0], [0.0, 1.0], axis=0).numpy().tolist()
        1.0

    See also: `tf.compat.v1.losses.mean_squared_error`.
    """
    y, x = _same_shape("cosine_distance", labels, predictions)
    return compute_weighted_loss(
        1 - reductions.reduce_sum(x * y, axis, keepdims=True), weights, reduction
    )


def hinge_loss(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike = 1.0,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """Compute the hinge loss of binary labels.

    The loss is `max(0, 1 - predictions)` where the label is 1, and `max(0, 1 + predictions)` where
    it is 0.

    Args:
        labels: Tensor of labels, 0 or 1.
        predictions: Tensor of predictions, of the shape of `labels`.
        weights: Scalar, or tensor of the rank of the losses with sizes that are 1 or equal.
        reduction: One of the names in `tf.compat.v1.losses.Reduction`.

    Returns:
        Scalar, or tensor of the loss of each element for the reduction `NONE`.

    Raises:
        ValueError: If the shapes differ, the weights do not broadcast, or the reduction is unknown.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.v1.losses.hinge_loss([1.0, 0.0], [0.5, 0.25]).numpy().tolist()
        0.875

    See also: `tf.compat.v1.losses.sigmoid_cross_entropy`.
    """
    y, x = _same_shape("hinge_loss", labels, predictions)
    return compute_weighted_loss(activation.relu(1 - (2 * y - 1) * x), weights, reduction)


def huber_loss(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike = 1.0,
    delta: float = 1.0,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """Compute the Huber loss.

    The loss is `error ** 2 / 2` for errors up to `delta`, and `delta * (error - delta / 2)` for
    larger errors.

    Args:
        labels: Tensor of labels.
        predictions: Tensor of predictions, of the shape of `labels`.
        weights: Scalar, or tensor of the rank of the losses with sizes that are 1 or equal.
        delta: Error at which the loss becomes linear.
        reduction: One of the names in `tf.compat.v1.losses.Reduction`.

    Returns:
        Scalar, or tensor of the loss of each element for the reduction `NONE`.

    Raises:
        ValueError: If the shapes differ, the weights do not broadcast, or the reduction is unknown.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.v1.losses.huber_loss([0.0, 0.0], [0.5, 3.0], delta=1.0).numpy().tolist()
        1.3125

    See also: `tf.compat.v1.losses.mean_squared_error`, `tf.compat.v1.losses.absolute_difference`.
    """
    y, x = _same_shape("huber_loss", labels, predictions)
    error = ew.abs_(x - y)
    inside = ew.minimum(error, delta)
    return compute_weighted_loss(
        inside * inside * 0.5 + (error - inside) * delta, weights, reduction
    )


def log_loss(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike = 1.0,
    epsilon: float | None = None,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """Compute the log loss of probabilities.

    The loss is `-labels * log(predictions) - (1 - labels) * log(1 - predictions)`.

    Args:
        labels: Tensor of labels between 0 and 1.
        predictions: Tensor of probabilities, of the shape of `labels`.
        weights: Scalar, or tensor of the rank of the losses with sizes that are 1 or equal.
        epsilon: Number to add to the arguments of logarithms. Default: 1e-7, or 1e-4 on a device
            that stores float16.
        reduction: One of the names in `tf.compat.v1.losses.Reduction`.

    Returns:
        Scalar, or tensor of the loss of each element for the reduction `NONE`.

    Raises:
        ValueError: If the shapes differ, the weights do not broadcast, or the reduction is unknown.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.v1.losses.log_loss([1.0, 0.0], [0.9, 0.2]).numpy().round(3)
        np.float32(0.164)

    See also: `tf.compat.v1.losses.sigmoid_cross_entropy`.
    """
    y, x = _same_shape("log_loss", labels, predictions)
    epsilon = storable(1e-7 if epsilon is None else epsilon)
    losses = -y * ew.log(x + epsilon) - (1 - y) * ew.log(1 - x + epsilon)
    return compute_weighted_loss(losses, weights, reduction)


def mean_squared_error(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike = 1.0,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """Compute the squared difference of predictions and labels.

    Args:
        labels: Tensor of labels.
        predictions: Tensor of predictions, of the shape of `labels`.
        weights: Scalar, or tensor of the rank of the losses with sizes that are 1 or equal.
        reduction: One of the names in `tf.compat.v1.losses.Reduction`.

    Returns:
        Scalar, or tensor of the loss of each element for the reduction `NONE`.

    Raises:
        ValueError: If the shapes differ, the weights do not broadcast, or the reduction is unknown.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.v1.losses.mean_squared_error([1.0, 2.0], [1.5, 4.0]).numpy().tolist()
        2.125

    See also: `tf.compat.v1.losses.absolute_difference`, `tf.compat.v1.losses.huber_loss`.
    """
    y, x = _same_shape("mean_squared_error", labels, predictions)
    return compute_weighted_loss(ew.squared_difference(x, y), weights, reduction)


def sigmoid_cross_entropy(
    multi_class_labels: TensorLike,
    logits: TensorLike,
    weights: TensorLike = 1.0,
    label_smoothing: float = 0,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """Compute the cross entropy of independent classes.

    Args:
        multi_class_labels: Tensor of labels between 0 and 1.
        logits: Float tensor of logits, of the shape of `multi_class_labels`.
        weights: Scalar, or tensor of the rank of the losses with sizes that are 1 or equal.
        label_smoothing: Number between 0 and 1. Labels are moved towards 1/2.
        reduction: One of the names in `tf.compat.v1.losses.Reduction`.

    Returns:
        Scalar, or tensor of the loss of each element for the reduction `NONE`.

    Raises:
        ValueError: If the shapes differ, the weights do not broadcast, or the reduction is unknown.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.v1.losses.sigmoid_cross_entropy([[1.0, 0.0]], [[2.0, 2.0]]).numpy().round(3)
        np.float32(1.127)

    See also: `tf.nn.sigmoid_cross_entropy_with_logits`.
    """
    logits = convert_to_tensor(logits)
    y, x = _same_shape("sigmoid_cross_entropy", multi_class_labels, logits, logits.dtype)
    if label_smoothing > 0:
        y = y * (1 - label_smoothing) + 0.5 * label_smoothing
    losses = nn_losses.sigmoid_cross_entropy_with_logits(labels=y, logits=x)
    return compute_weighted_loss(losses, weights, reduction)


def softmax_cross_entropy(
    onehot_labels: TensorLike,
    logits: TensorLike,
    weights: TensorLike = 1.0,
    label_smoothing: float = 0,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """Compute the cross entropy of exclusive classes.

    The gradient with respect to the labels is 0.

    Args:
        onehot_labels: Tensor of shape `[batch, classes]`; each row sums to 1.
        logits: Float tensor of logits, of the shape of `onehot_labels`.
        weights: Scalar, or tensor of the rank of the losses with sizes that are 1 or equal.
        label_smoothing: Number between 0 and 1. Labels are moved towards the uniform distribution.
        reduction: One of the names in `tf.compat.v1.losses.Reduction`.

    Returns:
        Scalar, or tensor of the loss of each element for the reduction `NONE`.

    Raises:
        ValueError: If the shapes differ, the weights do not broadcast, or the reduction is unknown.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.v1.losses.softmax_cross_entropy([[1.0, 0.0]], [[2.0, 0.0]]).numpy().round(3)
        np.float32(0.127)

    See also: `tf.nn.softmax_cross_entropy_with_logits`.
    """
    logits = convert_to_tensor(logits)
    y, x = _same_shape("softmax_cross_entropy", onehot_labels, logits, logits.dtype)
    y = stop_gradient(y)
    if label_smoothing > 0:
        y = y * (1 - label_smoothing) + label_smoothing / static_ints(y.aval.shape)[1]
    losses = nn_losses.softmax_cross_entropy_with_logits(labels=y, logits=x)
    return compute_weighted_loss(losses, weights, reduction)
