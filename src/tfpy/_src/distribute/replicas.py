"""What a strategy of several replicas does: its devices, and programs for all of them."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tfpy._src.backends import registry
from tfpy._src.backends.storage import Storage
from tfpy._src.base import tracing
from tfpy._src.base.errors import UnimplementedError
from tfpy._src.compiler.ir.aval import Array, Aval
from tfpy._src.core import nest
from tfpy._src.core.conversion import convert_to_tensor, is_operand
from tfpy._src.core.operand import Composite
from tfpy._src.core.tensor import Tensor
from tfpy._src.distribute.values import PerReplica
from tfpy._src.functions.control.replica import Replica, replicated
from tfpy._src.functions.tf_function.polymorphic import Function
from tfpy._src.functions.tf_function.traceable import CONVERTERS, Settings
from tfpy._src.tensors.array.joining import concat
from tfpy._src.tensors.array.reshaping import expand_dims, reshape

_MOST_FUNCTIONS = 64
"""Of one strategy that are kept compiled."""


class Replicas:
    """Replicas on devices of the jax backend.

    Args:
        devices: their names, as the backend has them, those of all processes.
        local: the numbers of the replicas that are this process's.
    """

    def __init__(self, devices: tuple[str, ...], local: range) -> None:
        self.devices = devices
        self.local = local
        self._compiled = functools.lru_cache(_MOST_FUNCTIONS)(self._compile)

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self.devices)

    # Computing

    def run(self, fn: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        """What ``fn`` gives in each replica: one program for all devices.

        Raises:
            UnimplementedError: when the host would have to compute a part of it.
        """
        if tracing.current() is not None:
            return self._traced(fn, args, kwargs)
        eagerly, Settings.eagerly = Settings.eagerly, False
        try:
            return self._compiled(fn)(tuple(args), kwargs)
        finally:
            Settings.eagerly = eagerly

    def _compile(self, fn: Callable[..., Any]) -> Function[..., Any]:
        def replicas_of(args: Any, kwargs: Any) -> Any:
            if tracing.current() is None:
                raise UnimplementedError(
                    None, "replicated", f"strategy.run: {fn} has shapes that only values tell"
                )
            return self._traced(fn, args, kwargs)

        return Function(replicas_of, autograph=False)

    def _traced(self, fn: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        replica = Replica(getattr(fn, "__name__", "fn"), self.devices)
        operands: list[tuple[Tensor, Any]] = []

        def own(leaf: Any) -> Any:
            if not isinstance(leaf, PerReplica):
                return leaf
            aval = leaf.stacked.aval
            operands.append((leaf.stacked, replica.argument(Aval(aval.shape[1:], aval.dtype), "x")))
            return operands[-1][1]

        made: list[Any] = []
        converted = CONVERTERS[-1](fn)

        def function() -> list[Tensor]:
            given = nest.map_structure(own, tuple(args)), nest.map_structure(own, kwargs)
            result = converted(*given[0], **given[1])
            made.append(nest.map_structure(_given_back, result))
            return [leaf for leaf in nest.flatten(made[0]) if isinstance(leaf, Tensor)]

        rows = iter(replicated(replica, operands, function))
        return nest.map_structure(
            lambda leaf: PerReplica(next(rows)) if isinstance(leaf, Tensor) else leaf, made[0]
        )

    # Placing

    def spread(self, batch: Tensor) -> PerReplica:
        """Shares a batch out: an equal part of its rows for each replica.

        One whose rows cannot be shared out equally is computed whole, by one replica.

        Raises:
            TypeError: for a ragged or sparse tensor.
            ValueError: for a scalar.
        """
        if not isinstance(batch, Tensor):
            raise TypeError(
                f"a strategy shares tensors out to replicas, got a {type(batch).__name__}; let the "
                "dataset give its parts, as tensors"
            )
        if not batch.aval.rank:
            raise ValueError(
                "a strategy shares batches out to replicas, got scalars: dataset.batch(size) gives "
                "batches"
            )
        size = batch.aval.shape[0]
        if not size or size % self.count:
            return self.whole(batch.host_view(), batch.aval)
        each = (self.count, size // self.count, *batch.aval.shape[1:])
        return self.stacked(batch.host_view().reshape(each), batch.aval)

    def whole(self, rows: Array, like: Aval) -> PerReplica:
        """A value that one replica computes with, on all devices."""
        return PerReplica(self._placed(rows[None], like.dtype, stacked=False))

    def own_stacked(self, rows: Array, like: Aval) -> PerReplica:
        """Values of this process's replicas, of which others have other ones."""
        every = np.broadcast_to(rows[:1], (self.count, *rows.shape[1:])).copy()
        every[self.local.start : self.local.stop] = rows
        return self.stacked(every, like)

    def stacked(self, rows: Array, like: Aval) -> PerReplica:
        """Values of the replicas of all processes, each of which has them all."""
        return PerReplica(self._placed(rows, like.dtype, stacked=True))

    def of_first(self, value: Tensor) -> Tensor:
        """The value that the first process gives, on all devices."""
        backend: Any = registry.active_backend()
        if value.dtype not in backend.dtypes:
            return value.alias()
        slot = backend.of_first(value.host_view(), self.devices)
        return Tensor(value.aval, Storage(value.aval, None, backend, slot))

    def _placed(self, rows: Array, dtype: Any, stacked: bool) -> Tensor:
        aval = Aval(rows.shape, dtype)
        backend: Any = registry.active_backend()
        if dtype not in backend.dtypes:
            return Tensor(aval, Storage(aval, rows))
        slot = backend.spread(rows, self.devices, stacked)
        return Tensor(aval, Storage(aval, None, backend, slot))


def _given_back(leaf: Any) -> Any:
    """A leaf of what a replica gives; numbers and texts of Python are the same in all."""
    if isinstance(leaf, Composite):
        raise TypeError(
            f"strategy.run: the function gave a {type(leaf).__name__}; give tensors, its parts"
        )
    return convert_to_tensor(leaf) if is_operand(leaf) or hasattr(leaf, "shape") else leaf


def alone(x: Any) -> Any:
    """What one replica that computes for all gives of a nest."""

    def wrapped(leaf: Any) -> Any:
        return PerReplica(expand_dims(convert_to_tensor(leaf), 0)) if is_operand(leaf) else leaf

    return nest.map_structure(wrapped, x)


def side_by_side(value: PerReplica, axis: int) -> Tensor:
    """The replicas' values one after the other along an axis."""
    rows = value.stacked
    if axis == 0:
        return reshape(rows, [-1, *rows.shape[2:]])
    return concat([rows[i] for i in range(value.count)], axis)
