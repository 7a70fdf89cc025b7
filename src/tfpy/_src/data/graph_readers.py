"""Readers of TensorFlow 1, such as `tf.compat.v1.TextLineReader`: records of files in a queue."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from tfpy._src.base import dtypes, tracing
from tfpy._src.base.errors import UnimplementedError
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.core.conversion import constant, convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import IntLike, TensorLike
from tfpy._src.functions.graph_mode.defaults import get_default_graph
from tfpy._src.functions.graph_mode.inference import aval_of, immediately
from tfpy._src.functions.graph_mode.operation import Operation
from tfpy._src.functions.graph_mode.tensors import GraphTensor
from tfpy._src.library.queues.operations import GraphQueue, queue_of, value_of

Records = Iterator[tuple[bytes, bytes]]
"""Keys and values."""


class _Reading:
    """The state of a reader in a session."""

    def __init__(self) -> None:
        self.records: Records | None = None
        self.produced = 0
        self.completed = 0


class ReaderBase:
    """The base class of readers, which return the records of the files in a queue.

    Args:
        records: Function from the name of a file to its records.
        name: Name of the operation.

    Raises:
        RuntimeError: In eager execution.

    Example:
        >>> import tfpy as tf
        >>> with tf.Graph().as_default():
        ...     isinstance(tf.compat.v1.WholeFileReader(), tf.compat.v1.ReaderBase)
        True

    See also: `tf.compat.v1.TextLineReader`, `tf.data.Dataset`.
    """

    def __init__(self, records: Callable[[bytes], Records], name: str) -> None:
        if tracing.executing_eagerly():
            raise RuntimeError(
                "Readers are not supported when eager execution is enabled. Instead, please use "
                "tf.data to get data into your model."
            )
        self._records = records
        self._running: weakref.WeakKeyDictionary[Any, _Reading] = weakref.WeakKeyDictionary()
        op: Operation = get_default_graph().make(name, kind=f"{type(self).__name__}V2")
        op.function = lambda: constant(0)
        op.outputs = [GraphTensor(op, 0, Aval((), dtypes.resource))]
        self._op = op

    @property
    def reader_ref(self) -> Tensor:
        """Tensor that represents the reader."""
        return self._op.outputs[0]

    @property
    def supports_serialize(self) -> bool:
        """True if `serialize_state` is supported."""
        return False

    def _of(self, session: Any) -> _Reading:
        return self._running.setdefault(session, _Reading())

    def read(self, queue: Any, name: str | None = None) -> Any:
        """Return the next record. A run takes a name from the queue if a file has ended.

        Args:
            queue: Queue of names, or its tensor.
            name: Name of the operation.

        Returns:
            Key and value, string scalars.
        """
        files = queue_of(queue)

        def take(session: Any, _: Sequence[Tensor]) -> list[Tensor]:
            key, value = self._next(session, files.of(session))
            return [_text(key), _text(value)]

        return tuple(self._added(name or "Read", take, [files.queue_ref], [[], []]))

    def read_up_to(self, queue: Any, num_records: IntLike, name: str | None = None) -> Any:
        """Return the next records of one file, at most `num_records`.

        Args:
            queue: Queue of names, or its tensor.
            num_records: Largest number of records.
            name: Name of the operation.

        Returns:
            Keys and values, string vectors.
        """
        files = queue_of(queue)
        most = convert_to_tensor(num_records, dtypes.int64)

        def take(session: Any, sizes: Sequence[Tensor]) -> list[Tensor]:
            found = [self._next(session, files.of(session))]
            reading = self._of(session)
            while len(found) < int(sizes[0].numpy()) and reading.records is not None:
                record = next(reading.records, None)
                if record is None:
                    self._end(reading)
                else:
                    reading.produced += 1
                    found.append(record)
            return [_texts([key for key, _ in found]), _texts([value for _, value in found])]

        shapes: list[Any] = [[None], [None]]
        return tuple(self._added(name or "ReadUpTo", take, [files.queue_ref], shapes, [most]))

    def _added(
        self,
        name: str,
        take: Callable[[Any, Sequence[Tensor]], list[Tensor]],
        inputs: Sequence[Any],
        shapes: Sequence[Any],
        sizes: Sequence[Tensor] = (),
    ) -> list[Any]:
        """Add an operation that reads before a run, or at its place if it follows others."""
        graph = get_default_graph()
        given = [x for x in sizes if isinstance(x, GraphTensor)]
        full = f"{self._op.name}_{name}" if name.startswith("Read") else name
        sources: list[Any] = [self.reader_ref, *inputs, *given]
        op: Operation = graph.make(full, sources, f"Reader{name}V2")
        avals = [aval_of(shape, dtypes.string) for shape in shapes]
        op.outputs = [GraphTensor(op, i, aval) for i, aval in enumerate(avals)]

        def early(session: Any, values: Mapping[int, Tensor]) -> list[Tensor]:
            with immediately():
                return take(session, [value_of(x, values) for x in sizes])

        if op.control_inputs or not all(x.has_values or x.op.function is None for x in given):
            op.is_dynamic, op.places, op.args = True, range(len(avals)), (list(sizes),)
            op.function = lambda sizes: take(graph.session, sizes)
        else:
            op.supply = early
        return op.outputs

    def _next(self, session: Any, files: GraphQueue) -> tuple[bytes, bytes]:
        reading = self._of(session)
        while True:
            if reading.records is None:
                (file,) = files.take_one()
                reading.records = self._records(file.numpy())
            record = next(reading.records, None)
            if record is not None:
                reading.produced += 1
                return record
            self._end(reading)

    @staticmethod
    def _end(reading: _Reading) -> None:
        reading.records = None
        reading.completed += 1

    def _fact(self, name: str, dtype: Any, function: Callable[[_Reading], Any]) -> Any:
        graph = get_default_graph()
        op: Operation = graph.make(name, self._op.outputs, f"Reader{name}V2")
        op.is_dynamic = True
        op.function = lambda: function(self._of(graph.session))
        if dtype is None:
            op.places = ()
            return op
        op.outputs = [GraphTensor(op, 0, Aval((), dtype))]
        return op.outputs[0]

    def num_records_produced(self, name: str | None = None) -> Tensor:
        """Return the number of records that have been read, an int64 scalar."""
        return self._fact(name or "NumRecordsProduced", dtypes.int64,
                          lambda one: constant(one.produced, dtypes.int64))  # fmt: skip

    def num_work_units_completed(self, name: str | None = None) -> Tensor:
        """Return the number of files that have been read completely, an int64 scalar."""
        return self._fact(name or "NumWorkUnitsCompleted", dtypes.int64,
                          lambda one: constant(one.completed, dtypes.int64))  # fmt: skip

    def serialize_state(self, name: str | None = None) -> Tensor:
        """Return the state as a string, if the reader supports it.

        Raises:
            tf.errors.UnimplementedError: In a run, always: no reader of tfpy supports it.
        """
        return self._fact(name or "SerializeState", dtypes.string, self._refused)

    def restore_state(self, state: TensorLike, name: str | None = None) -> Any:
        """Restore a state, if the reader supports it.

        Args:
            state: String scalar.
            name: Name of the operation.

        Raises:
            tf.errors.UnimplementedError: In a run, always: no reader of tfpy supports it.
        """
        return self._fact(name or "RestoreState", None, self._refused)

    def _refused(self, reading: _Reading) -> Any:
        raise UnimplementedError(None, self._op, f"{self._op.name} cannot save its state.")

    def reset(self, name: str | None = None) -> Any:
        """Return an operation that forgets the current file and the numbers."""

        def forget(reading: _Reading) -> None:
            reading.records, reading.produced, reading.completed = None, 0, 0

        return self._fact(name or "Reset", None, forget)


def _text(value: bytes) -> Tensor:
    return constant(value, dtypes.string)


def _texts(values: Sequence[bytes]) -> Tensor:
    array = np.empty(len(values), object)
    array[:] = values
    return constant(array, dtypes.string)
