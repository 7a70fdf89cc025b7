"""The site's dm-tree, whose compiled module is replaced by one in Python."""

from __future__ import annotations

import importlib
import sys
from collections import OrderedDict, namedtuple
from collections.abc import Iterator
from types import MappingProxyType
from typing import Any

import pytest

from buildsys import dm_tree_wheel

Point = namedtuple("Point", ["x", "y"])
OtherPoint = namedtuple("Point", ["x", "y"])


@pytest.fixture
def tree(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.syspath_prepend(str(dm_tree_wheel.ensure()))
    yield importlib.import_module("tree")
    for name in [name for name in sys.modules if name.partition(".")[0] == "tree"]:
        del sys.modules[name]  # Keras's tests use dm-tree if it is imported


def test_structures(tree: Any) -> None:
    nested = {"b": [1, (2, "abc")], "a": Point(3, {4: 5}), "c": MappingProxyType({"d": ()})}
    leaves = [3, 5, 1, 2, "abc"]
    assert tree.flatten(nested) == leaves
    assert tree.unflatten_as(nested, leaves) == nested
    doubled = tree.map_structure(lambda x: x * 2, nested)
    assert doubled["a"] == Point(6, {4: 10})
    assert [*doubled] == ["b", "a", "c"]
    paths = [path for path, _ in tree.flatten_with_path(nested)]
    assert paths == [("a", "x"), ("a", "y", 4), ("b", 0), ("b", 1, 0), ("b", 1, 1)]
    assert [tree.is_nested(x) for x in ("abc", b"", bytearray(), 1, [], {}.keys())] == (
        [False] * 4 + [True] * 2
    )
    with pytest.raises(TypeError, match="sortable keys"):
        tree.flatten({1: 2, "a": 3})


@pytest.mark.parametrize(
    ("a", "b", "error"),
    [
        ([1, (2,)], [3, (4,)], None),
        (Point(1, 2), OtherPoint(3, 4), None),
        ({"a": 1}, OrderedDict(a=2), None),
        ([1], (1,), TypeError),
        ([1], [1, 2], ValueError),
        ([[1]], [1], ValueError),
        ({"a": 1}, {"b": 1}, ValueError),
    ],
)
def test_same_structures(tree: Any, a: Any, b: Any, error: type[Exception] | None) -> None:
    if error is None:
        tree.assert_same_structure(a, b)
        return
    with pytest.raises(error, match="don't have the same nested structure"):
        tree.assert_same_structure(a, b)
    if error is TypeError:
        tree.assert_same_structure(a, b, check_types=False)
