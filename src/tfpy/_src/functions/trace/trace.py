"""A trace: the Graph that ops on symbolic tensors build while a Python function runs."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from tfpy._src.backends.storage import host_storage
from tfpy._src.base import tracing
from tfpy._src.base.errors import NotTraceableError
from tfpy._src.base.source_locations import Line, here
from tfpy._src.compiler.ir.aval import Array, Aval
from tfpy._src.compiler.ir.graph import Graph
from tfpy._src.compiler.ir.op import OPS, Op
from tfpy._src.compiler.ir.sizes import Misfits
from tfpy._src.core import tape as tapes
from tfpy._src.core.name_scope import prefix
from tfpy._src.core.sizes import SIZES, computed, have_known_results
from tfpy._src.core.tape import Entry
from tfpy._src.core.tensor import Tensor, next_identity
from tfpy._src.functions.trace.extra import Extra
from tfpy._src.functions.trace.inlined import Inlined
from tfpy._src.functions.trace.recorder import Recorder
from tfpy._src.functions.trace.symbolic import SymbolicTensor

if TYPE_CHECKING:
    from tfpy._src.tensors.variables.variable import Variable


_MAX_CONSTANT = 128
"""Number of elements up to which captured arrays become constants of the Graph."""

_MAX_MADE = 4096
"""The same for arrays that the function makes. Layers often make equal arrays, such as positions,
and passes merge equal constants."""


class Trace:
    """A Graph under construction. Ops with symbolic operands add equations; others run immediately.

    Values that the function reads in addition to its arguments become :attr:`extras`: tensors from
    outside, Variables (read once, at the start of a call), and feeds, which produce a value for
    each call. Variables that the function assigns are in :attr:`assigned` with their final values.

    Args:
        name: Name of the function.
        allows_variables: If True, the function may make Variables.
    """

    is_graph = False  # a graph of `tf.compat.v1` has True

    def __init__(self, name: str, allows_variables: bool = True) -> None:
        self.name = name
        self.scope = ""  # prefix of names outside of the name scopes that the trace enters
        self.lock = threading.RLock()  # held while the trace is extended for a derivative
        self._began = next_identity()
        self.graph = Graph()
        self.recorder = Recorder()
        self.extras: list[Extra] = []
        self.constants: list[Tensor] = []  # captured tensors that are constants of the Graph
        self.assigned: dict[int, tuple[Variable, Tensor]] = {}
        self._unread: set[int] = set()  # ids of Variables that were assigned and not read since
        self.is_custom = False  # True if the gradient does not follow from the equations alone
        self.unseeded = 0  # number of random ops without a seed
        self.made: list[Variable] = []  # by the function
        self.used: dict[int, Tensor] = {}
        """Tensors of the original trace that an extension reads, by identity."""
        self._earlier = 0  # values from this number on belong to the extension
        self._allows_variables = allows_variables
        self.lines: dict[int, Line | None] = {}  # locations of the ops that produced the values
        self._values: dict[int, int] = {}  # identity of a captured tensor -> value
        self._reads: dict[int, SymbolicTensor] = {}  # id of a Variable -> its initial value
        self._names: dict[str, int] = {}

    # Inputs

    def argument(self, aval: Aval, name: str) -> SymbolicTensor:
        """Add an argument and return its symbolic tensor."""
        return SymbolicTensor(self, self.graph.add_input(aval), aval, self._unique(name))

    def feed(self, fetching: Callable[[], Callable[[], Array]], aval: Aval, name: str) -> Tensor:
        """Add an input that receives a new value at each call of the traced function.

        `fetching` returns the function that produces the values. It is called again for each place
        in other traces into which a call inlines this trace.
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
        """Return the Graph value of an outside tensor: a constant if it is small, else an input.

        Raises:
            TypeError: If the tensor belongs to a trace that is not active.
            UnavailableError: If its values were lost with their device.
        """
        known = self._values.get(tensor.identity)
        if known is not None:
            return known
        if isinstance(tensor, SymbolicTensor):
            if all(trace is not tensor.trace for trace in tracing.local.active):
                raise TypeError(
                    f"{tensor} is out of scope: it belongs to the trace of "
                    f"'{tensor.trace.name}', while '{self.name}' is traced. Return it from that "
                    "function, or store it in a tf.Variable"
                )
        elif self._is_constant(tensor):
            values = tensor.storage.to_host().reshape(tensor.aval.shape)
            value = self.graph.add_constant(values, tensor.aval)
            self.constants.append(tensor)
            self._values[tensor.identity] = value
            return value
        elif tensor.size > _MAX_MADE and self._repeats(tensor):
            return self._values[tensor.identity]
        else:
            tensor.storage.check()
        tensor.kept = True  # a tf.tidy scope that ends while tracing must not dispose it
        value = self.graph.add_input(tensor.aval)
        self.extras.append(Extra(tensor, lambda: tensor))
        self._values[tensor.identity] = value
        return value

    def _repeats(self, tensor: Tensor) -> bool:
        """Add the equations of the ops that made a tensor, if they depend on constants only.

        The value is then computed in each call. Passes simplify it, and merge it with equal values.
        """

        def is_known(one: Tensor) -> bool:
            given = one.dtype.is_differentiable and self.is_from_outside(one)
            return not one.is_disposed and not given and self._is_constant(one)

        history = self.recorder.history(tensor, is_known)
        if history is None or not history.keys().isdisjoint(self._values):
            return False  # it depends on a tensor that is an input
        for identity, (op, inputs, attrs) in history.items():
            values = [self.value_of(t) for t in inputs]
            value = self.graph.add_eqn(op, values, tuple(attrs.items()), here())
            repeated = SymbolicTensor(self, value, self.graph.avals[value], "Const:0")
            self.recorder.repeated[identity] = repeated
            self._values[identity] = value
        return True

    @property
    def has_lost(self) -> bool:
        """True if captured values were lost with their device."""
        captured = (extra.tensor for extra in self.extras)
        return any(t.storage.is_lost for t in captured if not isinstance(t, SymbolicTensor))

    def is_from_outside(self, tensor: Tensor) -> bool:
        """Return True for a captured tensor that neither the trace nor a Python number made."""
        return tensor.identity < self._began and tensor.storage.counted

    def computed_with(self) -> list[Tensor]:
        """Return the user's tensors that are inputs of ops which ran immediately while tracing.

        Gradients flow to these tensors through the results of the ops, which become Graph inputs.
        The trace forgets other ops that ran immediately, unless they belong to a derivative.
        """
        found: dict[int, Tensor] = {}
        reached: set[int] = set()

        def is_needed(entry: Entry) -> bool:
            if any(isinstance(t, SymbolicTensor) for t in (*entry.inputs, *entry.outputs)):
                return True
            given = [t for t in entry.inputs if self.is_from_outside(t)]
            found.update((t.identity, t) for t in given if t.dtype.is_differentiable)
            if not any(t.identity in found or t.identity in reached for t in entry.inputs):
                made = {t.identity for t in entry.outputs} - self.recorder.repeated.keys()
                return self._earlier > 0 or not made.isdisjoint(self._values)
            for output in entry.outputs:
                if not output.is_disposed:
                    self.value_of(output)
                    reached.add(output.identity)
            return True

        self.recorder.forget(is_needed)
        return [t for t in found.values() if t.identity not in self._values]

    def _is_constant(self, tensor: Tensor) -> bool:
        storage, may_read = tensor.storage, tensor.dtype.is_integer
        is_known = storage.host is not None or (
            may_read and not storage.is_lost and storage.is_readable
        )
        is_made = tensor.identity >= self._began
        return is_known and tensor.size <= (_MAX_MADE if is_made else _MAX_CONSTANT)

    def constant(self, array: Array, aval: Aval) -> Tensor:
        """Add a constant to the Graph."""
        return SymbolicTensor(self, self.graph.add_constant(array, aval), aval, "Const:0")

    # Variables

    def read(self, variable: Variable) -> Tensor:
        """Return the Variable's value at this point of the function."""
        if id(variable) in self._unread:
            self._unread.remove(id(variable))
            self.assigned[id(variable)] = (variable, self._first_reading(variable))
        assigned = self.assigned.get(id(variable))
        return self.first_value(variable) if assigned is None else assigned[1]

    def first_value(self, variable: Variable) -> Tensor:
        """Return the Variable's value at the start of the function.

        The gradient with respect to the Variable is the gradient with respect to this tensor.

        Raises:
            NotTraceableError: If the Variable accepts values of several shapes.
        """
        known = self._reads.get(id(variable))
        if known is None:
            if variable.has_open_shape:
                raise NotTraceableError(
                    f"the shape of the variable '{variable.name}', {variable.shape}, is open: its "
                    "value may have a different shape at each call"
                )
            known = self.argument(variable.aval, variable.name.removesuffix(":0"))
            self._reads[id(variable)] = known
            self.extras.append(Extra(known, variable.value, variable))
        return known

    def assign(self, variable: Variable, tensor: Tensor) -> None:
        """Record a Variable's new value."""
        self.assigned[id(variable)] = (variable, tensor)
        self._unread.add(id(variable))

    def last_value(self, variable: Variable) -> Tensor:
        """Return the Variable's current value, but not as a read: no gradient flows through it."""
        assigned = self.assigned.get(id(variable))
        return self.first_value(variable) if assigned is None else assigned[1]

    def _first_reading(self, variable: Variable) -> Tensor:
        """Return an assigned value as the Variable's first reader receives it.

        As in TensorFlow, each read of a Variable has the gradient with respect to the Variable, and
        no gradient flows into the assigned value.
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
        """Register a Variable that the function makes.

        Raises:
            ValueError: If this is not the function's first call.
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
        """Add the equation of an op and record it on tapes.

        Raises:
            ValueError: If the op rejects the shapes or attributes.
            TypeError: If the op rejects the dtypes.
        """
        if not SIZES.isdisjoint(map(type, inputs)) and self._is_known(inputs, attrs):
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
        """Return True if an op can be computed immediately, with a result of a known shape."""
        return SymbolicTensor not in map(type, inputs) and have_known_results(inputs, attrs)

    def apply_multiple(
        self, op: Op, inputs: Sequence[Tensor], attrs: dict[str, Any]
    ) -> list[Tensor]:
        """Add an equation with several outputs. The caller records it on tapes."""
        if tracing.local.notes is not None:
            tracing.local.notes(op.name)
        values = [self.value_of(t) for t in inputs]
        outputs = self.graph.add_multiple(op, values, tuple(attrs.items()), here())
        return [self.tensor(v, op.name) for v in outputs]

    def alias(self, tensor: Tensor) -> Tensor:
        """Return a copy of a value that tapes do not connect with the original."""
        shape = (("shape", tensor.aval.shape),)
        value = self.graph.add_eqn(OPS["reshape"], [self.value_of(tensor)], shape)
        return self.tensor(value, "Identity")

    def custom(
        self,
        results: Sequence[Tensor],
        inputs: Sequence[Tensor],
        backward: Callable[..., Sequence[Any]] | None,
    ) -> list[Tensor]:
        """Return values with a custom gradient. The caller records it on tapes.

        Args:
            results: Tensors that were computed from `inputs`.
            inputs: Inputs of the custom gradient.
            backward: Maps gradients of the results to gradients of the inputs. None if no gradient
                flows.
        """
        self.is_custom = True
        return [self.alias(t) for t in results]

    def tensor(self, value: int, name: str) -> SymbolicTensor:
        """Return a tensor for a value of the Graph."""
        return SymbolicTensor(self, value, self.graph.avals[value], self._unique(name))

    def value_of(self, tensor: Tensor) -> int:
        """Return the number of a tensor's value in the Graph."""
        if isinstance(tensor, SymbolicTensor) and tensor.trace is self:
            value = tensor.value
        else:
            value = self.capture(tensor)
        if value < self._earlier:
            self.used[tensor.identity] = tensor
        return value

    def inline(self, graph: Graph, inputs: Sequence[Tensor]) -> Inlined:
        """Copy the equations of a Graph into this one."""
        values = {v: self.value_of(t) for v, t in zip(graph.inputs, inputs, strict=True)}
        for value, array in graph.constants.items():
            values[value] = self.graph.add_constant(array, graph.avals[value])
        for eqn in graph.eqns:
            if tracing.local.notes is not None:
                tracing.local.notes(eqn.op.name)
            outputs = self.graph.add_copy(eqn, [values[i] for i in eqn.inputs], graph)
            values.update(zip(eqn.outputs, outputs, strict=True))
        return Inlined(self, graph, values)

    # Activation

    @contextmanager
    def taken(self) -> Iterator[Trace]:
        """Make this the active trace: ops go to it, and only tapes opened inside record them."""
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
        """Extend the trace for a derivative.

        Inside, :attr:`recorder` records only the new ops, and :attr:`used` collects the tensors of
        the original trace that the new equations read.
        """
        recorder, self.recorder = self.recorder, Recorder()
        self.used, self._earlier = {}, len(self.graph.avals)
        try:
            with self.taken():
                yield
        finally:
            self.recorder, self._earlier = recorder, 0

    def unique_name(self, name: str) -> str:
        """Return a name, with a number appended if the trace has used it before."""
        count = self._names.get(name, 0)
        self._names[name] = count + 1
        return f"{name}_{count}" if count else name

    def _unique(self, name: str) -> str:
        return f"{self.unique_name(prefix() + name)}:0"
