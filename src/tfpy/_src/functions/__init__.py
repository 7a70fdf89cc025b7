"""`tf.function`: tracing, control flow (also `tf.cond` and `tf.py_function`), AutoGraph, and the
executor of compiled Graphs."""
