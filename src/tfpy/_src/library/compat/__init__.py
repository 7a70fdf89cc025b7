"""Functions of TensorFlow 1 with other arguments than in TensorFlow 2."""
