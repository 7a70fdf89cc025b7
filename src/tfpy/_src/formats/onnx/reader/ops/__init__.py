"""ONNX's operations: a record each, by families."""
