"""`tf.function`: tracing, control flow (such as `tf.cond`, `tf.py_function` and collectives of
replicas), AutoGraph, and the executor of compiled Graphs."""
