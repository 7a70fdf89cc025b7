"""The integration with Keras 3, imports of tfpy under the name `tensorflow`, and the private names
of TensorFlow that Keras uses."""
