"""The integration with Keras 3, imports of tfpy under the name `tensorflow`, and private names and
operations of TensorFlow that Keras and other packages import."""
