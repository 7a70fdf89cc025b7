"""`tf.import_graph_def`: the nodes of a GraphDef as operations of a graph.

The reader of GraphDefs makes a node list, and each node becomes an operation. Its function runs the
node. So the shapes of the results are inferred, and sessions run and differentiate the nodes,
like operations that functions create. Control flow of TensorFlow 1 becomes one operation for each
loop and conditional.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from tfpy._src.base import tracing
from tfpy._src.base.dtypes import resource
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.name_scope import name_scope
from tfpy._src.core.tensor import Tensor
from tfpy._src.formats.encodings.protobuf import read
from tfpy._src.formats.node_graphs.node import Node, NodeGraph
from tfpy._src.formats.node_graphs.plan import plan
from tfpy._src.formats.node_graphs.scope import Scope
from tfpy._src.formats.raw_ops.resources import using
from tfpy._src.formats.tensorflow.reader.control_v1 import CONSTANT, maker_of
from tfpy._src.formats.tensorflow.reader.dialect import TensorFlowDialect
from tfpy._src.formats.tensorflow.reader.graph import INPUTS, canonical, read_graph
from tfpy._src.formats.tensorflow.reader.messages import GRAPH
from tfpy._src.formats.tensorflow.reader.saved_model import VARIABLES, operations
from tfpy._src.functions.graph_mode.defaults import get_default_graph
from tfpy._src.functions.graph_mode.graph import Graph
from tfpy._src.functions.graph_mode.inference import aval_of
from tfpy._src.functions.graph_mode.operation import Operation
from tfpy._src.functions.graph_mode.tensors import GraphTensor
from tfpy._src.functions.graph_mode.variables import GraphVariable
from tfpy._src.library.protos.graphs import GraphDef, NodeDef

_ASSIGNMENTS = frozenset(("Assign", "AssignVariableOp"))
_REFERENCES = frozenset(("Variable", "VariableV2"))


def import_graph_def(
    graph_def: GraphDef,
    input_map: Mapping[str, Any] | None = None,
    return_elements: Sequence[str] | None = None,
    name: str | None = None,
    op_dict: object = None,
    producer_op_list: object = None,
) -> list[Any] | None:
    """Add the nodes of a message to the default graph.

    In a `tf.function`, the nodes that compute `return_elements` become a part of the function.
    Operations that act outside of the graph, such as `WriteFile`, raise an error when they are
    imported.

    Args:
        graph_def: A `tf.compat.v1.GraphDef`, which a file may contain.
        input_map: Mapping from names of tensors in `graph_def`, such as `"x:0"`, to tensors of the
            default graph that replace them.
        return_elements: Names of operations and tensors of `graph_def` to return.
        name: Prefix of the names of the operations. `""` keeps the names. Default: `"import"`.
        op_dict, producer_op_list: Has no effect.

    Returns:
        List with an operation or tensor for each of `return_elements`, or None.

    Raises:
        TypeError: If `graph_def` is not a GraphDef, or another argument has a wrong type.
        ValueError: If `graph_def` does not contain a name of `input_map` or `return_elements`, if
            the dtype of a tensor in `input_map` does not match, or if a node is not valid.
        tf.errors.UnimplementedError: If tfpy does not have an operation.

    Example:
        >>> import tfpy as tf
        >>> with tf.Graph().as_default() as graph:
        ...     x = tf.compat.v1.placeholder(tf.float32, [], name="x")
        ...     y = tf.square(x, name="y")
        >>> with tf.Graph().as_default():
        ...     (z,) = tf.import_graph_def(graph.as_graph_def(), {"x:0": tf.constant(3.0)}, ["y:0"])
        ...     with tf.compat.v1.Session() as sess:
        ...         print(z.name, sess.run(z))
        import/y:0 9.0

    See also: `tf.Graph.as_graph_def`, `tf.models.load`.
    """
    if not isinstance(graph_def, GraphDef):
        if not hasattr(graph_def, "SerializeToString"):
            raise TypeError("Argument `graph_def` must be a GraphDef proto.")
        graph_def = GraphDef.FromString(graph_def.SerializeToString())
    wanted = _checked_names(return_elements)
    if tracing.current() is not None and tracing.active_graph() is None:
        return _computed(graph_def, checked_mapping(input_map), wanted)
    made = add_nodes(graph_def, checked_mapping(input_map), "import" if name is None else name)
    return None if return_elements is None else [made.element(one) for one in wanted]


def _computed(graph_def: GraphDef, mapping: Mapping[str, Any], wanted: list[str]) -> list[Any]:
    """Return values of a graph inside a trace of a `tf.function`, which has no operations."""
    data = graph_def.SerializeToString()
    names = [canonical(one) for one in wanted]
    nodes = read_graph(read(data, GRAPH), names, name="graph_def", dialect=operations({}))
    given = {name: convert_to_tensor(value) for name, value in mapping.items()}
    return [convert_to_tensor(x) for x in Scope(nodes, given).run(plan(nodes, names, given))]


def add_nodes(
    graph_def: GraphDef,
    mapping: Mapping[str, Any],
    name: str,
    assets: Mapping[str, bytes] | None = None,
) -> Importer:
    """Add the nodes of a message to the default graph.

    Args:
        graph_def: The message.
        mapping: Values that replace values of the message, by their names.
        name: Prefix of the names of the operations.
        assets: Contents of the files that nodes may read, by path.
    """
    graph = get_default_graph()
    with graph.as_default(), name_scope(name) as scope, using({}):
        made = Importer(graph, graph_def, mapping, scope, operations(assets or {}))
        made.run()
    return made


def checked_mapping(input_map: Any) -> dict[str, Any]:
    """Return the argument `input_map` with names without the number of a first output.

    Raises:
        TypeError: If it is not a mapping from strings.
    """
    found = input_map or {}
    if not (isinstance(found, Mapping) and all(isinstance(key, str) for key in found)):
        raise TypeError(
            "Argument `input_map` must be a dictionary mapping strings to Tensor objects. "
            f"Received: {input_map}"
        )
    return {canonical(key): value for key, value in found.items()}


def _checked_names(names: Any) -> list[str]:
    found = [] if names is None else list(names)
    if not all(isinstance(one, str) for one in found):
        raise TypeError(f"Argument `return_elements` must be a list of strings. Received: {names}")
    return found


class Importer:
    """The nodes of a message while they become operations.

    Args:
        graph: The graph, which is active.
        message: The message.
        mapping: Values that replace values of the message, by their names.
        scope: Prefix of the names of the operations.
        dialect: The implementation of the operations.
    """

    def __init__(
        self,
        graph: Graph,
        message: GraphDef,
        mapping: Mapping[str, Any],
        scope: str,
        dialect: TensorFlowDialect,
    ) -> None:
        self._graph, self._scope = graph, scope
        self._message = message
        data = message.SerializeToString()
        self._dialect = dialect
        self._nodes = read_graph(
            read(data, GRAPH), name="graph_def", dialect=self._dialect, size=len(data)
        )
        self._defs: dict[str, NodeDef] = {node.name: node for node in message.node}
        self._values: dict[str, Any] = {}
        """Tensors, Variables and other resources, by the names of values in the message."""
        self._operations: dict[str, Operation] = {}
        self._mapping = dict(mapping)
        self._check_mapping()

    def _check_mapping(self) -> None:
        names = {name for name in self._mapping if not name.startswith("^")}
        if unknown := [name for name in names if maker_of(name) not in self._defs]:
            shown = ", ".join(name if ":" in name else f"{name}:0" for name in unknown)
            raise ValueError(f"Attempted to map inputs that were not found in graph_def: [{shown}]")
        for name in names:
            self._mapping[name] = convert_to_tensor(self._mapping[name])

    def run(self) -> None:
        """Add the operations."""
        known = {node.name: node for node in self._nodes.nodes}
        kept = [known.get(name) or self._leaf(name) for name in self._defs]
        added = [node for name, node in known.items() if name not in self._defs]
        for node in _in_order([*(node for node in kept if node is not None), *added]):
            self._add(node)

    def _leaf(self, name: str) -> Node | None:
        """Return a placeholder or a constant as a node."""
        message = self._defs[name]
        controls = tuple(one[1:] for one in message.input if one.startswith("^"))
        is_leaf = message.op in INPUTS or name in self._nodes.weights
        return Node(name, message.op, (), (name,), {}, controls) if is_leaf else None

    def _add(self, node: Node) -> None:
        given = [self._source(name) for name in node.inputs]
        message = self._defs.get(node.name)
        before = len(self._graph.operations)
        if node.op in INPUTS:
            self._add_input(node)
        elif node.op in VARIABLES:
            self._add_variable(node)
        elif node.op == "Identity" and node.attrs.get("T") == resource:
            self._values[node.name] = given[0]
            self._operations[node.name] = self._operations[maker_of(node.inputs[0])]
        else:
            self._add_operation(node, given)
        if message is not None and len(self._graph.operations) > before:
            op = self._graph.operations[before]
            op.message, op.library = self._renamed(message, op), self._message.library
            self._graph.place(op)  # adds the context's device to the device in the message

    def _source(self, name: str) -> Any:
        """Return the value that a node reads."""
        found = self._mapping.get(name)
        if found is None:
            return self._values.get(name) if name else None
        kept = self._values.get(name)
        if isinstance(kept, Tensor) and kept.dtype != found.dtype:
            raise ValueError(
                f"Input {name!r} has type {kept.dtype.name}, but input_map replaces it by a tensor "
                f"of type {found.dtype.name}. Cast the tensor with tf.cast."
            )
        return found

    def _renamed(self, message: NodeDef, op: Operation) -> NodeDef:
        """Return the message of a node with the names that the operations have in the graph."""
        found = NodeDef()
        found.CopyFrom(message)
        found.name = op.name
        del found.input[:]
        found.input.extend(map(self._renamed_input, message.input))
        return found

    def _renamed_input(self, name: str) -> str:
        mark = "^" if name.startswith("^") else ""
        node, _, number = canonical(name[len(mark) :]).partition(":")
        mapped = None if mark else self._mapping.get(canonical(name))
        if mapped is not None:
            return canonical(mapped.name)
        kept = self._operations[node].name if node in self._operations else node
        return f"{mark}{kept}:{number}" if number else mark + kept

    def _controls(self, node: Node) -> list[Operation]:
        return [self._operations[name] for name in node.after if name in self._operations]

    def _name(self, node: Node) -> str:
        return self._graph.unique_name(self._scope + node.name)

    def _make(self, node: Node) -> Operation:
        op = self._graph.make(f"{self._name(node)}/", (), node.op, (), self._controls(node))
        self._operations[node.name] = op
        return op

    def _add_input(self, node: Node) -> None:
        (spec,) = (spec for spec in self._nodes.inputs if spec.name == node.name)
        op = self._make(node)
        op.outputs = [GraphTensor(op, 0, aval_of(spec.shape, spec.dtype or "float32"))]
        self._values[node.name] = op.outputs[0]

    def _add_variable(self, node: Node) -> None:
        op = self._make(node)
        shape = node.attrs.get("shape")
        variable = GraphVariable.declared(self._graph, op, shape, node.attrs["dtype"])
        self._values[node.name] = variable
        if node.op in _REFERENCES:
            op.sources, op.function, op.args = (variable,), convert_to_tensor, (variable,)
            op.outputs = [GraphTensor(op, 0, variable.aval)]

    def _add_operation(self, node: Node, given: list[Any]) -> None:
        free = [name for name in node.reads if name not in node.inputs]
        inner = {name: self._source(name) for name in free}
        function = _NodeFunction(node, self._nodes, self._dialect)
        op, found = self._graph.record_node(
            self._name(node), node.op, function, (given, inner), self._controls(node)
        )
        self._operations[node.name] = op
        if node.op in _ASSIGNMENTS and isinstance(given[0], GraphVariable):
            given[0].adopt(op)
        if node.op == "PlaceholderWithDefault":
            op.outputs[0].known = None
        if node.subgraphs:
            self._add_aliases(node, found)
            return
        for number, value in enumerate(found):
            self._values[f"{node.name}:{number}" if number else node.name] = value

    def _add_aliases(self, node: Node, found: Sequence[Any]) -> None:
        """Add operations with the names that the results of control flow have in the message."""
        for name, value in zip(node.outputs, found, strict=False):
            if not name or maker_of(name) == node.name:
                self._values[name] = value
                continue
            alias = Node(name, "Identity", (name,), (name,))
            self._values[name] = value
            self._add_operation(alias, [value])

    def element(self, name: str) -> Any:
        """Return an operation or a tensor by its name in the message.

        Raises:
            ValueError: If there is no such element.
        """
        found = self._values.get(canonical(name)) if ":" in name else self._operations.get(name)
        if found is None:
            raise ValueError(f"Requested return_element {name!r} not found in graph_def.")
        return found


class _NodeFunction:
    """The function of an operation that runs a node.

    Args:
        node: The node.
        graph: The node list, with the functions that the node may call.
        dialect: The implementation of the operations.
    """

    def __init__(self, node: Node, graph: NodeGraph, dialect: TensorFlowDialect) -> None:
        self._node, self._graph, self._dialect = node, graph, dialect
        self.__name__ = node.op

    def __call__(self, inputs: Sequence[Any], inner: Mapping[str, Any]) -> list[Any]:
        node = self._node
        if node.op == CONSTANT:
            return [convert_to_tensor(self._graph.weights[node.name])]
        scope = Scope(self._graph, {**dict(zip(node.inputs, inputs, strict=True)), **inner})
        if node.subgraphs:
            return [_tensors(one) for one in self._dialect.run(node, list(inputs), scope)]
        return [_tensors(one) for one in self._dialect.run_whole(node, list(inputs), scope)]


def _tensors(value: Any) -> Any:
    return convert_to_tensor(value) if isinstance(value, np.ndarray | np.generic) else value


def _in_order(nodes: Sequence[Node]) -> Iterable[Node]:
    """Return nodes so that each follows its inputs, otherwise in the given order.

    Raises:
        ValueError: If the nodes form a cycle.
    """
    places = {name: i for i, node in enumerate(nodes) for name in (node.name, *node.outputs)}
    waits: list[set[int]] = []
    users: dict[int, list[int]] = {}
    for i, node in enumerate(nodes):
        makers = (places.get(name, places.get(maker_of(name))) for name in node.reads)
        before = {place for place in makers if place is not None}
        before |= {places[name] for name in node.after if name in places}
        waits.append(before)
        for place in before:
            users.setdefault(place, []).append(i)
    ready = [i for i, before in enumerate(waits) if not before]
    count = 0
    while ready:
        i = heapq.heappop(ready)
        count += 1
        yield nodes[i]
        for user in users.get(i, ()):
            waits[user].discard(i)
            if not waits[user]:
                heapq.heappush(ready, user)
    if count < len(nodes):
        raise ValueError("graph_def is invalid: its nodes form a cycle without a loop.")
