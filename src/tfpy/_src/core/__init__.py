"""Tensor, conversion to tensors, eager execution, the tape, nests, a function for each
primitive."""
