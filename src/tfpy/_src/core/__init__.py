"""Tensor and TensorShape, conversion of Python values and strings, eager execution, the tape,
nested structures, and the primitives."""
