"""New programs on sparse tensors in the order of TensorFlow's guide."""

from __future__ import annotations

from typing import Any

from api.same import error, same


@same
def test_creating(tf: Any) -> Any:
    st1 = tf.SparseTensor(indices=[[0, 3], [2, 4]], values=[10, 20], dense_shape=[3, 10])
    st2 = tf.sparse.from_dense([[1, 0, 0, 8], [0, 0, 0, 0], [0, 0, 3, 0]])
    return [st1, str(st1), st2, tf.sparse.to_dense(st1), st1.shape, st1.dtype]


@same
def test_manipulating(tf: Any) -> Any:
    a = tf.SparseTensor(indices=[[0, 2], [3, 4]], values=[31, 2], dense_shape=[4, 10])
    b = tf.SparseTensor(indices=[[0, 2], [3, 0]], values=[56, 38], dense_shape=[4, 10])
    c = tf.SparseTensor(indices=[[0, 1], [1, 0], [1, 1]], values=[13, 15, 17], dense_shape=[2, 2])
    mb = tf.constant([[4], [6]])
    return [
        tf.sparse.add(a, b),
        tf.sparse.sparse_dense_matmul(c, mb),
        tf.sparse.concat(axis=1, sp_inputs=[a, b]),
        tf.sparse.slice(a, start=[0, 0], size=[4, 3]),
        tf.sparse.map_values(tf.add, a, 5),
        tf.sparse.to_dense(tf.sparse.concat(axis=0, sp_inputs=[a, b])),
        tf.SparseTensor(indices=a.indices, values=a.values + 5, dense_shape=a.dense_shape),
    ]


@same
def test_reshaping_and_rows(tf: Any) -> Any:
    x = tf.SparseTensor([[0, 1], [0, 0], [2, 3]], ["b", "a", "d"], [4, 4])
    ordered = tf.sparse.reorder(x)
    filled, empty = tf.sparse.fill_empty_rows(ordered, "none")
    return [
        ordered,
        tf.sparse.reshape(ordered, [2, 8]),
        tf.sparse.transpose(ordered),
        tf.sparse.split(ordered, 2, axis=0),
        filled,
        empty,
        error(lambda: tf.sparse.to_dense(x)),
    ]


@same
def test_gradients(tf: Any) -> Any:
    values = tf.constant([1.0, 2.0, -3.0])
    dense = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(values)
        x = tf.SparseTensor([[0, 0], [0, 3], [2, 1]], values, [3, 4])
        product = tf.sparse.sparse_dense_matmul(x, dense)
        loss = tf.reduce_sum(product * product)
        spread = tf.reduce_sum(tf.sparse.to_dense(x) ** 3.0)
        summed = tf.reduce_sum(tf.sparse.reduce_sum(x, axis=1) ** 2.0)
        soft = tf.reduce_sum(tf.sparse.softmax(x).values * [1.0, 5.0, 2.0])
    return [tape.gradient(y, values) for y in (loss, spread, summed, soft)] + [
        tape.gradient(loss, dense)
    ]


@same
def test_counting_words(tf: Any) -> Any:
    """Count the words of documents in a sparse matrix, weight the counts, and multiply them."""
    documents = tf.constant(["a b a", "", "c b c c"])
    ids = tf.strings.to_hash_bucket_fast(tf.strings.split(documents), 7)
    counts = tf.sparse.bincount(ids, axis=-1, minlength=7)
    weighed = tf.cast(counts, tf.float32) * tf.constant([1.0, 2, 3, 4, 5, 6, 7])
    return [ids, counts, weighed, tf.sparse.sparse_dense_matmul(weighed, tf.ones([7, 2]))]
