"""`tf.summary`: event files with scalars, histograms, images and graphs for TensorBoard."""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.

from tfpy._src.formats.summary.plot_writer import create_plot_writer as create_plot_writer
from tfpy._src.formats.summary.plugins import (
    audio as audio,
    histogram as histogram,
    image as image,
    scalar as scalar,
    text as text,
)
from tfpy._src.formats.summary.state import (
    record_if as record_if,
    should_record_summaries as should_record_summaries,
)
from tfpy._src.formats.summary.traces import (
    trace_export as trace_export,
    trace_off as trace_off,
    trace_on as trace_on,
)
from tfpy._src.formats.summary.writers import (
    SummaryWriter as SummaryWriter,
    create_file_writer as create_file_writer,
    create_noop_writer as create_noop_writer,
    flush as flush,
)
from tfpy._src.formats.summary.writing import graph as graph, write as write
from tfpy.summary import experimental as experimental
