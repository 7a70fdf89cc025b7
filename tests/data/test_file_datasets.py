"""Lines, records, values and saved datasets in files, as in TensorFlow."""

from __future__ import annotations

import gzip
import itertools
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow
from api.same import compare
from data.shown import numbers, outcome, shown

import tfpy
from tfpy._src.library.io.crc import crc32c

TEXTS = {"a": "a1\na2\r\n\na4", "b": "b1\n", "c": ""}
RECORDS = [b"", b"x", b"some text", bytes(range(256)) * 40]
VALUES = 'n,x,text\n1,2.5,x\n3,,"y, ""z"""\n,4,\n5,1e3,four\n'


def both(program: Any, *args: Any) -> None:
    compare(program(tfpy, *args), program(tensorflow, *args), 1e-6, program.__name__)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in TEXTS.items():
        (tmp_path / f"{name}.txt").write_bytes(text.encode())
    (tmp_path / "a.gz").write_bytes(gzip.compress(TEXTS["a"].encode()))
    (tmp_path / "a.z").write_bytes(zlib.compress(TEXTS["a"].encode()))
    (tmp_path / "bytes").write_bytes(b"HHabcdefgF")
    with tensorflow.io.TFRecordWriter(str(tmp_path / "records")) as file:
        for record in RECORDS:
            file.write(record)
    damaged = bytearray((tmp_path / "records").read_bytes())
    damaged[-10] ^= 1
    (tmp_path / "damaged").write_bytes(damaged)
    (tmp_path / "short").write_bytes((tmp_path / "records").read_bytes()[:-10])
    (tmp_path / "values.csv").write_text(VALUES)
    (tmp_path / "quotes").write_text('1,"x" y\n')
    (tmp_path / "more.csv").write_text("n,x,text\n7,7.5,seven\n8,8.5,eight\n")
    return tmp_path


def lines(tf: Any, folder: Path) -> Any:
    text = tf.data.TextLineDataset
    names = tf.data.Dataset.list_files(str(folder / "[abc].txt"), shuffle=False)
    return [
        shown(tf, text(str(folder / "a.txt"))),
        shown(tf, text([str(folder / "a.txt"), str(folder / "c.txt"), str(folder / "b.txt")])),
        shown(tf, text(names)),
        shown(tf, text(str(folder / "a.gz"), compression_type="GZIP")),
        shown(tf, text(str(folder / "a.z"), "ZLIB")),
        shown(tf, names.interleave(text, cycle_length=2)),
        repr(text(str(folder / "a.txt"))),
        isinstance(text(str(folder / "a.txt")), tf.data.Dataset),
    ]


def records(tf: Any, folder: Path) -> Any:
    found = tf.data.TFRecordDataset(str(folder / "records"))
    parts = tf.data.FixedLengthRecordDataset
    return [
        shown(tf, found),
        shown(tf, parts(str(folder / "bytes"), 2, header_bytes=2)),
        shown(tf, parts([str(folder / "bytes")] * 2, 7, 2, 1).batch(2)),
    ]


def listed(tf: Any, folder: Path) -> Any:
    tf.random.set_seed(None)
    files = tf.data.Dataset.list_files
    return [
        shown(tf, files(str(folder / "*.txt"), shuffle=False)),
        shown(tf, files([str(folder / "b.txt"), str(folder / "*.csv")], shuffle=False)),
        numbers(files(str(folder / "*"), seed=3)),
    ]


def values(tf: Any, folder: Path) -> Any:
    file, csv = str(folder / "values.csv"), tf.data.experimental.CsvDataset
    return [
        shown(tf, found)
        for found in (
            csv(file, [0, 0.0, "none"], header=True),
            csv([file, file], [tf.constant([9]), tf.constant([0.5]), ""], header=True),
            csv(file, [0.0, ""], header=True, select_cols=[1, 2]),
            csv(file, [0.0, ""], header=True, exclude_cols=[0]),
            csv(file, ["", "", tf.string], header=False, select_cols=[0, 1, 2]).take(1),
            csv(file, [0, 7.5, ""], header=True, na_value="3"),
            csv(file, [""], field_delim=";", use_quote_delim=False).take(3),
        )
    ]


def batches(tf: Any, folder: Path) -> Any:
    tf.random.set_seed(None)
    made, pattern = tf.data.experimental.make_csv_dataset, str(folder / "*.csv")
    file = str(folder / "values.csv")
    found = [
        made(file, 2, label_name="text", num_epochs=1, shuffle=False),
        made(pattern, 3, num_epochs=1, shuffle=False),
        made(pattern, 3, num_epochs=2, shuffle_seed=3),
        made(pattern, 2, num_epochs=1, shuffle=False, num_parallel_reads=2),
        made(file, 3, select_columns=["n", "text"], column_defaults=[-1, "q"], shuffle_seed=1),
        made(file, 2, ["a", "b", "c"], header=False, num_epochs=1, shuffle=False),
    ]
    return [[repr(d.element_spec), *[_plain(x) for x in itertools.islice(d, 4)]] for d in found]


def _plain(element: Any) -> Any:
    if isinstance(element, tuple):
        return [_plain(x) for x in element]
    return dict(element) if isinstance(element, dict) else element


def errors(tf: Any, folder: Path) -> Any:
    data, csv = tf.data, tf.data.experimental.CsvDataset
    file, made = str(folder / "values.csv"), tf.data.experimental.make_csv_dataset
    return [
        outcome(call)
        for call in (
            lambda: data.TextLineDataset(str(folder / "nothing")),
            lambda: data.TextLineDataset(data.Dataset.range(2)),
            lambda: data.TFRecordDataset(str(folder / "nothing")),
            lambda: data.TFRecordDataset(str(folder / "a.txt")),
            lambda: data.TFRecordDataset(str(folder / "values.csv")),
            lambda: csv(str(folder / "quotes"), [0, ""]),
            lambda: data.TFRecordDataset(str(folder / "damaged")),
            lambda: data.TFRecordDataset(str(folder / "short")),
            lambda: data.FixedLengthRecordDataset(str(folder / "bytes"), 3, 2, 1),
            lambda: data.Dataset.list_files(str(folder / "*.nothing")),
            lambda: csv(file, [tf.int32, 0.0, ""], header=True),
            lambda: csv(file, [0.0, ""], header=True),
            lambda: csv(file, [0, 0.0, "", ""], header=True),
            lambda: csv(file, [0, 0.0, ""]),
            lambda: made(file, 2, label_name="absent"),
            lambda: made(file, 2, column_names=["a", "a", "b"]),
            lambda: made(file, 2, select_columns=["n", "n"]),
            lambda: made(file, 2, header=False),
            lambda: made(str(folder / "*.nothing"), 2),
        )
    ]


@pytest.mark.parametrize("program", [lines, records, listed, values, batches, errors])
def test_files(program: Any, folder: Path) -> None:
    both(program, folder)


def saved(tf: Any, folder: Path) -> Any:
    data = tf.data.Dataset
    place = folder / tf.__name__
    rows = data.from_tensor_slices({"a": ([[1, 2], [3, 4]], [b"x\x00", b"long"])})
    ragged = data.from_tensor_slices(tf.ragged.constant([[[1], [2, 3]], [[4]]]))
    sparse = data.from_tensor_slices(tf.sparse.from_dense([[1, 0], [0, 3]]))
    found = []
    for i, d in enumerate([rows, ragged, data.zip((sparse, data.range(5))), data.range(0)]):
        d.save(str(place / f"s{i}"))
        found.append(shown(tf, data.load(str(place / f"s{i}"))))
        d.save(str(place / f"z{i}"), compression="GZIP")
        found.append(shown(tf, data.load(str(place / f"z{i}"), compression="GZIP")))
        cached = d.cache(str(place / f"c{i}"))
        found += [shown(tf, cached), shown(tf, cached), shown(tf, d.cache(str(place / f"c{i}")))]
        snapshot = d.snapshot(str(place / f"n{i}"))
        found += [shown(tf, snapshot), shown(tf, snapshot)]
    return [*found, outcome(lambda: data.load(str(place / "nothing")))]


def test_saved(folder: Path) -> None:
    both(saved, folder)


def test_shards_and_readers(folder: Path) -> None:
    data = tfpy.data.Dataset
    place = str(folder / "shards")
    data.range(6).save(place, shard_func=lambda x: x % 2)
    assert numbers(data.load(place)) == [0, 2, 4, 1, 3, 5]
    mixed = data.load(place, reader_func=lambda shards: shards.interleave(lambda x: x, 2))
    assert numbers(mixed) == [0, 1, 2, 3, 4, 5]


def test_a_cache_file_is_there_when_it_is_whole(folder: Path) -> None:
    path = folder / "cache"
    cached = tfpy.data.Dataset.range(4).cache(str(path))
    next(iter(cached))
    assert [p.name for p in folder.glob("cache*")] == []
    assert numbers(cached) == [0, 1, 2, 3]
    assert [p.name for p in folder.glob("cache*")] == ["cache.data"]


@pytest.mark.parametrize("size", [0, 1, 9, 511, 512, 513, 8195, 100_003])
def test_checksums(size: int) -> None:
    """Compare checksums of long data, which are computed in rows, with a bitwise computation."""
    data = bytes((i * 7 + i // 11) % 256 for i in range(size))
    state = 0xFFFFFFFF
    for byte in data:
        state ^= byte
        for _ in range(8):
            state = state >> 1 ^ (0x82F63B78 if state & 1 else 0)
    assert crc32c(data) == state ^ 0xFFFFFFFF
    assert crc32c(b"123456789") == 0xE3069283


@pytest.mark.parametrize("size", [(1 << 17) + 7, (1 << 21) + 9])
def test_a_checksum_of_long_texts_is_that_of_their_pieces(size: int) -> None:
    data = np.random.default_rng(0).bytes(size)
    found = 0
    for at in range(0, size, 8000):  # pieces with other row lengths
        found = crc32c(data[at : at + 8000], found)
    assert crc32c(data) == found


OPTIONS: dict[str, Callable[[Any], Any]] = {
    "none": lambda io: None,
    "name": lambda io: "GZIP",
    "empty": lambda io: "",
    "gzip": lambda io: io.TFRecordOptions("GZIP", compression_level=9),
    "zlib": lambda io: io.TFRecordOptions("ZLIB", flush_mode=2, mem_level=4, window_bits=12),
}


@pytest.mark.parametrize("kind", OPTIONS)
def test_records_written_for_each_other(kind: str, tmp_path: Path) -> None:
    """Check that both libraries read the records that each of them has written."""
    for writer in (tfpy, tensorflow):
        options = OPTIONS[kind](writer.io)
        path = str(tmp_path / writer.__name__)
        with writer.io.TFRecordWriter(path, options) as file:
            for record in RECORDS:
                file.write(record)
                file.flush()
        for reader in (tfpy, tensorflow):
            named = reader.io.TFRecordOptions.get_compression_type_string(OPTIONS[kind](reader.io))
            found = reader.data.TFRecordDataset(path, named)
            assert [x.numpy() for x in found] == RECORDS
    if kind in ("none", "empty"):
        assert (tmp_path / "tfpy").read_bytes() == (tmp_path / "tensorflow").read_bytes()


def test_errors_of_records(tmp_path: Path) -> None:
    """Compare the errors with TensorFlow's.

    Records written before an error are complete.
    """
    for lib in (tfpy, tensorflow):
        writer, errors = lib.io.TFRecordWriter, lib.errors
        for bad in ("BZ2", 3):
            with pytest.raises(ValueError, match=f'Not a valid compression_type: "{bad}"'):
                writer(str(tmp_path / "bad"), bad)
            with pytest.raises(ValueError, match="Not a valid compression_type"):
                lib.io.TFRecordOptions(bad)
        with pytest.raises(errors.NotFoundError, match="No such file or directory"):
            writer(str(tmp_path / "no" / "file"))
        with pytest.raises(errors.FailedPreconditionError, match="a directory"):
            writer(str(tmp_path))
        file = writer(str(tmp_path / "records"))
        file.write("t\u00e4xt")
        for wrong in (3, lib.constant("text"), memoryview(b"x")):
            with pytest.raises(TypeError, match="write"):
                file.write(wrong)
        file.close()
        file.close()
        for after in (file.flush, lambda file=file: file.write(b"late")):
            with pytest.raises(errors.FailedPreconditionError, match="Writer is closed"):
                after()
        found = lib.data.TFRecordDataset(str(tmp_path / "records"))
        assert [x.numpy() for x in found] == ["t\u00e4xt".encode()]


@pytest.mark.parametrize("tf", [tfpy, tensorflow], ids=["tfpy", "tensorflow"])
def test_names_of_files(tf: Any, folder: Path) -> None:
    path = folder / "a.txt"
    for names in (path, [path], [str(path)], [[str(path)]]):
        assert next(iter(tf.data.TextLineDataset(names).as_numpy_iterator())) == b"a1"
    assert list(tf.data.TextLineDataset([])) == []
    for names, text in [
        (1, "Got `tf.int32` elements"),
        (tf.constant([1]), "Got `tf.int32` elements"),
        (tf.data.Dataset.from_tensors(1.5), "Got a dataset of `tf.float32` elements"),
        (tf.data.Dataset.from_tensors([["a"]]), r"of shape \[\] \(i.e. scalars\)"),
    ]:
        with pytest.raises(TypeError, match=text):
            tf.data.TextLineDataset(names)
