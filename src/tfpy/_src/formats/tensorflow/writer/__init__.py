"""Writer of TensorFlow's graphs, in the form that TensorFlow.js reads."""

from tfpy._src.formats.tensorflow.writer import arrays, control, elementwise, windows
from tfpy._src.formats.tensorflow.writer.nodes import TABLE, Nodes, json_function, json_node

__all__ = [
    "TABLE",
    "Nodes",
    "arrays",
    "control",
    "elementwise",
    "json_function",
    "json_node",
    "windows",
]
