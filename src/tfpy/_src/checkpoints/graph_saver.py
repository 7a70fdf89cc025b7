"""The nodes that save and restore Variables in graphs that are written to files.

`tf.compat.v1.train.Saver` needs no nodes. Programs that load the files with TensorFlow do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.checkpoints.variable_parts import place_of
from tfpy._src.formats.tensorflow.reader.control_v1 import maker_of
from tfpy._src.functions.graph_mode.variables import GraphVariable
from tfpy._src.library.protos.graphs import GraphDef, NodeDef
from tfpy._src.library.protos.meta_graphs import SaverDef
from tfpy._src.library.protos.tensor_protos import make_ndarray, make_tensor_proto

_FILES = frozenset(
    (
        *("Save", "SaveSlices", "SaveV2", "Restore", "RestoreSlice", "RestoreV2"),
        *("ShardedFilename", "MergeV2Checkpoints"),
    )
)
"""Operations that read or write checkpoints."""
_PASSING = frozenset(("Identity", "Reshape", "Cast"))


def add_saver(
    graph: GraphDef, variables: Sequence[tuple[str, GraphVariable]], max_to_keep: int
) -> SaverDef:
    """Add the nodes that save and restore Variables to a message.

    Args:
        graph: The graph as a message.
        variables: Keys in checkpoints with their Variables. Parts of a Variable share a key.
        max_to_keep: Number of checkpoints that are kept.
    """
    nodes = _SaverNodes(graph, sorted(variables, key=lambda pair: pair[0]))
    return SaverDef(
        filename_tensor_name=f"{nodes.path}:0",
        save_tensor_name=f"{nodes.saved()}:0",
        restore_op_name=nodes.restored(),
        max_to_keep=max_to_keep,
        keep_checkpoint_every_n_hours=10000.0,
        version=SaverDef.V2,
    )


class _SaverNodes:
    """The nodes while they are added."""

    def __init__(self, graph: GraphDef, variables: Sequence[tuple[str, GraphVariable]]) -> None:
        self._graph, self._keys = graph, [key for key, _ in variables]
        self._variables = [variable for _, variable in variables]
        taken = {maker_of(node.name).partition("/")[0] for node in graph.node}
        scopes = ("save", *(f"save_{i}" for i in range(1, len(taken) + 1)))
        self._scope = next(name for name in scopes if name not in taken)
        self._types = [v.dtype.as_datatype_enum for v in self._variables]
        start = self._constant("filename/input", np.array(b"model", object))
        name = self._add("filename", "PlaceholderWithDefault", [start])
        self.path = self._add("Const", "PlaceholderWithDefault", [name])
        for node in graph.node[-2:]:
            node.attr["dtype"].type = dtypes.string.as_datatype_enum
            node.attr["shape"].shape.SetInParent()

    def _add(self, name: str, op: str, inputs: Sequence[str]) -> str:
        node: Any = self._graph.node.add(name=f"{self._scope}/{name}", op=op)
        node.input.extend(inputs)
        return str(node.name)

    def _constant(self, name: str, value: Any) -> str:
        found = self._add(name, "Const", ())
        node: Any = self._graph.node[-1]
        node.attr["dtype"].type = dtypes.string.as_datatype_enum
        node.attr["value"].tensor.CopyFrom(make_tensor_proto(value, dtypes.string))
        return found

    def _slices(self, op: str) -> list[str]:
        keys = np.array([key.encode() for key in self._keys], object)
        places = map(place_of, self._variables)
        slices = np.array([place.spec.encode() if place else b"" for place in places], object)
        names = self._constant(f"{op}/tensor_names", keys)
        return [names, self._constant(f"{op}/shape_and_slices", slices)]

    def saved(self) -> str:
        """Add the nodes that save, and return the name of the last one."""
        names = self._slices("SaveV2")
        values = []
        for number, variable in enumerate(self._variables):
            name = "Read/ReadVariableOp" + (f"_{number}" if number else "")
            values.append(self._add(name, "ReadVariableOp", [variable.op.name]))
            self._graph.node[-1].attr["dtype"].type = variable.dtype.as_datatype_enum
        waits = []
        if values:
            waits = [f"^{self._add('SaveV2', 'SaveV2', [self.path, *names, *values])}"]
            self._graph.node[-1].attr["dtypes"].list.type.extend(self._types)
        found = self._add("control_dependency", "Identity", [self.path, *waits])
        self._graph.node[-1].attr["T"].type = dtypes.string.as_datatype_enum
        return found

    def restored(self) -> str:
        """Add the nodes that restore, and return the name of the last one."""
        names = self._slices("RestoreV2")
        waits = []
        if self._types:
            restore = self._add("RestoreV2", "RestoreV2", [self.path, *names])
            self._graph.node[-1].attr["dtypes"].list.type.extend(self._types)
        for number, variable in enumerate(self._variables):
            source = f"{restore}:{number}" if number else restore
            name = "AssignVariableOp" + (f"_{number}" if number else "")
            waits.append(f"^{self._add(name, 'AssignVariableOp', [variable.op.name, source])}")
            self._graph.node[-1].attr["dtype"].type = variable.dtype.as_datatype_enum
        return self._add("restore_all", "NoOp", waits)


def restored_keys(graph: GraphDef, saver: SaverDef) -> dict[str, str]:
    """Return the nodes of the Variables that a saver restores, by their keys in checkpoints."""
    nodes = {node.name: node for node in graph.node}
    found: dict[str, str] = {}
    pending, seen = [saver.restore_op_name.partition(":")[0]], set()
    while pending:
        node = nodes.get(pending.pop())
        if node is None or node.name in seen:
            continue
        seen.add(node.name)
        pending += [name[1:] for name in node.input if name.startswith("^")]
        if node.op in ("Assign", "AssignVariableOp"):
            key = _restored_key(nodes, node.input[1])
            if key is not None:
                found[key] = node.input[0].partition(":")[0]
    return found


def _restored_key(nodes: Mapping[str, NodeDef], name: str) -> str | None:
    """Return the key of a value that a node restores, or None if it does not restore one."""
    node = nodes.get(maker_of(name))
    while node is not None and node.op in _PASSING:
        name = node.input[0]
        node = nodes.get(maker_of(name))
    if node is None or node.op != "RestoreV2":
        return None
    keys = make_ndarray(nodes[maker_of(node.input[1])].attr["value"].tensor).ravel()
    number = int(name.partition(":")[2] or 0)
    return str(keys[number].decode()) if number < len(keys) else None


def without_saver(graph: GraphDef) -> GraphDef:
    """Return a graph without the nodes that read or write checkpoints, and those that need them."""
    users: dict[str, list[str]] = {}
    for node in graph.node:
        for name in node.input:
            users.setdefault(maker_of(name.removeprefix("^")), []).append(node.name)
    reading = _reading_functions(graph)
    pending = [node.name for node in graph.node if node.op in _FILES or reading & _called(node)]
    gone: set[str] = set()
    while pending:
        name = pending.pop()
        if name not in gone:
            gone.add(name)
            pending += users.get(name, ())
    found = GraphDef()
    found.CopyFrom(graph)
    del found.node[:]
    found.node.extend(node for node in graph.node if node.name not in gone)
    return found


def _reading_functions(graph: GraphDef) -> set[str]:
    """Return the names of the functions that read or write checkpoints."""
    functions = {one.signature.name: one.node_def for one in graph.library.function}
    found: set[str] = set()
    while True:
        more = {
            name
            for name, nodes in functions.items()
            if any(node.op in _FILES or found & _called(node) for node in nodes)
        }
        if more == found:
            return found
        found = more


def _called(node: NodeDef) -> set[str]:
    """Return the names of the functions that a node may call."""
    attrs = (node.attr[name] for name in node.attr)
    return {node.op, *(one.func.name for one in attrs if one.WhichOneof("value") == "func")}
