"""`tf.compat.v1.losses`: the losses of `tf.losses`, which a graph collects."""

from __future__ import annotations

from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import TensorLike
from tfpy._src.functions.graph_mode.collections import GraphKeys
from tfpy._src.library.compat.losses import collected
from tfpy._src.library.tfjs import losses
from tfpy._src.library.tfjs.weighting import Reduction


def absolute_difference(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike = 1.0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """Compute the absolute difference loss, `|predictions - labels|`.

    Args:
        labels: Tensor with the true values.
        predictions: Tensor with the predicted values and the shape of `labels`.
        weights: Weight of each loss, a scalar or a tensor of the same rank as the losses. Each
            dimension of the tensor is 1 or equal to the corresponding dimension of the losses.
            Default: 1.
        scope: Name scope of the operations. Default: the name of the loss.
        loss_collection: Collection of the graph to which the loss is added.
        reduction: Reduction of the losses, `"none"`, `"weighted_sum"`, `"weighted_mean"` or
            `"weighted_sum_by_nonzero_weights"` (default). See `tf.compat.v1.losses.Reduction`.

    Returns:
        Scalar tensor, or a tensor with the weighted loss of each element if `reduction` is
        `"none"`.

    Raises:
        ValueError: If the shapes of the first two arguments differ, `weights` cannot be broadcast
            to the losses, or `reduction` is unknown.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.v1.losses.absolute_difference([1.0, 2.0], [1.5, 4.0]).numpy().tolist()
        1.25

    See also: `tf.compat.v1.losses.mean_squared_error`.
    """
    return collected(
        losses.absolute_difference, scope, loss_collection,
        labels, predictions, weights, reduction,
    )  # fmt: skip


def cosine_distance(
    labels: TensorLike,
    predictions: TensorLike,
    axis: int | None = None,
    weights: TensorLike = 1.0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
    dim: int | None = None,
) -> Tensor:
    """Compute the cosine distance loss, `1 - sum(labels * predictions)`, along an axis.

    The vectors along the axis must have unit length in both tensors; this is not checked.

    Args:
        labels: Tensor with the true values.
        predictions: Tensor with the predicted values and the shape of `labels`.
        axis: Axis of the vectors. Negative values count from the end.
        weights: Weight of each loss, a scalar or a tensor of the same rank as the losses. Each
            dimension of the tensor is 1 or equal to the corresponding dimension of the losses.
            Default: 1.
        scope: Name scope of the operations. Default: the name of the loss.
        loss_collection: Collection of the graph to which the loss is added.
        reduction: Reduction of the losses, `"none"`, `"weighted_sum"`, `"weighted_mean"` or
            `"weighted_sum_by_nonzero_weights"` (default). See `tf.compat.v1.losses.Reduction`.
        dim: Former name of `axis`.

    Returns:
        Scalar tensor, or a tensor with the weighted loss of each element if `reduction` is
        `"none"`.

    Raises:
        ValueError: If the shapes of the first two arguments differ, `weights` cannot be broadcast
            to the losses, `reduction` is unknown, or not exactly one of `axis` and `dim` is given.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.v1.losses.cosine_distance([1.0, 0.0], [0.0, 1.0], axis=0).numpy().tolist()
        1.0

    See also: `tf.compat.v1.losses.mean_squared_error`.
    """
    if (axis is None) == (dim is None):
        raise ValueError("You must specify 'axis', or 'dim', but not both.")
    return collected(
        losses.cosine_distance, scope, loss_collection,
        labels, predictions, dim if axis is None else axis, weights, reduction,
    )  # fmt: skip


def hinge_loss(
    labels: TensorLike,
    logits: TensorLike,
    weights: TensorLike = 1.0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """Compute the hinge loss of binary labels.

    The loss is `max(0, 1 - prediction)` if the label is 1, and `max(0, 1 + prediction)` if the
    label is 0.

    Args:
        labels: Tensor with labels, which are 0 or 1.
        logits: Tensor with the predicted values and the shape of `labels`.
        weights: Weight of each loss, a scalar or a tensor of the same rank as the losses. Each
            dimension of the tensor is 1 or equal to the corresponding dimension of the losses.
            Default: 1.
        scope: Name scope of the operations. Default: the name of the loss.
        loss_collection: Collection of the graph to which the loss is added.
        reduction: Reduction of the losses, `"none"`, `"weighted_sum"`, `"weighted_mean"` or
            `"weighted_sum_by_nonzero_weights"` (default). See `tf.compat.v1.losses.Reduction`.

    Returns:
        Scalar tensor, or a tensor with the weighted loss of each element if `reduction` is
        `"none"`.

    Raises:
        ValueError: If the shapes of the first two arguments differ, `weights` cannot be broadcast
            to the losses, or `reduction` is unknown.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.v1.losses.hinge_loss([1.0, 0.0], [0.5, 0.25]).numpy().tolist()
        0.875

    See also: `tf.compat.v1.losses.sigmoid_cross_entropy`.
    """
    return collected(losses.hinge_loss, scope, loss_collection, labels, logits, weights, reduction)


def huber_loss(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike = 1.0,
    delta: float = 1.0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """Compute the Huber loss.

    The error is `|predictions - labels|`. The loss is `error ** 2 / 2` for errors up to `delta`,
    and `delta * (error - delta / 2)` for larger errors.

    Args:
        labels: Tensor with the true values.
        predictions: Tensor with the predicted values and the shape of `labels`.
        weights: Weight of each loss, a scalar or a tensor of the same rank as the losses. Each
            dimension of the tensor is 1 or equal to the corresponding dimension of the losses.
            Default: 1.
        delta: Error above which the loss is linear. Default: 1.
        scope: Name scope of the operations. Default: the name of the loss.
        loss_collection: Collection of the graph to which the loss is added.
        reduction: Reduction of the losses, `"none"`, `"weighted_sum"`, `"weighted_mean"` or
            `"weighted_sum_by_nonzero_weights"` (default). See `tf.compat.v1.losses.Reduction`.

    Returns:
        Scalar tensor, or a tensor with the weighted loss of each element if `reduction` is
        `"none"`.

    Raises:
        ValueError: If the shapes of the first two arguments differ, `weights` cannot be broadcast
            to the losses, or `reduction` is unknown.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.v1.losses.huber_loss([0.0, 0.0], [0.5, 3.0], delta=1.0).numpy().tolist()
        1.3125

    See also: `tf.compat.v1.losses.mean_squared_error`, `tf.compat.v1.losses.absolute_difference`.
    """
    return collected(
        losses.huber_loss, scope, loss_collection,
        labels, predictions, weights, delta, reduction,
    )  # fmt: skip


def log_loss(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike = 1.0,
    epsilon: float | None = None,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """Compute the log loss of predicted probabilities.

    The loss is `-labels * log(predictions) - (1 - labels) * log(1 - predictions)`.

    Args:
        labels: Tensor with labels between 0 and 1.
        predictions: Tensor with the predicted probabilities and the shape of `labels`.
        weights: Weight of each loss, a scalar or a tensor of the same rank as the losses. Each
            dimension of the tensor is 1 or equal to the corresponding dimension of the losses.
            Default: 1.
        epsilon: Number that is added to the arguments of the logarithms, so that they are not 0.
            Default: 1e-7, or 1e-4 on a GPU that stores tensors as float16.
        scope: Name scope of the operations. Default: the name of the loss.
        loss_collection: Collection of the graph to which the loss is added.
        reduction: Reduction of the losses, `"none"`, `"weighted_sum"`, `"weighted_mean"` or
            `"weighted_sum_by_nonzero_weights"` (default). See `tf.compat.v1.losses.Reduction`.

    Returns:
        Scalar tensor, or a tensor with the weighted loss of each element if `reduction` is
        `"none"`.

    Raises:
        ValueError: If the shapes of the first two arguments differ, `weights` cannot be broadcast
            to the losses, or `reduction` is unknown.

    Example:
        >>> import tfpy as tf
        >>> round(float(tf.compat.v1.losses.log_loss([1.0, 0.0], [0.9, 0.2])), 3)
        0.164

    See also: `tf.compat.v1.losses.sigmoid_cross_entropy`.
    """
    return collected(
        losses.log_loss, scope, loss_collection,
        labels, predictions, weights, epsilon, reduction,
    )  # fmt: skip


def mean_squared_error(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike = 1.0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """Compute the squared difference loss, `(predictions - labels) ** 2`.

    Args:
        labels: Tensor with the true values.
        predictions: Tensor with the predicted values and the shape of `labels`.
        weights: Weight of each loss, a scalar or a tensor of the same rank as the losses. Each
            dimension of the tensor is 1 or equal to the corresponding dimension of the losses.
            Default: 1.
        scope: Name scope of the operations. Default: the name of the loss.
        loss_collection: Collection of the graph to which the loss is added.
        reduction: Reduction of the losses, `"none"`, `"weighted_sum"`, `"weighted_mean"` or
            `"weighted_sum_by_nonzero_weights"` (default). See `tf.compat.v1.losses.Reduction`.

    Returns:
        Scalar tensor, or a tensor with the weighted loss of each element if `reduction` is
        `"none"`.

    Raises:
        ValueError: If the shapes of the first two arguments differ, `weights` cannot be broadcast
            to the losses, or `reduction` is unknown.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.v1.losses.mean_squared_error([1.0, 2.0], [1.5, 4.0]).numpy().tolist()
        2.125

    See also: `tf.compat.v1.losses.absolute_difference`, `tf.compat.v1.losses.huber_loss`.
    """
    return collected(
        losses.mean_squared_error, scope, loss_collection,
        labels, predictions, weights, reduction,
    )  # fmt: skip


def sigmoid_cross_entropy(
    multi_class_labels: TensorLike,
    logits: TensorLike,
    weights: TensorLike = 1.0,
    label_smoothing: float = 0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """Compute the sigmoid cross entropy between logits and labels of independent classes.

    Args:
        multi_class_labels: Tensor with labels between 0 and 1.
        logits: Float tensor with logits and the shape of `multi_class_labels`.
        weights: Weight of each loss, a scalar or a tensor of the same rank as the losses. Each
            dimension of the tensor is 1 or equal to the corresponding dimension of the losses.
            Default: 1.
        label_smoothing: Number between 0 and 1 that moves labels towards 1/2. Default: 0, which
            does not change the labels.
        scope: Name scope of the operations. Default: the name of the loss.
        loss_collection: Collection of the graph to which the loss is added.
        reduction: Reduction of the losses, `"none"`, `"weighted_sum"`, `"weighted_mean"` or
            `"weighted_sum_by_nonzero_weights"` (default). See `tf.compat.v1.losses.Reduction`.

    Returns:
        Scalar tensor, or a tensor with the weighted loss of each element if `reduction` is
        `"none"`.

    Raises:
        ValueError: If the shapes of the first two arguments differ, `weights` cannot be broadcast
            to the losses, or `reduction` is unknown.

    Example:
        >>> import tfpy as tf
        >>> loss = tf.compat.v1.losses.sigmoid_cross_entropy([[1.0, 0.0]], logits=[[2.0, 2.0]])
        >>> round(float(loss), 3)
        1.127

    See also: `tf.nn.sigmoid_cross_entropy_with_logits`.
    """
    return collected(
        losses.sigmoid_cross_entropy, scope, loss_collection,
        multi_class_labels, logits, weights, label_smoothing, reduction,
    )  # fmt: skip


def softmax_cross_entropy(
    onehot_labels: TensorLike,
    logits: TensorLike,
    weights: TensorLike = 1.0,
    label_smoothing: float = 0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """Compute the softmax cross entropy between logits and labels of mutually exclusive classes.

    The gradient with respect to the labels is 0.

    Args:
        onehot_labels: Tensor of shape `[batch, classes]`, in which each row sums to 1.
        logits: Float tensor with logits and the shape of `onehot_labels`.
        weights: Weight of each loss, a scalar or a tensor of the same rank as the losses. Each
            dimension of the tensor is 1 or equal to the corresponding dimension of the losses.
            Default: 1.
        label_smoothing: Number between 0 and 1 that moves labels towards the uniform distribution.
            Default: 0, which does not change the labels.
        scope: Name scope of the operations. Default: the name of the loss.
        loss_collection: Collection of the graph to which the loss is added.
        reduction: Reduction of the losses, `"none"`, `"weighted_sum"`, `"weighted_mean"` or
            `"weighted_sum_by_nonzero_weights"` (default). See `tf.compat.v1.losses.Reduction`.

    Returns:
        Scalar tensor, or a tensor with the weighted loss of each element if `reduction` is
        `"none"`.

    Raises:
        ValueError: If the shapes of the first two arguments differ, `weights` cannot be broadcast
            to the losses, or `reduction` is unknown.

    Example:
        >>> import tfpy as tf
        >>> loss = tf.compat.v1.losses.softmax_cross_entropy([[1.0, 0.0]], logits=[[2.0, 0.0]])
        >>> round(float(loss), 3)
        0.127

    See also: `tf.nn.softmax_cross_entropy_with_logits`.
    """
    return collected(
        losses.softmax_cross_entropy, scope, loss_collection,
        onehot_labels, logits, weights, label_smoothing, reduction,
    )  # fmt: skip
