"""``tf.Assert``: a condition that is checked when the function runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tfpy._src.base.errors import InvalidArgumentError
from tfpy._src.core.array_text import summary
from tfpy._src.functions.control.effects import effect


def Assert(  # noqa: N802 - TensorFlow's name
    condition: Any, data: Sequence[Any], summarize: int | None = None, name: str | None = None
) -> None:
    """Asserts that a bool scalar holds.

    Args:
        data: what the error shows.
        summarize: how many items at the ends of each axis.

    Raises:
        InvalidArgumentError: when it does not.

    Example:
        >>> import tfpy as tf
        >>> loss = tf.constant(float("nan"))
        >>> try:
        ...     tf.Assert(tf.math.is_finite(loss), [loss])
        ... except tf.errors.InvalidArgumentError:
        ...     print("the loss is not finite")
        the loss is not finite
    """
    hold(condition, [], list(data), summarize)


def hold(condition: Any, said: Sequence[Any], data: Sequence[Any], keep: int | None) -> None:
    """Raise an error with texts and values unless a condition holds, at each run.

    Args:
        said: Texts, or string tensors, that begin the message.
        data: Values that follow them.
        keep: Number of items shown at both ends of each axis; 3 by default, all if negative.

    Raises:
        InvalidArgumentError: If the condition does not hold.
    """

    def check(holds: Any, texts: Any, values: Any) -> None:
        if not np.asarray(holds).all():
            shown = [v if isinstance(v, str) else _shown(v, keep) for v in (*texts, *values)]
            message = "\n".join(shown) or "assertion failed"
            raise InvalidArgumentError(None, "Assert", f"Assertion failed. {message}")

    if not effect(check, condition, list(said), list(data)):
        check(condition, said, data)


def _shown(value: Any, keep: int | None) -> str:
    return summary(np.asarray(value), 3 if keep is None else keep, 1)
