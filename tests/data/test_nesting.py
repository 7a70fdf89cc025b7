"""flat_map, interleave, group_by_window, buckets, mixtures of datasets, as in TensorFlow."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tensorflow as reference
from api.same import same
from data.shown import numbers, outcome, shown

import tfpy


@pytest.fixture(autouse=True)
def unseeded() -> None:
    for tf in (reference, tfpy):
        tf.random.set_seed(None)


def rows(tf: Any) -> Any:
    """Return rows of 1 to 5 elements."""
    return tf.data.Dataset.range(20).map(lambda x: tf.fill([x % 5 + 1], tf.cast(x, tf.int32)))


@same
def test_flat_map(tf: Any) -> Any:
    data = tf.data.Dataset
    d = data.range(4)
    return [
        shown(tf, found)
        for found in (
            d.flat_map(data.range),
            d.flat_map(lambda x: data.from_tensors(x).repeat(x)),
            d.flat_map(lambda x: data.range(3).map(lambda y: x * 10 + y)),
            d.flat_map(lambda x: data.from_tensor_slices((tf.fill([2], x), ["a", "b"]))),
            d.batch(3).flat_map(data.from_tensor_slices),
            d.window(2, 1, drop_remainder=True).flat_map(lambda w: w.batch(2)),
            data.zip((d, d)).flat_map(lambda a, b: data.zip((data.range(a), data.range(b)))),
        )
    ]


@same
def test_interleave(tf: Any) -> Any:
    data = tf.data.Dataset
    return [
        shown(
            tf,
            data.range(1, 6).interleave(
                lambda x: data.from_tensors(x).repeat(x), cycle_length=cycle, block_length=block
            ),
        )
        for cycle in (1, 2, 3, 9)
        for block in (1, 2, 3)
    ]


@same
def test_interleave_options(tf: Any) -> Any:
    data = tf.data.Dataset
    d = data.range(12)
    both = {"num_parallel_calls": 2, "deterministic": True, "cycle_length": 3}
    return [
        numbers(d.interleave(lambda x: data.from_tensors(x).repeat(2))),
        numbers(d.interleave(lambda x: data.from_tensors(x).repeat(2), **both)),
    ]


@same
def test_group_by_window(tf: Any) -> Any:
    data = tf.data.Dataset
    d = data.range(11)
    sized = d.group_by_window(
        lambda x: x % 3,
        lambda key, group: data.zip((data.from_tensors(key), group.batch(10))),
        window_size_func=lambda key: key + 1,
    )
    found = [
        d.group_by_window(lambda x: -x % 3, lambda key, group: group.batch(2), window_size=2),
        d.group_by_window(lambda x: x % 2, lambda key, group: group.map(lambda x: x + key), 100),
        sized,
    ]
    endless = d.repeat().group_by_window(lambda x: x % 2, lambda k, g: g.batch(2), 2)
    sizes = [int(sized.cardinality()), int(endless.cardinality())]
    return [*sizes, *(shown(tf, x) for x in found)]


@same
def test_buckets(tf: Any) -> Any:
    def length(x: Any) -> Any:
        return tf.shape(x)[0]

    d = rows(tf)
    pairs = tf.data.Dataset.zip((d, tf.data.Dataset.range(20)))
    return [
        shown(tf, found)
        for found in (
            d.bucket_by_sequence_length(length, [3, 6], [2, 3, 4]),
            d.bucket_by_sequence_length(length, [2], [4, 3], drop_remainder=True),
            d.bucket_by_sequence_length(length, [3, 6], [2, 3, 4], padding_values=-1),
            d.bucket_by_sequence_length(length, [3, 6], [2, 3, 4], pad_to_bucket_boundary=True),
            d.bucket_by_sequence_length(length, [3], [2, 2], padded_shapes=[8]),
            d.bucket_by_sequence_length(length, [4, 2, 6], [2, 3, 4, 1]),
            pairs.bucket_by_sequence_length(lambda x, y: length(x), [3, 6], [2, 3, 4]),
            tf.data.Dataset.range(9).bucket_by_sequence_length(
                lambda x: tf.cast(x, tf.int32), [3, 6], [2, 2, 2], no_padding=True
            ),
        )
    ]


@same
def test_sampled(tf: Any) -> Any:
    data = tf.data.Dataset
    a, b, c = data.range(8), data.range(100, 130), data.range(200, 203)
    weights = data.from_tensors([0.2, 0.3, 0.5]).repeat()
    found = [
        data.sample_from_datasets([a, b], seed=5),
        data.sample_from_datasets([a, b], weights=[0.3, 0.7], seed=7),
        data.sample_from_datasets([a, b], weights=[0.3, 0.0], seed=7),
        data.sample_from_datasets([a, b, c], weights=[0.3, 0.5, 0.2], seed=1),
        data.sample_from_datasets([a, b, c], weights=weights, seed=5),
        data.sample_from_datasets([a, b, c], seed=5, stop_on_empty_dataset=True),
        data.sample_from_datasets([b, b.repeat()], seed=3, rerandomize_each_iteration=True),
    ]
    return [[shown(tf, d), numbers(d)] for d in found]


@same
def test_chosen(tf: Any) -> Any:
    data = tf.data.Dataset
    both, choice = [data.range(3), data.range(10, 20)], data.range(2).repeat(6)
    return [
        shown(tf, data.choose_from_datasets(both, choice, stop_on_empty_dataset=stops))
        for stops in (False, True)
    ]


@same
def test_resampled(tf: Any) -> Any:
    kinds = np.array([0, 0, 0, 1, 0, 1, 0, 0, 1, 0, 0, 0, 0, 1] * 5, np.int32)
    d = tf.data.Dataset.from_tensor_slices((kinds, np.arange(70).astype(np.int32)))
    plain = tf.data.Dataset.from_tensor_slices(kinds)
    return [
        shown(tf, d.rejection_resample(lambda kind, x: kind, [0.5, 0.5], [0.7, 0.3], seed=3), 60),
        shown(tf, plain.rejection_resample(lambda kind: kind, [0.5, 0.5], seed=3), 60),
        shown(tf, plain.rejection_resample(lambda kind: kind, [0.5, 0.5], [0.5, 0.5], seed=3)),
        shown(tf, plain.rejection_resample(lambda kind: kind, [0.0, 1.0], [0.7, 0.3], seed=3)),
    ]


@same
def test_errors(tf: Any) -> Any:
    data = tf.data.Dataset
    d = data.range(4)
    return [
        outcome(call)
        for call in (
            lambda: d.interleave(lambda x: data.range(2), cycle_length=0),
            lambda: d.interleave(lambda x: data.range(2), cycle_length=2, block_length=0),
            lambda: d.group_by_window(lambda x: x, lambda k, g: g),
            lambda: d.group_by_window(lambda x: x, lambda k, g: k, 2),
            lambda: d.group_by_window(lambda x: (x, x), lambda k, g: g, 2),
            lambda: d.group_by_window(lambda x: x, lambda k, g: g.batch(2), 0),
            lambda: data.sample_from_datasets([]),
            lambda: data.sample_from_datasets([d, d], weights=[0.5]),
            lambda: data.sample_from_datasets([d, data.from_tensors(1.5)]),
            lambda: data.choose_from_datasets([d, d], 3),
            lambda: data.choose_from_datasets([d, d], data.from_tensors(1.5)),
            lambda: data.choose_from_datasets([d, d], data.range(9)),
            lambda: rows(tf).bucket_by_sequence_length(tf.size, [3], [2]),
        )
    ]


@pytest.mark.filterwarnings("ignore:tf.function 'made' runs op by op")
@same
def test_datasets_from_functions_and_branches(tf: Any) -> Any:
    data = tf.data.Dataset

    def chosen(x: Any) -> Any:
        if x > 1:
            return data.range(x)
        return data.from_tensors(x)

    @tf.function
    def made(n: Any) -> Any:
        return data.range(n).map(lambda x: x * 2)

    d = data.range(4)
    return [
        numbers(d.flat_map(chosen)),
        numbers(d.interleave(chosen, cycle_length=2)),
        numbers(d.flat_map(lambda x: tf.cond(x > 1, lambda: data.range(x), lambda: data.range(1)))),
        numbers(tf.cond(tf.constant(True), lambda: data.range(2), lambda: data.range(3))),
        numbers(made(tf.constant(3, tf.int64))),
    ]


@pytest.mark.filterwarnings("ignore:.*runs op by op:UserWarning")
@pytest.mark.parametrize("lib", [tfpy, reference], ids=["tfpy", "tensorflow"])
def test_specs_in_signatures(lib: Any) -> None:
    numbers = lib.data.Dataset.range(3)
    optional = lib.experimental.Optional.from_value(lib.constant(2.0))
    spec = lib.data.DatasetSpec(lib.TensorSpec([], lib.int64))

    @lib.function(input_signature=[spec])
    def total(dataset: Any) -> Any:
        return dataset.reduce(lib.constant(0, lib.int64), lambda x, y: x + y)

    @lib.function(input_signature=[lib.OptionalSpec(lib.TensorSpec([], lib.float32))])
    def doubled(value: Any) -> Any:
        return value.get_value() * 2.0

    assert int(total(numbers)) == 3
    assert int(total(numbers.take(2))) == 1
    assert float(doubled(optional)) == 4.0
    for function in (total, doubled):
        with pytest.raises(TypeError, match=r"Binding inputs to tf\.function failed"):
            function(3)
