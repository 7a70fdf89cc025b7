"""``tf.profiler``: what takes time."""

# Made from api.toml and the op table by `build.py face`: change those.

from tfpy.profiler import experimental as experimental
