"""The methods of strategies for libraries (`tf.distribute.StrategyExtended`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from tfpy._src.core.typing import Nest
from tfpy._src.distribute.communication import CommunicationOptions
from tfpy._src.distribute.reduce_op import ReduceOp

if TYPE_CHECKING:
    from tfpy._src.distribute.strategy import Strategy


class Extended:
    """The methods of a strategy that libraries use (`tf.distribute.StrategyExtended`)."""

    def __init__(self, strategy: Strategy) -> None:
        self._strategy = strategy

    @property
    def worker_devices(self) -> tuple[str, ...]:
        """Names of the devices of this process's replicas."""
        return self._strategy._own_devices()

    @property
    def parameter_devices(self) -> tuple[str, ...]:
        """Names of the devices that hold Variables: all devices."""
        return self.worker_devices

    def update(
        self,
        var: Any,
        fn: Callable[..., Any],
        args: Sequence[Any] = (),
        kwargs: dict[str, Any] | None = None,
        group: bool = True,
    ) -> Any:
        """Return `fn(var, *args, **kwargs)`."""
        return fn(var, *args, **(kwargs or {}))

    def call_for_each_replica(
        self, fn: Callable[..., Any], args: Sequence[Any] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        """Return `strategy.run(fn, args, kwargs)`."""
        return self._strategy.run(fn, args, kwargs)

    @contextmanager
    def colocate_vars_with(self, colocate_with_variable: Any) -> Iterator[None]:
        """Do nothing: Variables are on all devices."""
        yield

    def reduce_to(
        self,
        reduce_op: ReduceOp | str,
        value: Nest,
        destinations: object,
        options: CommunicationOptions | None = None,
    ) -> Any:
        """Return `strategy.reduce(reduce_op, value, axis=None)`, which is on all devices."""
        return self._strategy.reduce(reduce_op, value, axis=None)

    def variable_created_in_scope(self, v: Any) -> bool:
        """Return True if a Variable was created in the strategy's scope."""
        return self._strategy.is_default if v.strategy is None else v.strategy is self._strategy

    def _in_multi_worker_mode(self) -> bool:
        """Return False for Keras: a step handles replicas of other processes like its own."""
        return False


class FormerStrategy:
    """Methods that strategies keep for programs of TensorFlow 1."""

    run: Callable[..., Any]

    def experimental_run(self, fn: Callable[..., Any], input_iterator: Any = None) -> Any:
        """Call a function in each replica, with the next element of an iterator.

        Args:
            fn: Function that takes the element, or nothing if there is no iterator.
            input_iterator: Iterator of a dataset.

        Returns:
            As for `run`.
        """
        return self.run(fn, () if input_iterator is None else (input_iterator.get_next(),))
