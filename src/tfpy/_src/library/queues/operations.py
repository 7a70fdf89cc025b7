"""The operations of queues in graphs of TensorFlow 1.

Each session has its own elements. A run removes elements before it computes anything, so that
the computation is compiled. `tf.compat.v1.train.start_queue_runners` adds feeders to a queue, which
fill it when a run needs elements: so queues also work where Python has no threads, as in pages.
"""

from __future__ import annotations

import copy
import threading
import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, Self

from tfpy._src.base import tracing
from tfpy._src.base.dtypes import DType, int32, resource
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.core.conversion import constant, convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.tensor_shape import TensorShape
from tfpy._src.functions.graph_mode.inference import aval_of, immediately
from tfpy._src.functions.graph_mode.operation import Operation
from tfpy._src.functions.graph_mode.tensors import GraphTensor
from tfpy._src.library.protos.graphs import NodeDef


def queue_of(queue: Any) -> GraphQueue:
    """Return a queue of a graph from the queue or its tensor.

    Raises:
        TypeError: If the value is neither.
    """
    if isinstance(queue, GraphQueue):
        return queue
    found = queue.op.resource if isinstance(queue, GraphTensor) else None
    if not isinstance(found, GraphQueue):
        raise TypeError(f"expected a queue of a graph, got {queue!r}")
    return found


class Feeder(Protocol):
    """A source of elements, which a queue asks if it has too few."""

    def step(self) -> None:
        """Add elements, or remove the source from the queue."""


class GraphQueue:
    """The part of a queue that adds operations to graphs."""

    _dtypes: list[DType]
    _shapes: list[TensorShape]
    _names: Any
    _number: int
    _capacity: int
    _elements: list[Any]
    _is_closed: bool
    _changed: threading.Condition
    _op: Operation | None = None
    _overflows = False
    """True while a feeder adds elements, which may be more than the capacity."""

    def _enter_graph(self, name: str, shared_name: str | None) -> None:
        """Add an operation for the queue if a graph is active."""
        graph = tracing.active_graph()
        self._feeders: list[Feeder] = []
        self._running: weakref.WeakKeyDictionary[Any, Self] = weakref.WeakKeyDictionary()
        if graph is None:
            return
        op = self._op = graph.make(name, kind=f"{type(self).__name__}V2")
        op.function = lambda: constant(0)
        op.outputs = [GraphTensor(op, 0, Aval((), resource))]
        op.resource = self
        op.message = NodeDef(name=op.name, op=op.type)
        op.message.attr["shared_name"].s = (shared_name or "").encode()
        for dtype in self._dtypes:
            op.message.attr["component_types"].list.type.append(dtype.as_datatype_enum)

    @property
    def name(self) -> str:
        """Name of the queue, which errors contain."""
        return self._op.name if self._op is not None else f"{type(self).__name__} '{self._number}'"

    @property
    def queue_ref(self) -> Tensor:
        """Tensor that represents the queue in a graph."""
        if self._op is None:
            raise ValueError(f"{self.name} was not created in a graph, so it has no tensor.")
        return self._op.outputs[0]

    def take_one(self) -> list[Tensor]:
        """Remove one element and return its components."""
        raise NotImplementedError

    @property
    def is_full(self) -> bool:
        """True if the queue has reached its capacity, or is closed."""
        return self._is_closed or 0 <= self._capacity <= len(self._elements)

    def of(self, session: Any) -> Self:
        """Return the queue with the elements of a session."""
        found = self._running.get(session)
        if found is None:
            found = self._running[session] = copy.copy(self)
            found._elements, found._feeders, found._is_closed = [], [], False
            found._changed = threading.Condition()
        return found

    def add_feeder(self, feeder: Feeder) -> None:
        """Add a source that fills the queue of a session."""
        self._feeders.append(feeder)

    def remove_feeder(self, feeder: Feeder) -> None:
        """Remove a source."""
        if feeder in self._feeders:
            self._feeders.remove(feeder)

    def feed(self, is_ready: Callable[[], bool]) -> bool:
        """Ask the sources for elements until a condition holds, and return True if it does."""
        while self._feeders and not self._is_closed and not is_ready():
            for feeder in [*self._feeders]:
                saved, self._overflows = self._overflows, True
                try:
                    feeder.step()
                finally:
                    self._overflows = saved
        return self._is_closed or is_ready()

    # Operations

    def _make(self, graph: Any, name: str | None, suffix: str, inputs: Sequence[Any]) -> Operation:
        op: Operation = graph.make(
            name or f"{self.name}_{suffix}",
            [self.queue_ref, *inputs],
            f"Queue{suffix[:1].upper()}{suffix[1:]}V2",
        )
        op.places, op.is_dynamic = (), True
        return op

    def graph_enqueue(self, graph: Any, method: Any, vals: Any, suffix: str, name: Any) -> Any:
        """Add an operation that adds elements.

        Args:
            graph: The active graph.
            method: Method of the queue that adds them.
            vals: Tensor, list of tensors, or dict of tensors.
            suffix: End of the default name.
            name: Name of the operation, or None.

        Raises:
            ValueError: If the names or shapes do not match the queue.
        """
        components = self._checked_components(vals, suffix != "enqueue")
        op = self._make(graph, name, suffix, [x for x in components if isinstance(x, GraphTensor)])

        def add(given: list[Tensor]) -> None:
            vals = given if self._names is None else dict(zip(self._names, given, strict=True))
            method(self.of(graph.session), vals)

        op.function, op.args = add, (components,)
        return op

    def _checked_components(self, vals: Any, many: bool) -> list[Tensor]:
        raise NotImplementedError

    def graph_dequeue(
        self, graph: Any, method: Any, n: Any, rows: Any, suffix: str, name: Any
    ) -> Any:
        """Add an operation that removes elements, and return its results.

        Args:
            graph: The active graph.
            method: Method of the queue that removes them.
            n: Tuple of the number of elements, which may be a tensor of the graph, or ().
            rows: First dimensions of the results.
            suffix: End of the default name.
            name: Name of the operation, or None.
        """
        given = [convert_to_tensor(x, int32) for x in n]
        op = self._make(graph, name, suffix, [x for x in given if isinstance(x, GraphTensor)])
        shapes = [None if s.rank is None else [*rows, *s.as_list()] for s in self._shapes]
        op.outputs = [
            GraphTensor(op, i, aval_of(shape, dtype))
            for i, (shape, dtype) in enumerate(zip(shapes, self._dtypes, strict=True))
        ]

        def take(session: Any, sizes: Sequence[Tensor]) -> list[Tensor]:
            with immediately():
                found = method(self.of(session), *(int(x.numpy()) for x in sizes))
            if isinstance(found, Mapping):
                return [found[name] for name in self._names]
            return found if isinstance(found, list) else [found]

        is_early = not op.control_inputs and all(
            not isinstance(x, GraphTensor) or x.has_values or x.op.function is None for x in given
        )
        if is_early:
            op.is_dynamic = False
            op.supply = lambda session, values: take(session, [value_of(x, values) for x in given])
        else:
            op.places, op.args = range(len(op.outputs)), (given,)
            op.function = lambda sizes: take(graph.session, sizes)
        return self._result(op.outputs)

    def _result(self, element: list[Any]) -> Any:
        raise NotImplementedError

    def graph_fact(
        self, graph: Any, method: Any, dtype: DType | None, suffix: str, name: Any
    ) -> Any:
        """Add an operation without arguments, and return its result or the operation."""
        op = self._make(graph, name, suffix, [])
        op.function = lambda: method(self.of(graph.session))
        if dtype is None:
            return op
        op.outputs, op.places = [GraphTensor(op, 0, Aval((), dtype))], range(1)
        return op.outputs[0]


def value_of(x: Tensor, values: Mapping[int, Tensor]) -> Tensor:
    """Return the value of a constant or fed tensor."""
    if not isinstance(x, GraphTensor):
        return x
    found = values.get(x.identity, x.constant)
    assert found is not None
    return found


def listed(shapes: Any, number: int) -> Sequence[Any]:
    """Return a shape for each of several components."""
    if shapes is None:
        return [None] * number
    return shapes if isinstance(shapes, list | tuple) else [shapes]


def check_shape(found: TensorShape, wanted: TensorShape) -> None:
    """Raise a ValueError if a tensor does not fit into a queue."""
    if not found.is_compatible_with(wanted):
        raise ValueError(f"Shapes {found} and {wanted} are incompatible")
