"""The package version. The build reads it from this file."""

__version__ = "0.1.0"

VERSION_OF_TENSORFLOW = "2.21.0"
"""Version of TensorFlow with the same names and semantics."""
