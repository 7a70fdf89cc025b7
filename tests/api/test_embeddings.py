"""``tf.nn.embedding_lookup`` in whole and divided tables, with dense, sparse and ragged ids."""

from __future__ import annotations

from typing import Any

import pytest
import tensorflow
from api.same import compare

import tfpy

NAMES = {
    "v": "tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]])",
    "parts": "[tf.Variable([[1.0], [2.0], [3.0]]), tf.Variable([[4.0], [5.0]])]",
    "ids": "tf.SparseTensor([[0, 0], [0, 1], [2, 0]], [1, 2, 1], [3, 2])",
    "w": "tf.SparseTensor([[0, 0], [0, 1], [2, 0]], [1.0, 0.5, 2.0], [3, 2])",
    "bad": "tf.SparseTensor([[0, 0], [0, 1], [2, 0], [3, 0]], [1, -1, 1, 2], [4, 2])",
    "badw": "tf.SparseTensor([[0, 0], [0, 1], [2, 0], [3, 0]], [1.0, 2.0, -1.0, 0.0], [4, 2])",
    "cube": "tf.SparseTensor([[0, 0, 0], [0, 1, 1], [1, 1, 0]], [1, 2, 3], [2, 2, 2])",
    "r": "tf.ragged.constant([[1, 2], [0]])",
    "rw": "tf.ragged.constant([[1.0, 0.5], [2.0]])",
}
CALLS = """
tf.nn.embedding_lookup(parts, [4, 0, 2, 3, 1])
tf.nn.embedding_lookup(parts, [[3, 0], [2, 1]])
tf.nn.embedding_lookup([v], [3, 0], max_norm=1.0)
tf.nn.embedding_lookup(parts, [3, 0], max_norm=2.0)
tf.nn.embedding_lookup(parts, r)
tf.nn.embedding_lookup(v, [[3], [0]], max_norm=9.0)
tf.nn.embedding_lookup(v, r, max_norm=1.0)
tf.nn.embedding_lookup(tf.constant([1.0, 2.0, 3.0]), [2, 0], max_norm=1.0)
tf.nn.embedding_lookup(tf.ones([2, 2, 2]), [0, 1, 1], max_norm=1.0)
tf.nn.embedding_lookup(None, [1])
tf.nn.embedding_lookup([], [1])
tf.nn.embedding_lookup(v, [9])
tf.nn.embedding_lookup(parts, [7])
tf.nn.embedding_lookup_sparse(v, ids, None)
tf.nn.embedding_lookup_sparse(v, ids, None, combiner="sum")
tf.nn.embedding_lookup_sparse(v, ids, None, combiner="sqrtn")
tf.nn.embedding_lookup_sparse(v, ids, w)
tf.nn.embedding_lookup_sparse(v, ids, w, combiner="sum")
tf.nn.embedding_lookup_sparse(v, ids, w, combiner="sqrtn")
tf.nn.embedding_lookup_sparse(v, ids, None, combiner="sum", max_norm=1.0)
tf.nn.embedding_lookup_sparse(v, ids, None, allow_fast_lookup=True)
tf.nn.embedding_lookup_sparse(parts, ids, None, combiner="sum")
tf.nn.embedding_lookup_sparse(v, r, None, combiner="sum")
tf.nn.embedding_lookup_sparse(v, r, rw)
tf.nn.embedding_lookup_sparse(v, ids, None, combiner="max")
tf.nn.embedding_lookup_sparse(v, tf.constant([1]), None)
tf.nn.embedding_lookup_sparse(v, ids, tf.constant([1.0]))
tf.nn.embedding_lookup_sparse(v, ids, tf.SparseTensor([[0, 0]], [1.0], [3, 2]))
tf.nn.safe_embedding_lookup_sparse(v, bad)
tf.nn.safe_embedding_lookup_sparse(v, bad, badw)
tf.nn.safe_embedding_lookup_sparse(v, bad, badw, combiner="sum", default_id=2)
tf.nn.safe_embedding_lookup_sparse(v, bad, default_id=3)
tf.nn.safe_embedding_lookup_sparse(v[:, 0], bad, default_id=3)
tf.nn.safe_embedding_lookup_sparse(v, bad, max_norm=1.0)
tf.nn.safe_embedding_lookup_sparse(v, cube, combiner="sum")
tf.nn.safe_embedding_lookup_sparse(parts, bad, combiner="sum")
tf.nn.safe_embedding_lookup_sparse(v, r)
tf.nn.safe_embedding_lookup_sparse(None, bad)
tf.nn.safe_embedding_lookup_sparse(v, bad, combiner="x")
""".strip().splitlines()


@pytest.mark.parametrize("call", CALLS)
def test_call(call: str) -> None:
    """Compare values and gradients of the tables, or the error class where TensorFlow raises."""
    compare(_results(tfpy, call), _results(tensorflow, call), 1e-5, call)


def _results(tf: Any, call: str) -> Any:
    names = {n: eval(text, {"tf": tf}) for n, text in NAMES.items()}
    tables = [names["v"], *names["parts"]]
    try:
        with tf.GradientTape() as tape:
            found = eval(call, {"tf": tf, **names})
            flat = found.flat_values if isinstance(found, tf.RaggedTensor) else found
            total = tf.reduce_sum(flat * flat)
    except Exception as error:
        return type(error).__name__
    gradients = tape.gradient(total, tables)
    kinds = [type(g).__name__ == "IndexedSlices" for g in gradients]
    return found, kinds, gradients


def test_gradient_of_weights() -> None:
    def program(tf: Any) -> Any:
        weights = tf.Variable([1.0, 0.5, 2.0])
        table, ids = eval(NAMES["v"], {"tf": tf}), eval(NAMES["ids"], {"tf": tf})
        with tf.GradientTape() as tape:
            sparse = tf.SparseTensor(ids.indices, weights, [3, 2])
            y = tf.nn.embedding_lookup_sparse(table, ids, sparse) * [[1.0, 3.0]]
        return tape.gradient(y, weights)

    compare(program(tfpy), program(tensorflow), 1e-5, "weights")


def test_compiled_parts() -> None:
    def program(tf: Any) -> Any:
        parts = eval(NAMES["parts"], {"tf": tf})

        @tf.function
        def f(ids: Any) -> Any:
            with tf.GradientTape() as tape:
                y = tf.nn.embedding_lookup(parts, ids)
            return y, [tf.convert_to_tensor(g) for g in tape.gradient(y, parts)]

        return f(tf.constant([4, 0, 2]))

    compare(program(tfpy), program(tensorflow), 1e-5, "parts")
