"""Damaged and compressed files of datasets and archives: TensorFlow's error classes, and limits."""

from __future__ import annotations

import asyncio
import gzip
import io
import json
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from growth import growth

import tfpy as tf
from tfpy._src.library.io.crc import masked_crc

LIMIT = "TFPY_MAX_UNPACKED_BYTES"
BIG = 1 << 18


@pytest.fixture
def few_bytes() -> Iterator[None]:
    before = tf.env().get(LIMIT)
    tf.env().set(LIMIT, 1 << 16)
    yield
    tf.env().set(LIMIT, before)


# compressed files


def record(data: bytes) -> bytes:
    size = struct.pack("<Q", len(data))
    sums = (struct.pack("<I", masked_crc(part)) for part in (size, data))
    return size + next(sums) + data + next(sums)


READERS: dict[str, tuple[bytes, Callable[[str, str], Any]]] = {
    "records": (record(bytes(BIG)), lambda p, c: tf.data.TFRecordDataset(p, c)),
    "lines": (bytes(BIG), lambda p, c: tf.data.TextLineDataset(p, c)),
    "fixed": (
        bytes(BIG),
        lambda p, c: tf.data.FixedLengthRecordDataset(p, BIG, compression_type=c),
    ),
    "csv": (
        b"1," * BIG,
        lambda p, c: tf.data.experimental.CsvDataset(p, [tf.int32], compression_type=c),
    ),
}


@pytest.mark.usefixtures("few_bytes")
@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("kind", ["GZIP", "ZLIB"])
def test_elements_of_compressed_files(tmp_path: Path, name: str, kind: str) -> None:
    """Check that the size of one element of a compressed file is limited.

    The size of the file is not limited.
    """
    data, dataset = READERS[name]
    pack = gzip.compress if kind == "GZIP" else zlib.compress
    path = tmp_path / "file"
    path.write_bytes(pack(data))
    with pytest.raises(tf.errors.ResourceExhaustedError, match=LIMIT):
        list(dataset(str(path), kind))
    if name == "csv":
        return
    tf.env().set(LIMIT, 2 * BIG)
    assert len(list(dataset(str(path), kind))) == 1


@pytest.mark.usefixtures("few_bytes")
def test_many_elements_of_a_compressed_file(tmp_path: Path) -> None:
    path = str(tmp_path / "file")
    with tf.io.TFRecordWriter(path, "GZIP") as file:
        for _ in range(20):
            file.write(bytes(50_000))
    assert len(list(tf.data.TFRecordDataset(path, "GZIP"))) == 20
    Path(path).write_bytes(gzip.compress(b"a line of text\n" * 20_000))
    assert len(list(tf.data.TextLineDataset(path, "GZIP"))) == 20_000


def test_time_of_a_long_record_of_csv(tmp_path: Path) -> None:
    """Check that a record that arrives in many pieces is not read again for each piece."""

    def read(count: int) -> Callable[[], None]:
        path = tmp_path / f"{count}.csv"
        path.write_bytes(b'"a\nb",' * count + b"1\n2\n")
        dataset = tf.data.experimental.CsvDataset(str(path), [tf.string], select_cols=[0])

        def run() -> None:
            assert len(list(dataset)) == 2

        return run

    assert growth(read(100_000), read(800_000)) < 24


# saved datasets


def elements() -> dict[str, Any]:
    """Return components of all kinds."""
    return {
        "n": [1, 2],
        "text": ["a", "bc"],
        "ragged": tf.ragged.constant([[1, 2], [3]]),
        "sparse": tf.sparse.from_dense([[0, 1], [2, 0]]),
    }


@pytest.fixture(scope="module", params=[None, "GZIP"])
def saved(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("saved")
    tf.data.Dataset.from_tensor_slices(elements()).save(str(folder), request.param)
    return folder


def loaded(folder: Path, facts: bytes | None = None, shard: bytes | None = None) -> None:
    """Read a saved dataset with one file replaced, and restore the file."""
    (path,) = folder.glob("*.shard")
    zipped = json.loads((folder / "dataset.json").read_bytes())["gzip"]
    before = path.read_bytes(), (folder / "dataset.json").read_bytes()
    if facts is not None:
        (folder / "dataset.json").write_bytes(facts)
    if shard is not None:
        path.write_bytes(gzip.compress(shard) if zipped else shard)
    try:
        for _ in tf.data.Dataset.load(str(folder)):
            pass
    finally:
        path.write_bytes(before[0])
        (folder / "dataset.json").write_bytes(before[1])


def head(folder: Path) -> tuple[Any, bytes]:
    """Return the head of the first element, and the bytes after it."""
    (path,) = folder.glob("*.shard")
    zipped = json.loads((folder / "dataset.json").read_bytes())["gzip"]
    data = gzip.decompress(path.read_bytes()) if zipped else path.read_bytes()
    line, _, rest = data.partition(b"\n")
    return json.loads(line), rest


HEADS: dict[str, Callable[[Any], Any]] = {
    "no list": lambda h: 3,
    "one value": lambda h: h[:1],
    "counts that are no numbers": lambda h: [["a"] * len(h[0]), h[1]],
    "too few leaves": lambda h: [h[0][1:], h[1]],
    "too many arrays": lambda h: [h[0], [*h[1], h[1][0]]],
    "parts of a sparse tensor": lambda h: [[1, 1, 4, 1], h[1]],
    "an array that is a number": lambda h: [h[0], [1, *h[1][1:]]],
    "an object": lambda h: [h[0], [["|O", [2], []], *h[1][1:]]],
    "a structure": lambda h: [h[0], [["i4,i4", [], []], *h[1][1:]]],
    "a huge shape": lambda h: [h[0], [["<i4", [2**30] * 4, []], *h[1][1:]]],
    "a large shape": lambda h: [h[0], [["<i4", [2**20], []], *h[1][1:]]],
    "a negative size": lambda h: [h[0], [["<i4", [-1], []], *h[1][1:]]],
    "many axes": lambda h: [h[0], [["<i4", [1] * 70, []], *h[1][1:]]],
    "a negative length": lambda h: [h[0], [["", [1], [-5]], *h[1][1:]]],
    "lengths that do not fit": lambda h: [h[0], [["", [9], [1]], *h[1][1:]]],
}


@pytest.mark.parametrize("name", HEADS)
def test_heads_of_saved_elements(saved: Path, name: str) -> None:
    found, rest = head(saved)
    changed = json.dumps(HEADS[name](found)).encode() + b"\n" + rest
    with pytest.raises(tf.errors.DataLossError):
        loaded(saved, shard=changed)


SHARDS = [b"[" * 100_000 + b"\n", b"\xff\xfe\n", b"[[], [", b"{}\n", b"[1e999, 2]\n", b"\0" * 50]


@pytest.mark.parametrize("shard", SHARDS)
def test_shards_of_saved_datasets(saved: Path, shard: bytes) -> None:
    with pytest.raises(tf.errors.DataLossError):
        loaded(saved, shard=shard)


FACTS: list[Any] = [
    [],
    {"count": 2, "gzip": False},
    {"spec": {"tensor": [[], "int32"]}, "count": "2", "gzip": False},
    {"spec": {"tensor": [[], "int32"]}, "count": 2, "gzip": 0},
    *(
        {"spec": spec, "count": 2, "gzip": False}
        for spec in (
            {"tensor": [[], "int33"]},
            {"tensor": [[], 3]},
            {"tensor": [["a"], "int32"]},
            {"tensor": [[-2], "int32"]},
            {"tensor": []},
            {"other": [[], "int32"]},
            {"tensor": [[], "int32"], "none": []},
            {"mapping": [1]},
            {"tuple": {"none": []}},
            {"ragged": [[None], "int32", "x"]},
            7,
        )
    ),
]


@pytest.mark.parametrize("facts", FACTS)
def test_facts_of_saved_datasets(saved: Path, facts: Any) -> None:
    with pytest.raises(tf.errors.DataLossError, match=r"dataset\.json"):
        loaded(saved, facts=json.dumps(facts).encode())


@pytest.mark.parametrize("facts", [b"", b"{", b"\xff", b'{"a":' * 50_000])
def test_facts_that_are_no_json(saved: Path, facts: bytes) -> None:
    with pytest.raises(tf.errors.DataLossError, match=r"dataset\.json"):
        loaded(saved, facts=facts)


@pytest.mark.usefixtures("few_bytes")
def test_saved_datasets_that_unpack_to_much(tmp_path: Path) -> None:
    tf.data.Dataset.from_tensors(np.zeros(BIG, np.int8)).save(str(tmp_path), "GZIP")
    with pytest.raises(tf.errors.DataLossError, match=LIMIT):
        list(tf.data.Dataset.load(str(tmp_path)))
    tf.env().set(LIMIT, 2 * BIG)
    assert len(list(tf.data.Dataset.load(str(tmp_path)))) == 1


@pytest.mark.parametrize("change", [lambda d: d[:-9], lambda d: d[:60] + b"\xff" * 9 + d[69:]])
def test_compressed_shards_that_are_damaged(tmp_path: Path, change: Any) -> None:
    noise = np.random.default_rng(0).integers(0, 256, 500).astype(np.uint8)
    tf.data.Dataset.from_tensors(noise).save(str(tmp_path), "GZIP")
    (path,) = tmp_path.glob("*.shard")
    path.write_bytes(change(path.read_bytes()))
    with pytest.raises(tf.errors.DataLossError, match=r"corrupt|ends within|not valid JSON"):
        list(tf.data.Dataset.load(str(tmp_path)))


def test_all_dtypes_are_read(tmp_path: Path) -> None:
    names = "bool int8 uint8 int16 uint16 int32 uint32 float16 float32 float64 int64 complex64"
    values = tuple(tf.ones([2], getattr(tf, name)) for name in names.split())
    tf.data.Dataset.from_tensors(values).save(str(tmp_path))
    (found,) = tf.data.Dataset.load(str(tmp_path))
    assert [x.dtype for x in found] == [x.dtype for x in values]


# archives


def archive(*members: tuple[str, bytes], mode: int = zipfile.ZIP_DEFLATED) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", mode) as file:
        for name, data in members:
            file.writestr(name, data)
    return made.getvalue()


def broken(mode: int) -> bytes:
    noise = np.random.default_rng(0).bytes(500)
    data = bytearray(archive(("aaaa", noise + b"a" * 5000), mode=mode))
    data[60:90] = b"\xff" * 30
    return bytes(data)


def cut_head() -> bytes:
    """Return an archive with a member that begins after the end of the archive."""
    data = bytearray(archive(("a", b"1")))
    at = data.index(b"PK\1\2")
    data[at + 42 : at + 46] = struct.pack("<I", len(data) - 10)
    return bytes(data)


ARCHIVES: dict[str, tuple[bytes, type[Exception]]] = {
    "deflate": (broken(zipfile.ZIP_DEFLATED), tf.errors.InvalidArgumentError),
    "bzip2": (broken(zipfile.ZIP_BZIP2), tf.errors.InvalidArgumentError),
    "lzma": (broken(zipfile.ZIP_LZMA), tf.errors.InvalidArgumentError),
    "head": (cut_head(), tf.errors.InvalidArgumentError),
    "long name": (archive(("n" * 300, b"1")), tf.errors.InvalidArgumentError),
    "folder in a file": (archive(("a", b"1"), ("a/b", b"2")), tf.errors.OpError),
    "file over a folder": (archive(("a/b", b"1"), ("a", b"2")), tf.errors.OpError),
}


@pytest.mark.parametrize("name", ARCHIVES)
def test_damaged_archives(tmp_path: Path, name: str) -> None:
    data, error = ARCHIVES[name]
    (tmp_path / "x.zip").write_bytes(data)
    with pytest.raises(error):
        asyncio.run(
            tf.io.to_folder_async(tf.data.FileDataSource(tmp_path / "x.zip"), tmp_path / "in")
        )
    if name in ("deflate", "bzip2", "lzma"):
        with pytest.raises(ValueError, match="damaged"):
            tf.models.load(data.replace(b"aaaa", b"m.pb"))


def test_a_member_with_the_archive_s_name(tmp_path: Path) -> None:
    (tmp_path / "x.zip").write_bytes(archive(("x.zip", b"data"), ("b", b"1")))
    source = tf.data.FileDataSource(tmp_path / "x.zip")
    written = asyncio.run(tf.io.to_folder_async(source, tmp_path / "in"))
    assert [Path(path).read_bytes() for path in written] == [b"1", b"data"]


@pytest.mark.parametrize("line", ["__class__: 1", "text: 1", "model_checkpoint_path: 'é\\xff'"])
def test_the_state_of_checkpoints(tmp_path: Path, line: str) -> None:
    """Check that a file `checkpoint` with other fields is ignored, as in TensorFlow."""
    (tmp_path / "checkpoint").write_text(line + "\n", encoding="utf-8")
    assert tf.train.latest_checkpoint(str(tmp_path)) is None
