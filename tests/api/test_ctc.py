"""Connectionist temporal classification: losses, gradients and decoders."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tensorflow
from api import twin
from api.same import compare, error, same

import tfpy

BOTH = (tfpy, tensorflow)


def case(seed: int) -> dict[str, Any]:
    """Return a batch of labels that fit into the given time steps."""
    rng = np.random.default_rng(seed)
    classes, batch, longest = rng.integers(3, 9), rng.integers(1, 5), rng.integers(1, 6)
    steps = 2 * longest + rng.integers(1, 6)
    blank = int(rng.integers(-1, classes - 1))
    ids = [c for c in range(classes) if c != blank % classes]
    return {
        "logits": rng.normal(0, 3, (steps, batch, classes)).astype(np.float32),
        "labels": rng.choice(ids, (batch, longest)).astype(np.int32),
        "label_length": rng.integers(1, longest + 1, batch).astype(np.int32),
        "logit_length": rng.integers(2 * longest, steps + 1, batch).astype(np.int32),
        "blank": blank,
    }


def sparse(tf: Any, labels: Any, lengths: Any) -> Any:
    indices = [[i, j] for i, n in enumerate(lengths) for j in range(n)]
    values = np.array([labels[i, j] for i, j in indices], np.int32)
    return tf.SparseTensor(indices, values, labels.shape)


@pytest.mark.parametrize("form", ["dense", "batch major", "sparse"])
def test_losses_and_gradients(form: str) -> None:
    for seed in range(6):
        c = case(seed)

        def loss(tf: Any, logits: Any, c: Any = c) -> Any:
            labels = c["labels"]
            if form == "sparse":
                labels = sparse(tf, labels, c["label_length"])
            return tf.nn.ctc_loss(
                labels,
                logits,
                c["label_length"],
                c["logit_length"],
                logits_time_major=form != "batch major",
                blank_index=c["blank"],
            )

        logits = c["logits"]
        if form == "batch major":
            logits = np.moveaxis(logits, 0, 1)
        twin.check(loss, logits, tolerance=1e-4, grads=True)


def test_within_functions() -> None:
    """Check that the loop and its gradient are compiled."""
    c = case(11)

    def slope(tf: Any) -> Any:
        @tf.function
        def step(x: Any) -> Any:
            with tf.GradientTape() as tape:
                tape.watch(x)
                loss = tf.reduce_sum(
                    tf.nn.ctc_loss(
                        c["labels"], x, c["label_length"], c["logit_length"], blank_index=c["blank"]
                    )
                )
            return loss, tape.gradient(loss, x)

        return step(tf.constant(c["logits"]))

    compare(*map(slope, BOTH), 1e-4, "compiled")


@same(tolerance=1e-4)
def test_edges(tf: Any) -> Any:
    rng = np.random.default_rng(0)
    x = tf.constant(rng.normal(size=(4, 3, 5)).astype(np.float32))
    labels = tf.constant([[1, 2, 0], [1, 1, 2], [4, 0, 0]])
    same_ = tf.constant([[1, 1, 1], [1, 1, 2], [4, 4, 4]])
    count, times = tf.constant([2, 3, 1]), tf.constant([4, 4, 3])
    threes = tf.constant([3, 3, 3])
    with tf.GradientTape() as tape:
        tape.watch(x)
        late = tf.nn.ctc_loss(same_, x, threes, tf.constant([4, 2, 0]))
    return [
        late,
        tape.gradient(late, x),
        tf.nn.ctc_loss(labels, x, tf.constant([0, 0, 0]), times),
        tf.nn.ctc_loss(labels, x, tf.constant([5, 5, 5]), tf.constant([9, 9, 9])),
        tf.nn.ctc_loss(labels, x, count, times, unique=tf.nn.ctc_unique_labels(labels)),
        tf.nn.ctc_loss(labels, x, tf.cast(count, tf.int64), tf.cast(times, tf.int64)),
        tf.nn.ctc_loss(labels, tf.cast(x * 0, tf.float16), count, times).dtype,
    ]


@same
def test_errors(tf: Any) -> Any:
    x = tf.zeros([4, 3, 5])
    labels = np.array([[1, 2, 0], [1, 1, 2], [4, 0, 0]])
    some = sparse(tf, labels, [2, 3, 1])
    times = tf.constant([4, 4, 3])

    def loss(labels: Any, times: Any = times, blank: Any = 0) -> str:
        return error(lambda: tf.nn.ctc_loss(labels, x, None, times, blank_index=blank))

    return [
        loss(some, blank=None),
        loss(some, tf.constant([1, 1, 1])),
        loss(some, tf.constant([9, 9, 9])),
        loss(some, tf.constant([4, 4])),
        loss(sparse(tf, labels, [2, 3, 0])),
        error(lambda: tf.nn.ctc_loss(labels[:2], x, [1, 1], [4, 4])),
        error(lambda: tf.nn.ctc_greedy_decoder(x, times[:2])),
        error(lambda: tf.nn.ctc_greedy_decoder(x, times + 3)),
        error(lambda: tf.nn.ctc_greedy_decoder(x[0], times)),
        error(lambda: tf.nn.ctc_greedy_decoder(x, times, blank_index=5)),
        error(lambda: tf.nn.ctc_beam_search_decoder(x, times, 2, 3)),
        error(lambda: tf.nn.ctc_beam_search_decoder(x, times + 3)),
        error(lambda: tf.nn.ctc_beam_search_decoder(x, times * 0, 5, 2)),
    ]


@same
def test_greedy_decoding(tf: Any) -> Any:
    found = []
    for seed in range(8):
        rng = np.random.default_rng(seed)
        x = tf.constant(rng.normal(0, 2, (7, 3, 4)).astype(np.float32))
        times = tf.constant(rng.integers(0, 8, 3).astype(np.int32))
        found += [
            tf.nn.ctc_greedy_decoder(x, times),
            tf.nn.ctc_greedy_decoder(x, times, merge_repeated=False),
            tf.nn.ctc_greedy_decoder(x, times, blank_index=1),
            tf.nn.ctc_greedy_decoder(x, times, blank_index=-2),
        ]
    return found


@same(tolerance=1e-4)
def test_beam_search(tf: Any) -> Any:
    found = []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        steps, classes = rng.integers(2, 9), rng.integers(2, 7)
        x = tf.constant(rng.normal(0, 2, (steps, 2, classes)).astype(np.float32))
        times = tf.constant(rng.integers(2, steps + 1, 2).astype(np.int32))
        for width, paths in ((1, 1), (3, 2), (8, 3), (100, 1)):
            if classes**2 >= width or paths == 1:
                found.append(tf.nn.ctc_beam_search_decoder(x, times, width, min(paths, 2)))
    return found


@same
def test_decoders_of_integers(tf: Any) -> Any:
    """Check that arrays and lists of integers become float32."""
    logits = np.array([[[0, 3, -3]], [[2, -3, 5]], [[3, 9, 5]]], np.int32)
    return [
        decode(values, [3])
        for decode in (tf.nn.ctc_greedy_decoder, tf.nn.ctc_beam_search_decoder)
        for values in (logits, logits.tolist(), logits.astype(np.float16))
    ]


@same
def test_labels(tf: Any) -> Any:
    rows = tf.constant([[1, 1, 2, 2, 1], [1, 2, 3, 4, 5], [7, 7, 7, 7, 7]])
    return [
        tf.nn.ctc_unique_labels(rows),
        tf.nn.collapse_repeated(rows, [5, 2, 3]),
        tf.nn.collapse_repeated(rows, tf.constant([0, 0, 1], tf.int64)),
    ]
