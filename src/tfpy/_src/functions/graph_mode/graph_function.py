"""The base of functions that are parts of a `tf.Graph`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any


class GraphFunction(ABC):
    """A function that is a part of a `tf.Graph`. SavedModels store it as a concrete function."""

    @property
    @abstractmethod
    def concrete_function(self) -> Any:
        """The compiled function."""
