"""`tf.profiler.experimental`: profiles that are written to files for Perfetto."""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.

from tfpy._src.library.profiler.experimental import (
    Profile as Profile,
    ProfilerOptions as ProfilerOptions,
    Trace as Trace,
    start as start,
    stop as stop,
    stop_async as stop_async,
)
