"""ONNX's graphs, as ONNX Runtime takes them."""

from tfpy._src.writers.onnx import arrays, control, elementwise, windows
from tfpy._src.writers.onnx.nodes import OPSET, TABLE, Nodes

__all__ = ["OPSET", "TABLE", "Nodes", "arrays", "control", "elementwise", "windows"]
