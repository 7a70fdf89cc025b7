"""``tf.device`` and the devices of ``tf.config``: the CPU, and the GPU where a backend is on it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from tfpy._src.runtime import registry

_NAME = re.compile(
    r"(/job:\w+)?(/replica:\d+)?(/task:\d+)?(/?(device:)?(cpu|gpu|tpu)(:(\d+|\*))?)?", re.IGNORECASE
)


class PhysicalDevice(NamedTuple):
    """A device of the machine (``tf.config.PhysicalDevice``)."""

    name: str
    device_type: str


class LogicalDevice(NamedTuple):
    """A device that tensors can be on (``tf.config.LogicalDevice``)."""

    name: str
    device_type: str


def list_physical_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """The CPU, and the GPU when the active backend computes on it; those of a type, if given."""
    return [PhysicalDevice(f"/physical_device:{kind}:0", kind) for kind in _kinds(device_type)]


def list_logical_devices(device_type: str | None = None) -> list[LogicalDevice]:
    """The devices of :func:`list_physical_devices`, under the names that ``device`` takes."""
    return [LogicalDevice(f"/device:{kind}:0", kind) for kind in _kinds(device_type)]


def _kinds(wanted: str | None) -> list[str]:
    kinds = dict.fromkeys(("CPU", registry.active_backend().processor))
    return [kind for kind in kinds if wanted in (None, kind)]


@contextmanager
def device(device_name: Any) -> Iterator[None]:
    """A context that names a device for what is computed in it (``tf.device``).

    It has no effect beyond the check of the name: the active backend's device computes.

    Raises:
        ValueError: for what names no device.

    Example:
        >>> import tfpy as tf
        >>> with tf.device("/CPU:0"):
        ...     x = tf.constant([1, 2]) + 1
        >>> x.numpy().tolist()
        [2, 3]
    """
    name = getattr(device_name, "name", device_name)
    if name is not None and (not isinstance(name, str) or not _NAME.fullmatch(name)):
        raise ValueError(f"tf.device: {device_name!r} is no device; write '/CPU:0' or '/GPU:0'")
    yield
