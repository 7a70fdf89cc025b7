"""``tf.config.experimental``: what becomes of Variables when a device is lost."""

# Made from api.toml and the op table by `build.py face`: change those.

from tfpy._src.variables.host_copies import keep_host_copies as keep_host_copies
