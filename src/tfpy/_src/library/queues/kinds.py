"""The kinds of queues, which differ in the order in which elements are removed."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from itertools import count
from typing import Any

import numpy as np

from tfpy._src.base import dtypes as kinds
from tfpy._src.compiler.ops.reference import philox
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import DTypeLike, IntLike, ShapeLike
from tfpy._src.library.queues.base import Element, QueueBase
from tfpy._src.library.queues.operations import listed
from tfpy._src.tensors.array.joining import pad, stack
from tfpy._src.tensors.random.streams import Seed, op_seeds


class FIFOQueue(QueueBase):
    """A queue whose elements are removed in the order in which they were added.

    Args:
        capacity: Largest number of elements. A negative number means no limit.
        dtypes: Dtype, or list of the dtypes of the components of an element.
        shapes: List of the shapes of the components. Default: any shapes.
        names: List of names of the components. Elements are then dicts.
        shared_name: Has no effect.
        name: Name of the operation in a graph.

    Raises:
        ValueError: If the numbers of dtypes and names differ.

    Example:
        >>> import tfpy as tf
        >>> q = tf.queue.FIFOQueue(3, tf.int32, shapes=[[]])
        >>> q.enqueue_many([[1, 2, 3]])
        >>> q.dequeue().numpy().tolist(), q.dequeue_many(2).numpy().tolist()
        (1, [2, 3])

    See also: `tf.queue.RandomShuffleQueue`, `tf.data.Dataset`.
    """

    def __init__(
        self,
        capacity: IntLike,
        dtypes: DTypeLike | Sequence[DTypeLike],
        shapes: Sequence[ShapeLike] | None = None,
        names: Sequence[str] | None = None,
        shared_name: str | None = None,
        name: str = "fifo_queue",
    ) -> None:
        super().__init__(dtypes, shapes, names, capacity, name, shared_name)


class PaddingFIFOQueue(QueueBase):
    """A queue that pads elements of different sizes when several are removed together.

    Args:
        capacity: Largest number of elements. A negative number means no limit.
        dtypes: Dtype, or list of the dtypes of the components of an element.
        shapes: List of the shapes of the components, in which sizes can be None.
        names: List of names of the components. Elements are then dicts.
        shared_name: Has no effect.
        name: Name of the operation in a graph.

    Raises:
        ValueError: If there are no shapes, or the numbers of dtypes and names differ.

    Example:
        >>> import tfpy as tf
        >>> q = tf.queue.PaddingFIFOQueue(3, tf.int32, shapes=[[None]])
        >>> q.enqueue([[1, 2]])
        >>> q.enqueue([[3]])
        >>> q.dequeue_many(2).numpy().tolist()
        [[1, 2], [3, 0]]

    See also: `tf.queue.FIFOQueue`, `tf.data.Dataset.padded_batch`.
    """

    def __init__(
        self,
        capacity: IntLike,
        dtypes: DTypeLike | Sequence[DTypeLike],
        shapes: Sequence[ShapeLike],
        names: Sequence[str] | None = None,
        shared_name: str | None = None,
        name: str = "padding_fifo_queue",
    ) -> None:
        if shapes is None:
            raise ValueError("When providing partial shapes, a list of shapes must be provided.")
        super().__init__(dtypes, shapes, names, capacity, name, shared_name)

    def _has_batches(self) -> bool:
        return all(s.rank is not None for s in self._shapes)

    def _batch(self, elements: list[Element]) -> Element:
        if not elements:
            return super()._batch(elements)
        return [stack(_padded(parts)) for parts in zip(*elements, strict=True)]


def _padded(tensors: Sequence[Tensor]) -> list[Tensor]:
    """Return tensors of the same size, with zeros or empty strings at the end."""
    largest = np.max([t.aval.shape for t in tensors], 0, initial=0)
    filler = "" if tensors[0].dtype == kinds.string else 0
    found = []
    for tensor in tensors:
        around = [[0, int(n) - m] for n, m in zip(largest, tensor.aval.shape, strict=True)]
        found.append(pad(tensor, around, constant_values=filler) if around else tensor)
    return found


class PriorityQueue(QueueBase):
    """A queue from which the elements with the smallest numbers are removed first.

    Args:
        capacity: Largest number of elements. A negative number means no limit.
        types: Dtypes of the components after the first, which is the priority, an int64 scalar.
        shapes: Shapes of the components after the first.
        names: Names of all components. Elements are then dicts.
        shared_name: Has no effect.
        name: Name of the operation in a graph.

    Raises:
        ValueError: If the numbers of dtypes and names differ.

    Example:
        >>> import tfpy as tf
        >>> q = tf.queue.PriorityQueue(3, [tf.string], shapes=[[]])
        >>> q.enqueue_many(([2, 1], ["later", "first"]))
        >>> priority, text = q.dequeue()
        >>> print(text.numpy())
        b'first'

    See also: `tf.queue.FIFOQueue`.
    """

    def __init__(
        self,
        capacity: IntLike,
        types: DTypeLike | Sequence[DTypeLike],
        shapes: Sequence[ShapeLike],
        names: Sequence[str] | None = None,
        shared_name: str | None = None,
        name: str = "priority_queue",
    ) -> None:
        others: Sequence[Any] = types if isinstance(types, list | tuple) else [types]
        super().__init__(
            [kinds.int64, *others], [[], *listed(shapes, len(others))], names, capacity,
            name, shared_name,
        )  # fmt: skip
        self._added = count()

    def _push(self, element: Element) -> None:
        heapq.heappush(self._elements, (int(element[0]), next(self._added), element))

    def _pop(self) -> Element:
        found: Element = heapq.heappop(self._elements)[2]
        return found


class RandomShuffleQueue(QueueBase):
    """A queue whose elements are removed in random order.

    Args:
        capacity: Largest number of elements. A negative number means no limit.
        min_after_dequeue: Number of elements that stay in the queue until it is closed.
        dtypes: Dtype, or list of the dtypes of the components of an element.
        shapes: List of the shapes of the components. Default: any shapes.
        names: List of names of the components. Elements are then dicts.
        seed: Integer that makes the order reproducible.
        shared_name: Has no effect.
        name: Name of the operation in a graph.

    Raises:
        ValueError: If the numbers of dtypes and names differ.

    Example:
        >>> import tfpy as tf
        >>> q = tf.queue.RandomShuffleQueue(5, 0, tf.int32, shapes=[[]], seed=1)
        >>> q.enqueue_many([[1, 2, 3, 4, 5]])
        >>> sorted(q.dequeue_many(5).numpy().tolist())
        [1, 2, 3, 4, 5]

    See also: `tf.queue.FIFOQueue`, `tf.data.Dataset.shuffle`.
    """

    def __init__(
        self,
        capacity: IntLike,
        min_after_dequeue: IntLike,
        dtypes: DTypeLike | Sequence[DTypeLike],
        shapes: Sequence[ShapeLike] | None = None,
        names: Sequence[str] | None = None,
        seed: Seed = None,
        shared_name: str | None = None,
        name: str = "random_shuffle_queue",
    ) -> None:
        super().__init__(dtypes, shapes, names, capacity, name, shared_name)
        self._least = int(min_after_dequeue)
        first, second = op_seeds(seed) or np.random.default_rng().integers(1, 2**31, 2).tolist()
        self._seed, self._drawn = (int(first), int(second)), 0

    def _held_back(self) -> int:
        return 0 if self._is_closed else self._least

    def _pop(self) -> Element:
        first, second = self._seed
        block, word = divmod(self._drawn, 4)
        state = (*philox.split(first, 2), *philox.split(block + (second << 64), 4))
        place = int(philox.stream(state, 4)[word]) % len(self._elements)
        self._drawn += 1
        self._elements[place], self._elements[-1] = self._elements[-1], self._elements[place]
        found: Element = self._elements.pop()
        return found
