"""`tf.function`: tracing, control flow (also `tf.cond`, `tf.py_function` and collective operations
of replicas), AutoGraph, and the executor of compiled Graphs."""
