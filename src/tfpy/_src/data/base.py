"""Methods that every dataset has: iteration, cardinality, reduction and options."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

from tfpy._src.base import dtypes, tracing
from tfpy._src.base.errors import InvalidArgumentError, NotTraceableError
from tfpy._src.core.conversion import constant
from tfpy._src.core.operand import PythonValue
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import Nest
from tfpy._src.data import mapping, structure
from tfpy._src.data.iterators import AsyncIterator, NumpyIterator, OwnedIterator
from tfpy._src.data.node import INFINITE, UNKNOWN, DatasetNode
from tfpy._src.data.options import Options
from tfpy._src.data.run import DatasetRun
from tfpy._src.data.selection import Unchanged
from tfpy._src.data.specs import DatasetSpec


class DatasetBase(PythonValue):
    """Base of datasets: a public object that holds a node."""

    _node: DatasetNode

    def __init__(self, node: DatasetNode) -> None:
        self._node = node

    def _with(self, node: DatasetNode) -> Self:
        """Return the dataset of a different node."""
        made: Self = structure.AS_DATASET[0](node)
        return made

    @property
    def element_spec(self) -> Nest:
        """The type of the elements, as a `tf.TypeSpec` such as `tf.TensorSpec`.

        If the elements are nested, it is a nest of these in the same structure.
        """
        return self._node.spec

    @property
    def _type_spec(self) -> DatasetSpec:
        return DatasetSpec(self._node.spec)

    def __iter__(self) -> OwnedIterator:
        """Return an iterator that starts at the first element.

        Raises:
            tf.errors.NotTraceableError: If a `tf.function` iterates over the dataset. The function
                then runs eagerly, without compilation.
        """
        _check_not_traced("iterating over a dataset")
        return OwnedIterator(self._node)

    def __aiter__(self) -> AsyncIterator:
        """Return an iterator for `async for`, which lets the page react between elements.

        Example:
            >>> import asyncio
            >>> import tfpy as tf
            >>> async def total():
            ...     return sum([int(x) async for x in tf.data.Dataset.range(4)])
            >>> asyncio.run(total())
            6
        """
        return AsyncIterator(self._node)

    def as_numpy_iterator(self) -> NumpyIterator:
        """Return an iterator over the elements as read-only NumPy arrays.

        Sparse tensors are converted to dense arrays.

        Returns:
            An iterator over NumPy arrays, or over nests of them if the elements are nested.

        Raises:
            TypeError: If an element contains a dataset.

        Example:
            >>> import tfpy as tf
            >>> [x.tolist() for x in tf.data.Dataset.range(3).as_numpy_iterator()]
            [0, 1, 2]
        """
        _check_not_traced("iterating over a dataset")
        for spec in structure.flatten(self.element_spec):
            if isinstance(spec, DatasetSpec):
                raise TypeError(
                    "`tf.data.Dataset.as_numpy_iterator()` is not supported for datasets that "
                    f"produce values of type {spec!r}"
                )
        return NumpyIterator(self._node)

    def __bool__(self) -> bool:
        return True

    def __len__(self) -> int:
        """Return the number of elements.

        Raises:
            TypeError: If the number is infinite or unknown.
        """
        size = self._node.cardinality
        if size == INFINITE:
            raise TypeError("The dataset is infinite.")
        if size == UNKNOWN:
            raise TypeError("The dataset length is unknown.")
        return size

    def cardinality(self) -> Tensor:
        """Return the number of elements.

        Returns:
            Scalar integer tensor. It is `tf.data.INFINITE_CARDINALITY` if the dataset repeats
            without end, and `tf.data.UNKNOWN_CARDINALITY` if the number is only known after the
            iteration, for example after `filter`.

        Example:
            >>> import tfpy as tf
            >>> int(tf.data.Dataset.range(5).batch(2).cardinality())
            3
        """
        return constant(self._node.cardinality, dtypes.int64)

    def __repr__(self) -> str:
        kind = type(self).__name__
        name = self._node.name if kind in ("DatasetV1", "DatasetV2") else kind
        return f"<{name} element_spec={self.element_spec}>"

    def options(self) -> Options:
        """Return the options that were set on this dataset and on those it is derived from.

        Returns:
            A `tf.data.Options`.

        Example:
            >>> import tfpy as tf
            >>> print(tf.data.Dataset.range(3).options().deterministic)
            None

        See also: `tf.data.Dataset.with_options`.
        """
        found = Options()
        seen: set[int] = set()
        nodes = [self._node]
        own: list[Options] = []
        while nodes:
            node = nodes.pop()
            if id(node) in seen:
                continue
            seen.add(id(node))
            if node.own_options is not None:
                own.append(node.own_options)
            nodes += reversed(node.inputs)
        for options in reversed(own):
            found = found.merge(options)
        return found

    def with_options(self, options: Options, name: str | None = None) -> Self:
        """Return the dataset with the given options, which are stored but have no effect.

        Args:
            options: A `tf.data.Options`. Its settings override those that are already set.

        Returns:
            A `tf.data.Dataset`.

        Raises:
            TypeError: If `options` is not a `tf.data.Options`.

        Example:
            >>> import tfpy as tf
            >>> options = tf.data.Options()
            >>> options.deterministic = False
            >>> tf.data.Dataset.range(3).with_options(options).options().deterministic
            False

        See also: `tf.data.Dataset.options`.
        """
        if not isinstance(options, Options):
            raise TypeError(f"`options` must be a `tf.data.Options` object. Got {type(options)}.")
        return self._with(Unchanged(self._node, "_OptionsDataset", options))

    def apply(self, transformation_func: Callable[..., Any]) -> Any:
        """Apply a function to the dataset, so that it can be part of a chain of methods.

        Args:
            transformation_func: Function that takes a dataset and returns a dataset, for example
                the result of `tf.data.experimental.map_and_batch`.

        Returns:
            The dataset that the function returns.

        Raises:
            TypeError: If the function does not return a dataset.

        Example:
            >>> import tfpy as tf
            >>> [int(x) for x in tf.data.Dataset.range(5).apply(lambda data: data.take(2))]
            [0, 1]
        """
        found = transformation_func(self)
        if not isinstance(found, DatasetBase):
            raise TypeError(
                f"`transformation_func` must return a `tf.data.Dataset` object. Got {type(found)}."
            )
        return found

    def reduce(
        self, initial_state: Nest, reduce_func: Callable[..., Any], name: str | None = None
    ) -> Nest:
        """Combine all elements into one value.

        The value is a state, which `reduce_func` updates for each element.

        Args:
            initial_state: State before the first element, a tensor or nested structure (tuple or
                dict) of tensors.
            reduce_func: Function that takes the state and an element and returns the next state.

        Returns:
            The state after the last element.

        Raises:
            TypeError: If `reduce_func` returns a state with a different structure or dtype.
            tf.errors.NotTraceableError: If a `tf.function` calls the method. The function then runs
                eagerly, without compilation.

        Example:
            >>> import tfpy as tf
            >>> zero = tf.constant(0, tf.int64)
            >>> int(tf.data.Dataset.range(5).reduce(zero, lambda total, x: total + x))
            10
        """
        _check_not_traced("reducing a dataset")
        return mapping.reduced(self._node, initial_state, reduce_func)

    def get_single_element(self, name: str | None = None) -> Nest:
        """Return the element of a dataset that has exactly one.

        Returns:
            The element, a tensor or nest of tensors.

        Raises:
            tf.errors.InvalidArgumentError: If the dataset is empty or has more than one element.
            tf.errors.NotTraceableError: If a `tf.function` calls the method. The function then runs
                eagerly, without compilation.

        Example:
            >>> import tfpy as tf
            >>> tf.data.Dataset.range(3).batch(3).get_single_element().numpy().tolist()
            [0, 1, 2]
        """
        _check_not_traced("taking a dataset's element")
        elements = self._node.elements(DatasetRun())
        found = next(elements, None)
        if found is None:
            raise InvalidArgumentError(None, "get_single_element", "Dataset was empty.")
        if next(elements, None) is not None:
            message = "Dataset had more than one element."
            raise InvalidArgumentError(None, "get_single_element", message)
        return structure.outer(self._node.spec)(found)


def _check_not_traced(what: str) -> None:
    if tracing.local.active:
        raise NotTraceableError(
            f"{what} depends on values and on earlier iterations, so it cannot be traced. Call a "
            "tf.function for each element instead of one around the loop."
        )
