"""Random orders and numbers equal TensorFlow's for dataset seeds and global seeds."""

from __future__ import annotations

from typing import Any

import pytest
import tensorflow
from api.same import compare, same
from data.shown import numbers

import tfpy


@pytest.fixture(autouse=True)
def unseeded() -> None:
    for tf in (tensorflow, tfpy):
        tf.random.set_seed(None)


@same
def test_orders_of_a_seed(tf: Any) -> Any:
    return [
        numbers(tf.data.Dataset.range(100).shuffle(size, seed=seed), 100)
        for size in (1, 2, 5, 40, 100, 1000)
        for seed in (0, 1, 7, 2**31, 2**40 + 3, -5)
    ]


@same
def test_each_iteration_has_its_order(tf: Any) -> Any:
    d = tf.data.Dataset.range(12).shuffle(5, seed=7)
    return [numbers(d) for _ in range(4)]


@same
def test_one_order_for_all_iterations(tf: Any) -> Any:
    d = tf.data.Dataset.range(12).shuffle(5, seed=7, reshuffle_each_iteration=False)
    return [numbers(d), numbers(d), numbers(d.repeat(2))]


@same
def test_repeated(tf: Any) -> Any:
    data = tf.data.Dataset
    d = data.range(12).shuffle(5, seed=7).repeat(3)
    e = data.range(12).repeat(3).shuffle(5, seed=7)
    f = data.range(12).shuffle(5, seed=7).map(lambda x: x + 1).repeat(2).batch(4)
    return [numbers(x) for x in (d, d, e, e, f, f)]


@same
def test_shuffled_twice(tf: Any) -> Any:
    d = tf.data.Dataset.range(20).shuffle(6, seed=1).shuffle(6, seed=2).batch(3).shuffle(3, seed=3)
    return [numbers(d), numbers(d)]


@same
def test_of_rows(tf: Any) -> Any:
    rows = tf.reshape(tf.range(24), [8, 3])
    d = tf.data.Dataset.from_tensor_slices((rows, rows * 2)).shuffle(8, seed=4).batch(3)
    return list(d)


@same
def test_repeated_after_another_step(tf: Any) -> Any:
    d = tf.data.Dataset.range(8).shuffle(4, seed=7).take(3).repeat(2)
    return [numbers(d), numbers(d)]


@same
def test_orders_are_those_of_iterators_as_they_were_made(tf: Any) -> Any:
    d = tf.data.Dataset.range(8).shuffle(4, seed=7).map(lambda x: x + 1).batch(4)
    first, second = iter(d), iter(d)
    return [list(second), numbers(d), list(first)]


@same
def test_of_texts_and_ragged_rows(tf: Any) -> Any:
    texts = tf.data.Dataset.from_tensor_slices([b"a", b"b", b"c", b"d"]).shuffle(4, seed=4)
    ragged = tf.ragged.constant([[1], [2, 3], [], [4, 5, 6]])
    return [numbers(texts), list(tf.data.Dataset.from_tensor_slices(ragged).shuffle(4, seed=4))]


@same
def test_global_seed(tf: Any) -> Any:
    found = []
    for seed in (5, 0, 1234567):
        tf.random.set_seed(seed)
        d, e = tf.data.Dataset.range(20).shuffle(7), tf.data.Dataset.range(20).shuffle(7, seed=3)
        found += [numbers(d), numbers(d), numbers(e), numbers(e)]
    return found


def test_without_seeds_orders_differ() -> None:
    d = tfpy.data.Dataset.range(40).shuffle(40)
    e = tfpy.data.Dataset.range(40).shuffle(40)
    orders = [numbers(d), numbers(d), numbers(e)]
    assert all(sorted(order) == list(range(40)) for order in orders)
    assert orders[0] != orders[1]
    assert orders[0] != orders[2]


@same
def test_unknown_buffer_size(tf: Any) -> Any:
    d = tf.data.Dataset.range(20).shuffle(tf.data.UNKNOWN_CARDINALITY, seed=3)
    return numbers(d)


@pytest.mark.parametrize("seed", [0, 4, 2**33])
def test_random_numbers(seed: int) -> None:
    """Compare random numbers, which have 32 bits.

    They are int64 in TensorFlow and uint32 in tfpy.
    """

    def found(tf: Any) -> list[Any]:
        plain = tf.data.Dataset.random(seed=seed).take(600)
        anew = tf.data.Dataset.random(seed=seed, rerandomize_each_iteration=True).take(3)
        again = [numbers(anew), numbers(anew), numbers(plain.take(3).repeat(2))]
        return [numbers(plain, 600), numbers(plain), again]

    compare(found(tfpy), found(tensorflow), 0, "random")
    assert tfpy.data.Dataset.random().element_spec == tfpy.TensorSpec([], tfpy.uint32)
