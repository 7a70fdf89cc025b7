"""Signatures for which a function cannot be traced, and runs op by op instead."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any

from tfpy._src.base import tracing
from tfpy._src.base.errors import NotTraceableError
from tfpy._src.core import nest
from tfpy._src.core.tensor import Tensor
from tfpy._src.functions.tf_function.results import converted, returned
from tfpy._src.functions.tf_function.signature import Call


class Untraced:
    """Stands for a trace where a shape, or what Python does, depends on the values of tensors.

    Args:
        function: takes the call's arguments by parameter.
        error: why it cannot be traced.
    """

    def __init__(
        self, function: Callable[[dict[str, Any]], Any], call: Call, error: NotTraceableError
    ) -> None:
        self._function = function
        self.call = call  # holds the objects that the cache knows by id
        self.error = error
        self._places: dict[Hashable, Any] = {}
        self.is_known = False
        """Whether the program was told."""

    has_lost = False
    """It computes with nothing but its arguments, and with what the function reads anew."""

    async def run_async(self, tensors: Sequence[Tensor]) -> Any:
        """The same: what other tasks do meanwhile must not become part of it."""
        return self.run(tensors)

    def run(self, tensors: Sequence[Tensor]) -> Any:
        """The Python function's result for these tensors; everything in it becomes tensors."""
        with tracing.running_op_by_op(self._places):
            result = self._function(self.call.replaced(tensors))
        return nest.map_structure(lambda leaf: returned(converted(leaf)), result)
