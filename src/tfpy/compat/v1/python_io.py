"""`tf.compat.v1.python_io`: writers of TFRecord files."""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.

from tfpy._src.library.io.records import (
    TFRecordOptions as TFRecordOptions,
    TFRecordWriter as TFRecordWriter,
)
