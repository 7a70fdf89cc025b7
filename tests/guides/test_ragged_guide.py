"""New programs on ragged tensors in the order of TensorFlow's guide."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from api.same import error, same


@same
def test_overview(tf: Any) -> Any:
    digits = tf.ragged.constant([[3, 1, 4, 1], [], [5, 9, 2], [6], []])
    words = tf.ragged.constant([["So", "long"], ["thanks", "for", "all", "the", "fish"]])
    return [
        str(digits),
        tf.add(digits, 3),
        tf.reduce_mean(tf.cast(digits, tf.float32), axis=1),
        tf.concat([digits, [[5, 3]]], axis=0),
        tf.tile(digits, [1, 2]),
        tf.strings.substr(words, 0, 2),
        tf.square(digits),
        digits[0],
        digits[:, :2],
        digits[:, -2:],
        digits + 3,
        digits + tf.ragged.constant([[1, 2, 3, 4], [], [5, 6, 7], [8], []]),
        digits.to_list(),
        tf.ragged.map_flat_values(lambda x: x * 2 + 1, digits),
    ]


@same
def test_constructing(tf: Any) -> Any:
    values = [3, 1, 4, 1, 5, 9, 2]
    return [
        tf.ragged.constant(
            [["Let's", "build", "some", "ragged", "tensors", "!"], ["We", "can", "use", "them"]]
        ),
        tf.RaggedTensor.from_value_rowids(values, value_rowids=[0, 0, 0, 0, 2, 2, 3]),
        tf.RaggedTensor.from_row_lengths(values, row_lengths=[4, 0, 2, 1]),
        tf.RaggedTensor.from_row_splits(values, row_splits=[0, 4, 4, 6, 7]),
        error(lambda: tf.ragged.constant([["one", "two"], [3, 4]])),
        error(lambda: tf.ragged.constant(["A", ["B", "C"]])),
    ]


@same
def test_example_of_bigrams(tf: Any) -> Any:
    """Average the embeddings of words and pairs of words per query."""
    queries = tf.ragged.constant(
        [["Who", "is", "Dan", "Smith"], ["Pause"], ["Will", "it", "rain", "later", "today"]]
    )
    buckets, size = 1024, 4
    table = tf.constant(np.linspace(-1, 1, (buckets + 1) * size, dtype=np.float32))
    table = tf.reshape(table, [buckets + 1, size])
    words = tf.strings.to_hash_bucket_fast(queries, buckets)
    word_rows = tf.gather(table, words)
    marker = tf.fill([queries.nrows(), 1], "#")
    padded = tf.concat([marker, queries, marker], axis=1)
    pairs = tf.strings.join([padded[:, :-1], padded[:, 1:]], separator="+")
    pair_rows = tf.gather(table, tf.strings.to_hash_bucket_fast(pairs, buckets))
    everything = tf.concat([word_rows, pair_rows], axis=1)
    return [words, padded, pairs, tf.reduce_mean(everything, axis=1)]


@same
def test_ragged_and_uniform_dimensions(tf: Any) -> Any:
    rows = tf.ragged.constant([["Hi"], ["How", "are", "you"]])
    pairs = tf.RaggedTensor.from_row_splits(
        values=[[1, 3], [0, 0], [1, 3], [5, 3], [3, 3], [1, 2]], row_splits=[0, 3, 4, 6]
    )
    uniform = tf.RaggedTensor.from_uniform_row_length(
        tf.RaggedTensor.from_row_splits([10, 11, 12, 13, 14, 15, 16, 17, 18, 19],
                                        [0, 3, 5, 9, 10]), 2
    )  # fmt: skip
    return [
        rows.shape,
        rows.shape.as_list(),
        rows.bounding_shape(),
        pairs,
        pairs.shape,
        pairs.flat_values.shape,
        pairs.ragged_rank,
        uniform,
        uniform.shape,
        uniform.ragged_rank,
    ]


@same
def test_ragged_against_sparse(tf: Any) -> Any:
    x = tf.ragged.constant([["John"], ["a", "big", "dog"], ["my", "cat"]])
    y = tf.ragged.constant([["fell", "asleep"], ["barked"], ["is", "fuzzy"]])
    joined = tf.sparse.concat(axis=1, sp_inputs=[x.to_sparse(), y.to_sparse()])
    return [tf.concat([x, y], axis=1), tf.sparse.to_dense(joined, "")]


@same
def test_operators(tf: Any) -> Any:
    x = tf.ragged.constant([[1, 2], [3], [4, 5, 6]])
    y = tf.ragged.constant([[1, 1], [2], [3, 3, 3]])
    return [x == y, x + y, x + 3, 3 - x, x * y, x // 2, x % 2, x < 4, -x, abs(-x), x**2]


@same
def test_indexing(tf: Any) -> Any:
    queries = tf.ragged.constant(
        [["Who", "is", "George", "Washington"], ["What", "is", "the", "weather", "tomorrow"],
         ["Goodnight"]]
    )  # fmt: skip
    rt = tf.ragged.constant([[[1, 2, 3], [4]], [[5], [], [6]], [[7]], [[8, 9], [10]]])
    return [
        queries[1],
        queries[1, 2],
        queries[1:],
        queries[:, :3],
        queries[:, -2:],
        rt[1],
        rt[3, 0],
        rt[:, 1:3],
        rt[:, -1:],
        error(lambda: queries[:, 3]),
    ]


@same
def test_conversion(tf: Any) -> Any:
    sentences = tf.ragged.constant([["Hi"], ["Welcome", "to", "the", "fair"], ["Have", "fun"]])
    x = [[1, 3, -1, -1], [2, -1, -1, -1], [4, 5, 8, 9]]
    sparse = tf.SparseTensor(indices=[[0, 0], [2, 0], [2, 1]], values=["a", "b", "c"],
                             dense_shape=[3, 3])  # fmt: skip
    return [
        sentences.to_tensor(default_value="", shape=[None, 10]),
        tf.RaggedTensor.from_tensor(x, padding=-1),
        sentences.to_sparse(),
        tf.RaggedTensor.from_sparse(sparse),
        tf.ragged.constant([[1, 2], [3], [4, 5, 6], [], [7]]).to_list(),
        tf.ragged.constant([[1, 2], [3]]).values.numpy(),
        tf.ragged.constant([[1, 2], [3]]).row_splits.numpy(),
    ]


@same
def test_broadcasting(tf: Any) -> Any:
    x = tf.ragged.constant([[1, 2], [3]])
    a = tf.ragged.constant([[10, 87, 12], [19, 53], [12, 32]])
    b = tf.constant([[1000], [2000], [3000]])
    deep = tf.ragged.constant([[[1, 2], [3, 4], [5, 6]], [[7, 8]]], ragged_rank=1)
    rows = tf.ragged.constant([[[[1], [2]], [], [[3]], [[4]]], [[[5], [6]], [[7]]]])
    return [
        x + 3,
        a + b,
        deep + tf.constant([[[10, 20]]]),
        rows + tf.constant([10]),
        error(lambda: tf.ragged.constant([[1, 2], [3, 4, 5, 6], [7]]) + tf.constant(
            [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]])),
        error(lambda: a + tf.ragged.constant([[10, 20], [30, 40], [50]])),
    ]  # fmt: skip


@same
def test_encoding(tf: Any) -> Any:
    rt = tf.RaggedTensor.from_row_splits(values=[3, 1, 4, 1, 5, 9, 2], row_splits=[0, 4, 4, 6, 7])
    nested = tf.RaggedTensor.from_nested_row_splits(
        flat_values=[10, 11, 12, 13, 14, 15, 16, 17, 18, 19],
        nested_row_splits=[[0, 3, 3, 5], [0, 4, 4, 7, 8, 10]],
    )
    return [
        rt.values,
        rt.row_splits,
        rt.row_lengths(),
        rt.value_rowids(),
        rt.row_starts(),
        rt.row_limits(),
        nested,
        nested.shape,
        nested.ragged_rank,
        nested.values,
        list(nested.nested_row_lengths()),
        nested.merge_dims(1, 2),
    ]


@same
def test_gradients(tf: Any) -> Any:
    x = tf.constant([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    weights = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    ids = tf.ragged.constant([[0, 2], [], [1, 1, 0]])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        rows = tf.RaggedTensor.from_row_lengths(x, [2, 0, 3, 1])
        loss = tf.reduce_sum(tf.reduce_max(rows * rows, axis=1)[2:] ** 2.0)
        padded = tf.reduce_sum(rows[:, 1:].to_tensor(7.0) ** 3.0)
        joined = tf.reduce_sum(tf.concat([rows, rows * 2.0], axis=1)[:, :3] ** 2.0)
        mean = tf.reduce_sum(tf.reduce_sum(tf.gather(weights, ids), axis=1) ** 2.0)
    found = [tape.gradient(y, x) for y in (loss, padded, joined)]
    return [tf.convert_to_tensor(g) for g in [*found, tape.gradient(mean, weights)]]


@same
def test_gradient_of_a_ragged_source(tf: Any) -> Any:
    x = tf.ragged.constant([[1.0, 2.0], [], [3.0]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(x * x * 3.0)
    return tape.gradient(y, x)


@same
def test_edges(tf: Any) -> Any:
    empty = tf.ragged.constant([[], []], dtype=tf.float32)
    odd = tf.ragged.constant([[math.nan, 1.0], [math.inf], []])
    return [
        empty,
        empty.to_tensor(),
        tf.reduce_sum(empty, axis=1),
        tf.reduce_max(empty, axis=1),
        tf.concat([empty, empty], 1),
        odd,
        tf.reduce_sum(odd, axis=1),
        tf.reduce_max(odd[1:], axis=-1),
        odd[3:],
        tf.ragged.constant([], ragged_rank=1),
        tf.ragged.range([0, 0]),
    ]
