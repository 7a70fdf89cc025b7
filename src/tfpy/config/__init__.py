"""`tf.config`: settings for devices and for the execution of functions."""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.

import typing as _typing

from tfpy._src.distribute.cluster import (
    experimental_connect_to_cluster as experimental_connect_to_cluster,
)
from tfpy._src.distribute.devices import (
    LogicalDevice as LogicalDevice,
    LogicalDeviceConfiguration as LogicalDeviceConfiguration,
    PhysicalDevice as PhysicalDevice,
    get_logical_device_configuration as get_logical_device_configuration,
    get_visible_devices as get_visible_devices,
    list_logical_devices as list_logical_devices,
    list_physical_devices as list_physical_devices,
    set_logical_device_configuration as set_logical_device_configuration,
    set_visible_devices as set_visible_devices,
)
from tfpy._src.distribute.placing import (
    get_soft_device_placement as get_soft_device_placement,
    set_soft_device_placement as set_soft_device_placement,
)
from tfpy._src.functions.tf_function.traceable import (
    experimental_functions_run_eagerly as experimental_functions_run_eagerly,
    experimental_run_functions_eagerly as experimental_run_functions_eagerly,
    functions_run_eagerly as functions_run_eagerly,
    run_functions_eagerly as run_functions_eagerly,
)
from tfpy.config import experimental as experimental

if _typing.TYPE_CHECKING:
    from tfpy.config import optimizer as optimizer, threading as threading

_LATER = {
    "optimizer": "tfpy.config.optimizer",
    "threading": "tfpy.config.threading",
}
