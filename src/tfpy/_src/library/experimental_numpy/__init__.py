"""`tf.experimental.numpy`: NumPy's functions, dtype promotion and indexing for tensors."""
