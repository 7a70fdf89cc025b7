"""`tf.compat.v1.summary`: summaries as strings, and writers of event files."""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.

from tfpy._src.formats.summary.file_writer import (
    FileWriter as FileWriter,
    FileWriterCache as FileWriterCache,
)
from tfpy._src.formats.summary.graph_summaries import (
    audio as audio,
    histogram as histogram,
    image as image,
    merge as merge,
    merge_all as merge_all,
    scalar as scalar,
    text as text,
)
from tfpy._src.formats.summary.tensor_summaries import tensor_summary as tensor_summary
from tfpy._src.library.protos.summaries import (
    Event as Event,
    SessionLog as SessionLog,
    Summary as Summary,
    SummaryDescription as SummaryDescription,
    TaggedRunMetadata as TaggedRunMetadata,
)
