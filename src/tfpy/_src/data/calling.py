"""Methods of datasets that call functions of elements."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, Self

from tfpy._src.core.typing import IntLike, Nest
from tfpy._src.data import mapping, nesting
from tfpy._src.data.base import DatasetBase
from tfpy._src.data.sources import whole


class Calling(DatasetBase):
    """Methods that call a user function with elements."""

    def map(
        self,
        map_func: Callable[..., Any],
        num_parallel_calls: IntLike | None = None,
        deterministic: bool | None = None,
        synchronous: bool | None = None,
        use_unbounded_threadpool: bool = False,
        name: str | None = None,
    ) -> Self:
        """Apply a function to every element.

        The function is traced and compiled for the host; Python code in it runs only during
        tracing. The components of a tuple are passed as separate arguments.

        Args:
            map_func: Function of an element that returns a nest of tensors.
            num_parallel_calls: Has no effect.
            deterministic: Has no effect.
            synchronous: Has no effect.
            use_unbounded_threadpool: Has no effect.

        Returns:
            A `tf.data.Dataset` of the results.

        Raises:
            TypeError: If a result does not convert to tensors.

        Example:
            >>> import tfpy as tf
            >>> [int(x) for x in tf.data.Dataset.range(4).map(lambda x: x * x)]
            [0, 1, 4, 9]

        See also: `tf.data.Dataset.flat_map`, `tf.data.Dataset.filter`.
        """
        return self._with(mapping.Map(self._node, map_func))

    def filter(self, predicate: Callable[..., Any], name: str | None = None) -> Self:
        """Keep the elements for which a predicate is True.

        Args:
            predicate: Function of an element that returns a scalar bool tensor.

        Returns:
            A `tf.data.Dataset`.

        Raises:
            ValueError: If the predicate does not return a scalar bool.

        Example:
            >>> import tfpy as tf
            >>> [int(x) for x in tf.data.Dataset.range(6).filter(lambda x: x % 2 == 0)]
            [0, 2, 4]

        See also: `tf.data.Dataset.take_while`.
        """
        return self._with(mapping.Filter(self._node, predicate))

    def take_while(self, predicate: Callable[..., Any], name: str | None = None) -> Self:
        """Keep the elements before the first one for which a predicate is False.

        Args:
            predicate: Function of an element that returns a scalar bool tensor.

        Returns:
            A `tf.data.Dataset`.

        Raises:
            ValueError: If the predicate does not return a scalar bool.

        Example:
            >>> import tfpy as tf
            >>> [int(x) for x in tf.data.Dataset.range(10).take_while(lambda x: x < 3)]
            [0, 1, 2]

        See also: `tf.data.Dataset.filter`, `tf.data.Dataset.take`.
        """
        return self._with(mapping.TakeWhile(self._node, predicate))

    def scan(
        self, initial_state: Nest, scan_func: Callable[..., Any], name: str | None = None
    ) -> Self:
        """Apply a function to every element and carry a state from element to element.

        Args:
            initial_state: Nest of tensors, the first state.
            scan_func: Function of a state and an element that returns a pair of the next state and
                the output.

        Returns:
            A `tf.data.Dataset` of the outputs.

        Raises:
            TypeError: If the function does not return a pair, or the structure or dtypes of the
                state change.

        Example:
            >>> import tfpy as tf
            >>> zero = tf.constant(0, tf.int64)
            >>> sums = tf.data.Dataset.range(5).scan(zero, lambda total, x: (total + x, total + x))
            >>> [int(x) for x in sums]
            [0, 1, 3, 6, 10]

        See also: `tf.data.Dataset.map`, `tf.data.Dataset.reduce`.
        """
        return self._with(mapping.Scan(self._node, initial_state, scan_func))

    def flat_map(self, map_func: Callable[..., Any], name: str | None = None) -> Self:
        """Apply a function that returns a dataset to every element, and concatenate the datasets.

        Args:
            map_func: Function of an element that returns a `tf.data.Dataset`.

        Returns:
            A `tf.data.Dataset` of the elements of these datasets.

        Raises:
            TypeError: If the function does not return a dataset.

        Example:
            >>> import tfpy as tf
            >>> [int(x) for x in tf.data.Dataset.range(3).flat_map(tf.data.Dataset.range)]
            [0, 0, 1]

        See also: `tf.data.Dataset.interleave`, `tf.data.Dataset.map`.
        """
        return self._with(nesting.FlatMap(self._node, map_func))

    def interleave(
        self,
        map_func: Callable[..., Any],
        cycle_length: IntLike | None = None,
        block_length: IntLike | None = None,
        num_parallel_calls: IntLike | None = None,
        deterministic: bool | None = None,
        name: str | None = None,
    ) -> Self:
        """Apply a function that returns a dataset to every element, and interleave the datasets.

        Args:
            map_func: Function of an element that returns a `tf.data.Dataset`.
            cycle_length: Number of datasets that are read in turn. Default: the number of
                processors.
            block_length: Number of consecutive elements of one dataset. Default: 1.
            num_parallel_calls: Has no effect.
            deterministic: Has no effect.

        Returns:
            A `tf.data.Dataset` of the elements of these datasets.

        Raises:
            TypeError: If the function does not return a dataset.
            tf.errors.InvalidArgumentError: If a length is less than 1.

        Example:
            >>> import tfpy as tf
            >>> pairs = tf.data.Dataset.range(2).interleave(
            ...     lambda x: tf.data.Dataset.from_tensors(x).repeat(2), cycle_length=2
            ... )
            >>> [int(x) for x in pairs]
            [0, 1, 0, 1]

        See also: `tf.data.Dataset.flat_map`.
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
    """Return the number of processors, TensorFlow's default for the number of datasets."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0)) or 1
    return os.cpu_count() or 1
