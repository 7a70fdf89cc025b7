"""Operations of graphs of TensorFlow 1 as nodes that TensorFlow can run.

An operation represents a call of a function. The call is traced and written like a function of a
SavedModel. Its nodes follow each other in the graph: the last one has the name of the operation,
and the others have this name as a prefix.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from tfpy._src.base.errors import NotTraceableError, OpError
from tfpy._src.checkpoints.saved_models.functions import WrittenFunction, written
from tfpy._src.core.sizes import Sizes
from tfpy._src.core.tensor import Tensor
from tfpy._src.functions.graph_mode.dependence import dependents
from tfpy._src.functions.graph_mode.inference import immediately
from tfpy._src.functions.graph_mode.operation import Operation
from tfpy._src.functions.graph_mode.plan import evaluate
from tfpy._src.functions.graph_mode.recording import installed
from tfpy._src.functions.graph_mode.tensors import GraphTensor, local
from tfpy._src.functions.graph_mode.variables import GraphVariable
from tfpy._src.functions.tf_function.polymorphic import Function
from tfpy._src.functions.tf_function.signature import TensorSpec
from tfpy._src.library.protos.graphs import FunctionDef, NodeDef
from tfpy._src.tensors.variables.variable import Variable

_FAILURES = (
    *(AssertionError, AttributeError, LookupError, NotTraceableError, OpError, RuntimeError),
    *(TypeError, ValueError),
)
"""Errors of calls that cannot be traced or written."""


class WrittenCall:
    """A call of a function, written as a function of a graph's library.

    Attributes:
        inputs: Tensors that are the arguments of the written function.
        function: The written function.
    """

    def __init__(self, inputs: Sequence[GraphTensor], function: WrittenFunction) -> None:
        self.inputs, self.function = inputs, function


def call_of(op: Operation) -> WrittenCall | None:
    """Write the call of an operation, or return None if it cannot be written.

    Constants among the arguments become inputs, unless the function needs their values.
    """
    inner, tensors = _parts(op)
    fixed = [x for x in tensors if x.constant is not None]
    for known in ([], fixed) if fixed else ([],):
        inputs = [x for x in tensors if all(x is not y for y in known)]
        try:
            return WrittenCall(inputs, _traced([*inner, op], inputs))
        except _FAILURES:
            continue
    return None


def _parts(op: Operation) -> tuple[list[Operation], list[GraphTensor]]:
    """Return the operations that the trace of a call must repeat, and the arguments of the trace.

    Sizes must be computed in the trace, because they are known only for the sizes of the trace.
    Gradients need the trace of the operations that they differentiate.
    """
    earlier = op.graph.operations[: op.number]  # type: ignore[attr-defined]
    repeated = dependents(earlier, op.differentiated)
    inner: dict[int, Operation] = {}
    arguments: dict[int, GraphTensor] = {}
    pending = deque(op.inputs)
    while pending:
        x = pending.popleft()
        if isinstance(x.known, Sizes) or x.op.number in repeated:
            if x.op.number not in inner:
                inner[x.op.number] = x.op
                pending.extend(x.op.inputs)
        else:
            arguments[x.identity] = x
    return [one for _, one in sorted(inner.items())], [*arguments.values()]


def _traced(operations: Sequence[Operation], inputs: Sequence[GraphTensor]) -> WrittenFunction:
    """Write operations as a function that returns the results of the last one."""
    op = operations[-1]

    def call(*given: Tensor) -> list[Any]:
        values: dict[int, Any] = {x.identity: y for x, y in zip(inputs, given, strict=True)}
        saved, local.values = local.values, values
        try:
            start = {id(v): v.value() for one in operations[:-1] for v in one.reads}
            start |= {id(v): v.value() for v in op.differentiated if isinstance(v, Variable)}
            with installed():  # functions such as bodies of loops use tensors of the graph
                for one in operations:
                    evaluate(one, values, start)
            return [values[x.identity] for x in op.outputs]
        finally:
            local.values = saved

    specs = [TensorSpec(x.shape, x.dtype, f"arg_{i}") for i, x in enumerate(inputs)]
    with immediately():
        concrete = Function(call, input_signature=specs, autograph=False).get_concrete_function()
        return written(concrete, f"call_{op.number}", False)


class CallBody:
    """The nodes of a written function as nodes of a graph.

    Args:
        op: The operation.
        function: The function.
        call: The call.
        free: Function that returns an unused name.
    """

    def __init__(
        self, op: Operation, function: FunctionDef, call: WrittenCall, free: Callable[[str], str]
    ) -> None:
        self._op, self._function, self._free = op, function, free
        self._places: Mapping[str, int] = call.function.places
        sources = [*map(input_name, call.inputs), *map(input_name, call.function.captured)]
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
        waits = controls_of(self._op)
        for node in sorted(kept, key=lambda node: node.name == last):
            yield self._renamed(node, waits if node.op != "Const" else [])
        if last is None:
            yield self._end(results, [*(f"^{self._names[name]}" for name in effects), *waits])

    def _through(self, name: str) -> str:
        """Return the value that the Identity of a result copies."""
        return str(self._makers[name.partition(":")[0]].input[0])

    def _last(self, results: Sequence[str]) -> str | None:
        """Return the node with the results as its outputs, or None if there is no such node."""
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


def input_name(value: Any) -> str:
    """Return the name of a tensor or Variable as an input of a node."""
    if isinstance(value, GraphVariable):
        return value.op.name
    name, _, number = value.name.partition(":")
    return name if number == "0" else str(value.name)


def controls_of(op: Operation) -> list[str]:
    """Return the control inputs of the node of an operation."""
    return [f"^{before.name}" for before in op.control_inputs]
