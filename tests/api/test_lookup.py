"""Lookup tables."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from typing import Any

import numpy as np
from api.same import error, same

import tfpy

COLUMNS = b"emerson\t10\t1.5\nlake\t20\t2.5\n\xc3\xa9 x\t30\t-1\n"


def file_of(content: bytes) -> str:
    with tempfile.NamedTemporaryFile(delete=False) as file:
        file.write(content)
    return file.name


def words_(tf: Any) -> Any:
    init = tf.lookup.KeyValueTensorInitializer(["a", "b", "c"], tf.constant([0, 1, 2], tf.int64))
    return tf.lookup.StaticHashTable(init, -1)


def by_key(pair: Any) -> Any:
    """Return the exported keys and values of a table, in the order of the keys."""
    keys, values = (np.asarray(t) for t in pair)
    order = sorted(range(len(keys)), key=lambda i: tuple(np.atleast_1d(keys[i])))
    return [keys[order].tolist(), values[order].tolist()]


@same
def test_static_tables(tf: Any) -> Any:
    table = words_(tf)
    ids = tf.constant([[3, 4], [-5, 3]], tf.int64)
    pairs = tf.lookup.KeyValueTensorInitializer(
        [3, -5], ["three", "minus five"], key_dtype=tf.int64, value_dtype=tf.string
    )
    back = tf.lookup.StaticHashTable(pairs, "?")
    floats = tf.lookup.StaticHashTable(
        tf.lookup.KeyValueTensorInitializer(["x"], [0.5]), default_value=np.float32(9)
    )
    return [
        table.lookup(tf.constant([["b", "z"], ["c", ""]])),
        table[tf.constant("a")],
        table.lookup(tf.constant([], tf.string)),
        table.size(),
        by_key(table.export()),
        table.default_value,
        table.key_dtype,
        back.lookup(ids),
        by_key(back.export()),
        floats.lookup(tf.constant(["x", "y"])),
        table.lookup(tf.SparseTensor([[0, 1], [2, 0]], ["b", "q"], [3, 2])),
        table.lookup(tf.ragged.constant([["a"], [], ["c", "?"]])),
    ]


@same
def test_static_table_errors(tf: Any) -> Any:
    def made(keys: Any, values: Any, default: Any = -1) -> Callable[[], Any]:
        init = tf.lookup.KeyValueTensorInitializer
        return lambda: tf.lookup.StaticHashTable(init(keys, values), default)

    table = words_(tf)
    return [
        error(lambda: table.lookup(tf.constant([1]))),
        error(made(["a", "a"], [1, 2])),
        error(made(["a", "a"], [1, 1])),
        error(made(["a", "b"], [1])),
        error(made(["a"], [1], "x")),
        error(made(["a"], [1], [1, 2])),
        error(made(["a"], [1.0], 1)),
        error(lambda: tf.lookup.KeyValueTensorInitializer(["a", 1], [1, 2])),
        error(lambda: tf.lookup.KeyValueTensorInitializer([1], [1], key_dtype=tf.string)),
    ]


@same
def test_within_functions(tf: Any) -> Any:
    table = words_(tf)

    @tf.function
    def found(x: Any) -> Any:
        return table.lookup(x) * 2 + table.size()

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
    def of_any_size(x: Any) -> Any:
        return table.lookup(x)

    @tf.function
    def made_within(x: Any) -> Any:
        return words_(tf).lookup(x)

    return [
        found(tf.constant(["a", "z"])),
        found(tf.constant([["b"]])),
        of_any_size(tf.constant(["b", "c"])),
        of_any_size(tf.constant(["b", "c", "d"])),
        of_any_size.get_concrete_function().output_shapes,
    ]


@same
def test_files(tf: Any) -> Any:
    index = tf.lookup.TextFileIndex
    path = file_of(COLUMNS)
    plain = file_of(b"x\ny\nz")

    def table(key: Any, value: Any, default: Any, **options: Any) -> Any:
        init = tf.lookup.TextFileInitializer(options.pop("path", path), *key, *value, **options)
        return tf.lookup.StaticHashTable(init, default)

    words = table((tf.string, 0), (tf.int64, 1), -1)
    lines = table((tf.string, index.WHOLE_LINE), (tf.int64, index.LINE_NUMBER), -1, path=plain)
    moved = table(
        (tf.string, index.WHOLE_LINE),
        (tf.int64, index.LINE_NUMBER),
        -1,
        path=plain,
        value_index_offset=2,
        vocab_size=3,
    )
    back = table((tf.int64, index.LINE_NUMBER), (tf.string, index.WHOLE_LINE), "?", path=plain)
    floats = table((tf.int64, 1), (tf.float32, 2), 0.0)
    first = table(
        (tf.string, index.WHOLE_LINE),
        (tf.int64, index.LINE_NUMBER),
        -1,
        path=plain,
        vocab_size=2,
    )
    return [
        words.lookup(tf.constant(["lake", "é x", "?"])),
        words.size(),
        lines.lookup(tf.constant(["x", "z", ""])),
        moved.lookup(tf.constant(["x", "z", ""])),
        back.lookup(tf.constant([0, 2, 3], tf.int64)),
        floats.lookup(tf.constant([10, 30, 5], tf.int64)),
        first.lookup(tf.constant(["x", "y", "z"])),
    ]


@same
def test_file_errors(tf: Any) -> Any:
    path, plain = file_of(COLUMNS), file_of(b"x\ny\nx\n")

    def made(*args: Any, path: str = path, **options: Any) -> Callable[[], Any]:
        init = tf.lookup.TextFileInitializer
        default = "" if args[2] == tf.string else -1
        return lambda: tf.lookup.StaticHashTable(init(path, *args, **options), default)

    return [
        error(made(tf.string, 0, tf.int64, 3)),
        error(made(tf.int64, 0, tf.int64, 1)),
        error(made(tf.string, 0, tf.int64, 1, vocab_size=9)),
        error(made(tf.string, 0, tf.int64, 1, vocab_size=0)),
        error(made(tf.string, -3, tf.int64, 1)),
        error(made(tf.string, 0, tf.int64, -3)),
        error(made(tf.string, -1, tf.int64, 1)),
        error(made(tf.string, 0, tf.string, -1)),
        error(made(tf.float32, -2, tf.string, 0)),
        error(made(tf.string, 0, tf.int64, 1, path="/no/such/file")),
        error(made(tf.string, 0, tf.int64, 1, path="")),
        error(made(tf.string, -2, tf.int64, -1, path=plain)),
    ]


@same
def test_vocabularies(tf: Any) -> Any:
    init = tf.lookup.KeyValueTensorInitializer(
        ["emerson", "lake", "palmer"], tf.constant([0, 1, 2], tf.int64)
    )
    table = tf.lookup.StaticVocabularyTable(init, 5)
    numbers = tf.lookup.StaticVocabularyTable(
        tf.lookup.KeyValueTensorInitializer(
            tf.constant([7, 9], tf.int64), tf.constant([0, 1], tf.int64)
        ),
        3,
        lookup_key_dtype=tf.int32,
    )
    hashes = tf.lookup.StaticVocabularyTable(None, 4)
    words = tf.constant([["emerson", "king"], ["crimson", "palmer"]])
    return [
        table.lookup(words),
        tf.function(table.lookup)(words),
        table.size(),
        table.lookup(tf.ragged.constant([["lake", "x"], []])),
        table.lookup(tf.SparseTensor([[0, 1], [2, 0]], ["lake", "q"], [3, 2])),
        numbers.lookup(tf.constant([9, 100, -3, 7])),
        numbers.size(),
        hashes.lookup(words),
        hashes.size(),
        error(lambda: tf.lookup.StaticVocabularyTable(init, 0)),
        error(lambda: table.lookup(tf.constant([1]))),
        error(lambda: tf.lookup.StaticVocabularyTable(init, 1, lookup_key_dtype=tf.int64)),
        error(
            lambda: tf.lookup.StaticVocabularyTable(
                tf.lookup.KeyValueTensorInitializer(["a"], ["b"]), 1
            )
        ),
    ]


@same
def test_mutable_tables(tf: Any) -> Any:
    table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
    table.insert(["a", "b", "a"], [1, 2, 3])
    before = [table.lookup(["a", "b", "c"]), table.size(), by_key(table.export())]
    table.insert(tf.constant([["b"], ["c"]]), tf.constant([[5], [6]], tf.int64))
    table.remove(tf.constant(["a", "never"]))
    rows = tf.lookup.experimental.MutableHashTable(tf.int64, tf.float32, [0.0, -1.0])
    rows.insert([4, 5], [[1.0, 2.0], [3.0, 4.0]])
    return [
        before,
        table.lookup([["a", "b"], ["c", "d"]]),
        table.lookup(["a", "b"], tf.constant([7, 8], tf.int64)),
        table.lookup(["a", "b"], tf.constant(9, tf.int64)),
        by_key(table.export()),
        table[tf.constant(["c"])],
        rows.lookup([[5], [6]]),
        rows.size(),
        by_key(rows.export()),
    ]


@same
def test_mutable_table_errors(tf: Any) -> Any:
    table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
    rows = tf.lookup.experimental.MutableHashTable(tf.int64, tf.float32, [0.0, -1.0])
    return [
        error(lambda: table.insert([1], [1])),
        error(lambda: table.insert(["a"], ["b"])),
        error(lambda: table.insert(["a"], [1, 2])),
        error(lambda: table.insert(["a", "b"], [1])),
        error(lambda: table.lookup([1])),
        error(lambda: table.lookup(["a"], tf.constant([1, 2], tf.int64))),
        error(lambda: table.remove(tf.constant([1.0]))),
        error(lambda: rows.insert([1], [1.0])),
        error(lambda: rows.insert([1], [[1.0, 2.0, 3.0]])),
    ]


@same
def test_mutable_tables_within_functions(tf: Any) -> Any:
    table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)

    @tf.function
    def step(keys: Any) -> Any:
        first = table.lookup(keys)
        table.insert(keys, first + 1)
        size = table.size()
        table.remove(keys[:1])
        return first, size, table.lookup(keys)

    @tf.function
    def counted(keys: Any) -> Any:
        for key in keys:
            table.insert(key, table.lookup(key) + 1)
        return table.size()

    words = tf.constant(["p", "q"])
    return [step(words), step(words), counted(tf.constant(["r", "s", "r"])), by_key(table.export())]


def test_dense_tables_export_their_entries() -> None:
    """Check that dense tables export their entries only.

    TensorFlow exports all buckets, including empty ones.
    """
    dense = tfpy.lookup.experimental.DenseHashTable
    pairs = dense(tfpy.int64, tfpy.int64, [0, 0], empty_key=[0, 0], deleted_key=[-1, -1])
    pairs.insert([[1, 2], [3, 4]], [[5, 6], [7, 8]])
    assert by_key(pairs.export()) == [[[1, 2], [3, 4]], [[5, 6], [7, 8]]]


@same
def test_dense_tables(tf: Any) -> Any:
    dense = tf.lookup.experimental.DenseHashTable
    table = dense(tf.int64, tf.int64, -1, empty_key=0, deleted_key=-9)
    table.insert([5, 6], [50, 60])
    table.insert_or_assign([6], [61])
    table.erase(tf.constant([5], tf.int64))
    words = dense(tf.string, tf.int64, -1, empty_key="", deleted_key="$")
    words.insert(["a"], [5])
    pairs = dense(tf.int64, tf.int64, [0, 0], empty_key=[0, 0], deleted_key=[-1, -1])
    pairs.insert([[1, 2], [3, 4]], [[5, 6], [7, 8]])
    pairs.remove(tf.constant([[3, 4]], tf.int64))
    return [
        table.lookup([5, 6, 7, 6]),
        table.size(),
        words.lookup(["a", "c"]),
        pairs.lookup([[1, 2], [3, 4]]),
        tf.function(table.lookup)(tf.constant([6, 7], tf.int64)),
        error(lambda: table.insert([0], [1])),
        error(lambda: table.insert([-9], [1])),
        error(lambda: table.lookup([0])),
        error(lambda: table.remove(tf.constant([0], tf.int64))),
        error(lambda: table.insert([1, 2], [1])),
        error(lambda: pairs.insert([1, 2], [[1, 2]])),
        error(lambda: dense(tf.int64, tf.int64, -1, empty_key=1, deleted_key=1)),
        error(lambda: dense(tf.int64, tf.int64, -1, empty_key=1, deleted_key=[1])),
    ]
