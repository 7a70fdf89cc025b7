"""The devices of the active backend, as `tf.config` presents them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from tfpy._src.backends import registry
from tfpy._src.backends.devices import devices_of
from tfpy._src.distribute.naming import found


class PhysicalDevice(NamedTuple):
    """A device of the machine.

    Args:
        name: Name such as `"/physical_device:GPU:0"`.
        device_type: `"CPU"`, `"GPU"` or `"TPU"`.

    Example:
        >>> import tfpy as tf
        >>> cpu = tf.config.list_physical_devices("CPU")[0]
        >>> cpu.name, cpu.device_type
        ('/physical_device:CPU:0', 'CPU')

    See also: `tf.config.list_physical_devices`.
    """

    name: str
    device_type: str


class LogicalDevice(NamedTuple):
    """A device on which computations can run.

    Args:
        name: Name such as `"/device:GPU:0"`, which `tf.device` accepts.
        device_type: `"CPU"`, `"GPU"` or `"TPU"`.

    Example:
        >>> import tfpy as tf
        >>> tf.config.list_logical_devices("CPU")
        [LogicalDevice(name='/device:CPU:0', device_type='CPU')]

    See also: `tf.config.list_logical_devices`, `tf.device`.
    """

    name: str
    device_type: str


class LogicalDeviceConfiguration(NamedTuple):
    """The configuration of a logical device.

    Args:
        memory_limit: Must be None, because tfpy does not support memory limits.
        experimental_priority: Has no effect.
        experimental_device_ordinal: Has no effect.

    Example:
        >>> import tfpy as tf
        >>> two = [tf.config.LogicalDeviceConfiguration() for _ in range(2)]
        >>> [configuration.memory_limit for configuration in two]
        [None, None]

    See also: `tf.config.set_logical_device_configuration`.
    """

    memory_limit: int | None = None
    experimental_priority: int | None = None
    experimental_device_ordinal: int | None = None


class _Settings:
    """The program's settings of devices."""

    def __init__(self) -> None:
        self.visible: dict[str, list[PhysicalDevice]] = {}
        """Visible devices by type, for types with hidden devices."""
        self.logical: dict[PhysicalDevice, list[LogicalDeviceConfiguration] | None] = {}
        self.growth: dict[PhysicalDevice, bool] = {}


_settings = _Settings()


def list_physical_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """List the CPU and the GPUs or TPUs of the active backend.

    The CPU is one physical device, even if it was split into several logical devices with
    `tf.config.set_logical_device_configuration`.

    Args:
        device_type: `"CPU"`, `"GPU"` or `"TPU"`. Default: all types.

    Returns:
        A list of `tf.config.PhysicalDevice`.

    Example:
        >>> import tfpy as tf
        >>> [device.name for device in tf.config.list_physical_devices("CPU")]
        ['/physical_device:CPU:0']

    See also: `tf.config.list_logical_devices`, `tf.config.get_visible_devices`.
    """
    cpu = PhysicalDevice("/physical_device:CPU:0", "CPU")
    if device_type == "CPU":
        return [cpu]
    backend = registry.active_backend()
    kind = backend.processor
    names = [] if kind == "CPU" else devices_of(backend).devices()
    others = [PhysicalDevice(f"/physical_device:{kind}:{n}", kind) for n in range(len(names))]
    return [d for d in (cpu, *others) if device_type in (None, d.device_type)]


def get_visible_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """List the physical devices that the program may use.

    Args:
        device_type: `"CPU"`, `"GPU"` or `"TPU"`. Default: all types.

    Returns:
        A list of `tf.config.PhysicalDevice`.

    Example:
        >>> import tfpy as tf
        >>> [device.name for device in tf.config.get_visible_devices("CPU")]
        ['/physical_device:CPU:0']

    See also: `tf.config.set_visible_devices`.
    """
    return [
        device
        for device in list_physical_devices(device_type)
        if device in _settings.visible.get(device.device_type, [device])
    ]


def set_visible_devices(
    devices: PhysicalDevice | Sequence[PhysicalDevice], device_type: str | None = None
) -> None:
    """Restrict the program to some of the physical devices.

    Args:
        devices: A `tf.config.PhysicalDevice`, or a list of them.
        device_type: Type of the devices. The visible devices of other types do not change. Default:
            only the given devices are visible.

    Raises:
        ValueError: If a device does not exist, or has a type that is not `device_type`.
        RuntimeError: If the backend has already computed something.

    Example:
        >>> import tfpy as tf
        >>> tf.config.set_visible_devices(tf.config.list_physical_devices("CPU"), "CPU")

    See also: `tf.config.get_visible_devices`.
    """
    given = [devices] if isinstance(devices, PhysicalDevice) else list(devices)
    there = list_physical_devices()
    for device in given:
        if device not in there or device_type not in (None, device.device_type):
            raise ValueError(f"set_visible_devices: Unrecognized device: {device!r}")
    kinds = [device_type] if device_type else sorted({d.device_type for d in there})
    visible = {kind: [d for d in given if d.device_type == kind] for kind in kinds}
    if any(get_visible_devices(kind) != found for kind, found in visible.items()):
        _check_start("Visible devices")
    _settings.visible.update(visible)
    kind = registry.active_backend().processor
    if visible.get(kind):
        devices_of(registry.active_backend()).prefer(_number(visible[kind][0]))


def list_logical_devices(device_type: str | None = None) -> list[LogicalDevice]:
    """List the devices on which computations can run, with the names that `tf.device` accepts.

    Args:
        device_type: `"CPU"`, `"GPU"` or `"TPU"`. Default: all types.

    Returns:
        A list of `tf.config.LogicalDevice`.

    Example:
        >>> import tfpy as tf
        >>> [device.name for device in tf.config.list_logical_devices("CPU")]
        ['/device:CPU:0']

    See also: `tf.config.list_physical_devices`, `tf.device`.
    """
    backend = registry.active_backend()
    found = []
    for kind in dict.fromkeys(("CPU", backend.processor)):
        visible = get_visible_devices(kind)
        count = len(visible)
        if kind == "CPU" and visible:
            count = len(devices_of(backend).devices()) if backend.processor == "CPU" else 1
        found += [LogicalDevice(f"/device:{kind}:{n}", kind) for n in range(count)]
    return [device for device in found if device_type in (None, device.device_type)]


def get_logical_device_configuration(
    device: PhysicalDevice,
) -> list[LogicalDeviceConfiguration] | None:
    """Return the configuration that `tf.config.set_logical_device_configuration` set.

    Args:
        device: A `tf.config.PhysicalDevice`.

    Returns:
        A list of `tf.config.LogicalDeviceConfiguration`, or None if no configuration was set.

    Raises:
        ValueError: If the device does not exist.

    Example:
        >>> import tfpy as tf
        >>> cpu = tf.config.list_physical_devices("CPU")[0]
        >>> print(tf.config.get_logical_device_configuration(cpu))
        None

    See also: `tf.config.set_logical_device_configuration`.
    """
    _check_device(device)
    return _settings.logical.get(device)


def set_logical_device_configuration(
    device: PhysicalDevice, logical_devices: Sequence[LogicalDeviceConfiguration | None] | None
) -> None:
    """Split the CPU into logical devices, to test strategies without GPUs.

    The jax backend computes on them at the same time. On other backends, replicas compute in turn.

    Args:
        device: A `tf.config.PhysicalDevice` of type `"CPU"`.
        logical_devices: List of a `tf.config.LogicalDeviceConfiguration` for each logical device.
            None: one device, the default.

    Raises:
        ValueError: If the device does not exist or is not a CPU, because JAX cannot split GPUs, or
            if a configuration has a memory limit.
        RuntimeError: If the jax backend has already computed something.

    Example::

        (cpu,) = tf.config.list_physical_devices("CPU")
        two = [tf.config.LogicalDeviceConfiguration()] * 2
        tf.config.set_logical_device_configuration(cpu, two)

    See also: `tf.config.get_logical_device_configuration`.
    """
    _check_device(device)
    given = [LogicalDeviceConfiguration(*(c or ())) for c in logical_devices or [None]]
    if device.device_type != "CPU":
        raise ValueError(
            f"set_logical_device_configuration: JAX cannot split a {device.device_type} into "
            "logical devices. To limit its memory, set the environment variable "
            "XLA_PYTHON_CLIENT_MEM_FRACTION before the program starts."
        )
    if any(c.memory_limit is not None for c in given):
        raise ValueError("Setting memory limit on CPU virtual devices is currently not supported")
    devices = devices_of(registry.active_backend())
    before = _settings.logical.get(device) or [LogicalDeviceConfiguration()]
    if given != before and not devices.divides_anytime:
        _check_start("Virtual devices")
    devices.share_out(len(given))
    _settings.logical[device] = None if logical_devices is None else given


VirtualDeviceConfiguration = LogicalDeviceConfiguration
get_virtual_device_configuration = get_logical_device_configuration
set_virtual_device_configuration = set_logical_device_configuration


def get_device_details(device: PhysicalDevice) -> dict[str, Any]:
    """Return details of a GPU or TPU.

    Args:
        device: A `tf.config.PhysicalDevice`.

    Returns:
        A dictionary. It contains `device_name` and, for NVIDIA GPUs, `compute_capability`, if the
        backend reports them. It is empty for CPUs.

    Raises:
        ValueError: If the device does not exist.

    Example:
        >>> import tfpy as tf
        >>> [tf.config.experimental.get_device_details(d)
        ...  for d in tf.config.list_physical_devices("CPU")]
        [{}]

    See also: `tf.config.list_physical_devices`.
    """
    _check_device(device)
    backend = registry.active_backend()
    if device.device_type != backend.processor or backend.processor == "CPU":
        return {}
    devices = devices_of(backend)
    return devices.device_details(devices.devices()[_number(device)])


def get_memory_growth(device: PhysicalDevice) -> bool | None:
    """Return the value that `tf.config.experimental.set_memory_growth` set.

    Args:
        device: A `tf.config.PhysicalDevice`.

    Returns:
        A bool, or None if no value was set.

    Raises:
        ValueError: If the device does not exist.

    Example:
        >>> import tfpy as tf
        >>> (cpu,) = tf.config.list_physical_devices("CPU")
        >>> print(tf.config.experimental.get_memory_growth(cpu))
        None

    See also: `tf.config.experimental.set_memory_growth`.
    """
    _check_device(device)
    return _settings.growth.get(device)


def set_memory_growth(device: PhysicalDevice, enable: bool) -> None:
    """Choose whether GPU memory is allocated on demand, or most of it at the start.

    Args:
        device: A `tf.config.PhysicalDevice` of type `"GPU"`. The setting applies to all GPUs.
        enable: If True, allocate memory on demand.

    Raises:
        ValueError: If the device is not a GPU.
        RuntimeError: If the backend has already computed something.

    Example::

        for gpu in tf.config.list_physical_devices("GPU"):
            tf.config.experimental.set_memory_growth(gpu, True)

    See also: `tf.config.experimental.get_memory_growth`.
    """
    _check_device(device)
    if device.device_type != "GPU":
        raise ValueError(f"Cannot set memory growth on {device.device_type} devices")
    if _settings.growth.get(device) is not enable:
        _check_start("Physical devices")
    devices_of(registry.active_backend()).grow(enable)
    _settings.growth[device] = enable


def get_memory_info(device: str) -> dict[str, int]:
    """Return the number of bytes in use on a device.

    Args:
        device: Name of the device, such as `"GPU:0"`.

    Returns:
        A dictionary with the number of bytes that are in use (`"current"`), and the largest number
        so far (`"peak"`).

    Raises:
        ValueError: If the device does not exist or, like CPUs, does not report its memory.

    Example::

        tf.config.experimental.get_memory_info("GPU:0")["peak"]
    """
    backend = registry.active_backend()
    (name,) = found([device], backend)
    usage = devices_of(backend).device_memory(name)
    if usage is None:
        raise ValueError(f"Memory statistics are not available for the device {device}.")
    return usage


def _check_device(device: Any) -> None:
    if device not in list_physical_devices(getattr(device, "device_type", None)):
        raise ValueError(f"Unrecognized device: {device!r}")


def _check_start(what: str) -> None:
    if registry.active is not None and devices_of(registry.active).has_computed:
        raise RuntimeError(f"{what} cannot be modified after being initialized")


def _number(device: PhysicalDevice | LogicalDevice) -> int:
    return int(device.name.rpartition(":")[2])


def computing() -> tuple[str, ...]:
    """Return the backend's names of the visible devices that it computes on."""
    backend = registry.active_backend()
    names = devices_of(backend).devices()
    if backend.processor == "CPU":
        return names
    return tuple(names[_number(device)] for device in get_visible_devices(backend.processor))
