"""A ConcreteFunction: one trace of a Python function, compiled and callable."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tfpy import nest
from tfpy.array import zeros
from tfpy.autodiff.nests import leaves, map_leaves
from tfpy.convert import convert_to_tensor, is_tensor
from tfpy.errors import invalid
from tfpy.function.lowered import Lowered
from tfpy.function.signature import Call, TensorSpec, aval_of
from tfpy.function.trace import Trace
from tfpy.function.traced import Traced
from tfpy.ir.graph import Graph
from tfpy.operand import Composite
from tfpy.tensor import Tensor
from tfpy.variable import Variable


class ConcreteFunction:
    """A Python function traced for one signature.

    Args:
        function: takes the call's arguments by parameter.
        call: the arguments that it is traced for.
        allows_variables: whether it may make Variables.
        quantized: whether products with weights are computed in int8 where the backend can.
    """

    def __init__(
        self,
        name: str,
        function: Callable[[dict[str, Any]], Any],
        call: Call,
        allows_variables: bool,
        quantized: bool,
    ) -> None:
        self.name = name
        self._call = call  # holds the objects that the cache knows by id
        trace = Trace(name, allows_variables)
        with trace.taken():
            arguments = [trace.argument(aval_of(t), n) for n, t in call.tensors]
            result = function(call.replaced(arguments))
            self._structure = nest.map_structure(_converted, result)
            found = [t for t in leaves(self._structure) if t is not None]
            self._assigned = [variable for variable, _ in trace.assigned.values()]
            outputs = [*found, *(tensor for _, tensor in trace.assigned.values())]
            for tensor in outputs:
                trace.value_of(tensor)
        self.made = trace.made
        """Variables that the function made."""
        self._results = len(found)
        self._traced = Traced(
            trace,
            trace.graph.eqns[:],
            arguments,
            trace.extras[:],
            trace.constants[:],
            outputs,
            trace.recorder.entries,
            self._assigned,
            quantized,
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Runs it on tensors: the arguments that were tensors when it was traced, in order.

        Raises:
            TypeError: when their number differs from those.
            InvalidArgumentError: when shapes or dtypes do.
        """
        given = leaves((args, kwargs))
        expected = [aval_of(t) for _, t in self._call.tensors]
        if len(given) != len(expected):
            raise TypeError(
                f"{self.name} takes {len(expected)} tensors ({self._signature_text()}), "
                f"got {len(given)}"
            )
        tensors = [
            convert_to_tensor(t, aval.dtype if not is_tensor(t) else None)
            for t, aval in zip(given, expected, strict=True)
        ]
        if [t.aval for t in tensors] != expected:
            got = ", ".join(str(t.aval) for t in tensors)
            raise invalid(self.name, f"takes {self._signature_text()}, got {got}")
        return self.run(tensors)

    def _signature_text(self) -> str:
        return ", ".join(f"{name}: {aval_of(t)}" for name, t in self._call.tensors)

    def run(self, tensors: Sequence[Tensor]) -> Any:
        """The result in the Python function's structure, for tensors of the traced avals."""
        found = self._traced(tensors)
        results = self._results
        for variable, value in zip(self._assigned, found[results:], strict=True):
            variable.hold(value.alias())
        return _structured(self._structure, iter(found))

    async def prepare(self, progress: Callable[[float], None]) -> None:
        """Makes the active backend's programs without freezing the page.

        A function without effects is run once, on zeros: nothing is left for the first call.
        """
        await self._traced.executable.prepare(progress)
        if not self._assigned and not any(eqn.op.stateful for eqn in self.graph.eqns):
            self._traced([zeros(aval_of(t).shape, aval_of(t).dtype) for _, t in self._call.tensors])

    def lower(self) -> Lowered:
        """What the active backend runs, for reading."""
        return Lowered(self._traced.executable.text_parts())

    @property
    def graph(self) -> Graph:
        """The traced equations."""
        return self._traced.graph

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The Variables that it reads or assigns."""
        read = [e.variable for e in self._traced.extras if e.variable is not None]
        return tuple({id(v): v for v in (*read, *self._assigned)}.values())

    @property
    def trainable_variables(self) -> tuple[Variable, ...]:
        return tuple(v for v in self.variables if v.trainable)

    @property
    def captured_inputs(self) -> list[Tensor]:
        """The tensors from outside that it computes with."""
        extras = [e.tensor for e in self._traced.extras if e.variable is None]
        return [*extras, *self._traced.constants]

    @property
    def inputs(self) -> list[TensorSpec]:
        return [TensorSpec(aval_of(t).shape, aval_of(t).dtype, n) for n, t in self._call.tensors]

    @property
    def outputs(self) -> list[TensorSpec]:
        return [TensorSpec.from_tensor(t) for t in self._traced.outputs[: self._results]]

    @property
    def structured_outputs(self) -> Any:
        """The result's structure with specs of its tensors."""
        return _structured(self._structure, iter(self.outputs))

    @property
    def structured_input_signature(self) -> tuple[Any, dict[str, Any]]:
        specs = self._call.replaced(self.inputs)
        return tuple(specs.values()), {}

    def __repr__(self) -> str:
        return f"<ConcreteFunction {self.name}({self._signature_text()})>"


def _converted(result: Any) -> Any:
    """A leaf of a function's result; a tensor for a number, array or Variable.

    Raises:
        TypeError: for what does not convert.
    """
    if result is None or isinstance(result, Composite):
        return result
    try:
        return convert_to_tensor(result)
    except (TypeError, ValueError) as error:
        raise TypeError(
            "To be compatible with tf.function, Python functions must return zero or more Tensors "
            f"or None values; found a return value of type {type(result).__name__}, which is not "
            "a Tensor"
        ) from error


def _structured(structure: Any, tensors: Any) -> Any:
    """The structure with other tensors in it."""
    return map_leaves(structure, lambda leaf: leaf if leaf is None else next(tensors))
