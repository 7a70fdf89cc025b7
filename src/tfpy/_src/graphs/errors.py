"""What is raised for files of models."""

from __future__ import annotations


class ModelFileError(ValueError):
    """A model's files are broken, or say what is not allowed."""
