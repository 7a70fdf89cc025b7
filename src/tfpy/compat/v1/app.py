"""`tf.compat.v1.app`: the start of a program with flags."""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.

from tfpy._src.library.compat.app import run as run
