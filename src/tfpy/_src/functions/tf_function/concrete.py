"""A ConcreteFunction, which is one compiled trace of a Python function."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Sequence
from typing import Any

from tfpy._src.backends.awaitable import awaitable
from tfpy._src.base import tracing
from tfpy._src.base.errors import invalid
from tfpy._src.base.members import Listed
from tfpy._src.base.profiler_spans import clock, note, recorders
from tfpy._src.core import nest, records
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.tensor_shape import TensorShape
from tfpy._src.core.typing import Nest
from tfpy._src.functions.control.tensor_array import TensorArray
from tfpy._src.functions.control.traced_parts import TracedPart
from tfpy._src.functions.executor.executable import Executable
from tfpy._src.functions.tf_function.binding import Template
from tfpy._src.functions.tf_function.call_arguments import as_tensors, given_for
from tfpy._src.functions.tf_function.description import (
    Parameter,
    lines,
    one_line,
    parameters_of,
    structured,
)
from tfpy._src.functions.tf_function.inspection import Inspected
from tfpy._src.functions.tf_function.lifting import initialize
from tfpy._src.functions.tf_function.results import (
    Results,
    converted,
    returned,
    with_errors_of_runs,
)
from tfpy._src.functions.tf_function.signature import Call, TensorSpec, aval_of
from tfpy._src.functions.tf_function.text import Lowered, as_html, input_name
from tfpy._src.functions.tf_function.traced import Traced
from tfpy._src.functions.trace.extra import Extra
from tfpy._src.functions.trace.symbolic import SymbolicTensor
from tfpy._src.functions.trace.trace import Trace
from tfpy._src.tensors.array.making import zeros
from tfpy._src.tensors.variables.placeholder import Placeholder
from tfpy._src.tensors.variables.variable import Variable


class ConcreteFunction(Listed, Inspected):
    """A Python function traced and compiled for one signature.

    Args:
        name: Name of the function.
        function: Python function, which takes the call's arguments as a dict by parameter name.
        signature: Parameters of the Python function.
        call: Arguments that the function is traced for.
        allows_variables: If True, the function may make Variables.
        bits: Number of bits for products with weights where supported. 0 keeps the dtype.
        is_shared: If True, the trace may also serve other Variables than the call's.

    Example:
        >>> import tfpy as tf
        >>> one = tf.function(lambda: 1).get_concrete_function()
        >>> isinstance(one, tf.types.experimental.ConcreteFunction), one().numpy().tolist()
        (True, 1)
    """

    _package_members = frozenset(
        (
            *("assigned", "bound", "call", "can_bind", "described", "executable"),
            *("extras", "forget_lost", "has_lost", "initialize", "is_described", "is_lowered"),
            *("is_shared", "made", "one_line", "prepare", "results", "run", "run_async", "serves"),
            *("sized", "traced"),
        )
    )

    _trace_type = Trace

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
        trace = self._trace_type(name, allows_variables)
        placeholders = [Placeholder(v, trace) for v in call.variables] if is_shared else []
        with trace.taken():
            arguments = [trace.argument(aval_of(t), n) for n, t in call.tensors]
            given = call.replaced(arguments, placeholders)
            result = with_errors_of_runs(lambda: function(given), name)
            results = Results(records.map_structure(converted, result))
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
        self.call = call  # keeps objects alive; the cache key contains their ids
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
        """True if the function was traced with placeholders for the Variables of its call."""
        return bool(self._template.placeholders)

    def can_bind(self, call: Call) -> bool:
        """Return True if the trace is valid for the Variables of a call with the same key."""
        return self._template.can_bind(call)

    def bound(self, call: Call) -> ConcreteFunction:
        """Return the same trace, bound to the Variables of another call."""
        if call.identities == self.call.identities:
            return self
        made = copy.copy(self)
        made._bind(call)
        return made

    def __call__(self, *args: Nest, **kwargs: Nest) -> Any:
        """Run the compiled function.

        Args:
            args, kwargs: Arguments of the Python function. Arguments that are not tensors may be
                omitted, because their values are part of the trace.

        Returns:
            The result, in the structure that the Python function returns.

        Raises:
            TypeError: If there are too few or too many tensors, or if another argument differs.
            tf.errors.InvalidArgumentError: If a shape or dtype does not match the signature.
        """
        bound, tensors = self._given(args, kwargs)
        return bound.run(tensors)

    @awaitable("f.call_async(...)")
    async def call_async(self, *args: Nest, **kwargs: Nest) -> Any:
        """Call the function without blocking the page, like `call_async` of a `tf.function`.

        Args:
            args, kwargs: Arguments of the call.

        Returns:
            An awaitable that resolves to the result of the call.

        Example:
            >>> import asyncio
            >>> import tfpy as tf
            >>> double = tf.function(lambda x: x * 2).get_concrete_function(tf.TensorSpec([1]))
            >>> print(asyncio.run(double.call_async(tf.constant([3.0]))).numpy())
            [6.]
        """
        bound, tensors = self._given(args, kwargs)
        return await bound.run_async(tensors)

    def _given(self, args: Any, kwargs: Any) -> tuple[ConcreteFunction, list[Tensor]]:
        """Return the function that runs a call, bound to the call's Variables, and its tensors."""
        given, call = given_for(self.call, self._signature, args, kwargs, self._inputs)
        tensors = as_tensors(given, self.call, self._inputs)
        if not self._takes(tensors):
            got = ", ".join(str(t.aval) for t in tensors)
            raise invalid(self.name, f"takes {self.one_line()}, got {got}")
        return self._bound_or_raise(call), tensors

    def _inputs(self) -> str:
        return f"{self.name} takes {self.one_line()}"

    def _takes(self, tensors: Sequence[Tensor]) -> bool:
        """Return True if the function was traced for tensors with these avals."""
        expected = [aval_of(t).closed for _, t in self.call.tensors]
        return [t.aval.closed for t in tensors] == expected

    def _bound_or_raise(self, call: Call) -> ConcreteFunction:
        if call.identities == self.call.identities:
            return self
        if not self.is_shared or call.key != self.call.key or not self.can_bind(call):
            names = ", ".join(f"'{v.name}' {v.aval}" for v in call.variables)
            raise TypeError(
                f"{self.name} takes {self.one_line()} and was not traced for these Variables: "
                f"{names}; call the tf.function with them"
            )
        return self.bound(call)

    def one_line(self) -> str:
        """Return the inputs and the output as one line of text."""
        return one_line(self._parameters(), self._output_specs())

    def _output_specs(self) -> Any:
        return records.map_structure(
            lambda leaf: None if leaf is None else TensorSpec.from_tensor(leaf),
            self.traced.results.filled(self.outputs),
        )

    def _parameters(self) -> list[Parameter]:
        return parameters_of(self._signature, self.call.arguments)

    def initialize(self, given: Sequence[Tensor | TensorSpec]) -> None:
        """Assign the Variables that the function made, given the arguments of the trace."""
        for variable in self.made:
            initialize(variable, self.traced, given)

    def run(self, tensors: Sequence[Tensor]) -> Any:
        """Run the function on tensors with the traced avals and return its structured result."""
        if self.traced.trace.is_custom and isinstance(tracing.current(), TracedPart):
            return self._run_python(tensors)
        return self.traced(tensors)

    def _run_python(self, tensors: Sequence[Tensor]) -> Any:
        """Trace the Python function into a part, because a Graph lacks custom gradients."""
        result = self._function(self.call.replaced(tensors))
        return records.map_structure(lambda leaf: returned(converted(leaf)), result)

    async def run_async(self, tensors: Sequence[Tensor]) -> Any:
        """Run the function like :meth:`run`, but keep the page responsive between its parts."""
        return await self.traced.call_async(tensors)

    async def prepare(self, progress: Callable[[float], None]) -> None:
        """Compile the programs of the active backend without blocking the page.

        A function without side effects is also run once on zeros. `progress` is called with the
        completed share, from 0.0 to 1.0.
        """
        await self.traced.executable.prepare(progress)
        if not self.traced.assigned and not any(eqn.op.stateful for eqn in self.traced.graph.eqns):
            self.traced.compute(
                [zeros(aval_of(t).shape, aval_of(t).dtype) for _, t in self.call.tensors]
            )

    def lower(self, *args: Nest, **kwargs: Nest) -> Lowered:
        """Return the program that the active backend runs, as text and as a diagram.

        Args:
            args, kwargs: Arguments of a call. Only used if the signature contains None.

        Returns:
            A `Lowered`.

        Example:
            >>> import tfpy as tf
            >>> double = tf.function(lambda x: x * 2).get_concrete_function(tf.TensorSpec([1]))
            >>> print(double.lower().name)
            <lambda>
        """
        arguments = [name for name, _ in self.call.tensors]
        inputs = [*arguments, *(input_name(extra) for extra in self.traced.extras)]
        count = len(self.traced.results.tensors)
        results = ["result"] if count == 1 else [f"result {n}" for n in range(count)]
        results += [f"{variable.name} assigned" for variable in self.traced.assigned]
        return Lowered(self.name, self.traced.executable.lowering(), inputs, results)

    @property
    def is_lowered(self) -> bool:
        """True if the backend has compiled the function, so that :meth:`lower` is fast."""
        return self.traced.executable.is_planned

    @property
    def executable(self) -> Executable:
        """Executable from arguments and :attr:`extras` to results and assigned values."""
        return self.traced.executable

    @property
    def results(self) -> Results:
        """Structure and tensors of the result."""
        return self.traced.results

    @property
    def has_lost(self) -> bool:
        """True if the function needs values that were lost with their device."""
        return self.traced.trace.has_lost

    @property
    def assigned(self) -> tuple[Variable, ...]:
        """Variables that the function assigns."""
        return tuple(self.traced.assigned)

    @property
    def extras(self) -> tuple[Extra, ...]:
        """Inputs in addition to the arguments, in the order in which the Graph lists them."""
        return self.traced.extras

    @property
    def variables(self) -> tuple[Variable, ...]:
        """Variables that the function reads or assigns."""
        read = [e.variable for e in self.traced.extras if e.variable is not None]
        return tuple({id(v): v for v in (*read, *self.traced.assigned)}.values())

    @property
    def trainable_variables(self) -> tuple[Variable, ...]:
        return tuple(v for v in self.variables if v.trainable)

    @property
    def captured_inputs(self) -> list[Tensor]:
        """Tensors from the enclosing scope that the function captures."""
        extras = [e.tensor for e in self.traced.extras if e.variable is None]
        found = [*extras, *self.traced.constants]
        return [t for t in found if self.traced.trace.is_from_outside(t)]

    @property
    def inputs(self) -> list[Tensor]:
        """Arguments as tensors of the trace, which have a shape and dtype but no values."""
        return list(self.traced.arguments)

    @property
    def outputs(self) -> list[Tensor]:
        """Results as tensors of the trace, in order, with TensorFlow's names."""
        trace = self.traced.trace
        found = enumerate(self.traced.results.tensors)
        names = ((f"Identity_{i}:0" if i else "Identity:0", t) for i, t in found)
        return [SymbolicTensor(trace, trace.value_of(t), t.aval, name) for name, t in names]

    @property
    def structured_outputs(self) -> Any:
        """Result of the function, with tensors that have a shape and dtype but no values."""
        return self.traced.results.structured(self.outputs)

    def _mapped(self, function: Callable[[Any], Any]) -> Any:
        """Apply a function to every leaf of the result's structure except None."""
        return records.map_structure(
            lambda leaf: None if leaf is None else function(leaf), self.structured_outputs
        )

    @property
    def output_shapes(self) -> Any:
        """Shapes of the results, in the structure that the function returns."""
        return self._mapped(
            lambda leaf: TensorShape(None) if isinstance(leaf, TensorArray) else leaf.shape
        )

    @property
    def output_dtypes(self) -> Any:
        """Dtypes of the results, in the structure that the function returns."""
        return self._mapped(lambda leaf: leaf.dtype)

    @property
    def structured_input_signature(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Positional and keyword arguments of the trace, with specs in place of tensors."""
        return structured(self._parameters())

    def pretty_printed_signature(self) -> str:
        """Describe the inputs, the output and the captured tensors.

        Returns:
            A string of several lines.

        Example:
            >>> import tfpy as tf
            >>> double = tf.function(lambda x: x * 2).get_concrete_function(tf.TensorSpec([1]))
            >>> print(double.pretty_printed_signature().splitlines()[1])
              x (POSITIONAL_OR_KEYWORD): TensorSpec(shape=(1,), dtype=tf.float32, name=None)
        """
        given = {id(leaf) for leaf in nest.flatten(self.call.arguments)}
        captured = [v for v in self.variables if id(v) not in given]
        captures = {id(v): "TensorSpec(shape=(), dtype=tf.resource, name=None)" for v in captured}
        captures |= {id(t): repr(TensorSpec.from_tensor(t)) for t in self.captured_inputs}
        return lines(self._parameters(), self._output_specs(), captures)

    def _repr_html_(self) -> str:
        return as_html(self.name, [self])

    def __str__(self) -> str:
        return f"ConcreteFunction {self.pretty_printed_signature()}"

    def __repr__(self) -> str:
        return f"<ConcreteFunction {self.one_line()} at 0x{id(self):X}>"
