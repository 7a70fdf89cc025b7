"""Graphs, op records, passes and lowerings to Programs. It knows no Tensor."""
