"""Graphs of TensorFlow 1 as messages GraphDef whose nodes TensorFlow can run.

An operation represents a call of a function. The call is traced and written like a function of a
SavedModel. Its nodes follow each other in the graph: the last one has the name of the operation,
and the others have this name as a prefix. A call that TensorFlow's graphs cannot express becomes
a node without attributes, which only shows the structure of the graph.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from tfpy._src.base.dtypes import int32
from tfpy._src.base.errors import NotTraceableError, OpError
from tfpy._src.base.version import GRAPH_DEF_VERSION
from tfpy._src.checkpoints.saved_models.functions import WrittenFunction, written
from tfpy._src.core.conversion import constant
from tfpy._src.core.sizes import Sizes
from tfpy._src.core.tensor import Tensor
from tfpy._src.formats.summary.operations import add_node
from tfpy._src.functions.graph_mode.graph import Graph
from tfpy._src.functions.graph_mode.inference import immediately, leaves, mapped
from tfpy._src.functions.graph_mode.operation import Operation
from tfpy._src.functions.graph_mode.recording import installed
from tfpy._src.functions.graph_mode.tensors import GraphTensor, local
from tfpy._src.functions.graph_mode.variables import GraphVariable
from tfpy._src.functions.tf_function.polymorphic import Function
from tfpy._src.functions.tf_function.signature import TensorSpec
from tfpy._src.library.protos.graphs import FunctionDef, GraphDef, NodeDef
from tfpy._src.library.protos.tensor_protos import make_tensor_proto, shape_message

_FAILURES = (
    *(AttributeError, KeyError, NotImplementedError, NotTraceableError, OpError),
    *(TypeError, ValueError),
)
"""Errors of calls that cannot be traced or written."""
_PLAIN = frozenset(("Placeholder", "Const", "NoOp"))
_written: weakref.WeakKeyDictionary[Operation, _Call | None] = weakref.WeakKeyDictionary()


def graph_def_of(graph: Graph, add_shapes: bool = False) -> GraphDef:
    """Return a graph as a message.

    Args:
        graph: The graph.
        add_shapes: If True, nodes have the attribute `_output_shapes`.
    """
    found = GraphDef()
    found.versions.producer = GRAPH_DEF_VERSION
    nodes = _Nodes(graph, found)
    for op in graph.operations:
        nodes.add(op)
        if add_shapes and op.outputs:
            shapes = (shape_message(x.shape) for x in op.outputs)
            found.node[-1].attr["_output_shapes"].list.shape.extend(shapes)
    return found


def node_def_of(op: Operation) -> NodeDef:
    """Return the node with the name of an operation."""
    found = GraphDef()
    _Nodes(op.graph, found).add(op)  # type: ignore[arg-type]
    return found.node[-1]


class _Nodes:
    """The nodes of a message while they are made.

    Args:
        graph: The graph.
        message: The message, to which nodes and functions are added.
    """

    def __init__(self, graph: Graph, message: GraphDef) -> None:
        self._message = message
        self._taken = {op.name for op in graph.operations}
        self._functions: set[str] = set()
        self._handles = {v.op: v for v in graph.variables if isinstance(v, GraphVariable)}
        self._initializers = {
            v.initializer: v for v in self._handles.values() if hasattr(v, "initializer")
        }

    def add(self, op: Operation) -> None:
        """Add the nodes of an operation. The last one has its name."""
        variable = self._handles.get(op)
        if op.message is not None:
            self._message.node.append(op.message)
            self._add_functions(op.library.function)
        elif variable is not None:
            self._add_variable(op, variable)
        elif op in self._initializers:
            self._add_assignment(op, self._initializers[op])
        elif op.type in _PLAIN or op.function is None:
            add_node(self._message.node.add(), op)
        elif op.type == "Shape" and len(op.inputs) == 1:
            self._add_shape(op)
        elif (key := _slice_key(op)) is not None:
            self._add_slice(op, key)
        elif not op.inputs and len(op.outputs) == 1 and op.outputs[0].constant is not None:
            self._constant(op.name, op.outputs[0].constant)
            self._message.node[-1].input.extend(_controls(op))
        else:
            self._add_call(op)

    def _free(self, name: str) -> str:
        """Return a name that no node has."""
        found, number = name, 0
        while found in self._taken:
            number += 1
            found = f"{name}_{number}"
        self._taken.add(found)
        return found

    def _constant(self, name: str, value: Tensor) -> str:
        node: Any = self._message.node.add(name=name, op="Const")
        node.attr["dtype"].type = value.dtype.as_datatype_enum
        node.attr["value"].tensor.CopyFrom(make_tensor_proto(value.host_view(), value.dtype))
        return name

    def _add_functions(self, functions: Iterable[FunctionDef]) -> None:
        for function in functions:
            if function.signature.name not in self._functions:
                self._functions.add(function.signature.name)
                self._message.library.function.append(function)

    def _add_variable(self, op: Operation, variable: GraphVariable) -> None:
        node: Any = self._message.node.add(name=op.name, op="VarHandleOp")
        node.attr["dtype"].type = variable.dtype.as_datatype_enum
        node.attr["shape"].shape.CopyFrom(shape_message(variable.shape))
        node.attr["shared_name"].s = op.name.encode()
        node.attr["container"].s = b""

    def _add_assignment(self, op: Operation, variable: GraphVariable) -> None:
        value = op.args[0]
        if isinstance(value, GraphTensor):
            source = _source(value)
        else:
            name = self._free(f"{variable.op.name}/Initializer/initial_value")
            source = self._constant(name, value)
        node: Any = self._message.node.add(name=op.name, op="AssignVariableOp")
        node.input.extend([variable.op.name, source, *_controls(op)])
        node.attr["dtype"].type = variable.dtype.as_datatype_enum

    def _add_shape(self, op: Operation) -> None:
        node: Any = self._message.node.add(name=op.name, op=op.type)
        node.input.extend([_source(op.inputs[0]), *_controls(op)])
        node.attr["T"].type = op.inputs[0].dtype.as_datatype_enum
        node.attr["out_type"].type = op.outputs[0].dtype.as_datatype_enum

    def _add_slice(self, op: Operation, key: tuple[Any, ...]) -> None:
        """Add a slice with the constants of its indices, which may exceed an unknown size."""
        node: Any = NodeDef(name=op.name, op=op.type)
        node.input.append(_source(op.args[0]))
        numbers = zip(*(_bounds(one) for one in key), strict=True)
        for kind, values in zip(("begin", "end", "strides"), numbers, strict=True):
            known = [0 if value is None else value for value in values]
            name = self._free(f"{op.name}/{kind}")
            node.input.append(self._constant(name, constant(known, int32)))
            if kind != "strides":
                mask = sum(1 << i for i, value in enumerate(values) if value is None)
                node.attr[f"{kind}_mask"].i = mask
        for attr, marked in _MARKS.items():
            node.attr[attr].i = sum(1 << i for i, one in enumerate(key) if marked(one))
        node.input.extend(_controls(op))
        node.attr["T"].type = op.outputs[0].dtype.as_datatype_enum
        node.attr["Index"].type = int32.as_datatype_enum
        self._message.node.append(node)

    def _add_call(self, op: Operation) -> None:
        if op not in _written:
            _written[op] = _call_of(op)
        call = _written[op]
        if call is None:
            add_node(self._message.node.add(), op)
            return
        own, *called = (FunctionDef.FromString(one) for one in call.function.messages)
        self._add_functions(called)
        body = _Body(op, own, call, self._free)
        self._message.node.extend(body.nodes())


class _Call:
    """A call of a function, written as a function of a graph's library.

    Attributes:
        inputs: Tensors that are the arguments of the written function.
        function: The written function.
    """

    def __init__(self, inputs: Sequence[GraphTensor], function: WrittenFunction) -> None:
        self.inputs, self.function = inputs, function


def _call_of(op: Operation) -> _Call | None:
    """Write the call of an operation, or return None if it cannot be written.

    Constants among the arguments become inputs, unless the function needs their values.
    """
    tensors = _arguments(op)
    fixed = [x for x in tensors if x.constant is not None]
    for known in ([], fixed) if fixed else ([],):
        inputs = [x for x in tensors if all(x is not y for y in known)]
        try:
            return _Call(inputs, _traced(op, inputs))
        except _FAILURES:
            continue
    return None


def _arguments(op: Operation) -> list[GraphTensor]:
    """Return the tensors that an operation reads, and those whose sizes it reads."""
    found: dict[int, GraphTensor] = {}
    for x in op.inputs:
        parts = _arguments(x.op) if isinstance(x.known, Sizes) else [x]
        found.update((part.identity, part) for part in parts)
    return [*found.values()]


def _traced(op: Operation, inputs: Sequence[GraphTensor]) -> WrittenFunction:
    def call(*given: Tensor) -> list[Any]:
        values: dict[int, Any] = {x.identity: y for x, y in zip(inputs, given, strict=True)}
        saved, local.values = local.values, values
        try:
            with installed():  # functions such as bodies of loops use tensors of the graph
                return _results(op, values)
        finally:
            local.values = saved

    specs = [TensorSpec(x.shape, x.dtype, f"arg_{i}") for i, x in enumerate(inputs)]
    with immediately():
        concrete = Function(call, input_signature=specs, autograph=False).get_concrete_function()
        return written(concrete, f"call_{op.number}")


def _results(op: Operation, values: dict[int, Any]) -> list[Any]:
    """Return the results of an operation for some values of tensors, by their identities."""

    def value(x: Any) -> Any:
        if not isinstance(x, GraphTensor):
            return x
        if x.identity not in values and isinstance(x.known, Sizes):
            values.update(
                (y.identity, z) for y, z in zip(x.op.outputs, _results(x.op, values), strict=True)
            )
        return values.get(x.identity, x.constant)

    assert op.function is not None
    found = leaves(op.function(*mapped(op.args, value), **mapped(op.kwargs, value)))
    return [found[place] for place in op.places]


class _Body:
    """The nodes of a written function as nodes of a graph.

    Args:
        op: The operation.
        function: The function.
        call: The call.
        free: Function that returns an unused name.
    """

    def __init__(self, op: Operation, function: FunctionDef, call: _Call, free: Any) -> None:
        self._op, self._function, self._free = op, function, free
        self._places: Mapping[str, int] = call.function.places
        sources = [*map(_source, call.inputs), *map(_source, call.function.captured)]
        arguments = (argument.name for argument in function.signature.input_arg)
        self._arguments = dict(zip(arguments, sources, strict=True))
        self._makers = {node.name: node for node in function.node_def}
        self._results = [function.ret[one.name] for one in function.signature.output_arg]
        self._names: dict[str, str] = {}

    def nodes(self) -> Iterator[NodeDef]:
        """Return the nodes in order."""
        results = [self._through(name) for name in self._results]
        effects = [*self._function.control_ret.values()]
        last = self._last(results) if not effects else None
        dropped = {name.partition(":")[0] for name in self._results}
        kept = [node for node in self._function.node_def if node.name not in dropped]
        if last is not None:
            self._names[last] = self._op.name
        for node in kept:
            self._names.setdefault(node.name, "")
        for node in kept:
            if not self._names[node.name]:
                self._names[node.name] = self._free(f"{self._op.name}/{node.op}")
        waits = _controls(self._op)
        for node in sorted(kept, key=lambda node: node.name == last):
            yield self._renamed(node, waits if node.op != "Const" else [])
        if last is None:
            yield self._end(results, [*(f"^{self._names[name]}" for name in effects), *waits])

    def _through(self, name: str) -> str:
        """Return the value that the Identity of a result copies."""
        return str(self._makers[name.partition(":")[0]].input[0])

    def _last(self, results: Sequence[str]) -> str | None:
        """Return the node whose outputs are the results, or None if there is no such node."""
        makers = {name.partition(":")[0] for name in results}
        places = [self._places.get(name, 0) for name in results]
        if len(makers) != 1 or places != [*range(len(results))]:
            return None
        (maker,) = makers
        return maker if maker in self._makers else None

    def _renamed(self, node: NodeDef, waits: Sequence[str]) -> NodeDef:
        found = NodeDef()
        found.CopyFrom(node)
        found.name = self._names[node.name]
        del found.input[:]
        found.input.extend([*map(self._input, node.input), *waits])
        return found

    def _input(self, name: str) -> str:
        """Return the name of a value within the function as the name of an input of a graph."""
        if name.startswith("^"):
            return f"^{self._names[name[1:]]}"
        node = name.partition(":")[0]
        if node in self._arguments:
            return self._arguments[node]
        place = self._places.get(name, 0)
        return f"{self._names[node]}:{place}" if place else self._names[node]

    def _end(self, results: Sequence[str], waits: Sequence[str]) -> NodeDef:
        """Return a node with the name of the operation that returns the results."""
        kind = {0: "NoOp", 1: "Identity"}.get(len(results), "IdentityN")
        found: Any = NodeDef(name=self._op.name, op=kind)
        found.input.extend([*map(self._input, results), *waits])
        types = [x.dtype.as_datatype_enum for x in self._op.outputs]
        if kind == "Identity":
            found.attr["T"].type = types[0]
        elif kind == "IdentityN":
            found.attr["T"].list.type.extend(types)
        return found


_MARKS: dict[str, Callable[[Any], bool]] = {
    "ellipsis_mask": lambda one: one is Ellipsis,
    "new_axis_mask": lambda one: one is None,
    "shrink_axis_mask": lambda one: isinstance(one, int),
}
"""Masks of a slice, with the indices that they mark."""


def _slice_key(op: Operation) -> tuple[Any, ...] | None:
    """Return the indices of a slice of a tensor, or None if they contain tensors."""
    if op.type != "StridedSlice" or not isinstance(op.args[0], GraphTensor) or len(op.args) < 2:
        return None
    key = op.args[1] if isinstance(op.args[1], tuple) else (op.args[1],)
    parts = [x for k in key for x in ((k.start, k.stop, k.step) if isinstance(k, slice) else (k,))]
    is_static = all(x is None or x is Ellipsis or type(x) is int for x in parts)
    return key if is_static and op.args[0].known is None else None


def _bounds(one: Any) -> tuple[int | None, int | None, int]:
    """Return the first index, the end and the stride of an index."""
    if isinstance(one, slice):
        return one.start, one.stop, 1 if one.step is None else one.step
    return (one, one + 1, 1) if isinstance(one, int) else (0, 0, 1)


def _source(value: Any) -> str:
    """Return the name of a tensor or Variable as an input of a node."""
    if isinstance(value, GraphVariable):
        return value.op.name
    name, _, number = value.name.partition(":")
    return name if number == "0" else str(value.name)


def _controls(op: Operation) -> list[str]:
    return [f"^{before.name}" for before in op.control_inputs]
