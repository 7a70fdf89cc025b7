"""`tf.models`: models in files of TensorFlow, TensorFlow.js, Keras, ONNX, TFLite and GGUF."""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.

from tfpy._src.formats.adapters import (
    load_adapter as load_adapter,
    load_adapter_async as load_adapter_async,
    save_adapter as save_adapter,
)
from tfpy._src.formats.convert.converter import convert as convert
from tfpy._src.formats.load import load as load, load_async as load_async
from tfpy._src.formats.memory import (
    MemoryEstimate as MemoryEstimate,
    estimate_memory as estimate_memory,
    estimate_memory_async as estimate_memory_async,
)
from tfpy._src.formats.saving import save as save
