"""SavedModels: a graph with signatures, a checkpoint of its variables, and assets.

Variables that no signature assigns become weights of the graph. Their values are found by running
the graph's own restore operation, so that SavedModels of all versions of TensorFlow can be read.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from tfpy._src.compiler.ir.aval import Array
from tfpy._src.core.conversion import host_values
from tfpy._src.core.tensor import Tensor
from tfpy._src.formats.encodings.protobuf import read
from tfpy._src.formats.node_graphs.node import Node, NodeGraph
from tfpy._src.formats.node_graphs.plan import plan
from tfpy._src.formats.node_graphs.safety import refused
from tfpy._src.formats.node_graphs.scope import Scope
from tfpy._src.formats.node_graphs.weights import Weights
from tfpy._src.formats.raw_ops.records import RECORDS, Record
from tfpy._src.formats.tensorflow.checkpoint_files.bundle import part_of
from tfpy._src.formats.tensorflow.reader.dialect import DIALECT, Operation, TensorFlowDialect
from tfpy._src.formats.tensorflow.reader.graph import canonical, read_graph
from tfpy._src.formats.tensorflow.reader.messages import SAVED_MODEL
from tfpy._src.library.io.checked_json import ModelFileError
from tfpy._src.tensors.array.slicing import gather
from tfpy._src.tensors.variables.variable import Variable

VARIABLES = frozenset(("VarHandleOp", "VariableV2", "Variable"))
_INITIALIZATION = "__saved_model_init_op"
_COLLECTIONS = ("saved_model_main_op", "legacy_init_op")
_ASSIGNS = ("Assign", "Resource", "Scatter")
_READS = frozenset(("ResourceGather", "ResourceGatherNd"))
_FILL = ("InitializeTableFromTextFile", "InitializeTableFromTextFileV2")


@dataclass(frozen=True)
class SavedModel:
    """One of the graphs in a `saved_model.pb`.

    Attributes:
        message: The MetaGraphDef.
        size: Number of bytes of the file.
    """

    message: Mapping[str, Any]
    size: int

    @property
    def signatures(self) -> dict[str, dict[str, Any]]:
        """SignatureDefs that callers may call, by name. The default is the first."""
        found = self.message["signature_def"]
        return {
            key: found[key]
            for key in sorted(found, key=lambda key: (key != "serving_default", key))
            if key != _INITIALIZATION
        }

    @property
    def assets(self) -> dict[str, str]:
        """Names of asset files, by the graph's values for their paths."""
        return {
            canonical(one.get("tensor_info", {}).get("name", "")): one.get("filename", "")
            for one in self.message["asset_file_def"]
        }

    @property
    def initialization(self) -> str | None:
        """Name of the node that initializes tables."""
        found = self.message["signature_def"].get(_INITIALIZATION)
        if found is not None:
            names = [info.get("name", "") for info in found["outputs"].values()]
        else:
            lists = (self.message["collection_def"].get(key) or {} for key in _COLLECTIONS)
            names = [n for one in lists for n in one.get("node_list", {"value": []})["value"]]
        return canonical(names[0]) if names and names[0] else None

    def graph(self, outputs: Sequence[str], dialect: TensorFlowDialect) -> NodeGraph:
        """Read the graph as a node list."""
        message = self.message.get("graph_def", {"node": []})
        return read_graph(message, outputs, dialect=dialect, size=self.size)


def read_saved_model(data: bytes, tags: Iterable[str] = ("serve",)) -> SavedModel:
    """Read the graph of `saved_model.pb` with the given tags, or the first graph.

    Raises:
        ModelFileError: If the file is invalid.
    """
    graphs = read(data, SAVED_MODEL)["meta_graphs"]
    if not graphs:
        raise ModelFileError("saved_model.pb has no graph")
    wanted = set(tags)
    tagged = (g for g in graphs if wanted <= set(g.get("meta_info_def", {"tags": []})["tags"]))
    return SavedModel(next(tagged, graphs[0]), len(data))


class CheckpointValues(Protocol):
    """The values of a checkpoint by key."""

    def __getitem__(self, key: str) -> Array:
        """Return a value."""


def variables(model: SavedModel, bundle: CheckpointValues | None) -> dict[str, Array]:
    """Return the values of variables by the names of the nodes that make their handles.

    Raises:
        ModelFileError: If the checkpoint does not contain a value that the graph restores.
    """
    saver = model.message.get("saver_def", {})
    restoring = canonical(saver.get("restore_op_name", ""))
    if bundle is None or not restoring:
        return {}
    found: dict[str, Array] = {}

    def restored(node: Node, inputs: list[Any]) -> list[Array]:
        pairs = zip(np.ravel(inputs[1]), np.ravel(inputs[2]), strict=True)
        return [part_of(bundle[_text(key)], _text(wanted)) for key, wanted in pairs]

    def set_to(node: Node, inputs: list[Any]) -> list[Any]:
        found[inputs[0].node] = np.asarray(inputs[1])
        return [inputs[0]]

    dialect = TensorFlowDialect(
        {
            "RestoreV2": restored,
            "AssignVariableOp": set_to,
            "Assign": set_to,
            "Identity": lambda node, inputs: inputs,
            **dict.fromkeys(VARIABLES, lambda node, inputs: [_Handle(node.name)]),
        }
    )
    prefix = canonical(saver.get("filename_tensor_name", ""))
    _run(model.graph((), dialect), restoring, {prefix: np.array(b"", object)})
    return found


def frozen(graph: NodeGraph, values: Mapping[str, Array]) -> NodeGraph:
    """Return the graph with weights in the place of variables that its outputs only read."""
    kept = assigned(plan(graph, graph.outputs).nodes, graph.functions)
    arrays: dict[str, Any] = {name: graph.weights[name] for name in graph.weights}
    arrays |= {n.name: values[n.name] for n in graph.nodes if n.name in values.keys() - kept}
    nodes = tuple(node for node in graph.nodes if node.name not in arrays)
    return replace(graph, nodes=nodes, weights=Weights(arrays))


def assign(graph: NodeGraph, values: Mapping[str, Array]) -> None:
    """Assign the restored values to the variables that remain in a graph."""
    for node in graph.nodes:
        if node.op in VARIABLES and node.name in values:
            scope = Scope(graph, {})
            given = Node(node.name, "AssignVariableOp", ("handle", "value"), ())
            handle = scope.run(plan(graph, (node.name,)))
            DIALECT.run(given, [*handle, values[node.name]], scope)


def initialize(graph: NodeGraph, node: str, given: Mapping[str, Any]) -> None:
    """Run the node that initializes tables."""
    _run(graph, node, given)


@dataclass(frozen=True)
class _Handle:
    """A handle of a variable that is being restored."""

    node: str


def _run(graph: NodeGraph, node: str, given: Mapping[str, Any]) -> None:
    """Run a node for its effect."""
    only = replace(graph, outputs=(), effects=(node,))
    Scope(only, given).run(plan(only, (), given))


def assigned(
    nodes: Sequence[Node],
    functions: Mapping[str, NodeGraph],
    known: dict[str, set[str]] | None = None,
) -> set[str]:
    """Return the values that nodes assign to, including handles of variables.

    Args:
        nodes: Nodes of a graph or a function.
        functions: Functions that the nodes may call.
        known: Cache of the results for functions.
    """
    known = {} if known is None else known
    found: set[str] = set()
    same = {node.name: node.inputs[0] for node in nodes if node.op == "Identity"}
    for node in nodes:
        if node.op.startswith(_ASSIGNS) and node.op not in _READS and node.inputs:
            found.add(node.inputs[0])
        for name in DIALECT.calls(node):
            function = functions.get(name)
            if function is not None:
                if name not in known:
                    known[name] = set()  # in case the function calls itself
                    known[name] = assigned(function.nodes, functions, known)
                taken = node.inputs[len(node.inputs) - len(function.inputs) :]
                pairs = zip(function.inputs, taken, strict=False)
                found |= {value for spec, value in pairs if spec.name in known[name]}
    for name in list(found):
        while name in same and same[name] not in found:
            name = same[name]
            found.add(name)
    return found


def _read(node: Node, inputs: list[Any]) -> Sequence[Any]:
    return [inputs[0]] if _is_weight(inputs[0]) else _run_record(node, inputs)


def _gathered(node: Node, inputs: list[Any]) -> Sequence[Any]:
    if not _is_weight(inputs[0]):
        return _run_record(node, inputs)
    dims = int(node.attrs.get("batch_dims") or 0)
    return [gather(inputs[0], inputs[1], batch_dims=dims)]


def _is_weight(value: Any) -> bool:
    return isinstance(value, np.ndarray | Tensor | Variable)


def _run_record(node: Node, inputs: list[Any]) -> list[Any]:
    return list(RECORDS[node.op].run(inputs, node.attrs).values())


def operations(
    assets: Mapping[str, bytes], safe: bool = True, more: Mapping[str, Operation] | None = None
) -> TensorFlowDialect:
    """Return the dialect of a SavedModel.

    Operations that read Variables also accept weights in the place of handles. Tables are filled
    from assets.

    Args:
        assets: Bytes of the assets by path.
        safe: If True, refuse operations that act outside of the graph.
        more: Other operations.
    """

    def fill(node: Node, inputs: list[Any]) -> Sequence[Any]:
        record, data = RECORDS[node.op], None
        if len(inputs) == 2:  # the record reports a wrong number of inputs
            name = _text(host_values(inputs[1]).item())
            data = assets.get(name)
            if data is None and safe:
                raise refused(node, f"reads {name!r}, which is not an asset of the model")
        function = functools.partial(record.function, data=data)
        return list(Record(record.text, function, record.stateful).run(inputs, node.attrs).values())

    own = {"ReadVariableOp": _read, "ResourceGather": _gathered, **dict.fromkeys(_FILL, fill)}
    return TensorFlowDialect({**own, **(more or {})}, safe)


def _text(value: Any) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
