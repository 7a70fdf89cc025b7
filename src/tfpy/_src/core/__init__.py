"""Tensor, eager execution, the tape, nested structures, and one function for each primitive."""
