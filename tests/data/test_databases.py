"""`tf.data.experimental.SqlDataset`, and datasets as tables and variants."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import tfpy


@pytest.fixture
def path(tmp_path: Path) -> str:
    name = str(tmp_path / "values.db")
    with sqlite3.connect(name) as database:
        database.execute("create table t (id integer, name text, x real, b integer)")
        rows = [(1, "7a", 1.5, 1), (2, "b\xe9", 2.5, 0), (3, None, None, None)]
        database.executemany("insert into t values (?, ?, ?, ?)", rows)
    return name


@pytest.mark.parametrize(
    ("query", "kinds"),
    [
        ("select * from t where id < 3 order by id", ["int64", "string", "float64", "bool"]),
        ("select id, x from t", ["int32", "float64"]),
        ("select id, name, x from t", ["string", "string", "string"]),
        ("select x, name from t", ["int32", "uint8"]),
    ],
)
def test_rows(path: str, query: str, kinds: list[str]) -> None:
    def rows(lib: Any) -> list[list[Any]]:
        types = tuple(getattr(lib, kind) for kind in kinds)
        data = lib.data.experimental.SqlDataset("sqlite", path, query, types)
        return [[np.asarray(value).tolist() for value in row] for row in data]

    assert rows(tfpy) == rows(tf)


@pytest.mark.parametrize(
    ("driver", "query", "kind", "error", "message"),
    [
        ("sqlite", "select id, x from t", "int32", "InvalidArgumentError", "columns in query .2."),
        ("sqlite", "select color from t", "int32", "UnknownError", "no such column: color"),
        ("sqlite", "select id from t", "complex64", "InvalidArgumentError", "must be one of"),
        ("mysql", "select id from t", "int32", "InvalidArgumentError", "mysql, is not supported"),
    ],
)
def test_errors(path: str, driver: str, query: str, kind: str, error: str, message: str) -> None:
    for lib in (tfpy, tf):
        with pytest.raises(getattr(lib.errors, error), match=message):
            list(lib.data.experimental.SqlDataset(driver, path, query, (getattr(lib, kind),)))


def test_a_missing_file() -> None:
    data = tfpy.data.experimental.SqlDataset("sqlite", "/no/file.db", "select 1", (tfpy.int32,))
    with pytest.raises(tfpy.errors.InvalidArgumentError, match=r"/no/file\.db: unable to open"):
        list(data)


def test_a_table_of_a_dataset() -> None:
    for lib in (tfpy, tf):
        data = lib.data.Dataset.from_tensor_slices((["a", "b"], [1, 2]))
        table = lib.lookup.StaticHashTable(lib.data.experimental.DatasetInitializer(data), -1)
        assert table.lookup(lib.constant(["b", "z"])).numpy().tolist() == [2, -1]


def test_variants() -> None:
    for lib in (tfpy, tf):
        data = lib.data.Dataset.range(3)
        variant = lib.data.experimental.to_variant(data)
        assert (variant.shape, variant.dtype) == ([], lib.variant)
        back = lib.data.experimental.from_variant(variant, data.element_spec)
        assert [int(x) for x in back] == [0, 1, 2]


def test_the_spec_of_an_iterator() -> None:
    for lib in (tfpy, tf):
        found = lib.type_spec_from_value(iter(lib.data.Dataset.from_tensors([1.0])))
        assert repr(found) == "IteratorSpec(TensorSpec(shape=(1,), dtype=tf.float32, name=None),)"
        assert isinstance(found, lib.data.IteratorSpec)
