"""Iterators over datasets, and `tf.experimental.Optional`."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator as Iterates
from itertools import islice
from typing import Any

import numpy as np

from tfpy._src.backends.event_loop import give_turn
from tfpy._src.backends.storage import host_storage
from tfpy._src.base import dtypes
from tfpy._src.base.errors import InvalidArgumentError, OutOfRangeError
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.core.operand import HostObject
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import Nest
from tfpy._src.data import structure
from tfpy._src.data.node import DatasetNode
from tfpy._src.data.run import AwaitedRun, DatasetRun
from tfpy._src.data.specs import IteratorSpec, OptionalSpec
from tfpy._src.data.structure import Flat

_TRUTH = Aval((), dtypes.bool)


class Optional(HostObject):
    """A value that may be absent.

    Create one with `from_value` or `empty`, not with the constructor.

    Example:
        >>> import tfpy as tf
        >>> found = tf.experimental.Optional.from_value(3)
        >>> print(found.has_value().numpy(), found.get_value().numpy())
        True 3
    """

    def __init__(self, element_spec: Any, value: Any, has_value: bool) -> None:
        self._element_spec, self._value, self._has_value = element_spec, value, has_value

    @staticmethod
    def from_value(value: Nest) -> Optional:
        """Create an Optional that has a value.

        Args:
            value: Tensor or nested structure (tuple or dict) of tensors.

        Returns:
            A `tf.experimental.Optional`.

        Example:
            >>> import tfpy as tf
            >>> int(tf.experimental.Optional.from_value(3).get_value())
            3
        """
        return Optional(None, structure.normalized(value), True)

    @staticmethod
    def empty(element_spec: Nest) -> Optional:
        """Create an Optional that has no value.

        Args:
            element_spec: The `tf.TypeSpec` that a value would have, such as a `tf.TensorSpec`, or a
                nested structure (tuple or dict) of them.

        Returns:
            A `tf.experimental.Optional`.

        Example:
            >>> import tfpy as tf
            >>> bool(tf.experimental.Optional.empty(tf.TensorSpec([])).has_value())
            False
        """
        return Optional(element_spec, None, False)

    def has_value(self, name: str | None = None) -> Tensor:
        """Return True if there is a value.

        Returns:
            Scalar bool tensor.

        Example:
            >>> import tfpy as tf
            >>> bool(tf.experimental.Optional.from_value(3).has_value())
            True
        """
        return Tensor(_TRUTH, host_storage(np.array(self._has_value), _TRUTH))

    def get_value(self, name: str | None = None) -> Nest:
        """Return the value.

        Returns:
            Tensor or nested structure (tuple or dict) of tensors.

        Raises:
            tf.errors.InvalidArgumentError: If there is no value.

        Example:
            >>> import tfpy as tf
            >>> int(tf.experimental.Optional.from_value(3).get_value())
            3
        """
        if not self._has_value:
            message = "The given optional does not have a value."
            raise InvalidArgumentError(None, "Optional", message)
        return self._value

    @property
    def element_spec(self) -> Nest:
        """The type of the value, as a `tf.TypeSpec` or a nest of them."""
        if self._element_spec is None and self._has_value:
            self._element_spec = structure.spec_of(self._value)
        return self._element_spec

    @property
    def value_structure(self) -> Nest:
        """The type of the value. Another name of `element_spec`."""
        return self.element_spec

    @property
    def _type_spec(self) -> OptionalSpec:
        return OptionalSpec(self.element_spec)


class Iterator(HostObject):
    """An iterator over the elements of a dataset, which `iter(dataset)` returns.

    Example:
        >>> import tfpy as tf
        >>> numbers = iter(tf.data.Dataset.range(3))
        >>> isinstance(numbers, tf.data.Iterator)
        True
        >>> int(next(numbers)), int(numbers.get_next())
        (0, 1)

    See also: `tf.data.Dataset`.
    """

    def __init__(self, node: DatasetNode, run: DatasetRun | None = None) -> None:
        self._node = node
        self._elements: Iterates[Flat] = node.elements(run or DatasetRun())
        self._outer: Callable[[Flat], Any] | None = None

    @property
    def element_spec(self) -> Nest:
        """The type of the elements, as `tf.data.Dataset.element_spec`."""
        return self._node.spec

    @property
    def _type_spec(self) -> IteratorSpec:
        return IteratorSpec(self.element_spec)

    def __iter__(self) -> Iterator:
        return self

    def __next__(self) -> Any:
        return self._shown(next(self._elements))

    def _shown(self, element: Flat) -> Any:
        if self._outer is None:  # the spec may be unknown before the first element
            self._outer = structure.outer(self._node.spec)
        return self._outer(element)

    def next(self) -> Nest:
        """Return the next element.

        Returns:
            The element, a tensor or nested structure (tuple or dict) of tensors.

        Raises:
            StopIteration: If there are no more elements.

        Example:
            >>> import tfpy as tf
            >>> int(iter(tf.data.Dataset.range(3)).next())
            0
        """
        return next(self)

    def get_next(self, name: str | None = None) -> Nest:
        """Return the next element, or raise `tf.errors.OutOfRangeError` at the end.

        Returns:
            The element, a tensor or nested structure (tuple or dict) of tensors.

        Raises:
            tf.errors.OutOfRangeError: If there are no more elements.

        Example:
            >>> import tfpy as tf
            >>> int(iter(tf.data.Dataset.range(3)).get_next())
            0
        """
        try:
            return next(self)
        except StopIteration:
            raise OutOfRangeError(None, "get_next", "End of sequence") from None

    def get_next_as_optional(self) -> Optional:
        """Return the next element as an Optional.

        Returns:
            A `tf.experimental.Optional`. At the end of the dataset it has no value.

        Example:
            >>> import tfpy as tf
            >>> numbers = iter(tf.data.Dataset.range(1))
            >>> int(numbers.get_next_as_optional().get_value())
            0
            >>> bool(numbers.get_next_as_optional().has_value())
            False
        """
        try:
            return Optional(None, next(self), True)
        except StopIteration:
            return Optional.empty(self.element_spec)


class OwnedIterator(Iterator):
    """The iterator that `iter(dataset)` returns.

    Checkpoints save the number of elements that it has returned. After a restore it continues
    behind these elements.
    """

    def __init__(self, node: DatasetNode, run: DatasetRun | None = None) -> None:
        super().__init__(node, run)
        self._given = 0

    def __next__(self) -> Any:
        element = super().__next__()
        self._given += 1
        return element

    def _serialize_to_tensors(self) -> dict[str, Any]:
        return {"ITERATOR_POSITION": np.array(self._given, np.int64)}

    def _restore_from_tensors(self, restored_tensors: dict[str, Any]) -> None:
        position = int(restored_tensors["ITERATOR_POSITION"])
        if position < self._given:
            self._elements, self._given = self._node.elements(DatasetRun()), 0
        for _ in islice(self._elements, position - self._given):
            self._given += 1


class FetchingIterator(Iterator):
    """An iterator over fetched elements. Callers first await `iterator.fetch(count)`."""

    def __init__(self, node: DatasetNode) -> None:
        self._run = AwaitedRun()
        super().__init__(node, self._run)
        self._fetched: deque[Flat] = deque()

    async def fetch(self, count: int) -> bool:
        """Await elements, fewer at the end. Return True if there are any.

        Args:
            count: Number of elements.
        """
        while len(self._fetched) < count:
            try:
                self._fetched.append(await self._run.next(self._elements))
            except StopAsyncIteration:
                break
        return bool(self._fetched)

    def __next__(self) -> Any:
        if not self._fetched:
            raise StopIteration
        return self._shown(self._fetched.popleft())


class AsyncIterator:
    """An asynchronous iterator over elements. Other tasks of the page run between elements."""

    def __init__(self, node: DatasetNode) -> None:
        self._iterator = FetchingIterator(node)

    def __aiter__(self) -> AsyncIterator:
        return self

    async def __anext__(self) -> Any:
        await give_turn()
        if await self._iterator.fetch(1):
            return next(self._iterator)
        raise StopAsyncIteration


class NumpyIterator:
    """An iterator over the elements of a dataset as read-only NumPy arrays.

    `tf.data.Dataset.as_numpy_iterator` returns one.

    Example:
        >>> import tfpy as tf
        >>> numbers = tf.data.Dataset.range(3).as_numpy_iterator()
        >>> [int(x) for x in numbers]
        [0, 1, 2]

    See also: `tf.data.Dataset.as_numpy_iterator`.
    """

    def __init__(self, node: DatasetNode) -> None:
        self._spec = node.spec
        self._elements = node.elements(DatasetRun())

    def __iter__(self) -> NumpyIterator:
        return self

    def __next__(self) -> Any:
        leaves = [structure.to_numpy(leaf) for leaf in next(self._elements)]
        return structure.pack(self._spec, leaves)

    def next(self) -> Nest:
        """Return the next element.

        Returns:
            The element, a NumPy array or nested structure (tuple or dict) of NumPy arrays.

        Raises:
            StopIteration: If there are no more elements.

        Example:
            >>> import tfpy as tf
            >>> int(tf.data.Dataset.range(3).as_numpy_iterator().next())
            0
        """
        return next(self)

    def __repr__(self) -> str:
        return f"NumpyIterator(element_spec={self._spec!r})"
