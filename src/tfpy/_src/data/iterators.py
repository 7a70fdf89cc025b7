"""Iterators over datasets."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterator as Iterates
from itertools import islice
from typing import Any

from tfpy._src.backends.event_loop import give_turn
from tfpy._src.base.errors import FailedPreconditionError, NotFoundError, OutOfRangeError
from tfpy._src.core.conversion import constant
from tfpy._src.core.operand import HostObject
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import Nest, TensorLike
from tfpy._src.data import structure
from tfpy._src.data.functions import DataFunction
from tfpy._src.data.node import DatasetNode
from tfpy._src.data.optional import Optional
from tfpy._src.data.options import ExternalStatePolicy
from tfpy._src.data.run import AwaitedRun, DatasetRun
from tfpy._src.data.specs import IteratorSpec
from tfpy._src.data.structure import Flat

_STATE = "ITERATOR_STATE"
"""Name of the state in checkpoints."""


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

    def __init__(self, node: DatasetNode, elements: Iterates[Flat] | None = None) -> None:
        self._node = node
        self._elements = node.elements(DatasetRun()) if elements is None else elements
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


class _Resumable:
    """The elements of a node, and their state: the number of elements so far and the seeds."""

    def __init__(self, node: DatasetNode) -> None:
        self._node = node
        self._start([])

    def _start(self, seeds: list[tuple[int, int]]) -> None:
        self._given, self._run = 0, DatasetRun(seeds)
        self._items = self._node.elements(self._run)

    def __iter__(self) -> Iterates[Flat]:
        return self

    def __next__(self) -> Flat:
        element = next(self._items)
        self._given += 1
        return element

    @property
    def state(self) -> Tensor:
        """The state as a scalar string tensor.

        Raises:
            FailedPreconditionError: If the elements depend on other state.
        """
        other = None if self._ignores_other_state(self._node) else _stateful_node(self._node)
        if other is not None:
            raise FailedPreconditionError(
                None,
                "Iterator",
                f"The state of the iterator cannot be saved, because a function of {other.name} "
                "uses random numbers, Variables or Python functions. Use stateless random ops, or "
                "set tf.data.Options.experimental_external_state_policy to IGNORE.",
            )
        return constant(json.dumps([self._given, self._run.drawn]))

    def _ignores_other_state(self, node: DatasetNode) -> bool:
        policy = getattr(node.own_options, "experimental_external_state_policy", None)
        allowed = policy is not None and policy is not ExternalStatePolicy.FAIL
        return allowed or any(map(self._ignores_other_state, node.inputs))

    def restore(self, state: TensorLike) -> None:
        """Continue behind the elements of a state."""
        count, seeds = json.loads(structure.text_of(state))
        self._start([(int(first), int(second)) for first, second in seeds])
        found = sum(1 for _ in islice(self, int(count)))
        if found < count:
            raise NotFoundError(
                None,
                "Iterator",
                f"The state of the iterator is behind {count} elements, but the dataset has only "
                f"{found}. Make sure the dataset definition has not changed.",
            )


def _stateful_node(node: DatasetNode) -> DatasetNode | None:
    """Return a node, among a node and its inputs, with a function that has state; None if none."""
    own = (value for value in vars(node).values() if isinstance(value, DataFunction))
    if any(function.is_stateful for function in own):
        return node
    return next(filter(None, map(_stateful_node, node.inputs)), None)


class OwnedIterator(Iterator):
    """The iterator that `iter(dataset)` returns. Checkpoints save its state."""

    def __init__(self, node: DatasetNode) -> None:
        self._items = _Resumable(node)
        super().__init__(node, self._items)

    def _serialize_to_tensors(self) -> dict[str, Any]:
        return {_STATE: self._items.state}

    def _restore_from_tensors(self, restored_tensors: dict[str, Any]) -> None:
        self._items.restore(restored_tensors[_STATE])


class FetchingIterator(Iterator):
    """An iterator over fetched elements. Callers first await `iterator.fetch(count)`."""

    def __init__(self, node: DatasetNode) -> None:
        self._run = AwaitedRun()
        super().__init__(node, node.elements(self._run))
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
        self._elements = _Resumable(node)

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

    def save(self) -> Tensor:
        """Return the state of the iterator.

        A checkpoint of the iterator contains this state.

        Returns:
            Scalar string tensor, which `restore` accepts.

        Example:
            >>> import tfpy as tf
            >>> numbers = tf.data.Dataset.range(3).as_numpy_iterator()
            >>> state = numbers.save()
            >>> int(next(numbers))
            0
            >>> numbers.restore(state)
            >>> int(next(numbers))
            0
        """
        return self._elements.state

    def restore(self, state: TensorLike) -> None:
        """Continue at a saved state.

        Args:
            state: Scalar string tensor from `save`, of an iterator over an equal dataset.

        Raises:
            tf.errors.NotFoundError: If the dataset has fewer elements than the state has passed.

        Example:
            >>> import tfpy as tf
            >>> data = tf.data.Dataset.range(3)
            >>> state = data.skip(0).as_numpy_iterator().save()
            >>> numbers = data.as_numpy_iterator()
            >>> numbers.restore(state)
            >>> int(next(numbers))
            0
        """
        self._elements.restore(state)

    def _serialize_to_tensors(self) -> dict[str, Any]:
        return {_STATE: self.save()}

    def _restore_from_tensors(self, restored_tensors: dict[str, Any]) -> None:
        self.restore(restored_tensors[_STATE])

    def __repr__(self) -> str:
        return f"NumpyIterator(element_spec={self._spec!r})"
