"""`tf.train`: checkpoints in TensorFlow's file format."""
