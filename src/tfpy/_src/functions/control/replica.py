"""The trace of a replica's computation, and the equation for all replicas."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from tfpy._src.backends.devices import sharder_of
from tfpy._src.backends.registry import active_backend
from tfpy._src.base import tracing
from tfpy._src.compiler.ir.aval import Array, Aval
from tfpy._src.compiler.ir.op import OPS
from tfpy._src.core.conversion import constant
from tfpy._src.core.primitives import equal
from tfpy._src.core.tensor import Tensor
from tfpy._src.functions.control import collectives
from tfpy._src.functions.control.derivative import current
from tfpy._src.functions.control.traced_parts import TracedPart, assigned, inside, join
from tfpy._src.functions.executor.control_op import ControlOp
from tfpy._src.functions.trace.symbolic import SymbolicTensor
from tfpy._src.tensors.array.joining import stack, unstack
from tfpy._src.tensors.array.making import cast, zeros_like
from tfpy._src.tensors.array.reshaping import expand_dims
from tfpy._src.tensors.array.slicing import where
from tfpy._src.tensors.variables.distribution import VariableAggregation
from tfpy._src.tensors.variables.on_read import has_own_values, rows_of, take_rows
from tfpy._src.tensors.variables.variable import Variable


class Replica(TracedPart):
    """The trace of the computation that each of several replicas runs.

    Args:
        name: Name of the function.
        devices: Names of the replicas' devices.
    """

    def __init__(self, name: str, devices: tuple[str, ...]) -> None:
        super().__init__(name)
        self.devices = devices
        self.is_merging = False
        """True inside a `merge_call`, in which the code sees all replicas."""
        self.own: dict[int, tuple[Variable, SymbolicTensor]] = {}
        """Variables with a separate value in each replica, with the value that a replica reads."""

    @property
    def count(self) -> int:
        """Number of replicas."""
        return len(self.devices)

    def number(self) -> Tensor:
        """Return the number of the replica that computes, an int32 scalar."""
        return collectives.replica_id()

    def feed(self, fetching: Callable[[], Callable[[], Array]], aval: Aval, name: str) -> Tensor:
        """Return a random state: the shared state with the replica's number in the last word."""
        whole = self.outer.feed(fetching, aval, name)
        return whole + collectives.replica_id() * constant([0, 0, 0, 0, 0, 1])

    def read(self, variable: Variable) -> Tensor:
        if not has_own_values(variable):
            return super().read(variable)
        if id(variable) in self.assigned:
            return self.assigned[id(variable)][1]
        if id(variable) not in self.own:
            made = self.argument(variable.aval, variable.name.removesuffix(":0"))
            self.own[id(variable)] = (variable, made)
        return self.own[id(variable)][1]

    # The aggregation of a Variable determines how the replicas' values are combined. A Variable
    # that was not made for replicas gets the value that sequential execution would assign.

    def agreed(self, variable: Variable, tensor: Tensor) -> Tensor:
        """Return the value that a Variable takes if the replicas assign these values."""
        if self._is_alone(variable):
            return tensor
        if not _is_mirrored(variable):
            return self._of(self.count - 1, tensor)
        return self.aggregated(tensor, variable.aggregation)

    def agreed_change(self, variable: Variable, change: Tensor) -> Tensor:
        """Return the change of a Variable if the replicas add these values."""
        if self._is_alone(variable) or _is_mirrored(variable):
            return self.agreed(variable, change)
        return self.reduced(change, mean=False)

    def agreed_part(self, variable: Variable, tensor: Tensor) -> Tensor:
        """Return the value for an assignment of slices. Each replica has its own value."""
        own = self._is_alone(variable) or _is_mirrored(variable)
        return tensor if own else self.agreed(variable, tensor)

    def agreed_parts(
        self, variable: Variable, method: str, indices: Tensor, updates: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Return the indices of the changed slices [..., depth] of a Variable, and the updates.

        Raises:
            NotImplementedError: If the method replaces values, and the aggregation is a sum or
                mean.
        """
        if self._is_alone(variable):
            return indices, updates
        aggregation = variable.aggregation if _is_mirrored(variable) else None
        if aggregation in (VariableAggregation.NONE, VariableAggregation.ONLY_FIRST_REPLICA):
            return self.aggregated(indices, aggregation), self.aggregated(updates, aggregation)
        if aggregation is not None and method in _REPLACING:
            raise NotImplementedError(
                f"{method} in a replica is for a Variable with NONE or `ONLY_FIRST_REPLICA` "
                f"aggregation, got: {aggregation}"
            )
        if indices.ndim == 1:
            indices, updates = expand_dims(indices, 0), expand_dims(updates, 0)
        if aggregation is VariableAggregation.MEAN:
            updates = updates / self.count
        gathered = [collectives.all_gather(x, 0, self.count) for x in (indices, updates)]
        return gathered[0], gathered[1]

    def _is_alone(self, variable: Variable) -> bool:
        """Return True if each replica has its own Variable, or if the code sees all replicas."""
        return self.is_merging or not tracing.local.active or has_own_values(variable)

    def aggregated(self, tensor: Tensor, aggregation: VariableAggregation) -> Tensor:
        """Combine the replicas' values by an aggregation."""
        if aggregation is VariableAggregation.NONE:
            return tensor
        if aggregation is VariableAggregation.ONLY_FIRST_REPLICA:
            return self._of(0, tensor)
        return self.reduced(tensor, aggregation is VariableAggregation.MEAN)

    def reduced(self, tensor: Tensor, mean: bool) -> Tensor:
        """Return the sum or the mean of the replicas' values."""
        return collectives.all_reduce(tensor, mean, self.count)

    def _of(self, replica: int, tensor: Tensor) -> Tensor:
        """Return the value of the replica with a given number."""
        if not isinstance(tensor, SymbolicTensor):  # the same in all replicas
            return tensor
        number = cast(tensor, "int32") if tensor.dtype.is_bool else tensor
        mine = where(equal(collectives.replica_id(), replica), number, zeros_like(number))
        return cast(self.reduced(mine, mean=False), tensor.dtype)

    @contextmanager
    def running(self) -> Iterator[None]:
        """Mark the code in this context as code that each replica runs."""
        before, tracing.local.replica = tracing.local.replica, self
        try:
            yield
        finally:
            tracing.local.replica = before

    @contextmanager
    def merging(self) -> Iterator[None]:
        """Mark the code in this context as code that sees all replicas."""
        before, self.is_merging = self.is_merging, True
        try:
            yield
        finally:
            self.is_merging = before


_REPLACING = ("scatter_update", "scatter_min", "scatter_max")


def _is_mirrored(variable: Variable) -> bool:
    """Return True if a Variable was made in the scope of several replicas."""
    return variable.strategy is not None and variable.strategy.replicas > 1


def replicated(
    replica: Replica,
    given: Sequence[tuple[Tensor, SymbolicTensor]],
    function: Callable[[], Sequence[Tensor]],
) -> list[Tensor]:
    """Run a function in each replica and stack the results along a first axis of replicas.

    Args:
        replica: Trace of the replica.
        given: Tensors with an axis of replicas, each with the replica's tensor.
        function: Function to trace.
    """
    with replica.running():
        results = inside(replica, function)
    variables = assigned([replica])
    with replica.taken():
        outputs = [*results, *(replica.assigned[id(v)][1] for v in variables)]
        replica.graph.outputs = [replica.value_of(t) for t in outputs]
    own = [rows_of(v, replica.count) for v, _ in replica.own.values()]
    operands = [*(x for x, _ in given), *own]
    arguments = [a for _, a in given] + [a for _, a in replica.own.values()]
    shared = join([replica], [arguments])
    spread = (True,) * len(operands) + (False,) * len(shared)
    stacked = (True,) * len(results) + tuple(map(has_own_values, variables))
    found = _computed(replica, [*operands, *shared], spread, stacked)
    for variable, tensor in zip(variables, found[len(results) :], strict=True):
        if has_own_values(variable):
            take_rows(variable, tensor)
        else:
            current().assign(variable, tensor)
    return found[: len(results)]


def _computed(
    replica: Replica, inputs: Sequence[Tensor], spread: Sequence[bool], stacked: Sequence[bool]
) -> list[Tensor]:
    """Add the computation of all replicas to the trace: of several devices, or of one in turn."""
    if sharder_of(active_backend()) is None:
        count = replica.count
        rows = [
            unstack(x, count) if s else [x] * count for x, s in zip(inputs, spread, strict=True)
        ]
        lockstep = importlib.import_module("tfpy._src.functions.control.lockstep")  # late
        found = lockstep.run(replica.graph, rows, count)
        return [stack(row) if s else row[0] for row, s in zip(found, stacked, strict=True)]
    op = OPS["replicated"]
    assert isinstance(op, ControlOp)
    return op.apply(
        inputs,
        body=replica.graph,
        devices=replica.devices,
        spread=tuple(spread),
        stacked=tuple(stacked),
    )
