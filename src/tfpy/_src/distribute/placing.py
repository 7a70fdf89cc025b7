"""``tf.device``: where what is computed in a context is computed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

from tfpy._src.backends import registry
from tfpy._src.backends.devices import devices_of
from tfpy._src.base.errors import InvalidArgumentError
from tfpy._src.distribute.devices import list_logical_devices
from tfpy._src.distribute.naming import parsed


class _Placement:
    """What a program has said of it."""

    soft = True


def get_soft_device_placement() -> bool:
    """What :func:`set_soft_device_placement` was told; at first True.

    Example:
        >>> import tfpy as tf
        >>> tf.config.get_soft_device_placement()
        True
    """
    return _Placement.soft


def set_soft_device_placement(enabled: bool) -> None:
    """Whether ``tf.device`` of a device that there is not has no effect; else it is an error.

    Example:
        >>> import tfpy as tf
        >>> tf.config.set_soft_device_placement(False)
        >>> try:
        ...     with tf.device("/TPU:5"):
        ...         pass
        ... except tf.errors.InvalidArgumentError as error:
        ...     print(str(error).partition(";")[0])
        tf.device: there is no '/TPU:5'
        >>> tf.config.set_soft_device_placement(True)
    """
    _Placement.soft = bool(enabled)


@contextmanager
def device(device_name: Any) -> Iterator[None]:
    """A context that names a device for what is computed in it (``tf.device``).

    On the jax backend it is computed there: ops, and calls of compiled functions as a whole, unless
    what they take is spread over devices. Elsewhere there is one device. A device that there is not
    has no effect (:func:`set_soft_device_placement`), nor has the CPU where another kind computes.

    Raises:
        ValueError: for what names no device.
        InvalidArgumentError: for a device that there is not, without soft placement.

    Example:
        >>> import tfpy as tf
        >>> with tf.device("/CPU:0"):
        ...     x = tf.constant([1, 2]) + 1
        >>> x.numpy().tolist()
        [2, 3]
    """
    if device_name is None:
        yield
        return
    kind, number = parsed(device_name)
    backend = registry.active_backend()
    devices = devices_of(backend)
    names = devices.devices()
    there = kind == backend.processor and number < len(names)
    if not there and not _Placement.soft and (kind, number) != ("CPU", 0):
        known = ", ".join(d.name.removeprefix("/device:") for d in list_logical_devices())
        raise InvalidArgumentError(
            None, "device", f"tf.device: there is no {device_name!r}; there are {known}"
        )
    with devices.computing_on(names[number]) if there and len(names) > 1 else nullcontext():
        yield
