"""Models in files of many formats: TensorFlow's, TensorFlow.js's, Keras's, ONNX and TFLite."""

# Made from api.toml and the op table by `build.py face`: change those.

from tfpy._src.models.load import load as load, load_async as load_async
from tfpy._src.writers.converter import convert as convert
