"""The default writer, the default step and the recording condition of each thread."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.core import name_scope as scopes
from tfpy._src.core.conversion import constant, convert_to_tensor
from tfpy._src.core.primitives import logical_and
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import IntLike, TensorLike
from tfpy._src.distribute.current import get_replica_context
from tfpy._src.tensors.variables.variable import Variable

if TYPE_CHECKING:
    from tfpy._src.formats.summary.writers import SummaryWriter

Condition = TensorLike | Callable[[], TensorLike] | None
_NOT_IN_SCOPES = re.compile(r"[^-_/.A-Za-z0-9]")


class _Local(threading.local):
    def __init__(self) -> None:
        self.writer: SummaryWriter | None = None
        self.step: IntLike | None = None
        self.condition: Condition = None


local = _Local()


def get_step() -> IntLike | None:
    """Return the default step of the current thread.

    Returns:
        The integer, tensor or Variable that was set, or None.

    Example:
        >>> import tfpy as tf
        >>> tf.summary.experimental.set_step(5)
        >>> tf.summary.experimental.get_step()
        5
        >>> tf.summary.experimental.set_step(None)

    See also: `tf.summary.experimental.set_step`.
    """
    return local.step


def set_step(step: IntLike | None) -> None:
    """Set the default step of the current thread, which summaries without a step use.

    A `tf.function` uses the step that is set while the function is traced. Pass a Variable if the
    step must change from call to call.

    Args:
        step: Scalar int64 value, a Variable with such a value, or None to remove the default.

    Example:
        >>> import tfpy as tf
        >>> tf.summary.experimental.set_step(tf.Variable(3, dtype=tf.int64))
        >>> int(tf.summary.experimental.get_step())
        3
        >>> tf.summary.experimental.set_step(None)

    See also: `tf.summary.experimental.get_step`.
    """
    local.step = step


def checked_step(step: IntLike) -> IntLike:
    """Check a step, and convert it to a tensor unless it is a number.

    Raises:
        TypeError: If the step is not an integer.
        ValueError: If the step is not a scalar.
    """
    if isinstance(step, int | np.integer) and not isinstance(step, bool):
        if not -(1 << 63) <= step < 1 << 63:
            raise ValueError(f"The step {step} does not fit into 64 bits.")
        return step
    if isinstance(step, np.ndarray) and step.dtype.kind in "iu":
        shape: tuple[Any, ...] = step.shape
        found: IntLike = step
    else:
        found = step if isinstance(step, Variable) else convert_to_tensor(step, dtypes.int64)
        if isinstance(step, Variable) and step.dtype != dtypes.int64:
            raise ValueError(
                "Incompatible type conversion requested to type int64 for `tf.Variable of type "
                f"{step.dtype.name}. (Variable: {step})"
            )
        shape = tuple(found.shape)
    if any(size != 1 for size in shape if size is not None):
        raise ValueError(f"Argument `step` must be a scalar. Received step with shape {shape}.")
    return found


@contextmanager
def record_if(condition: Condition) -> Iterator[None]:
    """Return a context manager that switches the recording of summaries on or off.

    In a `tf.function`, pass a callable, so that the condition is evaluated at each call.

    Args:
        condition: Bool, scalar bool tensor, or a function without arguments that returns one. The
            function is called for each summary.

    Returns:
        A context manager.

    Example:
        >>> import tfpy as tf
        >>> writer = tf.summary.create_file_writer("logs/record_if")
        >>> with writer.as_default():
        ...     for step in range(4):
        ...         with tf.summary.record_if(step % 2 == 0):
        ...             print(step, bool(tf.summary.scalar("loss", 0.5, step=step)))
        0 True
        1 False
        2 True
        3 False

    See also: `tf.summary.should_record_summaries`.
    """
    before, local.condition = local.condition, condition
    try:
        yield
    finally:
        local.condition = before


def should_record_summaries() -> Tensor:
    """Return True if summaries are recorded.

    Returns:
        Scalar bool tensor. It is False without a default writer, and otherwise the condition of
        `tf.summary.record_if`, or True without a condition. Of several replicas, only the first one
        records.

    Example:
        >>> import tfpy as tf
        >>> bool(tf.summary.should_record_summaries())
        False
        >>> with tf.summary.create_file_writer("logs/recorded").as_default():
        ...     bool(tf.summary.should_record_summaries())
        True

    See also: `tf.summary.record_if`.
    """
    condition = local.condition
    if local.writer is None or condition is False:
        return constant(False)
    value = condition() if callable(condition) else condition
    recorded = convert_to_tensor(True if value is None else value, dtypes.bool)
    replica = get_replica_context()
    if replica is None or replica.num_replicas_in_sync == 1:
        return recorded
    first: Any = replica.replica_id_in_sync_group == 0
    return logical_and(convert_to_tensor(first, dtypes.bool), recorded)


@contextmanager
def summary_scope(
    name: str | None, default_name: str = "summary", values: object = None
) -> Iterator[tuple[str, str]]:
    """Return a context manager for the definition of a function that writes a summary.

    It enters a name scope, and yields the tag of the summary. The tag consists of the enclosing
    name scopes and the name. Unlike the name of a scope, it may contain any characters, and is not
    made unique.

    Args:
        name: Name of the summary.
        default_name: Name to use if `name` is empty or None.
        values: Has no effect.

    Returns:
        A context manager that yields the tag and the prefix of the name scope, two strings.

    Example:
        >>> import tfpy as tf
        >>> with tf.name_scope("layer"):
        ...     with tf.summary.experimental.summary_scope("my loss") as (tag, scope):
        ...         print(tag, scope)
        layer/my loss layer/myloss/

    See also: `tf.summary.write`, `tf.name_scope`.
    """
    own = name or default_name
    tag = scopes.prefix() + own
    with scopes.name_scope(_NOT_IN_SCOPES.sub("", own) or default_name) as scope:
        yield tag, scope
