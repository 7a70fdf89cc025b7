"""Functions that write tensors, messages and graphs to the default writer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from tfpy._src.base import dtypes, tracing
from tfpy._src.base.errors import InvalidArgumentError
from tfpy._src.compiler.ir.aval import Array
from tfpy._src.core.conversion import constant, convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import IntLike, TensorLike
from tfpy._src.formats.summary import event_messages as messages
from tfpy._src.formats.summary.graph_def import serialized_graph
from tfpy._src.formats.summary.state import checked_step, get_step, local, should_record_summaries
from tfpy._src.formats.summary.writers import SummaryWriter
from tfpy._src.functions.control.control_flow import cond
from tfpy._src.functions.control.effects import effect
from tfpy._src.tensors.variables.variable import Variable


class Serializable(Protocol):
    """A message that can be serialized."""

    def SerializeToString(self) -> bytes: ...  # noqa: N802 - the name in Protocol Buffers


def write(
    tag: TensorLike,
    tensor: TensorLike | Callable[[], TensorLike],
    step: IntLike | None = None,
    metadata: Serializable | bytes | None = None,
    name: str | None = None,
) -> Tensor:
    """Write a tensor as a summary to the default writer.

    Functions such as `tf.summary.scalar` use this function. Use it to define further kinds of
    summaries, with `tf.summary.experimental.summary_scope`.

    Args:
        tag: Tag of the summary, a string.
        tensor: Tensor of any shape and dtype, or a function without arguments that returns one. The
            function is only called if the summary is recorded.
        step: Step, a scalar int64 value. Default: the default step of the thread.
        metadata: Message `SummaryMetadata`, or its bytes, also as a tensor. It names the plugin of
            TensorBoard that displays the summary.

    Returns:
        Scalar bool tensor: True if the summary was written, False without a default writer or if
        the condition of `tf.summary.record_if` is false.

    Raises:
        ValueError: If there is a default writer, but no step.
        tf.errors.InvalidArgumentError: If `metadata` is not a `SummaryMetadata`.
        tf.errors.NotFoundError: If the writer is closed.

    Example:
        >>> import tfpy as tf
        >>> with tf.summary.create_file_writer("logs/write").as_default():
        ...     bool(tf.summary.write("numbers", tf.constant([1, 2]), step=0))
        True

    See also: `tf.summary.scalar`, `tf.summary.experimental.write_raw_pb`.
    """
    data: Any = b"" if metadata is None else metadata
    data = data.numpy() if isinstance(data, Tensor) else data
    serialized = data if isinstance(data, bytes) else data.SerializeToString()

    def operands() -> list[Any]:
        return [tensor() if callable(tensor) else tensor]

    return write_encoded(tag, step, serialized, operands, host_array)


def write_encoded(
    tag: TensorLike,
    step: IntLike | None,
    metadata: bytes,
    operands: Callable[[], list[Any]],
    encode: Callable[..., Array],
) -> Tensor:
    """Write a summary to the default writer if summaries are recorded.

    Args:
        tag: Tag of the summary.
        step: Step, or None for the default step.
        metadata: Serialized SummaryMetadata.
        operands: Function that checks and returns the operands of `encode`. It is called if the
            summary is recorded, in a `tf.function` during tracing.
        encode: Function that returns the array of the summary. It is called when the summary is
            written, with the operands as eager tensors, arrays, numbers or strings.

    Returns:
        Scalar bool tensor: True if the summary was written.

    Raises:
        ValueError: If there is a default writer, but no step.
    """

    def add(writer: SummaryWriter, step: int, tag: Any, *values: Any) -> None:
        messages.check_metadata(metadata)
        text = tag if isinstance(tag, str) else host_array(tag).item()
        writer._add_tensor(step, text, encode(*values), metadata)

    return _recorded(step, lambda: [tag, *operands()], add)


def _recorded(
    step: IntLike | None, operands: Callable[[], list[Any]], add: Callable[..., None]
) -> Tensor:
    """Call `add(writer, step, *operands)` if summaries are recorded, also at each later run."""
    if step is not None:
        step = checked_step(step)
    writer = local.writer
    if writer is None:
        return constant(False)
    default = get_step() if step is None else step

    def now(step: Any, values: list[Any]) -> None:
        add(writer, int(host_array(step).reshape(())), *values)

    def record() -> Tensor:
        if default is None:
            raise ValueError(
                "No step set. Please specify one either through the `step` argument or through "
                "tf.summary.experimental.set_step()"
            )
        values = [as_operand(value) for value in operands()]
        used = checked_step(default)
        if not effect(now, used, values):
            now(used, values)
        return constant(True)

    return cond(should_record_summaries(), record, lambda: constant(False))


def as_operand(value: Any) -> Any:
    """Convert a value to a tensor, but keep strings, numbers, arrays and Variables as they are.

    So arrays of 64 bits keep their bits.
    """
    if isinstance(value, str | bytes | int | float | np.ndarray | np.generic | Variable):
        return value
    return convert_to_tensor(value)


def host_array(value: Any) -> Array:
    """Return the array of an operand. Python's numbers get TensorFlow's dtypes."""
    if isinstance(value, np.ndarray | np.generic):
        return np.asarray(value)
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 1 << 31:
        return np.asarray(value, np.int64)
    return np.asarray(convert_to_tensor(value).host_view())


def write_raw_pb(
    tensor: TensorLike, step: IntLike | None = None, name: str | None = None
) -> Tensor:
    """Write serialized messages `Summary` to the default writer.

    Args:
        tensor: String tensor of any shape. Each element contains the bytes of a `Summary`. Their
            values become one event.
        step: Step, a scalar int64 value. Default: the default step of the thread.

    Returns:
        Scalar bool tensor: True if the messages were written.

    Raises:
        ValueError: If there is a default writer, but no step.
        tf.errors.DataLossError: If an element is not a `Summary`.
        tf.errors.InvalidArgumentError: If `tensor` is not a string tensor.

    Example:
        >>> import tfpy as tf
        >>> with tf.summary.create_file_writer("logs/raw").as_default():
        ...     bool(tf.summary.experimental.write_raw_pb(b"", step=0))
        True

    See also: `tf.summary.write`.
    """
    if local.writer is not None and step is None and get_step() is None:
        raise ValueError(
            "No step set. Please specify one either through the `step` argument or through "
            "tf.summary.experimental.set_step()"
        )

    def operands() -> list[Any]:
        data = convert_to_tensor(tensor)
        if data.dtype != dtypes.string:
            raise InvalidArgumentError(
                None,
                "WriteRawProtoSummary",
                "cannot compute WriteRawProtoSummary as input #2(zero-based) was expected to be a "
                f"string tensor but is a {data.dtype.name} tensor",
            )
        return [data]

    def add(writer: SummaryWriter, step: int, data: Any) -> None:
        parts = host_array(data).reshape(-1).tolist()
        for index, part in enumerate(parts):
            messages.check_summary(part, index)
        writer._add(step, messages.summary_content(b"".join(parts)))

    return _recorded(step, operands, add)


def graph(graph_data: Any) -> Tensor:
    """Write a graph to the default writer, which TensorBoard's page "Graphs" draws.

    The nodes are the operations that tfpy has traced.

    Args:
        graph_data: The attribute `graph` of a concrete function, or a message `GraphDef`.

    Returns:
        Scalar bool tensor: True if the graph was written.

    Raises:
        ValueError: If `graph_data` is not a graph, or if the function is called in a `tf.function`.

    Example:
        >>> import tfpy as tf
        >>> @tf.function
        ... def double(x):
        ...     return x * 2.0
        >>> with tf.summary.create_file_writer("logs/graph").as_default():
        ...     traced = double.get_concrete_function(tf.TensorSpec([3], tf.float32))
        ...     bool(tf.summary.graph(traced.graph))
        True

    See also: `tf.summary.trace_on`.
    """
    if not tracing.executing_eagerly():
        raise ValueError("graph() cannot be invoked inside a graph context.")
    if local.writer is None or not should_record_summaries():
        return constant(False)
    local.writer._add(0, messages.graph_content(serialized_graph(graph_data)))
    return constant(True)
