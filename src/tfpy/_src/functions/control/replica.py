"""The trace of what each replica computes, and the equation that it becomes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

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
from tfpy._src.tensors.array.making import cast, zeros_like
from tfpy._src.tensors.array.reshaping import expand_dims
from tfpy._src.tensors.array.slicing import where
from tfpy._src.tensors.variables.distribution import VariableAggregation
from tfpy._src.tensors.variables.on_read import has_own_values, rows_of, take_rows
from tfpy._src.tensors.variables.variable import Variable


class Replica(TracedPart):
    """The trace of what each of several replicas computes.

    Args:
        devices: names of the replicas' devices.
    """

    def __init__(self, name: str, devices: tuple[str, ...]) -> None:
        super().__init__(name)
        self.devices = devices
        self.is_merging = False
        """Whether the code is in a ``merge_call``, which sees all replicas."""
        self.own: dict[int, tuple[Variable, SymbolicTensor]] = {}
        """The Variables of which each replica has a value of its own, with what it reads."""

    @property
    def count(self) -> int:
        """How many replicas there are."""
        return len(self.devices)

    def feed(self, fetching: Callable[[], Callable[[], Array]], aval: Aval, name: str) -> Tensor:
        """A random state: that of all, with the replica's number in the counter's last word."""
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

    # What a Variable takes of the replicas' values is said by its aggregation. One that was not
    # made for replicas takes what they would do one after the other.

    def agreed(self, variable: Variable, tensor: Tensor) -> Tensor:
        """What a Variable takes of the values that replicas assign."""
        if self._is_alone(variable):
            return tensor
        if not _is_mirrored(variable):
            return self._of(self.count - 1, tensor)
        return self.aggregated(tensor, variable.aggregation)

    def agreed_change(self, variable: Variable, change: Tensor) -> Tensor:
        """What is added to a Variable of what replicas add."""
        if self._is_alone(variable) or _is_mirrored(variable):
            return self.agreed(variable, change)
        return self.reduced(change, mean=False)

    def agreed_part(self, variable: Variable, tensor: Tensor) -> Tensor:
        """The value of which replicas change a slice, each for itself."""
        own = self._is_alone(variable) or _is_mirrored(variable)
        return tensor if own else self.agreed(variable, tensor)

    def agreed_parts(
        self, variable: Variable, method: str, indices: Tensor, updates: Tensor
    ) -> tuple[Tensor, Tensor]:
        """The parts [..., depth] of a Variable that are changed, and the updates.

        Raises:
            NotImplementedError: where the aggregation is a sum or mean, for what replaces values.
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
        """Whether a Variable is each replica's own, or the code sees all replicas."""
        return self.is_merging or not tracing.local.active or has_own_values(variable)

    def aggregated(self, tensor: Tensor, aggregation: VariableAggregation) -> Tensor:
        """What of the replicas' values each of them takes."""
        if aggregation is VariableAggregation.NONE:
            return tensor
        if aggregation is VariableAggregation.ONLY_FIRST_REPLICA:
            return self._of(0, tensor)
        return self.reduced(tensor, aggregation is VariableAggregation.MEAN)

    def reduced(self, tensor: Tensor, mean: bool) -> Tensor:
        """The sum or mean of the replicas' values."""
        return collectives.all_reduce(tensor, mean, self.count)

    def _of(self, replica: int, tensor: Tensor) -> Tensor:
        """The value of the replica with a number."""
        if not isinstance(tensor, SymbolicTensor):  # the same in all replicas
            return tensor
        number = cast(tensor, "int32") if tensor.dtype.is_bool else tensor
        mine = where(equal(collectives.replica_id(), replica), number, zeros_like(number))
        return cast(self.reduced(mine, mean=False), tensor.dtype)

    @contextmanager
    def running(self) -> Iterator[None]:
        """The code in it is what each replica runs."""
        before, tracing.local.replica = tracing.local.replica, self
        try:
            yield
        finally:
            tracing.local.replica = before

    @contextmanager
    def merging(self) -> Iterator[None]:
        """The code in it sees all replicas."""
        before, self.is_merging = self.is_merging, True
        try:
            yield
        finally:
            self.is_merging = before


_REPLACING = ("scatter_update", "scatter_min", "scatter_max")


def _is_mirrored(variable: Variable) -> bool:
    """Whether it was made in the scope of several replicas."""
    return variable.strategy is not None and variable.strategy.replicas > 1


def replicated(
    replica: Replica,
    given: Sequence[tuple[Tensor, SymbolicTensor]],
    function: Callable[[], Sequence[Tensor]],
) -> list[Tensor]:
    """What a function gives in each replica, each tensor with a first axis of replicas.

    Args:
        given: tensors with such an axis, and what a replica has of each.
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
    op = OPS["replicated"]
    assert isinstance(op, ControlOp)
    found = op.apply(
        [*operands, *shared],
        body=replica.graph,
        devices=replica.devices,
        spread=(True,) * len(operands) + (False,) * len(shared),
        stacked=(True,) * len(results) + tuple(map(has_own_values, variables)),
    )
    for variable, tensor in zip(variables, found[len(results) :], strict=True):
        if has_own_values(variable):
            take_rows(variable, tensor)
        else:
            current().assign(variable, tensor)
    return found[: len(results)]
