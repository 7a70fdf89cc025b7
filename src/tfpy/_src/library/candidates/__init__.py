"""Samplers of candidate classes in `tf.random`, and the losses in `tf.nn` that use them."""
