"""`tf.Graph`: operations of TensorFlow 1, which a session runs."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from tfpy._src.backends.storage import host_storage
from tfpy._src.base import tracing
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.compiler.ir.op import Op
from tfpy._src.compiler.ir.sizes import closed
from tfpy._src.core import tape as tapes
from tfpy._src.core.name_scope import prefix
from tfpy._src.core.sizes import LikelySizes, Sizes
from tfpy._src.core.tensor import Tensor
from tfpy._src.functions.graph_mode.collections import Collections
from tfpy._src.functions.graph_mode.dependence import compute_from, reaches
from tfpy._src.functions.graph_mode.inference import Inferred, infer
from tfpy._src.functions.graph_mode.lookup import Lookup
from tfpy._src.functions.graph_mode.nests import leaves, mapped
from tfpy._src.functions.graph_mode.operation import Operation, given_name
from tfpy._src.functions.graph_mode.operation_names import name_of, type_of
from tfpy._src.functions.graph_mode.overriding import Overriding
from tfpy._src.functions.graph_mode.placing import Placing
from tfpy._src.functions.graph_mode.recording import install, uninstall
from tfpy._src.functions.graph_mode.row_gradients import GradientParts
from tfpy._src.functions.graph_mode.tensors import GraphTensor
from tfpy._src.tensors.variables.variable import Variable


class _Stack(threading.local):
    def __init__(self) -> None:
        self.graphs: list[Graph] = []
        """Graphs with an active `as_default()`, innermost last."""


stack = _Stack()


def operations_of(value: Any) -> list[Operation]:
    """Return the operations that compute a value."""
    if isinstance(value, Operation):
        return [value]
    if isinstance(value, GraphTensor):
        return [value.op]
    if callable(value) and not isinstance(value, Variable):
        return operations_of(value())
    return []


def _identity(value: Any) -> Any:
    return value


class Graph(Collections, Lookup, Overriding, Placing):
    """A graph of operations, which `tf.compat.v1.Session` runs.

    Inside `with graph.as_default():`, calls of functions create operations instead of computing.

    Example:
        >>> import tfpy as tf
        >>> graph = tf.Graph()
        >>> with graph.as_default():
        ...     y = tf.constant(2.0) * 3.0
        >>> with tf.compat.v1.Session(graph=graph) as sess:
        ...     print(sess.run(y))
        6.0

    See also: `tf.compat.v1.Session`, `tf.function`.
    """

    is_graph = True
    """True for a graph, False for a trace of `tf.function`."""
    building_function = False
    """False, because the graph does not belong to a `tf.function`."""

    def __init__(self) -> None:
        super().__init__()
        self.name = "graph"
        self.scope = ""
        """Prefix of names outside of name scopes."""
        self.operations: list[Operation] = []
        self.collections: dict[Hashable, list[Any]] = {}
        self.variables: list[Variable] = []
        """Variables of the graph, in the order of creation."""
        self.session: Any = None
        """The session whose values the Variables hold."""
        self.finalized = False
        """True if no operations can be added."""
        self.unseeded = 0
        self.seed: int | None = None
        self._by_name: dict[str, Operation] = {}
        self._names: dict[str, int] = {}

    # Activation

    @contextmanager
    def as_default(self) -> Iterator[Graph]:
        """Return a context manager in which functions create operations of this graph.

        Returns:
            A context manager that returns the graph.

        Example:
            >>> import tfpy as tf
            >>> with tf.Graph().as_default() as graph:
            ...     tf.compat.v1.get_default_graph() is graph
            True
        """
        install()
        active, tracing.local.active = tracing.local.active, [self]
        saved = tapes.local.active[:]
        tapes.local.active[:] = []
        stack.graphs.append(self)
        try:
            yield self
        finally:
            stack.graphs.pop()
            tracing.local.active = active
            tapes.local.active[:] = saved
            uninstall()

    def finalize(self) -> None:
        """Make the graph read-only: functions that would add operations raise a RuntimeError."""
        self.finalized = True

    # Operations

    def _named(self) -> Mapping[str, Operation]:
        return self._by_name

    def add_operation(self, op: Operation) -> int:
        """Store an operation and return its number.

        Raises:
            RuntimeError: If the graph is finalized.
        """
        if self.finalized:
            raise RuntimeError("Graph is finalized and cannot be modified.")
        self._by_name[op.name] = op
        self.place(op)
        self.operations.append(op)
        return len(self.operations) - 1

    def unique_name(self, name: str, mark_as_used: bool = True) -> str:
        """Return a name, with a number appended if the graph has used it before."""
        count = self._names.get(name.lower(), 0)
        found = f"{name}_{count}" if count else name
        while count and found.lower() in self._names:
            count += 1
            found = f"{name}_{count}"
        if mark_as_used:
            self._names[name.lower()] = count + 1
            self._names.setdefault(found.lower(), 1)
        return found

    def make(
        self,
        name: str,
        inputs: Sequence[GraphTensor | Variable] = (),
        kind: str | None = None,
        assigned: Sequence[Variable] = (),
        controls: Sequence[Operation] = (),
    ) -> Operation:
        """Add an operation whose name begins with the current name scope."""
        is_full = name.endswith("/")
        found = name[:-1] if is_full else self.unique_name(prefix() + name)
        kind = kind or type_of(name)
        return Operation(self, found, kind, inputs, [*controls, *self.control_inputs], assigned)

    def record(
        self,
        function: Callable[..., Any],
        args: Sequence[Any],
        kwargs: Mapping[str, Any],
        name: str | None = None,
    ) -> Any:
        """Return the result of a function, with a new operation for the tensors in it."""
        found = infer(function, args, kwargs, name or name_of(function))
        parts = leaves(found.result)
        has_tensors = any(isinstance(x, Tensor) for x in parts)
        has_effects = found.has_effects or found.assigned or found.checks_sizes
        if not has_tensors and not has_effects:
            return found.result
        given = [*args, dict(kwargs)]
        inputs = [x for x in leaves(given) if isinstance(x, GraphTensor | Variable)]
        for x in inputs if isinstance(found.result, Tensor) else ():
            if found.result is x or (isinstance(x, GraphTensor) and found.result is x.known):
                return x  # the function returns its argument
        chosen = given_name(function, args, kwargs)
        op = self.make(
            chosen or name or name_of(function),
            [*inputs, *found.captured],
            type_of(name or name_of(function)) if chosen else None,
            found.assigned,
        )
        op.function = self.overridden(op.type, function)
        result = self._filled(op, found, args, kwargs)
        return result if op.places else op

    def record_node(
        self,
        name: str,
        kind: str,
        function: Callable[..., Any],
        args: Sequence[Any],
        controls: Sequence[Operation],
    ) -> tuple[Operation, Any]:
        """Add an operation of a file, and return it with the result of its function.

        Args:
            name: Full name, which no other operation has.
            kind: Type of the operation.
            function: Function that computes the results.
            args: Arguments of the function.
            controls: Operations that run before this one.
        """
        found = infer(function, args, {}, name)
        inputs = [x for x in leaves(list(args)) if isinstance(x, GraphTensor)]
        op = self.make(f"{name}/", [*inputs, *found.captured], kind, found.assigned, controls)
        op.function = function
        return op, self._filled(op, found, args, {})

    def _filled(
        self, op: Operation, found: Inferred, args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> Any:
        """Store a call in an operation, and return the result with tensors of the graph."""
        op.args, op.kwargs = tuple(args), dict(kwargs)
        op.captured = tuple(found.read)
        op.is_dynamic = found.is_dynamic
        parts = leaves(found.result)
        op.places = [i for i, x in enumerate(parts) if isinstance(x, Tensor)]
        is_known = not found.has_effects and not found.assigned and not found.read
        return mapped(found.result, lambda x: self._output(op, x, is_known))

    @staticmethod
    def _output(op: Operation, value: Any, is_known: bool) -> Any:
        if not isinstance(value, Tensor):
            return value
        if isinstance(value, LikelySizes):
            value = Sizes(value, value.open)
        # Runs do not compute constants, and would skip the assertions before an operation.
        is_constant = type(value) is Tensor and not (op.inputs and op.control_inputs)
        known = value if is_known and (is_constant or isinstance(value, Sizes)) else None
        output = GraphTensor(op, len(op.outputs), value.aval, known)
        op.outputs.append(output)
        return output

    def add(
        self,
        function: Callable[..., Any],
        args: Sequence[Any],
        avals: Sequence[Aval],
        name: str,
    ) -> list[GraphTensor]:
        """Add an operation with results of the given shapes and dtypes, and return them."""
        inputs = [x for x in leaves([*args]) if isinstance(x, GraphTensor | Variable)]
        op = self.make(name, inputs)
        op.function, op.args = function, tuple(args)
        op.outputs = [GraphTensor(op, i, aval) for i, aval in enumerate(avals)]
        op.places = range(len(op.outputs))
        return op.outputs

    # The interface of a trace, for functions that are not recorded themselves

    def apply(self, op: Op, inputs: Sequence[Any], attrs: Mapping[str, Any]) -> Any:
        """Add an operation for an op of the compiler."""
        static = {name: closed(value) for name, value in attrs.items()}

        def call(*tensors: Any) -> Any:
            return op(*tensors, **static)

        return self.record(call, inputs, {}, name_of(op))

    def apply_multiple(
        self, op: Any, inputs: Sequence[Any], attrs: Mapping[str, Any]
    ) -> list[Tensor]:
        """Add an operation for an op with several results."""

        def call(*tensors: Any) -> Any:
            return list(op.apply(tensors, **attrs))

        found = self.record(call, inputs, {}, name_of(op))
        return found if isinstance(found, list) else []

    def read(self, variable: Variable) -> Tensor:
        """Add an operation that reads a Variable."""
        name = f"{variable.name.partition(':')[0]}/Read/ReadVariableOp/"
        op = self.make(self.unique_name(name[:-1]) + "/", [variable], "ReadVariableOp")
        op.function, op.args = _identity, (variable,)
        op.outputs = [GraphTensor(op, 0, variable.aval)]
        return op.outputs[0]

    first_value = last_value = read

    def feed(self, fetching: Callable[[], Callable[[], Any]], aval: Aval, name: str) -> Tensor:
        """Add an operation that returns a new value in each run, such as a random state."""
        fetch = fetching()

        def call() -> Tensor:
            current = tracing.current()
            if current is None:
                return Tensor(aval, host_storage(fetch(), aval))
            found: Tensor = current.feed(fetching, aval, name)
            return found

        return self.add(call, [], [aval], name)[0]

    def assignment(self, variable: Variable, value: Any, name: str) -> Operation:
        """Add the operation that initializes a Variable."""
        op = self.make(name + "/", [value] if isinstance(value, GraphTensor) else [], "Assign")
        op.set_assigned([variable])
        op.function, op.args = functools.partial(Variable.assign, variable), (value,)
        op.outputs = [GraphTensor(op, 0, variable.aval)]
        return op

    def on_variable_made(self, variable: Variable) -> None:
        """Do nothing: a graph may make any number of Variables."""

    def custom(self, results: Sequence[Tensor], inputs: Any, backward: Any) -> list[Tensor]:
        """Raise an error: functions with custom gradients must be recorded as a whole.

        Raises:
            NotImplementedError: Always.
        """
        raise NotImplementedError("a custom gradient is not supported outside of a recorded call")

    def gradients(
        self,
        function: Callable[..., Any],
        ys: Any,
        xs: Any,
        grad_ys: Any,
        stop_gradients: Any,
        unconnected_gradients: Any,
        name: str,
    ) -> list[Any]:
        """Add an operation that computes gradients, and return them."""
        ys, xs = leaves([ys]), leaves([xs])
        ys = [y.value() if isinstance(y, Variable) else y for y in ys]
        stops = leaves([stop_gradients or []])
        given = [g for g in leaves([grad_ys]) if g is not None]
        connected = [x for x in xs if reaches(self.operations, x, ys, stops)]
        fills = getattr(unconnected_gradients, "value", unconnected_gradients) == "zero"
        wanted = xs if fills else connected
        if not wanted:
            return [None] * len(xs)

        def compute(ys: Any, xs: Any, given: Any, stops: Any) -> list[Tensor]:
            found = function(
                ys, xs, given or None, stop_gradients=stops, unconnected_gradients="zero"
            )
            return [t for g, part in zip(found, parts, strict=True) for t in part.split(g)]

        parts = [GradientParts(x, self.operations, ys, stops) for x in wanted]
        compute_from(self.operations, wanted)
        avals = [aval for part in parts for aval in part.avals]
        outputs = self.add(compute, [ys, wanted, given, stops], avals, name)
        outputs[0].op.differentiated = tuple(wanted)
        tensors = iter(outputs)
        joined = {id(x): part.join(tensors) for x, part in zip(wanted, parts, strict=True)}
        return [joined.get(id(x)) for x in xs]

    # Control dependencies

    @property
    def control_inputs(self) -> list[Operation]:
        """Operations that run before each operation that is added now."""
        return [op for ops in self.contexts.controls for op in ops]

    @contextmanager
    def control_dependencies(self, control_inputs: Iterable[Any] | None) -> Iterator[None]:
        """Return a context manager for operations that run after others.

        Args:
            control_inputs: List of operations, tensors and Variables. None removes the control
                dependencies of the enclosing contexts.

        Returns:
            A context manager.
        """
        contexts = self.contexts
        saved = contexts.controls
        ops = [op for value in control_inputs or () for op in operations_of(value)]
        contexts.controls = [] if control_inputs is None else [*saved, ops]
        try:
            yield
        finally:
            contexts.controls = saved

    def group(self, inputs: Iterable[Any], name: str | None) -> Operation:
        """Add an operation that runs others."""
        ops = [op for value in leaves(list(inputs)) for op in operations_of(value)]
        return self.make(name or "group_deps", kind="NoOp", controls=ops)
