"""A ConcreteFunction: one trace of a Python function, compiled and callable."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Sequence
from typing import Any

from tfpy._src.backends.awaitable import awaitable
from tfpy._src.base import tracing
from tfpy._src.base.errors import invalid
from tfpy._src.base.profiler_spans import clock, note, recorders
from tfpy._src.compiler.ir.graph import Graph
from tfpy._src.core import nest
from tfpy._src.core.conversion import convert_to_tensor, is_operand
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.tensor_shape import TensorShape
from tfpy._src.functions.control.tensor_array import TensorArray
from tfpy._src.functions.control.traced_parts import TracedPart
from tfpy._src.functions.executor.executable import Executable
from tfpy._src.functions.tf_function.binding import Template
from tfpy._src.functions.tf_function.call_arguments import given_for
from tfpy._src.functions.tf_function.description import (
    Parameter,
    lines,
    one_line,
    parameters_of,
    structured,
)
from tfpy._src.functions.tf_function.lifting import initialize
from tfpy._src.functions.tf_function.results import (
    Results,
    converted,
    returned,
    with_errors_of_runs,
)
from tfpy._src.functions.tf_function.signature import Call, TensorSpec, aval_of
from tfpy._src.functions.tf_function.text import Lowered, as_html
from tfpy._src.functions.tf_function.traced import Traced
from tfpy._src.functions.trace.symbolic import SymbolicTensor
from tfpy._src.functions.trace.trace import Extra, Trace
from tfpy._src.tensors.array.making import zeros
from tfpy._src.tensors.variables.placeholder import Placeholder
from tfpy._src.tensors.variables.variable import Variable


class ConcreteFunction:
    """A Python function traced for one signature.

    Args:
        function: takes the call's arguments by parameter.
        signature: its parameters.
        call: the arguments that it is traced for.
        allows_variables: whether it may make Variables.
        bits: in how many products with weights are computed where the backend can; 0: as they are.
        is_shared: Whether the trace may also serve other Variables than those of the call.
    """

    def __init__(
        self,
        name: str,
        function: Callable[[dict[str, Any]], Any],
        signature: inspect.Signature,
        call: Call,
        allows_variables: bool,
        bits: int,
        is_shared: bool = False,
    ) -> None:
        self.name = name
        self._function = function
        self._signature = signature
        began = clock() if recorders else 0.0
        trace = Trace(name, allows_variables)
        placeholders = [Placeholder(v, trace) for v in call.variables] if is_shared else []
        with trace.taken():
            arguments = [trace.argument(aval_of(t), n) for n, t in call.tensors]
            given = call.replaced(arguments, placeholders)
            result = with_errors_of_runs(lambda: function(given), name)
            results = Results(nest.map_structure(converted, result))
            if trace.is_custom:  # a custom gradient reads the Variable of the call
                for placeholder in placeholders:
                    trace.first_value(placeholder)
            for tensor in (*results.tensors, *(value for _, value in trace.assigned.values())):
                trace.value_of(tensor)
        computed_with = trace.computed_with()
        traced = Traced(
            trace,
            trace.graph.eqns[:],
            arguments,
            trace.extras[:],
            [*trace.constants, *computed_with],
            results,
            trace.recorder.entries,
            list(trace.assigned.values()),
            bits,
        )
        self._template = Template(traced, placeholders)
        self._bind(call)
        if began:
            note("trace", name, began)

    def _bind(self, call: Call) -> None:
        self.call = call  # holds the objects that the cache knows by id
        self._traced = self._template.bound(call)

    @property
    def traced(self) -> Traced:
        """The compiled trace."""
        return self._traced

    @property
    def made(self) -> Sequence[Variable]:
        """Variables that the function made."""
        return self.traced.trace.made

    @property
    def is_shared(self) -> bool:
        """Return True if it was traced with placeholders for the Variables of its call."""
        return bool(self._template.placeholders)

    def can_bind(self, call: Call) -> bool:
        """Return True if the trace is right for the Variables of a call like its own."""
        return self._template.can_bind(call)

    def bound(self, call: Call) -> ConcreteFunction:
        """Return the same trace, bound to the Variables of another call."""
        if call.identities == self.call.identities:
            return self
        made = copy.copy(self)
        made._bind(call)
        return made

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Runs it on the tensors among the arguments.

        They are given as to the function, where what was no tensor may be left out, or by
        themselves in the order in which they were traced.

        Raises:
            TypeError: when tensors lack or are too many, or what was no tensor differs.
            InvalidArgumentError: when shapes or dtypes differ.
        """
        bound, tensors = self._given(args, kwargs)
        return bound.run(tensors)

    @awaitable("f.call_async(...)")
    async def call_async(self, *args: Any, **kwargs: Any) -> Any:
        """A call that lets the page live; see ``call_async`` of a ``tf.function``."""
        bound, tensors = self._given(args, kwargs)
        return await bound.run_async(tensors)

    def _given(self, args: Any, kwargs: Any) -> tuple[ConcreteFunction, list[Tensor]]:
        """Return what runs a call, and its tensors."""
        given, call = given_for(
            self.call, self._signature, args, kwargs, lambda: f"{self.name} takes {self.one_line()}"
        )
        expected = [t.dtype for _, t in self.call.tensors]
        if len(given) != len(expected):
            raise TypeError(
                f"{self.name} takes {len(expected)} tensors {self.one_line()}, got {len(given)}"
            )
        tensors = [
            convert_to_tensor(t, dtype if not is_operand(t) else None)
            for t, dtype in zip(given, expected, strict=True)
        ]
        if not self._takes(tensors):
            got = ", ".join(str(t.aval) for t in tensors)
            raise invalid(self.name, f"takes {self.one_line()}, got {got}")
        return self._bound_or_raise(call), tensors

    def _takes(self, tensors: Sequence[Tensor]) -> bool:
        """Whether it was traced for tensors like these."""
        expected = [aval_of(t).closed for _, t in self.call.tensors]
        return [t.aval.closed for t in tensors] == expected

    def _bound_or_raise(self, call: Call) -> ConcreteFunction:
        if call.identities == self.call.identities:
            return self
        if not self.is_shared or call.key != self.call.key or not self.can_bind(call):
            names = ", ".join(f"'{v.name}' {v.aval}" for v in call.variables)
            raise TypeError(
                f"{self.name} takes {self.one_line()} and was not traced for these Variables: "
                f"{names}; call the tf.function for them"
            )
        return self.bound(call)

    def one_line(self) -> str:
        """What it takes and gives."""
        return one_line(self._parameters(), self._output_specs())

    def _output_specs(self) -> Any:
        return nest.map_structure(
            lambda leaf: None if leaf is None else TensorSpec.from_tensor(leaf),
            self.traced.results.filled(self.outputs),
        )

    def _parameters(self) -> list[Parameter]:
        return parameters_of(self._signature, self.call.arguments)

    def initialize(self, given: Sequence[Tensor | TensorSpec]) -> None:
        """Gives the Variables that it made their first values, in order.

        Args:
            given: the arguments that it was traced for.
        """
        for variable in self.made:
            initialize(variable, self.traced, given)

    def run(self, tensors: Sequence[Tensor]) -> Any:
        """The result in the Python function's structure, for tensors of the traced avals."""
        if self.traced.trace.is_custom and isinstance(tracing.current(), TracedPart):
            return self._run_python(tensors)
        return self.traced(tensors)

    def _run_python(self, tensors: Sequence[Tensor]) -> Any:
        """Trace the Python function into a part of control flow.

        Parts are differentiated by their equations. A part has an equation for each custom
        gradient, and the Graph of a trace has none.
        """
        result = self._function(self.call.replaced(tensors))
        return nest.map_structure(lambda leaf: returned(converted(leaf)), result)

    async def run_async(self, tensors: Sequence[Tensor]) -> Any:
        """:meth:`run`, between whose parts the page has its turns."""
        return await self.traced.call_async(tensors)

    async def prepare(self, progress: Callable[[float], None]) -> None:
        """Makes the active backend's programs without freezing the page.

        A function without effects is run once, on zeros: nothing is left for the first call.
        """
        await self.traced.executable.prepare(progress)
        if not self.traced.assigned and not any(eqn.op.stateful for eqn in self.graph.eqns):
            self.traced.compute(
                [zeros(aval_of(t).shape, aval_of(t).dtype) for _, t in self.call.tensors]
            )

    def lower(self, *args: Any, **kwargs: Any) -> Lowered:
        """What the active backend runs, for reading."""
        arguments = [name for name, _ in self.call.tensors]
        inputs = [*arguments, *(_named(extra) for extra in self.traced.extras)]
        count = len(self.traced.results.tensors)
        results = ["result"] if count == 1 else [f"result {n}" for n in range(count)]
        results += [f"{variable.name} assigned" for variable in self.traced.assigned]
        return Lowered(self.name, self.traced.executable.lowering(), inputs, results)

    @property
    def is_lowered(self) -> bool:
        """Whether it is known what the active backend runs: asking for :meth:`lower` costs little
        then."""
        return self.traced.executable.is_planned

    @property
    def executable(self) -> Executable:
        """What runs: from its arguments and :attr:`extras` to its results and the new values of
        :attr:`assigned`."""
        return self.traced.executable

    @property
    def results(self) -> Results:
        """What it gives."""
        return self.traced.results

    @property
    def has_lost(self) -> bool:
        """Whether it computes with values that only a device had that is gone."""
        return self.traced.trace.has_lost

    @property
    def assigned(self) -> tuple[Variable, ...]:
        """The Variables to which it gives new values."""
        return tuple(self.traced.assigned)

    @property
    def graph(self) -> Graph:
        """The traced equations."""
        return self.traced.graph

    @property
    def extras(self) -> tuple[Extra, ...]:
        """What it reads besides its arguments, in the order of the Graph's inputs after these."""
        return self.traced.extras

    @property
    def assigns(self) -> bool:
        """Whether it gives Variables new values."""
        return bool(self.traced.assigned)

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The Variables that it reads or assigns."""
        read = [e.variable for e in self.traced.extras if e.variable is not None]
        return tuple({id(v): v for v in (*read, *self.traced.assigned)}.values())

    @property
    def trainable_variables(self) -> tuple[Variable, ...]:
        return tuple(v for v in self.variables if v.trainable)

    @property
    def captured_inputs(self) -> list[Tensor]:
        """The tensors from outside that it computes with."""
        extras = [e.tensor for e in self.traced.extras if e.variable is None]
        found = [*extras, *self.traced.constants]
        return [t for t in found if self.traced.trace.is_from_outside(t)]

    @property
    def inputs(self) -> list[Tensor]:
        """The symbolic tensors of its arguments."""
        return list(self.traced.arguments)

    @property
    def outputs(self) -> list[Tensor]:
        """The symbolic tensors that it gives, in order, named as in TensorFlow."""
        trace = self.traced.trace
        found = enumerate(self.traced.results.tensors)
        names = ((f"Identity_{i}:0" if i else "Identity:0", t) for i, t in found)
        return [SymbolicTensor(trace, trace.value_of(t), t.aval, name) for name, t in names]

    @property
    def structured_outputs(self) -> Any:
        """The result's structure with symbolic tensors."""
        return self.traced.results.structured(self.outputs)

    def _mapped(self, function: Callable[[Any], Any]) -> Any:
        """The result's structure with something of each leaf; None stays."""
        return nest.map_structure(
            lambda leaf: None if leaf is None else function(leaf), self.structured_outputs
        )

    @property
    def output_shapes(self) -> Any:
        """The result's structure with the shapes of its tensors."""
        return self._mapped(
            lambda leaf: TensorShape(None) if isinstance(leaf, TensorArray) else leaf.shape
        )

    @property
    def output_dtypes(self) -> Any:
        """The result's structure with the dtypes of its tensors."""
        return self._mapped(lambda leaf: leaf.dtype)

    @property
    def structured_input_signature(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Positional and keyword arguments, with specs of the tensors."""
        return structured(self._parameters())

    def pretty_printed_signature(self) -> str:
        """What it takes, gives and captures, in lines."""
        given = nest.flatten(self.call.arguments)
        captured = [v for v in self.variables if all(v is not other for other in given)]
        captures = {id(v): "TensorSpec(shape=(), dtype=tf.resource, name=None)" for v in captured}
        captures |= {id(t): repr(TensorSpec.from_tensor(t)) for t in self.captured_inputs}
        return lines(self._parameters(), self._output_specs(), captures)

    def _repr_html_(self) -> str:
        return as_html(self.name, [self])

    def __str__(self) -> str:
        return f"ConcreteFunction {self.pretty_printed_signature()}"

    def __repr__(self) -> str:
        return f"<ConcreteFunction {self.one_line()} at 0x{id(self):X}>"


def _named(extra: Extra) -> str:
    """What something is called that goes in besides the arguments."""
    if extra.variable is not None:
        return extra.variable.name
    return "captured" if extra.anew is None else "fed anew"
