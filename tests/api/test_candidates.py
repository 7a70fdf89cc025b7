"""Samplers of candidate classes in ``tf.random``, and the losses in ``tf.nn`` that use them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from api.same import error, same

LABELS = np.array([[1, 5], [0, 2], [9, 9]])
RNG = np.random.default_rng(0)
WEIGHTS = RNG.normal(size=(10, 4)).astype(np.float32)
BIASES = RNG.normal(size=10).astype(np.float32)
INPUTS = RNG.normal(size=(3, 4)).astype(np.float32)
UNIGRAMS = [0.1, 5.0, 0.0, 2.0, 1.0, 1.0, 7.0, 0.5, 3.0, 0.25]


@pytest.mark.parametrize("unique", [True, False])
@pytest.mark.parametrize("kind", ["uniform", "log_uniform"])
@pytest.mark.parametrize("size", [10, 64, 40_000])
def test_samplers(kind: str, unique: bool, size: int) -> None:
    def program(tf: Any) -> Any:
        sample = getattr(tf.random, f"{kind}_candidate_sampler")
        tf.random.set_seed(3)
        seeded = [sample(LABELS, 2, 8, unique, size, seed=7) for _ in range(2)]
        return [*seeded, sample(LABELS, 2, 5, unique, size), type(seeded[0]).__name__]

    same(program)()


@same
def test_fixed_unigrams(tf: Any) -> Any:
    sample = tf.random.fixed_unigram_candidate_sampler
    tf.random.set_seed(3)
    return [
        sample(LABELS, 2, 6, True, 10, unigrams=UNIGRAMS, seed=1),
        sample(LABELS, 2, 20, False, 10, unigrams=UNIGRAMS, distortion=0.5, seed=1),
        sample(LABELS, 2, 6, False, 10, unigrams=UNIGRAMS[2:], num_reserved_ids=2, seed=1),
    ]


def test_weights_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "words.csv"
    path.write_text("".join(f"word{n},{weight}\n" for n, weight in enumerate(UNIGRAMS)))

    def program(tf: Any) -> Any:
        sample = tf.random.fixed_unigram_candidate_sampler
        return sample(LABELS, 2, 6, True, 10, vocab_file=str(path), seed=1)

    same(program)()


@same
def test_all_classes(tf: Any) -> Any:
    return tf.random.all_candidate_sampler(LABELS, 2, 10, True)


@same
def test_losses(tf: Any) -> Any:
    drawn = tf.random.log_uniform_candidate_sampler(LABELS, 2, 5, True, 10, seed=7)
    other = (tf.constant([1, 2, 3, 9, 0], tf.int64), tf.fill([3, 2], 0.5), tf.fill([5], 0.25))
    found = []
    for loss in (tf.nn.nce_loss, tf.nn.sampled_softmax_loss):
        for hits in (True, False):
            for values in (drawn, other):
                w, b, x = tf.Variable(WEIGHTS), tf.Variable(BIASES), tf.Variable(INPUTS)
                with tf.GradientTape() as tape:
                    y = loss(w, b, LABELS, x, 5, 10, 2, values, hits)
                found += [y, *map(tf.convert_to_tensor, tape.gradient(y, [w, b, x]))]
        tf.random.set_seed(5)
        found.append(loss(WEIGHTS, BIASES, LABELS, INPUTS, 5, 10, 2))
    found.append(tf.nn.sampled_softmax_loss(WEIGHTS, BIASES, LABELS, INPUTS, 5, 10, 2, seed=4))
    return [*found, tf.function(tf.nn.nce_loss)(WEIGHTS, BIASES, LABELS, INPUTS, 5, 10, 2, other)]


@same
def test_functions_draw_at_each_call(tf: Any) -> Any:
    tf.random.set_seed(3)

    @tf.function
    def draw(labels: Any) -> Any:
        return tf.random.log_uniform_candidate_sampler(labels, 2, 8, True, 100, seed=7)

    found = [draw(tf.constant(LABELS)), draw(tf.constant(LABELS))]
    return [*found, found[0].sampled_candidates.shape]


@same
def test_wrong_arguments(tf: Any) -> Any:
    uniform, fixed = (
        tf.random.uniform_candidate_sampler,
        tf.random.fixed_unigram_candidate_sampler,
    )
    return [
        error(lambda: uniform(LABELS, 1, 3, True, 10)),
        error(lambda: uniform(LABELS, 2, 11, True, 10)),
        error(lambda: uniform(LABELS, 2, 3, True, 9)),
        error(lambda: fixed(LABELS, 2, 3, True, 10)),
        error(lambda: fixed(LABELS, 2, 3, True, 10, unigrams=[1.0, 2.0])),
    ]
