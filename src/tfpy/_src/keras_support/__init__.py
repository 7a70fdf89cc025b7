"""The integration of Keras 3, and tfpy under the name ``tensorflow``."""
