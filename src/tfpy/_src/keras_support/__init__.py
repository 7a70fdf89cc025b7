"""The integration of Keras 3, and the import of tfpy under the name `tensorflow`."""
