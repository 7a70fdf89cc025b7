"""`tf.train` and `tf.saved_model`: checkpoints and SavedModels in TensorFlow's file formats."""
