"""``tf.data.experimental``: arguments of ``Dataset.apply`` and older names, as in TensorFlow."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tensorflow
from api.same import same
from data.shown import numbers, outcome, shown

import tfpy


@pytest.fixture(autouse=True)
def unseeded() -> None:
    for tf in (tensorflow, tfpy):
        tf.random.set_seed(None)


@same
def test_transformations(tf: Any) -> Any:
    data, more = tf.data.Dataset, tf.data.experimental
    d = data.range(6)
    rows = d.map(lambda x: tf.fill([x % 3 + 1], x))
    length = lambda x: tf.shape(x)[0]  # noqa: E731
    return [
        shown(tf, found)
        for found in (
            d.apply(more.assert_cardinality(6)),
            rows.apply(more.bucket_by_sequence_length(length, [2], [2, 2])),
            rows.apply(more.dense_to_ragged_batch(4)),
            rows.apply(more.dense_to_sparse_batch(4, [3])),
            d.apply(more.enumerate_dataset(3)),
            d.apply(more.group_by_window(lambda x: x % 2, lambda k, g: g.batch(2), 2)),
            d.apply(more.ignore_errors()),
            d.apply(more.map_and_batch(lambda x: x + 1, 4)),
            d.apply(more.parallel_interleave(lambda x: data.from_tensors(x).repeat(2), 2)),
            d.apply(more.scan(np.int64(0), lambda s, x: (s + x, s))),
            d.apply(more.shuffle_and_repeat(4, 2, seed=3)),
            d.apply(more.take_while(lambda x: x < 3)),
            d.batch(4).apply(more.unbatch()),
            d.repeat(2).apply(more.unique()),
            d.apply(more.rejection_resample(lambda x: x % 2, [0.5, 0.5], [0.5, 0.5], seed=1)),
            more.Counter(2, 3).take(3),
            more.from_list([(1, "a"), (2, "b")]),
            more.choose_from_datasets([d, d], data.range(2).repeat()),
            more.sample_from_datasets([d, data.range(100, 110)], seed=4),
        )
    ]


@same
def test_functions(tf: Any) -> Any:
    more, d = tf.data.experimental, tf.data.Dataset.range(1)
    it = iter(d)
    return [
        more.cardinality(d),
        repr(more.get_structure(d)),
        repr(more.get_structure(it)),
        more.get_single_element(d),
        more.get_next_as_optional(it).get_value(),
        more.get_next_as_optional(it).has_value(),
        [more.AUTOTUNE, more.INFINITE_CARDINALITY, more.UNKNOWN_CARDINALITY],
        int(more.AutoShardPolicy.DATA),
        more.ExternalStatePolicy.IGNORE.value,
    ]


@same
def test_errors(tf: Any) -> Any:
    more, d = tf.data.experimental, tf.data.Dataset.range(3)
    return [
        outcome(call)
        for call in (
            lambda: d.apply(more.assert_cardinality(2)),
            lambda: d.apply(more.assert_cardinality(4)),
            lambda: more.get_structure(3),
            lambda: more.from_list([]),
        )
    ]


def test_random_numbers() -> None:
    found = tfpy.data.experimental.RandomDataset(seed=4).take(3)
    assert numbers(found) == numbers(tensorflow.data.experimental.RandomDataset(seed=4).take(3))
