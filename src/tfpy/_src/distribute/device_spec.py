"""Implementation of `tf.DeviceSpec`, the parts of a device's name."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

_TYPES = ("CPU", "GPU", "TPU", "CUSTOM")
_JOB = {"job": str, "replica": int, "task": int}


class _Parts(NamedTuple):
    job: str | None = None
    replica: int | None = None
    task: int | None = None
    device_type: str | None = None
    device_index: int | None = None


class DeviceSpec(_Parts):
    """The parts of a device's name. A part that is None is not specified.

    Args:
        job: Name of the job, that is, of a group of processes such as `"worker"`.
        replica: Index of the replica, which is 0 in tfpy.
        task: Index of the process in its job.
        device_type: `"CPU"`, `"GPU"` or `"TPU"`.
        device_index: Index of the device among the devices of its type.

    Example:
        >>> import tfpy as tf
        >>> spec = tf.DeviceSpec(job="worker", task=1, device_type="GPU", device_index=0)
        >>> print(spec.to_string())
        /job:worker/task:1/device:GPU:0

    See also: `tf.device`.
    """

    __slots__ = ()

    def __new__(
        cls,
        job: str | None = None,
        replica: int | None = None,
        task: int | None = None,
        device_type: str | None = None,
        device_index: int | None = None,
    ) -> DeviceSpec:
        kind = None if device_type is None else str(device_type)
        return super().__new__(
            cls,
            None if job is None else str(job),
            None if replica is None else int(replica),
            None if task is None else int(task),
            kind.upper() if kind in ("cpu", "gpu") else kind,
            None if device_index is None else int(device_index),
        )

    @classmethod
    def from_string(cls, spec: str) -> DeviceSpec:
        """Parse a name such as `/job:worker/task:1/device:GPU:0` or `CPU:0`.

        Args:
            spec: Name of a device.

        Returns:
            A DeviceSpec. Parts that the name does not contain are None.

        Raises:
            ValueError: If a part of the name is unknown, or if the name has two device types.

        Example:
            >>> import tfpy as tf
            >>> tf.DeviceSpec.from_string("/job:worker/device:GPU:1").device_index
            1
        """
        found: dict[str, Any] = {}
        for part in spec.split("/"):
            key, *rest = part.split(":")
            if key in _JOB and len(rest) == 1:
                found[key] = rest[0]
                continue
            if key.upper() in _TYPES and len(rest) <= 1:
                kind, index = key.upper(), rest[0] if rest else "*"
            elif key == "device" and len(rest) == 2:
                kind, index = rest
            elif part:
                raise ValueError(
                    f"Unknown attribute '{key}' is encountered while parsing the device spec: "
                    f"'{spec}'."
                )
            else:
                continue
            if "device_type" in found:
                raise ValueError(
                    f"Multiple device types are not allowed while parsing the device spec: {spec}."
                )
            found |= {"device_type": kind, "device_index": None if index == "*" else index}
        return cls(**found)

    def parse_from_string(self, spec: str) -> DeviceSpec:
        """Parse a name, as `from_string` does.

        Args:
            spec: Name of a device.

        Returns:
            A new DeviceSpec.

        Raises:
            ValueError: If a part of the name is unknown, or if the name has two device types.

        Example:
            >>> import tfpy as tf
            >>> tf.DeviceSpec().parse_from_string("GPU:1").device_type
            'GPU'
        """
        return self.from_string(spec)

    def to_string(self) -> str:
        """Return the name of the device.

        Returns:
            A string that contains the specified parts.

        Example:
            >>> import tfpy as tf
            >>> tf.DeviceSpec(job="worker", device_type="GPU").to_string()
            '/job:worker/device:GPU:*'
        """
        names = (*_JOB, "device")
        device = None
        if self.device_type is not None:
            index = "*" if self.device_index is None else self.device_index
            device = f"{self.device_type}:{index}"
        values = (self.job, self.replica, self.task, device)
        pairs = zip(names, values, strict=True)
        return "".join(f"/{name}:{value}" for name, value in pairs if value is not None)

    def make_merged_spec(self, dev: DeviceSpec) -> DeviceSpec:
        """Return a copy in which the parts that `dev` specifies are replaced.

        Args:
            dev: A DeviceSpec with the new parts.

        Returns:
            A new DeviceSpec.

        Example:
            >>> import tfpy as tf
            >>> cpu = tf.DeviceSpec(job="worker", device_type="CPU")
            >>> cpu.make_merged_spec(tf.DeviceSpec(device_type="GPU", device_index=0)).to_string()
            '/job:worker/device:GPU:0'
        """
        pairs: Iterable[tuple[Any, Any]] = zip(dev, self, strict=True)
        return type(self)(*(own if theirs is None else theirs for theirs, own in pairs))

    def replace(self, **kwargs: str | int | None) -> DeviceSpec:
        """Return a copy in which some parts are replaced.

        Args:
            **kwargs: New values of `job`, `replica`, `task`, `device_type` or `device_index`.

        Returns:
            A new DeviceSpec.

        Example:
            >>> import tfpy as tf
            >>> tf.DeviceSpec(device_type="GPU", device_index=0).replace(device_index=1).to_string()
            '/device:GPU:1'
        """
        return type(self)(**{**self._asdict(), **kwargs})

    def __repr__(self) -> str:
        parts = ", ".join(f"{name}={value}" for name, value in self._asdict().items())
        return f"<DeviceSpec({parts})>"

    __str__ = __repr__


def merging(device: Any) -> Callable[[Any], str]:
    """Return a function that adds the parts of a device's name to the device of an operation.

    Raises:
        ValueError: If a part of the name is unknown.
    """
    found = (
        device
        if isinstance(device, DeviceSpec)
        else DeviceSpec.from_string(getattr(device, "name", device))
    )
    return lambda op: found.make_merged_spec(DeviceSpec.from_string(op.device)).to_string()
