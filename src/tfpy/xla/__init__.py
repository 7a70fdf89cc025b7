"""`tf.xla`: older names of compiled functions."""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.

from tfpy.xla import experimental as experimental
