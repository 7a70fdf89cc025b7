"""`tf.models`: models in files of TensorFlow, TensorFlow.js, Keras, ONNX and TFLite."""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.

from tfpy._src.formats.convert.converter import convert as convert
from tfpy._src.formats.load import load as load, load_async as load_async
from tfpy._src.formats.memory import (
    MemoryEstimate as MemoryEstimate,
    estimate_memory as estimate_memory,
    estimate_memory_async as estimate_memory_async,
)
