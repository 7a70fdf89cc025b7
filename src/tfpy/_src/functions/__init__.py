"""`tf.function`: tracing, control flow such as `tf.cond`, host functions (`tf.py_function`),
collective ops of replicas, AutoGraph, and the executor of compiled Graphs."""
