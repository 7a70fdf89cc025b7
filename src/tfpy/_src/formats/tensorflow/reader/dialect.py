"""The dialect of TensorFlow's graphs, which runs nodes with the operations of `tf.raw_ops`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tfpy._src.formats.node_graphs.custom import is_registered, missing, run_registered
from tfpy._src.formats.node_graphs.node import Node, NodeGraph
from tfpy._src.formats.node_graphs.safety import refused
from tfpy._src.formats.node_graphs.scope import Scope
from tfpy._src.formats.raw_ops.absent import reason
from tfpy._src.formats.raw_ops.outside import effect
from tfpy._src.formats.raw_ops.records import RECORDS
from tfpy._src.formats.tensorflow.reader.values import FunctionName
from tfpy._src.library.io.checked_json import ModelFileError

_SAME = frozenset(("Identity", "IdentityN", "RefIdentity", "Snapshot"))
"""Operations that return their inputs, because values are immutable."""

_CHOOSE = frozenset(("If", "StatelessIf", "Case", "StatelessCase"))

Operation = Callable[[Node, list[Any]], Sequence[Any]]


class TensorFlowDialect:
    """TensorFlow's operations.

    The module `reader.graph` describes the names of a node's outputs. The outputs of a node with
    subgraphs are in order.

    Args:
        own: Operations that replace those of `tf.raw_ops`. Each is a function of a node and its
            inputs that returns the outputs.
        safe: If True, refuse operations that act outside of the graph, unless they are registered.
            Operations in `own` run, but the outputs of a model may not need them.
    """

    name = "TensorFlow"
    shape_ops = frozenset(("Shape", "ShapeN", "Size", "Rank"))

    def __init__(self, own: Mapping[str, Operation] | None = None, safe: bool = True) -> None:
        self._own, self._safe = own or {}, safe

    def run(self, node: Node, inputs: list[Any], scope: Scope) -> Sequence[Any]:
        """Return the outputs of a node, as `Dialect.run` specifies."""
        found = self._computed(node, inputs, scope)
        if _has_subgraphs(node):
            return self.flat(found)[: len(node.outputs)]
        if isinstance(found, Mapping):
            return [
                _output(self.flat(found), node, name) if name == node.name else _picked(found, name)
                for name in node.outputs
            ]
        return [_output(found, node, name) for name in node.outputs]

    def run_whole(self, node: Node, inputs: list[Any], scope: Scope) -> list[Any]:
        """Return all outputs of a node in order, also those that no other node reads."""
        return self.flat(self._computed(node, inputs, scope))

    @staticmethod
    def flat(found: Sequence[Any] | Mapping[str, Any]) -> list[Any]:
        """Return outputs in order. An output that is a list is several outputs."""
        return _flat(found) if isinstance(found, Mapping) else list(found)

    def _computed(
        self, node: Node, inputs: list[Any], scope: Scope
    ) -> Sequence[Any] | Mapping[str, Any]:
        """Return the outputs of a node in order, or by the names that the operation defines."""
        if is_registered(node.op):
            return run_registered(node, inputs)
        if node.op in _SAME:
            return inputs
        if node.op in self._own:
            return self._own[node.op](node, inputs)
        if (found := self.outside(node)) is not None:
            raise refused(node, found)
        record = RECORDS.get(node.op)
        if record is None:
            if scope.has_function(node.op):
                return scope.call(scope.function(node.op), inputs)
            raise missing(self.name, node, reason(node.op))
        attrs = {key: _resolved(value, scope) for key, value in node.attrs.items()}
        if "shared_name" in record.signature.attrs and not attrs.get("shared_name"):
            attrs["shared_name"] = node.name
        results = record.run(inputs, attrs)
        return next(iter(results.values())) if _has_subgraphs(node) else results

    def decides(self, node: Node) -> Sequence[str]:
        """Return the conditions of a node, as `Dialect.decides` specifies."""
        return node.inputs[:1] if node.op in _CHOOSE else ()

    def calls(self, node: Node) -> Sequence[str]:
        """Return the functions that the node's attributes or its operation name."""
        values = [v for a in node.attrs.values() for v in (a if isinstance(a, list) else [a])]
        return [node.op, *(value.name for value in values if isinstance(value, FunctionName))]

    def outside(self, node: Node) -> str | None:
        """Return the effect of a node outside of the graph, as `Dialect.outside` specifies."""
        if not self._safe or is_registered(node.op):
            return None
        return effect(node.op, node.attrs)


DIALECT = TensorFlowDialect()


def _has_subgraphs(node: Node) -> bool:
    return any(isinstance(value, NodeGraph) for value in node.attrs.values())


def _resolved(value: Any, scope: Scope) -> Any:
    """Resolve an attribute: names of functions and subgraphs become callables."""
    if isinstance(value, list):
        return [_resolved(one, scope) for one in value]
    if isinstance(value, FunctionName):
        graph = scope.function(value.name)
        return lambda *inputs: scope.call(graph, inputs)
    if isinstance(value, NodeGraph):
        return lambda *inputs: scope.call_inside(value, inputs)
    return value


def _output(values: Sequence[Any], node: Node, name: str) -> Any:
    """Return the output of a node by its name: 1 for "node:1", 0 for "node".

    Raises:
        ModelFileError: If the operation does not have such an output.
    """
    last = name.removeprefix(node.name).rpartition(":")[2]
    place = int(last) if last.isdecimal() else 0
    if place >= len(values):
        raise ModelFileError(
            f"{name!r} is not an output of its node: {node.op} has {len(values)} outputs"
        )
    return values[place]


def _picked(results: Mapping[str, Any], name: str) -> Any:
    """Return the value that "node:1" or "node:output:0" refers to.

    Raises:
        ModelFileError: If the operation does not have such an output.
    """
    _, *where = name.split(":")
    try:
        if len(where) == 2:
            found = results[where[0]]
            return found[int(where[1])] if isinstance(found, list) else found
        return _flat(results)[int(where[0])]
    except (KeyError, IndexError, ValueError):
        raise ModelFileError(
            f"{name!r} is not an output of its node, which has {[*results]}"
        ) from None


def _flat(results: Mapping[str, Any]) -> list[Any]:
    found: list[Any] = []
    for value in results.values():
        found.extend(value if isinstance(value, list) else [value])
    return found
