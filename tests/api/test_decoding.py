"""CSV records, compressed strings, serialized sparse tensors, and files of examples."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow
from api.same import compare, error, same

import tfpy


@same
def test_csv(tf: Any) -> Any:
    csv = tf.io.decode_csv
    return [
        csv(["1,2.5,a", "3,,"], [[0], [7.5], ["z"]]),
        csv([["1,2"], ["3,4"]], [0, [0.0]]),
        csv(["1;2"], [[0], [0]], field_delim=";"),
        csv(['"a,b",2', '"a""b",'], [[""], [0]]),
        csv(['"a,b",2'], [[""], [""], [0]], use_quote_delim=False),
        csv(["NA,2"], [[5], [0]], na_value="NA"),
        csv(["1,2,3"], [[0], [0]], select_cols=[0, 2]),
        csv([" 1 , 2"], [[0], [0.0]]),
        csv(["1e3,inf,nan,-1.5"], [[0.0]] * 4),
        tf.function(lambda x: csv(x, [[0], [0.0]]))(["1,2", "3,4"]),
        list(tf.data.Dataset.from_tensor_slices(["1,2"]).map(lambda x: csv(x, [[0], [0.0]]))),
        tf.compat.v1.decode_csv(["1,"], [[0], [0]], ",", True, None, "", None),
    ]


@pytest.mark.parametrize(
    ("records", "defaults", "options"),
    [
        (["1,,a"], [[0], np.zeros(0, np.float32), ["z"]], {}),
        (["1,2"], [[0]], {}),
        (["1"], [[0], [0]], {}),
        (["1.5"], [[0]], {}),
        (["x"], [[0.5]], {}),
        (["99999999999"], [[0]], {}),
        (["1_0"], [[0]], {}),
        (["1,2,3"], [[0], [0]], {"select_cols": [2, 0]}),
        (["1,2,3"], [[0], [0]], {"select_cols": [-1, 0]}),
        (["1,2,3"], [[0], [0]], {"select_cols": [0]}),
        (["1,2,3"], [[0], [0]], {"select_cols": [0, 5]}),
        (["1,2\n"], [[0], [""]], {}),
        ([""], [["a"]], {}),
        (['a"b,2'], [[""], [0]], {}),
        (['"ab'], [[""]], {}),
        (['"ab"c,2'], [[""], [0]], {}),
        (["1,2"], [[0, 1], [0]], {}),
        (["1,2"], [[[0]], [0]], {}),
        (["1,2"], [[0], [0]], {"field_delim": ";;"}),
    ],
)
def test_csv_errors(records: Any, defaults: Any, options: dict[str, Any]) -> None:
    def text(tf: Any) -> str:
        with pytest.raises((ValueError, tf.errors.InvalidArgumentError)) as raised:
            tf.io.decode_csv(records, defaults, **options)
        return f"{raised.type.__name__} {raised.value}"

    mine, wanted = text(tfpy).replace("decode_csv: ", ""), text(tensorflow)
    kind, _, message = mine.partition(" ")
    assert wanted.startswith(kind)
    assert message in wanted


@same
def test_decompression(tf: Any) -> Any:
    unpack, data = tf.io.decode_compressed, zlib.compress(b"abc")
    return [
        unpack([gzip.compress(b"abc"), gzip.compress(b""), b""], "GZIP"),
        unpack([data, data + b"zzz", data[:-5]], "ZLIB"),
        unpack(["abc"]),
        tf.function(lambda x: unpack(x, "ZLIB"))(tf.constant([data])),
        error(lambda: unpack(["abc"], "GZIP")),
        error(lambda: unpack(["abc"], "FOO")),
        error(lambda: unpack(3, "")),
    ]


@same
def test_serialized_sparse_tensors(tf: Any) -> Any:
    io = tf.io
    x = tf.SparseTensor([[0, 1], [2, 0]], [5, 6], [3, 4])
    words = tf.SparseTensor([[0, 1], [2, 0]], ["a", "bc"], [3, 4])
    other = tf.SparseTensor([[0, 1]], [9], [1, 9])
    one, many = io.serialize_sparse, io.serialize_many_sparse
    read = io.deserialize_many_sparse
    return [
        [one(x), many(x), one(words), many(words)],
        read(many(x), tf.int32),
        read(many(x), tf.int32, rank=2),
        read(many(words), tf.string),
        read(tf.stack([one(x), one(other)]), tf.int32),
        tf.compat.v1.serialize_sparse(x, None, tf.string),
        error(lambda: read(many(x), tf.int32, rank=1)),
        error(lambda: read(many(x), tf.float32)),
        error(lambda: read([["a", "b", "c"]], tf.int32)),
        error(lambda: read([["a", "b"]], tf.int32)),
        error(lambda: one(3)),
        error(lambda: many(tf.SparseTensor([[0]], [1], [1]))),
    ]


def written(tf: Any, folder: Path, count: int) -> str:
    path = str(folder / f"{tf.__name__}.tfrecord")
    with tf.compat.v1.python_io.TFRecordWriter(path) as file:
        for number in range(count):
            example = tf.train.Example()
            example.features.feature["n"].int64_list.value.append(number)
            example.features.feature["words"].bytes_list.value.extend([b"w"] * number)
            file.write(example.SerializeToString())
    return path


def test_files_of_examples(tmp_path: Path) -> None:
    def program(tf: Any) -> Any:
        path = written(tf, tmp_path, 5)
        make: Callable[..., Any] = tf.data.experimental.make_batched_features_dataset
        config = {"n": tf.io.FixedLenFeature([], tf.int64), "words": tf.io.VarLenFeature(tf.string)}
        numbers = {"n": config["n"]}
        pairs = make(path, 2, config, label_key="n", num_epochs=1, shuffle=False)
        endless = make(path, 2, numbers, shuffle=False).take(4)
        dropped = make(path, 2, numbers, num_epochs=1, shuffle=False, drop_final_batch=True)
        examples = tf.data.TFRecordDataset(path).map(
            lambda x: tf.compat.v1.parse_single_example(x, numbers)["n"]
        )
        return [
            [(batch["words"], label) for batch, label in pairs],
            [batch["n"] for batch in endless],
            [batch["n"] for batch in dropped],
            sum(len(batch["n"]) for batch in make(path, 2, numbers, num_epochs=1)),
            list(examples),
            error(lambda: make(path, 2, numbers, label_key="x", num_epochs=1)),
        ]

    compare(program(tfpy), program(tensorflow), 0, "")
