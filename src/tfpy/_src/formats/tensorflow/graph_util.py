"""`tf.compat.v1.graph_util`: functions that change GraphDefs or find facts about their nodes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from tfpy._src.base import dtypes
from tfpy._src.core.tensor_shape import TensorShape
from tfpy._src.formats.tensorflow.reader.control_v1 import maker_of
from tfpy._src.formats.tensorflow.reader.saved_model import VARIABLES
from tfpy._src.functions.graph_mode.graph import Graph
from tfpy._src.functions.graph_mode.operation import Operation
from tfpy._src.functions.graph_mode.session import Session
from tfpy._src.functions.graph_mode.variables import GraphVariable
from tfpy._src.library.protos.graphs import GraphDef, NodeDef
from tfpy._src.library.protos.tensor_protos import make_tensor_proto

_OF_VARIABLES = frozenset(
    (
        *("Assign", "AssignAdd", "AssignSub", "Queue", "ScatterAdd", "ScatterSub"),
        *("ScatterUpdate", "TruncatedNormal", "Variable", "VariableV2"),
    )
)
_DTYPES_ON_CPU = {
    "Const": ("dtype", (dtypes.string, dtypes.int32)),
    "DynamicStitch": ("T", (dtypes.int32,)),
    "ParallelDynamicStitch": ("T", (dtypes.int32,)),
    "Cast": ("SrcT", (dtypes.int32,)),
}
"""Operations that TensorFlow places on the CPU for some values of an attribute."""


def must_run_on_cpu(node: NodeDef | Operation, pin_variables_on_cpu: bool = False) -> bool:
    """Return True if TensorFlow places a node on the CPU.

    Args:
        node: Node or operation.
        pin_variables_on_cpu: If True, operations of variables are placed on the CPU.

    Returns:
        A bool.

    Example:
        >>> import tfpy as tf
        >>> node = tf.compat.v1.NodeDef(name="x", op="Const")
        >>> node.attr["dtype"].type = tf.int32.as_datatype_enum
        >>> tf.compat.v1.graph_util.must_run_on_cpu(node)
        True

    See also: `tf.device`.
    """
    found = node.node_def if isinstance(node, Operation) else node
    if pin_variables_on_cpu and found.op in _OF_VARIABLES:
        return True
    attr, kinds = _DTYPES_ON_CPU.get(found.op, ("", ()))
    return any(found.attr[attr].type == kind.as_datatype_enum for kind in kinds)


def tensor_shape_from_node_def_name(graph: Graph, input_name: str) -> TensorShape:
    """Return the shape of a tensor that a node reads.

    Args:
        graph: The graph.
        input_name: Name of the tensor, as inputs of nodes spell it.

    Returns:
        A `tf.TensorShape`.

    Raises:
        KeyError: If the graph has no such tensor.

    Example:
        >>> import tfpy as tf
        >>> with tf.Graph().as_default() as graph:
        ...     x = tf.zeros([2, 3], name="x")
        >>> tf.compat.v1.graph_util.tensor_shape_from_node_def_name(graph, "x")
        TensorShape([2, 3])

    See also: `tf.Graph`.
    """
    full = input_name if ":" in input_name else f"{input_name}:0"
    return graph.get_tensor_by_name(full).shape


def extract_sub_graph(graph_def: GraphDef, dest_nodes: Iterable[str]) -> GraphDef:
    """Return the part of a graph that some nodes need.

    Args:
        graph_def: The graph as a message.
        dest_nodes: Names of the nodes.

    Returns:
        A new `tf.compat.v1.GraphDef`.

    Raises:
        TypeError: If an argument has a wrong type.
        AssertionError: If the graph does not have one of the nodes.

    Example:
        >>> import tfpy as tf
        >>> with tf.Graph().as_default() as graph:
        ...     x = tf.constant(1.0, name="x")
        ...     y = tf.constant(2.0, name="y")
        >>> part = tf.compat.v1.graph_util.extract_sub_graph(graph.as_graph_def(), ["y"])
        >>> [node.name for node in part.node]
        ['y']

    See also: `tf.import_graph_def`.
    """
    if not isinstance(graph_def, GraphDef):
        raise TypeError(
            f"graph_def must be a graph_pb2.GraphDef proto, but got type {type(graph_def)}."
        )
    if isinstance(dest_nodes, str):
        raise TypeError(
            f"dest_nodes must be an iterable of strings, but got type {type(dest_nodes)}."
        )
    makers = {node.name: [*map(_node, node.input)] for node in graph_def.node}
    pending = list(dest_nodes)
    for name in pending:
        assert name in makers, f"{name} is not in graph"
    kept: set[str] = set()
    while pending:
        name = pending.pop()
        if name not in kept:
            kept.add(name)
            pending += makers[name]
    return _with_nodes(graph_def, (node for node in graph_def.node if node.name in kept))


def _node(name: str) -> str:
    """Return the node of an input, which may be a control input."""
    return maker_of(name.removeprefix("^"))


def _with_nodes(graph_def: GraphDef, nodes: Iterable[NodeDef]) -> GraphDef:
    found = GraphDef()
    found.node.extend(nodes)
    found.library.CopyFrom(graph_def.library)
    found.versions.CopyFrom(graph_def.versions)
    return found


def remove_training_nodes(
    input_graph: GraphDef, protected_nodes: Sequence[str] | None = None
) -> GraphDef:
    """Return a graph without nodes that only training needs: `CheckNumerics` and `Identity`.

    Args:
        input_graph: The graph as a message.
        protected_nodes: Names of nodes that are kept.

    Returns:
        A new `tf.compat.v1.GraphDef`, without functions.

    Example:
        >>> import tfpy as tf
        >>> graph = tf.compat.v1.GraphDef()
        >>> _ = graph.node.add(name="x", op="Placeholder")
        >>> _ = graph.node.add(name="copy", op="Identity", input=["x"])
        >>> _ = graph.node.add(name="y", op="Neg", input=["copy"])
        >>> found = tf.compat.v1.graph_util.remove_training_nodes(graph)
        >>> [(node.name, [*node.input]) for node in found.node]
        [('x', []), ('y', ['x'])]

    See also: `tf.compat.v1.graph_util.extract_sub_graph`.
    """
    kept = set(protected_nodes or ())
    checks = [node.name for node in input_graph.node if node.op == "CheckNumerics"]
    gone = {name: "" for name in checks if name not in kept}
    nodes = _without(input_graph.node, gone)
    controls = {name[1:] for node in nodes for name in node.input if name.startswith("^")}
    copies = {
        node.name: node.input[0]
        for node in nodes
        if node.op == "Identity"
        and node.name not in kept | controls
        and not any(name.startswith("^") for name in node.input)
    }
    found = GraphDef()
    found.node.extend(_without(nodes, copies))
    return found


def _without(nodes: Iterable[NodeDef], sources: Mapping[str, str]) -> list[NodeDef]:
    """Return copies of nodes without some of them. Others read their sources in their place."""
    found = []
    for node in nodes:
        if node.name not in sources:
            copy = NodeDef()
            copy.CopyFrom(node)
            del copy.input[:]
            copy.input.extend(_followed(name, sources) for name in node.input)
            found.append(copy)
    return found


def _followed(name: str, sources: Mapping[str, str]) -> str:
    while sources.get(name.removeprefix("^")):
        name = sources[name.removeprefix("^")]
    return name


def convert_variables_to_constants(
    sess: Session,
    input_graph_def: GraphDef,
    output_node_names: Sequence[str],
    variable_names_whitelist: Sequence[str] | None = None,
    variable_names_blacklist: Sequence[str] | None = None,
) -> GraphDef:
    """Return the part of a graph that some nodes need, with constants in place of Variables.

    Args:
        sess: Session with the values of the Variables.
        input_graph_def: The graph as a message, such as `sess.graph.as_graph_def()`.
        output_node_names: Names of the nodes.
        variable_names_whitelist: Names of the Variables that become constants. Default: all.
        variable_names_blacklist: Names of Variables that remain.

    Returns:
        A new `tf.compat.v1.GraphDef`.

    Raises:
        AssertionError: If the graph does not have one of the nodes.
        tf.errors.FailedPreconditionError: If a Variable is not initialized in the session.

    Example:
        >>> import tfpy as tf
        >>> with tf.Graph().as_default() as graph:
        ...     v = tf.Variable(2.0, name="v")
        ...     y = tf.square(v, name="y")
        ...     with tf.compat.v1.Session() as sess:
        ...         sess.run(v.initializer)
        ...         frozen = tf.compat.v1.graph_util.convert_variables_to_constants(
        ...             sess, graph.as_graph_def(), ["y"])
        >>> frozen.node[0].name, frozen.node[0].op
        ('v', 'Const')

    See also: `tf.import_graph_def`.
    """
    graph = extract_sub_graph(input_graph_def, output_node_names)
    allowed, refused = variable_names_whitelist, set(variable_names_blacklist or ())
    names = [
        node.name
        for node in graph.node
        if node.op in VARIABLES
        and node.name not in refused
        and (allowed is None or node.name in allowed)
    ]
    known = {v.op.name: v for v in sess.graph.variables if isinstance(v, GraphVariable)}
    values = sess.run([known[name] for name in names])
    frozen = {name: _constant(name, value) for name, value in zip(names, values, strict=True)}
    return _with_nodes(graph, (new for node in graph.node for new in _frozen(node, frozen)))


def _constant(name: str, value: Any) -> NodeDef:
    node: Any = NodeDef(name=name, op="Const")
    node.attr["value"].tensor.CopyFrom(make_tensor_proto(value))
    node.attr["dtype"].type = node.attr["value"].tensor.dtype
    return node


def _frozen(node: NodeDef, constants: Mapping[str, NodeDef]) -> list[NodeDef]:
    """Return the nodes in place of a node that may be a Variable or read one."""
    if node.name in constants:
        return [constants[node.name]]
    reading = _READINGS.get(node.op)
    if reading is None or _node(node.input[0]) not in constants:
        return [node]
    return reading(node)


def _read(node: NodeDef) -> list[NodeDef]:
    found: Any = NodeDef(name=node.name, op="Identity", input=[*node.input])
    found.attr["T"].CopyFrom(node.attr["dtype"])
    return [found]


def _gathered(node: NodeDef) -> list[NodeDef]:
    axis = _constant(f"{node.name}/axis", dtypes.int32.as_numpy_dtype(0))
    values, indices, *controls = node.input
    found: Any = NodeDef(name=node.name, op="GatherV2")
    found.input.extend([values, indices, axis.name, *controls])
    found.attr["Tparams"].CopyFrom(node.attr["dtype"])
    found.attr["Tindices"].CopyFrom(node.attr["Tindices"])
    found.attr["Taxis"].type = dtypes.int32.as_datatype_enum
    found.attr["batch_dims"].CopyFrom(node.attr["batch_dims"])
    return [axis, found]


_READINGS: dict[str, Callable[[NodeDef], list[NodeDef]]] = {
    "ReadVariableOp": _read,
    "ResourceGather": _gathered,
}
"""Functions that return the nodes in place of one that reads a Variable, by its operation."""
