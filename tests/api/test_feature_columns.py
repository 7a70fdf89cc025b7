"""Feature columns, and the layers of TensorFlow 1 that use them, behave as in TensorFlow."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow
from guides.printed import attempts, compare

import tfpy
from tfpy._src.library.feature_columns import protocol

DENSE = {
    "price": np.array([[1.0], [50.0], [-3.0]], np.float32),
    "size": np.array([[1.0, 2.0], [3.0, 40.0], [5.0, 6.0]], np.float32),
    "word": np.array([["a"], ["c"], ["zz"]]),
    "words": np.array([["a", "c"], ["c", ""], ["", ""]]),
    "number": np.array([[1], [3], [9]], np.int64),
    "id": np.array([[0, 3], [7, -1], [1, 1]], np.int64),
    "weight": np.array([[0.5, 1.0], [2.0, 0.0], [3.0, -1.0]], np.float32),
}
WORDS = ["a", "b", "c"]


def columns(tf: Any, path: Path) -> dict[str, Any]:
    """Return columns of all kinds by name."""
    fc = tf.feature_column
    price = fc.numeric_column("price")
    size = fc.numeric_column(
        "size", shape=2, default_value=[1.0, 2.0], normalizer_fn=lambda x: x / 4
    )
    ranges = fc.bucketized_column(price, [0.0, 10.0, 100.0])
    word = fc.categorical_column_with_vocabulary_list("word", WORDS, num_oov_buckets=2)
    ids = fc.categorical_column_with_identity("id", 4, default_value=0)
    words = fc.categorical_column_with_vocabulary_list("words", WORDS)
    return {
        "price": price,
        "size": size,
        "ranges": ranges,
        "sizes": fc.bucketized_column(fc.numeric_column("size", 2), [2.0, 5.0]),
        "hashed": fc.categorical_column_with_hash_bucket("words", 10),
        "hashed integers": fc.categorical_column_with_hash_bucket("number", 10, tf.int64),
        "ids": ids,
        "word": word,
        "words": words,
        "numbers": fc.categorical_column_with_vocabulary_list("number", [1, 2, 3], default_value=0),
        "file": fc.categorical_column_with_vocabulary_file("word", str(path), num_oov_buckets=1),
        "crossed": fc.crossed_column(["words", "word"], 100),
        "crossed ranges": fc.crossed_column([ranges, "word", ids], 50, hash_key=7),
        "weighted": fc.weighted_categorical_column(ids, "weight"),
    }


def show_columns(tf: Any, show: Callable[..., None], path: Path) -> None:
    """Print the columns' fields."""
    fc = tf.feature_column
    found = columns(tf, path)
    del found["file"]  # its path differs
    found["indicator"] = fc.indicator_column(found["word"])
    found["embedding"] = fc.embedding_column(found["word"], 3)
    found["sequence"] = fc.sequence_categorical_column_with_identity("s", 3)
    found["sequence hash"] = fc.sequence_categorical_column_with_hash_bucket("s", 3)
    found["sequence list"] = fc.sequence_categorical_column_with_vocabulary_list("s", WORDS)
    found["sequence numeric"] = fc.sequence_numeric_column("s", shape=(2,))
    for name, column in found.items():
        shown = column if name not in ("size", "embedding") else name
        show(name, column.name, shown, column.parse_example_spec, len(column.parents))
        show(getattr(column, "num_buckets", None), getattr(column, "variable_shape", None))
        show(column._fields, name in ("embedding", "size") or column.get_config())
    show(fc.make_parse_example_spec([found["price"], found["hashed"], found["weighted"]]))
    price = found["price"]
    show(price == fc.numeric_column("price"), hash(price) == hash(fc.numeric_column("price")))
    show(lambda: fc.numeric_column("a", shape=0), lambda: fc.numeric_column("a", dtype=tf.string))
    show(lambda: fc.numeric_column(3), lambda: fc.numeric_column("a", default_value="x"))
    show(lambda: fc.numeric_column("a", normalizer_fn=3), lambda: fc.numeric_column("a", 1.5))
    show(lambda: fc.bucketized_column(price, []), lambda: fc.bucketized_column(price, [3, 1]))
    show(lambda: fc.bucketized_column(found["ids"], [1]))
    show(lambda: fc.categorical_column_with_hash_bucket("a", 0))
    show(lambda: fc.categorical_column_with_hash_bucket("a", 3, tf.float32))
    show(lambda: fc.categorical_column_with_identity("a", 0))
    show(lambda: fc.categorical_column_with_identity("a", 3, 5))
    show(lambda: fc.categorical_column_with_vocabulary_list("a", []))
    show(lambda: fc.categorical_column_with_vocabulary_list("a", ["x", "x"]))
    show(lambda: fc.categorical_column_with_vocabulary_list("a", ["x"], None, 0, 1))
    show(lambda: fc.categorical_column_with_vocabulary_list("a", ["x"], tf.int64))
    show(lambda: fc.categorical_column_with_vocabulary_file("a", ""))
    show(lambda: fc.embedding_column(found["ids"], 0), lambda: fc.crossed_column(["a"], 10))
    show(lambda: fc.crossed_column(["a", "b"], 0), lambda: fc.crossed_column([3, "b"], 10))
    show(lambda: fc.crossed_column([found["hashed"], "b"], 10))
    show(lambda: fc.weighted_categorical_column(found["ids"], "w", tf.string))
    show(lambda: fc.make_parse_example_spec([3]))


def show_layers(tf: Any, show: Callable[..., None], path: Path) -> None:
    """Print the values of columns, in eager execution."""
    fc, layers = tf.feature_column, tf.compat.v1.feature_column
    found = columns(tf, path)
    features = {name: tf.constant(array) for name, array in DENSE.items()}
    features["words"] = tf.sparse.from_dense(DENSE["words"])
    for name, column in found.items():
        is_dense = name in ("price", "size", "ranges", "sizes")
        dense = column if is_dense else fc.indicator_column(column)
        show(name, layers.input_layer(features, [dense]))
    for combiner in ("mean", "sqrtn", "sum"):
        for name in ("words", "ids", "weighted"):
            rows = np.arange(12.0).reshape(-1, 3)[: found[name].num_buckets]
            table = tf.constant_initializer(rows)
            embedding = fc.embedding_column(found[name], 3, combiner, table, max_norm=5.0)
            show(layers.input_layer(features, [embedding]))
    variables: dict[Any, Any] = {}
    outputs: dict[Any, Any] = {}
    embedding = fc.embedding_column(found["word"], 2)
    result = layers.input_layer(
        features, [found["size"], embedding], cols_to_vars=variables, cols_to_output_tensors=outputs
    )
    show(result.shape, len(variables), [v.shape for v in outputs.values()])
    show(layers.linear_model(features, [found["price"], found["ids"], found["sizes"]], units=2))
    show(lambda: layers.input_layer(features, [found["ids"]]), lambda: layers.input_layer({}, [3]))
    show(lambda: layers.input_layer(features, []), lambda: layers.input_layer({}, [found["price"]]))
    show(lambda: layers.input_layer(features, [found["price"], found["price"]]))
    strict = fc.indicator_column(fc.categorical_column_with_identity("id", 4))
    show(lambda: layers.input_layer(features, [strict]))


def show_graph(tf: Any, show: Callable[..., None], path: Path) -> None:
    """Print the values of columns and the training of a linear model, in a graph."""
    v1 = tf.compat.v1
    found = columns(tf, path)
    with tf.Graph().as_default(), v1.Session() as session:
        features = {name: tf.constant(array) for name, array in DENSE.items()}
        embedding = tf.feature_column.embedding_column(
            found["word"], 2, initializer=v1.ones_initializer()
        )
        outputs = v1.feature_column.input_layer(features, [found["ranges"], embedding])
        variables: dict[Any, Any] = {}
        prediction = v1.feature_column.linear_model(
            features, [found["size"], found["word"], embedding], cols_to_vars=variables
        )
        loss = tf.reduce_mean((prediction - tf.constant([[1.0], [2.0], [3.0]])) ** 2)
        train = v1.train.GradientDescentOptimizer(0.01).minimize(loss)
        session.run([v1.global_variables_initializer(), v1.tables_initializer()])
        show(session.run(outputs), sorted(v.name for v in v1.global_variables()))
        for _ in range(2):
            session.run(train)
        show(session.run(prediction), session.run(variables["bias"]))


def show_protocol(tf: Any, show: Callable[..., None], path: Path) -> None:
    """Print what columns compute for a layer, and columns that are made from their fields."""
    fc = tf.feature_column
    layer = protocol if tf is tfpy else tf.__internal__.feature_column
    found = columns(tf, path)
    del found["file"]

    class Manager:
        def create_variable(self, feature_column: Any, name: str, **given: Any) -> None:
            self.table = given["initializer"](given["shape"], given["dtype"])

        def get_variable(self, feature_column: Any, name: str) -> Any:
            return self.table

        def has_resource(self, feature_column: Any, name: str) -> bool:
            return False

        def add_resource(self, feature_column: Any, name: str, resource: Any) -> None:
            """Do nothing: the columns keep their tables."""

    sequence = {
        "s": tf.SparseTensor([[0, 0], [1, 0], [1, 1], [3, 0]], [2, 0, 1, 1], [4, 2]),
        "t": tf.SparseTensor([[0, 0], [0, 1], [2, 0], [2, 1]], [1.0, 2.0, 3.0, 4.0], [3, 2]),
    }
    cache, manager = layer.FeatureTransformationCache({**DENSE, **sequence}), Manager()
    for name, column in found.items():
        if name in ("price", "size", "ranges", "sizes"):
            show(name, column.get_dense_tensor(cache, manager))
        if name not in ("price", "size"):
            show(name, *column.get_sparse_tensors(cache, manager))
            show(fc.indicator_column(column).get_dense_tensor(cache, manager))
        if name != "size":
            show(type(column).from_config(column.get_config()) == column)
    steps = fc.sequence_categorical_column_with_identity("s", 3)
    ones = tf.compat.v1.constant_initializer(np.arange(6.0).reshape(3, 2))
    for column in (fc.indicator_column(steps), fc.embedding_column(steps, 2, initializer=ones)):
        if hasattr(column, "create_state"):
            column.create_state(manager)
        show(*column.get_sequence_dense_tensor(cache, manager))
        show(lambda column=column: column.get_dense_tensor(cache, manager))
    show(*fc.sequence_numeric_column("t").get_sequence_dense_tensor(cache, manager))
    show(*fc.sequence_numeric_column("t", 2).get_sequence_dense_tensor(cache, manager))
    show(lambda: cache.get("none", manager), lambda: cache.get(3, manager))


@pytest.mark.filterwarnings("ignore:.*add_variable. is deprecated")  # TensorFlow's own call
@pytest.mark.parametrize("program", [show_columns, show_layers, show_graph, show_protocol])
def test_program(
    program: Callable[..., None], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "words.txt"
    path.write_text("".join(f"{word}\n" for word in WORDS))
    texts = []
    for library in (tfpy, tensorflow):
        program(library, attempts(print), path)
        texts.append(capsys.readouterr().out)
    compare(*texts)
