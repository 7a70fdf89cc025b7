"""`tf.compat.v1.metrics`: means, errors and accuracies of a graph, computed batch by batch."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tfpy._src.base import dtypes
from tfpy._src.core import primitives
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import FloatLike, TensorLike
from tfpy._src.functions.graph_mode.recording import recorded
from tfpy._src.library.compat.graphs.metric_parts import (
    local_variable,
    matched,
    metric,
    require_graph,
    streamed,
    weighted,
)
from tfpy._src.library.compat.graphs.scopes import variable_scope
from tfpy._src.tensors.array import making
from tfpy._src.tensors.array.reshaping import reshape
from tfpy._src.tensors.array.segments import unsorted_segment_sum
from tfpy._src.tensors.array.slicing import where
from tfpy._src.tensors.linalg.diagonals import diag_part
from tfpy._src.tensors.math.arithmetic import divide_no_nan
from tfpy._src.tensors.math.counting import confusion_matrix
from tfpy._src.tensors.math.reductions import reduce_mean, reduce_sum

Names = Iterable[str] | None


def _ratio(total: Tensor, count: Tensor) -> Tensor:
    return divide_no_nan(total, count)


def _mean_of(
    compute: Any, given: list[Any], weights: Any, collections: tuple[Names, Names], name: str | None
) -> tuple[Tensor, Tensor]:
    """Add the weighted mean of values that a function computes from the other arguments."""

    def batch(given: list[Any], weights: Any) -> list[Tensor]:
        values, _, weights = matched(*compute(*given, weights))
        values, ones = weighted(values, weights)
        return [reduce_sum(values), reduce_sum(ones)]

    with variable_scope(name, "mean"):
        variables = [local_variable("total", []), local_variable("count", [])]
        return streamed(variables, batch, [given, weights], _ratio, collections)


@metric("[1.0, 2.0, 6.0]", "3.0", "tf.keras.metrics.Mean")
def mean(
    values: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: Names = None,
    updates_collections: Names = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """Compute the weighted mean of all values.

    Args:
        values: Numeric tensor of any shape.
    """
    require_graph("mean")
    collections = metrics_collections, updates_collections
    return _mean_of(lambda x, w: (x, None, w), [values], weights, collections, name)


@metric("[1.0, 2.0]", "[1.0, 2.0]", "tf.keras.metrics.MeanTensor")
def mean_tensor(
    values: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: Names = None,
    updates_collections: Names = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """Compute the weighted mean of each element over the batches.

    Args:
        values: Numeric tensor of a known shape, which is the same in all batches.
    """
    require_graph("mean_tensor")

    def batch(values: Any, weights: Any) -> list[Tensor]:
        values, _, weights = matched(making.cast(values, dtypes.float32), None, weights)
        return [*weighted(values, weights)]

    with variable_scope(name, "mean"):
        shape = [int(n) for n in convert_to_tensor(values).aval.shape]
        variables = [local_variable(f"{n}_tensor", shape) for n in ("total", "count")]
        collections = metrics_collections, updates_collections
        return streamed(variables, batch, [values, weights], _ratio, collections)


@metric("[1.0, 2.0, 6.0, 7.0], 5.0", "0.5", "tf.compat.v1.metrics.mean")
def percentage_below(
    values: TensorLike,
    threshold: FloatLike,
    weights: TensorLike | None = None,
    metrics_collections: Names = None,
    updates_collections: Names = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """Compute the fraction of values below a threshold.

    Args:
        values: Numeric tensor of any shape.
        threshold: Scalar.
    """
    require_graph("percentage_below")
    return _mean_of(
        lambda x, limit, w: (primitives.less(x, limit), None, w),
        [values, threshold],
        weights,
        (metrics_collections, updates_collections),
        name or "percentage_below_threshold",
    )


@metric("[1, 0, 1, 1], [1, 1, 1, 1]", "0.75", "tf.keras.metrics.Accuracy")
def accuracy(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: Names = None,
    updates_collections: Names = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """Compute the fraction of predictions that are equal to the labels.

    Args:
        labels: Tensor with the true values.
        predictions: Tensor with the predicted values and the shape of `labels`.
    """
    require_graph("accuracy")

    def compute(labels: Any, predictions: Any, weights: Any) -> tuple[Any, Any, Any]:
        found, true, weights = matched(predictions, labels, weights)
        return primitives.equal(making.cast(found, true.dtype), true), None, weights

    collections = metrics_collections, updates_collections
    return _mean_of(compute, [labels, predictions], weights, collections, name or "accuracy")


def _error_of(
    function: Any,
    labels: Any,
    predictions: Any,
    weights: Any,
    collections: tuple[Names, Names],
    name: str,
) -> tuple[Tensor, Tensor]:
    def compute(labels: Any, predictions: Any, weights: Any) -> tuple[Any, Any, Any]:
        found, true, weights = matched(predictions, labels, weights)
        return function(found, true), None, weights

    return _mean_of(compute, [labels, predictions], weights, collections, name)


@metric("[1.0, 2.0], [1.5, 4.5]", "1.5", "tf.keras.metrics.MeanAbsoluteError")
def mean_absolute_error(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: Names = None,
    updates_collections: Names = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """Compute the mean absolute difference between predictions and labels.

    Args:
        labels: Float tensor with the true values.
        predictions: Tensor with the predicted values, with the shape and dtype of `labels`.
    """
    require_graph("mean_absolute_error")
    collections = metrics_collections, updates_collections
    return _error_of(
        lambda x, y: primitives.abs(x - y),
        labels, predictions, weights, collections, name or "mean_absolute_error",
    )  # fmt: skip


@metric("[1.0, 2.0], [1.0, 4.0]", "2.0", "tf.keras.metrics.MeanSquaredError")
def mean_squared_error(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: Names = None,
    updates_collections: Names = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """Compute the mean squared difference between predictions and labels.

    Args:
        labels: Float tensor with the true values.
        predictions: Tensor with the predicted values, with the shape and dtype of `labels`.
    """
    require_graph("mean_squared_error")
    collections = metrics_collections, updates_collections
    return _error_of(
        primitives.squared_difference,
        labels, predictions, weights, collections, name or "mean_squared_error",
    )  # fmt: skip


@metric("[1.0, 2.0], [3.0, 4.0]", "2.0", "tf.keras.metrics.RootMeanSquaredError")
def root_mean_squared_error(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: Names = None,
    updates_collections: Names = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """Compute the root of the mean squared difference between predictions and labels.

    Args:
        labels: Float tensor with the true values.
        predictions: Tensor with the predicted values, with the shape and dtype of `labels`.
    """
    require_graph("root_mean_squared_error")
    pair = mean_squared_error(labels, predictions, weights, name=name or "root_mean_squared_error")
    return _collected(pair, recorded(primitives.sqrt), metrics_collections, updates_collections)


def _collected(pair: Any, change: Any, *collections: Names) -> tuple[Tensor, Tensor]:
    value, update = map(change, pair)
    for names, tensor in zip(collections, (value, update), strict=True):
        tensor.graph.add_to_collections(names or (), tensor)
    return value, update


@metric("[1.0, 0.0], [0.0, 1.0], 0", "1.0", "tf.keras.metrics.CosineSimilarity")
def mean_cosine_distance(
    labels: TensorLike,
    predictions: TensorLike,
    dim: int,
    weights: TensorLike | None = None,
    metrics_collections: Names = None,
    updates_collections: Names = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """Compute one minus the mean scalar product of vectors of unit length.

    Args:
        labels: Float tensor with the true vectors.
        predictions: Tensor with the predicted vectors, with the shape and dtype of `labels`.
        dim: Axis of the vectors.
    """
    require_graph("mean_cosine_distance")
    pair = _error_of(
        lambda x, y: reduce_sum(x * y, axis=[dim], keepdims=True),
        labels, predictions, weights, (None, None), name or "mean_cosine_distance",
    )  # fmt: skip
    return _collected(pair, lambda x: 1.0 - x, metrics_collections, updates_collections)


@metric("[1.0, 2.0], [2.0, 2.0], [2.0, 4.0]", "0.25", "tf.keras.metrics.MeanRelativeError")
def mean_relative_error(
    labels: TensorLike,
    predictions: TensorLike,
    normalizer: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: Names = None,
    updates_collections: Names = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """Compute the mean of absolute differences that are divided by a normalizer.

    The relative error is 0 where the normalizer is 0.

    Args:
        labels: Float tensor with the true values.
        predictions: Tensor with the predicted values, with the shape and dtype of `labels`.
        normalizer: Tensor of divisors, with the shape and dtype of `labels`.
    """
    require_graph("mean_relative_error")

    def compute(labels: Any, predictions: Any, divisor: Any, weights: Any) -> tuple[Any, Any, Any]:
        found, true, weights = matched(predictions, labels, weights)
        found, divisor, _ = matched(found, divisor, None)
        is_zero = primitives.equal(divisor, 0.0)
        errors = where(is_zero, making.zeros_like(true), primitives.abs(true - found) / divisor)
        return errors, None, weights

    given = [labels, predictions, normalizer]
    collections = metrics_collections, updates_collections
    return _mean_of(compute, given, weights, collections, name or "mean_relative_error")


def _flat(x: Any, dtype: Any) -> Tensor:
    return reshape(making.cast(x, dtype), [-1])


@metric(
    "[0, 1, 1], [0, 1, 0], 2",
    "[[1.0, 0.0], [1.0, 1.0]]",
    "tf.keras.metrics.MeanIoU",
    "the mean, and the confusion matrix after an update",
)
def mean_iou(
    labels: TensorLike,
    predictions: TensorLike,
    num_classes: int,
    weights: TensorLike | None = None,
    metrics_collections: Names = None,
    updates_collections: Names = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """Compute the mean intersection over union of the classes.

    Args:
        labels: Integer tensor with the true classes.
        predictions: Integer tensor with the predicted classes and the shape of `labels`.
        num_classes: Number of classes.
    """
    require_graph("mean_iou")

    def batch(labels: Any, predictions: Any, weights: Any) -> list[Tensor]:
        flat = None if weights is None else _flat(weights, dtypes.float64)
        true, found = _flat(labels, dtypes.int64), _flat(predictions, dtypes.int64)
        return [confusion_matrix(true, found, num_classes, flat, dtypes.float64)]

    def result(matrix: Tensor) -> Tensor:
        counts = making.cast(matrix, dtypes.float32)
        diagonal = diag_part(counts)
        union = reduce_sum(counts, 0) + reduce_sum(counts, 1) - diagonal
        number = reduce_sum(making.cast(primitives.not_equal(union, 0.0), dtypes.float32))
        return divide_no_nan(reduce_sum(divide_no_nan(diagonal, union)), number)

    with variable_scope(name, "mean_iou"):
        size = [num_classes, num_classes]
        variables = [local_variable("total_confusion_matrix", size, dtypes.float64)]
        given = [labels, predictions, weights]
        collections = metrics_collections, updates_collections
        return streamed(variables, batch, given, result, collections, lambda matrix: matrix)


@metric(
    "[0, 1, 1], [0, 1, 0], 2",
    "[1.0, 0.5]",
    "tf.compat.v1.metrics.accuracy",
    "the mean, and the accuracy of each class after an update",
)
def mean_per_class_accuracy(
    labels: TensorLike,
    predictions: TensorLike,
    num_classes: int,
    weights: TensorLike | None = None,
    metrics_collections: Names = None,
    updates_collections: Names = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """Compute the mean of the accuracies of the classes.

    Args:
        labels: Integer tensor with the true classes.
        predictions: Integer tensor with the predicted classes and the shape of `labels`.
        num_classes: Number of classes.
    """
    require_graph("mean_per_class_accuracy")

    def batch(labels: Any, predictions: Any, weights: Any) -> list[Tensor]:
        true, found = _flat(labels, dtypes.int64), _flat(predictions, dtypes.int64)
        right = primitives.equal(true, found)
        flat = None if weights is None else _flat(weights, dtypes.float32)
        hits, ones = weighted(making.cast(right, dtypes.float32), flat)
        return [unsorted_segment_sum(x, true, num_classes) for x in (ones, hits)]

    def each(total: Tensor, hits: Tensor) -> Tensor:
        return divide_no_nan(hits, total)

    with variable_scope(name, "mean_accuracy"):
        variables = [local_variable(n, [num_classes]) for n in ("total", "count")]
        given = [labels, predictions, weights]
        collections = metrics_collections, updates_collections
        return streamed(
            variables, batch, given, lambda *sums: reduce_mean(each(*sums)), collections, each
        )
