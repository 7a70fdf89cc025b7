"""Results of gradients for sources that the target does not depend on."""

from __future__ import annotations

from enum import Enum
from typing import Any


class UnconnectedGradients(Enum):
    """Gradients of sources that the target does not depend on.

    The strings `"none"` and `"zero"` can be passed instead of the members.

    Attributes:
        NONE: The gradient of such a source is None.
        ZERO: The gradient of such a source is zeros, with the shape and dtype of the source.

    Example:
        >>> import tfpy as tf
        >>> x, y = tf.Variable(1.0), tf.Variable(2.0)
        >>> with tf.GradientTape() as tape:
        ...     z = 2 * x
        >>> zero = tf.UnconnectedGradients.ZERO
        >>> tape.gradient(z, y, unconnected_gradients=zero).numpy().tolist()
        0.0

    See also: `tf.GradientTape`.
    """

    NONE = "none"
    ZERO = "zero"


def as_unconnected(value: Any) -> UnconnectedGradients:
    """Return the UnconnectedGradients for an enumeration value or its string."""
    return UnconnectedGradients(getattr(value, "value", value))
