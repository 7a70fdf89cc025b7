"""Methods of datasets that call functions of elements."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, Self

from tfpy._src.core.typing import IntLike, Nest, TensorLike
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

        The function is traced, as a `tf.function` is. Python code in it therefore runs only during
        tracing. The traced ops run with NumPy, whichever backend is active. A function that cannot
        be compiled as a `tf.function`, or that uses ragged tensors or `tf.py_function`, is called
        for every element instead, which is slower.

        Args:
            map_func: Function that takes an element and returns a tensor or nested structure (tuple
                or dict) of tensors. If the elements are tuples, their components are passed as
                separate arguments.
            num_parallel_calls: Has no effect.
            deterministic: Has no effect.
            synchronous: Has no effect.
            use_unbounded_threadpool: Has no effect.

        Returns:
            A `tf.data.Dataset` of the results.

        Raises:
            TypeError: If the function returns a value that cannot be converted to tensors.

        Example:
            >>> import tfpy as tf
            >>> [int(x) for x in tf.data.Dataset.range(4).map(lambda x: x * x)]
            [0, 1, 4, 9]
            >>> pairs = tf.data.Dataset.from_tensor_slices(([1, 2], [10, 20]))
            >>> [int(x) for x in pairs.map(lambda a, b: a + b)]
            [11, 22]

        See also: `tf.data.Dataset.flat_map`, `tf.data.Dataset.filter`.
        """
        return self._with(mapping.Map(self._node, map_func))

    def filter(self, predicate: Callable[..., TensorLike], name: str | None = None) -> Self:
        """Keep the elements for which a predicate is True.

        Args:
            predicate: Function that takes an element, as in `tf.data.Dataset.map`, and returns a
                scalar bool tensor.

        Returns:
            A `tf.data.Dataset`.

        Raises:
            ValueError: If the predicate does not return a scalar bool tensor.

        Example:
            >>> import tfpy as tf
            >>> [int(x) for x in tf.data.Dataset.range(6).filter(lambda x: x % 2 == 0)]
            [0, 2, 4]

        See also: `tf.data.Dataset.take_while`.
        """
        return self._with(mapping.Filter(self._node, predicate))

    def take_while(self, predicate: Callable[..., TensorLike], name: str | None = None) -> Self:
        """Keep the elements before the first one for which a predicate is False.

        Args:
            predicate: Function that takes an element, as in `tf.data.Dataset.map`, and returns a
                scalar bool tensor.

        Returns:
            A `tf.data.Dataset`.

        Raises:
            ValueError: If the predicate does not return a scalar bool tensor.

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
        """Apply a function to every element, with a state that it updates.

        Args:
            initial_state: State for the first element, a tensor or nested structure (tuple or dict)
                of tensors.
            scan_func: Function that takes the state and an element, and returns a pair of the next
                state and the output.

        Returns:
            A `tf.data.Dataset` of the outputs.

        Raises:
            TypeError: If the function does not return a pair, or returns a state with a different
                structure or dtype.

        Example:
            >>> import tfpy as tf
            >>> zero = tf.constant(0, tf.int64)
            >>> sums = tf.data.Dataset.range(5).scan(zero, lambda total, x: (total + x, total + x))
            >>> [int(x) for x in sums]
            [0, 1, 3, 6, 10]

        See also: `tf.data.Dataset.map`, `tf.data.Dataset.reduce`.
        """
        return self._with(mapping.Scan(self._node, initial_state, scan_func))

    def flat_map(self, map_func: Callable[..., DatasetBase], name: str | None = None) -> Self:
        """Map every element to a dataset, and concatenate these datasets.

        Args:
            map_func: Function that takes an element, as in `tf.data.Dataset.map`, and returns a
                `tf.data.Dataset`.

        Returns:
            A `tf.data.Dataset` of the elements of all these datasets.

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
        map_func: Callable[..., DatasetBase],
        cycle_length: IntLike | None = None,
        block_length: IntLike | None = None,
        num_parallel_calls: IntLike | None = None,
        deterministic: bool | None = None,
        name: str | None = None,
    ) -> Self:
        """Map every element to a dataset, and interleave the elements of these datasets.

        At any time, `cycle_length` datasets are read in turn, `block_length` elements from each.
        When one of them ends, the dataset of the next element takes its place.

        Args:
            map_func: Function that takes an element, as in `tf.data.Dataset.map`, and returns a
                `tf.data.Dataset`.
            cycle_length: Number of datasets that are read in turn. Default (None or -1): the number
                of processors.
            block_length: Number of consecutive elements to take from a dataset before the next one
                is read. Default: 1.
            num_parallel_calls: Has no effect.
            deterministic: Has no effect.

        Returns:
            A `tf.data.Dataset` of the elements of all these datasets.

        Raises:
            TypeError: If the function does not return a dataset.
            tf.errors.InvalidArgumentError: If `cycle_length` or `block_length` is less than 1.

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
