"""Tests of the page that lists TensorFlow's names."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib

import pytest

from buildsys import tensorflow_names
from buildsys.paths import DATA


def test_the_list_is_complete() -> None:
    """Compare the list with TensorFlow's names before other tests import more of its modules."""
    command = [sys.executable, str(DATA / "list_tensorflow_names.py")]
    found = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert found.split() == tensorflow_names.names()


def test_each_name_is_in_the_page_and_each_reason_belongs_to_one() -> None:
    absent: set[str] = set()
    present: set[str] = set()
    page = tensorflow_names.PAGE.read_text(encoding="utf-8")
    for module, table in re.findall(r"^## (\S+)\n\n((?:\|.*\n)+)", page, re.MULTILINE):
        for cells, state, _ in re.findall(r"^\| (.*) \| (\w+) \| (.*) \|$", table, re.MULTILINE):
            found = {f"{module}.{name}" for name in re.findall(r"`(\w+)`", cells)}
            (absent if state == "absent" else present).update(found)
    assert absent | present == {*tensorflow_names.names()}
    reasons = tomllib.loads(tensorflow_names.REASONS.read_text(encoding="utf-8"))
    for pattern in " ".join(reasons.values()).split():
        full = re.compile(rf"tf\.{pattern}")
        assert any(map(full.fullmatch, absent)), f"no absent name matches {pattern}"


@pytest.mark.parametrize("name", ["tf.add", "tf.nn.relu", "tf.raw_ops.MatMul", "tf.data.Dataset"])
def test_names_that_are_present(name: str) -> None:
    module, _, last = name.rpartition(".")
    page = tensorflow_names.PAGE.read_text(encoding="utf-8")
    table = page.partition(f"\n## {module}\n")[2].partition("\n## ")[0]
    row = next(line for line in table.splitlines() if f"`{last}`" in line)
    assert row.endswith("| present |  |") or "differences.md#" in row
