"""`tf.compat`: tuples of types, dimensions of shapes, and dates of TensorFlow's versions."""

from __future__ import annotations

import datetime
import numbers
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from tfpy._src.core.dimension import Dimension
from tfpy._src.core.tensor_shape import TensorShape

bytes_or_text_types = (bytes, str)
"""Types of strings."""

integral_types = (numbers.Integral, np.integer)
"""Types of integers."""

real_types = (numbers.Real, np.integer, np.floating)
"""Types of real numbers."""

complex_types = (numbers.Complex, np.number)
"""Types of complex numbers, which include all others."""


_RELEASE = datetime.date(2026, 1, 16)
"""Date before which features of TensorFlow 2.21 were announced."""


class _Horizon:
    date = _RELEASE


def dimension_at_index(shape: TensorShape, index: int) -> Dimension:
    """Return a dimension of a shape as an object.

    Args:
        shape: A `tf.TensorShape`.
        index: Number of the dimension.

    Returns:
        A `tf.compat.v1.Dimension`, which is unknown if the rank is unknown.

    Raises:
        IndexError: If the shape has no such dimension.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.dimension_at_index(tf.TensorShape([2, None]), 0)
        Dimension(2)

    See also: `tf.compat.dimension_value`.
    """
    return Dimension(None) if shape.rank is None else Dimension(shape.as_list()[index])


def forward_compatible(year: int, month: int, day: int) -> bool:
    """Return True if a feature of TensorFlow that was announced for a date can be used.

    Args:
        year, month, day: The date.

    Returns:
        True for dates before the horizon, which is the date of TensorFlow 2.21 by default.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.forward_compatible(2020, 1, 1)
        True

    See also: `tf.compat.forward_compatibility_horizon`.
    """
    return _Horizon.date > datetime.date(year, month, day)


@contextmanager
def forward_compatibility_horizon(year: int, month: int, day: int) -> Iterator[None]:
    """Return a context in which `tf.compat.forward_compatible` compares with a later date.

    Args:
        year, month, day: The date. It has no effect if it is before the date of TensorFlow 2.21.

    Returns:
        A context manager.

    Example:
        >>> import tfpy as tf
        >>> with tf.compat.forward_compatibility_horizon(2099, 5, 1):
        ...     tf.compat.forward_compatible(2099, 1, 1)
        True

    See also: `tf.compat.forward_compatible`.
    """
    _Horizon.date = max(_Horizon.date, datetime.date(year, month, day))
    try:
        yield
    finally:
        _Horizon.date = _RELEASE
