"""map, filter, take_while, scan, reduce and their functions, as in TensorFlow."""

from __future__ import annotations

import collections
from typing import Any

import numpy as np
import pytest
from api.same import error, same
from data.shown import numbers, outcome, shown

import tfpy

Pair = collections.namedtuple("Pair", "first second")


@same
def test_map(tf: Any) -> Any:
    data = tf.data.Dataset
    rows = data.from_tensor_slices({"a": [[1, 2], [3, 4]], "b": [0.5, 1.5]})
    pairs = data.from_tensor_slices(([1, 2, 3], [b"x", b"y", b"z"]))
    return [
        shown(tf, d)
        for d in (
            data.range(4).map(lambda x: x * 2),
            data.range(4).map(lambda x: (x, tf.cast(x, tf.float32) / 2)),
            data.range(4).map(lambda x: [x, x + 1]),
            data.range(4).map(lambda x: (x, [x, 1])),
            data.range(4).map(lambda x: {"y": x, "a": (x, x + 1)}),
            data.range(4).map(lambda x: Pair(x, x * x)).map(lambda p: p.second),
            data.range(4).map(lambda x: np.float32(2.5)),
            data.range(4).map(lambda x: 7),
            data.range(2).map(lambda x: (x, None)),
            rows.map(lambda d: tf.cast(d["a"], tf.float32) * d["b"]),
            pairs.map(lambda n, text: tf.strings.join([text, tf.strings.as_string(n)])),
            pairs.map(lambda n, text: n),
            data.range(5).batch(2).map(lambda x: x[:1]),
            data.range(5).batch(2).map(lambda x: tf.reduce_sum(x)),
            data.range(4).map(lambda x: x, num_parallel_calls=tf.data.AUTOTUNE),
        )
    ]


@same
def test_control_flow_is_converted(tf: Any) -> Any:
    def halved(x: Any) -> Any:
        if x % 2 == 0:
            return x // 2
        return x * 3 + 1

    def steps(x: Any) -> Any:
        count = 0
        while x > 1:
            x = x // 2
            count += 1
        return count

    d = tf.data.Dataset.range(1, 9)
    rows = d.batch(2)
    plain = tf.autograph.experimental.do_not_convert(lambda row: tf.map_fn(steps, row))
    return [
        *(shown(tf, d.map(halved)), shown(tf, d.map(steps))),
        shown(tf, rows.map(lambda row: tf.map_fn(halved, row))),
        shown(tf, rows.map(lambda row: tf.map_fn(steps, row, fn_output_signature=tf.int32))),
        outcome(lambda: rows.map(plain)),
    ]


@same
def test_shapes_that_depend_on_values(tf: Any) -> Any:
    d = tf.data.Dataset.from_tensor_slices([[1, 5, 2], [7, 8, 9]])
    words = tf.data.Dataset.from_tensor_slices(["a b", "c"])
    return [
        shown(tf, d.map(lambda x: tf.boolean_mask(x, x > 4))),
        shown(tf, words.map(lambda text: tf.strings.split(text))),
        shown(tf, tf.data.Dataset.range(4).map(lambda n: tf.range(n))),
    ]


@same
def test_ragged_and_sparse_in_functions(tf: Any) -> Any:
    rows = tf.data.Dataset.from_tensors(tf.ragged.constant([[1, 2], [3]])).repeat(2)
    sparse = tf.data.Dataset.from_tensors(tf.sparse.from_dense([[1, 0], [0, 3]]))
    return [
        list(rows.map(lambda r: r * 2)),
        list(sparse.map(lambda s: tf.sparse.to_dense(s) + 1)),
        list(tf.data.Dataset.range(1, 4).map(lambda n: tf.sparse.from_dense([[n, 0]]))),
    ]


@same
def test_python_functions(tf: Any) -> Any:
    d = tf.data.Dataset.range(4)

    def called(x: Any) -> Any:
        return tf.py_function(lambda y: y.numpy() * 2, [x], tf.int64)

    def as_arrays(x: Any) -> Any:
        found = tf.numpy_function(lambda y: np.ones(int(y), np.float32), [x], tf.float32)
        return tf.ensure_shape(found, [None])

    return [numbers(d.map(called)), numbers(d.map(as_arrays))]


@same
def test_a_python_function_does_not_end_a_dataset(tf: Any) -> Any:
    def stops(x: Any) -> Any:
        raise StopIteration

    def taken(call: Any) -> str:
        d = tf.data.Dataset.range(2).map(lambda x: call(stops, [x], tf.int64))
        return error(lambda: list(d))

    return [taken(tf.py_function), taken(tf.numpy_function)]


@same
def test_captured(tf: Any) -> Any:
    table, variable = tf.constant([10, 20, 30, 40]), tf.Variable(5)
    d = tf.data.Dataset.range(4).map(lambda i: tf.gather(table, i) + variable)
    before = numbers(d)
    variable.assign(7)
    return [before, numbers(d)]


@same
def test_python_runs_once(tf: Any) -> Any:
    calls = []

    def noted(x: Any) -> Any:
        calls.append(1)
        return x + 1

    d = tf.data.Dataset.range(5).map(noted)
    return [numbers(d), numbers(d), len(calls)]


@same
def test_random_numbers_begin_anew_with_each_iterator(tf: Any) -> Any:
    d = tf.data.Dataset.range(3).map(lambda x: tf.random.uniform([2], seed=1))
    return [list(d), list(d), list(d.repeat(2))]


@same
def test_filter(tf: Any) -> Any:
    d = tf.data.Dataset.range(9)
    pairs = tf.data.Dataset.from_tensor_slices(([1, 2, 3], [1, 5, 3]))
    return [
        shown(tf, d.filter(lambda x: x % 3 == 0)),
        shown(tf, d.filter(lambda x: False)),
        shown(tf, pairs.filter(lambda a, b: a == b)),
        shown(tf, d.take_while(lambda x: x < 4)),
        shown(tf, pairs.take_while(lambda a, b: a == b)),
    ]


@same
def test_scan(tf: Any) -> Any:
    zero = np.int64(0)
    d = tf.data.Dataset.range(5)
    return [
        shown(tf, d.scan(zero, lambda s, x: (s + x, s * x))),
        shown(tf, d.scan((zero, 1.5), lambda s, x: ((s[0] + x, s[1]), {"a": s[1], "b": x}))),
        shown(tf, d.scan([0], lambda s, x: (tf.concat([s, [1]], 0), tf.size(s)))),
    ]


@same
def test_reduce(tf: Any) -> Any:
    d = tf.data.Dataset.range(5)
    one = np.int64(1)
    return [
        d.reduce(np.int64(0), lambda s, x: s + x),
        d.reduce((one, one), lambda s, x: (s[1], s[0] + s[1])),
        d.reduce({"n": 0, "all": tf.zeros([0], tf.int64)}, _collected(tf)),
        d.take(0).reduce(3.5, lambda s, x: s + 1.0),
        tf.data.Dataset.zip((d, d)).reduce(np.int64(0), lambda s, pair: s + pair[0] * pair[1]),
    ]


def _collected(tf: Any) -> Any:
    return lambda s, x: {"n": s["n"] + 1, "all": tf.concat([s["all"], [x]], 0)}


@same
def test_ignored_errors(tf: Any) -> Any:
    data = tf.data.Dataset.from_tensor_slices([1.0, 0.0, 2.0])
    d = data.map(lambda x: tf.debugging.check_numerics(1.0 / x, "x"))
    return [outcome(lambda: d), numbers(d.ignore_errors())]


@same
def test_errors(tf: Any) -> Any:
    d = tf.data.Dataset.range(4)
    return [
        outcome(call)
        for call in (
            lambda: d.map(lambda x: object()),
            lambda: d.map(lambda x, y: x),
            lambda: d.filter(lambda x: x),
            lambda: d.take_while(lambda x: x),
            lambda: d.scan(np.int64(0), lambda s, x: s + x),
            lambda: d.scan(np.int64(0), lambda s, x: (1.5, x)),
            lambda: d.reduce(np.int64(0), lambda s, x: 1.5),
            lambda: d.map(lambda x: x + 1.5),
            lambda: d.map(lambda x: tf.ensure_shape(x, [2])),
        )
    ]


@same
def test_assertions_hold_for_each_element(tf: Any) -> Any:
    def checked(x: Any) -> Any:
        tf.debugging.assert_less(x, np.int64(2))
        return x

    d = iter(tf.data.Dataset.range(4).map(checked))
    return [next(d), next(d), outcome(lambda: next(d))]


@same
def test_functions_within_functions(tf: Any) -> Any:
    @tf.function
    def double(x: Any) -> Any:
        return x * 2

    return shown(tf, tf.data.Dataset.range(4).map(double).map(lambda x: double(x) + 1))


def test_what_tensorflow_refuses_unclearly() -> None:
    d = tfpy.data.Dataset.range(4)
    with pytest.raises(ValueError, match="`predicate` must return"):
        d.filter(lambda x: (x > 1, x > 2))
    with pytest.raises(ZeroDivisionError):
        d.map(lambda x: 1 // 0)
    for call in (d.flat_map, d.interleave):
        with pytest.raises(TypeError, match="`map_func` argument"):
            call(lambda x: x)
    with pytest.raises(TypeError, match="`options`"):
        d.with_options(3)


def test_elements_are_on_the_host_whichever_backend_is_active() -> None:
    places = [x.device for x in tfpy.data.Dataset.range(3).map(lambda x: x + 1)]
    assert places == ["/job:localhost/replica:0/task:0/device:CPU:0"] * 3


def test_a_loop_in_a_compiled_function_runs_op_by_op() -> None:
    d = tfpy.data.Dataset.range(6).shuffle(6, seed=3)

    @tfpy.function
    def total(start: Any) -> Any:
        for x in d:
            if x == 4:
                continue
            start += x
        return start + d.reduce(0, lambda s, x: s + x)

    with pytest.warns(UserWarning, match="iterating over a dataset"):
        assert int(total(tfpy.constant(100))) == 100 + 11 + 15
    assert int(total(tfpy.constant(100))) == 100 + 11 + 15


@pytest.mark.usefixtures("no_leaks")
def test_nothing_is_left() -> None:
    d = tfpy.data.Dataset.range(6).map(lambda x: tfpy.fill([x], 1.5)).filter(lambda x: True)
    for _ in range(2):
        assert [x.shape[0] for x in d] == list(range(6))
    assert int(d.reduce(0, lambda n, x: n + tfpy.size(x))) == 15
    del d
