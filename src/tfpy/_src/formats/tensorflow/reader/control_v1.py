"""Control flow of TensorFlow 1, structured: ``Switch`` and ``Merge`` become conditionals, and the
frames that ``Enter`` opens become loops.

TensorFlow.js's converter drops control inputs, so constants of a loop's body stand outside of its
frame: what no ``Enter`` reaches is invariant, and is read from around the loop.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tfpy._src.formats.node_graphs.node import Node, NodeGraph, Spec
from tfpy._src.formats.node_graphs.plan import ordered
from tfpy._src.formats.node_graphs.weights import Weights
from tfpy._src.formats.tensorflow.reader.dialect import DIALECT
from tfpy._src.library.io.checked_json import ModelFileError

_ENTER = frozenset(("Enter", "RefEnter"))
_EXIT = frozenset(("Exit", "RefExit"))
_NEXT = frozenset(("NextIteration", "RefNextIteration"))
_SWITCH = frozenset(("Switch", "RefSwitch", "_SwitchN"))
_MERGE = frozenset(("Merge", "RefMerge"))
_CONTROL = _ENTER | _SWITCH | _MERGE
_TAKEN = {"Identity": 1, "LoopCond": 1} | dict.fromkeys(_ENTER | _EXIT | _NEXT | _MERGE, 1)
_TAKEN |= dict.fromkeys(_SWITCH, 2)
"""Number of values that nodes take at least whose inputs are read before they run."""
_WITH_SUBGRAPHS = frozenset(("StatelessIf", "StatelessCase", "StatelessWhile"))
"""What is made here."""
_MAX_FRAMES = 32  # in each other
_MAX_SIDES = 1024  # of a Switch

Side = tuple[str, int]
"""A condition, and its value: whether it holds, or a number."""

CONSTANT = "Const"
"""Nodes that say what a constant waits for; the constant itself is no node."""


def check_inputs(name: str, op: str, inputs: Sequence[str]) -> None:
    """Refuse a node of control flow that lacks inputs.

    Raises:
        ModelFileError: If it takes fewer values than its operation needs.
    """
    if len(inputs) < _TAKEN.get(op, 0):
        raise ModelFileError(f"{op} {name!r} takes {_TAKEN[op]} values, and has {len(inputs)}")


def structured(nodes: Sequence[Node]) -> list[Node]:
    """The nodes, with loops, conditionals and cases on subgraphs for control flow.

    Args:
        nodes: and :data:`CONSTANT` for constants that wait for others, which is how it is known
            that they belong to a branch.

    Raises:
        ModelFileError: when the control flow has another form than TensorFlow makes.
    """
    if _CONTROL.isdisjoint({node.op for node in nodes}):
        return [node for node in nodes if node.op != CONSTANT]
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
        self.inner: list[str] = []
        todo = [node for node in nodes if node.op in _ENTER]
        if not todo:
            return
        users: dict[str, list[Node]] = {}
        for node in nodes:
            for name in (*node.inputs, *node.after):
                users.setdefault(maker_of(name), []).append(node)
        parents: dict[str, str] = {}
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
        return [node for node in nodes if node.op != CONSTANT]
    guards: dict[str, frozenset[Side]] = {}  # of values, and of nodes as "^name"
    makers: dict[str, Node] = {}
    for node in _sorted(nodes):
        own = guards[f"^{node.name}"] = _guards(node, guards)
        if node.op in _SWITCH:
            condition = _source(node.inputs[1], makers)
            for side in range(_sides(node)):
                value = f"{node.name}:{side}" if side else node.name
                guards[value] = own | {(condition, side)}
                makers[value] = _alias(value, node.inputs[0])
            continue
        made = node
        if node.op in _MERGE:
            made, own = _conditional(node, guards, makers)
            guards[f"^{node.name}"] = own
        for name in (node.name, *made.outputs):
            guards[name] = own
            if made.op != CONSTANT:
                makers[name] = made
    free = dict.fromkeys(node for name, node in makers.items() if not guards[name])
    names = {node.name for node in free}
    return [_without_controls(node, names) for node in free]


def _sides(switch: Node) -> int:
    """How many outputs a Switch has."""
    found = switch.attrs.get("num_outs", 2)
    if not isinstance(found, int) or not 0 < found <= _MAX_SIDES:
        raise ModelFileError(f"{switch.name}: a Switch with {found} outputs is not read")
    return found


def _guards(node: Node, guards: Mapping[str, frozenset[Side]]) -> frozenset[Side]:
    """On which conditions a node runs."""
    found = [_found(guards, name, frozenset()) for name in node.reads]
    found += [guards.get(f"^{name}", frozenset()) for name in node.after]
    return frozenset().union(*found)


def _source(value: str, makers: Mapping[str, Node]) -> str:
    """The value that another is the same as."""
    while (maker := makers.get(value)) is not None and maker.op == "Identity":
        value = maker.inputs[0]
    return value


def _conditional(
    merge: Node, guards: Mapping[str, frozenset[Side]], makers: Mapping[str, Node]
) -> tuple[Node, frozenset[Side]]:
    """A ``Merge`` as a conditional on the condition that its inputs differ in, and their other
    conditions."""
    of_inputs = [_found(guards, name, frozenset()) for name in merge.inputs]
    condition, places = _choice(merge, of_inputs)
    branches = []
    for side in range(len(places)):
        index_name = f"{merge.name}:index"
        within = [node for name, node in makers.items() if (condition, side) in guards[name]]
        branches.append(
            _subgraph(
                f"{merge.name}/{side}",
                [],
                [merge.inputs[places[side]], index_name],
                within,
                {index_name: np.int32(places[side])},
            )
        )
    outputs = (merge.name, f"{merge.name}:1")
    others = frozenset(side for own in of_inputs for side in own if side[0] != condition)
    if len(branches) == 2:
        attrs = {"then_branch": branches[1], "else_branch": branches[0]}
        return Node(merge.name, "StatelessIf", (condition,), outputs, attrs), others
    return Node(merge.name, "StatelessCase", (condition,), outputs, {"branches": branches}), others


def _choice(merge: Node, guards: Sequence[frozenset[Side]]) -> tuple[str, dict[int, int]]:
    """The condition that chooses between a Merge's inputs, and which one each of its values does.

    Raises:
        ModelFileError: when there is none.
    """
    for condition in sorted({condition for own in guards[1:] for condition, _ in own}):
        sides = [[side for c, side in sorted(own) if c == condition] for own in guards]
        places = {found[0]: place for place, found in enumerate(sides) if len(found) == 1}
        if sorted(places) == list(range(len(guards))):
            return condition, places
    raise ModelFileError(f"{merge.name}: no condition chooses between the inputs of Merge")


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
        _with_outputs(needed, outputs),
        Weights({key: np.asarray(value) for key, value in (constants or {}).items()}),
    )


def complete(nodes: Iterable[Node], wanted: Iterable[str]) -> tuple[Node, ...]:
    """New nodes, that no graph has yet: each gets the outputs that others ask for, and those that
    are wanted."""
    nodes = tuple(nodes)
    outputs = _asked_for(nodes, wanted)
    for node in nodes:
        node.outputs = node.outputs or outputs.get(node.name, ())
    return nodes


def _with_outputs(nodes: Iterable[Node], wanted: Iterable[str]) -> tuple[Node, ...]:
    """As :func:`complete`, of nodes that other graphs have, too."""
    nodes = tuple(nodes)
    outputs = _asked_for(nodes, wanted)
    return tuple(
        node if node.outputs else node.giving(outputs.get(node.name, ())) for node in nodes
    )


def _asked_for(nodes: Iterable[Node], wanted: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """The values that are wanted, and those that nodes ask for, by the names of their makers."""
    reads = (node.reads if node.op in _WITH_SUBGRAPHS else node.inputs for node in nodes)
    values = dict.fromkeys((*wanted, *itertools.chain.from_iterable(reads)))
    outputs: dict[str, tuple[str, ...]] = {name: (name,) for name in values if ":" not in name}
    if len(outputs) < len(values):
        for name in values:
            if ":" in name:
                maker = maker_of(name)
                outputs[maker] = (*outputs.get(maker, ()), name)
    return outputs


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

    def needs(node: Node) -> list[Node]:
        makers = (_found(by_name, name) for name in (*node.reads, *node.after))
        return [maker for maker in makers if maker is not None]

    return ordered(nodes, needs)
