"""Functions of one row applied to all rows at once: a batching rule for each primitive."""
