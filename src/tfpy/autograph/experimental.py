"""`tf.autograph.experimental`: settings for the conversion of functions and loops."""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.

from tfpy._src.functions.autograph.experimental import (
    Feature as Feature,
    do_not_convert as do_not_convert,
    set_loop_options as set_loop_options,
)
