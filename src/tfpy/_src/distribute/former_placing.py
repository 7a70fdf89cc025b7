"""`tf.compat.v1.device`, which accepts functions of operations."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

from tfpy._src.base import tracing
from tfpy._src.distribute import placing
from tfpy._src.distribute.device_spec import DeviceSpec
from tfpy._src.distribute.devices import LogicalDevice


def device(
    device_name_or_function: str | DeviceSpec | LogicalDevice | Callable[[Any], str] | None,
) -> AbstractContextManager[None]:
    """Return a context manager that specifies a device, as `tf.device` does.

    Args:
        device_name_or_function: Name of a device, a `tf.DeviceSpec`, or None. In a `tf.Graph`, also
            a function that takes an operation and returns the name of its device.

    Returns:
        A context manager.

    Raises:
        RuntimeError: If a function is passed outside of a graph.
        ValueError: If the value is not the name of a device.

    Example:
        >>> import tfpy as tf
        >>> with tf.Graph().as_default(), tf.compat.v1.device(lambda op: "/job:" + op.name):
        ...     tf.constant(1.0, name="x").op.device
        '/job:x'

    See also: `tf.device`, `tf.Graph.device`.
    """
    given: Any = device_name_or_function
    graph = tracing.active_graph()
    if graph is not None:
        found: AbstractContextManager[None] = graph.device(given)
        return found
    if callable(given) and not hasattr(given, "name"):
        raise RuntimeError("tf.device does not support functions when eager execution is enabled.")
    return placing.device(given)
