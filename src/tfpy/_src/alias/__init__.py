"""tfpy under the name ``tensorflow``, and Keras on it."""
