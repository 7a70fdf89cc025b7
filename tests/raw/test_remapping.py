"""Checkpoints in the order of a new vocabulary, initial centers of clusters, and salted crosses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow

import tfpy

LIBRARIES = (tfpy, tensorflow)
NAME = "v/.ATTRIBUTES/VARIABLE_VALUE"


@pytest.fixture(scope="module")
def prefix(tmp_path_factory: pytest.TempPathFactory) -> str:
    matrix = np.arange(12, dtype=np.float32).reshape(3, 4)
    path = str(tmp_path_factory.mktemp("checkpoint") / "matrix")
    return str(tfpy.train.Checkpoint(v=tfpy.Variable(matrix)).write(path))


def remapped(tf: Any, prefix: str, rows: Any, columns: Any, initial: Any, **given: Any) -> Any:
    arguments = {
        "ckpt_path": prefix,
        "old_tensor_name": NAME,
        "row_remapping": tf.constant(rows, tf.int64),
        "col_remapping": tf.constant(columns, tf.int64),
        "initializing_values": tf.constant(initial, tf.float32),
        "num_rows": 2,
        "num_cols": 4,
    }
    return tf.raw_ops.LoadAndRemapMatrix(**{**arguments, **given})


@pytest.mark.parametrize(
    ("rows", "columns", "initial"),
    [
        ([2, 0], [], []),
        ([2, -1], [], [1.0, 2.0, 3.0, 4.0]),
        ([-1, 1], [3, -1, 0, 1], [1.0, 2.0, 3.0, 4.0, 5.0]),
        ([-1, -1], [-1, -1, -1, -1], range(8)),
    ],
)
def test_matrices(prefix: str, rows: Any, columns: Any, initial: Any) -> None:
    initial = list(initial)
    ours, wanted = (remapped(tf, prefix, rows, columns, initial).numpy() for tf in LIBRARIES)
    assert ours.tolist() == wanted.tolist()
    assert ours.dtype == wanted.dtype


FILLED = [1.0, 2.0, 3.0, 4.0]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (([2, -1], [], [1.0]), "contained 1 elements, but more missing values remain"),
        (([2, -1], [], [1.0] * 9), "contained 9 elements, but only 4 elements were used"),
        (([2], [], FILLED), "Size of row_remapping is 1 instead of being equal to num_rows=2"),
        (([2, 2], [], []), "Old ID 2 is mapped to both new ID 0 and 1"),
        (([2, 0], [0, 1, 1, 3], []), "Old ID 1 is mapped to both new ID 1 and 2"),
        (([2, 0], [0, 1], []), "Provided col_remapping, but its size is 2"),
        (([2, 7], [], []), "out of bounds"),
        (([2, -1], [0, 1, -1, 9], FILLED), "contained 4 elements, but more missing values remain"),
    ],
)
def test_errors_of_matrices(prefix: str, given: Any, message: str) -> None:
    kinds = []
    for tf in LIBRARIES:
        with pytest.raises(tf.errors.OpError, match=message) as caught:
            remapped(tf, prefix, *given)
        kinds.append(caught.type.__name__)
    assert kinds[0] == kinds[1]


def test_missing_checkpoints_and_names(prefix: str) -> None:
    for change in ({"old_tensor_name": "x"}, {"ckpt_path": f"{prefix}-none"}):
        for tf in LIBRARIES:
            with pytest.raises(tf.errors.NotFoundError):
                remapped(tf, prefix, [0, 1], [], [], **change)
    for tf in LIBRARIES:
        with pytest.raises(tf.errors.InvalidArgumentError, match="equal to num_cols=3"):
            remapped(tf, prefix, [0, 1], [], [], num_cols=3)


@pytest.mark.parametrize(
    ("offset", "count", "size"), [(0, 4, -1), (1, 2, -1), (0, 4, 2), (0, 0, -1), (3, 1, 3)]
)
def test_vocabularies(tmp_path: Path, offset: int, count: int, size: int) -> None:
    old, new = tmp_path / "old.txt", tmp_path / "new.txt"
    old.write_text("a\nb\nc\n")
    new.write_text("c\nd\na\nb\n")
    found = [
        tf.raw_ops.GenerateVocabRemapping(
            new_vocab_file=str(new),
            old_vocab_file=str(old),
            new_vocab_offset=offset,
            num_new_vocab=count,
            old_vocab_size=size,
        )
        for tf in LIBRARIES
    ]
    ours, wanted = ([part.numpy().tolist() for part in result] for result in found)
    assert ours == wanted


def test_errors_of_vocabularies(tmp_path: Path) -> None:
    (tmp_path / "words.txt").write_text("a\nb\n")
    path = str(tmp_path / "words.txt")
    for tf in LIBRARIES:
        call = tf.raw_ops.GenerateVocabRemapping
        with pytest.raises(tf.errors.InvalidArgumentError):
            call(new_vocab_file=path, old_vocab_file=path, new_vocab_offset=0, num_new_vocab=3)
        with pytest.raises(tf.errors.InvalidArgumentError, match="expected 5 but got 2"):
            call(
                new_vocab_file=path,
                old_vocab_file=path,
                new_vocab_offset=0,
                num_new_vocab=1,
                old_vocab_size=5,
            )
        with pytest.raises(tf.errors.NotFoundError):
            call(
                new_vocab_file=path, old_vocab_file=f"{path}x", new_vocab_offset=0, num_new_vocab=1
            )


def test_chains_are_those_of_tensorflow() -> None:
    distances = np.random.default_rng(0).random(900).astype(np.float32)
    ours, wanted = (
        [int(tf.raw_ops.KMC2ChainInitialization(distances=distances, seed=s)) for s in range(20)]
        for tf in LIBRARIES
    )
    assert ours == wanted


@pytest.mark.parametrize("retries", [-1, 0, 3])
def test_centers_are_far_from_each_other(retries: int) -> None:
    groups = np.repeat(np.array([[0.0, 0.0], [100.0, 0.0], [0.0, 100.0]], np.float32), 4, 0)
    for tf in LIBRARIES:
        for seed in range(5):
            found = tf.raw_ops.KmeansPlusPlusInitialization(
                points=groups,
                num_to_sample=tf.constant(3, tf.int64),
                seed=tf.constant(seed, tf.int64),
                num_retries_per_sample=tf.constant(retries, tf.int64),
            )
            rows = sorted(map(tuple, found.numpy().tolist()))
            assert rows == [(0.0, 0.0), (0.0, 100.0), (100.0, 0.0)]


@pytest.mark.parametrize("strong", [False, True])
def test_salted_crosses(strong: bool) -> None:
    results = []
    for tf in LIBRARIES:
        letters, ends = [["a", "b"], ["c", "d"]], [["x"], ["y"]]
        inputs = [tf.sparse.from_dense(x) for x in (letters, ends)]
        found = tf.raw_ops.SparseCrossHashed(
            indices=[x.indices for x in inputs],
            values=[x.values for x in inputs],
            shapes=[x.dense_shape for x in inputs],
            dense_inputs=[] if strong else [tf.constant([[359], [1383]], tf.int64)],
            num_buckets=tf.constant(1000, tf.int64),
            strong_hash=strong,
            salt=tf.constant([137, 173], tf.int64),
        )
        results.append([part.numpy().tolist() for part in found])
    assert results[0] == results[1]
