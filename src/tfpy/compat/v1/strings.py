"""`tf.compat.v1.strings`: functions with the arguments of TensorFlow 1."""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.

from tfpy._src.library.compat.changed import split as split
