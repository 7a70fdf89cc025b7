"""Datasets of what functions give of the elements."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, Self

from tfpy._src.data import mapping, nesting
from tfpy._src.data.base import DatasetBase
from tfpy._src.data.sources import whole


class Calling(DatasetBase):
    """Methods that call a program's function of elements."""

    def map(
        self,
        map_func: Callable[..., Any],
        num_parallel_calls: Any = None,
        deterministic: bool | None = None,
        synchronous: bool | None = None,
        use_unbounded_threadpool: bool = False,
        name: str | None = None,
    ) -> Self:
        """What a function gives of each element; the parts of a tuple are its arguments.

        The function is traced and compiled for the host; Python in it runs while it is traced.

        Raises:
            TypeError: when it gives what is no tensor.
        """
        return self._with(mapping.Map(self._node, map_func))

    def filter(self, predicate: Callable[..., Any], name: str | None = None) -> Self:
        """The elements for which a function gives True.

        Raises:
            ValueError: when it gives no scalar of bool.
        """
        return self._with(mapping.Filter(self._node, predicate))

    def take_while(self, predicate: Callable[..., Any], name: str | None = None) -> Self:
        """The elements up to the first one for which a function gives False.

        Raises:
            ValueError: when it gives no scalar of bool.
        """
        return self._with(mapping.TakeWhile(self._node, predicate))

    def scan(
        self, initial_state: Any, scan_func: Callable[..., Any], name: str | None = None
    ) -> Self:
        """What a function gives of a state and each element, beside the next state.

        Raises:
            TypeError: when it gives no pair, or a state of another structure or dtype.
        """
        return self._with(mapping.Scan(self._node, initial_state, scan_func))

    def flat_map(self, map_func: Callable[..., Any], name: str | None = None) -> Self:
        """The elements of the datasets that a function gives, one dataset after the other.

        Raises:
            TypeError: when it gives no dataset.
        """
        return self._with(nesting.FlatMap(self._node, map_func))

    def interleave(
        self,
        map_func: Callable[..., Any],
        cycle_length: Any = None,
        block_length: Any = None,
        num_parallel_calls: Any = None,
        deterministic: bool | None = None,
        name: str | None = None,
    ) -> Self:
        """Blocks of the datasets that a function gives, of ``cycle_length`` of them in turn.

        Raises:
            TypeError: when it gives no dataset.
            InvalidArgumentError: for numbers below 1.
        """
        cycle = -1 if cycle_length is None else whole(cycle_length)
        return self._with(
            nesting.Interleave(
                self._node,
                map_func,
                _processors() if cycle == -1 else cycle,
                1 if block_length is None else whole(block_length),
            )
        )


def _processors() -> int:
    """How many datasets are interleaved where the program leaves it open, as in TensorFlow."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0)) or 1
    return os.cpu_count() or 1
