"""A trace: the Graph that ops on symbolic tensors leave while a Python function runs."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tfpy._src.backends.storage import host_storage
from tfpy._src.base import tracing
from tfpy._src.base.errors import NotTraceableError
from tfpy._src.base.source_locations import Line, here
from tfpy._src.compiler.ir.aval import Array, Aval
from tfpy._src.compiler.ir.graph import Graph
from tfpy._src.compiler.ir.op import OPS, Op
from tfpy._src.compiler.ir.sizes import Misfits, is_open
from tfpy._src.core import tape as tapes
from tfpy._src.core.name_scope import prefix
from tfpy._src.core.sizes import Sizes, computed
from tfpy._src.core.tape import Entry, Tape
from tfpy._src.core.tensor import Tensor, next_identity
from tfpy._src.functions.trace.symbolic import SymbolicTensor

if TYPE_CHECKING:
    from tfpy._src.tensors.variables.variable import Variable


_MAX_CONSTANT = 16  # elements up to which a captured array becomes a constant of the Graph


@dataclass(frozen=True)
class Extra:
    """An input of the Graph that is not an argument: a captured tensor, a Variable or a feed."""

    tensor: Tensor
    """What ops of the trace got: symbolic, or the captured tensor itself."""
    fetch: Callable[[], Tensor]
    """Gives the value for a call."""
    variable: Variable | None = None
    anew: Callable[[], Callable[[], Array]] | None = None
    """Of a feed: gives what gives its values from their beginning."""


class Recorder(Tape):
    """Records every op of a trace, so that the traced function can be differentiated."""

    def follows(self, tensors: Sequence[Tensor]) -> bool:
        return True

    def record(self, entry: Entry) -> None:
        self.entries.append(entry)


class Trace:
    """Collects a Graph. Ops come here when an operand is symbolic; the others run at once.

    What a function reads besides its arguments becomes :attr:`extras`: tensors from outside,
    Variables (read once, at the start of a call), and feeds, which give a value at each call.
    Variables that it assigns stand in :attr:`assigned` with their final value.
    """

    def __init__(self, name: str, allows_variables: bool = True) -> None:
        self.name = name
        self.lock = threading.RLock()
        """Held while the trace is taken on, for a derivative."""
        self._began = next_identity()
        self.graph = Graph()
        self.recorder = Recorder()
        self.extras: list[Extra] = []
        self.constants: list[Tensor] = []
        """Captured tensors that the Graph holds as constants."""
        self.assigned: dict[int, tuple[Variable, Tensor]] = {}
        self._unread: set[int] = set()
        """The ids of Variables that have not been read since they were assigned."""
        self.is_custom = False
        """Whether its equations alone do not tell its gradient."""
        self.unseeded = 0
        """How many random ops without a seed it has."""
        self.made: list[Variable] = []
        """Variables that the function made."""
        self.used: dict[int, Tensor] = {}
        """By identity, the tensors of before that an extension of the trace reads."""
        self._earlier = 0  # values from here on belong to the extension
        self._allows_variables = allows_variables
        self.lines: dict[int, Line | None] = {}
        """Where the ops stand in the program that gave values."""
        self._values: dict[int, int] = {}  # identity of a captured tensor -> value
        self._reads: dict[int, SymbolicTensor] = {}  # id of a Variable -> its first value
        self._names: dict[str, int] = {}

    # Inputs

    def argument(self, aval: Aval, name: str) -> SymbolicTensor:
        """A symbolic tensor for an argument."""
        return SymbolicTensor(self, self.graph.add_input(aval), aval, self._unique(name))

    def feed(self, fetching: Callable[[], Callable[[], Array]], aval: Aval, name: str) -> Tensor:
        """An input that gets a value at each call of the traced function.

        Args:
            fetching: gives the function that gives the values; called anew for each place of
                other traces to which a call copies this one.
        """
        tensor = self.argument(aval, name)
        fetch = fetching()

        def fetched() -> Tensor:
            outer = tracing.current()
            if outer is not None:
                return outer.feed(fetching, aval, name)
            places = tracing.local.places
            if places is not None:
                return Tensor(aval, host_storage(places.found(fetching, fetching)(), aval))
            return Tensor(aval, host_storage(fetch(), aval))

        self.extras.append(Extra(tensor, fetched, anew=fetching))
        return tensor

    def capture(self, tensor: Tensor) -> int:
        """The value of a tensor from outside: a constant when it is small, else an input.

        Raises:
            TypeError: when it belongs to a trace that is not being taken.
            UnavailableError: when its values are gone with the device that had them.
        """
        known = self._values.get(tensor.identity)
        if known is not None:
            return known
        if isinstance(tensor, SymbolicTensor):
            if all(trace is not tensor.trace for trace in tracing.local.active):
                raise TypeError(
                    f"{tensor} is out of scope: it belongs to the trace of "
                    f"'{tensor.trace.name}', while '{self.name}' is traced. Return it from that "
                    "function, or keep it in a tf.Variable"
                )
        elif self._is_constant(tensor):
            value = self.graph.add_constant(tensor.host_view(), tensor.aval)
            self.constants.append(tensor)
            self._values[tensor.identity] = value
            return value
        else:
            tensor.storage.check()
        tensor.kept = True  # a tidy scope that ends while tracing must not dispose it
        value = self.graph.add_input(tensor.aval)
        self.extras.append(Extra(tensor, lambda: tensor))
        self._values[tensor.identity] = value
        return value

    @property
    def has_lost(self) -> bool:
        """Whether only a device that is gone had values that it captured."""
        captured = (extra.tensor for extra in self.extras)
        return any(t.storage.is_lost for t in captured if not isinstance(t, SymbolicTensor))

    def is_from_outside(self, tensor: Tensor) -> bool:
        """Whether a captured tensor is the user's: neither made while tracing nor a number's."""
        return tensor.identity < self._began and tensor.storage.counted

    def computed_with(self) -> list[Tensor]:
        """Return the user's tensors with which ops ran at once, as all of their inputs had values.

        Gradients flow to them through what these ops returned, which the Graph gets as inputs.
        """
        found: dict[int, Tensor] = {}
        reached: set[int] = set()
        for entry in self.recorder.entries:
            if any(isinstance(t, SymbolicTensor) for t in (*entry.inputs, *entry.outputs)):
                continue
            given = [t for t in entry.inputs if self.is_from_outside(t)]
            found.update((t.identity, t) for t in given if t.dtype.is_differentiable)
            if any(t.identity in found or t.identity in reached for t in entry.inputs):
                for output in entry.outputs:
                    if not output.is_disposed:
                        self.value_of(output)
                        reached.add(output.identity)
        return [t for t in found.values() if t.identity not in self._values]

    def _is_constant(self, tensor: Tensor) -> bool:
        return tensor.size <= _MAX_CONSTANT and tensor.storage.host is not None

    def constant(self, array: Array, aval: Aval) -> Tensor:
        """A constant of the Graph."""
        return SymbolicTensor(self, self.graph.add_constant(array, aval), aval, "Const:0")

    # Variables

    def read(self, variable: Variable) -> Tensor:
        """The Variable's value at this point of the function."""
        if id(variable) in self._unread:
            self._unread.remove(id(variable))
            self.assigned[id(variable)] = (variable, self._first_reading(variable))
        assigned = self.assigned.get(id(variable))
        return self.first_value(variable) if assigned is None else assigned[1]

    def first_value(self, variable: Variable) -> Tensor:
        """Return the Variable's value at the start of the function.

        Gradients with respect to the Variable are those of this tensor.

        Raises:
            NotTraceableError: If values of several shapes fit the Variable.
        """
        known = self._reads.get(id(variable))
        if known is None:
            if variable.has_open_shape:
                raise NotTraceableError(
                    f"the shape of the variable '{variable.name}', {variable.shape}, is open: its "
                    "value may have another one at each call"
                )
            known = self.argument(variable.aval, variable.name.removesuffix(":0"))
            self._reads[id(variable)] = known
            self.extras.append(Extra(known, variable.value, variable))
        return known

    def assign(self, variable: Variable, tensor: Tensor) -> None:
        """Notes a Variable's new value."""
        self.assigned[id(variable)] = (variable, tensor)
        self._unread.add(id(variable))

    def last_value(self, variable: Variable) -> Tensor:
        """Return the Variable's present value without reading it: no gradient flows through it."""
        assigned = self.assigned.get(id(variable))
        return self.first_value(variable) if assigned is None else assigned[1]

    def _first_reading(self, variable: Variable) -> Tensor:
        """Return an assigned value as the Variable's first reader receives it.

        As in TensorFlow, each reading of a Variable has the gradient with respect to the Variable,
        and no gradient flows into what was assigned.
        """
        _, value = self.assigned[id(variable)]
        if variable.has_open_shape or not value.dtype.is_differentiable:
            return value
        first = self.first_value(variable)

        def backward(gradient: Any) -> Sequence[Any]:
            return [gradient]

        (reading,) = self.custom([value], [first], backward)
        self.recorder.record(Entry("read", (first,), (reading,), backward, takes_slices=True))
        return reading

    def on_variable_made(self, variable: Variable) -> None:
        """Told of a Variable that the function makes.

        Raises:
            ValueError: when this is not the function's first call.
        """
        if not self._allows_variables:
            raise ValueError(
                "tf.function only supports singleton tf.Variables created on the first call. "
                "Make sure the tf.Variable is only created once or created outside tf.function: "
                f"'{self.name}' made '{variable.name}' again"
            )
        self.made.append(variable)

    # Equations

    def apply(self, op: Op, inputs: Sequence[Tensor], attrs: dict[str, Any]) -> Tensor:
        """Adds the equation of an op and records it on tapes.

        Raises:
            ValueError, TypeError: from the op's rules.
        """
        if Sizes in map(type, inputs) and self._is_known(inputs, attrs):
            return computed(op, inputs, attrs)
        if tracing.local.notes is not None:
            tracing.local.notes(op.name)
        values = [self.value_of(t) for t in inputs]
        line = here()
        value = self.graph.add_eqn(op, values, tuple(attrs.items()), line)
        Misfits.settle()
        self.lines[value] = line
        output = self.tensor(value, op.name)
        for tape in tapes.local.active:
            tape.record_op(op, tuple(inputs), output, attrs)
        return output

    def _is_known(self, inputs: Sequence[Tensor], attrs: dict[str, Any]) -> bool:
        """Whether an op can be computed at once, and gives a result of a known shape."""
        return SymbolicTensor not in map(type, inputs) and not is_open(tuple(attrs.values()))

    def apply_multiple(
        self, op: Op, inputs: Sequence[Tensor], attrs: dict[str, Any]
    ) -> list[Tensor]:
        """Adds an equation with several outputs; recording it is the caller's affair."""
        if tracing.local.notes is not None:
            tracing.local.notes(op.name)
        values = [self.value_of(t) for t in inputs]
        outputs = self.graph.add_multiple(op, values, tuple(attrs.items()), here())
        return [self.tensor(v, op.name) for v in outputs]

    def alias(self, tensor: Tensor) -> Tensor:
        """The same values as another value, which tapes do not connect with the first one."""
        shape = (("shape", tensor.aval.shape),)
        value = self.graph.add_eqn(OPS["reshape"], [self.value_of(tensor)], shape)
        return self.tensor(value, "Identity")

    def custom(
        self,
        results: Sequence[Tensor],
        inputs: Sequence[Tensor],
        backward: Callable[..., Sequence[Any]] | None,
    ) -> list[Tensor]:
        """The same values, whose gradient is a custom one; recording it is the caller's affair.

        Args:
            results: computed of ``inputs``.
            backward: gradients of the results -> those of the inputs; None if there is none.
        """
        self.is_custom = True
        return [self.alias(t) for t in results]

    def tensor(self, value: int, name: str) -> SymbolicTensor:
        """A tensor for a value of the Graph."""
        return SymbolicTensor(self, value, self.graph.avals[value], self._unique(name))

    def value_of(self, tensor: Tensor) -> int:
        """The number of a tensor's value in the Graph."""
        if isinstance(tensor, SymbolicTensor) and tensor.trace is self:
            value = tensor.value
        else:
            value = self.capture(tensor)
        if value < self._earlier:
            self.used[tensor.identity] = tensor
        return value

    def inline(self, graph: Graph, inputs: Sequence[Tensor]) -> Inlined:
        """Copies a Graph's equations into this one."""
        values = {v: self.value_of(t) for v, t in zip(graph.inputs, inputs, strict=True)}
        for value, array in graph.constants.items():
            values[value] = self.graph.add_constant(array, graph.avals[value])
        for eqn in graph.eqns:
            if tracing.local.notes is not None:
                tracing.local.notes(eqn.op.name)
            outputs = self.graph.add_copy(eqn, [values[i] for i in eqn.inputs], graph)
            values.update(zip(eqn.outputs, outputs, strict=True))
        return Inlined(self, graph, values)

    # Taking it

    @contextmanager
    def taken(self) -> Iterator[Trace]:
        """Ops in this context go to the trace, and only the tapes opened in it record them."""
        saved = tapes.local.active[:]
        tapes.local.active[:] = [self.recorder]
        tracing.local.active.append(self)
        try:
            yield self
        finally:
            tracing.local.active.pop()
            tapes.local.active[:] = saved

    @contextmanager
    def extended(self) -> Iterator[None]:
        """Takes the trace on, for a derivative.

        What it has recorded is in :attr:`recorder`, and :attr:`used` holds the earlier tensors
        that the new equations read.
        """
        recorder, self.recorder = self.recorder, Recorder()
        self.used, self._earlier = {}, len(self.graph.avals)
        try:
            with self.taken():
                yield
        finally:
            self.recorder, self._earlier = recorder, 0

    def unique_name(self, name: str) -> str:
        """The name, with a number if the trace has seen it."""
        count = self._names.get(name, 0)
        self._names[name] = count + 1
        return f"{name}_{count}" if count else name

    def _unique(self, name: str) -> str:
        return f"{self.unique_name(prefix() + name)}:0"


class Inlined:
    """A Graph whose equations were copied into a trace.

    Args:
        values: the Graph's values -> the trace's.
    """

    def __init__(self, trace: Trace, graph: Graph, values: dict[int, int]) -> None:
        self._trace, self._graph, self._values = trace, graph, values

    @property
    def outputs(self) -> list[Tensor]:
        return [self.tensor(v) for v in self._graph.outputs]

    def tensor(self, value: int) -> Tensor:
        """One of the Graph's values in the trace."""
        return self._trace.tensor(self._values[value], "call")
