"""Containers by their handles: queues, stacks, and maps from tensors to tensors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tfpy._src.base.errors import invalid
from tfpy._src.core.conversion import constant, convert_to_tensor, host_values
from tfpy._src.core.tensor import Tensor
from tfpy._src.formats.raw_ops.records import op
from tfpy._src.formats.raw_ops.resources import named
from tfpy._src.library.queues import kinds
from tfpy._src.library.queues.base import QueueBase
from tfpy._src.tensors.array.joining import stack

# Queues


def _queue(make: Callable[..., QueueBase]) -> Any:
    """Return an operation that creates a queue, or finds the queue of a shared name."""

    def found(
        *, component_types: Any, shapes: Any, capacity: int, container: str, shared_name: str,
        **attrs: Any,
    ) -> QueueBase:  # fmt: skip
        sizes = list(shapes) or None
        return named(
            "queue",
            container,
            shared_name,
            lambda: make(capacity, list(component_types), sizes, **attrs),
        )

    return found


def _shuffled(
    capacity: int, types: Any, shapes: Any, min_after_dequeue: int, seed: int, seed2: int
) -> QueueBase:
    seeds = (seed, seed2) if seed or seed2 else None
    return kinds.RandomShuffleQueue(capacity, min_after_dequeue, types, shapes, seed=seeds)


def _of_queue(method: str) -> Any:
    """Return an operation that calls a method of a queue and returns a list of tensors."""

    def components(handle: Any, *inputs: Any) -> list[Tensor]:
        found = getattr(handle, method)(*inputs)
        return found if isinstance(found, list) else [found]

    return components


def _enqueued(handle: Any, components: Sequence[Any]) -> None:
    handle.enqueue(components)


def _all_enqueued(handle: Any, components: Sequence[Any]) -> None:
    handle.enqueue_many(components)


def _closed(handle: Any, *, cancel_pending_enqueues: bool) -> None:
    handle.close(cancel_pending_enqueues)


# Stacks


class TensorStack:
    """A stack of tensors, which the operations `StackV2`, `StackPushV2` and `StackPopV2` use."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.elements: list[Tensor] | None = []

    def opened(self) -> list[Tensor]:
        """Return the elements.

        Raises:
            InvalidArgumentError: If the stack is closed.
        """
        if self.elements is None:
            raise invalid("Stack", "the stack has already been closed")
        return self.elements


def _pushed(handle: TensorStack, elem: Any) -> Tensor:
    elements, found = handle.opened(), convert_to_tensor(elem)
    if 0 <= handle.most <= len(elements):
        raise invalid(
            "Stack", f"Stack overflowed: it has {len(elements)} of {handle.most} elements"
        )
    elements.append(found)
    return found


def _popped(handle: TensorStack) -> Tensor:
    elements = handle.opened()
    if not elements:
        raise invalid("Stack", "Stack is empty when calling Pop().")
    return elements.pop()


def _stack_closed(handle: TensorStack) -> None:
    handle.elements = None


# Maps, which are values: each change returns a new map


class TensorMap:
    """A map from tensors to tensors. Keys are equal if their dtypes, shapes and values are."""

    def __init__(self, pairs: dict[Any, tuple[Tensor, Tensor]]) -> None:
        self.pairs = pairs

    def find(self, key: Any) -> tuple[Any, Tensor]:
        """Return the entry of a key and its value.

        Raises:
            InvalidArgumentError: If the map does not have the key.
        """
        entry = _entry(key)
        if entry not in self.pairs:
            raise invalid("TensorMap", f"Trying to lookup non-existent key: {key!r}")
        return entry, self.pairs[entry][1]


def _entry(key: Any) -> Any:
    x = convert_to_tensor(key)
    values = np.asarray(host_values(x))
    return x.dtype, values.shape, tuple(values.reshape(-1).tolist())


def _inserted(input_handle: TensorMap, key: Any, value: Any) -> TensorMap:
    pair = convert_to_tensor(key), convert_to_tensor(value)
    return TensorMap({**input_handle.pairs, _entry(key): pair})


def _erased(input_handle: TensorMap, key: Any) -> TensorMap:
    entry, _ = input_handle.find(key)
    return TensorMap({k: pair for k, pair in input_handle.pairs.items() if k != entry})


def _keys(input_handle: TensorMap) -> Tensor:
    return stack([key for key, _ in input_handle.pairs.values()])


op(
    'FIFOQueue(; component_types, shapes=[], capacity=-1, container="", shared_name="") -> handle',
    _queue(kinds.FIFOQueue),
    stateful=True,
)
op(
    'FIFOQueueV2(; component_types, shapes=[], capacity=-1, container="", shared_name="") -> '
    "handle",
    _queue(kinds.FIFOQueue),
    stateful=True,
)
op(
    'PaddingFIFOQueue(; component_types, shapes=[], capacity=-1, container="", shared_name="") '
    "-> handle",
    _queue(kinds.PaddingFIFOQueue),
    stateful=True,
)
op(
    'PaddingFIFOQueueV2(; component_types, shapes=[], capacity=-1, container="", '
    'shared_name="") -> handle',
    _queue(kinds.PaddingFIFOQueue),
    stateful=True,
)
op(
    'PriorityQueue(; component_types=[], shapes, capacity=-1, container="", shared_name="") -> '
    "handle",
    _queue(kinds.PriorityQueue),
    stateful=True,
)
op(
    'PriorityQueueV2(; component_types=[], shapes, capacity=-1, container="", shared_name="") '
    "-> handle",
    _queue(kinds.PriorityQueue),
    stateful=True,
)
op(
    "RandomShuffleQueue(; component_types, shapes=[], capacity=-1, min_after_dequeue=0, "
    'seed=0, seed2=0, container="", shared_name="") -> handle',
    _queue(_shuffled),
    stateful=True,
)
op(
    "RandomShuffleQueueV2(; component_types, shapes=[], capacity=-1, min_after_dequeue=0, "
    'seed=0, seed2=0, container="", shared_name="") -> handle',
    _queue(_shuffled),
    stateful=True,
)
op("QueueClose(handle; cancel_pending_enqueues=False)", _closed)
op("QueueCloseV2(handle; cancel_pending_enqueues=False)", _closed, stateful=True)
op(
    "QueueDequeue(handle; component_types, timeout_ms=-1) -> components*component_types",
    _of_queue("dequeue"),
)
op(
    "QueueDequeueMany(handle, n; component_types, timeout_ms=-1) -> components*component_types",
    _of_queue("dequeue_many"),
)
op(
    "QueueDequeueManyV2(handle, n; component_types, timeout_ms=-1) -> components*component_types",
    _of_queue("dequeue_many"),
    stateful=True,
)
op(
    "QueueDequeueUpTo(handle, n; component_types, timeout_ms=-1) -> components*component_types",
    _of_queue("dequeue_up_to"),
)
op(
    "QueueDequeueUpToV2(handle, n; component_types, timeout_ms=-1) -> components*component_types",
    _of_queue("dequeue_up_to"),
    stateful=True,
)
op(
    "QueueDequeueV2(handle; component_types, timeout_ms=-1) -> components*component_types",
    _of_queue("dequeue"),
    stateful=True,
)
op("QueueEnqueue(handle, components*Tcomponents; timeout_ms=-1)", _enqueued)
op("QueueEnqueueMany(handle, components*Tcomponents; timeout_ms=-1)", _all_enqueued)
op(
    "QueueEnqueueManyV2(handle, components*Tcomponents; timeout_ms=-1)",
    _all_enqueued,
    stateful=True,
)
op("QueueEnqueueV2(handle, components*Tcomponents; timeout_ms=-1)", _enqueued, stateful=True)
op("QueueIsClosed(handle) -> is_closed", lambda handle: handle.is_closed())
op("QueueIsClosedV2(handle) -> is_closed", lambda handle: handle.is_closed(), stateful=True)
op("QueueSize(handle) -> size", lambda handle: handle.size())
op("QueueSizeV2(handle) -> size", lambda handle: handle.size(), stateful=True)

op('Stack(; elem_type, stack_name="") -> handle', lambda: TensorStack(-1), stateful=True)
op(
    'StackV2(max_size; elem_type, stack_name="") -> handle',
    lambda max_size: TensorStack(int(host_values(max_size))),
    stateful=True,
)
op("StackPush(handle, elem; swap_memory=False) -> output", _pushed)
op("StackPushV2(handle, elem; swap_memory=False) -> output", _pushed, stateful=True)
op("StackPop(handle; elem_type) -> elem", _popped)
op("StackPopV2(handle; elem_type) -> elem", _popped, stateful=True)
op("StackClose(handle)", _stack_closed)
op("StackCloseV2(handle)", _stack_closed, stateful=True)

op("EmptyTensorMap() -> handle", lambda: TensorMap({}))
op("TensorMapErase(input_handle, key; value_dtype) -> output_handle", _erased)
op(
    "TensorMapHasKey(input_handle, key) -> has_key",
    lambda input_handle, key: constant(_entry(key) in input_handle.pairs),
)
op("TensorMapInsert(input_handle, key, value) -> output_handle", _inserted)
op(
    "TensorMapLookup(input_handle, key; value_dtype) -> value",
    lambda input_handle, key: input_handle.find(key)[1],
)
op("TensorMapSize(input_handle) -> size", lambda input_handle: constant(len(input_handle.pairs)))
op("TensorMapStackKeys(input_handle; key_dtype) -> keys", _keys)
