"""The records of TFLite operations."""

from __future__ import annotations

from tfpy._src.formats.tflite.reader.ops import arrays, control, elementwise, neural, recurrent

MODULES = (elementwise, arrays, neural, recurrent, control)
"""Modules of the records."""
