"""The devices of a strategy with several replicas, and the programs that run on all of them."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tfpy._src.backends import registry
from tfpy._src.backends.devices import sharder_of
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
from tfpy._src.functions.tf_function.traceable import Settings
from tfpy._src.functions.trace.converting import CONVERTERS
from tfpy._src.tensors.array.joining import concat
from tfpy._src.tensors.array.reshaping import expand_dims, reshape

_MOST_FUNCTIONS = 64
"""Maximum number of compiled functions that a strategy caches."""


class Replicas:
    """The replicas of a strategy, on devices of the jax backend.

    Args:
        devices: The backend's names of the devices of all processes.
        local: Indices of this process's replicas.
    """

    def __init__(self, devices: tuple[str, ...], local: range) -> None:
        self.devices = devices
        self.local = local
        self._compiled = functools.lru_cache(_MOST_FUNCTIONS)(self._compile)

    @property
    def count(self) -> int:
        """Number of replicas."""
        return len(self.devices)

    # Computing

    def run(self, fn: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        """Run `fn` in each replica, as one program for all devices.

        Raises:
            UnimplementedError: If a part of `fn` would have to run on the host.
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
                    None,
                    "replicated",
                    f"strategy.run: The shapes in {fn} depend on values of tensors, which is not "
                    "supported with several replicas.",
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
        """Split a batch into equal parts along the first axis, one for each replica.

        A batch that cannot be split equally is computed whole, by one replica.

        Raises:
            TypeError: If the batch is a ragged or sparse tensor.
            ValueError: If the batch is a scalar.
        """
        if not isinstance(batch, Tensor):
            raise TypeError(
                f"A strategy distributes dense tensors to replicas, got a {type(batch).__name__}. "
                "Let the dataset produce its components as tensors."
            )
        if not batch.aval.rank:
            raise ValueError(
                "A strategy distributes batches over replicas, got a scalar. Use "
                "dataset.batch(size)."
            )
        size = batch.aval.shape[0]
        if not size or size % self.count:
            return self.whole(batch.host_view(), batch.aval)
        each = (self.count, size // self.count, *batch.aval.shape[1:])
        return self.stacked(batch.host_view().reshape(each), batch.aval)

    def whole(self, rows: Array, like: Aval) -> PerReplica:
        """Return a value for a computation by one replica, placed on all devices."""
        return PerReplica(self._placed(rows[None], like.dtype, stacked=False))

    def own_stacked(self, rows: Array, like: Aval) -> PerReplica:
        """Return the values of this process's replicas; other processes have other values."""
        every = np.broadcast_to(rows[:1], (self.count, *rows.shape[1:])).copy()
        every[self.local.start : self.local.stop] = rows
        return self.stacked(every, like)

    def stacked(self, rows: Array, like: Aval) -> PerReplica:
        """Return the values of all replicas, which are known to every process."""
        return PerReplica(self._placed(rows, like.dtype, stacked=True))

    def of_first(self, value: Tensor) -> Tensor:
        """Return the first process's value, placed on all devices."""
        backend: Any = registry.active_backend()
        if value.dtype not in backend.dtypes or sharder_of(backend) is None:
            return value.alias()
        slot = backend.of_first(value.host_view(), self.devices)
        return Tensor(value.aval, Storage(value.aval, None, backend, slot))

    def _placed(self, rows: Array, dtype: Any, stacked: bool) -> Tensor:
        aval = Aval(rows.shape, dtype)
        backend: Any = registry.active_backend()
        if dtype not in backend.dtypes or sharder_of(backend) is None:
            return Tensor(aval, Storage(aval, rows))
        slot = backend.spread(rows, self.devices, stacked)
        return Tensor(aval, Storage(aval, None, backend, slot))


def _given_back(leaf: Any) -> Any:
    """Convert a leaf of a replica's result; Python values are equal in all replicas."""
    if isinstance(leaf, Composite):
        raise TypeError(
            f"strategy.run: The function returned a {type(leaf).__name__}. Return its components "
            "as tensors instead."
        )
    return convert_to_tensor(leaf) if is_operand(leaf) or hasattr(leaf, "shape") else leaf


def alone(x: Any) -> Any:
    """Wrap the result of one replica that computes for all."""

    def wrapped(leaf: Any) -> Any:
        return PerReplica(expand_dims(convert_to_tensor(leaf), 0)) if is_operand(leaf) else leaf

    return nest.map_structure(wrapped, x)


def side_by_side(value: PerReplica, axis: int) -> Tensor:
    """Concatenate the replicas' values along an axis."""
    rows = value.stacked
    if axis == 0:
        return reshape(rows, [-1, *rows.shape[2:]])
    return concat([rows[i] for i in range(value.count)], axis)
