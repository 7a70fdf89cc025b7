"""`tf.config.experimental`: details, memory and precision of devices, and former names of functions
in `tf.config`.
"""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.

import typing as _typing

from tfpy._src.distribute.devices import (
    VirtualDeviceConfiguration as VirtualDeviceConfiguration,
    get_device_details as get_device_details,
    get_memory_growth as get_memory_growth,
    get_memory_info as get_memory_info,
    get_virtual_device_configuration as get_virtual_device_configuration,
    get_visible_devices as get_visible_devices,
    list_logical_devices as list_logical_devices,
    list_physical_devices as list_physical_devices,
    set_memory_growth as set_memory_growth,
    set_virtual_device_configuration as set_virtual_device_configuration,
    set_visible_devices as set_visible_devices,
)
from tfpy._src.distribute.former import get_memory_usage as get_memory_usage
from tfpy._src.library.config.precision import (
    enable_tensor_float_32_execution as enable_tensor_float_32_execution,
    tensor_float_32_execution_enabled as tensor_float_32_execution_enabled,
)
from tfpy._src.tensors.random.streams import enable_op_determinism as enable_op_determinism
from tfpy._src.tensors.variables.host_copies import keep_host_copies as keep_host_copies

if _typing.TYPE_CHECKING:
    from tfpy._src.library.config.execution import (
        get_device_policy as get_device_policy,
        get_synchronous_execution as get_synchronous_execution,
        set_device_policy as set_device_policy,
        set_synchronous_execution as set_synchronous_execution,
    )

_LATER = {
    "get_device_policy": "tfpy._src.library.config.execution",
    "get_synchronous_execution": "tfpy._src.library.config.execution",
    "set_device_policy": "tfpy._src.library.config.execution",
    "set_synchronous_execution": "tfpy._src.library.config.execution",
}
