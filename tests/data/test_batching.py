"""batch, unbatch, rebatch, padded, ragged and sparse batches, and windows, as in TensorFlow."""

from __future__ import annotations

from typing import Any

import numpy as np
from api.same import same
from data.shown import outcome, shown


def growing(tf: Any, count: int = 5) -> Any:
    """Return rows of 0, 1, 2, … elements."""
    return tf.data.Dataset.range(count).map(lambda x: tf.fill([x], tf.cast(x, tf.int32)))


def ragged(tf: Any) -> Any:
    return tf.data.Dataset.from_tensor_slices(tf.ragged.constant([[[1], [2, 3]], [], [[4]]]))


def sparse(tf: Any) -> Any:
    rows = tf.sparse.from_dense([[1, 0, 2], [0, 0, 0], [0, 3, 0]])
    return tf.data.Dataset.from_tensor_slices(rows)


@same
def test_batch(tf: Any) -> Any:
    data = tf.data.Dataset
    rows = {"a": np.arange(14).reshape(7, 2).astype(np.float32), "b": [b"t"] * 7}
    sources = [data.range(7), data.from_tensor_slices(rows), data.range(7).filter(lambda x: x > 1)]
    return [
        shown(tf, d.batch(size, drop_remainder=drop))
        for d in sources
        for size in (1, 3, 7, 9)
        for drop in (False, True)
    ]


@same
def test_texts(tf: Any) -> Any:
    d = tf.data.Dataset.from_tensor_slices([[b"a", b"b"], [b"", b"c"], [b"d", b"e"]])
    one = d.unbatch().filter(lambda text: text != b"c")
    return [shown(tf, x) for x in (one.batch(2), one.map(lambda x: (x, [x, x])).batch(3))]


@same
def test_batches_of_batches(tf: Any) -> Any:
    d = tf.data.Dataset.range(12).batch(2, drop_remainder=True).batch(3)
    return [shown(tf, d), shown(tf, d.map(lambda x: x + 1).batch(2, num_parallel_calls=2))]


@same
def test_composites(tf: Any) -> Any:
    flat = tf.data.Dataset.from_tensor_slices(tf.ragged.constant([[1, 2], [], [3]]))
    found = [flat, flat.batch(2), flat.batch(2).unbatch(), flat.batch(1).batch(2)]
    found += [ragged(tf), ragged(tf).batch(2), ragged(tf).batch(2).unbatch()]
    found += [sparse(tf), sparse(tf).batch(2), sparse(tf).batch(2).unbatch()]
    both = tf.data.Dataset.zip({"r": ragged(tf), "s": sparse(tf)})
    return [shown(tf, d) for d in [*found, both.batch(3).repeat(2).rebatch(2)]]


@same
def test_composites_as_arrays(tf: Any) -> Any:
    found = [*sparse(tf).batch(2).as_numpy_iterator()]
    return [*found, *ragged(tf).map(lambda r: r.flat_values).as_numpy_iterator()]


@same
def test_unbatch(tf: Any) -> Any:
    data = tf.data.Dataset
    return [
        shown(tf, d.unbatch())
        for d in (
            data.range(7).batch(3),
            data.from_tensors(([1, 2], [[3], [4]])).repeat(2),
            growing(tf),
            data.from_tensors({"a": [b"x", b"y"], "b": [True, False]}),
        )
    ]


@same
def test_rebatch(tf: Any) -> Any:
    open_, whole = (tf.data.Dataset.range(8).batch(4, drop_remainder=d) for d in (False, True))
    sizes = (1, 2, 3, 8, [2, 1], [2, 2])
    return [
        shown(tf, d.rebatch(size, drop_remainder=drop))
        for d in (open_, whole)
        for size in sizes
        for drop in (False, True)
    ]


@same
def test_padded_batch(tf: Any) -> Any:
    d = growing(tf)
    pairs = tf.data.Dataset.zip((d, d.map(lambda x: tf.cast(x, tf.float32))))
    texts = tf.data.Dataset.range(3).map(lambda x: tf.fill([x], "t"))
    return [
        shown(tf, found)
        for found in (
            d.padded_batch(2),
            d.padded_batch(2, padded_shapes=[None]),
            d.padded_batch(2, padded_shapes=[6], padding_values=-1),
            d.padded_batch(3, drop_remainder=True),
            d.padded_batch(2, padded_shapes=tf.TensorShape([5])),
            pairs.padded_batch(2, padded_shapes=([None], [7]), padding_values=(9, 0.5)),
            pairs.padded_batch(2, padding_values=(None, 2.5)),
            texts.padded_batch(3),
            texts.padded_batch(2, padding_values="?", padded_shapes=[3]),
            tf.data.Dataset.range(3).padded_batch(2),
        )
    ]


@same
def test_padded_batch_of_strings(tf: Any) -> Any:
    """Pad strings of each rank, and call string functions on the batches."""
    data = tf.data.Dataset
    ids = data.from_tensor_slices(["a b", "c", "d e f"])
    rows = ids.map(lambda s: {"id": s, "words": tf.strings.split(s)})
    nested = data.from_generator(
        lambda: iter([[["a", "b"]], [["c"], ["d"]]]),
        output_signature=tf.TensorSpec([None, None], tf.string),
    )

    def size(row: Any) -> Any:
        return tf.shape(row["words"])[0]

    return [
        shown(tf, found)
        for found in (
            ids.padded_batch(2),
            ids.padded_batch(2).map(tf.strings.length),
            ids.padded_batch(3).map(lambda s: tf.unique(s)[0]),
            ids.padded_batch(2).unbatch(),
            ids.padded_batch(2).padded_batch(2),
            ids.window(2).flat_map(lambda w: w.padded_batch(2)),
            rows.padded_batch(2, padding_values={"id": None, "words": "?"}),
            rows.bucket_by_sequence_length(size, [2], [2, 2]),
            nested.padded_batch(2, padding_values="-"),
        )
    ]


@same
def test_ragged_batch(tf: Any) -> Any:
    d = growing(tf)
    spec = tf.TensorSpec([None, 2, None], tf.int32)
    nested = tf.data.Dataset.from_generator(
        lambda: (np.full((n, 2, n), n) for n in (1, 2, 3)), output_signature=spec
    )
    fixed = tf.data.Dataset.from_tensor_slices([[1, 2], [3, 4]])
    found = [d.ragged_batch(2), d.ragged_batch(2, drop_remainder=True), nested.ragged_batch(3)]
    return [shown(tf, x) for x in [*found, fixed.ragged_batch(2)]]


@same
def test_ragged_batch_of_declared_shapes(tf: Any) -> Any:
    """Check that elements have the shapes that a function with Python code declares."""

    def rows(n: Any) -> Any:
        return tf.py_function(lambda v: tf.ones([int(v), 2]), [n], tf.float32)

    def with_set_shape(n: Any) -> Any:
        x = rows(n)
        x.set_shape([None, 2])
        return x

    def with_both(n: Any) -> Any:
        x = tf.ensure_shape(rows(n), [None, None])
        x.set_shape([None, 2])
        return {"x": x, "n": tf.ensure_shape(tf.py_function(lambda v: v, [n], tf.int64), [])}

    functions = (with_set_shape, lambda n: tf.ensure_shape(rows(n), [None, 2]), with_both)
    sources = [tf.data.Dataset.range(1, 4).map(f) for f in functions]
    return [shown(tf, d.ragged_batch(3)) for d in sources]


@same
def test_sparse_batch(tf: Any) -> Any:
    rows = tf.data.Dataset.from_tensor_slices([[1, 2], [3, 4], [5, 6]])
    return [shown(tf, growing(tf).sparse_batch(2, [6])), shown(tf, rows.sparse_batch(2, [3]))]


@same
def test_window(tf: Any) -> Any:
    return [
        shown(tf, tf.data.Dataset.range(7).window(size, shift, stride, drop))
        for size in (1, 2, 3)
        for shift in (None, 1, 4)
        for stride in (1, 2)
        for drop in (False, True)
    ]


@same
def test_windows_of_nests(tf: Any) -> Any:
    rows = {"a": [1, 2, 3], "b": ([1.0, 2.0, 3.0], [b"x", b"y", b"z"])}
    d = tf.data.Dataset.from_tensor_slices(rows).window(2)
    joined = d.flat_map(lambda w: tf.data.Dataset.zip((w["a"], w["b"][0])).batch(2))
    return [shown(tf, d), shown(tf, joined)]


@same
def test_errors(tf: Any) -> Any:
    data = tf.data.Dataset
    numbers = data.range(4)
    return [
        outcome(call)
        for call in (
            lambda: numbers.batch(0),
            lambda: numbers.batch(-1),
            lambda: growing(tf).batch(2),
            lambda: numbers.unbatch(),
            lambda: data.from_tensors(([1, 2], [1])).unbatch(),
            lambda: growing(tf).padded_batch(2, padded_shapes=[2]),
            lambda: growing(tf).padded_batch(2, padded_shapes=[2, 2]),
            lambda: data.from_tensors([1, 2, 3]).padded_batch(2, padded_shapes=[2]),
            lambda: growing(tf).padded_batch(2, padding_values=0.5),
            lambda: growing(tf).padded_batch(2, padding_values=[1, 2]),
            lambda: numbers.window(2).padded_batch(2),
            lambda: ragged(tf).padded_batch(2),
            lambda: growing(tf).sparse_batch(2, [2]),
            lambda: numbers.window(0),
            lambda: numbers.window(2, 0),
            lambda: numbers.window(2, 1, 0),
        )
    ]
