"""`tf.compat.v1.distributions`: probability distributions of TensorFlow 1."""
