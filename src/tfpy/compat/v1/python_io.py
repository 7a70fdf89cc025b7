"""`tf.compat.v1.python_io`: writers and readers of TFRecord files."""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.

from tfpy._src.data.example_batches import tf_record_iterator as tf_record_iterator
from tfpy._src.library.io.records import (
    TFRecordCompressionType as TFRecordCompressionType,
    TFRecordOptions as TFRecordOptions,
    TFRecordWriter as TFRecordWriter,
)
