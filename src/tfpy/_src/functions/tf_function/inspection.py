"""The attributes of a concrete function that show it in TensorFlow's form."""

from __future__ import annotations

import inspect
from typing import Any

from tfpy._src.base.providers import provided


class Unregistered:
    """A function that graphs do not list. TensorFlow's functions are registered in a graph."""

    def add_to_graph(self, g: object = None, overwrite: bool = False) -> None:
        """Do nothing, because graphs of tfpy contain functions without a registration.

        Args:
            g, overwrite: Has no effect.
        """

    def add_gradient_functions_to_graph(self, g: object = None) -> None:
        """Do nothing, because gradients are computed from the trace of the function.

        Args:
            g: Has no effect.
        """


class Inspected(Unregistered):
    """A concrete function with messages and a graph of TensorFlow's operations."""

    @property
    def graph(self) -> Any:
        """Graph with TensorFlow's operations, for inspection."""
        return provided("ConcreteFunction.graph")(self)

    @property
    def inference_fn(self) -> Any:
        """The compiled function, for inspection."""
        return provided("ConcreteFunction.inference_fn")(self)

    @property
    def function_def(self) -> Any:
        """The function as a message FunctionDef."""
        return provided("ConcreteFunction.function_def")(self)

    @property
    def function_type(self) -> inspect.Signature:
        """Parameters of the function, with the specs of its arguments as annotations."""
        found: inspect.Signature = provided("ConcreteFunction.function_type")(self)
        return found
