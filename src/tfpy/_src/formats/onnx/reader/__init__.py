"""The reader of ONNX files, and the implementations of their operations."""
