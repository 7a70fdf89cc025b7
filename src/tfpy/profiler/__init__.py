"""`tf.profiler`: profiles of the time that a program takes."""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.

from tfpy.profiler import experimental as experimental
