"""`tf.types`: types for annotations and `isinstance`."""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.

from tfpy.types import experimental as experimental
