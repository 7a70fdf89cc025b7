"""The writer of ONNX graphs for ONNX Runtime."""

from tfpy._src.formats.onnx.writer import arrays, control, elementwise, windows
from tfpy._src.formats.onnx.writer.nodes import OPSET, TABLE, Nodes

__all__ = ["OPSET", "TABLE", "Nodes", "arrays", "control", "elementwise", "windows"]
