"""`tf.train`: checkpoints of Variables, modules and Keras models in TensorFlow's file format."""
