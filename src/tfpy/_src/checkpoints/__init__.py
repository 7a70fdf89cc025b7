"""`tf.train`: checkpoints in the files of TensorFlow."""
