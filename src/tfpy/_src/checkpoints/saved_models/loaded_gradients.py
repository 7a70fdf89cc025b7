"""Custom gradients of the functions of a loaded SavedModel.

A node IdentityN with a custom gradient becomes an operation that also takes the values that the
gradient reads. TensorFlow stores these values as tensors of the function that contains the node.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from tfpy._src.checkpoints.saved_models.constants import GRADIENT_ATTRIBUTE
from tfpy._src.checkpoints.saved_models.messages import LoadedConcrete, LoadedNode
from tfpy._src.checkpoints.saved_models.structures import decoded
from tfpy._src.core import nest
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.indexed_slices import dense
from tfpy._src.core.tensor import Tensor
from tfpy._src.formats.node_graphs.node import Node, NodeGraph
from tfpy._src.formats.node_graphs.plan import plan
from tfpy._src.formats.node_graphs.scope import Scope
from tfpy._src.library.io.checked_json import ModelFileError
from tfpy._src.tensors.array.making import zeros
from tfpy._src.tensors.autodiff.custom import recorded

CUSTOM = "IdentityN with a custom gradient"
"""Operation of the nodes. No file can contain an operation of this name."""
_MAX_ORDER = 16
"""Maximum number of gradients that are computed within each other."""


class SavedGradients:
    """The functions of a SavedModel that compute custom gradients.

    Args:
        graph: GraphDef of the model.
        saved: Functions that objects use, by name.
        nodes: Objects of the model.
    """

    captured: Callable[[int, str], Any]
    """Function that returns the value of an object, other than a tensor of a function."""

    def __init__(
        self,
        graph: Mapping[str, Any],
        saved: Mapping[str, LoadedConcrete],
        nodes: Sequence[LoadedNode],
    ) -> None:
        library = graph.get("library", {})
        found = {
            one.get("kind", ""): one.get("function", "") for one in library.get("gradients", ())
        }
        self._kinds = {kind: name for kind, name in found.items() if name in saved}
        self._names = {*self._kinds.values()}
        self._saved, self._objects = saved, nodes
        self._types = {} if not found else _types(library.get("function", ()))
        self._library: dict[str, NodeGraph] = {}
        self._order = 0

    def computes(self, name: str) -> bool:
        """Return True if a function computes a custom gradient."""
        return name in self._names

    def connected(self, library: Mapping[str, NodeGraph]) -> dict[str, NodeGraph]:
        """Return the functions of the library with operations for custom gradients."""
        self._library = dict(library)
        for function, types in self._types.items():
            for node, kind in types.items():
                if kind in self._kinds and function in self._library:
                    graph = self._library[function]
                    self._library[function] = self._with_gradient(graph, node, self._kinds[kind])
        return self._library

    def _with_gradient(self, graph: NodeGraph, name: str, gradient: str) -> NodeGraph:
        """Replace a node of a function. The node remains if it cannot read the captured values."""
        node = graph.by_name.get(name)
        if node is None or node.op != "IdentityN":
            return graph
        tensors = self._tensors(gradient, graph.name)
        if tensors is None:
            return graph
        nodes, values = {one.name: one for one in graph.nodes}, []
        for tensor in tensors:
            value, maker = _value(graph, nodes, tensor)
            if maker is not None:
                nodes[maker.name] = maker
            values.append(value)
        node = nodes[name]
        attrs = {"gradient": gradient, "count": len(node.inputs)}
        nodes[name] = Node(name, CUSTOM, (*node.inputs, *values), node.outputs, attrs, node.after)
        return replace(graph, nodes=tuple(nodes.values()))

    def _tensors(self, gradient: str, function: str) -> list[str] | None:
        """Return the tensors of a function that a gradient reads, or None for another function."""
        found = []
        for number in self._saved[gradient].bound:
            node = self._objects[number]
            if node.kind == "captured_tensor":
                if node.message.get("function", "") != function:
                    return None
                found.append(str(node.message.get("name", "")))
        return found

    def run(self, node: Node, inputs: list[Any]) -> list[Tensor]:
        """Return the first inputs of a node, with their custom gradient."""
        count, gradient = node.attrs["count"], node.attrs["gradient"]
        values = [convert_to_tensor(value) for value in inputs[:count]]

        def backward(*flowing: Any) -> list[Any]:
            filled = [
                zeros(t.aval.shape, t.dtype) if g is None else dense(g)
                for g, t in zip(flowing, values, strict=True)
            ]
            return self._computed(gradient, filled, inputs[count:])

        return list(recorded(node.name, values, tuple(values), backward))

    def _computed(self, name: str, flowing: list[Any], tensors: Sequence[Any]) -> list[Any]:
        """Compute the gradients of the inputs of a node. Inputs without a gradient have None.

        Raises:
            ModelFileError: If the function takes or returns another number of values.
        """
        graph, rest = self._library[name], iter(tensors)
        captured = [
            next(rest) if self._objects[i].kind == "captured_tensor" else self.captured(i, name)
            for i in self._saved[name].bound
        ]
        given = [*flowing, *captured]
        places = nest.flatten(decoded(self._saved[name].outputs, f"the result of {name}"))
        made = sum(place is not None for place in places)
        if (len(graph.inputs), len(places), len(graph.outputs)) != (len(given), len(flowing), made):
            raise ModelFileError(f"The custom gradient {name} does not match its signature.")
        if self._order == _MAX_ORDER:
            raise ModelFileError(f"The custom gradient {name} depends on its own gradient.")
        self._order += 1
        try:
            named = {spec.name: value for spec, value in zip(graph.inputs, given, strict=True)}
            whole = replace(graph, functions=self._library)
            found = iter(Scope(whole, named).run(plan(whole, whole.outputs, named)))
        finally:
            self._order -= 1
        return [None if place is None else convert_to_tensor(next(found)) for place in places]


def _types(functions: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, str]]:
    """Return the types of the custom gradients by node, by function."""
    found = {}
    for function in functions:
        types = {
            node.get("name", ""): bytes(kind.get("s", b"")).decode("utf-8", "replace")
            for node in function["node_def"]
            if node.get("op") == "IdentityN"
            and (kind := node.get("attr", {}).get(GRADIENT_ATTRIBUTE))
        }
        if types:
            found[function.get("signature", {}).get("name", "")] = types
    return found


def _value(graph: NodeGraph, nodes: Mapping[str, Node], tensor: str) -> tuple[str, Node | None]:
    """Return the name of a tensor in a function, and its node if the name is new.

    Raises:
        ModelFileError: If the function does not have the tensor.
    """
    name, _, place = tensor.rpartition(":")
    if place == "0" and (name in graph.weights or any(s.name == name for s in graph.inputs)):
        return name, None
    maker = nodes.get(name)
    if maker is None or maker.subgraphs:
        raise ModelFileError(f"The function {graph.name} does not have the tensor {tensor!r}.")
    if tensor in maker.outputs:
        return tensor, None
    return tensor, maker.giving((*maker.outputs, tensor))
