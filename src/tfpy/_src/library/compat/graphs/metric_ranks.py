"""`tf.compat.v1.metrics`: precision and recall of the classes with the best predictions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tfpy._src.base import dtypes
from tfpy._src.core import primitives
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import TensorLike
from tfpy._src.functions.graph_mode.recording import recorded
from tfpy._src.library.compat.graphs.metric_parts import (
    local_variable,
    metric,
    require_graph,
    streamed,
)
from tfpy._src.library.compat.graphs.scopes import name_scope
from tfpy._src.library.sparse.conversion import to_dense
from tfpy._src.tensors.array import making
from tfpy._src.tensors.array.reshaping import expand_dims
from tfpy._src.tensors.array.scans import cumsum
from tfpy._src.tensors.array.sorting import top_k
from tfpy._src.tensors.composite.sparse_tensor import SparseTensor, from_value
from tfpy._src.tensors.math.arithmetic import divide_no_nan
from tfpy._src.tensors.math.reductions import reduce_any, reduce_sum

Names = Iterable[str] | None
_ABSENT = -(1 << 31)
"""Class that replaces the missing labels of a sparse tensor."""


def _named(name: str, k: int | None, class_id: int | None = None) -> str:
    place = f"{name}_at_{'k' if k is None else k}"
    return place if class_id is None else f"{place}_class{class_id}"


def _labels(labels: Any) -> Any:
    """Return the labels of a sparse tensor or of its arrays as a dense tensor."""
    labels = from_value(labels)
    return recorded(to_dense)(labels, _ABSENT) if isinstance(labels, SparseTensor) else labels


def _dense(labels: Any, found: Tensor) -> Tensor:
    """Return labels as an int64 tensor with the rank of the predictions.

    Raises:
        ValueError: If the rank of the labels is another one.
    """
    labels = making.cast(labels, dtypes.int64)
    if labels.ndim == found.ndim - 1:
        return expand_dims(labels, -1)
    if labels.ndim != found.ndim:
        raise ValueError(
            f"Unexpected labels shape {labels.shape} for predictions shape {found.shape}. "
            "Predictions rank should be the same rank as labels rank or labels rank plus one ."
        )
    return labels


def _first(ids: Tensor) -> Tensor:
    """Return True for each id that is not equal to an earlier one of the last axis."""
    same = primitives.equal(expand_dims(ids, -1), expand_dims(ids, -2))
    number = int(ids.shape[-1])
    earlier = convert_to_tensor([[j < i for j in range(number)] for i in range(number)])
    return primitives.logical_not(reduce_any(primitives.logical_and(same, earlier), -1))


def _sets(labels: Any, found: Any, class_id: int | None) -> tuple[Tensor, Tensor, Tensor]:
    """Return the numbers of common, of predicted and of true classes, in the last axis."""
    found = making.cast(found, dtypes.int64)
    labels = _dense(labels, found)
    is_found, is_true = _first(found), _first(labels)
    is_true = primitives.logical_and(is_true, primitives.not_equal(labels, _ABSENT))
    if class_id is not None:
        is_found = primitives.logical_and(is_found, primitives.equal(found, class_id))
        is_true = primitives.logical_and(is_true, primitives.equal(labels, class_id))
    pairs = primitives.equal(expand_dims(found, -1), expand_dims(labels, -2))
    both = primitives.logical_and(reduce_any(pairs, -1), is_found)
    common, predicted, true = (
        reduce_sum(making.cast(x, dtypes.float64), -1) for x in (both, is_found, is_true)
    )
    if class_id is not None:  # the pairs above also match classes other than the selected one
        common = predicted * true
    return common, predicted, true


def _add(
    kinds: tuple[str, str],
    given: list[Any],
    sizes: tuple[int | None, int | None],
    collections: tuple[Names, Names],
    selects: bool = False,
) -> tuple[Tensor, Tensor]:
    """Add a metric of the numbers of common and of missed classes.

    Args:
        kinds: Names of the two numbers.
        given: Labels, predicted classes or scores, and weights.
        sizes: The arguments `k` and `class_id`.
        collections: Collections of the value and of the update.
        selects: If True, the predictions are scores.
    """
    k, class_id = sizes

    def batch(labels: Any, found: Any, weights: Any) -> list[Tensor]:
        if selects:
            found = top_k(found, k or 1).indices
        common, predicted, true = _sets(labels, found, class_id)
        missed = predicted - common if kinds[1] == "false_positive" else true - common
        factor = making.cast(1.0 if weights is None else weights, dtypes.float64)
        return [reduce_sum(common * factor), reduce_sum(missed * factor)]

    given = [_labels(given[0]), *given[1:]]
    variables = [local_variable(_named(n, k, class_id), [], dtypes.float64) for n in kinds]
    return streamed(variables, batch, given, lambda a, b: a / (a + b), collections)


_PRECISION = "true_positive", "false_positive"
_RECALL = "true_positive", "false_negative"


@metric("[[0, 3]], [[0, 2]], 2", "0.5", "tf.compat.v1.metrics.precision_at_k")
def precision_at_top_k(
    labels: TensorLike,
    predictions_idx: TensorLike,
    k: int | None = None,
    class_id: int | None = None,
    weights: TensorLike | None = None,
    metrics_collections: Names = None,
    updates_collections: Names = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """Compute the fraction of predicted classes that are among the labels.

    Args:
        labels: Integer tensor or `tf.SparseTensor` of shape [..., labels] with the true classes. A
            tensor with one class for each example can also have the shape [...].
        predictions_idx: Integer tensor of shape [..., k] with the best classes.
        k: Number for the names of the Variables.
        class_id: Class that is counted. Default: all classes.
    """
    require_graph("precision_at_top_k")
    with name_scope(name, _named("precision", k, class_id)):
        return _add(
            _PRECISION, [labels, predictions_idx, weights], (k, class_id),
            (metrics_collections, updates_collections),
        )  # fmt: skip


@metric("[[0, 3]], [[0, 2]], 2", "0.5", "tf.compat.v1.metrics.recall_at_k")
def recall_at_top_k(
    labels: TensorLike,
    predictions_idx: TensorLike,
    k: int | None = None,
    class_id: int | None = None,
    weights: TensorLike | None = None,
    metrics_collections: Names = None,
    updates_collections: Names = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """Compute the fraction of labels that are among the predicted classes.

    Args:
        labels: Integer tensor or `tf.SparseTensor` of shape [..., labels] with the true classes. A
            tensor with one class for each example can also have the shape [...].
        predictions_idx: Integer tensor of shape [..., k] with the best classes.
        k: Number for the names of the Variables.
        class_id: Class that is counted. Default: all classes.
    """
    require_graph("recall_at_top_k")
    with name_scope(name, _named("recall", k, class_id)):
        return _add(
            _RECALL, [labels, predictions_idx, weights], (k, class_id),
            (metrics_collections, updates_collections),
        )  # fmt: skip


@metric("[[0]], [[0.5, 0.2, 0.3]], 2", "0.5", "tf.keras.metrics.Precision")
def precision_at_k(
    labels: TensorLike,
    predictions: TensorLike,
    k: int,
    class_id: int | None = None,
    weights: TensorLike | None = None,
    metrics_collections: Names = None,
    updates_collections: Names = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """Compute the fraction of predicted classes that are among the labels.

    Args:
        labels: Integer tensor or `tf.SparseTensor` of shape [..., labels] with the true classes. A
            tensor with one class for each example can also have the shape [...].
        predictions: Float tensor of shape [..., classes] with a score for each class.
        k: Number of the best classes that count as predicted.
        class_id: Class that is counted. Default: all classes.
    """
    require_graph("sparse_precision_at_k")
    with name_scope(name, _named("precision", k, class_id)):
        return _add(
            _PRECISION, [labels, predictions, weights], (k, class_id),
            (metrics_collections, updates_collections), selects=True,
        )  # fmt: skip


@metric("[[0]], [[0.5, 0.2, 0.3]], 2", "1.0", "tf.keras.metrics.Recall")
def recall_at_k(
    labels: TensorLike,
    predictions: TensorLike,
    k: int,
    class_id: int | None = None,
    weights: TensorLike | None = None,
    metrics_collections: Names = None,
    updates_collections: Names = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """Compute the fraction of labels that are among the predicted classes.

    Args:
        labels: Integer tensor or `tf.SparseTensor` of shape [..., labels] with the true classes. A
            tensor with one class for each example can also have the shape [...].
        predictions: Float tensor of shape [..., classes] with a score for each class.
        k: Number of the best classes that count as predicted.
        class_id: Class that is counted. Default: all classes.
    """
    require_graph("recall_at_k")
    with name_scope(name, _named("recall", k, class_id)):
        return _add(
            _RECALL, [labels, predictions, weights], (k, class_id),
            (metrics_collections, updates_collections), selects=True,
        )  # fmt: skip


sparse_precision_at_k = precision_at_k


@metric("[[2]], [[0.5, 0.2, 0.3]], 2", "0.5", "tf.compat.v1.metrics.precision_at_k")
def average_precision_at_k(
    labels: TensorLike,
    predictions: TensorLike,
    k: int,
    weights: TensorLike | None = None,
    metrics_collections: Names = None,
    updates_collections: Names = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """Compute the mean over the examples of the average precision of the best classes.

    Args:
        labels: Integer tensor or `tf.SparseTensor` of shape [..., labels] with the true classes. A
            tensor with one class for each example can also have the shape [...].
        predictions: Float tensor of shape [..., classes] with a score for each class.
        k: Number of the best classes that count as predicted.
    """
    require_graph("sparse_average_precision_at_k")
    if k < 1:
        raise ValueError(f"Invalid k={k}. `k` should be >= 1.")

    def batch(labels: Any, predictions: Any, weights: Any) -> list[Tensor]:
        predictions = convert_to_tensor(predictions)
        found = making.cast(top_k(predictions, k).indices, dtypes.int64)
        averages = _average_precision(_dense(labels, found), found, int(predictions.shape[-1]), k)
        factor = making.cast(1.0 if weights is None else weights, dtypes.float64)
        factor = factor * making.ones_like(averages)
        return [reduce_sum(factor), reduce_sum(averages * factor)]

    with name_scope(name, _named("average_precision", k)):
        variables = [local_variable(n, [], dtypes.float64) for n in ("max_1", "total")]
        collections = metrics_collections, updates_collections
        given = [_labels(labels), predictions, weights]
        return streamed(variables, batch, given, lambda a, b: divide_no_nan(b, a), collections)


sparse_average_precision_at_k = average_precision_at_k


def _average_precision(labels: Tensor, found: Tensor, classes: int, k: int) -> Tensor:
    pairs = primitives.equal(expand_dims(found, -1), expand_dims(labels, -2))
    is_right = making.cast(reduce_any(pairs, -1), dtypes.float64)
    ranks = making.cast([*range(1, k + 1)], dtypes.float64)
    precisions = cumsum(is_right, -1) / ranks
    is_class = primitives.logical_and(labels >= 0, labels < classes)
    number = reduce_sum(making.cast(is_class, dtypes.float64), -1)
    most = primitives.minimum(number, making.cast(k, dtypes.float64))
    return reduce_sum(precisions * is_right, -1) / most
