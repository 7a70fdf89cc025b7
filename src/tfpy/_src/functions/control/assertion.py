"""`tf.Assert`, an assertion that is checked when the function runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tfpy._src.base import tracing
from tfpy._src.base.errors import InvalidArgumentError
from tfpy._src.core.array_text import summary
from tfpy._src.core.typing import TensorLike
from tfpy._src.functions.control.effects import effect
from tfpy._src.functions.trace.symbolic import is_symbolic


def Assert(  # noqa: N802 - TensorFlow's name
    condition: TensorLike,
    data: Sequence[TensorLike],
    summarize: int | None = None,
    name: str | None = None,
) -> None:
    """Raise an error unless a condition is true.

    In a `tf.function`, the condition is checked on each call.

    Args:
        condition: Bool tensor. All of its elements must be True.
        data: List of tensors to show in the error message.
        summarize: Number of items to show at both ends of each axis of a tensor. If negative, all
            items are shown. Default: 3.

    Raises:
        tf.errors.InvalidArgumentError: If an element of `condition` is False.

    Example:
        >>> import tfpy as tf
        >>> loss = tf.constant(float("nan"))
        >>> try:
        ...     tf.Assert(tf.math.is_finite(loss), [loss])
        ... except tf.errors.InvalidArgumentError:
        ...     print("the loss is not finite")
        the loss is not finite

    See also: `tf.debugging.assert_equal`, `tf.debugging.check_numerics`.
    """
    return hold(condition, [], list(data), summarize)


def hold(
    condition: Any,
    said: Sequence[Any],
    data: Sequence[Any],
    keep: int | None,
    is_static: bool = False,
) -> Any:
    """Raise an error at each run unless a condition is true.

    Returns:
        None. In a graph of TensorFlow 1, the operation that checks the condition.

    Args:
        condition: Bool tensor. All elements must be true.
        said: Strings or string tensors at the beginning of the message.
        data: Values that follow them.
        keep: Number of items shown at both ends of each axis. Default: 3. All if negative.
        is_static: If True, a constant condition is checked while a function is traced.

    Raises:
        InvalidArgumentError: If the condition is false.
    """

    graph = tracing.active_graph()
    if graph is not None:
        return graph.record(hold, (condition, said, data, keep, is_static), {})

    def check(holds: Any, texts: Any, values: Any) -> None:
        if not np.asarray(holds).all():
            shown = [v if isinstance(v, str) else _shown(v, keep) for v in (*texts, *values)]
            message = "\n".join(shown) or "assertion failed"
            raise InvalidArgumentError(None, "Assert", f"Assertion failed. {message}")

    is_known = is_static and not is_symbolic(condition)
    if is_known or not effect(check, condition, list(said), list(data)):
        check(condition, said, data)
    return None


def _shown(value: Any, keep: int | None) -> str:
    return summary(np.asarray(value), 3 if keep is None else keep, 1)
