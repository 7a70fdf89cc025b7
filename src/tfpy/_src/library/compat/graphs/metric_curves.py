"""`tf.compat.v1.metrics`: ratios of counts for several thresholds, and areas under curves."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from tfpy._src.base import dtypes
from tfpy._src.core import primitives
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import TensorLike
from tfpy._src.library.compat.graphs.metric_counts import at_thresholds
from tfpy._src.library.compat.graphs.metric_parts import metric, require_graph
from tfpy._src.tensors.array import making
from tfpy._src.tensors.array.scans import cumsum
from tfpy._src.tensors.array.slicing import where
from tfpy._src.tensors.math.arithmetic import divide_no_nan
from tfpy._src.tensors.math.ordering import argmax, argmin
from tfpy._src.tensors.math.reductions import reduce_min, reduce_sum

Names = Iterable[str] | None
_SMALL = 1e-7
"""Distance of the outer thresholds from 0 and 1, and the addend of denominators."""


def _ratio_at(name: str, other: str, what: str) -> Callable[..., tuple[Tensor, Tensor]]:
    def function(
        labels: TensorLike,
        predictions: TensorLike,
        thresholds: Sequence[float],
        weights: TensorLike | None = None,
        metrics_collections: Names = None,
        updates_collections: Names = None,
        name: str | None = None,
    ) -> tuple[Tensor, Tensor]:
        return at_thresholds(
            default,
            ["tp", other],
            [labels, predictions, weights],
            thresholds,
            lambda hits, others: hits / (_SMALL + hits + others),
            (metrics_collections, updates_collections),
            name,
        )

    default = f"{name}_at_thresholds"
    function.__name__ = function.__qualname__ = default
    function.__doc__ = f"""Compute the fraction of {what}, by threshold.

    Args:
        labels: Tensor of labels, which are converted to bool.
        predictions: Float tensor of probabilities in the shape of `labels`.
        thresholds: List of thresholds. Predictions above a threshold are positive.
    """
    returns = "the fractions by threshold, and the fractions after an update"
    see = f"tf.keras.metrics.{name.capitalize()}"
    return metric("[0, 0], [0.4, 0.6], [0.5, 0.7]", "[0.0, 0.0]", see, returns)(function)


precision_at_thresholds = _ratio_at("precision", "fp", "positive predictions that are right")
recall_at_thresholds = _ratio_at("recall", "fn", "positive labels that are predicted")


def _grid(number: int, last: float = 1.0 + _SMALL) -> list[float]:
    """Return thresholds at equal distances, from below 0 to the last one."""
    return [-_SMALL, *(i / (number - 1) for i in range(1, number - 1)), last]


_RULES: dict[str, Callable[..., Any]] = {
    "trapezoidal": lambda a, b: (a + b) / 2.0,
    "careful_interpolation": lambda a, b: (a + b) / 2.0,
    "minoring": primitives.minimum,
    "majoring": primitives.maximum,
}
"""Heights of a part of the area between two points, by the summation method."""


def _interpolated(tp: Tensor, fn: Tensor, tn: Tensor, fp: Tensor) -> Tensor:
    """Return the area under a precision-recall curve that is linear in the counts."""
    positive = tp + fp
    steps, before, after = tp[:-1] - tp[1:], positive[:-1], positive[1:]
    slope = divide_no_nan(steps, primitives.maximum(before - after, 0.0))
    start = tp[1:] - slope * after
    is_used = primitives.logical_and(before > 0.0, after > 0.0)
    ratio = where(is_used, divide_no_nan(before, after), making.ones_like(after))
    parts = slope * (steps + start * primitives.log(ratio))
    return reduce_sum(divide_no_nan(parts, primitives.maximum(tp[1:] + fn[1:], 0.0)))


@metric("[0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], num_thresholds=3", "0.75", "tf.keras.metrics.AUC")
def auc(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike | None = None,
    num_thresholds: int = 200,
    metrics_collections: Names = None,
    updates_collections: Names = None,
    curve: str = "ROC",
    name: str | None = None,
    summation_method: str = "trapezoidal",
    thresholds: Sequence[float] | None = None,
) -> tuple[Tensor, Tensor]:
    """Compute the area under a curve that depends on a threshold.

    Args:
        labels: Tensor of labels, which are converted to bool.
        predictions: Float tensor of probabilities in the shape of `labels`.
        num_thresholds: Number of thresholds at equal distances. Default: 200.
        curve: `"ROC"` (default) or `"PR"`, precision and recall.
        summation_method: `"trapezoidal"` (default), `"careful_interpolation"`, `"minoring"` or
            `"majoring"`.
        thresholds: List of thresholds between 0 and 1. Default: `num_thresholds` decides.
    """
    require_graph("auc")
    if curve not in ("ROC", "PR"):
        raise ValueError(f"Curve must be either ROC or PR. Curve {curve} is unknown.")
    if summation_method not in _RULES:
        raise ValueError(
            f"Invalid summation_method: {summation_method} summation_method should be "
            "'trapezoidal', 'careful_interpolation', 'minoring', or 'majoring'."
        )
    grid = _grid(num_thresholds)
    if thresholds is not None:
        grid = [-_SMALL, *sorted(thresholds), 1.0 + _SMALL]

    def area(tp: Tensor, fn: Tensor, tn: Tensor, fp: Tensor) -> Tensor:
        if curve == "PR" and summation_method == "careful_interpolation":
            return _interpolated(tp, fn, tn, fp)
        found = (tp + 1e-6) / (tp + fn + 1e-6)
        if curve == "ROC":
            x, y = fp / (fp + tn + 1e-6), found
        else:
            x, y = found, (tp + 1e-6) / (tp + fp + 1e-6)
        return reduce_sum((x[:-1] - x[1:]) * _RULES[summation_method](y[:-1], y[1:]))

    return at_thresholds(
        "auc", ["tp", "fn", "tn", "fp"], [labels, predictions, weights], grid, area,
        (metrics_collections, updates_collections), name,
    )  # fmt: skip


def _check_share(name: str, value: float) -> None:
    if value < 0 or value > 1:
        raise ValueError(f"`{name}` must be in the range [0, 1]. Currently, `{name}` got {value}.")


@metric("[0, 1], [0.3, 0.8], 0.5", "1.0", "tf.keras.metrics.SensitivityAtSpecificity")
def sensitivity_at_specificity(
    labels: TensorLike,
    predictions: TensorLike,
    specificity: float,
    weights: TensorLike | None = None,
    num_thresholds: int = 200,
    metrics_collections: Names = None,
    updates_collections: Names = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """Compute the sensitivity for the threshold whose specificity is closest to a given one.

    Args:
        labels: Tensor of labels, which are converted to bool.
        predictions: Float tensor of probabilities in the shape of `labels`.
        specificity: Specificity, between 0 and 1.
        num_thresholds: Number of thresholds at equal distances. Default: 200.
    """
    require_graph("sensitivity_at_specificity")
    _check_share("specificity", specificity)

    def result(tp: Tensor, fn: Tensor, tn: Tensor, fp: Tensor) -> Tensor:
        distances = primitives.abs(tn / (tn + fp + _SMALL) - specificity)
        index = argmin(distances, 0)
        return tp[index] / (tp[index] + fn[index] + _SMALL)

    return at_thresholds(
        "sensitivity_at_specificity", ["tp", "fn", "tn", "fp"], [labels, predictions, weights],
        _grid(num_thresholds), result, (metrics_collections, updates_collections), name,
    )  # fmt: skip


@metric("[0, 1], [0.3, 0.8], 0.5", "1.0", "tf.keras.metrics.SpecificityAtSensitivity")
def specificity_at_sensitivity(
    labels: TensorLike,
    predictions: TensorLike,
    sensitivity: float,
    weights: TensorLike | None = None,
    num_thresholds: int = 200,
    metrics_collections: Names = None,
    updates_collections: Names = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """Compute the specificity for the last threshold whose sensitivity is closest to a given one.

    Args:
        labels: Tensor of labels, which are converted to bool.
        predictions: Float tensor of probabilities in the shape of `labels`.
        sensitivity: Sensitivity, between 0 and 1.
        num_thresholds: Number of thresholds at equal distances. Default: 200.
    """
    require_graph("specificity_at_sensitivity")
    _check_share("sensitivity", sensitivity)

    def result(tp: Tensor, fn: Tensor, tn: Tensor, fp: Tensor) -> Tensor:
        distances = primitives.abs(tp / (tp + fn + _SMALL) - sensitivity)
        is_closest = primitives.equal(distances, reduce_min(distances))
        index = argmax(cumsum(making.cast(is_closest, dtypes.int32)), 0)
        return tn[index] / (tn[index] + fp[index] + _SMALL)

    return at_thresholds(
        "specificity_at_sensitivity", ["tp", "fn", "tn", "fp"], [labels, predictions, weights],
        _grid(num_thresholds, 1.0 - _SMALL), result,
        (metrics_collections, updates_collections), name,
    )  # fmt: skip
