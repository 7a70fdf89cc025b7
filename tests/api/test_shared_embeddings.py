"""Columns that share one trainable matrix behave as in TensorFlow."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from api.same import same
from tensorflow.python.feature_column import feature_column_v2

import tfpy
from tfpy._src.library.feature_columns import protocol

pytestmark = pytest.mark.filterwarnings("ignore:.layer.add_variable. is deprecated")

ROWS = np.array([[1.0, 2.0], [3.0, 5.0], [7.0, 11.0]], np.float32)
FIRST = {"indices": [[0, 0], [1, 0], [1, 1], [3, 0]], "values": [2, 0, 1, 1], "dense_shape": [4, 2]}
SECOND = {
    "indices": [[0, 0], [1, 0], [1, 1], [2, 0]],
    "values": [1, 0, 2, 0],
    "dense_shape": [4, 2],
}


def initial(shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
    assert tuple(shape) == ROWS.shape
    return ROWS


def inputs(tf: Any) -> dict[str, Any]:
    made = {"a": FIRST, "b": SECOND}
    return {key: tf.SparseTensor(**{k: np.array(v) for k, v in one.items()})
            for key, one in made.items()}  # fmt: skip


def names(tf: Any) -> list[str]:
    return [v.name for v in tf.compat.v1.global_variables()]


@same
def test_input_layer(tf: Any) -> Any:
    v1, found = tf.compat.v1, []
    shorter = {"combiner": "sum", "max_norm": 4.0}
    for more in ({}, shorter, {"shared_embedding_collection_name": "t"}):
        with tf.Graph().as_default(), v1.Session() as sess:
            kinds = [tf.feature_column.categorical_column_with_identity(k, 3) for k in "ba"]
            columns = v1.feature_column.shared_embedding_columns(
                kinds, 2, initializer=initial, **more
            )
            variables: dict[Any, Any] = {}
            layer = v1.feature_column.input_layer(inputs(tf), columns, cols_to_vars=variables)
            model = v1.feature_column.linear_model(inputs(tf), columns)
            sess.run(v1.global_variables_initializer())
            found += [
                [c.name for c in columns],
                [c.shared_embedding_collection_name for c in columns],
                names(tf),
                [len(v) for v in variables.values()],
                v1.feature_column.make_parse_example_spec(columns).keys() == {"a", "b"},
                sess.run([layer, model]),
            ]
    return found


@same
def test_methods(tf: Any) -> Any:
    found = []
    for is_sequence in (False, True):
        with tf.Graph().as_default(), tf.compat.v1.Session() as sess:
            made = (
                tf.feature_column.sequence_categorical_column_with_identity
                if is_sequence
                else tf.feature_column.categorical_column_with_identity
            )
            columns = tf.feature_column.shared_embeddings(
                [made(k, 3) for k in "ab"], 2, initializer=initial
            )
            cache = fresh_cache(tf)
            dense = [
                column.get_sequence_dense_tensor(cache, None)
                if is_sequence
                else column.get_dense_tensor(cache, None)
                for column in columns
            ]
            sess.run(tf.compat.v1.global_variables_initializer())
            found += [
                [tuple(one) if is_sequence else one for one in sess.run(dense)],
                names(tf),
                [column.name for column in columns],
                [column.variable_shape for column in columns],
            ]
    return found


def fresh_cache(tf: Any) -> Any:
    if tf is tfpy:
        return protocol.FeatureTransformationCache(inputs(tf))
    return feature_column_v2.FeatureTransformationCache(inputs(tf))


@same
def test_errors(tf: Any) -> Any:
    fc, found = tf.feature_column, []

    def attempt(function: Any, *args: Any, **more: Any) -> None:
        try:
            function(*args, **more)
        except (ValueError, RuntimeError) as error:
            found.append([type(error).__name__, str(error).split(".")[0][:60]])
        else:
            found.append("none")

    three, four = (fc.categorical_column_with_identity(f"c{n}", n) for n in (3, 4))
    hashed = fc.categorical_column_with_hash_bucket("h", 3)
    weighted = fc.weighted_categorical_column(fc.categorical_column_with_identity("d", 3), "w")
    with tf.Graph().as_default():
        for make in (fc.shared_embeddings, tf.compat.v1.feature_column.shared_embedding_columns):
            attempt(make, [three, weighted], 2)
            attempt(make, [three, four], 2)
            attempt(make, [three, hashed], 2)
            attempt(make, [three], 0)
            attempt(make, [three], 2, initializer="zeros")
            attempt(make, [three], 2, ckpt_to_load_from="a")
    return found


def test_eager_calls() -> None:
    kind = tfpy.feature_column.categorical_column_with_identity("a", 3)
    for make in (
        tfpy.feature_column.shared_embeddings,
        tfpy.compat.v1.feature_column.shared_embedding_columns,
    ):
        with pytest.raises(RuntimeError, match="eager execution"):
            make([kind], 2)
