"""The devices of ``tf.config``: what the active backend computes on."""

from __future__ import annotations

from typing import Any, NamedTuple

from tfpy._src.backends import registry
from tfpy._src.backends.devices import devices_of
from tfpy._src.distribute.naming import found


class PhysicalDevice(NamedTuple):
    """A device of the machine (``tf.config.PhysicalDevice``).

    Example:
        >>> import tfpy as tf
        >>> cpu = tf.config.list_physical_devices("CPU")[0]
        >>> cpu.name, cpu.device_type
        ('/physical_device:CPU:0', 'CPU')
    """

    name: str
    device_type: str


class LogicalDevice(NamedTuple):
    """A device that tensors can be on (``tf.config.LogicalDevice``).

    Example:
        >>> import tfpy as tf
        >>> tf.config.list_logical_devices("CPU")
        [LogicalDevice(name='/device:CPU:0', device_type='CPU')]
    """

    name: str
    device_type: str


class LogicalDeviceConfiguration(NamedTuple):
    """What a logical device has of a physical one (``tf.config.LogicalDeviceConfiguration``).

    Example:
        >>> import tfpy as tf
        >>> half = tf.config.LogicalDeviceConfiguration(memory_limit=1024)
        >>> half.memory_limit
        1024
    """

    memory_limit: int | None = None
    experimental_priority: int | None = None
    experimental_device_ordinal: int | None = None


class _Settings:
    """What a program has said of devices."""

    def __init__(self) -> None:
        self.visible: dict[str, list[PhysicalDevice]] = {}
        """By type, where not all are."""
        self.logical: dict[PhysicalDevice, list[LogicalDeviceConfiguration]] = {}
        self.growth: dict[PhysicalDevice, bool] = {}


_settings = _Settings()


def list_physical_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """The CPU, and the GPUs or TPUs that the active backend computes on; those of a type, if given.

    What one CPU is shared into (:func:`set_logical_device_configuration`) are logical devices.

    Example:
        >>> import tfpy as tf
        >>> [device.name for device in tf.config.list_physical_devices("CPU")]
        ['/physical_device:CPU:0']
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
    """Those physical devices that are used.

    Example:
        >>> import tfpy as tf
        >>> tf.config.get_visible_devices("CPU") == tf.config.list_physical_devices("CPU")
        True
    """
    return [
        device
        for device in list_physical_devices(device_type)
        if device in _settings.visible.get(device.device_type, [device])
    ]


def set_visible_devices(devices: Any, device_type: str | None = None) -> None:
    """Lets some physical devices alone be used.

    Args:
        devices: a list of them, or one.
        device_type: of which type these are all; None for all types.

    Raises:
        ValueError: for devices that there are not, or not of that type.
        RuntimeError: when the backend has computed already.

    Example:
        >>> import tfpy as tf
        >>> tf.config.set_visible_devices(tf.config.list_physical_devices("CPU"), "CPU")
    """
    given = [devices] if isinstance(devices, PhysicalDevice) else list(devices)
    there = list_physical_devices()
    for device in given:
        if device not in there or device_type not in (None, device.device_type):
            raise ValueError(f"set_visible_devices: unrecognized device: {device!r}")
    kinds = [device_type] if device_type else sorted({d.device_type for d in there})
    visible = {kind: [d for d in given if d.device_type == kind] for kind in kinds}
    if any(get_visible_devices(kind) != found for kind, found in visible.items()):
        _check_start("Visible devices")
    _settings.visible.update(visible)
    kind = registry.active_backend().processor
    if visible.get(kind):
        devices_of(registry.active_backend()).prefer(_number(visible[kind][0]))


def list_logical_devices(device_type: str | None = None) -> list[LogicalDevice]:
    """The devices of the visible physical ones, under the names that ``device`` takes.

    Example:
        >>> import tfpy as tf
        >>> [device.name for device in tf.config.list_logical_devices("CPU")]
        ['/device:CPU:0']
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


def get_logical_device_configuration(device: Any) -> list[LogicalDeviceConfiguration] | None:
    """What :func:`set_logical_device_configuration` was told; None if nothing.

    Raises:
        ValueError: for a device that there is not.

    Example:
        >>> import tfpy as tf
        >>> cpu = tf.config.list_physical_devices("CPU")[0]
        >>> print(tf.config.get_logical_device_configuration(cpu))
        None
    """
    _check_device(device)
    return _settings.logical.get(device)


def set_logical_device_configuration(device: Any, logical_devices: Any) -> None:
    """Shares the CPU into several logical devices, on the jax backend: with them strategies of
    several replicas can be tried out. Other backends have one device all the same.

    Args:
        device: a physical device.
        logical_devices: a ``tf.config.LogicalDeviceConfiguration`` for each.

    Raises:
        ValueError: for a device that there is not, a CPU with a limit of memory, and what JAX
            cannot do with a GPU: several logical devices, a limit of memory in megabytes.
        RuntimeError: when the backend has computed already.
    """
    _check_device(device)
    given = [LogicalDeviceConfiguration(*(c or ())) for c in logical_devices or [None]]
    if device.device_type != "CPU":
        raise ValueError(
            f"set_logical_device_configuration: JAX does not share a {device.device_type} out. A "
            "share of its memory is what the variable XLA_PYTHON_CLIENT_MEM_FRACTION says, set "
            "before the program starts"
        )
    if any(c.memory_limit is not None for c in given):
        raise ValueError("Setting memory limit on CPU virtual devices is currently not supported")
    if given != _settings.logical.get(device, [LogicalDeviceConfiguration()]):
        _check_start("Virtual devices")
    devices_of(registry.active_backend()).share_out(len(given))
    _settings.logical[device] = given


VirtualDeviceConfiguration = LogicalDeviceConfiguration
get_virtual_device_configuration = get_logical_device_configuration
set_virtual_device_configuration = set_logical_device_configuration


def get_device_details(device: Any) -> dict[str, Any]:
    """What a GPU or TPU is: ``device_name``, and ``compute_capability`` of one of NVIDIA's; as far
    as the backend says. Nothing of CPUs.

    Raises:
        ValueError: for a device that there is not.

    Example:
        >>> import tfpy as tf
        >>> [tf.config.experimental.get_device_details(d)
        ...  for d in tf.config.list_physical_devices("CPU")]
        [{}]
    """
    _check_device(device)
    backend = registry.active_backend()
    if device.device_type != backend.processor or backend.processor == "CPU":
        return {}
    devices = devices_of(backend)
    return devices.device_details(devices.devices()[_number(device)])


def get_memory_growth(device: Any) -> bool | None:
    """What :func:`set_memory_growth` was told; None if nothing.

    Raises:
        ValueError: for a device that there is not.
    """
    _check_device(device)
    return _settings.growth.get(device)


def set_memory_growth(device: Any, enable: bool) -> None:
    """Whether a GPU's memory is taken as it is needed, not most of it at once; of all GPUs alike.

    Raises:
        ValueError: for what is no GPU.
        RuntimeError: when the backend has computed already.
    """
    _check_device(device)
    if device.device_type != "GPU":
        raise ValueError(f"Cannot set memory growth on {device.device_type} devices")
    if _settings.growth.get(device) is not enable:
        _check_start("Physical devices")
    devices_of(registry.active_backend()).grow(enable)
    _settings.growth[device] = enable


def get_memory_info(device: str) -> dict[str, int]:
    """Bytes in use on a device: ``{"current": ..., "peak": ...}``.

    Raises:
        ValueError: for a name of no such device, and where the device does not say it (CPUs).
    """
    backend = registry.active_backend()
    (name,) = found([device], backend)
    usage = devices_of(backend).device_memory(name)
    if usage is None:
        raise ValueError(f"The device {device} does not tell what of its memory is in use")
    return usage


def _check_device(device: Any) -> None:
    if device not in list_physical_devices(getattr(device, "device_type", None)):
        raise ValueError(f"Unrecognized device: {device!r}")


def _check_start(what: str) -> None:
    if registry.active is not None and devices_of(registry.active).has_computed:
        raise RuntimeError(f"{what} cannot be modified after being initialized")


def experimental_connect_to_cluster(cluster_spec_or_resolver: Any, **kwargs: Any) -> None:
    """Nothing: strategies connect (``tf.config.experimental_connect_to_cluster``)."""


def _number(device: PhysicalDevice | LogicalDevice) -> int:
    return int(device.name.rpartition(":")[2])


def computing() -> tuple[str, ...]:
    """The backend's names of the visible devices of the kind that computes."""
    backend = registry.active_backend()
    names = devices_of(backend).devices()
    visible = get_visible_devices(backend.processor)
    if backend.processor == "CPU":
        return names
    return tuple(names[_number(device)] for device in visible)
