"""TFLite's operations, as records over tfpy's functions."""

from __future__ import annotations

from tfpy._src.formats.tflite.reader.ops import arrays, control, elementwise, neural, recurrent

MODULES = (elementwise, arrays, neural, recurrent, control)
"""Where the records are."""
