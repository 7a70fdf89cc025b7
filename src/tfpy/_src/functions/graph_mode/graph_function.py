"""The base of functions that are parts of a `tf.Graph`."""

from __future__ import annotations

from typing import Any


class GraphFunction:
    """A function that is a part of a `tf.Graph`. SavedModels store it as a concrete function."""

    @property
    def concrete_function(self) -> Any:
        """The compiled function.

        Raises:
            NotImplementedError: If a subclass does not define it.
        """
        raise NotImplementedError
