"""Eager loops over rows: map_fn, vectorized_map, scan, foldl, foldr."""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf
from api.same import error, same
from api.twin import check
from guides.printed import prints_the_same, refused

import tfpy

ROWS = np.array([[1.0, -2.0], [3.0, 0.5], [-1.0, 2.0]], np.float32)


@same
def test_map_fn(lib: Any) -> Any:
    c = lib.constant
    pair = (c([1, 2, 3]), c([4, 5, 6]))
    return [
        lib.map_fn(lambda x: x * 2, c([1, 2, 3])),
        lib.map_fn(lambda x: (x[0] + x[1], x[0] - x[1]), pair),
        lib.map_fn(
            lambda x: (x * 2, lib.cast(x, lib.float32)),
            c([1, 2, 3]),
            fn_output_signature=(lib.int32, lib.float32),
        ),
        lib.map_fn(lambda x: 3, c([1, 2, 3])),
        lib.map_fn(lambda x: x[0] * 2, [c([1, 2]), c([3, 4])], fn_output_signature=lib.int32),
        lib.map_fn(lambda x: x[0] * 2, [c([1, 2]), c([3, 4])], dtype=lib.int32),
        lib.map_fn(lambda d: d["a"] + d["b"], {"a": pair[0], "b": pair[1]}, lib.int32),
        lib.map_fn(lambda x: x * 2, lib.zeros([0])),
        lib.map_fn(
            lib.reduce_sum, lib.ragged.constant([[1, 2], [3]]), fn_output_signature=lib.int32
        ),
    ]


@same
def test_vectorized_map(lib: Any) -> Any:
    c = lib.constant
    return [
        lib.vectorized_map(lambda x: x * 2, c([1, 2, 3])),
        lib.vectorized_map(lambda x: (x[0] * 2, x[1]), (c([1, 2, 3]), c([1.0, 2.0, 3.0]))),
        lib.vectorized_map(lambda x: 3, c([1, 2, 3])),
        lib.vectorized_map(lambda x: x[0] + x[1], (c([1, 2, 3]), c([5]))),
    ]


@same
def test_scan_and_folds(lib: Any) -> Any:
    x = lib.constant([1, 2, 3])
    c = lib.constant
    return [
        lib.scan(lambda a, b: a + b, x),
        lib.scan(lambda a, b: a + b, x, c(10)),
        lib.scan(lambda a, b: a + b, x, 10),
        lib.scan(lambda a, b: a * 2 + b, x, reverse=True),
        lib.scan(lambda a, b: (a[0] + b, a[1] * b), x, (c(0), c(1))),
        lib.scan(lambda a, b: a + b, lib.zeros([0]), c(0.0)),
        lib.scan(lambda a, b: a + b[0] * b[1], (x, x), c(0)),
        lib.foldl(lambda a, b: a * 2 + b, x),
        lib.foldr(lambda a, b: a * 2 + b, x),
        lib.foldl(lambda a, b: (a[0] + b, a[1]), x, (c(0), c(1))),
        lib.foldr(lambda a, b: a * 3 + b, x, c(10)),
        lib.foldl(lambda a, b: lib.cast(a + b, lib.float32), c([1, 2])),
    ]


def _errors(lib: Any) -> list[str]:
    c = lib.constant
    x, empty = c([1, 2, 3]), lib.zeros([0])
    calls = [
        lambda: lib.map_fn(lambda v: lib.cast(v, lib.float32), x),
        lambda: lib.map_fn(lambda v: v, x, fn_output_signature=lib.float32),
        lambda: lib.map_fn(lambda v: (v, v), x),
        lambda: lib.map_fn(lambda v: v, [1, 2, 3]),
        lambda: lib.map_fn(lambda v: v, c(3)),
        lambda: lib.map_fn(lambda v: v[0], (x, c([1, 2])), fn_output_signature=lib.int32),
        lambda: lib.map_fn(lib.range, c([1, 2])),
        lambda: lib.map_fn(lambda v: None, x),
        lambda: lib.scan(lambda a, v: lib.cast(a, lib.float32), x),
        lambda: lib.scan(lambda a, v: lib.concat([a, [v]], 0), x, c([0])),
        lambda: lib.scan(lambda a, v: (a, a), x, c(0)),
        lambda: lib.scan(lambda a, v: a, empty),
        lambda: lib.foldl(lambda a, v: a, empty),
    ]
    return [error(call) for call in calls]


def test_errors() -> None:
    assert _errors(tfpy) == _errors(tf)


def test_gradients() -> None:
    check(lambda lib, x: lib.map_fn(lambda r: r * lib.reduce_sum(r), x), ROWS, grads=True)
    check(lambda lib, x: lib.vectorized_map(lambda r: lib.sin(r) * r, x), ROWS, grads=True)
    check(lambda lib, x: lib.scan(lambda a, r: a * r, x), ROWS, grads=True)
    check(lambda lib, x: lib.scan(lambda a, r: a * r, x, reverse=True), ROWS, grads=True)
    check(lambda lib, x: lib.foldl(lambda a, r: lib.tanh(a + r), x), ROWS, grads=True)
    check(lambda lib, x: lib.foldr(lambda a, r: a * r + r, x), ROWS, grads=True)


@prints_the_same
def test_slices_that_begin_at_traced_indices(tf: Any, print: Any) -> None:
    x = tf.reshape(tf.range(24.0), [2, 3, 4])

    @tf.function
    def slices(i: Any, begin: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.slice(x, [0, i, 1], [2, 2, -1])
        rest = tf.slice(x, begin, [1, 1, 2]), tf.slice(x, tf.stack([0, i, 0]), [2, 1, 4])
        return y, *rest, tape.gradient(y, x)

    for result in slices(tf.constant(1), tf.constant([1, 2, 2])):
        print(result)
    print(refused(lambda: slices(tf.constant(2), tf.constant([1, 2, 2]))))
