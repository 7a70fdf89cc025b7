"""Graphs, scalar expressions, op records with their implementations in NumPy, passes, and lowerings
to Programs. No module here depends on Tensor."""
