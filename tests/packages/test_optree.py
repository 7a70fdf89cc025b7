"""The site's optree, compared with the real one and tested by Keras's own tree tests."""

from __future__ import annotations

import importlib
import importlib.util
import random
import sys
import unittest
from collections import Counter, OrderedDict, defaultdict, deque, namedtuple
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import optree as real
import pytest

FOLDER = Path(__file__).parents[2] / "web" / "python" / "optree"
KEYS = ["a", "b", "c", "d", 1, 2, 3, (1, 2), None]

Pair = namedtuple("Pair", ["first", "second"])


class Node:
    """A class that is registered in one namespace."""

    def __init__(self, children: list[Any], data: int) -> None:
        self.children, self.data = list(children), data

    def tree_flatten(self) -> tuple[list[Any], int]:
        return self.children, self.data

    @classmethod
    def tree_unflatten(cls, data: int, children: list[Any]) -> Node:
        return cls(children, data)

    def __repr__(self) -> str:
        return f"Node({self.children}, {self.data})"


def load() -> ModuleType:
    """Return the site's package under its own name."""
    spec = importlib.util.spec_from_file_location("site_optree", FOLDER / "__init__.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


ours = load()
for package in (real, ours):
    package.register_pytree_node_class(Node, namespace="here")


def make_tree(rng: random.Random, depth: int = 0) -> Any:
    """Return nested containers of all kinds, some deep, some empty."""
    count = rng.randrange(4)

    def children() -> list[Any]:
        return [make_tree(rng, depth + 1) for _ in range(count)]

    def items() -> list[tuple[Any, Any]]:
        return list(zip(rng.sample(KEYS, count), children(), strict=True))

    kinds: list[Callable[[], Any]] = [
        lambda: rng.choice([1, "s", None, 2.5, Counter("a")]),
        children,
        lambda: tuple(children()),
        lambda: dict(items()),
        lambda: OrderedDict(items()),
        lambda: defaultdict(int, items()),
        lambda: deque(children(), maxlen=rng.choice([None, 5])),
        lambda: Pair(make_tree(rng, depth + 1), make_tree(rng, depth + 1)),
        lambda: Node(children(), rng.randrange(2)),
    ]
    return kinds[rng.randrange(len(kinds)) if depth < 4 else 0]()


def answer(action: Callable[[ModuleType], Any], package: ModuleType) -> str:
    try:
        return repr(action(package))
    except (ValueError, TypeError) as error:
        return type(error).__name__


def assert_same(action: Callable[[ModuleType], Any]) -> None:
    assert answer(action, ours) == answer(action, real)


def actions(tree: Any, other: Any, **options: Any) -> list[Callable[[ModuleType], Any]]:
    """Return the actions on two trees."""

    def rebuilt(package: ModuleType) -> Any:
        leaves, spec = package.tree_flatten(tree, **options)
        made = package.tree_unflatten(spec, range(len(leaves)))
        return leaves, spec.num_leaves, spec.num_nodes, made

    return [
        rebuilt,
        lambda p: p.tree_map(lambda *leaves: leaves, tree, other, **options),
        lambda p: p.tree_flatten_with_path(tree, **options)[:2],
        lambda p: p.tree_is_leaf(tree, **options),
        lambda p: p.tree_leaves(tree, lambda x: type(x) is tuple, **options),
        lambda p: p.tree_unflatten(p.tree_structure(tree, **options), [1, 2]),
    ]


@pytest.mark.parametrize("none_is_leaf", [False, True])
@pytest.mark.parametrize("namespace", ["", "here"])
def test_random_trees(none_is_leaf: bool, namespace: str) -> None:
    rng = random.Random(5)
    for _ in range(400):
        tree = make_tree(rng)
        other = rng.choice([tree, make_tree(rng)])
        for action in actions(tree, other, none_is_leaf=none_is_leaf, namespace=namespace):
            assert_same(action)


@pytest.mark.parametrize(
    "action",
    [
        lambda p: p.tree_map(max, Node([1], 0), Node([1], 1), namespace="here"),
        lambda p: p.tree_map(max, {"a": 1}, {"b": 1}),
        lambda p: p.tree_map(max, [1], [2, 3]),
        lambda p: p.tree_map(max, [1], (1,)),
        lambda p: p.tree_map(max, Pair(1, 2), (1, 2)),
        lambda p: p.tree_unflatten(p.tree_structure([1]), []),
        lambda p: p.register_pytree_node_class(Node, namespace="here"),
        lambda p: p.register_pytree_node(Counter, list, list, namespace=""),
        lambda p: p.utils.total_order_sorted([2, "b", 1, "a"]),
        lambda p: p.utils.total_order_sorted([(2, None), (1, 3), (1, "x")], key=lambda v: v[0]),
        lambda p: p.utils.total_order_sorted([3j, 1j], reverse=True),
    ],
)
def test_same_answers(action: Callable[[ModuleType], Any]) -> None:
    assert_same(action)


@pytest.mark.filterwarnings("ignore")
def test_keras_own_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    from keras.src.tree import optree_impl, tree_test
    from keras.src.utils import tracking

    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "optree", ours)
        patch.setitem(sys.modules, "optree.utils", ours.utils)
        importlib.reload(optree_impl)
        for name in ("TrackedList", "TrackedDict", "TrackedSet", "TrackedOrderedDict"):
            optree_impl.register_tree_node_class(getattr(tracking, name))
        result = unittest.TestResult()
        unittest.defaultTestLoader.loadTestsFromTestCase(tree_test.TreeTest).run(result)
    importlib.reload(optree_impl)
    assert result.failures + result.errors == []
    assert result.testsRun >= 20
