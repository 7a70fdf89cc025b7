"""``tf.train``: checkpoints in TensorFlow's files."""
