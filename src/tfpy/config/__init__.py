"""``tf.config``: how functions run, and on what."""

# Made from api.toml and the op table by `build.py face`: change those.

from tfpy._src.distribute.devices import (
    LogicalDevice as LogicalDevice,
    PhysicalDevice as PhysicalDevice,
    list_logical_devices as list_logical_devices,
    list_physical_devices as list_physical_devices,
)
from tfpy._src.function.traceable import (
    functions_run_eagerly as functions_run_eagerly,
    run_functions_eagerly as run_functions_eagerly,
)
from tfpy.config import experimental as experimental
