"""The conversion of TensorFlow 1 control flow to structured control flow.

`Switch` and `Merge` become conditionals, and the frames that `Enter` opens become loops.
TensorFlow.js's converter drops control inputs, so that constants of a loop's body are outside of
its frame. Values that no `Enter` reaches are invariant and are read from around the loop.
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
"""Minimum number of inputs of operations, if the conversion reads these inputs."""
_WITH_SUBGRAPHS = frozenset(("StatelessIf", "StatelessCase", "StatelessWhile"))
"""Operations that the conversion creates."""
_MAX_FRAMES = 32  # maximum depth of nested loops
_MAX_SIDES = 1024  # maximum number of outputs of a Switch

Side = tuple[str, int]
"""A condition and its value, which is 0 or 1, or the index of a branch."""

CONSTANT = "Const"
"""Operation of nodes that keep the control inputs of a constant. The value is stored elsewhere."""


def check_inputs(name: str, op: str, inputs: Sequence[str]) -> None:
    """Check that a node has the inputs that the conversion reads.

    Raises:
        ModelFileError: If there are too few inputs.
    """
    if len(inputs) < _TAKEN.get(op, 0):
        raise ModelFileError(
            f"{op} {name!r} needs at least {_TAKEN[op]} inputs, but has {len(inputs)}"
        )


def structured(nodes: Sequence[Node]) -> list[Node]:
    """Replace control flow of TensorFlow 1 by loops, conditionals and cases with subgraphs.

    Args:
        nodes: The nodes, and `CONSTANT` nodes for constants with control inputs. A control input
            shows that a constant belongs to a branch.

    Raises:
        ModelFileError: If the control flow does not have the form that TensorFlow creates.
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
    raise ModelFileError(f"loops are nested more than {_MAX_FRAMES} levels deep")


class _Frames:
    """The frame of each node, and the frames that do not contain other frames."""

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
        raise ModelFileError(f"the Enter node {node.name} has no frame_name")
    return name


def _with_loop(nodes: Sequence[Node], frames: _Frames, frame: str) -> list[Node]:
    """Replace the nodes of a frame by a loop."""
    inside = [node for node in nodes if frames.of.get(node.name) == frame]
    by_name = {node.name: node for node in inside}
    merges = [node for node in inside if node.op in _MERGE and _is_of_loop(node, by_name)]
    tests = [node for node in inside if node.op == "LoopCond"]
    if len(tests) != 1 or not merges:
        raise ModelFileError(
            f"the loop {frame} has {len(tests)} conditions; it must have one, and a Merge"
        )
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
    """Return the `Enter` and the `NextIteration` of a loop variable."""
    found = [by_name.get(maker_of(name)) for name in merge.inputs]
    enters = [node for node in found if node is not None and node.op in _ENTER]
    nexts = [node for node in found if node is not None and node.op in _NEXT]
    if len(enters) != 1 or len(nexts) != 1:
        raise ModelFileError(
            f"{merge.name}: the Merge of a loop must have an Enter and a NextIteration as inputs"
        )
    return enters[0], nexts[0]


def _with_conditionals(nodes: Sequence[Node]) -> list[Node]:
    """Replace each `Merge` by a conditional, which contains the nodes that its branches need."""
    if not any(node.op in _MERGE or node.op in _SWITCH for node in nodes):
        return [node for node in nodes if node.op != CONSTANT]
    guards: dict[str, frozenset[Side]] = {}  # of values, and of nodes under the key "^name"
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
    """Return the number of outputs of a Switch."""
    found = switch.attrs.get("num_outs", 2)
    if not isinstance(found, int) or not 0 < found <= _MAX_SIDES:
        raise ModelFileError(f"{switch.name}: a Switch with {found} outputs is not supported")
    return found


def _guards(node: Node, guards: Mapping[str, frozenset[Side]]) -> frozenset[Side]:
    """Return the conditions under which a node runs."""
    found = [_found(guards, name, frozenset()) for name in node.reads]
    found += [guards.get(f"^{name}", frozenset()) for name in node.after]
    return frozenset().union(*found)


def _source(value: str, makers: Mapping[str, Node]) -> str:
    """Return the origin of a value that identity operations copy."""
    while (maker := makers.get(value)) is not None and maker.op == "Identity":
        value = maker.inputs[0]
    return value


def _conditional(
    merge: Node, guards: Mapping[str, frozenset[Side]], makers: Mapping[str, Node]
) -> tuple[Node, frozenset[Side]]:
    """Convert a `Merge` to a conditional.

    Returns:
        The conditional on the condition that distinguishes the inputs of the `Merge`, and the other
        conditions of the inputs.
    """
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
    """Find the condition that selects an input of a Merge, and the input for each of its values.

    Raises:
        ModelFileError: If there is no such condition.
    """
    for condition in sorted({condition for own in guards[1:] for condition, _ in own}):
        sides = [[side for c, side in sorted(own) if c == condition] for own in guards]
        places = {found[0]: place for place, found in enumerate(sides) if len(found) == 1}
        if sorted(places) == list(range(len(guards))):
            return condition, places
    raise ModelFileError(f"{merge.name}: no condition selects one of the inputs of the Merge")


def _found(table: Mapping[str, Any], value: str, default: Any = None) -> Any:
    """Return the entry of a value in a table, by its name or by the name of its node."""
    return table.get(value, table.get(maker_of(value), default))


def _subgraph(
    name: str, inputs: Sequence[str], outputs: Sequence[str], nodes: Iterable[Node],
    constants: Mapping[str, Any] | None = None,
) -> NodeGraph:  # fmt: skip
    """Make a subgraph of the nodes that the outputs need."""
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
    """Set the outputs of new nodes to the values that other nodes read or that are wanted.

    The nodes are changed, so they must not be part of a graph yet.
    """
    nodes = tuple(nodes)
    outputs = _asked_for(nodes, wanted)
    for node in nodes:
        node.outputs = node.outputs or outputs.get(node.name, ())
    return nodes


def _with_outputs(nodes: Iterable[Node], wanted: Iterable[str]) -> tuple[Node, ...]:
    """Return nodes with their outputs, like `complete`, and copy nodes that lack them."""
    nodes = tuple(nodes)
    outputs = _asked_for(nodes, wanted)
    return tuple(
        node if node.outputs else node.giving(outputs.get(node.name, ())) for node in nodes
    )


def _asked_for(nodes: Iterable[Node], wanted: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Return the values that are wanted or that nodes read, by the names of their nodes."""
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
    """Return the name of the node that makes a value."""
    return value.partition(":")[0]


def _alias(value: str, source: str) -> Node:
    return Node(value, "Identity", (source,), (value,))


def _without_controls(node: Node, names: Collection[str]) -> Node:
    """Return a node without the control inputs that are not in `names`."""
    if all(name in names for name in node.after):
        return node
    return replace(node, after=tuple(name for name in node.after if name in names))


def _sorted(nodes: Sequence[Node]) -> list[Node]:
    """Sort nodes so that each comes after its inputs.

    Raises:
        ModelFileError: If the nodes form a cycle.
    """
    by_name = {node.name: node for node in nodes}
    for node in nodes:
        by_name.update(dict.fromkeys(node.outputs, node))

    def needs(node: Node) -> list[Node]:
        makers = (_found(by_name, name) for name in (*node.reads, *node.after))
        return [maker for maker in makers if maker is not None]

    return ordered(nodes, needs)
