"""Traces that serve several Variables. Each call binds its Variables to the placeholders."""

from __future__ import annotations

from collections.abc import Sequence

from tfpy._src.functions.tf_function.signature import Call
from tfpy._src.functions.tf_function.traced import Traced
from tfpy._src.tensors.variables.placeholder import Placeholder


class Template:
    """A traced computation with placeholders for the Variables among its arguments.

    Args:
        traced: The computation.
        placeholders: A placeholder for each of :attr:`Call.variables`. Empty if the trace serves
            only its own call.
    """

    def __init__(self, traced: Traced, placeholders: Sequence[Placeholder]) -> None:
        self.traced, self.placeholders = traced, placeholders
        read = [extra.variable for extra in traced.extras if extra.variable is not None]
        self._captured = frozenset(map(id, (*read, *traced.assigned)))

    def bound(self, call: Call) -> Traced:
        """Return the computation for the Variables of a call."""
        if not self.placeholders:
            return self.traced
        pairs = zip(self.placeholders, call.variables, strict=True)
        return self.traced.bound({id(placeholder): variable for placeholder, variable in pairs})

    def can_bind(self, call: Call) -> bool:
        """Return True if the computation is valid for the Variables of a call.

        It is invalid if the function distinguishes between Variables. It is also invalid if the
        function captures one of the call's Variables: the trace then has two Variables where the
        program has one.
        """
        if any(placeholder.is_identified for placeholder in self.placeholders):
            return False
        return self._captured.isdisjoint(call.identities)
