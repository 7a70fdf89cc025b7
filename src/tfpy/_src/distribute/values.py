"""Per-replica values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tfpy._src.backends import registry
from tfpy._src.base import tracing
from tfpy._src.core.operand import Wrapper
from tfpy._src.core.tensor import Tensor, from_array
from tfpy._src.functions.tf_function.signature import TensorSpec, WrapperSpec


class DistributedValues:
    """The base class of per-replica values, which have a component for each replica.

    Example:
        >>> import tfpy as tf
        >>> strategy = tf.distribute.OneDeviceStrategy("/cpu:0")
        >>> y = strategy.run(tf.square, [tf.constant(3.0)])
        >>> [x.numpy().tolist() for x in strategy.experimental_local_results(y)]
        [9.0]

    See also: `tf.distribute.Strategy.experimental_local_results`.
    """


class PerReplicaSpec(WrapperSpec):
    """The spec of a per-replica value, for an `input_signature`.

    Args:
        value: Spec of each replica's component.
    """

    def __init__(self, value: TensorSpec) -> None:
        super().__init__(PerReplica, TensorSpec([None, *value.shape], value.dtype))


class PerReplica(DistributedValues, Wrapper):
    """A value with one component per replica; a function in `Strategy.run` receives its component.

    Args:
        stacked: Components along a new first axis.

    Example:
        >>> import tfpy as tf
        >>> value = tf.types.experimental.distributed.PerReplica(tf.constant([1.0, 2.0]))
        >>> [float(component) for component in value.values]
        [1.0, 2.0]

    See also: `tf.distribute.DistributedValues`.
    """

    def __init__(self, stacked: Tensor) -> None:
        self.stacked = stacked

    @property
    def count(self) -> int:
        """Number of components; 1 if one replica computes for all."""
        return int(self.stacked.aval.shape[0])

    @property
    def values(self) -> tuple[Any, ...]:
        """Components of this process's replicas."""
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
        return self._lines(repr)

    def __str__(self) -> str:
        return repr(self) if tracing.current() is not None else self._lines(str)

    def _lines(self, shown: Callable[[Any], str]) -> str:
        lines = ",\n".join(f"  {i}: {shown(value)}" for i, value in enumerate(self.values))
        return f"PerReplica:{{\n{lines}\n}}"
