"""Concrete functions as functions of a graph's library.

The Variables of a function become arguments that are resources. The function reads them when it
begins, and assigns them when it ends.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from tfpy._src.base.dtypes import DType, resource
from tfpy._src.base.errors import OpError
from tfpy._src.checkpoints.saved_models.composite_specs import tensor_specs
from tfpy._src.checkpoints.saved_models.gradients import GradientBody, with_gradients
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.core import nest
from tfpy._src.core.operand import FieldRecord
from tfpy._src.core.tensor import Tensor
from tfpy._src.formats.graph_writing.emitter import FileNode, NodeValue, unsupported
from tfpy._src.formats.graph_writing.lists import Lists
from tfpy._src.formats.graph_writing.open_sizes import OpenSizeError
from tfpy._src.formats.graph_writing.source import (
    FreeNames,
    FunctionPort,
    FunctionSource,
    Weight,
    sized_trace,
)
from tfpy._src.formats.tensorflow.writer import Nodes
from tfpy._src.formats.tensorflow.writer.binary import constant_proto, function_proto, node_proto
from tfpy._src.formats.tensorflow.writer.whole import SAVED
from tfpy._src.functions.tf_function.concrete import ConcreteFunction
from tfpy._src.functions.tf_function.description import parameters_of, structured
from tfpy._src.functions.tf_function.signature import TensorSpec
from tfpy._src.functions.tf_function.untraced import Untraced
from tfpy._src.tensors.variables.variable import Variable

Retrace = Callable[[ConcreteFunction], ConcreteFunction]


@dataclass(frozen=True)
class WrittenFunction:
    """A concrete function in the form of a graph's library.

    Attributes:
        name: Name in the library.
        inputs: Specs of the arguments that are tensors, in TensorFlow's order.
        outputs: Specs of the results that are tensors, in order.
        signature: Positional and keyword arguments, with specs in place of tensors.
        result: The result, with specs in place of tensors.
        captured: Variables and entries of tables that follow the arguments.
        messages: Encoded functions: this one and those that it calls.
        places: Numbers of the results of nodes, by the names of the values.
        gradients: Functions that compute custom gradients, by the types that refer to them.
    """

    name: str
    inputs: list[TensorSpec]
    outputs: list[TensorSpec]
    signature: Any
    result: Any
    captured: list[Any]
    messages: list[bytes]
    places: dict[str, int] = field(default_factory=dict)
    gradients: dict[str, WrittenFunction] = field(default_factory=dict)

    @property
    def all_messages(self) -> list[bytes]:
        """Encoded functions, including the functions of custom gradients."""
        return [*self.messages, *(m for one in self.gradients.values() for m in one.messages)]


class Body(Nodes):
    """The body of a function that is being built, or of a function that this one calls."""

    table = SAVED

    captured: dict[int, tuple[Any, str]]
    """Variables and entries of tables by id, with the names of the arguments for them."""
    gradients: list[GradientBody]
    """Custom gradients of the function and of those that it calls."""

    @property
    def is_function(self) -> bool:
        return True

    def handle(self, value: Any) -> str:
        """Return the name of the argument for a Variable or the entries of a table."""
        if self.outer is not None:
            raise unsupported("a look-up inside tf.cond or a loop", "look up the keys before it")
        name = f"resource_{len(self.captured)}"
        return self.captured.setdefault(id(value), (value, name))[1]

    def inner(self, name: str) -> Self:
        return super().inner(f"{self.name}_{name}" if self.outer is None else name)


def written(concrete: ConcreteFunction, name: str, saves_gradients: bool = True) -> WrittenFunction:
    """Convert a concrete function to a function of a graph's library.

    Args:
        concrete: The function.
        name: Its name in the library.
        saves_gradients: If True, the library also contains custom gradients of the function. A
            warning reports custom gradients that a file cannot contain.

    Raises:
        UnimplementedError: If TensorFlow does not have an operation.
        TypeError: If a result is not a tensor.
        OpenSizeError: If the function cannot be written for open sizes or ranks.
    """
    if not saves_gradients:
        return _of_ranks(concrete, name, _unchanged)
    try:
        return _of_ranks(concrete, name, with_gradients)
    except (ValueError, OpError) as error:
        found = _of_ranks(concrete, name, _unchanged)
        reason = str(error).rstrip(".")
        warnings.warn(
            f"The custom gradients of {concrete.name} are not saved: {reason}. Gradients of the "
            "loaded function follow from its operations.",
            stacklevel=2,
        )
        return found


def _unchanged(concrete: ConcreteFunction) -> ConcreteFunction:
    return concrete


def _of_ranks(concrete: ConcreteFunction, name: str, again: Retrace) -> WrittenFunction:
    """Convert a concrete function, which may have inputs of unknown rank."""
    if all(t.shape.rank is not None for _, t in concrete.call.tensors):
        return _written(concrete, name, again)
    found, errors = [], []
    for rank in (1, 2):
        try:
            found.append(_written(concrete, name, again, rank))
        except (ValueError, OpError) as error:
            errors.append(error)
    unwritten = any(isinstance(error, OpenSizeError) for error in errors)
    if not found and not unwritten and not _takes_vectors(concrete):
        return _written(concrete, name, again, rank=0)
    if errors:
        raise errors[0]
    if found[0].all_messages != found[1].all_messages:
        raise OpenSizeError(
            f"{concrete.name} computes different ops for inputs of different ranks, but a file "
            "contains only one of them. Pass a tf.TensorSpec with a shape"
        )
    return found[0]


def _takes_vectors(concrete: Any) -> bool:
    """Return True if inputs of unknown rank can be vectors, at least of one element."""
    shapes = [(t.shape.as_list() if t.shape.rank is not None else [1], t.dtype)
              for _, t in concrete.call.tensors]  # fmt: skip
    avals = [Aval(tuple(1 if n is None else n for n in shape), dtype) for shape, dtype in shapes]
    try:
        return not isinstance(concrete.sized(avals), Untraced)
    except (ValueError, TypeError, OpError):
        return False


def _written(
    concrete: ConcreteFunction, name: str, again: Retrace, rank: int | None = None
) -> WrittenFunction:
    """Convert a concrete function, with a given rank in the place of unknown ranks."""
    trace, sizes, shapes = sized_trace(concrete, rank, again)
    order = _order(concrete)
    names = FreeNames()
    count = len(concrete.call.tensors)
    ports = tuple(
        FunctionPort(names.free(n.lower()), value, t.dtype, shape or ())
        for (n, t), value, shape in zip(
            concrete.call.tensors, trace.traced.graph.inputs[:count], shapes, strict=True
        )
    )
    extras = list(zip(trace.traced.graph.inputs[count:], trace.extras, strict=True))
    variables = {value: extra.variable for value, extra in extras if extra.variable is not None}
    weights = {
        value: Weight(names.free(f"captured_{i}"), np.asarray(extra.fetch().numpy()), True)
        for i, (value, extra) in enumerate(extras)
        if extra.variable is None and extra.anew is None
    }
    fed = frozenset(value for value, extra in extras if extra.anew is not None)
    source = FunctionSource(
        name, trace.traced.graph, ports, (), False, weights, fed, sizes, Lists(trace.traced.graph)
    )
    body = Body(source, name)
    body.captured, body.gradients = {}, []
    for port in ports:
        body.inputs.append(NodeValue(port.name, port.dtype, trace.traced.graph.avals[port.value]))
        body.bind(trace.traced.graph, port.value, body.inputs[-1])
    body.read_weights()
    for value, variable in variables.items():
        read = _read(body, body.handle(variable), trace.traced.graph.avals[value].dtype)
        body.bind(trace.traced.graph, value, read)
    body.write(trace.traced.graph)
    count = len(trace.results.tensors)
    made = [body.op("Identity", body.value(v)) for v in trace.traced.graph.outputs[:count]]
    assigned = [body.value(v) for v in trace.traced.graph.outputs[count:]]
    body.outputs = [value.name for value in (*made, *assigned)]
    body.pruned()
    body.checked()
    effects = _assign(body, trace.assigned, assigned)
    arguments = [(ports[i].name, ports[i].dtype, shapes[i]) for i in order]
    arguments += [(handle, resource, ()) for _, handle in body.captured.values()]
    results = [(f"identity_{i}" if i else "identity", v.dtype, v.name) for i, v in enumerate(made)]
    own = function_proto(name, arguments, results, _encoded(body, body), effects)
    called = [_called(body, one) for one in body.library]
    signature = concrete.structured_input_signature
    specs = tensor_specs(signature)
    result, outputs = _result(concrete)
    captured = [value for value, _ in body.captured.values()]
    places = {output: i for node in body.nodes for i, output in enumerate(node.outputs)}
    gradients = {one.kind: _gradient(body, one) for one in body.gradients if one.is_used}
    return WrittenFunction(
        name, specs, outputs, signature, result, captured, [own, *called], places, gradients
    )


def _gradient(root: Body, body: GradientBody) -> WrittenFunction:
    """Encode a function that computes a custom gradient."""
    inputs = [(v.name, v.dtype, None if v.aval is None else v.aval.shown) for v in body.inputs]
    structure = body.structure
    outputs = [spec for spec in structure if spec is not None]
    results = [
        (f"identity_{i}" if i else "identity", spec.dtype, name)
        for i, (spec, name) in enumerate(zip(outputs, body.outputs, strict=True))
    ]
    message = function_proto(body.name, inputs, results, _encoded(root, body))
    signature: Any = ((None, *body.specs), {})
    return WrittenFunction(
        body.name, body.specs, outputs, signature, structure, body.tensors(), [message]
    )


def _read(body: Body, handle: str, dtype: DType) -> NodeValue:
    name = body.fresh("ReadVariableOp")
    output = f"{name}:value:0"
    body.nodes.append(FileNode("ReadVariableOp", name, [handle], [output], {"dtype": dtype}))
    return NodeValue(output, dtype)


def _assign(body: Body, variables: Sequence[Variable], values: Sequence[NodeValue]) -> list[str]:
    """Add the assignments, which follow all readings, and return the names of their nodes."""
    reads = [f"^{node.name}" for node in body.nodes if node.op == "ReadVariableOp"]
    found = []
    for variable, value in zip(variables, values, strict=True):
        name = body.fresh("AssignVariableOp")
        given = [body.handle(variable), value.name, *reads]
        body.nodes.append(FileNode("AssignVariableOp", name, given, [], {"dtype": value.dtype}))
        found.append(name)
    return found


def _encoded(root: Nodes, graph: Nodes) -> Iterable[bytes]:
    """Encode the nodes of a function."""
    for node in graph.nodes:
        if node.op == "Const":
            yield constant_proto(node.name, root.constants[node.name], node.attrs["dtype"])
        else:
            yield node_proto(node.name, node.op, node.inputs, node.attrs)


def _called(root: Nodes, graph: Nodes) -> bytes:
    """Encode a function that another one calls."""
    inputs = [
        (v.name, v.dtype, [None] * v.rank if v.aval is None else v.aval.shown) for v in graph.inputs
    ]
    results = [
        (f"ret{i}", aval.dtype, value)
        for i, (aval, value) in enumerate(zip(graph.result, graph.outputs, strict=True))
    ]
    return function_proto(graph.name, inputs, results, _encoded(root, graph))


def _order(concrete: ConcreteFunction) -> list[int]:
    """Return the positions of the tensors of a call in TensorFlow's order."""
    call = concrete.call
    specs = [TensorSpec(t.shape, t.dtype, str(i)) for i, (_, t) in enumerate(call.tensors)]
    found = structured(parameters_of(concrete._signature, call.replaced(specs)))
    return [int(str(spec.name)) for spec in tensor_specs(found)]


def _result(concrete: ConcreteFunction) -> tuple[Any, list[TensorSpec]]:
    """Return the result with specs in place of tensors, and the specs in order."""
    leaves = nest.flatten(concrete.structured_outputs)
    kinds = Tensor | FieldRecord
    if any(leaf is not None and not isinstance(leaf, kinds) for leaf in leaves):
        raise TypeError(
            f"{concrete.name} must return tensors, or a nest of tensors and None, to be saved in a "
            "SavedModel."
        )
    packed = nest.pack_sequence_as(concrete.structured_outputs, [_spec_of(x) for x in leaves])
    return packed, tensor_specs(packed)


def _spec_of(leaf: Any) -> Any:
    if leaf is None:
        return None
    if isinstance(leaf, FieldRecord):
        return leaf.__spec__()
    return TensorSpec(leaf.shape, leaf.dtype)
