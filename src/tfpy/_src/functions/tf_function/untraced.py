"""Signatures for which a function cannot be traced and runs op by op."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any

from tfpy._src.base import tracing
from tfpy._src.base.errors import NotTraceableError
from tfpy._src.core import records
from tfpy._src.core.tensor import Tensor
from tfpy._src.functions.tf_function.results import converted, returned
from tfpy._src.functions.tf_function.signature import Call


class Untraced:
    """A replacement for a trace if a shape or a Python decision depends on values of tensors.

    Args:
        function: Python function, which takes the call's arguments as a dict by parameter name.
        call: Arguments of the call.
        error: Reason why the function cannot be traced.
    """

    def __init__(
        self, function: Callable[[dict[str, Any]], Any], call: Call, error: NotTraceableError
    ) -> None:
        self._function = function
        self.call = call  # keeps objects alive; the cache key contains their ids
        self.error = error
        self._places: dict[Hashable, Any] = {}
        self.is_known = False
        """True after the program has been warned."""

    has_lost = False
    """False, because it captures nothing: the Python function reads its values at each call."""

    async def run_async(self, tensors: Sequence[Tensor]) -> Any:
        """Run the function without waiting, so that other tasks cannot interfere with its ops."""
        return self.run(tensors)

    def run(self, tensors: Sequence[Tensor]) -> Any:
        """Run the Python function on these tensors and return its result, converted to tensors."""
        with tracing.running_op_by_op(self._places):
            result = self._function(self.call.replaced(tensors))
        return records.map_structure(lambda leaf: returned(converted(leaf)), result)
