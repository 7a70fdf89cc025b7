"""Signatures with specs of ragged and sparse tensors."""

from __future__ import annotations

from typing import Any

import pytest
from api.same import error, same

import tfpy


def values(tf: Any) -> tuple[Any, Any, Any]:
    return (
        tf.ragged.constant([[1.0, 2.0], [3.0]]),
        tf.ragged.constant([[1.0], [3.0], [4.0, 5.0]]),
        tf.SparseTensor([[0, 1], [1, 0]], [1.0, 2.0], [2, 2]),
    )


@same
def test_input_signatures(tf: Any) -> Any:
    first, second, sparse = values(tf)

    @tf.function(input_signature=[tf.RaggedTensorSpec([None, None])])
    def rows(x: Any) -> Any:
        return x * 2.0, tf.reduce_sum(x, 1)

    @tf.function(input_signature=[tf.SparseTensorSpec([None, 2])])
    def columns(x: Any) -> Any:
        return tf.sparse.reduce_sum(x, 0), tf.sparse.to_dense(x)

    nested = {"a": tf.RaggedTensorSpec([None, None]), "b": (tf.SparseTensorSpec([2, 2]), None)}
    nested["b"] = (tf.SparseTensorSpec([2, 2]), tf.TensorSpec([None]))

    @tf.function(input_signature=[nested, tf.TensorSpec([])])
    def nest(d: Any, k: Any) -> Any:
        total = tf.reduce_sum(d["a"]) * k + tf.sparse.reduce_sum(d["b"][0])
        return total + tf.reduce_sum(d["b"][1])

    class Module(tf.Module):
        @tf.function(input_signature=[tf.RaggedTensorSpec([None, None])])
        def call(self, x: Any) -> Any:
            return tf.reduce_max(x, axis=-1)

    with tf.GradientTape() as tape:
        tape.watch(first.flat_values)
        y = rows(first)[1] ** 2
    wrong = (
        lambda: rows(tf.ones([2, 2])),
        lambda: rows(tf.ragged.constant([[1]])),
        lambda: rows(tf.ragged.constant([[[1.0]]])),
        lambda: columns(first),
        lambda: columns(tf.ones([2, 2])),
        lambda: nest({"a": first, "b": (first, tf.ones([3]))}, 2.0),
    )
    return [
        rows(first),
        rows(second),
        columns(sparse),
        nest({"a": first, "b": (sparse, tf.ones([3]))}, 2.0),
        nest({"a": second, "b": (sparse, tf.ones([4]))}, tf.constant(3.0)),
        Module().call(first),
        tf.function(lambda x: rows(x)[1] + 1.0)(second),
        tape.gradient(y, first.flat_values),
        [error(call) for call in wrong],
    ]


@same
def test_concrete_functions(tf: Any) -> Any:
    first, second, _ = values(tf)

    @tf.function(input_signature=[tf.RaggedTensorSpec([None, None])])
    def rows(x: Any) -> Any:
        return tf.reduce_max(x, axis=-1)

    @tf.function
    def scaled(x: Any) -> Any:
        return x * 2.0

    whole, given = rows.get_concrete_function(), tf.RaggedTensorSpec([None, None], tf.float32)
    concrete = scaled.get_concrete_function(given)
    return [whole(first), whole(second), concrete(first), concrete(second)]


def test_python_values_of_concrete_functions() -> None:
    first, second, _ = values(tfpy)
    scaled = tfpy.function(lambda x, n=2: x * float(n))
    concrete = scaled.get_concrete_function(tfpy.RaggedTensorSpec([2, None]), 3)
    assert concrete(first).to_list() == concrete(first, 3).to_list() == [[3.0, 6.0], [9.0]]
    positional, named = concrete.structured_input_signature
    assert (positional, named) == ((tfpy.RaggedTensorSpec([2, None]), 3), {})
    for wrong in (lambda: concrete(second), lambda: concrete(first, 4), lambda: concrete(n=3)):
        with pytest.raises(TypeError, match=r"RaggedTensorSpec|n=3"):
            wrong()


@same
def test_fields_of_specs(tf: Any) -> Any:
    specs = [
        tf.SparseTensorSpec([None, 3], tf.int32),
        tf.RaggedTensorSpec([None, None, 2], ragged_rank=1, row_splits_dtype=tf.int32),
        tf.IndexedSlicesSpec([3], tf.float32, tf.int32, tf.int32, [2]),
        tf.TensorArraySpec([3], tf.int32),
        tf.NoneTensorSpec(),
    ]
    return [repr(spec._serialize()) for spec in specs]
