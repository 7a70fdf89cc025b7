"""Values of several replicas."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfpy._src.backends import registry
from tfpy._src.base import tracing
from tfpy._src.core.operand import Wrapper
from tfpy._src.core.tensor import Tensor, from_array
from tfpy._src.functions.tf_function.signature import TensorSpec, WrapperSpec


class DistributedValues:
    """Values of several replicas (``tf.distribute.DistributedValues``).

    Example:
        >>> import tfpy as tf
        >>> strategy = tf.distribute.OneDeviceStrategy("/cpu:0")
        >>> y = strategy.run(tf.square, [tf.constant(3.0)])
        >>> [x.numpy().tolist() for x in strategy.experimental_local_results(y)]
        [9.0]
    """


class PerReplicaSpec(WrapperSpec):
    """The spec of a value for each replica, as an ``input_signature`` takes it.

    Args:
        value: the spec of each replica's value.
    """

    def __init__(self, value: TensorSpec) -> None:
        super().__init__(PerReplica, TensorSpec([None, *value.shape], value.dtype))


class PerReplica(DistributedValues, Wrapper):
    """A value for each replica; functions that ``Strategy.run`` runs have their own.

    Args:
        stacked: the values, with a first axis of replicas.
    """

    def __init__(self, stacked: Tensor) -> None:
        self.stacked = stacked

    @property
    def count(self) -> int:
        """Of how many replicas: 1 of what one replica computes for all."""
        return int(self.stacked.aval.shape[0])

    @property
    def values(self) -> tuple[Any, ...]:
        """The value of each replica of this process."""
        if tracing.current() is not None or self.stacked.storage.host is not None:
            return tuple(self.stacked[i] for i in range(self.count))
        backend: Any = registry.active_backend()
        own = getattr(backend, "own_rows", None)
        if own is None:
            return tuple(self.stacked[i] for i in range(self.count))
        return tuple(map(from_array, own(self.stacked.slot_on(backend), self.stacked.aval)))

    @property
    def wrapped(self) -> Tensor:
        return self.stacked

    def with_components(self, components: Sequence[Any]) -> PerReplica:
        return PerReplica(*components)

    def as_tensor(self) -> Tensor:
        raise ValueError(
            "It looks like you are using a PerReplica object while not inside a replica context, "
            "which is not supported. Try running your op or function inside a replica context by "
            "using `strategy.run`"
        )

    def __repr__(self) -> str:
        if tracing.current() is not None:
            return f"PerReplica({self.stacked!r})"
        lines = ",\n".join(f"  {i}: {value!r}" for i, value in enumerate(self.values))
        return f"PerReplica:{{\n{lines}\n}}"
