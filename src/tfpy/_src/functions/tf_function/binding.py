"""A trace that serves several Variables: each call binds its Variables to the placeholders."""

from __future__ import annotations

from collections.abc import Sequence

from tfpy._src.functions.tf_function.signature import Call
from tfpy._src.functions.tf_function.traced import Traced
from tfpy._src.tensors.variables.placeholder import Placeholder


class Template:
    """A traced computation with placeholders for the Variables among its arguments.

    Args:
        traced: The computation.
        placeholders: One for each of :attr:`Call.variables`, or none if the trace serves only its
            own call.
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
        """Return True if the computation is right for the Variables of a call.

        It is not if the function distinguishes Variables, or if it also captures one of the
        Variables: the trace then has two Variables where the program has one.
        """
        if any(placeholder.is_identified for placeholder in self.placeholders):
            return False
        return self._captured.isdisjoint(call.identities)
