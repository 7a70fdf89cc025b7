"""Malformed records of CSV files raise TensorFlow's errors, and the next records are read."""

from __future__ import annotations

import re
import tempfile
from typing import Any

import pytest
from api.same import same

KINDS = ("Quote inside a string", "Unquoted fields", "Reached end of file", "Expect", "Can't read")
KINDS += ("buffer_size should be positive", "Either select_cols or exclude_cols")


@pytest.mark.parametrize(
    ("content", "columns", "options"),
    [
        ('1,"2"3",4\n1,"2"3",4",5,5\na,b,"c"d"\ne,f,g\n', 3, {}),
        ('1,2"3,4\ne,f,g\n', 3, {}),
        ('1;2"3;4\ne;f;g\n', 3, {"field_delim": ";"}),
        ('1,2"3,"4"\n', 3, {"use_quote_delim": False}),
        ('1,"2""3",4\n"a","","c"\n"x,y",z,"l\nm"\n', 3, {}),
        ("0\n\n2\n", 1, {}),
        ("\n1,2\n3,4\n", 2, {}),
        ('a,b,c\na,b,"c', 3, {}),
        ("", 2, {"header": True}),
        ("1,2\n1,2,3,4\ne,f,g\n", 3, {}),
        ("1,2\n", 2, {"buffer_size": 0}),
        ("1,2,3\n", 1, {"select_cols": [0], "exclude_cols": [1, 2]}),
    ],
)
def test_records(content: str, columns: int, options: dict[str, Any]) -> None:
    path = f"{tempfile.mkdtemp()}/records.csv"
    with open(path, "w", newline="", encoding="utf-8") as file:
        file.write(content)

    @same
    def check(tf: Any) -> Any:
        def named(error: Exception) -> str:
            return next((kind for kind in KINDS if re.search(re.escape(kind), str(error))), "?")

        found: list[Any] = []
        try:
            dataset = tf.data.experimental.CsvDataset(path, [["NA"]] * columns, **options)
        except tf.errors.InvalidArgumentError as error:
            return [named(error)]
        rows = iter(dataset)
        while len(found) < 10:
            try:
                found.append([x.numpy() for x in next(rows)])
            except StopIteration:
                break
            except tf.errors.InvalidArgumentError as error:
                found.append([named(error)])
        return found

    check()
