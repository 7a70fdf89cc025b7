"""Sets along the last dimension, feature crosses, and ops by their internal names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow
from api.same import compare, error, same

import tfpy


def sparse(tf: Any, rows: Any, dtype: Any) -> Any:
    indices = [[i, j] for i, row in enumerate(rows) for j in range(len(row))]
    values = [v for row in rows for v in row]
    width = max(map(len, rows), default=0) + 1
    return tf.SparseTensor(
        np.array(indices, np.int64).reshape(-1, 2), tf.constant(values, dtype), [len(rows), width]
    )


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "intersection": lambda tf, a, b: tf.sets.intersection(a, b),
    "union": lambda tf, a, b: tf.sets.union(a, b),
    "difference": lambda tf, a, b: tf.sets.difference(a, b),
    "b minus a": lambda tf, a, b: tf.sets.difference(a, b, aminusb=False),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_sets(name: str) -> None:
    rng = np.random.default_rng(7)
    for _ in range(12):
        groups = tuple(rng.integers(1, 4, rng.integers(1, 3)))
        arrays = [rng.integers(0, 6, (*groups, n)) for n in rng.integers(0, 5, 2)]
        if rng.integers(2):
            arrays = [np.array(a, "S").astype(object) for a in arrays]
        for form in ("dd", "ds", "sd", "ss"):
            found = []
            for tf in (tfpy, tensorflow):
                dense = [
                    tf.constant(a, tf.string if a.dtype == object else tf.int32) for a in arrays
                ]
                pair = [
                    tf.sparse.from_dense(t) if f == "s" else t
                    for f, t in zip(form, dense, strict=True)
                ]
                found.append(FUNCTIONS[name](tf, *pair))
            compare(*found, 0, f"{name} {form} {arrays}")


@same
def test_more_sets(tf: Any) -> Any:
    a = sparse(tf, [[3, 1, 1], [], [2]], tf.int32)
    words = sparse(tf, [["x", "y", "x"], [], []], tf.string)
    return [
        tf.sets.size(a),
        tf.sets.size(words),
        tf.sets.size(tf.SparseTensor(np.zeros((0, 3), np.int64), np.zeros(0, np.int32), [2, 2, 2])),
        tf.sets.union(a, sparse(tf, [[1], [5], []], tf.int32)),
        tf.sets.union(a, tf.constant([[9], [9], [9]])),
        tf.sets.intersection([[1, 2]], [[2, 3]]),
        tf.sets.difference(words, sparse(tf, [["x"], ["z"], []], tf.string)),
    ]


@same
def test_errors_of_sets(tf: Any) -> Any:
    a = sparse(tf, [[3, 1], [2]], tf.int32)
    back = tf.SparseTensor([[1, 0], [0, 0]], [1, 2], [2, 2])
    return [
        error(lambda: tf.sets.union([[1, 2]], [[1.0]])),
        error(lambda: tf.sets.union([[1.0, 2.0]], [[1.0]])),
        error(lambda: tf.sets.union([[1, 2]], [["a"]])),
        error(lambda: tf.sets.union([[1, 2]], [[1], [2]])),
        error(lambda: tf.sets.union([1, 2], [2, 3])),
        error(lambda: tf.sets.union(a, [[1]])),
        error(lambda: tf.sets.union(back, a)),
        error(lambda: tf.sets.size([[1]])),
        error(lambda: tf.sets.size(back)),
    ]


@same
def test_crosses(tf: Any) -> Any:
    a = tf.constant([["a", "b"], ["c", "d"]])
    b = tf.constant([[1, 2], [-3, 4]])
    c = sparse(tf, [["x"], []], tf.string)
    d = sparse(tf, [[5, 6, 7], [8]], tf.int64)
    lists = [[a], [a, b], [a, c], [d, a], [a, b, d], [b, b]]
    return [
        *(tf.sparse.cross(x) for x in lists),
        *(tf.sparse.cross_hashed(x, 1000) for x in lists),
        tf.sparse.cross([a, b], separator="_Y_"),
        tf.sparse.cross([a, b], separator=""),
        tf.sparse.cross_hashed([a, b], 7, 12345),
        tf.function(lambda x, y: tf.sparse.to_dense(tf.sparse.cross_hashed([x, y], 9)))(a, b),
        error(lambda: tf.sparse.cross(a)),
        error(lambda: tf.sparse.cross([[1, 2]])),
        error(lambda: tf.sparse.cross([a, tf.constant([["x"]])])),
        error(lambda: tf.sparse.cross([tf.constant(["x"])])),
    ]


def test_hashes_of_all_64_bits_are_refused() -> None:
    with pytest.raises(tfpy.errors.InvalidArgumentError, match="int32"):
        tfpy.sparse.cross_hashed([tfpy.constant([["a"]])])


@same
def test_raw_ops(tf: Any) -> Any:
    raw = tf.raw_ops
    x = tf.constant([[1, 2, 1], [1, 2, 1], [3, 2, 3]])
    words = tf.constant([["a", "b"], ["a", "b"], ["", "b"]])
    image = tf.constant(np.arange(24).reshape(1, 4, 3, 2).astype(np.uint8))
    turn = tf.constant([[0.8, 0.1, 0.3, -0.1, 1.1, 0.2, 0.0, 0.01]])
    return [
        raw.Bucketize(input=tf.constant([[-1.0, 2.0], [2.5, np.nan]]), boundaries=[0.0, 2.0, 2.0]),
        raw.Bucketize(input=[3, 0], boundaries=[]),
        *raw.UniqueV2(x=x, axis=[1]),
        *raw.UniqueV2(x=x, axis=[0]),
        *raw.UniqueV2(x=x[0], axis=[]),
        *raw.UniqueWithCountsV2(x=x, axis=[-1]),
        *raw.UniqueWithCountsV2(x=words, axis=[0]),
        *raw.UniqueV2(x=tf.zeros([0, 2]), axis=[0]),
        raw.ImageProjectiveTransformV3(
            images=image,
            transforms=turn,
            output_shape=[4, 5],
            fill_value=7.0,
            interpolation="BILINEAR",
            fill_mode="REFLECT",
        ),
        raw.ImageProjectiveTransformV3(
            images=tf.cast(image, tf.float32),
            transforms=turn,
            output_shape=[4, 3],
            fill_value=7.0,
            interpolation="NEAREST",
        ),
        error(lambda: raw.Bucketize(input=[1.0], boundaries=[2.0, 1.0])),
        error(lambda: raw.Bucketize([1.0], [1.0])),
        error(lambda: raw.UniqueV2(x=x, axis=[])),
        error(lambda: raw.UniqueV2(x=x, axis=[0, 1])),
        error(lambda: raw.UniqueV2(x=x, axis=[2])),
    ]
