"""ONNX's files as node lists."""

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
"""The operation that calls the graph in the attribute ``function``."""
MAX_FUNCTION_NODES = 1 << 20
"""How many nodes the calls of a model's functions may have together."""
MAX_FUNCTION_DEPTH = 40

_STANDARD = ("", "ai.onnx")
_Key = tuple[str, str, str]


def read_onnx(data: bytes | memoryview, dialect: Dialect, files: Files | None = None) -> NodeGraph:
    """The node list of an ONNX file.

    Args:
        data: the file's bytes; arrays are views of them.
        dialect: what runs the operations.
        files: gives the bytes of a file beside the model, where large arrays may lie.

    Raises:
        ModelFileError: when the file is broken.
        UnimplementedError: when it has arrays of a dtype that tfpy lacks.
    """
    model = read(data, proto.MODEL)
    if "graph" not in model or not model["opset_import"]:
        raise ModelFileError("the file is no ONNX model: it has no graph or no operator set")
    reader = _Reader(model, dialect, files, Room(len(data)))
    return reader.graph(model["graph"], _opsets(model))


def _opsets(owner: Mapping[str, Any]) -> Mapping[str, int]:
    """The version of each domain's operations."""
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
                raise ModelFileError(f"the function {key[1]!r} is there twice")
            self._functions[key] = function
        self._made: dict[_Key, NodeGraph] = {}  # those without attributes
        self._calls: list[_Key] = []  # the functions that are being read
        self._nodes_left = MAX_FUNCTION_NODES

    def graph(self, found: Mapping[str, Any], opsets: Mapping[str, int]) -> NodeGraph:
        """A graph or subgraph."""
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
        """Nodes, each with a name of its own.

        Args:
            outer: the attributes of the function that the nodes are in.
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
                raise ModelFileError(f"node {name!r} has the attribute {key!r} twice")
            value = self._attribute(attribute, opsets, outer)
            if value is not None:
                attrs[key] = value
        inputs, outputs = tuple(entry["input"]), tuple(entry["output"])
        key_of = _key(entry, op)
        if key_of in self._functions:
            graph = self._call(key_of, attrs)
            if len(inputs) > len(graph.inputs) or len(outputs) > len(graph.outputs):
                raise ModelFileError(f"node {name!r} calls {op!r} with too many values")
            return Node(name, CALL, inputs, outputs, {"function": graph})
        domain = "" if domain in _STANDARD else domain
        if domain not in opsets and not domain:
            raise ModelFileError(f"the file says no version of the operations of {domain or op!r}")
        qualified = f"{domain}.{op}" if domain else op
        return Node(name, qualified, inputs, outputs, attrs, version=opsets.get(domain, 1))

    def _attribute(
        self, entry: Mapping[str, Any], opsets: Mapping[str, int], outer: Mapping[str, Any]
    ) -> Any:
        """An attribute's value; None for one of the calling node that it has not."""
        if entry.get("ref_attr_name"):
            return outer.get(entry["ref_attr_name"])
        what = f"attribute {entry.get('name', '')!r}"
        kind = entry.get("type", 0) or _guessed(entry)
        if kind not in _ATTRIBUTES:
            raise ModelFileError(f"{what} has the type {kind}, which there is not")
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
        raise ModelFileError(f"{what} is a list of {field}, which no operation takes")

    def _call(self, key: _Key, attrs: Mapping[str, Any]) -> NodeGraph:
        """The graph of one of the model's functions with the attributes of a call."""
        if key in self._calls or len(self._calls) >= MAX_FUNCTION_DEPTH:
            raise ModelFileError(f"the function {key[1]!r} calls itself, or calls are too deep")
        function = self._functions[key]
        plain = not function["attribute"] and not function["attribute_proto"]
        if plain and key in self._made:
            return self._made[key]
        self._nodes_left -= len(function["node"])
        if self._nodes_left < 0:
            raise ModelFileError("the functions call each other too often")
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
            raise ModelFileError(f"{key[1]}: nothing makes the value {graph.free_names[0]!r}")
        if plain:
            self._made[key] = graph
        return graph


# Fields of attributes by their type, with the value of an empty one.
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
    """The type of an attribute of an old file, which does not say it."""
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
        raise ModelFileError(f"{what} is no UTF-8") from None


def _enter(weights: dict[str, Any], name: str, value: Array) -> None:
    if not name or name in weights:
        raise ModelFileError(f"there are two initializers {name!r}, or one without a name")
    weights[name] = value


def _spec(entry: Mapping[str, Any]) -> Spec:
    """What the file says of an input; of sequences and optionals only the name."""
    name, said = entry.get("name", ""), entry.get("type", {}).get("tensor")
    if not name:
        raise ModelFileError("an input has no name")
    if said is None:
        return Spec(name)
    dtype = dtypes.as_dtype(_known(tensors.dtype_name(said.get("elem_type", 0), f"input {name!r}")))
    if "shape" not in said:
        return Spec(name, dtype)
    # exporters write 0 and -1 for sizes that they leave open
    sizes = [max(dim.get("dim_value", 0), 0) or None for dim in said["shape"]["dim"]]
    tensors.shape_of([size or 0 for size in sizes], f"input {name!r}")
    return Spec(name, dtype, tuple(sizes))


def _known(name: str) -> str:
    tensors.numpy_dtype(name)  # raises
    return name


def _check(graph: NodeGraph) -> None:
    """Refuses names that two things have."""
    names = [spec.name for spec in graph.inputs]
    for name in itertools.chain(names, graph.weights):
        if name in graph.makers:
            raise ModelFileError(f"{graph.name}: {name!r} is given and made by a node")
    if len(set(names)) != len(names):
        raise ModelFileError(f"{graph.name}: two inputs have one name")
