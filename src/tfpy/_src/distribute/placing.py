"""Implementation of `tf.device`, which selects the device of computations."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

from tfpy._src.backends import registry
from tfpy._src.backends.devices import devices_of
from tfpy._src.base import tracing
from tfpy._src.base.errors import InvalidArgumentError
from tfpy._src.distribute.device_spec import DeviceSpec
from tfpy._src.distribute.devices import LogicalDevice, list_logical_devices
from tfpy._src.distribute.naming import parsed


class _Placement:
    """The program's setting for placement."""

    soft = True


def get_soft_device_placement() -> bool:
    """Return True if `tf.device` ignores devices that do not exist.

    Returns:
        The value that `tf.config.set_soft_device_placement` has set. Default: True.

    Example:
        >>> import tfpy as tf
        >>> tf.config.get_soft_device_placement()
        True

    See also: `tf.config.set_soft_device_placement`.
    """
    return _Placement.soft


def set_soft_device_placement(enabled: bool) -> None:
    """Choose whether `tf.device` ignores devices that do not exist.

    Args:
        enabled: If True, `tf.device` has no effect for a device that does not exist. If False, it
            raises an error.

    Example:
        >>> import tfpy as tf
        >>> tf.config.set_soft_device_placement(False)
        >>> try:
        ...     with tf.device("/TPU:5"):
        ...         pass
        ... except tf.errors.InvalidArgumentError as error:
        ...     print(str(error).partition(". ")[0])
        tf.device: there is no '/TPU:5'
        >>> tf.config.set_soft_device_placement(True)

    See also: `tf.config.get_soft_device_placement`, `tf.device`.
    """
    _Placement.soft = bool(enabled)


@contextmanager
def device(device_name: str | DeviceSpec | LogicalDevice | None) -> Iterator[None]:
    """Return a context manager within which computations run on a given device.

    Only the jax backend, which does not exist in browsers, computes on more than one device. On it,
    ops and compiled functions that are called within the context run on the device, unless their
    inputs are sharded over several devices. On other backends the context has no effect. The same
    applies to `"/CPU:0"` if the backend computes on a GPU or TPU, and to devices that do not exist
    unless `tf.config.set_soft_device_placement(False)` was called.

    Args:
        device_name: Name of a device such as `"/GPU:0"`, a `tf.DeviceSpec` or a
            `tf.config.LogicalDevice`. If it is None, the context has no effect. In a `tf.Graph`,
            the name becomes the attribute `device` of operations, and None ignores the enclosing
            contexts.

    Returns:
        A context manager.

    Raises:
        ValueError: If `device_name` is not the name of a device.
        RuntimeError: If `device_name` is a function.
        tf.errors.InvalidArgumentError: If the device does not exist, and
            `tf.config.set_soft_device_placement(False)` was called.

    Example:
        >>> import tfpy as tf
        >>> with tf.device("/CPU:0"):
        ...     x = tf.constant([1, 2]) + 1
        >>> x.numpy().tolist()
        [2, 3]

    See also: `tf.config.list_logical_devices`, `tf.DeviceSpec`.
    """
    if callable(device_name) and not hasattr(device_name, "name"):
        raise RuntimeError("tf.device does not support functions.")
    graph = tracing.active_graph()
    if graph is not None:
        with graph.device(device_name):
            yield
        return
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
            None, "device", f"tf.device: there is no {device_name!r}. Available devices: {known}."
        )
    with devices.computing_on(names[number]) if there and len(names) > 1 else nullcontext():
        yield
