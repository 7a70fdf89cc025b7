"""Conversion of `.tflite` files to node graphs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tfpy._src.base.dtypes import DType, as_dtype
from tfpy._src.base.unpack_limit import Room
from tfpy._src.compiler.ir.aval import Array
from tfpy._src.formats.node_graphs.node import Node, NodeGraph, Spec, named_outputs
from tfpy._src.formats.node_graphs.weights import Weights
from tfpy._src.formats.tflite.reader.dialect import TFLiteDialect
from tfpy._src.formats.tflite.reader.record import GIVES, TAKES
from tfpy._src.formats.tflite.reader.schema import IDENTIFIER, OPERATIONS, SCHEMA
from tfpy._src.formats.tflite.reader.state import ModelState
from tfpy._src.formats.tflite.reader.tensors import RESOURCE, Info, constant_of, info_of, type_name
from tfpy._src.library.io.checked_json import ModelFileError

_MAX_NODES = 1 << 20
"""Maximum number of nodes in all graphs, counting a graph at each call."""
_STATEFUL = frozenset(
    ("READ_VARIABLE", "ASSIGN_VARIABLE", "HASHTABLE_IMPORT", "CALL", "IF", "WHILE")
)
_FIRST, _HANDLE, _TABLE = "CALL_ONCE", "VAR_HANDLE", "HASHTABLE"


@dataclass(frozen=True)
class SubgraphSignature:
    """The inputs and outputs of a graph, by the names that callers use."""

    graph: int
    inputs: Mapping[str, Spec]
    outputs: Mapping[str, str]


@dataclass(frozen=True)
class ModelFile:
    """The content of a `.tflite` file.

    Attributes:
        graphs: Graphs, which may call each other by number.
        signatures: Signatures by name, at least one.
        state: State that the model keeps between calls.
        firsts: Graphs that initialize the state.
        description: Description of the model.
        metadata: Bytes by name.
        names: Names of the tensors of each graph, by their numbers.
        tables: Tables of the file, as its schema describes them.
    """

    graphs: Sequence[NodeGraph]
    signatures: Mapping[str, SubgraphSignature]
    state: ModelState
    firsts: Sequence[NodeGraph]
    description: str
    metadata: Mapping[str, bytes]
    names: Sequence[Sequence[str]]
    tables: Mapping[str, Any]


def read_file(data: bytes | memoryview, safe: bool = True) -> ModelFile:
    """Parse the graphs of a `.tflite` file.

    Args:
        data: Content of the file.
        safe: If True, operations that act outside of the graphs are rejected.

    Raises:
        ModelFileError: If the file is corrupt or contains rejected operations.
    """
    view = memoryview(data).cast("B")
    return _Reader(view, SCHEMA.read(view, "Model", IDENTIFIER), TFLiteDialect(safe)).file()


class _Reader:
    def __init__(self, data: memoryview, model: dict[str, Any], dialect: TFLiteDialect) -> None:
        self._data, self._model, self.dialect = data, model, dialect
        self._room = Room(len(data))
        self._buffers: list[dict[str, Any]] = model["buffers"]
        self._state = ModelState()
        self._firsts: dict[int, None] = {}
        self._functions: dict[str, NodeGraph] = {}
        tables = model["subgraphs"]
        if not tables:
            raise ModelFileError("The file has no graph.")
        self._resources = [_resources(self, table) for table in tables]
        self.graphs = [_Graph(self, i, table) for i, table in enumerate(tables)]

    def file(self) -> ModelFile:
        for graph in self.graphs:
            self._functions[str(graph.number)] = graph.read(self._functions)
        self._check_calls()
        graphs = list(self._functions.values())
        return ModelFile(
            graphs,
            self._signatures(),
            self._state,
            [graphs[i] for i in self._firsts],
            self._model["description"],
            {one["name"]: bytes(self.buffer(one["buffer"])) for one in self._model["metadata"]},
            [graph.names for graph in self.graphs],
            self._model,
        )

    def operation(self, table: dict[str, Any]) -> tuple[str, int]:
        """Return the name and version of an operator's operation.

        Raises:
            ModelFileError: If its number is out of range.
        """
        codes = self._model["operator_codes"]
        code = codes[_within(table["opcode_index"], codes, "operation")]
        number = max(code["builtin_code"], code["deprecated_builtin_code"])
        name = OPERATIONS[_within(number, OPERATIONS, "operation")]
        return (code["custom_code"] if name == "CUSTOM" else name), code["version"]

    def buffer(self, number: int) -> Array:
        """Return the bytes of a buffer; in large files they are located after the tables.

        Raises:
            ModelFileError: If the bytes are outside of the file.
        """
        table = self._buffers[_within(number, self._buffers, "buffer")]
        begin, size = table["offset"], table["size"]
        if begin <= 1:
            found: Array = table["data"]
            return found
        if begin + size > len(self._data):
            raise ModelFileError(f"Buffer {number} is not in the file.")
        return np.frombuffer(self._data, np.uint8, size, begin)

    def reserve(self, info: Info, name: str) -> None:
        """Count the memory of a constant, which may share its bytes or be sparse in the file.

        Raises:
            ModelFileError: If the constants of the file need too much memory.
        """
        count = math.prod(info.shape)
        too_large = self._room.refusal(f"the constant {name!r}", count * info.bytes_each)
        if too_large is not None:
            raise ModelFileError(too_large)

    def run_first(self, number: int) -> None:
        """Record a graph that initializes the state."""
        self._firsts[_within(number, self._model["subgraphs"], "graph")] = None

    def kept(self, graph: int, tensor: int, info: Info) -> Any:
        """Return the Variable that stores a tensor's state, or the resource that it names."""
        key = self._resources[graph].get(tensor)
        if key is None:
            return self._state.variable((graph, tensor), info)
        if isinstance(key, _Table):
            return self._state.table(key.number, key.keys, key.values)
        for table, names in zip(self._model["subgraphs"], self._resources, strict=True):
            for op in table["operators"]:
                name, _ = self.operation(op)
                ends = [*op["inputs"].tolist(), *op["outputs"].tolist()]
                is_user = name in ("READ_VARIABLE", "ASSIGN_VARIABLE") and len(ends) == 2
                if is_user and names.get(ends[0]) == key:
                    tensors = table["tensors"]
                    held = info_of(tensors[_within(ends[1], tensors, "tensor")])
                    return self._state.variable(key, held)
        raise ModelFileError(f"No operation uses the variable {key!r}.")

    def _signatures(self) -> dict[str, SubgraphSignature]:
        found = {}
        for table in self._model["signature_defs"]:
            number = _within(table["subgraph_index"], self.graphs, "graph")
            graph = self.graphs[number]
            found[table["signature_key"]] = SubgraphSignature(
                number,
                {one["name"]: graph.spec(one["tensor_index"]) for one in table["inputs"]},
                {one["name"]: graph.value(one["tensor_index"]) for one in table["outputs"]},
            )
        if not found:
            main = self._functions["0"]
            inputs = {spec.name: spec for spec in main.inputs}
            found[""] = SubgraphSignature(0, inputs, named_outputs(main.outputs))
        return found

    def _check_calls(self) -> None:
        """Reject recursive graphs, and calls that expand to too many nodes."""
        counts: dict[str, int] = {}
        for start in self._functions:
            todo = [start]
            while todo:
                name = todo[-1]
                graph = self._functions[name]
                called = [other for node in graph.nodes for other in self._called(node)]
                missing = [other for other in called if other not in counts]
                if missing and (missing[0] in todo):
                    raise ModelFileError(f"Graph {missing[0]} calls itself.")
                if missing:
                    todo.append(missing[0])
                    continue
                todo.pop()
                counts[name] = len(graph.nodes) + sum(counts[other] for other in called)
                if counts[name] > _MAX_NODES:
                    raise ModelFileError("The calls between graphs expand to too many nodes.")

    def _called(self, node: Node) -> Sequence[str]:
        names = self.dialect.calls(node)
        for name in names:
            if name not in self._functions:
                raise ModelFileError(
                    f"{node.op} {node.name!r} calls graph {name}, which does not exist."
                )
        return names


class _Graph:
    """A graph of the file."""

    def __init__(self, reader: _Reader, number: int, table: dict[str, Any]) -> None:
        self._reader, self.number, self._table = reader, number, table
        self._tensors: list[dict[str, Any]] = table["tensors"]
        self._infos = [info_of(tensor) for tensor in self._tensors]
        self.names = _unique(
            [
                tensor["name"].removesuffix(":0") or f"tensor {i}"
                for i, tensor in enumerate(self._tensors)
            ]
        )

    def value(self, tensor: int) -> str:
        """Return the name of a tensor."""
        return self.names[_within(tensor, self.names, "tensor")]

    def spec(self, tensor: int) -> Spec:
        """Return the spec of a tensor as an input."""
        info = self._infos[_within(tensor, self.names, "tensor")]
        dtype = None if info.dtype in (RESOURCE, "variant") else info.tensor_dtype
        return Spec(self.value(tensor), dtype, info.signature)

    def read(self, functions: Mapping[str, NodeGraph]) -> NodeGraph:
        """Convert the graph to a node graph."""
        inputs = self._table["inputs"].tolist()
        nodes = list(self._nodes())
        made = {name for node in nodes for name in node.outputs}
        given = {self.value(i) for i in inputs}
        outputs = tuple(self.value(i) for i in self._table["outputs"].tolist())
        constants: dict[str, Array | Callable[[str], Array]] = {}
        state = {}
        for i, (name, info) in enumerate(zip(self.names, self._infos, strict=True)):
            if name in made or name in given:
                continue
            if self._tensors[i]["is_variable"] or info.dtype == RESOURCE:
                state[name] = self._reader.kept(self.number, i, info)
            elif (array := self._constant(i, info)) is not None:
                constants[name] = array
        return NodeGraph(
            self._table["name"] or f"graph {self.number}",
            self._reader.dialect,
            tuple(self.spec(i) for i in inputs),
            outputs,
            tuple(nodes),
            Weights(constants, state),
            functions,
            tuple(node.name for node in nodes if self._acts(node, state)),
        )

    def _acts(self, node: Node, state: Mapping[str, Any]) -> bool:
        """Return True if a node may change the state of the model."""
        return node.op in _STATEFUL or any(name in state for name in node.inputs)

    def _constant(self, number: int, info: Info) -> Array | Callable[[str], Array] | None:
        tensor = self._tensors[number]
        data = self._reader.buffer(tensor["buffer"])
        if len(data):
            self._reader.reserve(info, tensor["name"])
            return (
                constant_of(tensor, info, data)
                if tensor["sparsity"] is None
                else (lambda name: constant_of(tensor, info, data))
            )
        if 0 in info.shape and info.dtype != "string":
            return np.zeros(info.shape, info.tensor_dtype.name)
        return None

    def _nodes(self) -> Iterator[Node]:
        last: tuple[str, ...] = ()
        for i, table in enumerate(self._table["operators"]):
            op, version = self._reader.operation(table)
            takes = self._places(table["inputs"])
            gives = self._places(table["outputs"])
            options = table["builtin_options"] or table["builtin_options2"] or {}
            if op == _FIRST:
                self._reader.run_first(options.get("init_subgraph_index", -1))
            if op in (_FIRST, _HANDLE, _TABLE):
                continue
            outputs = tuple(self.value(j) for j in gives)
            name = outputs[0] if outputs else f"{op} {i}"
            attrs = {
                **options,
                TAKES: [None if j < 0 else self._infos[j] for j in takes],
                GIVES: [self._infos[j] for j in gives],
            }
            if len(table["custom_options"]):
                attrs["custom_options"] = table["custom_options"].tobytes()
            keeps = op in _STATEFUL or any(
                j >= 0 and self._tensors[j]["is_variable"] for j in takes
            )
            inputs = tuple("" if j < 0 else self.value(j) for j in takes)
            yield Node(name, op, inputs, outputs, attrs, last if keeps else (), version)
            last = (name,) if keeps else last

    def _places(self, numbers: Array) -> list[int]:
        """Return tensors by number; -1 for an omitted one."""
        found: list[int] = numbers.tolist()
        for number in found:
            if number != -1:
                _within(number, self.names, "tensor")
        return found


@dataclass(frozen=True)
class _Table:
    number: int
    keys: DType
    values: DType


def _resources(reader: _Reader, table: dict[str, Any]) -> dict[int, str | _Table]:
    """Return the names of variables and tables by the tensors that represent them."""
    found: dict[int, str | _Table] = {}
    for op in table["operators"]:
        name, options = reader.operation(op)[0], op["builtin_options"] or {}
        if name not in (_HANDLE, _TABLE):
            continue
        key: str | _Table = f"{options.get('container')}/{options.get('shared_name')}"
        if name == _TABLE:
            dtypes = (as_dtype(type_name(options.get(k, 0))) for k in ("key_dtype", "value_dtype"))
            key = _Table(options.get("table_id", 0), *dtypes)
        found.update(dict.fromkeys(op["outputs"].tolist(), key))
    return found


def _unique(names: Sequence[str]) -> list[str]:
    """Make names unique."""
    seen: set[str] = set()
    found = []
    for i, name in enumerate(names):
        own = name if name not in seen else f"{name} ({i})"
        while own in seen:
            own += "'"
        seen.add(own)
        found.append(own)
    return found


def _within(number: int, of: Sequence[Any], what: str) -> int:
    if not 0 <= number < len(of):
        raise ModelFileError(f"The file has no {what} {number}; it has {len(of)}.")
    return number
