"""`tf.autograph`: conversion of Python's `if`, `while` and `for` statements in a `tf.function`."""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.

from tfpy._src.functions.autograph.api import (
    set_verbosity as set_verbosity,
    to_graph as to_graph,
    trace as trace,
)
from tfpy._src.functions.autograph.convert import to_code as to_code
from tfpy.autograph import experimental as experimental
