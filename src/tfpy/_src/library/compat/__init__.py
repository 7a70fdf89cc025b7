"""Functions of TensorFlow 1 that have other arguments than TensorFlow 2's."""
