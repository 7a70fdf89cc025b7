"""`tf.compat.v1.losses`: losses that a graph collects."""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable
from typing import Any

from tfpy._src.base import dtypes, tracing
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.name_scope import name_scope
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import TensorLike
from tfpy._src.functions.graph_mode.collections import GraphKeys
from tfpy._src.functions.graph_mode.defaults import get_default_graph
from tfpy._src.functions.graph_mode.recording import recorded
from tfpy._src.library.tfjs import weighting
from tfpy._src.library.tfjs.weighting import Reduction
from tfpy._src.tensors.array import making
from tfpy._src.tensors.array.reshaping import squeeze
from tfpy._src.tensors.math.reductions import reduce_sum
from tfpy._src.tensors.nn.losses import sparse_softmax_cross_entropy_with_logits


@recorded
def _sum_of(losses: list[Any]) -> Any:
    return functools.reduce(operator.add, losses)


def collected(
    loss: Callable[..., Tensor], scope: str | None, collection: str | None, *args: Any
) -> Tensor:
    """Compute a loss in a name scope, and add it to a collection of the graph."""
    with name_scope(scope or loss.__name__):
        found: Tensor = recorded(loss)(*args)
    add_loss(found, collection)
    return found


def compute_weighted_loss(
    losses: TensorLike,
    weights: TensorLike = 1.0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """Multiply losses by weights and reduce them.

    Args:
        losses: Tensor with the loss of each element.
        weights: Weight of each loss, a scalar or a tensor of the same rank as `losses`. Each
            dimension of the tensor is 1 or equal to the corresponding dimension of `losses`.
            Default: 1.
        scope: Name scope of the operations. Default: the name of the loss.
        loss_collection: Collection of the graph to which the loss is added.
        reduction: Reduction of the losses, `"none"`, `"weighted_sum"`, `"weighted_mean"` or
            `"weighted_sum_by_nonzero_weights"` (default). See `tf.compat.v1.losses.Reduction`.

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
    return collected(
        weighting.compute_weighted_loss, scope, loss_collection,
        losses, weights, reduction,
    )  # fmt: skip


def sparse_softmax_cross_entropy(
    labels: TensorLike,
    logits: TensorLike,
    weights: TensorLike = 1.0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """Compute the softmax cross entropy loss between class numbers and logits.

    Args:
        labels: Integer tensor with the number of the right class, of shape `[batch]` or
            `[batch, 1]`.
        logits: Float tensor of shape `[batch, classes]` with unnormalized log-probabilities.
        weights: Weight of each loss, a scalar or a tensor of shape `[batch]`. Default: 1.
        scope: Name scope of the operations. Default: the name of the loss.
        loss_collection: Collection of the graph to which the loss is added.
        reduction: Reduction of the losses. See `tf.compat.v1.losses.Reduction`.

    Returns:
        Scalar tensor, or a tensor with the weighted loss of each example if `reduction` is
        `"none"`.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.v1.losses.sparse_softmax_cross_entropy([1], [[0.0, 0.0]]).numpy().round(4)
        np.float32(0.6931)

    See also: `tf.nn.sparse_softmax_cross_entropy_with_logits`.
    """
    return collected(_sparse, scope, loss_collection, labels, logits, weights, reduction)


def _sparse(labels: TensorLike, logits: TensorLike, weights: TensorLike, reduction: str) -> Tensor:
    x, y = convert_to_tensor(labels), convert_to_tensor(logits)
    if len(x.aval.shape) == len(y.aval.shape):
        x = squeeze(x, [-1])
    each = sparse_softmax_cross_entropy_with_logits(x, y)
    w = convert_to_tensor(weights, each.dtype)
    if len(w.aval.shape) > len(each.aval.shape):
        w = squeeze(w, [-1])
    return weighting.compute_weighted_loss(each, w, reduction)


_sparse.__name__ = "sparse_softmax_cross_entropy_loss"


def add_loss(loss: TensorLike, loss_collection: str | None = GraphKeys.LOSSES) -> None:
    """Add a loss to a collection of the graph. In eager execution, this has no effect.

    Args:
        loss: Tensor.
        loss_collection: Name of the collection. None has no effect.

    Example:
        >>> import tfpy as tf
        >>> with tf.Graph().as_default():
        ...     tf.compat.v1.losses.add_loss(tf.constant(1.0))
        ...     print(len(tf.compat.v1.losses.get_losses()))
        1

    See also: `tf.compat.v1.losses.get_losses`.
    """
    graph = tracing.active_graph()
    if graph is not None and loss_collection:
        graph.add_to_collection(loss_collection, loss)


def get_losses(scope: str | None = None, loss_collection: str = GraphKeys.LOSSES) -> list[Tensor]:
    """Return the losses of the graph.

    Args:
        scope: Beginning of the names of the losses. Default: all losses.
        loss_collection: Name of the collection.

    Returns:
        List of tensors.

    Example:
        >>> import tfpy as tf
        >>> with tf.Graph().as_default():
        ...     loss = tf.compat.v1.losses.mean_squared_error([1.0], [3.0])
        ...     print(tf.compat.v1.losses.get_losses()[0] is loss)
        True

    See also: `tf.compat.v1.losses.get_total_loss`.
    """
    return get_default_graph().get_collection(loss_collection, scope)


def get_regularization_losses(scope: str | None = None) -> list[Tensor]:
    """Return the regularization losses of the graph.

    Args:
        scope: Beginning of the names of the losses. Default: all losses.

    Returns:
        List of tensors.

    Example:
        >>> import tfpy as tf
        >>> with tf.Graph().as_default():
        ...     tf.compat.v1.losses.get_regularization_losses()
        []

    See also: `tf.compat.v1.losses.get_regularization_loss`.
    """
    return get_default_graph().get_collection(GraphKeys.REGULARIZATION_LOSSES, scope)


def get_regularization_loss(
    scope: str | None = None, name: str = "total_regularization_loss"
) -> Tensor:
    """Return the sum of the regularization losses of the graph.

    Args:
        scope: Beginning of the names of the losses. Default: all losses.

    Returns:
        Scalar float32 tensor, zero without losses.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.v1.losses.get_regularization_loss().shape
        TensorShape([])

    See also: `tf.compat.v1.losses.get_total_loss`.
    """
    losses = get_regularization_losses(scope)
    return _sum_of(losses) if losses else recorded(convert_to_tensor)(0.0)


def get_total_loss(
    add_regularization_losses: bool = True, name: str = "total_loss", scope: str | None = None
) -> Tensor:
    """Return the sum of the losses of the graph.

    Args:
        add_regularization_losses: If True, the sum contains the regularization losses.
        scope: Beginning of the names of the losses. Default: all losses.

    Returns:
        Scalar tensor.

    Raises:
        ValueError: If the graph has no losses.

    Example:
        >>> import tfpy as tf
        >>> with tf.Graph().as_default(), tf.compat.v1.Session() as sess:
        ...     loss = tf.compat.v1.losses.mean_squared_error([1.0], [3.0])
        ...     print(sess.run(tf.compat.v1.losses.get_total_loss()))
        4.0

    See also: `tf.compat.v1.losses.get_losses`.
    """
    losses = get_losses(scope)
    if add_regularization_losses:
        losses = [*losses, *get_regularization_losses(scope)]
    if not losses:
        raise ValueError("inputs must be a list of at least one Tensor/IndexedSlices")
    return _sum_of(losses)


def mean_pairwise_squared_error(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike = 1.0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
) -> Tensor:
    """Compute the mean squared difference between the pairwise differences of two tensors.

    As in TensorFlow, eager execution with one weight for all examples divides by the number of
    all elements instead of the number of elements of an example.

    Args:
        labels: Tensor of shape `[batch, ...]` with the true values.
        predictions: Tensor with the predicted values and the shape of `labels`.
        weights: Weight of each example, a scalar or a tensor of shape `[batch, 1, ...]`.
        scope: Has no effect.
        loss_collection: Collection of the graph to which the loss is added.

    Returns:
        Scalar tensor, the sum over the examples.

    Example:
        >>> import tfpy as tf
        >>> loss = tf.compat.v1.losses.mean_pairwise_squared_error([[1.0, 2.0]], [[2.0, 5.0]])
        >>> loss.numpy().item()
        4.0

    See also: `tf.compat.v1.losses.mean_squared_error`.
    """
    found = _pairwise(labels, predictions, weights, tracing.executing_eagerly())
    add_loss(found, loss_collection)
    return found


@recorded
def _pairwise(
    labels: TensorLike, predictions: TensorLike, weights: TensorLike, is_eager: bool
) -> Tensor:
    x, y = (making.cast(convert_to_tensor(v), dtypes.float32) for v in (predictions, labels))
    difference = x - y
    shape = difference.aval.shape
    axes = list(range(1, len(shape)))
    w = making.cast(convert_to_tensor(weights), dtypes.float32)
    n = float(math.prod(shape if is_eager and not w.aval.shape else shape[1:]))
    squares = reduce_sum(difference * difference, axes, keepdims=True)
    sums = reduce_sum(difference, axes, keepdims=True)
    if n <= 1:
        return reduce_sum(squares * 0.0)
    return reduce_sum((2.0 * squares / (n - 1) - 2.0 * sums * sums / (n * (n - 1))) * w)
