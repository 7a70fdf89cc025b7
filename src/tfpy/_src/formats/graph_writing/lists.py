"""Lists of tensors (TensorArrays in loops), which become tensors with one more axis.

The length of a list that is set item by item follows from its declaration or from its readers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfpy._src.base import dtypes
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.compiler.ir.graph import Eqn, Graph

Key = tuple[int, int]
"""The id of a Graph, and the number of a value in it."""


class Lists:
    """The items and lengths of the lists in a Graph and in its subgraphs."""

    def __init__(self, graph: Graph) -> None:
        self._same: dict[Key, Key] = {}
        self._items: dict[Key, Aval] = {}
        self._lengths: dict[Key, int] = {}
        self._kept = [graph]  # keeps the Graphs alive, so that their ids stay valid
        self._visit(graph)

    def tensor(self, graph: Graph, value: int) -> Aval:
        """Return the aval of the tensor that a value becomes.

        Raises:
            ValueError: If the length or the items of a list are unknown.
        """
        aval = graph.avals[value]
        if aval.dtype != dtypes.variant:
            return aval
        root = self._root((id(graph), value))
        if root not in self._items or not self._lengths.get(root):
            raise ValueError("a tf.TensorArray must have a size, and items of one shape and dtype")
        item = self._items[root]
        return Aval((self._lengths[root], *item.shape), item.dtype)

    def like(self, graph: Graph, copy: Graph) -> None:
        """Record that a copy of a Graph has the same lists."""
        for value, aval in enumerate(graph.avals):
            if aval.dtype == dtypes.variant:
                self._same[id(copy), value] = self._root((id(graph), value))
        self._kept.append(copy)

    def _visit(self, graph: Graph) -> None:
        for eqn in graph.eqns:
            attrs = dict(eqn.attrs)
            if eqn.op.name.startswith("list_"):
                self._equation(graph, eqn, attrs)
            elif eqn.op.name.endswith("cond"):
                for branch in attrs["branches"]:
                    self._visit(branch)
                    self._join(graph, eqn.inputs[1:], branch, branch.inputs)
                    self._join(graph, eqn.outputs, branch, branch.outputs)
            elif eqn.op.name.endswith("while_loop"):
                body, test = attrs["body"], attrs["test"]
                self._visit(body)
                self._join(graph, eqn.inputs, body, body.inputs)
                self._join(graph, eqn.inputs, test, test.inputs)
                self._join(graph, eqn.outputs, body, body.outputs)
                self._join(graph, eqn.outputs, graph, eqn.inputs[: attrs["state"]])

    def _equation(self, graph: Graph, eqn: Eqn, attrs: dict[str, Any]) -> None:
        key = (id(graph), eqn.inputs[0] if eqn.op.name != "list_make" and eqn.inputs else -1)
        made = (id(graph), eqn.outputs[0])
        match eqn.op.name:
            case "list_make":
                self._know(made, None, attrs["length"])
                for value in eqn.inputs:
                    self._know(made, graph.avals[value], 0)
            case "list_set":
                self._unite(key, made)
                self._know(made, graph.avals[eqn.inputs[2]], attrs["limit"] or 0)
            case "list_clear":
                self._unite(key, made)
            case "list_add":
                self._unite(key, made)
                self._unite((id(graph), eqn.inputs[1]), made)
            case "list_get":
                self._know(key, attrs["aval"], 0)
            case "list_stack":
                self._know(key, attrs["aval"], attrs["count"])
            case "list_unstack":
                whole = graph.avals[eqn.inputs[0]]
                self._know(made, Aval(whole.shape[1:], whole.dtype), whole.shape[0])

    def _know(self, key: Key, item: Aval | None, length: int) -> None:
        root = self._root(key)
        if item is not None:
            self._items.setdefault(root, item)
        self._lengths[root] = max(length, self._lengths.get(root, 0))

    def _join(self, a: Graph, values: Sequence[int], b: Graph, others: Sequence[int]) -> None:
        for one, two in zip(values, others, strict=False):
            if a.avals[one].dtype == dtypes.variant:
                self._unite((id(a), one), (id(b), two))

    def _root(self, key: Key) -> Key:
        while key in self._same:
            key = self._same[key]
        return key

    def _unite(self, a: Key, b: Key) -> None:
        a, b = self._root(a), self._root(b)
        if a == b:
            return
        self._same[a] = b
        if a in self._items:
            self._items.setdefault(b, self._items[a])
        self._lengths[b] = max(self._lengths.get(a, 0), self._lengths.get(b, 0))
