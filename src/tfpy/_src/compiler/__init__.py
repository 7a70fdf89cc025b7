"""Graphs, op records, passes and lowerings to Programs. This package does not depend on Tensor."""
