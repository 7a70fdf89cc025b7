"""Variables with a separate value for each replica, which are one Variable to readers."""

from __future__ import annotations

from typing import Any

from tfpy._src.base import tracing
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.primitives import floordiv
from tfpy._src.core.tensor import Tensor
from tfpy._src.tensors.array.joining import concat
from tfpy._src.tensors.array.reshaping import broadcast_to
from tfpy._src.tensors.math.reductions import reduce_mean, reduce_sum
from tfpy._src.tensors.variables.distribution import (
    VariableAggregation,
    VariableSynchronization,
    scope,
)
from tfpy._src.tensors.variables.variable import OF_REPLICAS, Variable


class OnRead(Variable):
    """A Variable with `VariableSynchronization.ON_READ` in the scope of several replicas.

    A replica reads and assigns its own value. Outside replicas the value is computed from all
    values according to `aggregation`. A value that is assigned outside replicas becomes the value
    of each replica; with `SUM` it becomes the sum of their values.
    """

    rows: Variable
    """Values of all replicas. The first axis counts replicas."""

    @property
    def held(self) -> Tensor:  # type: ignore[override]
        with tracing.init_scope():
            return self._one()

    @property
    def tensor(self) -> Tensor:
        replica, trace = tracing.local.replica, tracing.current()
        if replica is None or trace is None:
            return self._one()
        own: Tensor = trace.read(self)
        return replica.aggregated(own, self._reduction()) if replica.is_merging else own

    def hold(self, tensor: Tensor) -> None:
        replica, trace = tracing.local.replica, tracing.current()
        if replica is not None and trace is not None:
            trace.assign(self, tensor)
        elif "rows" in vars(self):
            self.rows.assign(_shared_out(tensor, self.rows.shape[0], self.aggregation))
        else:
            alike = broadcast_to(tensor, [scope.replicas, *tensor.shape])
            self.rows = Variable(alike, trainable=False, name=self.name.removesuffix(":0"))

    def assign_add(self, delta: Any, *args: Any, **kwargs: Any) -> Any:
        self._check_change("assign_add")
        return super().assign_add(delta, *args, **kwargs)

    def assign_sub(self, delta: Any, *args: Any, **kwargs: Any) -> Any:
        self._check_change("assign_sub")
        return super().assign_sub(delta, *args, **kwargs)

    def _check_change(self, method: str) -> None:
        summed = self.aggregation is VariableAggregation.SUM
        if summed and tracing.local.replica is None:
            raise ValueError(
                f"SyncOnReadVariable does not support `{method}` in cross-replica context when "
                "aggregation is set to `tf.VariableAggregation.SUM`."
            )

    def _one(self) -> Tensor:
        """Return the aggregated value of all replicas."""
        return _together(self.rows.tensor, self._reduction())

    def _reduction(self) -> VariableAggregation:
        """Return the aggregation of the Variable.

        Raises:
            ValueError: If the Variable does not have an aggregation.
        """
        if self.aggregation is VariableAggregation.NONE:
            raise ValueError(
                f"Could not convert from `tf.VariableAggregation` {self.aggregation!r} to "
                "`tf.distribute.ReduceOp` type"
            )
        return self.aggregation


def has_own_values(variable: Variable) -> bool:
    """Return True if each replica has its own value of a Variable.

    The Variable may have been created outside the scope.
    """
    if isinstance(variable, OnRead):
        return True
    on_read = variable.synchronization is VariableSynchronization.ON_READ
    return on_read and variable.aggregation is not VariableAggregation.NONE


def rows_of(variable: Variable, count: int) -> Tensor:
    """Return the values of all replicas, with a first axis of replicas.

    The value of a Variable that was created outside the scope is distributed to the replicas.
    """
    if isinstance(variable, OnRead):
        return variable.rows.value()
    return _shared_out(variable.tensor, count, variable.aggregation)


def take_rows(variable: Variable, rows: Tensor) -> None:
    """Store the value of each replica.

    A Variable that was created outside the scope stores the aggregated value.
    """
    if isinstance(variable, OnRead):
        variable.rows.hold(rows)
    else:
        variable.hold(_together(rows, variable.aggregation))


def _shared_out(tensor: Tensor, count: int, aggregation: VariableAggregation) -> Tensor:
    """Return values of the replicas that aggregate to `tensor`."""
    if aggregation is not VariableAggregation.SUM:
        return broadcast_to(tensor, [count, *tensor.shape])
    share = floordiv(tensor, count) if tensor.dtype.is_integer else tensor / count
    rest = broadcast_to(share, [count - 1, *tensor.shape])
    return concat([(tensor - share * (count - 1))[None], rest], 0)


def _together(rows: Tensor, aggregation: VariableAggregation) -> Tensor:
    """Aggregate the values of the replicas."""
    if aggregation is VariableAggregation.SUM:
        return reduce_sum(rows, 0)
    if aggregation is VariableAggregation.MEAN:
        return reduce_mean(rows, 0)
    return convert_to_tensor(rows[0])


OF_REPLICAS[VariableSynchronization.ON_READ] = OnRead
