"""Conversion of ONNX files to node graphs."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.unpack_limit import Room
from tfpy._src.compiler.ir.aval import Array
from tfpy._src.formats.encodings.protobuf import read
from tfpy._src.formats.node_graphs.node import Dialect, Node, NodeGraph, Spec
from tfpy._src.formats.node_graphs.weights import Weights
from tfpy._src.formats.onnx.reader import proto, tensors
from tfpy._src.formats.onnx.reader.tensors import Files
from tfpy._src.library.io.checked_json import ModelFileError

CALL = "call"
"""Operation that calls the graph in the attribute `function`."""
MAX_FUNCTION_NODES = 1 << 20
"""Maximum total number of nodes in calls of a model's functions."""
MAX_FUNCTION_DEPTH = 40

_STANDARD = ("", "ai.onnx")
_Key = tuple[str, str, str]


def read_onnx(data: bytes | memoryview, dialect: Dialect, files: Files | None = None) -> NodeGraph:
    """Parse an ONNX file into a node graph.

    Args:
        data: Content of the file. Arrays are views of it.
        dialect: Dialect that executes the operations.
        files: Function that returns the bytes of an external file by its relative path.

    Raises:
        ModelFileError: If the file is corrupt.
        UnimplementedError: If an array has a dtype that tfpy does not support.
    """
    model = read(data, proto.MODEL)
    if "graph" not in model or not model["opset_import"]:
        raise ModelFileError("The file is not an ONNX model: it has no graph or no operator set.")
    reader = _Reader(model, dialect, files, Room(len(data)))
    return reader.graph(model["graph"], _opsets(model))


def _opsets(owner: Mapping[str, Any]) -> Mapping[str, int]:
    """Return the version of the operator set for each domain."""
    found = {}
    for entry in owner["opset_import"]:
        domain = entry.get("domain", "")
        found["" if domain in _STANDARD else domain] = int(entry.get("version", 1))
    return found


class _Reader:
    def __init__(
        self, model: Mapping[str, Any], dialect: Dialect, files: Files | None, room: Room
    ) -> None:
        self._dialect, self._files, self._room = dialect, files, room
        self._functions: dict[_Key, Any] = {}
        for function in model["functions"]:
            key = _key(function, function.get("name", ""))
            if key in self._functions:
                raise ModelFileError(f"The model defines the function {key[1]!r} twice.")
            self._functions[key] = function
        self._made: dict[_Key, NodeGraph] = {}  # graphs of functions without attributes
        self._calls: list[_Key] = []  # functions that are being read
        self._nodes_left = MAX_FUNCTION_NODES

    def graph(self, found: Mapping[str, Any], opsets: Mapping[str, int]) -> NodeGraph:
        """Convert a graph or subgraph."""
        name = found.get("name") or "onnx"
        weights: dict[str, Array | Callable[[str], Array]] = {}
        for entry in found["initializer"]:
            _enter(weights, entry.get("name", ""), tensors.array(entry, self._files))
        for entry in found["sparse_initializer"]:
            values = entry.get("values", {})
            _enter(weights, values.get("name", ""), tensors.dense(entry, self._room))
        given = [_spec(entry) for entry in found["input"]]
        graph = NodeGraph(
            name,
            self._dialect,
            tuple(spec for spec in given if spec.name not in weights),
            tuple(entry.get("name", "") for entry in found["output"]),
            self._nodes(found["node"], opsets, {}),
            Weights(weights),
        )
        _check(graph)
        return graph

    def _nodes(
        self, found: Sequence[Any], opsets: Mapping[str, int], outer: Mapping[str, Any]
    ) -> tuple[Node, ...]:
        """Convert nodes, giving each one a unique name.

        Args:
            found: Messages of the nodes.
            opsets: Version of the operator set for each domain.
            outer: Attributes of the enclosing function call.
        """
        made, taken = [], set[str]()
        for i, entry in enumerate(found):
            name = entry.get("name") or f"{entry.get('op_type', '')}_{i}"
            while name in taken:
                name = f"{name}_{i}"
            taken.add(name)
            made.append(self._node(entry, name, opsets, outer))
        return tuple(made)

    def _node(
        self, entry: Any, name: str, opsets: Mapping[str, int], outer: Mapping[str, Any]
    ) -> Node:
        domain, op = entry.get("domain", ""), entry.get("op_type", "")
        attrs: dict[str, Any] = {}
        for attribute in entry["attribute"]:
            key = attribute.get("name", "")
            if key in attrs:
                raise ModelFileError(f"The node {name!r} has the attribute {key!r} twice.")
            value = self._attribute(attribute, opsets, outer)
            if value is not None:
                attrs[key] = value
        inputs, outputs = tuple(entry["input"]), tuple(entry["output"])
        key_of = _key(entry, op)
        if key_of in self._functions:
            graph = self._call(key_of, attrs)
            if len(inputs) > len(graph.inputs) or len(outputs) > len(graph.outputs):
                raise ModelFileError(
                    f"The node {name!r} calls {op!r} with too many inputs or outputs."
                )
            return Node(name, CALL, inputs, outputs, {"function": graph})
        domain = "" if domain in _STANDARD else domain
        if domain not in opsets and not domain:
            raise ModelFileError(f"The file does not specify an operator set for {domain or op!r}.")
        qualified = f"{domain}.{op}" if domain else op
        return Node(name, qualified, inputs, outputs, attrs, version=opsets.get(domain, 1))

    def _attribute(
        self, entry: Mapping[str, Any], opsets: Mapping[str, int], outer: Mapping[str, Any]
    ) -> Any:
        """Return an attribute's value; None if it refers to an attribute that the call omits."""
        if entry.get("ref_attr_name"):
            return outer.get(entry["ref_attr_name"])
        what = f"attribute {entry.get('name', '')!r}"
        kind = entry.get("type", 0) or _guessed(entry)
        if kind not in _ATTRIBUTES:
            raise ModelFileError(f"{what} has the unknown type {kind}.")
        field, default = _ATTRIBUTES[kind]
        value = entry.get(field, default)
        if value is None:
            raise ModelFileError(f"{what} has no value")
        if field in ("f", "i", "tp"):
            return value
        if field in ("floats", "ints"):
            return tuple(value.tolist())
        if field == "s":
            return _text(value, what)
        if field == "strings":
            return tuple(_text(text, what) for text in value)
        if field == "t":
            return tensors.array(value, self._files)
        if field == "sparse_tensor":
            return tensors.dense(value, self._room)
        if field == "g":
            return self.graph(value, opsets)
        raise ModelFileError(f"{what} is a list of {field}, which no operation accepts.")

    def _call(self, key: _Key, attrs: Mapping[str, Any]) -> NodeGraph:
        """Return the graph of one of the model's functions for the attributes of a call."""
        if key in self._calls or len(self._calls) >= MAX_FUNCTION_DEPTH:
            raise ModelFileError(
                f"The function {key[1]!r} calls itself, or calls are nested too deeply."
            )
        function = self._functions[key]
        plain = not function["attribute"] and not function["attribute_proto"]
        if plain and key in self._made:
            return self._made[key]
        self._nodes_left -= len(function["node"])
        if self._nodes_left < 0:
            raise ModelFileError("The model's functions expand to too many nodes.")
        self._calls.append(key)
        opsets = _opsets(function)
        defaults = {a.get("name", ""): a for a in function["attribute_proto"]}
        known = {name: self._attribute(a, opsets, {}) for name, a in defaults.items()}
        outer = {**known, **attrs}
        graph = NodeGraph(
            key[1],
            self._dialect,
            tuple(Spec(name) for name in function["input"]),
            tuple(function["output"]),
            self._nodes(function["node"], opsets, outer),
        )
        self._calls.pop()
        _check(graph)
        if graph.free_names:
            raise ModelFileError(f"{key[1]}: no node produces the value {graph.free_names[0]!r}")
        if plain:
            self._made[key] = graph
        return graph


# Fields of attributes by type, with the default value of an absent field.
_ATTRIBUTES: Mapping[int, tuple[str, Any]] = {
    1: ("f", 0.0),
    2: ("i", 0),
    3: ("s", memoryview(b"")),
    4: ("t", None),
    5: ("g", None),
    6: ("floats", np.zeros(0)),
    7: ("ints", np.zeros(0, np.int64)),
    8: ("strings", ()),
    9: ("tensors", ()),
    10: ("graphs", ()),
    11: ("sparse_tensor", None),
    12: ("sparse_tensors", ()),
    13: ("tp", None),
    14: ("type_protos", ()),
}


def _guessed(entry: Mapping[str, Any]) -> int:
    """Infer the type of an attribute in an old file, which does not specify it."""
    for kind, (field, _) in _ATTRIBUTES.items():
        if len(entry[field]) if field.endswith("s") and field != "s" else field in entry:
            return kind
    return 7


def _key(owner: Mapping[str, Any], name: str) -> _Key:
    domain = owner.get("domain", "")
    return "" if domain in _STANDARD else domain, name, owner.get("overload", "")


def _text(value: memoryview, what: str) -> str:
    try:
        return str(value, "utf-8")
    except UnicodeDecodeError:
        raise ModelFileError(f"{what} is not valid UTF-8.") from None


def _enter(weights: dict[str, Any], name: str, value: Array) -> None:
    if not name or name in weights:
        raise ModelFileError(f"There are two initializers {name!r}, or one without a name.")
    weights[name] = value


def _spec(entry: Mapping[str, Any]) -> Spec:
    """Return the spec of an input; only the name for sequences and optionals."""
    name, said = entry.get("name", ""), entry.get("type", {}).get("tensor")
    if not name:
        raise ModelFileError("An input has no name.")
    if said is None:
        return Spec(name)
    dtype = dtypes.as_dtype(_known(tensors.dtype_name(said.get("elem_type", 0), f"input {name!r}")))
    if "shape" not in said:
        return Spec(name, dtype)
    # Exporters write 0 and -1 for unknown sizes.
    sizes = [max(dim.get("dim_value", 0), 0) or None for dim in said["shape"]["dim"]]
    tensors.shape_of([size or 0 for size in sizes], f"input {name!r}")
    return Spec(name, dtype, tuple(sizes))


def _known(name: str) -> str:
    tensors.numpy_dtype(name)  # raises for unsupported dtypes
    return name


def _check(graph: NodeGraph) -> None:
    """Check that names are unique."""
    names = [spec.name for spec in graph.inputs]
    for name in itertools.chain(names, graph.weights):
        if name in graph.makers:
            raise ModelFileError(
                f"{graph.name}: {name!r} is both an input or weight and the output of a node"
            )
    if len(set(names)) != len(names):
        raise ModelFileError(f"{graph.name}: two inputs have the same name")
