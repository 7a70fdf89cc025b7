"""Functions of ``tf.data.experimental`` that reduce, pad, parse, index and store datasets."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from api.same import error, same

import tfpy

JSON = (
    '{"features":{"feature":{"a":{"int64List":{"value":["1","-2"]}},"b":{"bytesList":{"value":'
    '["aGk=","_-8"]}},"c":{"floatList":{"value":[1.5,"NaN","-Infinity",3]}}}}}'
)


@same
def test_groups(tf: Any) -> Any:
    x = tf.data.experimental
    mean = x.Reducer(
        lambda key: (tf.constant(0.0), tf.constant(0)),
        lambda state, element: (state[0] + tf.cast(element, tf.float32), state[1] + 1),
        lambda total, count: total / tf.cast(count, tf.float32),
    )
    data = tf.data.Dataset.range(10).apply(x.group_by_reducer(lambda n: -(n % 3), mean))
    pairs = tf.data.Dataset.from_tensor_slices(([1, 2, 1], [5.0, 6.0, 7.0]))
    largest = x.Reducer(
        lambda key: {"top": tf.constant(0.0)},
        lambda state, pair: {"top": tf.maximum(state["top"], pair[1])},
        lambda state: state,
    )
    groups = pairs.apply(x.group_by_reducer(lambda k, v: tf.cast(k, tf.int64), largest))
    wrong = error(lambda: x.group_by_reducer(lambda k, v: "a", largest)(pairs))
    return [*data, str(data.element_spec), data.cardinality(), *groups, wrong]


@same
def test_elements(tf: Any) -> Any:
    x, data = tf.data.experimental, tf.data.Dataset.range(10)
    found = [x.at(data, i) for i in (0, 3, 9)]
    errors = [error(lambda: x.at(data, i)) for i in (-1, 10)]  # noqa: B023
    errors.append(error(lambda: x.at(data.filter(lambda n: n > 3), 0)))
    named = tf.data.Dataset.from_tensor_slices({"a": [[1, 2], [3, 4]], "b": ["x", "y"]})
    padded = named.apply(x.pad_to_cardinality(4))
    found += [*padded, padded.cardinality(), *named.apply(x.pad_to_cardinality(2, "m"))]
    errors += [
        error(lambda: wrong.apply(x.pad_to_cardinality(5)))  # noqa: B023
        for wrong in (data, named.repeat(4), named.filter(lambda element: True))
    ]
    return [*found, errors]


@same
def test_parsing(tf: Any) -> Any:
    serialized = tf.data.Dataset.from_tensor_slices([tf.io.decode_json_example(JSON)] * 3)
    parse = tf.data.experimental.parse_example_dataset({"a": tf.io.FixedLenFeature([2], tf.int64)})
    return [
        *serialized.batch(2).apply(parse),
        error(lambda: serialized.apply(parse)),
        error(lambda: tf.data.experimental.parse_example_dataset(None)),
    ]


@same
def test_json(tf: Any) -> Any:
    many = [[JSON, "{}"], ['{"features":{}}', '{"features":{"feature":{"a":{}}}}']]
    texts = tf.io.decode_json_example(many)
    features = {
        "a": tf.io.VarLenFeature(tf.int64),
        "b": tf.io.VarLenFeature(tf.string),
        "c": tf.io.VarLenFeature(tf.float32),
    }
    snake = '{"features":{"feature":{"a":{"int64_list":{"value":[1, 2.0]}}}}}'
    wrong = [
        *("x", "[1]", '{"foo":1}', '{"features":{"feature":{"a":{"int64List":{"value":["b"]}}}}}'),
        '{"features":{"feature":{"a":{"int64List":{"value":[1.5]}}}}}',
        '{"features":{"feature":{"a":{"bytesList":{"value":[1]}}}}}',
        '{"features":{"feature":{"a":{"bytesList":{},"floatList":{}}}}}',
    ]
    return [
        texts.shape,
        tf.io.parse_example(tf.reshape(texts, [-1]), features),
        tf.io.parse_single_example(tf.io.decode_json_example(snake), features),
        [error(lambda: tf.io.decode_json_example(text)) for text in wrong],  # noqa: B023
    ]


@same
def test_tables(tf: Any) -> Any:
    x = tf.data.experimental
    words = tf.data.Dataset.from_tensor_slices(["x", "y"])
    pairs = tf.data.Dataset.zip((words, tf.data.Dataset.range(5, 7)))
    asked, numbers = tf.constant(["y", "q"]), tf.data.Dataset.range(5, 8)
    return [
        x.table_from_dataset(pairs, default_value=-1).lookup(asked),
        x.index_table_from_dataset(words).lookup(asked),
        x.index_table_from_dataset(words, num_oov_buckets=2).lookup(asked),
        x.index_table_from_dataset(words, vocab_size=2, default_value=-7).lookup(asked),
        x.index_table_from_dataset(numbers, key_dtype=tf.int64).lookup(
            tf.constant([6, 9], tf.int64)
        ),
    ]


@pytest.mark.parametrize("compression", [None, "GZIP"])
def test_files(tmp_path: Path, compression: str | None) -> None:
    def program(tf: Any) -> Any:
        path = str(tmp_path / f"{tf.__name__}.tfrecord")
        writer = tf.data.experimental.TFRecordWriter(path, compression)
        writer.write(tf.data.Dataset.from_tensor_slices(["a", "bc"]))
        errors = [error(lambda: writer.write(tf.data.Dataset.range(3)))]
        errors.append(error(lambda: writer.write(3)))
        return [*tf.data.TFRecordDataset(path, compression or ""), errors]

    same(program)()


def test_patterns(tmp_path: Path) -> None:
    for name in ("b.txt", "a.txt", "c.csv"):
        (tmp_path / name).write_text("")

    def program(tf: Any) -> Any:
        names = tf.io.match_filenames_once(f"{tmp_path}/*.txt")
        return [
            tf.io.matching_files(f"{tmp_path}/*.txt"),
            tf.io.matching_files([f"{tmp_path}/c*", f"{tmp_path}/a*"]),
            tf.io.matching_files(f"{tmp_path}/none*").shape,
            [names.read_value(), names.trainable, names.name],
            error(lambda: tf.io.matching_files([["a"]])),
        ]

    same(program)()


def test_missing_datasets() -> None:
    x, words = tfpy.data.experimental, tfpy.data.Dataset.from_tensor_slices(["x", "y"])
    for make in (x.table_from_dataset, x.index_table_from_dataset):
        with pytest.raises(ValueError, match="required"):
            make()
    with pytest.raises(ValueError, match="2 elements"):
        x.index_table_from_dataset(words, vocab_size=3)
