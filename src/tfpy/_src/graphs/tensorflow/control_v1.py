"""Control flow of TensorFlow 1, structured: ``Switch`` and ``Merge`` become conditionals, and the
frames that ``Enter`` opens become loops.

TensorFlow.js's converter drops control inputs, so constants of a loop's body stand outside of its
frame: what no ``Enter`` reaches is invariant, and is read from around the loop.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tfpy._src.graphs.errors import ModelFileError
from tfpy._src.graphs.node import Node, NodeGraph, Spec
from tfpy._src.graphs.tensorflow.dialect import DIALECT
from tfpy._src.graphs.weights import Weights

_ENTER = frozenset(("Enter", "RefEnter"))
_EXIT = frozenset(("Exit", "RefExit"))
_NEXT = frozenset(("NextIteration", "RefNextIteration"))
_SWITCH = frozenset(("Switch", "RefSwitch"))
_MERGE = frozenset(("Merge", "RefMerge"))
_MAX_FRAMES = 32  # in each other

Side = tuple[str, int]
"""A condition, and whether it holds."""


def structured(nodes: Sequence[Node]) -> list[Node]:
    """The nodes, with ``StatelessWhile`` and ``StatelessIf`` on subgraphs for control flow.

    Raises:
        ModelFileError: when the control flow has another form than TensorFlow makes.
    """
    if not any(node.op in _SWITCH or node.op in _MERGE or node.op in _ENTER for node in nodes):
        return list(nodes)
    found = list(nodes)
    for _ in range(_MAX_FRAMES):
        frames = _Frames(found)
        if not frames.inner:
            return _with_conditionals(found)
        for name in frames.inner:
            found = _with_loop(found, frames, name)
    raise ModelFileError(f"loops stand in each other more than {_MAX_FRAMES} levels deep")


class _Frames:
    """Which frame each node is in, and which frames hold no other."""

    def __init__(self, nodes: Sequence[Node]) -> None:
        self.of: dict[str, str] = {}
        users: dict[str, list[Node]] = {}
        for node in nodes:
            for name in node.inputs:
                users.setdefault(maker_of(name), []).append(node)
        parents: dict[str, str] = {}
        todo = [node for node in nodes if node.op in _ENTER]
        for node in todo:
            self.of[node.name] = _frame_name(node)
        while todo:
            node = todo.pop()
            frame = self.of[node.name]
            made = dict.fromkeys((node.name, *map(maker_of, node.outputs)))
            for user in (user for name in made for user in users.get(name, ())):
                if user.op in _ENTER:
                    parents[_frame_name(user)] = frame
                elif user.op not in _EXIT and user.name not in self.of:
                    self.of[user.name] = frame
                    todo.append(user)
        outer = set(parents.values())
        self.inner = [name for name in dict.fromkeys(self.of.values()) if name not in outer]


def _frame_name(node: Node) -> str:
    name = node.attrs.get("frame_name")
    if not isinstance(name, str) or not name:
        raise ModelFileError(f"{node.name}: Enter names no frame")
    return name


def _with_loop(nodes: Sequence[Node], frames: _Frames, frame: str) -> list[Node]:
    """The nodes, with one for a frame."""
    inside = [node for node in nodes if frames.of.get(node.name) == frame]
    by_name = {node.name: node for node in inside}
    merges = [node for node in inside if node.op in _MERGE and _is_of_loop(node, by_name)]
    tests = [node for node in inside if node.op == "LoopCond"]
    if len(tests) != 1 or not merges:
        raise ModelFileError(f"the loop {frame} has {len(tests)} conditions")
    test = tests[0].name
    carried = [merge.name for merge in merges]
    enters, nexts = zip(*(_sources(merge, by_name) for merge in merges), strict=True)
    switches = {n.inputs[0]: n for n in inside if n.op in _SWITCH and n.inputs[1] == test}
    drop = {*carried, *(n.name for n in (*enters, *nexts, *tests, *switches.values()))}
    body = [node for node in inside if node.name not in drop and node.op not in _ENTER]
    body += [_alias(f"{s.name}:1", merge) for merge, s in switches.items()]
    body = _with_conditionals(body)
    exits = {n.inputs[0]: n.name for n in nodes if n.op in _EXIT}
    loop = Node(
        frame,
        "StatelessWhile",
        tuple(enter.inputs[0] for enter in enters),
        tuple(exits.get(switches[m].name, "") if m in switches else "" for m in carried),
        {
            "cond": _subgraph(f"{frame}/cond", carried, [tests[0].inputs[0]], body),
            "body": _subgraph(f"{frame}/body", carried, [n.inputs[0] for n in nexts], body),
        },
    )
    invariant = [n for n in inside if n.op in _ENTER and n not in enters]
    gone = {node.name for node in inside} | set(loop.outputs)
    kept = [node for node in nodes if node.name not in gone]
    kept += [_alias(node.name, node.inputs[0]) for node in invariant]
    names = {node.name for node in kept}
    return [*(_without_controls(node, names) for node in kept), loop]


def _is_of_loop(merge: Node, by_name: Mapping[str, Node]) -> bool:
    return any(by_name[i].op in _NEXT for i in map(maker_of, merge.inputs) if i in by_name)


def _sources(merge: Node, by_name: Mapping[str, Node]) -> tuple[Node, Node]:
    """The ``Enter`` and the ``NextIteration`` that a loop's value comes from."""
    found = [by_name.get(maker_of(name)) for name in merge.inputs]
    enters = [node for node in found if node is not None and node.op in _ENTER]
    nexts = [node for node in found if node is not None and node.op in _NEXT]
    if len(enters) != 1 or len(nexts) != 1:
        raise ModelFileError(f"{merge.name}: a loop's Merge has an Enter and a NextIteration")
    return enters[0], nexts[0]


def _with_conditionals(nodes: Sequence[Node]) -> list[Node]:
    """The nodes, with a conditional for each ``Merge``; what its branches need is within it."""
    if not any(node.op in _MERGE or node.op in _SWITCH for node in nodes):
        return list(nodes)
    guards: dict[str, frozenset[Side]] = {}
    makers: dict[str, Node] = {}
    for node in _sorted(nodes):
        if node.op in _SWITCH:
            own = _guards(node, guards)
            for side, value in ((0, node.name), (1, f"{node.name}:1")):
                guards[value] = own | {(node.inputs[1], side)}
                makers[value] = _alias(value, node.inputs[0])
            continue
        made = _conditional(node, guards, makers) if node.op in _MERGE else node
        for name in (node.name, *made.outputs):
            guards[name] = _guards(made, guards)
            makers[name] = made
    free = [node for name, node in makers.items() if not guards[name]]
    return list(dict.fromkeys(free))


def _guards(node: Node, guards: Mapping[str, frozenset[Side]]) -> frozenset[Side]:
    """On which conditions a node runs."""
    return frozenset().union(*(_found(guards, name, frozenset()) for name in node.reads))


def _conditional(
    merge: Node, guards: Mapping[str, frozenset[Side]], makers: Mapping[str, Node]
) -> Node:
    """A ``Merge`` as a conditional on the condition that its two inputs differ in."""
    if len(merge.inputs) != 2:
        raise ModelFileError(f"{merge.name}: Merge of {len(merge.inputs)} values is not read")
    first, second = (_found(guards, name, frozenset()) for name in merge.inputs)
    for condition, side in sorted(first):
        if (condition, 1 - side) in second:
            break
    else:
        raise ModelFileError(f"{merge.name}: no condition chooses between the inputs of Merge")
    by_side = {side: (merge.inputs[0], 0), 1 - side: (merge.inputs[1], 1)}
    branches = {}
    for which, key in ((1, "then_branch"), (0, "else_branch")):
        value, index = by_side[which]
        within = [node for name, node in makers.items() if (condition, which) in guards[name]]
        index_name = f"{merge.name}:index"
        branches[key] = _subgraph(
            f"{merge.name}/{key}", [], [value, index_name], within, {index_name: np.int32(index)}
        )
    outputs = (merge.name, f"{merge.name}:1")
    return Node(merge.name, "StatelessIf", (condition,), outputs, branches)


def _found(table: Mapping[str, Any], value: str, default: Any = None) -> Any:
    """What a table has for a value: under its name, or that of its node."""
    return table.get(value, table.get(maker_of(value), default))


def _subgraph(
    name: str, inputs: Sequence[str], outputs: Sequence[str], nodes: Iterable[Node],
    constants: Mapping[str, Any] | None = None,
) -> NodeGraph:  # fmt: skip
    """Those of the nodes that the outputs need."""
    makers: dict[str, Node] = {}
    for node in nodes:
        makers.update(dict.fromkeys((node.name, *node.outputs), node))
    needed: dict[Node, None] = {}
    todo = [value for value in outputs if value not in inputs]
    while todo:
        node = _found(makers, todo.pop())
        if node is not None and node not in needed:
            needed[node] = None
            todo.extend(value for value in (*node.reads, *node.after) if value not in inputs)
    names = {node.name for node in needed}
    needed = {_without_controls(node, names): None for node in needed}
    return NodeGraph(
        name,
        DIALECT,
        tuple(Spec(value) for value in inputs),
        tuple(outputs),
        with_outputs(needed, outputs),
        Weights({key: np.asarray(value) for key, value in (constants or {}).items()}),
    )


def with_outputs(nodes: Iterable[Node], wanted: Iterable[str]) -> tuple[Node, ...]:
    """The nodes, each with the outputs that others ask for and those that are wanted."""
    nodes = list(nodes)
    outputs: dict[str, list[str]] = {}
    for name in dict.fromkeys((*wanted, *(read for node in nodes for read in node.reads))):
        outputs.setdefault(maker_of(name), []).append(name)
    return tuple(
        node if node.outputs else node.giving(tuple(outputs.get(node.name, ()))) for node in nodes
    )


def maker_of(value: str) -> str:
    """The name of the node that makes a value."""
    return value.partition(":")[0]


def _alias(value: str, source: str) -> Node:
    return Node(value, "Identity", (source,), (value,))


def _without_controls(node: Node, names: Collection[str]) -> Node:
    """A node that waits for no others than these."""
    if all(name in names for name in node.after):
        return node
    return replace(node, after=tuple(name for name in node.after if name in names))


def _sorted(nodes: Sequence[Node]) -> list[Node]:
    """Each node after those whose values it takes.

    Raises:
        ModelFileError: when there is no such order.
    """
    by_name = {node.name: node for node in nodes}
    for node in nodes:
        by_name.update(dict.fromkeys(node.outputs, node))
    order: list[Node] = []
    is_done: dict[Node, bool] = {}
    todo = list(reversed(nodes))
    while todo:
        node = todo[-1]
        if node in is_done:
            todo.pop()
            if not is_done[node]:
                is_done[node] = True
                order.append(node)
            continue
        is_done[node] = False
        for name in node.reads:
            before = _found(by_name, name)
            if before is not None and before not in is_done:
                todo.append(before)
            elif before is not None and not is_done[before]:
                raise ModelFileError(f"{node.name!r} needs its own result")
    return order
