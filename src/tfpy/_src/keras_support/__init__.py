"""The integration with Keras 3, and imports of tfpy under the name `tensorflow`."""
