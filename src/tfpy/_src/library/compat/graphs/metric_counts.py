"""`tf.compat.v1.metrics`: counts of right and wrong predictions, and curves over thresholds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from tfpy._src.base import dtypes
from tfpy._src.core import primitives
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import TensorLike
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
from tfpy._src.library.debugging.assertions import assert_greater_equal, assert_less_equal
from tfpy._src.tensors.array import making
from tfpy._src.tensors.array.reshaping import reshape
from tfpy._src.tensors.math.reductions import reduce_sum

Names = Iterable[str] | None
_WHAT = {"tp": (True, True), "fn": (True, False), "tn": (False, False), "fp": (False, True)}
"""Values of the label and of the prediction, by the abbreviation of a count."""
_NAMES = {
    "tp": "true_positives", "fn": "false_negatives", "tn": "true_negatives", "fp": "false_positives"
}  # fmt: skip


def _counted(kind: str, labels: Any, predictions: Any, weights: Any) -> Tensor:
    """Return the weighted number of elements of a kind."""
    truth, found = (making.cast(x, dtypes.bool) for x in (labels, predictions))
    found, truth, weights = matched(found, truth, weights)
    wanted_label, wanted = _WHAT[kind]
    hits = primitives.logical_and(
        primitives.equal(truth, wanted_label), primitives.equal(found, wanted)
    )
    return reduce_sum(weighted(making.cast(hits, dtypes.float32), weights)[0])


def _count(kind: str) -> Callable[..., tuple[Tensor, Tensor]]:
    long = _NAMES[kind]
    label, wanted = _WHAT[kind]

    def function(
        labels: TensorLike,
        predictions: TensorLike,
        weights: TensorLike | None = None,
        metrics_collections: Names = None,
        updates_collections: Names = None,
        name: str | None = None,
    ) -> tuple[Tensor, Tensor]:
        require_graph(long)
        with variable_scope(name, long):
            return streamed(
                [local_variable("count", [])],
                lambda *given: [_counted(kind, *given)],
                [labels, predictions, weights],
                lambda count: count,
                (metrics_collections, updates_collections),
            )

    function.__name__ = function.__qualname__ = long
    function.__doc__ = f"""Compute the weighted number of {long.replace("_", " ")}.

    Args:
        labels: Tensor of labels, which are converted to bool.
        predictions: Tensor of predictions in the shape of `labels`, which are converted to bool.
    """
    call = f"[{int(label)}, {int(label)}], [{int(wanted)}, {int(not wanted)}]"
    return metric(call, "1.0", f"tf.keras.metrics.{_class(long)}")(function)


def _class(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_"))


true_positives, false_negatives = _count("tp"), _count("fn")
true_negatives, false_positives = _count("tn"), _count("fp")


def _share(hits: Tensor, others: Tensor) -> Tensor:
    """Return `hits / (hits + others)`, or 0 for 0 / 0."""
    total = hits + others
    return primitives.multiply_no_nan(
        hits / primitives.maximum(total, 1e-30), making.cast(total > 0.0, hits.dtype)
    )


def _ratio(
    name: str | None, default: str, other: str, given: list[Any], collections: tuple[Names, Names]
) -> tuple[Tensor, Tensor]:
    require_graph(default)
    with variable_scope(name, default):
        variables = []
        for kind in ("tp", other):
            with variable_scope(None, _NAMES[kind]):
                variables.append(local_variable("count", []))
        return streamed(
            variables,
            lambda *given: [_counted(kind, *given) for kind in ("tp", other)],
            given,
            _share,
            collections,
        )


@metric("[1, 1, 0, 0], [1, 0, 1, 0]", "0.5", "tf.keras.metrics.Precision")
def precision(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: Names = None,
    updates_collections: Names = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """Compute the fraction of positive predictions that are right.

    Args:
        labels: Tensor of labels, which are converted to bool.
        predictions: Tensor of predictions in the shape of `labels`, which are converted to bool.
    """
    collections = metrics_collections, updates_collections
    return _ratio(name, "precision", "fp", [labels, predictions, weights], collections)


@metric("[1, 1, 0, 0], [1, 0, 1, 0]", "0.5", "tf.keras.metrics.Recall")
def recall(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: Names = None,
    updates_collections: Names = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """Compute the fraction of positive labels that are predicted.

    Args:
        labels: Tensor of labels, which are converted to bool.
        predictions: Tensor of predictions in the shape of `labels`, which are converted to bool.
    """
    collections = metrics_collections, updates_collections
    return _ratio(name, "recall", "fn", [labels, predictions, weights], collections)


_checked_least = recorded(assert_greater_equal)
_checked_most = recorded(assert_less_equal)


def at_thresholds(
    default: str,
    kinds: Sequence[str],
    given: list[Any],
    thresholds: Sequence[float],
    result: Callable[..., Tensor],
    collections: tuple[Names, Names],
    name: str | None,
) -> tuple[Tensor, Tensor]:
    """Add a metric that is computed from counts for several thresholds.

    Args:
        default: Name of the metric.
        kinds: Abbreviations of the counts, the arguments of `result`.
        given: Labels, predictions and weights.
        thresholds: Predictions above a threshold are positive.
        result: Function of the counts, which are tensors with one element for each threshold.
        collections: Collections of the value and of the update.
        name: Name scope.
    """
    require_graph(default)

    def batch(labels: Any, predictions: Any, weights: Any) -> list[Tensor]:
        predictions = making.cast(predictions, dtypes.float32)
        for check, bound in ((assert_greater_equal, 0.0), (assert_less_equal, 1.0)):
            check(predictions, bound, "predictions must be in [0, 1]")
        found, truth, weights = matched(predictions, making.cast(labels, dtypes.bool), weights)
        ones = reshape(weighted(found, weights)[1], [1, -1])
        above = reshape(found, [1, -1]) > reshape(convert_to_tensor(thresholds), [-1, 1])
        parts = []
        for kind in kinds:
            label, wanted = _WHAT[kind]
            hits = primitives.logical_and(
                primitives.equal(reshape(truth, [1, -1]), label), primitives.equal(above, wanted)
            )
            parts.append(reduce_sum(making.cast(hits, dtypes.float32) * ones, 1))
        return parts

    with variable_scope(name, default):
        variables = [local_variable(_NAMES[kind], [len(thresholds)]) for kind in kinds]
        return streamed(variables, batch, given, result, collections)


def _count_at_thresholds(kind: str) -> Callable[..., tuple[Tensor, Tensor]]:
    long = _NAMES[kind]
    label, wanted = _WHAT[kind]

    def function(
        labels: TensorLike,
        predictions: TensorLike,
        thresholds: Sequence[float],
        weights: TensorLike | None = None,
        metrics_collections: Names = None,
        updates_collections: Names = None,
        name: str | None = None,
    ) -> tuple[Tensor, Tensor]:
        given = [labels, predictions, weights]
        collections = metrics_collections, updates_collections
        return at_thresholds(
            long, [kind], given, thresholds, lambda count: count, collections, name
        )

    function.__name__ = function.__qualname__ = f"{long}_at_thresholds"
    function.__doc__ = f"""Compute the weighted number of {long.replace("_", " ")} by threshold.

    Args:
        labels: Tensor of labels, which are converted to bool.
        predictions: Float tensor of probabilities in the shape of `labels`.
        thresholds: List of thresholds. Predictions above a threshold are positive.
    """
    truth, found = int(label), 0.6 if wanted else 0.4
    call = f"[{truth}, {truth}], [{found}, 0.5], [0.5, 0.7]"
    prints = "[1.0, 0.0]" if wanted else "[2.0, 2.0]"
    see = f"tf.keras.metrics.{_class(long)}"
    returns = "the counts by threshold, and the counts after an update"
    return metric(call, prints, see, returns)(function)


true_positives_at_thresholds = _count_at_thresholds("tp")
false_negatives_at_thresholds = _count_at_thresholds("fn")
true_negatives_at_thresholds = _count_at_thresholds("tn")
false_positives_at_thresholds = _count_at_thresholds("fp")
