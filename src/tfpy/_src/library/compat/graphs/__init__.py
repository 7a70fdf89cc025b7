"""Names of `tf.compat.v1` for graphs: scopes, Variables, optimizers, metrics and networks."""
