"""What every dataset can: be iterated over, counted, printed, reduced, given options."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

from tfpy._src.base import dtypes, tracing
from tfpy._src.base.errors import InvalidArgumentError, NotTraceableError
from tfpy._src.core.conversion import constant
from tfpy._src.core.tensor import Tensor
from tfpy._src.data import mapping, structure
from tfpy._src.data.iterators import AsyncIterator, NumpyIterator, OwnedIterator
from tfpy._src.data.node import INFINITE, UNKNOWN, DatasetNode
from tfpy._src.data.options import Options
from tfpy._src.data.run import DatasetRun
from tfpy._src.data.selection import Unchanged
from tfpy._src.data.specs import DatasetSpec


class DatasetBase:
    """A dataset is a node that programs hold."""

    _node: DatasetNode

    def __init__(self, node: DatasetNode) -> None:
        self._node = node

    def _with(self, node: DatasetNode) -> Self:
        """The dataset of another node."""
        made: Self = structure.AS_DATASET[0](node)
        return made

    @property
    def element_spec(self) -> Any:
        """The nest of specs of an element."""
        return self._node.spec

    @property
    def _type_spec(self) -> DatasetSpec:
        return DatasetSpec(self._node.spec)

    def __iter__(self) -> OwnedIterator:
        """An iterator from the first element.

        Raises:
            NotTraceableError: while a ``tf.function`` is traced; it runs op by op then.
        """
        _check_not_traced("iterating over a dataset")
        return OwnedIterator(self._node)

    def __aiter__(self) -> AsyncIterator:
        """An iterator for ``async for``: between elements a page reacts and paints.

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
        """An iterator over the elements as NumPy has them, not to be written to.

        Raises:
            TypeError: for datasets among the components.
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
        """How many elements there are.

        Raises:
            TypeError: when they have no end, or it is not known.
        """
        size = self._node.cardinality
        if size == INFINITE:
            raise TypeError("The dataset is infinite.")
        if size == UNKNOWN:
            raise TypeError("The dataset length is unknown.")
        return size

    def cardinality(self) -> Tensor:
        """How many elements there are; INFINITE_CARDINALITY or UNKNOWN_CARDINALITY."""
        return constant(self._node.cardinality, dtypes.int64)

    def __repr__(self) -> str:
        name = self._node.name if type(self).__name__ == "DatasetV2" else type(self).__name__
        return f"<{name} element_spec={self.element_spec}>"

    def options(self) -> Options:
        """The options of the dataset and of those that it is made of."""
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
        """The same elements; the options are kept, and of no effect.

        Raises:
            TypeError: for what is no ``tf.data.Options``.
        """
        if not isinstance(options, Options):
            raise TypeError(f"`options` must be a `tf.data.Options` object. Got {type(options)}.")
        return self._with(Unchanged(self._node, "_OptionsDataset", options))

    def apply(self, transformation_func: Callable[..., Any]) -> Any:
        """What a function makes of the dataset.

        Raises:
            TypeError: when that is no dataset.
        """
        found = transformation_func(self)
        if not isinstance(found, DatasetBase):
            raise TypeError(
                f"`transformation_func` must return a `tf.data.Dataset` object. Got {type(found)}."
            )
        return found

    def reduce(
        self, initial_state: Any, reduce_func: Callable[..., Any], name: str | None = None
    ) -> Any:
        """The state after the last element.

        Args:
            reduce_func: gives the next state of a state and an element.

        Raises:
            TypeError: when the function gives a state of another structure or dtype.
            NotTraceableError: while a ``tf.function`` is traced.
        """
        _check_not_traced("reducing a dataset")
        return mapping.reduced(self._node, initial_state, reduce_func)

    def get_single_element(self, name: str | None = None) -> Any:
        """The only element.

        Raises:
            InvalidArgumentError: when there is none, or more than one.
            NotTraceableError: while a ``tf.function`` is traced.
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
            f"{what} depends on values, also on how often it was done before; call a tf.function "
            "for each element in place of one around the loop, so that it is compiled"
        )
