"""The package version, which the build reads from here."""

__version__ = "0.1.0"

VERSION_OF_TENSORFLOW = "2.21.0"
"""Of which it has the names and the semantics."""
