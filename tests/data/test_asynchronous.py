"""Datasets with asynchronous elements: each step returns the same as for other datasets."""

from __future__ import annotations

import asyncio
import gzip
import io
import zipfile
import zlib
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow
from api.same import compare

import tfpy as tf
from tfpy._src.library.io.crc import masked_crc
from tfpy.data import Dataset, FileDataSource, TFRecordDataset

SPEC = (tf.TensorSpec([], tf.int32), tf.TensorSpec([None], tf.float32))


def rows() -> Iterator[Any]:
    for i in range(11):
        yield i * 7 % 5, [float(i)] * (i % 3)


async def coming_rows() -> AsyncIterator[Any]:
    for i, row in enumerate(rows()):
        if i % 3 != 1:
            await asyncio.sleep(0)
        yield row


def here() -> Any:
    return Dataset.from_generator(rows, output_signature=SPEC)


def coming() -> Any:
    return Dataset.from_generator(coming_rows, output_signature=SPEC)


async def awaited(dataset: Any) -> list[Any]:
    return [element async for element in dataset]


def plain(value: Any) -> Any:
    """Return an element as Python values, and a window as its elements."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [plain(item) for item in value]
    if isinstance(value, Dataset):
        return [plain(x) for x in value]
    return value.to_list() if isinstance(value, tf.RaggedTensor) else np.asarray(value).tolist()


def first(x: Any, y: Any) -> Any:
    return x


STEPS: dict[str, Callable[[Any], Any]] = {
    "itself": lambda d: d,
    "as another element": lambda d: d.map(lambda x, y: {"a": x + 1, "b": y}),
    "op by op": lambda d: d.map(lambda x, y: tf.py_function(lambda v: v + 1, [x], tf.int32)),
    "filter": lambda d: d.filter(lambda x, y: x > 1),
    "take": lambda d: d.take(3),
    "take nothing": lambda d: d.take(0),
    "take all": lambda d: d.take(-1),
    "skip": lambda d: d.skip(4),
    "skip all": lambda d: d.skip(-1),
    "shard": lambda d: d.shard(3, 1),
    "repeat": lambda d: d.repeat(2),
    "repeat without end": lambda d: d.repeat().take(25),
    "repeat nothing": lambda d: d.filter(lambda x, y: x > 9).repeat().take(3),
    "shuffle": lambda d: d.shuffle(4, seed=3),
    "shuffle all": lambda d: d.shuffle(40, seed=3).repeat(2),
    "cache": lambda d: d.cache().repeat(2),
    "prefetch": lambda d: d.prefetch(2),
    "counted": lambda d: d.apply(tf.data.experimental.assert_cardinality(11)),
    "take_while": lambda d: d.take_while(lambda x, y: tf.size(y) < 2),
    "scan": lambda d: d.map(first).scan(0, lambda s, x: (s + x, s)),
    "enumerate": lambda d: d.enumerate(5),
    "unique": lambda d: d.map(first).unique(),
    "ignore_errors": lambda d: d.map(lambda x, y: 6 // x).ignore_errors(),
    "batch": lambda d: d.map(first).batch(4),
    "whole batches": lambda d: d.map(first).batch(4, drop_remainder=True),
    "padded_batch": lambda d: d.padded_batch(4),
    "ragged_batch": lambda d: d.ragged_batch(4),
    "unbatch": lambda d: d.padded_batch(4).unbatch(),
    "rebatch": lambda d: d.padded_batch(4).map(first).rebatch([2, 3]),
    "flat_map": lambda d: d.flat_map(lambda x, y: Dataset.from_tensor_slices(y)),
    "inner": lambda d: Dataset.range(2).flat_map(lambda i: d.map(lambda x, y: x)),
    "interleave": lambda d: d.interleave(lambda x, y: Dataset.from_tensor_slices(y), 2, 2),
    "interleaved": lambda d: Dataset.range(3).interleave(lambda i: d.map(first), 2, 3),
    "window": lambda d: d.map(first).window(3, 4, 2),
    "gapped window": lambda d: d.map(first).window(2, 5, 1, drop_remainder=True),
    "groups": lambda d: d.group_by_window(
        lambda x, y: tf.cast(x % 2, tf.int64), lambda k, e: e.map(first).batch(9), 3
    ),
    "buckets": lambda d: d.bucket_by_sequence_length(lambda x, y: tf.size(y), [1, 2], [2, 2, 2]),
    "zip": lambda d: Dataset.zip((d, Dataset.range(6), d.skip(1))),
    "pairs": lambda d: Dataset.zip((Dataset.range(20), d)),
    "concatenate": lambda d: d.concatenate(d.take(2)),
    "choose": lambda d: Dataset.choose_from_datasets(
        [d, here()], d.map(lambda x, y: tf.cast(x % 2, tf.int64)), stop_on_empty_dataset=False
    ),
    "sample": lambda d: Dataset.sample_from_datasets([d, d], [0.3, 0.7], seed=4),
    "resample": lambda d: d.rejection_resample(lambda x, y: x % 2, [0.5, 0.5], seed=1),
}
"""Datasets that use each step."""


@pytest.fixture
def seeded() -> Iterator[Callable[[], None]]:
    """Return a function that resets the random numbers."""
    yield lambda: tf.random.set_seed(1)
    tf.random.set_seed(None)


@pytest.mark.parametrize("name", STEPS)
def test_steps(name: str, seeded: Callable[[], None]) -> None:
    seeded()
    expected = [plain(x) for x in STEPS[name](here())]
    for source in (coming, here):
        seeded()
        assert [plain(x) for x in asyncio.run(awaited(STEPS[name](source())))] == expected


def test_a_step_after_others() -> None:
    def made(source: Any) -> Any:
        found = source.repeat(3).filter(lambda x, y: x != 3).shuffle(5, seed=2)
        found = Dataset.zip((found.map(first), found.skip(1).map(first)))
        return found.batch(4).flat_map(lambda a, b: Dataset.from_tensors(a - b)).take(5)

    assert plain(asyncio.run(awaited(made(coming())))) == plain(list(made(here())))


@pytest.mark.parametrize(
    "wait",
    [
        list,
        lambda d: next(d.map(first).as_numpy_iterator()),
        lambda d: d.reduce(0, lambda s, x: s + 1),
        lambda d: d.take(1).get_single_element(),
    ],
)
def test_who_does_not_await(wait: Callable[[Any], Any]) -> None:
    with pytest.raises(TypeError, match=r"async for .*fit_async"):
        wait(coming())


def test_errors_come_where_they_belong() -> None:
    async def failing() -> AsyncIterator[Any]:
        yield 1
        raise ValueError("no more")

    dataset = Dataset.from_generator(failing, output_signature=SPEC[0])
    with pytest.raises(tf.errors.InvalidArgumentError, match="no more"):
        asyncio.run(awaited(dataset))
    assert plain(asyncio.run(awaited(dataset.ignore_errors()))) == [1]


def test_others_run_meanwhile() -> None:
    ready = asyncio.Event()

    async def waiting() -> AsyncIterator[Any]:
        await ready.wait()
        yield 3

    async def program() -> Any:
        dataset = Dataset.from_generator(waiting, output_signature=SPEC[0]).batch(2)
        task = asyncio.create_task(awaited(dataset))
        await asyncio.sleep(0)
        ready.set()
        return await task

    assert plain(asyncio.run(program())) == [[3]]


# Files


def in_pieces(file: Any, size: int) -> FileDataSource:
    return FileDataSource(file, chunk_size=size)


LINES = b"one\r\n\ntwo\r\n" + b"x" * 50 + b"\n\xc3\xa4 last"
CSV = 'n,x,text\r\n1,2.5,x\n3,,"y,\n ""z"""\r4,4,\xe4\n5,1e3,four'.encode()
KINDS: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    "GZIP": lambda b: gzip.compress(b[:9]) + gzip.compress(b[9:]),
    "ZLIB": zlib.compress,
}


@pytest.mark.parametrize("size", [1, 2, 7, 4096])
@pytest.mark.parametrize("kind", KINDS)
def test_files_in_pieces(tmp_path: Path, size: int, kind: str) -> None:
    """Compare the elements with TensorFlow's for the same files cut into pieces."""
    with tensorflow.io.TFRecordWriter(str(tmp_path / "r"), kind) as file:
        for record in (b"", b"a", bytes(range(256)) * 3):
            file.write(record)
    for name, data in (("lines", LINES), ("csv", CSV), ("fixed", b"HHabcdef")):
        (tmp_path / name).write_bytes(KINDS[kind](data))

    def datasets(lib: Any, given: Callable[[str], Any]) -> list[Any]:
        csv = lib.data.experimental.CsvDataset
        fixed = lib.data.FixedLengthRecordDataset
        return [
            lib.data.TFRecordDataset(given("r"), kind),
            lib.data.TextLineDataset(given("lines"), kind).batch(2),
            csv(given("csv"), [0, 0.0, "none"], compression_type=kind, header=True),
            fixed(given("fixed"), 3, header_bytes=2, compression_type=kind),
        ]

    theirs = datasets(tensorflow, lambda name: str(tmp_path / name))
    ours = datasets(tf, lambda name: in_pieces(str(tmp_path / name), size))
    for found, expected in zip(ours, theirs, strict=True):
        compare(asyncio.run(awaited(found)), list(expected), 0, kind)


def test_progress() -> None:
    heard: list[Any] = []
    file = FileDataSource(LINES, lambda done, size: heard.append((done, size)), chunk_size=30)
    found = asyncio.run(awaited(tf.data.TextLineDataset([file, FileDataSource(b"more")])))
    assert [x.numpy() for x in found[-2:]] == [b"\xc3\xa4 last", b"more"]
    assert heard == [(30, len(LINES)), (60, len(LINES)), (len(LINES), len(LINES))]


def test_batches_of_what_no_trace_knows(tmp_path: Path) -> None:
    """Batch results of a function that cannot be traced, such as an image decoder.

    The shapes of its results are known only after the first element.
    """
    sources = []
    for number in range(3):
        picture = tf.io.encode_png(tf.fill([2, 2, 3], tf.constant(number, tf.uint8)))
        (tmp_path / f"{number}").write_bytes(picture.numpy())
        sources.append(in_pieces(str(tmp_path / f"{number}"), 99))
    pictures = tf.data.WholeFileDataset(sources).map(tf.io.decode_png)
    first, last = asyncio.run(awaited(pictures.batch(2)))
    assert (first.shape, last.shape) == ((2, 2, 2, 3), (1, 2, 2, 3))
    assert last.numpy().max() == 2


def test_untrusted_sizes(tmp_path: Path) -> None:
    """Check that a record that claims to be longer than all memory allocates none."""
    head = (1 << 62).to_bytes(8, "little")
    data = head + masked_crc(head).to_bytes(4, "little") + b"x" * 100
    with pytest.raises(tf.errors.DataLossError, match="truncated record at 0"):
        asyncio.run(awaited(TFRecordDataset(FileDataSource(data))))
    for kind, bad in (("GZIP", b"no gzip"), ("GZIP", gzip.compress(LINES)[:-9]), ("ZLIB", b"x")):
        with pytest.raises(tf.errors.DataLossError, match=kind):
            asyncio.run(awaited(tf.data.TextLineDataset(FileDataSource(bad), kind)))


def test_addresses_need_a_page() -> None:
    with pytest.raises(tf.errors.UnimplementedError, match="scheme 'https' not implemented"):
        asyncio.run(awaited(tf.data.TextLineDataset("https://localhost/a.txt")))
    with pytest.raises(TypeError, match="must be a File"):
        FileDataSource(3)


def test_whole_files(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"a" * 70_000)
    (tmp_path / "b").write_bytes(b"")
    names = [str(tmp_path / "a"), str(tmp_path / "b")]
    expected = [b"a" * 70_000, b""]
    assert [x.numpy() for x in tf.data.WholeFileDataset(names)] == expected
    sources = [in_pieces(name, 999) for name in names]
    assert [x.numpy() for x in asyncio.run(awaited(tf.data.WholeFileDataset(sources)))] == expected


TABLE = b'city,"size",warm\nBern,51.6,1\n"Ulm, D",118,0\nOslo,,1\n'


def table(data: bytes = TABLE, **options: Any) -> Any:
    async def program() -> Any:
        dataset = await tf.data.csv_async(in_pieces(data, 5), **options)
        return dataset, [plain(x) async for x in dataset]

    return asyncio.run(program())


def test_tables() -> None:
    dataset, found = table()
    assert dataset.column_names == ["city", "size", "warm"]
    assert isinstance(dataset, Dataset)
    spec = {name: s.dtype.name for name, s in dataset.element_spec.items()}
    assert spec == {"city": "string", "size": "float32", "warm": "int32"}
    sizes = [np.float32(51.6).item(), 118.0, 0.0]
    cities = [b"Bern", b"Ulm, D", b"Oslo"]
    assert [(e["city"], e["size"], e["warm"]) for e in found] == list(
        zip(cities, sizes, [1, 0, 1], strict=True)
    )


def test_columns_of_tables() -> None:
    configs = {"size": {"default": -1.0}, "warm": {"is_label": True, "dtype": tf.float32}}
    _, found = table(column_configs=configs, configured_columns_only=True)
    assert [y for _, y in found] == [{"warm": 1.0}, {"warm": 0.0}, {"warm": 1.0}]
    assert found[2][0] == {"size": -1.0}
    renamed, rows = table(column_names=["a", "b", "c"])
    assert renamed.column_names == ["a", "b", "c"]
    assert len(rows) == 3
    _, bare = table(b"1;x\n2;y", has_header=False, column_names=["n", "t"], delimiter=";")
    assert bare == [{"n": 1, "t": b"x"}, {"n": 2, "t": b"y"}]


def row_error(data: bytes, **options: Any) -> str:
    """Return the error of reading the rows of a table."""
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        table(data, **options)
    return str(caught.value)


def late(field: bytes) -> bytes:
    """Return a table with an unexpected value after the rows from which dtypes are inferred."""
    return b"age,city\n" + b"1,Bern\n" * 1000 + field + b",Ulm\n"


def test_errors_of_rows_name_the_place_and_the_remedy() -> None:
    required = row_error(TABLE, column_configs={"size": {"required": True}})
    assert "csv: column 'size' is required, but empty in row 4 of bytes." in required
    assert "{'size': {'default': …}}" in required
    decimal = row_error(late(b"3.5"))
    assert "column 'age' has the dtype int32 of the first rows, but row 1002 of bytes" in decimal
    assert "has '3.5'" in decimal
    assert "column_configs={'age': {'dtype': 'float32'}}" in decimal
    assert "{'age': {'dtype': 'string'}}" in row_error(late(b"n/a"))
    given = row_error(b"a\nx\n", column_configs={"a": {"dtype": "float32"}})
    assert "column 'a' has the dtype float32, but row 2 of bytes has 'x'" in given
    short = row_error(late(b"1") + b"2\n")
    assert "row 1003 of bytes has the fields ['2'], but the table has 2 columns" in short
    latin = row_error(late(b"1") + "2,Zürich\n".encode("latin-1"))
    assert "column 'city' in row 1003 of bytes is not UTF-8: b'Z\\xfcrich'" in latin
    lone = row_error(b"1\nx\n", has_header=False, column_names=["a"],
                     column_configs={"a": {"dtype": "int32"}})  # fmt: skip
    assert "row 2 of bytes has 'x'" in lone
    _, found = table(late(b"3.5"), column_configs={"age": {"dtype": "float32"}})
    assert found[-1]["age"] == 3.5


def test_a_byte_order_mark_is_no_part_of_a_name() -> None:
    dataset, found = table("\ufeff".encode() + TABLE, column_configs={"city": {"default": "?"}})
    assert dataset.column_names == ["city", "size", "warm"]
    assert len(found) == 3
    _, bare = table(b"\xef\xbb\xbf1\n2", has_header=False, column_names=["n"])
    assert bare == [{"n": 1}, {"n": 2}]


def test_paths_of_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_bytes(TABLE)
    assert tf.data.csv("t.csv").column_names == ["city", "size", "warm"]
    assert asyncio.run(tf.io.to_folder_async("t.csv", "in")) == ["in/t.csv"]
    with pytest.raises(tf.errors.NotFoundError, match=r"no\.csv; No such file"):
        tf.data.csv("no.csv")
    with pytest.raises(tf.errors.UnimplementedError, match="'https' not implemented"):
        tf.data.csv("https://localhost/t.csv")


@pytest.mark.parametrize(
    ("data", "options", "words"),
    [
        (b"", {}, "is empty"),
        (b"a,a\n1,2\n", {}, "duplicate column names"),
        (b"a,b\n1\n", {}, r"row 2 of bytes has the fields \['1'\], but the table has 2 columns"),
        ("Größe\n1\n".encode("latin-1"), {}, r"a column of bytes is not UTF-8: b'Gr\\xf6\\xdfe'"),
        ("a\né\n".encode("latin-1"), {}, r"column 'a' in row 2 of bytes is not UTF-8: b'\\xe9'"),
        (b"a;b\n1,5;2\n", {}, "If semicolons separate the columns, pass delimiter=';'"),
        (b"a;b\n1;2\n", {"column_configs": {"a": {}}}, "pass delimiter=';'"),
        (b"1,2\n", {"has_header": False}, "pass column_names"),
        (b"a,b\n1,2\n", {"column_configs": {"c": {}}}, r"names the columns \['c'\]"),
        (b"a\n1\n", {"column_configs": {"a": {"type": "int32"}}}, r"'a' has the key 'type', but"),
        (b"a\n1\n", {"column_configs": {"a": {"isLabel": True}}}, "Write 'is_label' instead"),
    ],
)
def test_refused_tables(data: bytes, options: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        table(data, **options)


# Folders


def archive(files: dict[str, bytes]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as file:
        for name, data in files.items():
            file.writestr(name, data)
    return made.getvalue()


def to_folder(*args: Any) -> list[str]:
    return asyncio.run(tf.io.to_folder_async(*args))


def test_archives_and_files_as_folders(tmp_path: Path) -> None:
    (tmp_path / "all.zip").write_bytes(archive({"a/1.txt": b"one", "b/2.txt": b"two", "c/": b""}))
    (tmp_path / "more.txt").write_bytes(b"more")
    given = [FileDataSource(tmp_path / name, chunk_size=7) for name in ("all.zip", "more.txt")]
    folder = tmp_path / "folder"
    written = to_folder(given, folder)
    assert written == [str(folder / name) for name in ("a/1.txt", "b/2.txt", "more.txt")]
    assert [Path(name).read_bytes() for name in written] == [b"one", b"two", b"more"]
    assert not (folder / "all.zip").exists()


@pytest.mark.parametrize("name", ["../out.txt", "/etc/out.txt", "a/../../out.txt", "a\\..\\b"])
def test_names_that_lead_out_of_the_folder(tmp_path: Path, name: str) -> None:
    (tmp_path / "bad.zip").write_bytes(archive({name: b"x"}))
    with pytest.raises(tf.errors.InvalidArgumentError, match="leads out of the folder"):
        to_folder(FileDataSource(tmp_path / "bad.zip"), tmp_path / "in")
    assert not (tmp_path / "out.txt").exists()


def test_archives_that_are_too_large_or_none(tmp_path: Path) -> None:
    (tmp_path / "bomb.zip").write_bytes(archive({"zeros": bytes(1 << 20)}))
    (tmp_path / "no.zip").write_bytes(b"PK but no archive")
    for limit in (100, 100_000):
        with pytest.raises(tf.errors.ResourceExhaustedError, match="larger than max_bytes"):
            to_folder(FileDataSource(tmp_path / "bomb.zip"), tmp_path / "in", limit)
    assert not (tmp_path / "in" / "zeros").exists()
    with pytest.raises(tf.errors.InvalidArgumentError, match="not a readable ZIP archive"):
        to_folder(FileDataSource(tmp_path / "no.zip"), tmp_path / "in")
