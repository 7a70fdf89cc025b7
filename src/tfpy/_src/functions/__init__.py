"""`tf.function`: tracing, control flow, AutoGraph, and the executor of compiled Graphs."""
