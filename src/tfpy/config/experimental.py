"""``tf.config.experimental``: memory of devices; what becomes of Variables when one is lost."""

# Made from api.toml and the op table by `build.py face`: change those.

from tfpy._src.distribute.devices import (
    get_memory_growth as get_memory_growth,
    get_memory_info as get_memory_info,
    set_memory_growth as set_memory_growth,
)
from tfpy._src.variables.host_copies import keep_host_copies as keep_host_copies
