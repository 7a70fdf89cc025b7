"""ONNX: the reader of its files, and its operations."""
