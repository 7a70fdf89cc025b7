"""`tf.summary.experimental`: the default step, and the definition of kinds of summaries."""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.

from tfpy._src.formats.summary.state import (
    get_step as get_step,
    set_step as set_step,
    summary_scope as summary_scope,
)
from tfpy._src.formats.summary.writing import write_raw_pb as write_raw_pb
