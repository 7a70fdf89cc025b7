"""The records of ONNX operations, by family."""
