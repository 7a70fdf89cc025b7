"""The reader and the writer of ONNX models."""
