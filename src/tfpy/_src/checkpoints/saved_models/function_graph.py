"""Concrete functions as graphs with TensorFlow's operations, for inspection."""

from __future__ import annotations

import inspect
import weakref
from collections import Counter
from collections.abc import Mapping
from typing import Any

from tfpy._src.base.dtypes import DType, as_dtype
from tfpy._src.base.errors import UnimplementedError
from tfpy._src.base.version import GRAPH_DEF_VERSION
from tfpy._src.checkpoints.saved_models.functions import WrittenFunction, written
from tfpy._src.core import nest
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.tensor_shape import TensorShape
from tfpy._src.formats.summary import graph_def as equations
from tfpy._src.functions.graph_mode import operation
from tfpy._src.functions.graph_mode.lookup import Lookup
from tfpy._src.functions.tf_function.concrete import ConcreteFunction
from tfpy._src.functions.tf_function.signature import TensorSpec
from tfpy._src.library.protos.graphs import FunctionDef, GraphDef, NodeDef
from tfpy._src.library.protos.tensor_protos import shape_message
from tfpy._src.tensors.variables.variable import Variable

_DTYPES = ("DstT", "out_type", "output_type", "dtype", "Tout", "T", "type")
"""Attributes with the dtype of the results of an operation, the decisive one first."""
_BOOLEAN = frozenset(
    (
        *("Equal", "NotEqual", "Less", "LessEqual", "Greater", "GreaterEqual", "LogicalAnd"),
        *("LogicalOr", "LogicalNot", "All", "Any", "IsNan", "IsInf", "IsFinite"),
    )
)
_NAMES = {"AddV2": "add", "Mul": "mul", "Sub": "sub", "RealDiv": "truediv"}
"""Names of nodes that differ from the types of their operations."""
_graphs: weakref.WeakKeyDictionary[ConcreteFunction, FuncGraph] = weakref.WeakKeyDictionary()


def graph_of(concrete: ConcreteFunction) -> FuncGraph:
    """Return the graph of a concrete function, always the same object."""
    return _graphs.setdefault(concrete, FuncGraph(concrete))


class FunctionTensor:
    """A result of an operation of a function that is not one of the function's results.

    Attributes:
        op: The operation.
        value_index: Number of the result.
        dtype: Dtype of the result.
    """

    def __init__(self, op: Operation, value_index: int, dtype: DType) -> None:
        self.op, self.value_index, self.dtype = op, value_index, dtype

    @property
    def name(self) -> str:
        """Name of the operation, a colon and the number of the result."""
        return f"{self.op.name}:{self.value_index}"

    @property
    def shape(self) -> TensorShape:
        """Unknown shape."""
        return TensorShape(None)

    def __repr__(self) -> str:
        return f"<tf.Tensor '{self.name}' shape=<unknown> dtype={self.dtype.name}>"


class Operation(operation.Operation):
    """A node of a concrete function, with the interface of `tf.Operation`."""

    def __init__(self, graph: FuncGraph, node_def: NodeDef) -> None:
        self.graph: Any = graph
        self.node_def = node_def
        self.name, self.type = node_def.name, node_def.op
        self.outputs: list[Any] = []

    @property
    def inputs(self) -> tuple[Any, ...]:
        """Tensors that the operation reads."""
        names = [name for name in self.node_def.input if not name.startswith("^")]
        full = (name if ":" in name else f"{name}:0" for name in names)
        return tuple(self.graph.get_tensor_by_name(name) for name in full)

    @property
    def control_inputs(self) -> list[Any]:  # type: ignore[override]
        """Operations that run before this one without being read by it."""
        names = [name[1:] for name in self.node_def.input if name.startswith("^")]
        return [self.graph.get_operation_by_name(name) for name in names]


class FuncGraph(Lookup):
    """The graph of a concrete function.

    `ConcreteFunction.graph` returns it. Its operations are those with which TensorFlow computes the
    function. If TensorFlow lacks an operation, the graph has one node for each equation of tfpy.
    """

    building_function = True

    def __init__(self, concrete: ConcreteFunction) -> None:
        self._concrete: Any = weakref.proxy(concrete)
        self._message: GraphDef | None = None
        self._operations: dict[str, Operation] = {}
        self.name: str = concrete.name

    @property
    def inputs(self) -> list[Tensor]:
        """Arguments that are tensors."""
        return list(self._concrete.inputs)

    @property
    def outputs(self) -> list[Tensor]:
        """Results that are tensors."""
        return list(self._concrete.outputs)

    @property
    def structured_input_signature(self) -> Any:
        """Positional and keyword arguments, with specs in place of tensors."""
        return self._concrete.structured_input_signature

    @property
    def structured_outputs(self) -> Any:
        """Result of the function, with tensors that have no values."""
        return self._concrete.structured_outputs

    @property
    def variables(self) -> tuple[Variable, ...]:
        """Variables that the function reads or assigns."""
        return tuple(self._concrete.variables)

    @property
    def trainable_variables(self) -> tuple[Variable, ...]:
        """Trainable Variables that the function reads or assigns."""
        return tuple(self._concrete.trainable_variables)

    @property
    def external_captures(self) -> list[Tensor]:
        """Tensors from the enclosing scope that the function captures."""
        return list(self._concrete.captured_inputs)

    def as_graph_def(
        self, from_version: int | None = None, add_shapes: bool = False, **_: object
    ) -> GraphDef:
        """Return the graph as a message.

        Args:
            from_version: Has no effect.
            add_shapes: Has no effect.

        Returns:
            A `tf.compat.v1.GraphDef`.
        """
        if self._message is None:
            self._message = graph_def_of_function(self._concrete)
        found = GraphDef()
        found.CopyFrom(self._message)
        return found

    def _named(self) -> Mapping[str, Operation]:
        if not self._operations:
            known: list[Any] = [*self.inputs, *self.outputs]
            results = {tensor.name: tensor for tensor in known}
            for node in self.as_graph_def().node:
                made = Operation(self, node)
                self._operations[made.name] = made
                result = results.get(f"{made.name}:0")
                made.outputs = [_output(made) if result is None else result]
        return self._operations


def _output(op: Operation) -> FunctionTensor:
    kinds = [op.node_def.attr[name].type for name in _DTYPES if name in op.node_def.attr]
    known = 10 if op.type in _BOOLEAN else next(filter(None, kinds), 1)
    return FunctionTensor(op, 0, as_dtype(known))


def graph_def_of_function(concrete: ConcreteFunction) -> GraphDef:
    """Return a concrete function as a graph whose placeholders are its arguments."""
    try:
        found = written(concrete, concrete.name, False)
    except (UnimplementedError, TypeError, ValueError):
        names = dict(zip(concrete.traced.graph.inputs, _names(concrete), strict=False))
        return GraphDef.FromString(equations.graph_def(concrete.traced.graph, names))
    return _inlined(found)


def _names(concrete: ConcreteFunction) -> list[str]:
    return [name for name, _ in concrete.call.tensors]


def _inlined(function: WrittenFunction) -> GraphDef:
    """Return the body of a function as a graph."""
    own, *called = [FunctionDef.FromString(message) for message in function.messages]
    graph = GraphDef()
    graph.versions.producer = GRAPH_DEF_VERSION
    graph.library.function.extend(called)
    shapes = [*(spec.shape for spec in function.inputs)]
    for number, argument in enumerate(own.signature.input_arg):
        node: Any = graph.node.add(name=argument.name, op="Placeholder")
        node.attr["dtype"].type = argument.type
        shape = shapes[number] if number < len(shapes) else TensorShape([])
        node.attr["shape"].shape.CopyFrom(shape_message(shape))
    names = _renamed(own)
    for inner in own.node_def:
        node = graph.node.add()
        node.CopyFrom(inner)
        node.name = names[inner.name]
        del node.input[:]
        node.input.extend(_source(name, function.places, names) for name in inner.input)
    return graph


def _renamed(function: FunctionDef) -> dict[str, str]:
    """Return names in TensorFlow's form for nodes: the type, with a number from the second on."""
    used = Counter(argument.name for argument in function.signature.input_arg)
    found = {}
    for node in function.node_def:
        name = _NAMES.get(node.op, node.op)
        found[node.name] = f"{name}_{used[name]}" if used[name] else name
        used[name] += 1
    return found


def _source(name: str, places: Mapping[str, int], names: Mapping[str, str]) -> str:
    """Return the name of a value within a function as the name of an input of a graph."""
    control, node = ("^", name[1:]) if name.startswith("^") else ("", name.partition(":")[0])
    number = places.get(name, 0)
    found = control + names.get(node, node)
    return f"{found}:{number}" if number else found


def function_def_of(concrete: ConcreteFunction) -> FunctionDef:
    """Return a concrete function as a message.

    Raises:
        UnimplementedError: If TensorFlow does not have an operation.
    """
    return FunctionDef.FromString(written(concrete, concrete.name, False).messages[0])


class AtomicFunction:
    """The compiled function of a concrete function, for inspection.

    Attributes:
        name: Name as bytes.
        function_type: Parameters with specs.
        graph: The graph.
    """

    def __init__(self, concrete: ConcreteFunction) -> None:
        self._concrete = concrete
        self.name = concrete.name.encode()
        self.function_type = function_type_of(concrete)
        self.graph = graph_of(concrete)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._concrete(*args, **kwargs)


class FunctionType(inspect.Signature):
    """The parameters of a concrete function. Their annotations are specs and values.

    Example:
        >>> import tfpy as tf
        >>> concrete = tf.function(lambda x: x * 2).get_concrete_function(tf.TensorSpec([2]))
        >>> isinstance(concrete.function_type, tf.types.experimental.FunctionType)
        True
        >>> concrete.function_type.parameters["x"].annotation
        TensorSpec(shape=(2,), dtype=tf.float32, name=None)

    See also: `tf.types.experimental.ConcreteFunction`.
    """


def function_type_of(concrete: ConcreteFunction) -> FunctionType:
    """Return the parameters of a concrete function with the specs of its arguments."""
    args, kwargs = concrete.structured_input_signature
    names = [*concrete._signature.parameters.values()]
    given = dict(zip((p.name for p in names), args, strict=False)) | kwargs
    parameters = [p.replace(annotation=_unnamed(given[p.name])) for p in names if p.name in given]
    return FunctionType(parameters, return_annotation=_unnamed(concrete.structured_outputs))


def _unnamed(structure: Any) -> Any:
    """Return a structure with specs without names in place of tensors and their specs."""
    kinds = Tensor | TensorSpec
    return nest.map_structure(
        lambda leaf: TensorSpec(leaf.shape, leaf.dtype) if isinstance(leaf, kinds) else leaf,
        structure,
    )
