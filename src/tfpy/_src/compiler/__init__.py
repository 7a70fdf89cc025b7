"""Graphs, op records, passes, and lowerings to Programs. No module here depends on Tensor."""
