"""The operations that a run of a session needs, compiled as one function of the fed values."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from tfpy._src.base import tracing
from tfpy._src.base.errors import FailedPreconditionError, InvalidArgumentError
from tfpy._src.core import tape as tapes
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.functions.graph_mode.inference import immediately
from tfpy._src.functions.graph_mode.nests import leaves, mapped
from tfpy._src.functions.graph_mode.operation import Operation
from tfpy._src.functions.graph_mode.recording import installed
from tfpy._src.functions.graph_mode.tensors import GraphTensor, local
from tfpy._src.functions.graph_mode.variables import GraphVariable
from tfpy._src.functions.tf_function.polymorphic import Function
from tfpy._src.functions.trace.recorder import Recorder
from tfpy._src.tensors.variables.variable import Variable

Fetch = GraphTensor | Operation | GraphVariable


class RunPlan:
    """The operations on which fetches depend, in the order of their creation.

    Args:
        fetches: Tensors, operations and Variables.
        fed: Tensors whose values a run receives.
    """

    def __init__(self, fetches: Sequence[Fetch], fed: Sequence[GraphTensor]) -> None:
        self._fed = {t.identity for t in fed}
        self.fetches = fetches
        self._changed = self._depending_on([t for t in fed if t.constant is not None])
        """Identities of tensors with known values that the fed values replace."""
        self.operations = self._needed()
        self.supplied = [op for op in self.operations if op.supply is not None]
        """Operations whose results are computed before the run, such as those of iterators."""
        added = [t for op in self.supplied for t in op.outputs if t.identity not in self._fed]
        self.fed = [*fed, *added]
        self._fed |= {t.identity for t in added}
        self.assigned = list({id(v): v for op in self.operations for v in op.assigned}.values())
        self.read = list(
            {
                id(v): v
                for v in (
                    *(v for op in self.operations for v in op.reads),
                    *(f for f in fetches if isinstance(f, GraphVariable)),
                )
            }.values()
        )
        self.is_dynamic = (
            bool(self._changed)  # a fed constant can be a size
            or any(op.is_dynamic for op in self.operations)
            or any(v.aval.is_open for v in self.read)
        )
        self._compiled: dict[Any, Function[..., Any]] = {}
        """Compiled functions by the avals of the fed values."""

    def _needed(self) -> list[Operation]:
        found: dict[int, Operation] = {}
        pending: list[Operation] = []

        def need(tensors: Iterable[Any]) -> None:
            for tensor in tensors:
                if isinstance(tensor, Operation):
                    pending.append(tensor)
                elif isinstance(tensor, GraphTensor) and self._is_computed(tensor):
                    pending.append(tensor.op)

        need(self.fetches)
        while pending:
            op = pending.pop()
            if op.number not in found:
                found[op.number] = op
                need(op.inputs)
                need(op.control_inputs)
        return [op for _, op in sorted(found.items())]

    def _depending_on(self, fed: Sequence[GraphTensor]) -> set[int]:
        """Return the identities of the tensors that follow from constants with fed values."""
        found = {t.identity for t in fed}
        for op in fed[0].graph.get_operations() if fed else ():
            if any(isinstance(t, GraphTensor) and t.identity in found for t in op.inputs):
                found.update(t.identity for t in op.outputs)
        return found

    def _is_computed(self, tensor: GraphTensor) -> bool:
        if tensor.identity in self._changed:
            return tensor.identity not in self._fed
        is_known = tensor.constant is not None and not tensor.op.control_inputs
        return not is_known and tensor.identity not in self._fed

    def check_fed(self) -> None:
        """Check that placeholders are fed.

        Raises:
            InvalidArgumentError: If a placeholder is not fed.
        """
        for op in self.operations:
            self._check_fed(op)

    def _check_fed(self, op: Operation) -> None:
        if op.function is None and op.outputs and op.outputs[0].identity not in self._fed:
            (output,) = op.outputs
            shape = "" if output.shape.rank is None else f" and shape {_spelled(output.shape)}"
            raise InvalidArgumentError(
                None,
                op,
                f"You must feed a value for placeholder tensor '{op.name}' with dtype "
                f"{output.dtype.name}{shape}",
            )

    def check(self) -> None:
        """Check that placeholders are fed and Variables are initialized.

        Raises:
            InvalidArgumentError: If a placeholder is not fed.
            FailedPreconditionError: If an operation reads a Variable without a value.
        """
        assigned: set[int] = set()
        for op in self.operations:
            self._check_fed(op)
            for variable in op.reads:
                _check_value(variable, assigned, op)
            assigned.update(id(v) for v in op.assigned)
        for fetch in self.fetches:
            if isinstance(fetch, GraphVariable):
                _check_value(fetch, assigned, None)

    def run(self, values: Sequence[Tensor]) -> list[Any]:
        """Run the operations and return the values of the fetches; None for an operation."""
        self.check()
        values = [*values, *self._supplied(values)]
        try:
            with immediately():
                found = (
                    self.compute(*values) if self.is_dynamic else self._function(values)(*values)
                )
        except ValueError as error:  # of shapes that are known only in a run
            raise InvalidArgumentError(None, None, str(error)) from error
        for variable in self.assigned:
            if isinstance(variable, GraphVariable):
                variable.has_value = True
        results = iter(found)
        return [None if isinstance(f, Operation) else next(results) for f in self.fetches]

    def _supplied(self, values: Sequence[Tensor]) -> list[Tensor]:
        """Return the results of the operations that are computed before the run."""
        given = dict(zip((t.identity for t in self.fed), values, strict=False))
        return [
            value
            for op in self.supplied
            if op.supply is not None
            for output, value in zip(op.outputs, op.supply(op.graph.session, given), strict=True)
            if output.identity not in given
        ]

    def _function(self, values: Sequence[Tensor]) -> Function[..., Any]:
        key = tuple(t.aval for t in values)
        if key not in self._compiled:
            self._compiled[key] = Function(self.compute, autograph=False)
        return self._compiled[key]

    def compute(self, *given: Tensor) -> list[Tensor]:
        """Run the operations for some values of `fed`, and return the fetched tensors."""
        values = {t.identity: v for t, v in zip(self.fed, given, strict=True)}
        saved = local.values
        is_eager = tracing.current() is None
        if is_eager:
            tapes.local.active.append(Recorder())
        local.values = values
        try:
            start = {id(v): v.value() for v in self.read}
            with installed():  # functions such as bodies of loops use tensors of the graph
                for op in self.operations:
                    evaluate(op, values, start)
            return [self._value(f, values, start) for f in self.fetches if _has_value(f)]
        finally:
            local.values = saved
            if is_eager:
                tapes.local.active.pop()

    @staticmethod
    def _value(fetch: Any, values: dict[int, Tensor], start: dict[int, Tensor]) -> Tensor:
        return value_in_run(fetch, None, values, start)


def _has_value(fetch: Fetch) -> bool:
    return not isinstance(fetch, Operation)


def value_in_run(
    value: Any, op: Operation | None, values: dict[int, Tensor], start: dict[int, Tensor]
) -> Any:
    """Return the value of a tensor or Variable in a run, or any other value unchanged."""
    if isinstance(value, GraphTensor):
        known = values.get(value.identity)
        return value.constant if known is None else known
    if isinstance(value, GraphVariable):
        if op is not None and any(v is value for v in op.assigned):
            return value
        is_changed = op is not None and id(value) in op.assigned_before
        return value.value() if is_changed or id(value) not in start else start[id(value)]
    return value


def evaluate(op: Operation, values: dict[int, Tensor], start: dict[int, Tensor]) -> None:
    """Run an operation and store its results."""
    if op.function is None:
        return

    def change(value: Any) -> Any:
        return value_in_run(value, op, values, start)

    result = op.function(*mapped(op.args, change), **mapped(op.kwargs, change))
    found = leaves(result)
    for output, place in zip(op.outputs, op.places, strict=True):
        if output.identity not in values:
            value = found[place]
            is_tensor = isinstance(value, Tensor | Variable)
            values[output.identity] = convert_to_tensor(value, None if is_tensor else output.dtype)


def _check_value(variable: Variable, assigned: set[int], op: Operation | None) -> None:
    missing = isinstance(variable, GraphVariable) and not variable.has_value
    if missing and id(variable) not in assigned:
        name = variable.name.partition(":")[0]
        raise FailedPreconditionError(
            None,
            op,
            f"Could not find variable {name}. This could mean that the variable has been deleted. "
            "In TF1, it can also mean the variable is uninitialized. Run "
            "tf.compat.v1.global_variables_initializer() in the session first.",
        )


def _spelled(shape: Any) -> str:
    return "[" + ",".join("?" if n is None else str(n) for n in shape.as_list()) + "]"
