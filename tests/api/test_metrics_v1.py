"""The metrics of ``tf.compat.v1.metrics``, batch by batch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tensorflow
from api.same import compare, error, same

import tfpy

RANDOM = np.random.default_rng(3)
BATCHES: dict[str, Any] = {
    "labels": RANDOM.integers(0, 3, [3, 8]),
    "found": RANDOM.integers(0, 3, [3, 8]),
    "column": RANDOM.integers(0, 3, [3, 8, 1]),
    "chance": RANDOM.uniform(size=[3, 8]).astype(np.float32),
    "real": RANDOM.normal(size=[3, 8]).astype(np.float32),
    "weights": RANDOM.uniform(size=[3, 8]).astype(np.float32),
    "scores": RANDOM.normal(size=[3, 8, 5]).astype(np.float32),
    "several": RANDOM.integers(0, 5, [3, 8, 2]),
}

CALLS = """
    mean(real) mean(real,weights) mean(real,weights=2.0) mean_tensor(real)
    mean_tensor(real,weights) percentage_below(real,0.1,weights) accuracy(labels,found)
    accuracy(labels,column,weights) mean_absolute_error(real,chance)
    mean_squared_error(real,chance,weights) root_mean_squared_error(real,chance)
    mean_cosine_distance(real,chance,0) mean_relative_error(real,chance,weights)
    mean_iou(labels,found,3) mean_iou(labels,found,4,weights)
    mean_per_class_accuracy(labels,found,3) mean_per_class_accuracy(labels,found,3,weights)
    precision(labels,found) precision(labels,found,weights) recall(labels,column)
    recall(labels,found,weights) true_positives(labels,found)
    false_positives(labels,found,weights) true_negatives(labels,found,2.0)
    false_negatives(labels,found) true_positives_at_thresholds(labels,chance,[0.2,0.5])
    false_positives_at_thresholds(labels,chance,[0.2,0.5],weights)
    true_negatives_at_thresholds(labels,chance,[0.2,0.5])
    false_negatives_at_thresholds(labels,chance,[0.2,0.5])
    precision_at_thresholds(labels,chance,[0.2,0.5],weights)
    recall_at_thresholds(labels,chance,[0.2,0.5]) auc(labels,chance)
    auc(labels,chance,weights,20,curve="PR") auc(labels,chance,thresholds=[0.3])
    auc(labels,chance,curve="PR",summation_method="careful_interpolation")
    auc(labels,chance,summation_method="minoring")
    auc(labels,chance,summation_method="majoring") sensitivity_at_specificity(labels,chance,0.4)
    specificity_at_sensitivity(labels,chance,0.7) precision_at_k(several,scores,2)
    precision_at_k(several,scores,3,class_id=1,weights=weights) recall_at_k(labels,scores,3)
    recall_at_k(several,scores,2,class_id=2) precision_at_top_k(several,several,2)
    recall_at_top_k(labels,several,weights=weights) average_precision_at_k(several,scores,3)
    sparse_average_precision_at_k(several,scores,4,weights)
"""


def streamed(tf: Any, call: str) -> Any:
    """Return the names and the values of a metric over three batches."""
    one = tf.compat.v1
    with tf.Graph().as_default() as graph:
        names = {
            name: one.placeholder(x.dtype, x.shape[1:], name=name) for name, x in BATCHES.items()
        }
        fed = [{names[name]: x[i] for name, x in BATCHES.items()} for i in range(3)]
        pair = eval(f"metrics.{call}", {"metrics": one.metrics, **names})
        with one.Session() as sess:
            sess.run(one.local_variables_initializer())
            updates = [sess.run(pair[1], feed) for feed in fed]
            variables = [v.name for v in graph.get_collection(one.GraphKeys.METRIC_VARIABLES)]
            return [updates, sess.run(pair[0]), variables, one.global_variables()]


@pytest.mark.parametrize("call", CALLS.split())
def test_streamed_values(call: str) -> None:
    compare(streamed(tfpy, call), streamed(tensorflow, call), 1e-5, call)


@same
def test_names_and_collections(tf: Any) -> Any:
    one = tf.compat.v1
    with tf.Graph().as_default() as graph:
        first = one.metrics.accuracy([1], [1], name="acc")
        second = one.metrics.mean([1.0], metrics_collections=["m"], updates_collections=["u"])
        one.metrics.mean([1.0])
        return [
            [x.name for x in (*first, *second)],
            [graph.get_collection(n)[0] is x for n, x in zip("mu", second, strict=True)],
            [v.name for v in one.local_variables()],
        ]


@same
def test_sparse_labels_and_unknown_sizes(tf: Any) -> Any:
    one = tf.compat.v1
    with tf.Graph().as_default():
        labels = tf.SparseTensor([[0, 0], [1, 0], [1, 1]], tf.constant([1, 0, 2], tf.int64), [2, 2])
        scores = one.placeholder(tf.float32, [None, 3])
        truth = one.placeholder(tf.int64, [None])
        pairs = [
            one.metrics.recall_at_k(labels, scores, 2),
            one.metrics.accuracy(truth, tf.argmax(scores, 1)),
            one.metrics.mean_iou(truth, tf.argmax(scores, 1), 3),
        ]
        with one.Session() as sess:
            sess.run(one.local_variables_initializer())
            fed = {scores: [[0.1, 0.5, 0.2], [0.6, 0.1, 0.3]], truth: [1, 2]}
            return [[sess.run(update, fed) for _, update in pairs], sess.run([v for v, _ in pairs])]


@same
def test_refused_metrics(tf: Any) -> Any:
    metrics = tf.compat.v1.metrics
    eager = [error(lambda: metrics.mean([1.0])), error(lambda: metrics.auc([1], [0.5]))]
    with tf.Graph().as_default():
        return [
            *eager,
            error(lambda: metrics.auc([1], [0.5], curve="other")),
            error(lambda: metrics.sensitivity_at_specificity([1], [0.5], 2.0)),
            error(lambda: metrics.accuracy([1, 2], [1, 2, 3])),
            error(lambda: metrics.average_precision_at_k([[1]], [[0.5]], 0)),
        ]
