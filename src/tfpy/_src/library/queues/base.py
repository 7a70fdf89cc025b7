"""The operations that all queues share."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from itertools import count
from typing import Any

import numpy as np

from tfpy._src.base import dtypes as kinds, tracing
from tfpy._src.base.dtypes import DType, as_dtype
from tfpy._src.base.errors import (
    CancelledError,
    NotTraceableError,
    OutOfRangeError,
    ResourceExhaustedError,
    invalid_value,
)
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.core.conversion import constant, convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.tensor_shape import TensorShape
from tfpy._src.core.typing import DTypeLike, IntLike, ShapeLike
from tfpy._src.functions.control.effects import effect, on_host
from tfpy._src.functions.trace.symbolic import is_symbolic
from tfpy._src.library.queues.operations import GraphQueue, check_shape, listed
from tfpy._src.tensors.array.joining import stack

Element = list[Tensor]

_names = count()


class QueueBase(GraphQueue):
    """The base class of queues, whose elements are tuples of tensors.

    A queue is used by eager code and by functions of `tf.function`. If an operation has to wait
    and no other thread can end the wait, as in pages, it raises an error instead.

    Args:
        dtypes: Dtypes of the components of an element.
        shapes: Shapes of the components, or None for any shapes.
        names: Names of the components. Elements are then dicts.
        capacity: Largest number of elements. A negative number means no limit.

    Raises:
        ValueError: If the numbers of dtypes, shapes and names differ.

    Example:
        >>> import tfpy as tf
        >>> isinstance(tf.queue.FIFOQueue(3, tf.int32), tf.queue.QueueBase)
        True

    See also: `tf.queue.FIFOQueue`.
    """

    def __init__(
        self,
        dtypes: DTypeLike | Sequence[DTypeLike],
        shapes: Sequence[ShapeLike] | None,
        names: Sequence[str] | str | None,
        capacity: IntLike = -1,
        name: str = "queue",
        shared_name: str | None = None,
    ) -> None:
        given: Sequence[Any] = dtypes if isinstance(dtypes, list | tuple) else [dtypes]
        self._dtypes = [as_dtype(d) for d in given]
        self._shapes = [TensorShape(s) for s in listed(shapes, len(given))]
        if len(self._shapes) != len(given):
            raise invalid_value(
                "queue", f"{len(given)} dtypes need as many shapes, got {len(self._shapes)}"
            )
        self._names = [names] if isinstance(names, str) else names
        if self._names is not None and len(self._names) != len(given):
            raise ValueError(
                "List of names must have the same length as the list of dtypes, received "
                f"len(names)={len(self._names)},len(dtypes)={len(given)}"
            )
        self._capacity = int(capacity)
        self._number = next(_names)
        self._elements: list[Any] = []
        self._is_closed = False
        self._changed = threading.Condition()
        self._enter_graph(name, shared_name)

    @staticmethod
    def from_list(index: IntLike, queues: Sequence[QueueBase]) -> QueueBase:
        """Return one of several queues.

        Args:
            index: Number of the queue.
            queues: List of queues with the same dtypes.

        Returns:
            The queue.

        Raises:
            TypeError: If an item is not a queue, or the dtypes differ.
        """
        if not queues or not all(isinstance(q, QueueBase) for q in queues):
            raise TypeError("A list of queues expected")
        if any(q.dtypes != queues[0].dtypes for q in queues):
            raise TypeError("Queues do not have matching component dtypes.")
        return queues[int(index)]

    @property
    def dtypes(self) -> list[DType]:
        """Dtypes of the components."""
        return self._dtypes

    @property
    def shapes(self) -> list[TensorShape]:
        """Shapes of the components."""
        return self._shapes

    @property
    def names(self) -> Sequence[str] | None:
        """Names of the components, or None."""
        return self._names

    # The order of the elements, which subclasses define

    def _push(self, element: Element) -> None:
        self._elements.append(element)

    def _pop(self) -> Element:
        found: Element = self._elements.pop(0)
        return found

    def _held_back(self) -> int:
        """Return the number of elements that stay in the queue while it is open."""
        return 0

    # Operations

    def enqueue(self, vals: Any, name: str | None = None) -> Any:
        """Add one element.

        Args:
            vals: Tensor, list of tensors, or dict of tensors if the queue has names.

        Raises:
            ValueError: If the names or shapes do not match the queue.
            tf.errors.InvalidArgumentError: If the number of components is wrong.
            tf.errors.CancelledError: If the queue is closed.
            tf.errors.ResourceExhaustedError: If the queue is full and no other thread can remove
                elements.
        """
        if (graph := tracing.active_graph()) is not None:
            return self.graph_enqueue(graph, QueueBase.enqueue, vals, "enqueue", name)
        components = self._checked_components(vals, False)
        self._run(lambda *tensors: self._put([list(tensors)]), components)

    def enqueue_many(self, vals: Any, name: str | None = None) -> Any:
        """Add the rows of tensors as elements.

        Args:
            vals: Tensor, list of tensors, or dict of tensors if the queue has names. Their first
                dimensions are equal.

        Raises:
            ValueError: If the names or shapes do not match the queue.
            tf.errors.CancelledError: If the queue is closed.
            tf.errors.ResourceExhaustedError: If the queue is full and no other thread can remove
                elements.
        """
        if (graph := tracing.active_graph()) is not None:
            return self.graph_enqueue(graph, QueueBase.enqueue_many, vals, "EnqueueMany", name)
        components = self._checked_components(vals, True)
        if len({t.aval.shape[0] for t in components}) > 1:
            raise ValueError(f"the first dimensions differ: {[t.shape for t in components]}")

        def put(*tensors: Tensor) -> None:
            rows = range(tensors[0].aval.shape[0])
            self._put([[t[i] for t in tensors] for i in rows])

        self._run(put, components)

    def dequeue(self, name: str | None = None) -> Any:
        """Remove one element and return it.

        Returns:
            Tensor, or list or dict of tensors, as for `enqueue`.

        Raises:
            tf.errors.OutOfRangeError: If the queue is empty and closed.
            tf.errors.ResourceExhaustedError: If the queue is empty and no other thread can add
                elements.
        """
        if (graph := tracing.active_graph()) is not None:
            return self.graph_dequeue(graph, QueueBase.dequeue, (), (), "Dequeue", name)
        avals = self._avals(None)
        return self._result(self._read(lambda: self._take(1, 1)[0], avals))

    def dequeue_many(self, n: IntLike, name: str | None = None) -> Any:
        """Remove `n` elements and return them as one element with a new first dimension.

        Args:
            n: Number of elements.

        Returns:
            Tensor, or list or dict of tensors, of shape `[n, ...]`.

        Raises:
            tf.errors.InvalidArgumentError: If the queue has no static shapes, or `n` is negative.
            tf.errors.OutOfRangeError: If the queue is closed and has fewer elements.
            tf.errors.ResourceExhaustedError: If the queue has fewer elements and no other thread
                can add some.
        """
        if (graph := tracing.active_graph()) is not None:
            rows = (None if is_symbolic(n) else int(n),)
            many = QueueBase.dequeue_many
            return self.graph_dequeue(graph, many, (n,), rows, "DequeueMany", name)
        size = self._checked(n)
        return self._result(
            self._read(lambda: self._batch(self._take(size, size)), self._avals(size))
        )

    def dequeue_up_to(self, n: IntLike, name: str | None = None) -> Any:
        """Remove `n` elements, or all that are left in a closed queue, and return them as one.

        Args:
            n: Largest number of elements.

        Returns:
            Tensor, or list or dict of tensors, whose first dimension is at most `n`.

        Raises:
            tf.errors.InvalidArgumentError: If the queue has no static shapes, or `n` is negative.
            tf.errors.OutOfRangeError: If the queue is closed and empty.
            tf.errors.ResourceExhaustedError: If the queue has fewer elements and no other thread
                can add some.
        """
        if (graph := tracing.active_graph()) is not None:
            some = QueueBase.dequeue_up_to
            return self.graph_dequeue(graph, some, (n,), (None,), "DequeueUpTo", name)
        size = self._checked(n)
        return self._result(self._read(lambda: self._batch(self._take(size, 1)), None))

    def size(self, name: str | None = None) -> Tensor | Any:
        """Return the number of elements, an int32 scalar."""
        if (graph := tracing.active_graph()) is not None:
            return self.graph_fact(graph, QueueBase.size, kinds.int32, "Size", name)

        def found() -> Element:
            return [constant(len(self._elements), kinds.int32)]

        return on_host(found, [], [Aval((), kinds.int32)])[0]

    def is_closed(self, name: str | None = None) -> Tensor:
        """Return True if the queue is closed, a boolean scalar."""
        if (graph := tracing.active_graph()) is not None:
            return self.graph_fact(graph, QueueBase.is_closed, kinds.bool, "Is_Closed", name)

        def found() -> Element:
            return [constant(self._is_closed)]

        return on_host(found, [], [Aval((), kinds.bool)])[0]

    def close(self, cancel_pending_enqueues: bool = False, name: str | None = None) -> Any:
        """Close the queue, so that no elements can be added.

        Args:
            cancel_pending_enqueues: Has no effect.
        """
        if (graph := tracing.active_graph()) is not None:
            return self.graph_fact(graph, QueueBase.close, None, "Close", name)

        def closed() -> None:
            with self._changed:
                self._is_closed = True
                self._changed.notify_all()

        self._run(closed, [])

    # Implementation

    def _run(self, function: Callable[..., None], tensors: Sequence[Tensor]) -> None:
        if not effect(function, *tensors):
            function(*tensors)

    def _read(self, function: Callable[[], Element], avals: Sequence[Aval] | None) -> Element:
        if avals is None:
            if tracing.local.active:
                raise NotTraceableError(f"{self.name}: the shapes of its elements are unknown")
            return function()
        return on_host(function, [], avals)

    def _avals(self, rows: int | None) -> list[Aval] | None:
        if not all(s.is_fully_defined() for s in self._shapes):
            return None
        first = () if rows is None else (rows,)
        return [
            Aval((*first, *map(int, s)), d) for s, d in zip(self._shapes, self._dtypes, strict=True)
        ]

    def _checked_components(self, vals: Any, many: bool) -> Element:
        components = self._components(vals)
        for tensor, shape in zip(components, self._shapes, strict=True):
            found = tensor.shape
            if many and found.rank == 0:
                raise ValueError("Shape () must have rank at least 1")
            check_shape(found[1:] if many and found.rank is not None else found, shape)
        return components

    def _components(self, vals: Any) -> Element:
        if isinstance(vals, Mapping):
            if self._names is None:
                raise ValueError("Queue must have names to enqueue a dictionary")
            if sorted(vals) != sorted(self._names):
                raise ValueError(
                    "Keys in dictionary to enqueue do not match names of Queue.  Dictionary: "
                    f"{sorted(vals)},Queue: {sorted(self._names)}"
                )
            vals = [vals[name] for name in self._names]
        elif self._names is not None:
            raise ValueError("You must enqueue a dictionary in a Queue with names")
        given = vals if isinstance(vals, list | tuple) else [vals]
        found = [convert_to_tensor(v, d) for v, d in zip(given, self._dtypes, strict=False)]
        if len(found) != len(self._dtypes):
            raise invalid_value(
                "enqueue", f"{self.name} has {len(self._dtypes)} components, got {len(found)}"
            )
        return found

    def _result(self, element: Element) -> Any:
        if self._names is not None:
            return dict(zip(self._names, element, strict=True))
        return element[0] if len(element) == 1 else element

    def _checked(self, n: IntLike) -> int:
        if int(n) < 0:
            raise invalid_value("dequeue_many", f"requested {int(n)} < 0 elements")
        if not self._has_batches():
            raise invalid_value(
                "dequeue_many", f"{self.name} requires that all components have specified shapes"
            )
        return int(n)

    def _has_batches(self) -> bool:
        return all(s.is_fully_defined() for s in self._shapes)

    def _batch(self, elements: list[Element]) -> Element:
        if not elements:
            shapes = [[0, *(n or 0 for n in s.as_list())] for s in self._shapes]
            empty = zip(shapes, self._dtypes, strict=True)
            return [constant(np.zeros(s, d.as_numpy_dtype), d) for s, d in empty]
        return [stack(parts) for parts in zip(*elements, strict=True)]

    def _put(self, elements: list[Element]) -> None:
        with self._changed:
            for element in elements:
                full = 0 <= self._capacity <= len(self._elements) and not self._overflows
                self._wait(lambda: not 0 <= self._capacity <= len(self._elements), full, "full")
                if self._is_closed:
                    raise CancelledError(None, None, f"{self.name} is closed.")
                self._push(element)
                self._changed.notify_all()

    def _take(self, wanted: int, least: int) -> list[Element]:
        """Remove elements: as many as wanted, or at least some if the queue is closed."""
        with self._changed:
            short = len(self._elements) - self._held_back() < wanted
            self._wait(
                lambda: len(self._elements) - self._held_back() >= wanted, short, "too short"
            )
            if self._is_closed and len(self._elements) < min(wanted, least):
                raise OutOfRangeError(
                    None,
                    None,
                    f"{self.name} is closed and has insufficient elements (requested {wanted}, "
                    f"current size {len(self._elements)})",
                )
            found = [self._pop() for _ in range(min(wanted, len(self._elements)))]
            self._changed.notify_all()
            return found

    def take_one(self) -> Element:
        return self._take(1, 1)[0]

    def _wait(self, is_ready: Callable[[], bool], must_wait: bool, state: str) -> None:
        """Wait for another thread.

        Raises:
            ResourceExhaustedError: If there is no other thread.
        """
        if not must_wait or self._is_closed or self.feed(is_ready):
            return
        if threading.active_count() == 1:
            raise ResourceExhaustedError(
                None,
                None,
                f"{self.name} is {state} with {len(self._elements)} elements. TensorFlow would "
                "wait for another thread here, but there is none.",
            )
        self._changed.wait_for(lambda: self._is_closed or is_ready())
